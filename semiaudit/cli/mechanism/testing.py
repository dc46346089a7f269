"""`semiaudit mechanism test`: hypothesis tests on counts with noise."""

from __future__ import annotations

import click

from semiaudit.cli.lazy_group import MECHANISMS, LazyGroup, Place

COMMANDS: dict[str, Place] = {
    "odds-ratio": Place("semiaudit.cli.mechanism.odds_ratio", "odds_ratio", MECHANISMS),
}
"""Every test by its name, in the order of the help."""


class Test(LazyGroup):
    """The commands of ``semiaudit mechanism test``."""

    places = COMMANDS


@click.group(cls=Test, short_help="Test hypotheses on counts with noise.")
def test() -> None:
    """Test hypotheses on counts with noise, beside counts that are published exactly."""
