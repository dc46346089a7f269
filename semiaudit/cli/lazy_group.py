"""Groups of commands, each of which is loaded when it is asked for, listed in sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click

AUDIT, MECHANISMS, PUBLISH, HELP = "Audit", "Mechanisms", "Publish", "Help"
"""The sections of the help, in their order."""


@dataclass(frozen=True, slots=True)
class CommandLocation:
    """The location of a command.

    Attributes:
        module, name: of the command. section: of the help.
    """

    module: str
    name: str
    section: str

    def __call__(self) -> click.Command:
        """The command itself."""
        command: click.Command = getattr(import_module(self.module), self.name)
        return command


class LazyGroup(click.Group):
    """Commands that are names until they are asked for.

    Attributes:
        places: every command by its name, in the order of the help.
    """

    def __init__(self, *, places: Mapping[str, CommandLocation], **attributes: Any) -> None:
        self.places = places
        names = {name: click.Command(name) for name in places}
        super().__init__(commands=names, **attributes)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name; None if there is none."""
        return self.places[cmd_name]() if cmd_name in self.places else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their short help, a list for each section."""
        widest = max(map(len, self.places), default=0)
        limit = formatter.width - 6 - widest
        for section in dict.fromkeys(place.section for place in self.places.values()):
            with formatter.section(section):
                formatter.write_dl(
                    [
                        (name, place().get_short_help_str(limit))
                        for name, place in self.places.items()
                        if place.section == section
                    ]
                )
