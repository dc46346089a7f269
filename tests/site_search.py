"""The order in which the built site's search shows pages: the ranking of Sphinx's searchtools.js.

A keyword of a page (``KEYWORDS`` in docs/conf.py) has up to 100 points, a title up to 16, a word of
a title 15, and a word of the text 5. Pages with equal points follow by their titles.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

TITLE, TERM, KEYWORD = 15, 5, 100
PARTIAL_TITLE, PARTIAL_TERM = 7, 2


def read_index(site: Path) -> dict[str, Any]:
    """Return the search index of a built site; one without pages if there is none."""
    path = site / "searchindex.js"
    text = path.read_text("utf-8") if path.is_file() else '({"docnames": []})'
    found: dict[str, Any] = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    return found


def pages_found(
    index: Mapping[str, Any], query: str, stem: Callable[[str], str], stopwords: frozenset[str]
) -> list[str]:
    """Return the names of the pages that a query finds, the first result first, each once.

    Args:
        index: what the site's ``searchindex.js`` holds.
        query: what a reader types.
        stem: the stemmer of the site's language.
        stopwords: words that the search ignores.
    """
    asked = query.lower().strip()
    words = re.findall(r"\w+", asked)
    parts = [word for word in words if word not in stopwords and not word.isdigit()]
    results = [
        *_titles(index, asked),
        *_keywords(index, asked),
        *_terms(index, dict.fromkeys(map(stem, parts))),
    ]
    ordered = sorted(results, key=lambda result: (-result[0], result[1].lower()))
    return list(dict.fromkeys(index["docnames"][page] for _, _, page in ordered))


Result = tuple[float, str, int]
"""Points, the title that is shown, and the number of the page."""


def _titles(index: Mapping[str, Any], asked: str) -> Iterator[Result]:
    for title, places in index["alltitles"].items():
        if asked in title.lower().strip() and len(asked) >= len(title) / 2:
            for page, _ in places:
                whole = index["titles"][page]
                shown = title if whole == title else f"{whole} > {title}"
                yield int(TITLE * len(asked) / len(title) + 0.5) + (whole == title), shown, page


def _keywords(index: Mapping[str, Any], asked: str) -> Iterator[Result]:
    for entry, places in index["indexentries"].items():
        if asked in entry and len(asked) >= len(entry) / 2:
            for page, _, main in places:
                points = int(KEYWORD * len(asked) / len(entry) + 0.5)
                yield points if main else points - KEYWORD, index["titles"][page], page


def _terms(index: Mapping[str, Any], words: Mapping[str, None]) -> Iterator[Result]:
    """Yield the pages that have every word, in the text or in a title."""
    points: dict[int, dict[str, int]] = {}
    for word in words:
        for known, partial, whole in (
            (index["terms"], PARTIAL_TERM, TERM),
            (index["titleterms"], PARTIAL_TITLE, TITLE),
        ):
            for page, score in _places(known, word, partial, whole):
                points.setdefault(page, {})[word] = score
    needed = {len(words), sum(len(word) > 2 for word in words)}
    for page, found in points.items():
        if len(found) in needed:
            yield max(found.values()), index["titles"][page], page


def _places(
    known: Mapping[str, int | list[int]], word: str, partial: int, whole: int
) -> Iterator[tuple[int, int]]:
    terms = [word] if word in known else [term for term in known if word in term and len(word) > 2]
    for term in terms:
        pages = known[term]
        for page in [pages] if isinstance(pages, int) else pages:
            yield page, whole if term == word else partial
