"""The site of the pages: what its configuration says, and what is held against it once built."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from semiaudit.version import FILES, REPOSITORY, __version__, schema_address
from tests.built_site import ALIKE, RIGHT, faults, search_faults
from tests.pages import GENERATED
from tests.places import ROOT
from tests.site_search import pages_found

DOCS = ROOT / "docs"
TREE = f"{REPOSITORY}/tree/v{__version__}"
BLOB = f"{REPOSITORY}/blob/v{__version__}"
UNWANTED = shutil.ignore_patterns(*GENERATED)


@pytest.fixture
def conf(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    return configured(DOCS, monkeypatch)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the configuration of a copy of the pages defines, once the others are generated."""
    shutil.copytree(DOCS, tmp_path / "docs", ignore=UNWANTED)
    found = configured(tmp_path / "docs", monkeypatch)
    found["_write_generated"](None)
    return found


def configured(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the configuration in a folder defines; Sphinx is not needed for that."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    return runpy.run_path(str(folder / "conf.py"))


def test_the_extra_installs_what_the_configuration_names(conf: dict[str, Any]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extra = {re.split(r"\W*>=", name)[0] for name in project["optional-dependencies"]["docs"]}
    named = {name.replace("_", "-") for name in (conf["html_theme"], *conf["extensions"])}
    assert extra == named | {"sphinx", "latex2mathml"}
    assert conf["nb_execution_mode"] == "off"
    assert conf["release"] == __version__
    assert (ROOT / ".gitignore").read_text("utf-8").splitlines().count("build/") == 1


def test_the_sidebar_has_the_sections_of_the_entry_page(copy: dict[str, Any]) -> None:
    groups = copy["toctrees"]()
    listed = [name for _, names in groups for name in names]
    assert len(listed) == len(set(listed)) <= 60
    assert [caption for caption, _ in groups] == [
        "Start",
        "How to",
        "Reference",
        "Theory",
        "Project",
    ]
    assert {"api/README", "glossary", "options/README", "rules/README"} <= set(listed)


def test_what_is_generated_is_ignored_and_what_is_gone_is_removed(copy: dict[str, Any]) -> None:
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert {f"docs/{name}".rstrip("/") for name in GENERATED} == {
        line.rstrip("/") for line in ignored if line.startswith("docs/")
    }
    assert {name.partition("/")[0] for name in copy["generated"]()} == set(GENERATED)
    (gone := copy["DOCS"] / "rules" / "SA000.md").touch()
    copy["_write_generated"](None)
    assert not gone.exists()


@pytest.mark.parametrize(
    ("page", "link", "target"),
    [
        ("index", "../semiaudit/model/rules/", "rules/README.md"),
        ("index", "../semiaudit/__init__.py", "api/README.md"),
        ("howto/d", "../../semiaudit/model/rules/SA013.md", "../rules/SA013.md"),
        ("spec", "../semiaudit/commands/glossary.md#a", "glossary.md#a"),
        ("rules/SA013", f"{BLOB}/docs/policy.md#waivers", "../policy.md#waivers"),
        ("rules/SA013", f"{BLOB}/semiaudit/model/rules/SA007.md", "SA007.md"),
        ("howto/d", "../spec.md", "../spec.md"),
        ("index", "../semiaudit/errors.py", "../semiaudit/errors.py"),
        ("index", "https://example.org/x", "https://example.org/x"),
    ],
)
def test_a_link_to_the_source_of_a_page_leads_to_the_page(
    conf: dict[str, Any], page: str, link: str, target: str
) -> None:
    assert conf["linked"](page, f"[a]({link})") == f"[a]({target})"


def test_every_page_with_keywords_exists_and_no_keyword_has_two_pages(copy: dict[str, Any]) -> None:
    assert set(copy["KEYWORDS"]) <= copy["page_names"]()
    words = [word.lower() for found in copy["KEYWORDS"].values() for word in found]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("Neighbouring", ["Neighbouring", "neighboring"]),
        ("neighbors", ["neighbors", "neighbours"]),
        ("ε", ["ε", "epsilon"]),
        ("Epsilon", ["Epsilon", "ε"]),
        ("epsilons", ["epsilons", "ε"]),
        ("D_t", ["D_t", "dₜ"]),
        ("Dₜ", ["Dₜ", "d_t"]),
        ("multiple", ["multiple"]),
        ("mu", ["mu", "μ"]),
    ],
)
def test_a_word_has_both_spellings(conf: dict[str, Any], word: str, forms: list[str]) -> None:
    assert conf["spellings"](word) == forms


