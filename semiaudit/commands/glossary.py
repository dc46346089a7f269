"""`semiaudit glossary`: the entry of a term, or the list of all terms."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from itertools import groupby
from pathlib import Path

import click

from semiaudit.cli.output import terminal, write_markdown, write_stdout
from semiaudit.frozen import dataclass
from semiaudit.version import with_addresses

TEXT = Path(__file__).with_name("glossary.md")
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


FILE = "semiaudit/commands/glossary.md"
"""The file of the terms, from which their links lead."""


def text_of(entry: Entry) -> str:
    """Return an entry in Markdown, with the addresses of the pages that it links to."""
    also = f"Also: {'; '.join(entry.also)}.\n\n" if entry.also else ""
    return f"# {entry.term}\n\n{also}{with_addresses(entry.text, FILE)}\n"


def list_of(entries: Sequence[Entry], width: int) -> str:
    """Return the terms of each section, and how to read an entry."""
    lines = ["`semiaudit glossary TERM` explains a term.", ""]
    for section, group in groupby(entries, key=lambda entry: entry.section):
        terms = ", ".join(entry.term.replace(" ", "\0") for entry in group)
        wrapped = textwrap.wrap(
            terms, max(width, 40), initial_indent="  ", subsequent_indent="  ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        lines += [section, *(line.replace("\0", " ") for line in wrapped), ""]
    return "\n".join(lines[:-1]) + "\n"


@click.command()
@click.argument("term", metavar="[TERM]", nargs=-1)
def glossary(term: tuple[str, ...]) -> int:
    """Explain TERM: what it means, why it matters, and an example; in a pipe, as Markdown.

    TERM is any term, label, or identifier of a report or a spec, such as a(t), 'Group privacy', or
    semi_dp. Without TERM, list the terms.
    """
    asked = " ".join(term).strip()
    if not asked:
        width, _ = terminal()
        write_stdout(list_of(entries(), width))
        return 0
    if re.fullmatch(r"S[AR][0-9]{3}", asked.upper()):
        rule = asked.upper()
        write_stdout(f"{rule} is a rule of findings; `semiaudit rule {rule}` explains it.\n")
        return 0
    matches = matching(asked)
    if matches is None:
        close = near_misses(asked)
        hint = f"did you mean {' or '.join(close)}? " if close else ""
        raise click.UsageError(
            f"{asked!r} is not in the glossary; {hint}`semiaudit glossary` lists the terms"
        )
    write_markdown(text_of(matches))
    return 0
