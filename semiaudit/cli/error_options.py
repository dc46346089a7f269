"""Options about the errors of counts, which several commands take."""

from __future__ import annotations

from typing import get_args

import click

from semiaudit.cli.options import Decorator, Texts, together
from semiaudit.model.results.errors import FitNorm, Fitting, FitWay


def error_options() -> Decorator:
    """``--by A,B``, as ``by``, and ``--runs N``: the errors of counts that a command prints."""

    def margins(ctx: click.Context, param: click.Parameter, texts: Texts) -> tuple[Texts, ...]:
        named = [tuple(name.strip() for name in text.split(",")) for text in texts]
        for text, names in zip(texts, named, strict=True):
            if "" in names or len({*names}) < len(names):
                what = f"{text!r}: name each attribute once, such as --by region,age"
                raise click.BadParameter(what, ctx, param)
        return tuple(named)

    return together(
        (
            click.option(
                "--by",
                multiple=True,
                metavar="A,B",
                callback=margins,
                help="Also print the errors of the margin of these attributes; repeatable.",
            ),
            click.option(
                "--runs",
                type=click.IntRange(min=1, max=10_000),
                help="Number of runs of the mechanism for errors whose law is not known. Default: "
                "up to 1,000, and 20 for tables that are fitted or swapped.",
            ),
        )
    )


def fit_options(what: str) -> Decorator:
    """``--nonnegative-integers`` and ``--fit``, as ``norm`` and ``way``; see ``fitting_of``."""
    return together(
        (
            click.option(
                "--nonnegative-integers",
                "norm",
                type=click.Choice(get_args(FitNorm)),
                help=f"{what}, in this norm, of nonnegative whole numbers that keeps the "
                "invariants.",
            ),
            click.option(
                "--fit",
                "way",
                type=click.Choice(get_args(FitWay)),
                default="nearest",
                show_default=True,
                help="With --nonnegative-integers: fit the nearest table, or totals first "
                "(topdown): the total, the margins of the first attributes, then the cells.",
            ),
        )
    )


def fitting_of(norm: FitNorm | None, way: FitWay) -> Fitting | None:
    """Return how noisy tables are fitted; None if they are not.

    Raises:
        click.UsageError: ``--fit`` without ``--nonnegative-integers``.
    """
    if norm is None and way == "topdown":
        raise click.UsageError("--fit needs --nonnegative-integers l1 or l2")
    return None if norm is None else Fitting(norm, totals_first=way == "topdown")
