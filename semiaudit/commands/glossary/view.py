"""An entry of the glossary, and the list of all terms, as text."""

from __future__ import annotations

import posixpath
import re
import textwrap
from collections.abc import Sequence
from itertools import groupby

from semiaudit.commands.glossary.terms import Entry
from semiaudit.version import PAGES

_LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")


def text_of(entry: Entry) -> str:
    """Return an entry in Markdown, with the addresses of the pages that it links to."""

    def address(match: re.Match[str]) -> str:
        return f"]({PAGES}/{posixpath.normpath(match[1])})"

    also = f"Also: {'; '.join(entry.also)}.\n\n" if entry.also else ""
    return f"# {entry.term}\n\n{also}{_LINK.sub(address, entry.text)}\n"


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
