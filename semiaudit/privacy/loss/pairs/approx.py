"""The pair of an (epsilon, delta) guarantee."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import ApproxLoss
from semiaudit.numeric import ONE, ZERO, Interval
from semiaudit.privacy.loss.closed_forms.single_pair import LARGEST_LOSS
from semiaudit.privacy.loss.closed_forms.tested import Test, TestedPair, symmetric_tests
from semiaudit.privacy.loss.pairs.kind import Family, Kind

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.source import Source


@dataclass(frozen=True, slots=True)
class Approx(Kind):
    """Disclosed with probability delta, else randomized response between two values."""

    pair: ApproxLoss

    symmetric = True
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

    def simplified(self) -> ApproxLoss | None:
        """The pair."""
        return self.pair if self.pair.epsilon or self.pair.delta else None

    def moved_further(self, k: int) -> None:
        """Of several steps no pair of this kind is known."""

    def closed_form(self) -> TestedPair | None:
        """By its tests, up to the largest loss."""
        epsilon, delta = self.pair.epsilon, self.pair.delta
        if epsilon > LARGEST_LOSS or delta == 1:
            return None
        told, kept = Interval.of(delta), Interval.of(1 - delta)
        shrink = Interval.of(-epsilon).exp().clip(0, 1)
        low = kept * shrink / (ONE + shrink)
        tests = [
            Test(told, ZERO, kept),
            Test(told + kept / (ONE + shrink), low, low),
            Test(ONE, kept, ZERO),
        ]
        return symmetric_tests(tests, delta)

    def source(self, *, swapped: bool) -> Source | None:
        """Infinite with probability delta, else epsilon or -epsilon; in both directions alike."""
        from semiaudit.privacy.loss.sources.finite import two_sided

        return None if self.pair.delta == 1 else two_sided(self.pair.epsilon, self.pair.delta)
