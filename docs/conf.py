"""The site of these pages, by Sphinx (extra ``docs``); docs/site.md shows how to build it.

The pages are written for the forge, and stay as they are. What Sphinx needs in addition is made
while it reads: the pages of the rules, the glossary, the options, and the library, from the program
(git ignores them); the sidebar, from the links of the entry page; the addresses of files outside
this folder; the JSON Schemas; and what the search finds first.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import sys
from itertools import product
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

from semiaudit.version import FILES, REPOSITORY, __version__  # noqa: E402

project = "semiaudit"
version = release = __version__
extensions = ["myst_nb"]
nb_execution_mode = "off"
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
html_math_renderer = "mathml"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"semiaudit {__version__}"
html_copy_source = False
html_show_copyright = False
html_use_index = False
html_theme_options = {
    "source_repository": REPOSITORY,
    "source_branch": f"v{__version__}",
    "source_directory": "docs/",
    "top_of_page_buttons": ["view"],
}
root_doc = "index"
nitpicky = True
smartquotes = False
highlight_language = "text"
myst_heading_anchors = 6

_LINK = re.compile(r"\]\(([\w./-]+)\.(?:md|ipynb)(?:#[\w-]*)?\)")
_ADDRESS = re.compile(rf"\]\((?:{re.escape(FILES)}/|(?=\.\./))([^)\s#]+)")
exclude_patterns = ["decisions"]

SOURCES = {
    "semiaudit/model/rules/": "rules/README.md",
    "semiaudit/commands/glossary.md": "glossary.md",
    "semiaudit/commands/": "options/README.md",
    "semiaudit/__init__.py": "api/README.md",
}
"""The page that is generated from a source; a link to the source leads to the page in the site."""

KEYWORDS = {
    "batch": ("many specs", "parallel"),
    "ci": ("CI", "pre-commit", "continuous integration", "GitHub Actions", "GitLab", "Jenkins"),
    "contributing": ("contribute", "develop", "run the tests"),
    "data": ("CSV", "Parquet", "microdata", "DuckDB", "PostgreSQL", "database"),
    "glossary": ("terms", "definitions"),
    "howto/choose-a-budget": ("privacy budget", "privacy-loss budget", "budget"),
    "howto/choose-a-reading": ("neighboring", "neighboring datasets", "adjacency", "semi-adjacent"),
    "cite": ("cite", "citation", "reference"),
    "commands": ("which command", "swap command"),
    "formats": ("JSON Schema",),
    "gallery": ("examples", "configs"),
    "howto/design-noise": ("calibrate", "calibration"),
    "howto/from-opacus": ("DP-SGD", "Opacus"),
    "howto/from-python": ("Python API", "Python"),
    "howto/from-opendp": ("OpenDP",),
    "howto/gate-a-release": ("budget in CI", "gate"),
    "howto/perform-a-swap": ("swap",),
    "howto/publish-in-the-registry": ("registry", "deployments registry"),
    "howto/several-releases": ("composition", "compose", "several releases"),
    "howto/verify": ("verify code", "test my code"),
    "install": ("install", "installation", "pip", "requirements"),
    "numbers": ("epsilon", "rho", "mu", "privacy loss", "effective guarantee", "group privacy"),
    "questions": (
        "why is epsilon so large",
        "what does epsilon mean",
        "two margins",
        "noise on a part of the table",
        "several records per person",
        "why",
        "FAQ",
    ),
    "spec": ("structural zeros", "YAML"),
    "tutorial": ("my own table", "my own data", "getting started"),
    "versions": ("stable", "compatibility", "upgrade"),
}
"""What a reader types, by the page that answers it: the search shows that page first."""

BEGINNINGS = (("neighbor", "neighbour"), ("behavior", "behaviour"))
SYMBOLS = (
    ("epsilon", "ε"),
    ("delta", "δ"),
    ("rho", "ρ"),
    ("mu", "μ"),
    ("sigma", "σ"),
    ("d_t", "dₜ"),
)
"""Two spellings of the same, of the beginning of a word and of a symbol. The search finds both."""


def toctrees() -> list[tuple[str, list[str]]]:
    """The groups of the sidebar, as (caption, names of pages): the sections of the entry page.

    A page is listed once, under the first section that links to it. A page that no section links
    to is not in the sidebar; other pages link to it.
    """
    seen = {root_doc}
    found = []
    text = linked(root_doc, (DOCS / f"{root_doc}.md").read_text("utf-8"))
    for section in text.split("\n## ")[1:]:
        names = dict.fromkeys(posixpath.normpath(link) for link in _LINK.findall(section))
        if kept := [name for name in names if name in page_names() - seen]:
            found.append((section.partition("\n")[0], kept))
            seen |= {*kept}
    return found


def page_names() -> set[str]:
    """Return the names of all pages and notebooks, as Sphinx has them."""
    paths = (path for ending in ("md", "ipynb") for path in DOCS.rglob(f"*.{ending}"))
    names = {path.relative_to(DOCS).with_suffix("").as_posix() for path in paths}
    return {name for name in names if not name.startswith("decisions/")}


def generated() -> dict[str, str]:
    """Return the text of every page that is generated from the program, by its path in docs/."""
    from semiaudit.version import with_addresses
    from tests import api_page, option_pages, rule_pages

    terms = "semiaudit/commands/glossary.md"
    text = (Path(rule_pages.__file__).parents[1] / terms).read_text("utf-8")
    return {
        "glossary.md": with_addresses(text, terms),
        **{f"api/{name}": page for name, page in api_page.pages().items()},
        **{f"options/{name}": page for name, page in option_pages.pages().items()},
        **{f"rules/{name}": page for name, page in rule_pages.pages().items()},
    }


def linked(page: str, text: str) -> str:
    """Return the text of a page whose links to sources of pages lead to these pages.

    Args:
        page: its name, as Sphinx has it.
    """
    folder = posixpath.dirname(page)

    def lead(link: re.Match[str]) -> str:
        name = link[1]
        if name.startswith("."):
            name = posixpath.normpath(posixpath.join("docs", folder, name))
            name += "/" * link[1].endswith("/")
        if rule := re.fullmatch(r"semiaudit/model/rules/(\w+\.md)", name):
            target = f"rules/{rule[1]}"
        elif name.startswith("docs/"):
            target = name.removeprefix("docs/")
        else:
            target = SOURCES.get(name, "")
        return f"]({posixpath.relpath(target, folder or '.')}" if target else link[0]

    return _ADDRESS.sub(lead, text)


def spellings(word: str) -> list[str]:
    """Return a word in each of its spellings, the given one first; ``[word]`` if it has one."""
    lower = word.lower()
    for one, other in (*BEGINNINGS, *((b, a) for a, b in BEGINNINGS)):
        if lower.startswith(one) and not lower.startswith(other):
            return [word, other + lower.removeprefix(one)]
    for one, other in (*SYMBOLS, *((b, a) for a, b in SYMBOLS)):
        if lower in (one, f"{one}s"):
            return [word, other]
    return [word]


def _add_keywords(app: Any, doctree: Any) -> None:
    """Add the keywords of a page to the search; nothing of them is shown on the page."""
    from sphinx import addnodes

    entries = [
        ("single", " ".join(form), "", "main", None)
        for phrase in KEYWORDS.get(app.env.docname, ())
        for form in product(*(spellings(word) for word in phrase.split()))
    ]
    if entries:
        doctree.insert(0, addnodes.index(entries=entries))


def _allow_outside_the_sidebar(app: Any, env: Any) -> None:
    """Sphinx warns of pages in no table of contents, unless they are called orphans."""
    for name in env.found_docs - {name for _, names in toctrees() for name in names}:
        env.metadata[name]["orphan"] = "true"


def _write_generated(app: Any) -> None:
    """Write the generated pages, each in its place, and none that is not generated any more."""
    for name in ("api", "options", "rules"):
        shutil.rmtree(DOCS / name, ignore_errors=True)
        (DOCS / name).mkdir()
    for name, text in generated().items():
        (DOCS / name).write_text(text, "utf-8")


def _hide_source(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """The repository has no source of a generated page, so that no button leads there."""
    if page.startswith(("api/", "options/", "rules/")) or f"{page}.md" in SOURCES.values():
        context["page_source_suffix"] = ""


def _lead_to_pages(app: Any, docname: str, source: list[str]) -> None:
    from tests import folders

    source[0] = linked(docname, source[0]).replace(folders.MARK, folders.table())


def _add_toctrees(app: Any, docname: str, source: list[str]) -> None:
    """The sidebar's groups at the end of the entry page; nothing of them is shown there."""
    if docname == root_doc:
        for caption, names in toctrees():
            head = [":hidden:", f":caption: {caption}", ""]
            source[0] += "\n".join(
                ["\n```{toctree}", *head, *(f"/{name}" for name in names), "```", ""]
            )


