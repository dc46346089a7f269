"""`semiaudit mechanism test`: hypothesis tests on counts with noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from semiaudit.cli.lazy_group import MECHANISMS, LazyGroup, Place


class Test(LazyGroup):
    """The commands of ``semiaudit mechanism test``."""

    places: ClassVar[Mapping[str, Place]] = {
        "odds-ratio": Place("semiaudit.cli.mechanism.odds_ratio", "odds_ratio", MECHANISMS),
    }


@click.group(cls=Test, short_help="Test hypotheses on counts with noise.")
def test() -> None:
    """Test hypotheses on counts with noise, beside counts that are published exactly."""
