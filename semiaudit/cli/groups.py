"""The groups of commands below `semiaudit`: which commands they have, and where these are."""

from __future__ import annotations

import click

from semiaudit.cli import MECHANISMS, PUBLISH, CommandLocation, LazyGroup

MECHANISM = {
    "calibrate": CommandLocation("semiaudit.commands.calibrate.command", "calibrate", MECHANISMS),
    "sample": CommandLocation("semiaudit.commands.sample.command", "sample", MECHANISMS),
    "describe": CommandLocation("semiaudit.commands.describe.command", "describe", MECHANISMS),
    "test": CommandLocation("semiaudit.cli.groups", "test", MECHANISMS),
}
TESTS = {
    "odds-ratio": CommandLocation(
        "semiaudit.commands.odds_ratio.command", "odds_ratio", MECHANISMS
    ),
}
REGISTRY = {
    "export": CommandLocation("semiaudit.commands.registry.export_command", "export", PUBLISH),
    "review": CommandLocation("semiaudit.commands.registry.review_command", "review", PUBLISH),
}
"""Every command by its name, in the order of the help."""


@click.group(
    cls=LazyGroup, places=MECHANISM, short_help="Design noise, sample from it, test with it."
)
def mechanism() -> None:
    """Design noise that keeps the invariants, sample from it, and test hypotheses with it."""


@click.group(cls=LazyGroup, places=TESTS, short_help="Test hypotheses on noisy counts.")
def test() -> None:
    """Test hypotheses on noisy counts if other counts are published exactly."""


@click.group(
    cls=LazyGroup,
    places=REGISTRY,
    short_help="Write and review entries of the OpenDP registry.",
)
def registry() -> None:
    """Write an entry of the OpenDP deployments registry from a spec, or review one."""
