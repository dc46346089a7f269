"""`semiaudit registry review`: what an entry lacks for its claim to mean something."""

from __future__ import annotations

from typing import get_args

import click

from semiaudit.cli.options import (
    STANDARD_INPUT,
    format_option,
    output_option,
    spec_of_standard_input,
)
from semiaudit.cli.output import Rendering, parse_outputs, put, rendered
from semiaudit.commands.registry import RENDERERS
from semiaudit.commands.registry.review import failing, review_file
from semiaudit.model.policy import FailOn

FORMATS = tuple(RENDERERS)


@click.command()
@click.argument("entry", type=click.Path())
@format_option(FORMATS)
@output_option()
@click.option(
    "--fail-on",
    type=click.Choice(get_args(FailOn)),
    default="error",
    show_default=True,
    help="Lowest level of a finding that fails.",
)
def review(entry: str, form: str, outputs: tuple[str, ...], fail_on: FailOn) -> int:
    """Review ENTRY, a file of the OpenDP deployments registry: list what it must add so that its
    claim is meaningful, with line and column. Use - to read it from standard input.

    Exit code 1: a finding fails. Exit code 2: the entry does not fit the schema of the registry.
    """
    files = parse_outputs(outputs, entry, formats=FORMATS)

    standard_input = spec_of_standard_input(files) if entry == STANDARD_INPUT else None
    reviewed = review_file(entry, standard_input)
    put(*rendered(Rendering(RENDERERS, reviewed), form, files))
    return 1 if failing(reviewed, fail_on) else 0
