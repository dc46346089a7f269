"""The groups of commands below `semiaudit`: which commands they have, and where these are."""

from __future__ import annotations

import click

from semiaudit.cli import GROUPS, MECHANISMS, PUBLISH, CommandLocation, LazyGroup

MECHANISM = {
    "calibrate": CommandLocation(
        MECHANISMS, "Design noise that meets a target, and compare the designs."
    ),
    "sample": CommandLocation(MECHANISMS, "Sample from the noise of a spec, or swap its records."),
    "describe": CommandLocation(
        MECHANISMS, "Describe the noise of a spec, and the changes that it must hide."
    ),
    "test": CommandLocation(MECHANISMS, "Test hypotheses on noisy counts.", GROUPS),
}
TESTS = {"odds-ratio": CommandLocation(MECHANISMS, "Test the odds ratio of a 2x2 table.")}
REGISTRY = {
    "export": CommandLocation(
        PUBLISH, "Write a registry entry for a spec.", "semiaudit.commands.registry.export"
    ),
    "review": CommandLocation(
        PUBLISH,
        "List what a registry entry must add so that its claim is meaningful.",
        "semiaudit.commands.registry.review",
    ),
}
"""Every command by its name, in the order of the help."""


@click.group(cls=LazyGroup, places=MECHANISM)
def mechanism() -> None:
    """Design noise that keeps the invariants, sample from it, and test hypotheses with it."""


@click.group(cls=LazyGroup, places=TESTS)
def test() -> None:
    """Test hypotheses on noisy counts if other counts are published exactly."""


@click.group(cls=LazyGroup, places=REGISTRY)
def registry() -> None:
    """Write an entry of the OpenDP deployments registry from a spec, or review one."""