def test_a_page_stands_in_the_first_group_that_links_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copyfile(DOCS / "conf.py", tmp_path / "conf.py")
    for name in ("decisions/README", "options/README", "rules/README", "b", "c", "howto/d", "e"):
        page = tmp_path / f"{name}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text("# A page\n[up](../index.md)\n", "utf-8")
    (tmp_path / "index.md").write_text(
        "# Start\n[c](c.md)\n## First\n[b](b.md#part) [none](none.md)\n"
        "## Second\n[b](b.md)[c](c.md) [out](../x.md)\n"
        "[no](decisions/README.md) [o](options/README.md) [d](howto/d.md)\n## Third\n",
        "utf-8",
    )
    conf = configured(tmp_path, monkeypatch)
    second = ["c", "options/README", "howto/d"]
    assert conf["toctrees"]() == [("First", ["b"]), ("Second", second)]


@pytest.mark.parametrize(
    ("page", "link", "address"),
    [
        ("index", "glossary.md", None),
        ("rules/SA013", "../policy.md#waivers", None),
        ("library", "notebooks/survey.ipynb", None),
        ("contributing", "decisions/README.md", f"{BLOB}/docs/decisions/README.md"),
        ("index", "../tests/golden/README.md", f"{BLOB}/tests/golden/README.md"),
        ("howto/from-python", "../../README.md#two-lines", f"{BLOB}/README.md#two-lines"),
        ("index", "../configs", f"{TREE}/configs"),
        ("spec", "report.schema.json", f"schemas/{__version__}/report.schema.json"),
        ("howto/d", "../spec.schema.json", f"../schemas/{__version__}/spec.schema.json"),
    ],
)
def test_what_is_no_page_is_read_in_the_repository_or_beside_the_pages(
    conf: dict[str, Any], page: str, link: str, address: str | None
) -> None:
    assert conf["elsewhere"](page, link) == address


def test_the_site_s_addresses_are_those_that_the_program_prints(conf: dict[str, Any]) -> None:
    """A finding's help and a schema's ``$id`` stay in the repository; the site leads there too."""
    options = conf["html_theme_options"]
    shown = f"{options['source_repository']}/blob/{options['source_branch']}"
    assert f"{shown}/{options['source_directory']}" == f"{FILES}/docs/"
    for path in DOCS.glob("*.schema.json"):
        name = path.name.removesuffix(".schema.json")
        assert json.loads(path.read_text("utf-8"))["$id"] == schema_address(name)
        assert schema_address(name).startswith(f"{REPOSITORY}/")


def built(folder: Path, body: str) -> Path:
    """A site as it should be, but for the body of its entry page."""
    paths = [*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]
    names = [path.relative_to(DOCS).with_suffix("").as_posix() for path in paths]
    names += {"api/README", "glossary", "options/README", "rules/README"} - {*names}
    for name in names:
        page = folder / f"{name}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("<html><body><h1 id='top'>A page</h1></body></html>", "utf-8")
    (folder / "index.html").write_text(f"<html><body>{body}</body></html>", "utf-8")
    (folder / "searchindex.js").write_text(f"f({json.dumps({'docnames': names})})", "utf-8")
    for version in (__version__, "latest"):
        (folder / "schemas" / version).mkdir(parents=True)
        for schema in DOCS.glob("*.schema.json"):
            shutil.copyfile(schema, folder / "schemas" / version / schema.name)
    return folder


