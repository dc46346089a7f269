"""How wrong a claim must be to be refuted by so many runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.special import expit, ndtr

from semiaudit.commands.verify.model import FACTORS, TestKind
from semiaudit.frozen import dataclass
from semiaudit.privacy.empirical.counts import Counts, epsilon_bound, mu_bound, rho_bound
from semiaudit.privacy.empirical.e_process import log_wealth_of_counts

QUANTILE = 1.2816
"""Of the normal distribution, at 90 %."""

MOST = 1 << 20
"""More runs than this are not counted."""

GRID = tuple(1.1**k for k in range(1, 30))


@dataclass(frozen=True, slots=True)
class Question:
    """One test: its kind, the claimed number, and its share of alpha.

    Attributes:
        points: of an e-process.
    """

    kind: TestKind
    claim: float
    alpha: float
    delta: float = 0.0
    coins: bool = True
    points: tuple[tuple[float, float], ...] = ()

    def detects(self, factor: float, runs: int) -> bool:
        """Return whether a pipeline whose loss is the claim times a factor is refuted, 9 in 10.

        The pipeline is randomized response, or Gaussian noise for mu and rho, and the event is the
        best one.
        """
        match self.kind:
            case "mu":
                rates = [_gaussian(self.claim * factor, 0)]
                return any(mu_bound(self._at(*r, runs), self.alpha) > self.claim for r in rates)
            case "rho":
                mu = math.sqrt(2 * self.claim * factor)
                rates = [_gaussian(mu, t / 4) for t in range(-6, 13)]
                return any(rho_bound(self._at(*r, runs), self.alpha) > self.claim for r in rates)
            case "epsilon":
                counts = self._at(*_response(self.claim * factor, self.delta), runs)
                return epsilon_bound(counts, self.delta, self.alpha) > self.claim
            case "e_process":
                most = math.log(len(self.points) / self.alpha)
                return any(
                    log_wealth_of_counts(
                        self._at(*_response(epsilon * factor, delta), runs), epsilon, delta
                    )
                    >= most
                    for epsilon, delta in self.points
                )
        return False

    def detectable(self, runs: int) -> float | None:
        """Return the smallest factor of a grid that so many runs detect."""
        return next((f for f in GRID if self.detects(f, runs)), None)

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


def fewest(questions: Sequence[Question]) -> tuple[int | None, ...]:
    """Return, for each factor, the fewest judged runs with which some test detects it."""
    needed = [question.needed() for question in questions]
    columns = ([n for row in needed if (n := row[at]) is not None] for at in range(len(FACTORS)))
    return tuple(min(column, default=None) for column in columns)


def _gaussian(mu: float, threshold: float) -> tuple[float, float]:
    return float(ndtr(mu / 2 - threshold)), float(ndtr(-mu / 2 - threshold))


def _response(epsilon: float, delta: float) -> tuple[float, float]:
    p = delta + (1 - delta) * float(expit(epsilon))
    return p, (1 - delta) * float(expit(-epsilon))
