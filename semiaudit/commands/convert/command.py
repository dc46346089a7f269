"""`semiaudit convert`: what a mechanism guarantees, in every measure."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, get_args

import click

from semiaudit.cli.options import (
    ReadNumbers,
    Texts,
    format_option,
    numbers,
    output_option,
    time_limit_option,
    tolerance_option,
)
from semiaudit.cli.output import Rendering, parse_outputs, put, rendered
from semiaudit.commands.convert import RENDERERS
from semiaudit.commands.convert.model import TARGETS, ConversionQuestion, Target
from semiaudit.model.adjacency import Metric, Neighbors

DELTAS = ("1e-6", "1e-10")
RATES = ("0.01", "0.05")
PRIORS = ("0.1", "0.5")
FORMATS = tuple(RENDERERS)

_share = numbers("a number above 0 and below 1", lambda value: 0 < value < 1)
_share_as_given = numbers(
    "a number above 0 and below 1", lambda value: 0 < value < 1, as_given=True
)
_least_zero = numbers("at least 0", lambda value: value >= 0)


def _repeatable(
    flag: str, name: str, read: ReadNumbers, help_: str, default: Texts = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        flag,
        name,
        metavar="NUMBER",
        callback=read,
        multiple=True,
        default=default,
        show_default=bool(default),
        help=f"{help_}; repeatable.",
    )


@click.command()
@click.argument("mechanism")
@click.option(
    "--distance",
    type=click.IntRange(1, 10**9),
    default=1,
    show_default=True,
    help="Largest distance between the two datasets.",
)
@click.option(
    "--metric",
    type=click.Choice(get_args(Metric)),
    default="hamming",
    show_default=True,
    help="Metric of the distance. Subsampling and randomized reports depend on it.",
)
@click.option(
    "--neighbors",
    type=click.Choice(get_args(Neighbors)),
    help="Neighboring datasets for which the given numbers hold: replace-one, add/remove, or "
    "zero-out. Default: those at distance 1 of the metric.",
)
@_repeatable("--delta", "deltas", _share, "Show ε at this δ", DELTAS)
@_repeatable("--epsilon", "epsilons", _least_zero, "Show δ at this ε")
@_repeatable("--alpha", "alphas", _share, "Show the tradeoff function at this type I error", RATES)
@_repeatable(
    "--prior",
    "priors",
    _share_as_given,
    "Probability that a guess of an attribute is correct without the release",
    PRIORS,
)
@click.option("--to", "target", type=click.Choice(TARGETS), help="Show only this measure.")
@tolerance_option()
@time_limit_option(
    "Total time limit. Computations that are cut short give looser bounds or no result."
)
@format_option(FORMATS)
@output_option()
def convert(
    mechanism: str,
    distance: int,
    metric: Any,
    neighbors: Any,
    deltas: tuple[Fraction, ...],
    epsilons: tuple[Fraction, ...],
    alphas: tuple[Fraction, ...],
    priors: tuple[Fraction, ...],
    target: Target | None,
    tolerance: float,
    time_limit: float,
    form: str,
    outputs: tuple[str, ...],
) -> int:
    """Show the guarantee of MECHANISM in every privacy measure, if nothing is published exactly.

    MECHANISM is the content of a spec's `mechanism` section, in quotes, such as
    'gaussian: {sigma: 2}, repeat: 10'. Without `shifts`, one record changes one coordinate by 1.
    """
    files = parse_outputs(outputs, formats=FORMATS)
    question = ConversionQuestion(
        mechanism,
        distance,
        metric,
        deltas,
        epsilons,
        alphas,
        priors,
        target,
        neighbors,
    )
    from semiaudit.commands.convert.run import convert as converted

    conversion = converted(question, time_limit, tolerance)
    put(*rendered(Rendering(RENDERERS, conversion), form, files))
    return 0
