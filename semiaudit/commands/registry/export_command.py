"""`semiaudit registry export`: a spec as an entry of the OpenDP deployments registry."""

from __future__ import annotations

from typing import Any

import click

from semiaudit.cli.interrupts import hard_limits
from semiaudit.cli.options import (
    STANDARD_INPUT,
    access_of,
    access_options,
    hard_limit_options,
    spec_of_standard_input,
    time_limit_option,
    tolerance_option,
)
from semiaudit.cli.output import parse_outputs, write_stdout
from semiaudit.cli.output_files import write_text
from semiaudit.cli.status_line import watching
from semiaudit.commands.registry.export import export as exported

_FORM = "yaml"


@click.command()
@click.argument("spec", type=click.Path())
@click.option(
    "--facts",
    type=click.Path(),
    metavar="FILE",
    help="Facts that the spec does not contain, with the keys of an entry. Without it, the entry "
    "has placeholders.",
)
@click.option(
    "-o",
    "--output",
    "output",
    metavar="FILE",
    help="Write the entry to FILE instead of standard output.",
)
@time_limit_option("Time limit for the audit.")
@hard_limit_options(
    "Stop after this time with exit code 2, in every case. Default: no limit.",
    "Maximum address space of the process. Default: no limit.",
)
@tolerance_option()
@access_options()
def export(
    spec: str,
    facts: str | None,
    output: str | None,
    time_limit: float,
    kill_after: float | None,
    memory_limit: int | None,
    tolerance: float,
    **given: Any,
) -> int:
    """Audit SPEC, and print it as an entry of the OpenDP deployments registry, in YAML.

    The invariants become the unprotected quantities, the adjacency becomes the details of the
    privacy unit, and the effective guarantee becomes the privacy parameters. Use - to read the spec
    from standard input.

    Exit code 2: the spec cannot be audited, or has no effective guarantee.
    """
    inputs = [spec] if facts is None else [spec, facts]
    outputs = [] if output is None else [f"{_FORM}={output}"]
    files = parse_outputs(outputs, *inputs, formats=(_FORM,))
    access = access_of(given)
    with watching("starting"), hard_limits(kill_after, memory_limit):
        standard_input = spec_of_standard_input(files) if spec == STANDARD_INPUT else None
        text = exported(spec, facts, time_limit, tolerance, access, standard_input)
    if output is None:
        write_stdout(text)
    else:
        write_text(output, text)
    return 0
