"""`semiaudit mechanism`: what is done with one mechanism."""

from __future__ import annotations

import click

from semiaudit.cli.lazy_group import MECHANISMS, LazyGroup, Place

COMMANDS: dict[str, Place] = {
    "calibrate": Place("semiaudit.cli.mechanism.calibrate", "calibrate", MECHANISMS),
}
"""Every command by its name, in the order of the help."""


class Mechanism(LazyGroup):
    """The commands of ``semiaudit mechanism``."""

    places = COMMANDS


@click.group(cls=Mechanism, short_help="Design noise that keeps the invariants.")
def mechanism() -> None:
    """Make use of one mechanism."""