def elsewhere(page: str, link: str) -> str | None:
    """Where a relative link of a page leads that names no page of the site; None if it does.

    A schema lies beside the pages, in the folder of this version. What lies outside docs/ is read
    in the repository, as this version was released.
    """
    path, mark, part = link.partition("#")
    name = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path))
    if name.endswith(".schema.json"):
        return "../" * page.count("/") + f"schemas/{__version__}/{posixpath.basename(name)}"
    if name.startswith("docs/") and not name.startswith("docs/decisions/"):
        return None
    form = "tree" if (DOCS.parent / name).is_dir() else "blob"
    return f"{REPOSITORY}/{form}/v{__version__}/{name}{mark}{part}"


def _lead_elsewhere(app: Any, doctree: Any) -> None:
    """Before Sphinx resolves the links of a page and copies the files that they name."""
    from docutils import nodes
    from sphinx import addnodes

    kinds = (addnodes.pending_xref, addnodes.download_reference)
    for node in [node for kind in kinds for node in doctree.findall(kind)]:
        target = node["reftarget"]
        if node.get("refdomain") == "doc":
            place = os.path.relpath(DOCS / f"{target}.md", DOCS / posixpath.dirname(node["refdoc"]))
            part = node.get("reftargetid")
            target = f"{Path(place).as_posix()}{f'#{part}' if part else ''}"
        if address := elsewhere(node["refdoc"], target):
            node.replace_self(nodes.reference("", "", *node.children, refuri=address))


