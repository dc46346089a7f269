"""What is wrong with the site that was built: ``python -m tests.built_site build/html``.

No address of another host is fetched: links to the repository are compared with the tree, all other
links out of the site are left alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

from semiaudit.version import REPOSITORY, __version__
from tests.pages import GENERATED
from tests.places import ROOT
from tests.site_search import pages_found, read_index

DOCS = ROOT / "docs"
LOADED = "//script/@src | //img/@src | //link[@rel='stylesheet' or @rel='preload']/@href"
HERE = tuple(f"{REPOSITORY}/{form}/v{__version__}/" for form in ("blob", "tree"))


RIGHT = {
    "install": "install",
    "neighboring": "howto/choose-a-reading",
    "neighbouring": "howto/choose-a-reading",
    "composition": "howto/several-releases",
    "privacy budget": "howto/choose-a-budget",
    "pre-commit": "ci",
    "OpenDP": "howto/from-opendp",
    "registry": "howto/publish-in-the-registry",
    "which command": "commands",
    "why is epsilon so large": "questions",
    "DP-SGD": "howto/from-opacus",
    "cite": "cite",
    "examples": "gallery",
    "swap": "howto/perform-a-swap",
    "budget in CI": "howto/gate-a-release",
    "structural zeros": "spec",
    "group privacy": "numbers",
    "calibrate": "howto/design-noise",
    "my own table": "tutorial",
    "what does epsilon mean": "questions",
    "swap command": "commands",
    "CI": "ci",
    "two margins": "questions",
    "noise on a part": "questions",
    "JSON schema": "formats",
    "PostgreSQL": "data",
    "verify code": "howto/verify",
    "Python API": "howto/from-python",
}
"""The page that the search must show first, by what a reader types."""

ALIKE = (("neighbor", "neighbour"), ("epsilon", "ε"), ("delta", "δ"), ("rho", "ρ"))
"""Queries that must find the same pages."""

Search = Callable[[str], list[str]]
"""From what a reader types to the names of pages, the first result first."""


def faults(site: Path) -> Iterator[str]:
    """Links that lead nowhere, missing pages and schemas, unrendered mathematics, remote files."""
    for page in sorted(site.rglob("*.html")):
        tree = html.fromstring(page.read_bytes())
        where = page.relative_to(site).as_posix()
        for address in tree.xpath(LOADED):
            if urlsplit(address).netloc or not _target(page, address).is_file():
                yield f"{where}: loads {address}"
        for link in tree.xpath("//a/@href"):
            if not _leads_somewhere(page, link):
                yield f"{where}: {link} leads nowhere"
        for formula in tree.iter("math"):
            if set(text := formula.text_content()) & set("\\&"):
                yield f"{where}: the formula {text} has a command that is not rendered"
    yield from _unserved(site)
    yield from _unfound(site)


def _leads_somewhere(page: Path, link: str) -> bool:
    if link.startswith(HERE):
        path = urlsplit(link.removeprefix(HERE[link.startswith(HERE[1])])).path
        generated = path.startswith(tuple(f"docs/{name}" for name in GENERATED))
        return (ROOT / path).exists() and not generated
    parts = urlsplit(link)
    if parts.scheme in ("http", "https", "mailto"):
        return True
    target = _target(page, link)
    part = unquote(parts.fragment)
    return target.is_file() and (not part or part in _places(target))


def _target(page: Path, link: str) -> Path:
    path = unquote(urlsplit(link).path)
    return page.parent / path if path else page


@cache
def _places(page: Path) -> frozenset[str]:
    return frozenset(html.fromstring(page.read_bytes()).xpath("//@id"))


def _unserved(site: Path) -> Iterator[str]:
    """Schemas that do not lie beside the pages as they are committed."""
    for schema in sorted(DOCS.glob("*.schema.json")):
        for folder in (__version__, "latest"):
            served = site / "schemas" / folder / schema.name
            if not served.is_file() or served.read_bytes() != schema.read_bytes():
                yield f"schemas/{folder}/{schema.name} is not served as committed"


def _unfound(site: Path) -> Iterator[str]:
    """Pages that are not in the site, or not in its search."""
    found = read_index(site)["docnames"]
    for path in sorted([*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]):
        name = path.relative_to(DOCS).with_suffix("").as_posix()
        if name.startswith("decisions/"):
            continue
        if name not in found or not (site / f"{name}.html").is_file():
            yield f"{path.relative_to(DOCS).as_posix()} is not in the site"


def crowding(site: Path) -> Iterator[str]:
    """More than 60 links in the sidebar, or pages that nobody reaches by links from the entry."""
    tree = html.fromstring((site / "index.html").read_bytes())
    if (links := len(tree.xpath("//div[contains(@class, 'sidebar-tree')]//a"))) > 60:
        yield f"the sidebar has {links} links"
    reached, new = set[Path](), {site.resolve() / "index.html"}
    while new:
        reached |= new
        targets = {
            _target(page, link).resolve()
            for page in new
            for link in html.fromstring(page.read_bytes()).xpath("//a/@href")
            if not urlsplit(link).scheme and urlsplit(link).path.endswith(".html")
        }
        new = {page for page in targets if page.is_file()} - reached
    for name in read_index(site)["docnames"]:
        if site.resolve() / f"{name}.html" not in reached:
            yield f"no link leads to {name}"


def search_faults(search: Search) -> Iterator[str]:
    """Queries whose first result is not the right page; spellings that find other pages."""
    for query, page in RIGHT.items():
        found = search(query)
        if found[:1] != [page]:
            yield f"the search for {query!r} shows {found[:1]} first, and not {page!r}"
    for one, other in ALIKE:
        if not search(one) or set(search(one)) != set(search(other)):
            yield f"the searches for {one!r} and {other!r} find different pages"


def built_search(site: Path) -> Search:
    """The search of a built site, with the stemmer that Sphinx uses."""
    import snowballstemmer
    from sphinx.search.en import SearchEnglish

    index = read_index(site)
    stem = snowballstemmer.stemmer("english").stemWord
    return lambda query: pages_found(index, query, stem, frozenset(SearchEnglish.stopwords))


if __name__ == "__main__":
    place = Path(sys.argv[1])
    found = [*faults(place), *crowding(place), *search_faults(built_search(place))]
    print("\n".join(found) or "every link leads somewhere, and the search finds the right pages")
    sys.exit(bool(found))
