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

SHARES = 2.0 ** -(np.arange(16) / 2)[1:]
"""The values of l, as shares of the largest one: a fixed mixture, so nothing is fitted."""

Hits = npt.NDArray[np.bool_]


def log_wealth(on_x: Hits, happened: Hits, epsilon: float, delta: float) -> npt.NDArray[np.float64]:
    """Return ln M after each run, for the claim (epsilon, delta) in the order X, Y.

    Args:
        on_x: for each run, whether its coin chose X.
        happened: for each run, whether the event happened.
    """
    most = 1 / (math.exp(epsilon) + delta / 2)
    bets = SHARES * most
    steps = np.where(
        happened[:, None],
        np.where(
            on_x[:, None],
            np.log1p(bets * (1 - delta / 2)),
            np.log1p(-bets * (math.exp(epsilon) + delta / 2)),
        ),
        np.log1p(-bets * delta / 2),
    )
    return _mean_of_logs(np.cumsum(steps, axis=0))


def joint_log_wealth(
    on_x: Hits, events: Sequence[Hits], points: Sequence[tuple[float, float]]
) -> npt.NDArray[np.float64]:
    """Return ln M of a whole curve: the average of M over its points, each with its own event."""
    logs = [log_wealth(on_x, hits, *point) for hits, point in zip(events, points, strict=True)]
    return _mean_of_logs(np.column_stack(logs))


def _mean_of_logs(logs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(np.logaddexp.reduce(logs, axis=1) - math.log(logs.shape[1]))


def first_crossing(logs: npt.NDArray[np.float64], alpha: float) -> int | None:
    """Return the number of runs after which M is first at least 1/alpha; None if it never is."""
    above = np.flatnonzero(logs >= -math.log(alpha))
    return int(above[0]) + 1 if above.size else None
