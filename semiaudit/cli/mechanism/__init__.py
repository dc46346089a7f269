"""`semiaudit mechanism`: what is done with one mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from semiaudit.cli.lazy_group import MECHANISMS, LazyGroup, Place


class Mechanism(LazyGroup):
    """The commands of ``semiaudit mechanism``."""

    places: ClassVar[Mapping[str, Place]] = {
        "test": Place("semiaudit.cli.mechanism.testing", "test", MECHANISMS),
    }


@click.group(cls=Mechanism, short_help="Test with noise that keeps the invariants.")
def mechanism() -> None:
    """Make use of one mechanism."""
