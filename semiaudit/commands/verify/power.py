"""The planned tests of a claim, with their shares of alpha and their power."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.special import expit, ndtr

from semiaudit.commands.verify.model import FACTORS, ClaimTestKind, PairClaim
from semiaudit.frozen import dataclass
from semiaudit.privacy.empirical.counts import Counts, epsilon_bound, mu_bound, rho_bound
from semiaudit.privacy.empirical.e_process import log_wealth_of_counts

QUANTILE = 1.2816
"""Of the normal distribution, at 90%."""

MOST = 1 << 20
"""More runs than this are not counted."""

GRID = tuple(1.1**k for k in range(1, 30))


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """One test before its runs: of one number, or by an e-process of a curve (``points``)."""

    kind: ClaimTestKind
    order: str
    claim: float | None
    alpha: float
    delta: float = 0.0
    coins: bool = True
    points: tuple[tuple[float, float], ...] = ()

    def bound(self, counts: Counts) -> float:
        """Return the lower confidence bound at this test's share of alpha."""
        match self.kind:
            case "mu":
                return mu_bound(counts, self.alpha)
            case "rho":
                return rho_bound(counts, self.alpha)
        return epsilon_bound(counts, self.delta, self.alpha)

    def detects(self, factor: float, runs: int) -> bool:
        """Return whether a pipeline whose loss is the claim times a factor is refuted, 9 in 10.

        The pipeline is randomized response, or Gaussian noise for mu and rho, with its best event.
        """
        if self.points:
            most = math.log(len(self.points) / self.alpha)
            counts = [self._at(*_response(e * factor, d), runs) for e, d in self.points]
            pairs = zip(counts, self.points, strict=True)
            return any(log_wealth_of_counts(c, *point) >= most for c, point in pairs)
        claim = self.claim or 0.0
        match self.kind:
            case "mu":
                rates = [_gaussian(claim * factor, 0)]
            case "rho":
                mu = math.sqrt(2 * claim * factor)
                rates = [_gaussian(mu, t / 4) for t in range(-6, 13)]
            case _:
                rates = [_response(claim * factor, self.delta)]
        return any(self.bound(self._at(*rate, runs)) > claim for rate in rates)

    def detectable(self, runs: int) -> float | None:
        """Return the smallest factor of a grid that so many runs detect."""
        return next((factor for factor in GRID if self.detects(factor, runs)), None)

    def needed(self) -> tuple[int | None, ...]:
        """Return how many judged runs detect each of ``FACTORS``; None for more than ``MOST``."""
        return tuple(map(self._needed, FACTORS))

    def _needed(self, factor: float) -> int | None:
        high = 32
        while not self.detects(factor, high):
            high *= 2
            if high > MOST:
                return None
        low = high // 2
        while high - low > max(1, high // 50):
            middle = (low + high) // 2
            low, high = (low, middle) if self.detects(factor, middle) else (middle, high)
        return high

    def _at(self, p: float, q: float, runs: int) -> Counts:
        half = runs // 2
        hits = math.floor(half * p - QUANTILE * math.sqrt(half * p * (1 - p)))
        others = math.ceil(half * q + QUANTILE * math.sqrt(half * q * (1 - q)))
        return Counts((max(hits, 0), min(others, half)), (half, half), self.coins)


def planned_tests(claim: PairClaim, alpha: float, *, coins: bool) -> tuple[PlannedTest, ...]:
    """Return the tests of a claim: alpha is split over them, both orders, and the exact test."""
    tests = [] if claim.mu is None else [PlannedTest("mu", "both", claim.mu, 0, coins=coins)]
    for order in ("X, Y", "Y, X"):
        for epsilon, delta in claim.points:
            tests.append(PlannedTest("epsilon", order, epsilon, 0, delta, coins))
        if claim.rho is not None:
            tests.append(PlannedTest("rho", order, claim.rho, 0, coins=coins))
        if coins and claim.points:
            tests.append(PlannedTest("e_process", order, None, 0, points=claim.points))
    share = alpha / (len(tests) + 1)
    return tuple(
        PlannedTest(t.kind, t.order, t.claim, share, t.delta, coins, t.points) for t in tests
    )


def fewest(tests: Sequence[PlannedTest]) -> tuple[int | None, ...]:
    """Return, for each of ``FACTORS``, the fewest judged runs with which some test detects it."""
    needed = [test.needed() for test in tests if test.order != "Y, X"]
    return tuple(
        min((n for n in column if n is not None), default=None)
        for column in zip(*needed, strict=True)
    )


def _gaussian(mu: float, threshold: float) -> tuple[float, float]:
    return float(ndtr(mu / 2 - threshold)), float(ndtr(-mu / 2 - threshold))


def _response(epsilon: float, delta: float) -> tuple[float, float]:
    return delta + (1 - delta) * float(expit(epsilon)), (1 - delta) * float(expit(-epsilon))
