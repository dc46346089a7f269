"""`semiaudit glossary`: the entry of a term, or the list of all terms."""

from __future__ import annotations

import click

from semiaudit.cli.output import terminal, write_stdout
from semiaudit.commands.glossary.terms import entries, matching, near_misses
from semiaudit.commands.glossary.view import list_of, text_of


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
    matches = matching(asked)
    if matches is None:
        close = near_misses(asked)
        hint = f"did you mean {' or '.join(close)}? " if close else ""
        raise click.UsageError(
            f"{asked!r} is not in the glossary; {hint}`semiaudit glossary` lists the terms"
        )
    write_stdout(text_of(matches))
    return 0
