"""The errors of counts that a call asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from semiaudit.library.arguments import whole
from semiaudit.model.results.errors import ErrorQuestion, FitNorm, Fitting, FitWay

MOST_RUNS = 10_000
"""The most runs of a mechanism whose errors are computed."""


def error_question(
    by: Iterable[Iterable[str]],
    runs: int | None,
    norm: FitNorm | None = None,
    way: FitWay = "nearest",
) -> ErrorQuestion:
    """Return the errors that are asked for.

    Raises:
        ValueError: there is no such norm or fit, a fit has no norm, or there are too many runs.
    """
    if norm not in (None, *get_args(FitNorm)):
        known = ", ".join(get_args(FitNorm))
        raise ValueError(f"nonnegative_integers: there is no {norm}; known are {known}")
    if way not in get_args(FitWay):
        raise ValueError(f"fit: there is no {way}; known are {', '.join(get_args(FitWay))}")
    if runs is not None and whole(runs, "runs") > MOST_RUNS:
        raise ValueError(f"runs: {runs} is out of range; give at most {MOST_RUNS:,}")
    if norm is None and way != "nearest":
        raise ValueError(f"fit: {way} needs nonnegative_integers, such as 'l2'")
    fitting = None if norm is None else Fitting(norm, totals_first=way == "topdown")
    return ErrorQuestion(tuple(map(tuple, by)), runs, fitting)