@pytest.mark.parametrize(
    "body",
    [
        "<a href='spec.html#top'>.</a><a href='rules/README.html'>.</a><a href='#'>.</a>",
        f"<a href='{BLOB}/README.md?plain=true'>.</a><a href='https://example.org/x'>.</a>",
        f"<a href='{TREE}/configs'>.</a><b id='a'></b><a href='#a'>.</a><script src=''></script>",
        "<math><mi>a</mi><mo>&lt;</mo><mi>b</mi></math> the path a\\b, and &amp;",
    ],
)
def test_a_site_as_it_should_be_has_no_fault(tmp_path: Path, body: str) -> None:
    assert list(faults(built(tmp_path, body))) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<a href='specs.html'>.</a>", "index.html: specs.html leads nowhere"),
        ("<a href='spec.html#x'>.</a>", "index.html: spec.html#x leads nowhere"),
        ("<a href='#x'>.</a>", "index.html: #x leads nowhere"),
        (f"<a href='{BLOB}/no.md'>.</a>", f"index.html: {BLOB}/no.md leads nowhere"),
        (f"<a href='{BLOB}/docs/glossary.md'>.</a>", f"index.html: {BLOB}/docs/glossary.md leads"),
        ("<script src='https://example.org/a.js'></script>", "index.html: loads https://example"),
        ("<script src='a.js'></script>", "index.html: loads a.js"),
        ("<math><mi>\\foo</mi></math>", "index.html: the formula \\foo"),
        ("<math><mi>a</mi><mi>&amp;</mi></math>", "index.html: the formula a&"),
    ],
)
def test_each_fault_of_a_page_is_told(tmp_path: Path, body: str, fault: str) -> None:
    (told,) = faults(built(tmp_path, body))
    assert told.startswith(fault)


def test_a_page_or_a_schema_that_is_missing_is_told(tmp_path: Path) -> None:
    site = built(tmp_path, "")
    (site / "spec.html").unlink()
    (site / "searchindex.js").write_text(
        (site / "searchindex.js").read_text("utf-8").replace('"numbers"', '"number"'), "utf-8"
    )
    (site / "schemas" / "latest" / "spec.schema.json").write_text("{}", "utf-8")
    (site / "schemas" / __version__ / "check.schema.json").unlink()
    assert set(faults(site)) == {
        f"schemas/{__version__}/check.schema.json is not served as committed",
        "schemas/latest/spec.schema.json is not served as committed",
        "spec.md is not in the site",
        "numbers.md is not in the site",
    }


INDEX = {
    "docnames": ["a", "b", "c", "d"],
    "titles": ["Install", "How noise is sampled", "Options", "About"],
    "alltitles": {
        "Install": [[0, None]],
        "How noise is sampled": [[1, None]],
        "Options": [[2, None]],
        "Install an extra": [[2, "extra"]],
        "About": [[3, None]],
    },
    "terms": {"instal": [1, 3], "nois": [0, 2], "two": [2, 3], "word": 3},
    "titleterms": {"instal": [0, 2], "nois": 1, "option": 2},
    "indexentries": {"noise": [[3, "", True]]},
}
"""Four pages: what Sphinx would write of them."""


@pytest.mark.parametrize(
    ("query", "found"),
    [
        # 16: the whole title; 15: a word of a title; 5: a word of the text, by title
        ("install", ["a", "c", "d", "b"]),
        # 100: a keyword; 15: a word of a title; 5: a word of the text, by title
        ("Noise", ["d", "b", "a", "c"]),
        # every word is needed
        ("two words", ["d"]),
        ("the two", ["d", "c"]),
        # a part of a word of a title, and of the title itself
        ("opti", ["c"]),
        ("nothing", []),
    ],
)
def test_pages_are_found_in_the_order_of_their_points(query: str, found: list[str]) -> None:
    stems = {"install": "instal", "noise": "nois", "words": "word"}

    def stem(word: str) -> str:
        return stems.get(word, word)

    assert pages_found(INDEX, query, stem, frozenset({"the"})) == found


def test_a_search_that_shows_another_page_first_is_a_fault() -> None:
    right = {query: [page, "other"] for query, page in RIGHT.items()}
    alike = {query: ["a", "b"] for pair in ALIKE for query in pair}
    answers = {**right, **alike}
    assert list(search_faults(answers.__getitem__)) == []
    answers["install"] = ["decisions/0011-a", "install"]
    answers["ε"] = ["a"]
    assert list(search_faults(answers.__getitem__)) == [
        "the search for 'install' shows ['decisions/0011-a'] first, and not 'install'",
        "the searches for 'epsilon' and 'ε' find different pages",
    ]
