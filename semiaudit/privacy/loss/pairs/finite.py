"""Two distributions on finitely many outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import FiniteLoss
from semiaudit.numeric import Interval
from semiaudit.privacy.loss.closed_forms.tested import MOST_TESTS, Test, TestedPair
from semiaudit.privacy.loss.pairs.kind import Family, Kind

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.source import Source


@dataclass(frozen=True, slots=True)
class Finite(Kind):
    """Exact probabilities; the two directions differ."""

    pair: FiniteLoss

    symmetric = False
    listable = True
    mu_fitted = True

    @property
    def gaussian_size(self) -> Fraction:
        """1: some loss of its own."""
        return Fraction(1)

    @property
    def family(self) -> tuple[Family, Fraction]:
        """The pair alone."""
        return Family((self.pair,), "alone"), Fraction(1)

    def simplified(self) -> FiniteLoss | None:
        """The pair."""
        return self.pair if self.pair.first != self.pair.second else None

    def moved_further(self, k: int) -> None:
        """Of several steps no pair of this kind is known."""

    def closed_form(self) -> TestedPair | None:
        """By its tests, if these are few: outcomes by falling ratio p/q, those with q = 0 first."""
        if len(self.pair.first) > MOST_TESTS:
            return None
        ratios: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
        for p, q in zip(self.pair.first, self.pair.second, strict=True):
            if p or q:
                ratio = p / q if q else None
                sums = ratios.get(ratio, (Fraction(0), Fraction(0)))
                ratios[ratio] = (sums[0] + p, sums[1] + q)
        falling = sorted(ratios, key=lambda ratio: (ratio is not None, -(ratio or Fraction(0))))
        tests = []
        p_sum = q_sum = Fraction(0)
        for ratio in falling[:-1]:
            p_sum, q_sum = p_sum + ratios[ratio][0], q_sum + ratios[ratio][1]
            tests.append(Test(Interval.of(p_sum), Interval.of(q_sum), Interval.of(1 - p_sum)))
        told = ratios.get(None, (Fraction(0), Fraction(0)))[0]
        hidden = ratios.get(Fraction(0), (Fraction(0), Fraction(0)))[1]
        return TestedPair(tuple(tests), (told, hidden), False)

    def source(self, *, swapped: bool) -> Source | None:
        """The losses ln(p/q); None where the two distributions have no outcome in common."""
        from semiaudit.privacy.loss.sources.finite import source_of_outcomes

        first, second = self.pair.first, self.pair.second
        return source_of_outcomes(second, first) if swapped else source_of_outcomes(first, second)
