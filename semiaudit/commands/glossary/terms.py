"""The entries of the glossary, read from ``terms.md``, and the search for a term."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from semiaudit.frozen import dataclass

TEXT = Path(__file__).with_name("terms.md")
"""The page: a section is ``## Section``, an entry is ``### Term`` and paragraphs."""

MOST_SUGGESTIONS = 3
CLOSE = 0.6
"""The least similarity, from 0 to 1, of a suggested term."""

_ALSO = "Also: "
_GREEK = {
    "ε": "epsilon",
    "δ": "delta",
    "ρ": "rho",
    "μ": "mu",
    "µ": "mu",
    "σ": "sigma",
    "α": "alpha",
    "ₜ": " t",
    "é": "e",
}
_SPELLINGS = (("neighbour", "neighbor"), ("trade off", "tradeoff"))


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the glossary.

    Attributes:
        section: the heading above it.
        term: its name.
        also: synonyms, identifiers, and other spellings.
        text: its paragraphs, in Markdown.
    """

    section: str
    term: str
    also: tuple[str, ...]
    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """Return every name by which it is found."""
        return self.term, *self.also


@cache
def entries() -> tuple[Entry, ...]:
    """Return every entry, in the order of the page."""
    entries_read: list[Entry] = []
    for section in TEXT.read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, *parts = section.split("\n### ")
        title = heading.partition("\n")[0]
        for part in parts:
            term, _, body = part.partition("\n")
            also: tuple[str, ...] = ()
            text = body.strip()
            if text.startswith(_ALSO):
                line, _, text = text.partition("\n\n")
                names = " ".join(line.removeprefix(_ALSO).split()).removesuffix(".").split(";")
                also = tuple(name.strip().strip("`") for name in names)
            entries_read.append(Entry(title, term, also, text))
    return tuple(entries_read)


def normalized(term: str) -> str:
    """Normalize the spelling of a term: no case, no Greek letters, no marks, American English."""
    text = term.casefold()
    for letter, word in _GREEK.items():
        text = text.replace(letter, word)
    text = " ".join(re.findall(r"[a-z0-9]+", text))
    for other, own in _SPELLINGS:
        text = text.replace(other, own)
    return text


@cache
def _by_name() -> dict[str, Entry]:
    return {normalized(name): entry for entry in entries() for name in entry.names}


def matching(term: str) -> Entry | None:
    """Return the entry of a term, a synonym, another spelling, or a plural; None without one."""
    known, name = _by_name(), normalized(term)
    singular = re.sub(r"(?<=\w\w)s$", "", name)
    number = re.sub(r" at (fpr|delta|type i error)\b.*", "", name)  # as in "TPR at FPR 0.01"
    return known.get(name) or known.get(singular) or known.get(number)


def near_misses(term: str) -> list[str]:
    """Return the terms whose names are close to a text, the closest one first."""
    known, name = _by_name(), normalized(term)
    close = get_close_matches(name, known, MOST_SUGGESTIONS, CLOSE)
    close += [other for other in known if name and name in other.split()]
    return list(dict.fromkeys(known[other].term for other in close))[:MOST_SUGGESTIONS]
