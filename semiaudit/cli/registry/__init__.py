"""`semiaudit registry`: entries of the OpenDP deployments registry."""

from __future__ import annotations

import click

from semiaudit.cli.lazy_group import PUBLISH, LazyGroup, Place

COMMANDS: dict[str, Place] = {
    "export": Place("semiaudit.cli.registry.export", "export", PUBLISH),
    "review": Place("semiaudit.cli.registry.review", "review", PUBLISH),
}
"""Every command by its name, in the order of the help."""


class Registry(LazyGroup):
    """The commands of ``semiaudit registry``."""

    places = COMMANDS


@click.group(cls=Registry, short_help="Write and review entries of the OpenDP registry.")
def registry() -> None:
    """Write an entry of the OpenDP deployments registry from a spec, or review one."""