def _serve_schemas(app: Any, exception: Exception | None) -> None:
    """Each schema under schemas/VERSION, and under schemas/latest."""
    if exception is None:
        for folder in (__version__, "latest"):
            place = Path(app.outdir) / "schemas" / folder
            place.mkdir(parents=True, exist_ok=True)
            for schema in DOCS.glob("*.schema.json"):
                shutil.copyfile(schema, place / schema.name)


def _write_mathml(translator: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers show without a script or a font."""
    from docutils import nodes
    from latex2mathml.converter import convert

    inline = isinstance(node, nodes.math)
    formula = convert(node.astext(), display="inline" if inline else "block")
    translator.body.append(formula if inline else f'<div class="math">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx calls."""
    from pygments.lexers.special import TextLexer
    from sphinx.search.en import SearchEnglish

    class BothSpellings(SearchEnglish):
        """English, with every word in each of its spellings."""

        def split(self, input: str) -> list[str]:  # noqa: A002 - the name is Sphinx's
            return [form for word in super().split(input) for form in spellings(word)]

    app.add_search_language(BothSpellings)
    app.add_lexer("csv", TextLexer)
    app.add_html_math_renderer("mathml", (_write_mathml, None), (_write_mathml, None))
    app.connect("builder-inited", _write_generated)
    app.connect("source-read", _lead_to_pages)
    app.connect("source-read", _add_toctrees)
    app.connect("html-page-context", _hide_source)
    app.connect("doctree-read", _add_keywords)
    app.connect("env-updated", _allow_outside_the_sidebar)
    app.connect("doctree-read", _lead_elsewhere, priority=100)
    app.connect("build-finished", _serve_schemas)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
