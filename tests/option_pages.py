"""The pages of options for the site, written from the ``--help`` of every command."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from semiaudit.cli import COMMANDS, LazyGroup, cli

INDEX = """# Options of every command

Each page lists the options of one command, as `semiaudit COMMAND --help` prints
them.

| command | what it does |
| --- | --- |
{rows}

These options come before the command:

{options}
"""


def pages() -> dict[str, str]:
    top = click.Context(cli, info_name="semiaudit", **cli.context_settings)
    found, rows = {}, []
    for context in _commands(top):
        name = context.command_path.removeprefix("semiaudit ")
        file = f"{name.replace(' ', '-')}.md"
        found[file] = _page(context)
        rows.append(f"| [`{name}`]({file}) | {_summary(context)} |")
    return {"README.md": INDEX.format(rows="\n".join(rows), options=_table(top)), **found}


def _commands(parent: click.Context) -> Iterator[click.Context]:
    """Yield the context of every command that is not a group, in the order of the help."""
    assert isinstance(parent.command, click.Group)
    for name in COMMANDS if parent.command is cli else parent.command.list_commands(parent):
        command = parent.command.get_command(parent, name)
        assert command is not None
        context = click.Context(command, parent, name, **command.context_settings)
        if isinstance(command, click.Group):
            yield from _commands(context)
        else:
            yield context


def _summary(context: click.Context) -> str:
    """Return the line of a command in the help of its group."""
    group = context.parent and context.parent.command
    assert isinstance(group, LazyGroup)
    return group.places[context.info_name or ""].summary


def _page(context: click.Context) -> str:
    usage = context.get_usage().removeprefix("Usage: ")
    paragraphs = inspect.cleandoc(context.command.help or "").split("\n\n")
    head = f"# Options of `{context.command_path}`"
    parts = [head, *map(_paragraph, paragraphs), f"```text\n{usage}\n```", _table(context)]
    return "\n\n".join(parts) + "\n"


def _paragraph(text: str) -> str:
    """Return a paragraph of a help text as Markdown; one that is not wrapped stays as it is."""
    if text.startswith("\b\n"):
        return "```text\n" + text.removeprefix("\b\n") + "\n```"
    return " ".join(text.split())


def _table(context: click.Context) -> str:
    # click keeps the help option that a command had in its first context, whatever its names were
    records = [
        record
        for parameter in context.command.params
        if isinstance(parameter, click.Option) and (record := parameter.get_help_record(context))
    ]
    records.append((", ".join(context.help_option_names), "Show this message and exit."))
    rows = [f"| `{_cell(names)}` | {_cell(text)} |" for names, text in records]
    return "\n".join(["| option | meaning |", "| --- | --- |", *rows])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
