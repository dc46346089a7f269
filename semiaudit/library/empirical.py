"""Empirical lower bounds on a privacy loss, from counts alone."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.frozen import dataclass
from semiaudit.library.arguments import Number, share, share_inside, whole


@dataclass(frozen=True, slots=True)
class EmpiricalBounds:
    """Lower confidence bounds on the privacy loss of the pair X, Y, each at ``confidence``.

    A bound above a claim refutes the claim. A bound below it proves nothing.

    Attributes:
        epsilon: of epsilon at ``delta``, for the order X, Y.
        mu: of GDP, for both orders.
        rho: of zCDP, for the order X, Y.
        delta, confidence: as given.
    """

    epsilon: float
    mu: float
    rho: float
    delta: float
    confidence: float


def empirical_epsilon(
    hits: Sequence[int],
    runs: Sequence[int],
    *,
    delta: Number = 0,
    confidence: Number = 0.95,
    coins: bool = True,
) -> EmpiricalBounds:
    """Return lower confidence bounds on a privacy loss, from how often one event happened.

    The runs must be independent, and the event must be fixed before them. Exchange X and Y for the
    other order.

    Args:
        hits: the numbers of runs on X and on Y in which the event happened.
        runs: the numbers of all runs on X and on Y.
        delta: the delta of epsilon.
        confidence: of each bound.
        coins: an independent fair coin chose the dataset of each run. Otherwise, the numbers of
            runs were fixed beforehand; bounds are then wider.

    Raises:
        ValueError: an argument is out of range.
    """
    from semiaudit.privacy.empirical.counts import Counts, epsilon_bound, mu_bound, rho_bound

    if len(hits) != 2 or len(runs) != 2:
        raise ValueError("hits, runs: give two numbers each, of X and of Y")
    on_x, on_y = (whole(number, "hits", 0) for number in hits)
    all_x, all_y = (whole(number, "runs") for number in runs)
    if on_x > all_x or on_y > all_y:
        raise ValueError("hits: more than runs; give the runs in which the event happened")
    at = float(share(delta, "delta", below_one=True))
    alpha = float(1 - share_inside(confidence, "confidence"))
    counts = Counts((on_x, on_y), (all_x, all_y), coins)
    return EmpiricalBounds(
        epsilon_bound(counts, at, alpha),
        mu_bound(counts, alpha),
        rho_bound(counts, alpha),
        at,
        1 - alpha,
    )
