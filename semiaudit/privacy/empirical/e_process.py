"""An e-process: the only test of a claim whose result may be looked at after every run.

Run i has a fair coin B for its dataset, and the event E happens or not. Under (eps, delta)-DP,
W = 1{B = X, E} - e^eps 1{B = Y, E} has at most the mean delta/2. So the products of
1 + l (W - delta/2) are supermartingales for each l in [0, 1/(e^eps + delta/2)], and so is their
average; it exceeds 1/alpha at any time with at most the probability alpha (Ville).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from semiaudit.privacy.empirical.counts import Counts

SHARES = 2.0 ** -(np.arange(16) / 2)[1:]
"""The values of l, as shares of the largest one: a fixed mixture, so nothing is fitted."""

Hits = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


def log_wealth(on_x: Hits, happened: Hits, epsilon: float, delta: float) -> Floats:
    """Return ln M after each run, for the claim (epsilon, delta) in the order X, Y.

    Args:
        on_x: for each run, whether its coin chose X.
        happened: for each run, whether the event happened.
    """
    on_hit, on_other, on_miss = _steps(epsilon, delta)
    steps = np.where(happened[:, None], np.where(on_x[:, None], on_hit, on_other), on_miss)
    return _mean_of_logs(np.cumsum(steps, axis=0))


def log_wealth_of_counts(counts: Counts, epsilon: float, delta: float) -> float:
    """Return ln M after all runs: it depends on nothing but the counts."""
    hits, others = counts.hits
    numbers = hits, others, sum(counts.runs) - hits - others
    logs = sum(n * step for n, step in zip(numbers, _steps(epsilon, delta), strict=True))
    return float(_mean_of_logs(np.atleast_2d(logs))[0])


def _steps(epsilon: float, delta: float) -> tuple[Floats, Floats, Floats]:
    """Return ln(1 + l (W - delta/2)) for each l, if the event happens on X, on Y, or not."""
    loss = math.exp(epsilon) + delta / 2
    bets = SHARES / loss
    return (
        np.log1p(bets * (1 - delta / 2)),
        np.log1p(-bets * loss),
        np.log1p(-bets * delta / 2),
    )


def joint_log_wealth(
    on_x: Hits, events: Sequence[Hits], points: Sequence[tuple[float, float]]
) -> Floats:
    """Return ln M of a whole curve: the average of M over its points, each with its own event."""
    logs = [log_wealth(on_x, hits, *point) for hits, point in zip(events, points, strict=True)]
    return _mean_of_logs(np.column_stack(logs))


def _mean_of_logs(logs: Floats) -> Floats:
    return np.asarray(np.logaddexp.reduce(logs, axis=1) - math.log(logs.shape[1]))


def first_crossing(logs: Floats, alpha: float) -> int | None:
    """Return the number of runs after which M is first at least 1/alpha; None if it never is."""
    above = np.flatnonzero(logs >= -math.log(alpha))
    return int(above[0]) + 1 if above.size else None
