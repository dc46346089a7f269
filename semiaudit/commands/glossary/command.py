"""`semiaudit glossary`: the entry of a term, or the list of all terms.

An entry of the glossary, and the list of all terms, as text.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import groupby

import click

from semiaudit.cli.output import terminal, write_stdout
from semiaudit.commands.glossary.terms import Entry, entries, matching, near_misses
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


@click.command()
@click.argument("term", metavar="[TERM]", nargs=-1)
def glossary(term: tuple[str, ...]) -> int:
    """Explain TERM: what it means, why it matters, and an example, in Markdown.

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
    write_stdout(text_of(matches))
    return 0
