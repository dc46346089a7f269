"""`semiaudit mechanism describe`: the noise of a spec and its sensitivity spaces, in numbers."""

from __future__ import annotations

from typing import Any

import click

from semiaudit import deadline
from semiaudit.cli.options import access_of, access_options, time_limit_option
from semiaudit.cli.output import write_stdout
from semiaudit.cli.status_line import watching
from semiaudit.commands.describe.description import description_of
from semiaudit.deadline import OutOfTimeError


@click.command()
@click.argument("spec", type=click.Path())
@time_limit_option("Total time limit. Results that are not computed in time are refused.")
@access_options()
def describe(spec: str, time_limit: float, **given: Any) -> int:
    """Describe the noise of SPEC: its distribution, and the sensitivity space of its query.

    For discrete noise: probabilities and the variance. For K-norm noise: the dimension, the
    normalizing constant, and the density at 0. For every query: the number of vectors by which it
    can change inside D_t, and, if they are few, the vectors; those of a table of two attributes are
    shown as tables.

    Exit code 2: no part of the mechanism is noise on a query.
    """
    access = access_of(given)
    with watching("starting"):
        try:
            with deadline.running(time_limit):
                text = description_of(spec, time_limit, access)
        except OutOfTimeError:
            what = f"{spec}: the time limit was reached before the noise was described"
            raise click.ClickException(f"{what}; raise --time-limit") from None
    write_stdout(text)
    return 0
