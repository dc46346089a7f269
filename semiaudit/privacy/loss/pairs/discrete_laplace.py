"""Discrete Laplace noise against itself moved by an integer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import DiscreteLaplaceLoss
from semiaudit.numeric import ONE, Interval
from semiaudit.privacy.loss.closed_forms.single_pair import LARGEST_LOSS
from semiaudit.privacy.loss.closed_forms.tested import (
    MOST_TESTS,
    Test,
    TestedPair,
    symmetric_tests,
)
from semiaudit.privacy.loss.pairs.kind import (
    LARGEST_FITTED_VARIANCE,
    Family,
    Kind,
    is_listable,
)

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.source import Source


@dataclass(frozen=True, slots=True)
class DiscreteLaplace(Kind):
    """Mass proportional to exp(-|k| / scale) that moves by the shift, to either side."""

    pair: DiscreteLaplaceLoss

    symmetric = True

    @property
    def gaussian_size(self) -> Fraction:
        """(shift / scale)^2."""
        return (self.pair.shift / self.pair.scale) ** 2

    @property
    def listable(self) -> bool:
        """By the square of the scale."""
        return is_listable(self.pair.scale**2)

    @property
    def mu_fitted(self) -> bool:
        """Not for wide noise."""
        return self.pair.scale**2 <= LARGEST_FITTED_VARIANCE

    @property
    def family(self) -> tuple[Family, Fraction]:
        """The same noise, by how far it moves."""
        parameters = (DiscreteLaplaceLoss, self.pair.scale)
        return Family(parameters, "shared"), Fraction(abs(self.pair.shift))

    def simplified(self) -> DiscreteLaplaceLoss | None:
        """Moved to the right."""
        moved = DiscreteLaplaceLoss(abs(self.pair.shift), self.pair.scale)
        return moved if self.pair.shift else None

    def moved_further(self, k: int) -> DiscreteLaplaceLoss:
        """k times as far (E15)."""
        return DiscreteLaplaceLoss(k * self.pair.shift, self.pair.scale)

    def closed_form(self) -> TestedPair | None:
        """By its tests, where these are few.

        Rejecting up to x = 0, ..., shift - 1 misses a^(x + 1) / (1 + a), with a = exp(-1 / scale).
        A false rejection has the probability a^(shift - x) / (1 + a): the same at the mirrored x.
        """
        shift, scale = abs(self.pair.shift), self.pair.scale
        if shift > MOST_TESTS or shift / scale > LARGEST_LOSS:
            return None
        shrink = Interval.of(-1 / scale).exp().clip(0, 1)
        tails = [shrink / (ONE + shrink)]
        for _ in range(shift - 1):
            tails.append(tails[-1] * shrink)
        return symmetric_tests(
            [Test(ONE - tails[x], tails[shift - 1 - x], tails[x]) for x in range(shift)]
        )

    def source(self, *, swapped: bool) -> Source:
        """The integers between the two centres, in both directions alike."""
        from semiaudit.privacy.loss.pairs.discrete_laplace_source import DiscreteLaplaceSource

        return DiscreteLaplaceSource(self.pair)
