"""`semiaudit mechanism`: what is done with one mechanism."""

from __future__ import annotations

import click

from semiaudit.cli.lazy_group import MECHANISMS, LazyGroup, Place

COMMANDS: dict[str, Place] = {
    "calibrate": Place("semiaudit.cli.mechanism.calibrate", "calibrate", MECHANISMS),
    "sample": Place("semiaudit.cli.mechanism.sample", "sample", MECHANISMS),
    "test": Place("semiaudit.cli.mechanism.testing", "test", MECHANISMS),
}
"""Every command by its name, in the order of the help."""


class Mechanism(LazyGroup):
    """The commands of ``semiaudit mechanism``."""

    places = COMMANDS


@click.group(cls=Mechanism, short_help="Design noise, draw it, test with it.")
def mechanism() -> None:
    """Design noise that keeps the invariants, draw it, and test with it."""
