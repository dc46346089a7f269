"""An entry of the glossary, and the list of all terms, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import groupby

from semiaudit.commands.glossary.terms import Entry
from semiaudit.version import with_addresses

FILE = "semiaudit/commands/glossary/terms.md"
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
