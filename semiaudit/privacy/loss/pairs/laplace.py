"""The pair of Laplace noise of scale 1 and its shift."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.frozen import dataclass
from semiaudit.model.loss import LaplaceLoss
from semiaudit.numeric.intervals import HALF, ONE, TWO, Interval
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.closed_forms.single_pair import LARGEST_LOSS, Ends, probability
from semiaudit.privacy.loss.pairs.pair_kind import Family, PairKind
from semiaudit.privacy.measures.zcdp import rho_of_laplace

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


@dataclass(frozen=True, slots=True)
class SingleLaplace:
    """Closed form of Laplace noise of scale 1, shifted by ``shift``, in decimal intervals.

    The most powerful tests reject beyond a threshold between the two centers; delta and the type
    II error follow from the two tails.
    """

    shift: Fraction

    def delta(self, epsilon: Fraction) -> Ends:
        """Return 1 - exp((epsilon - shift) / 2)."""
        if epsilon >= self.shift:
            return 0.0, 0.0
        return probability(ONE - Interval.of((epsilon - self.shift) / 2).exp())

    def epsilon(self, delta: Fraction) -> Ends:
        """Return shift + 2 ln(1 - delta), at least 0."""
        epsilon = Interval.of(self.shift) + TWO * Interval.of(1 - delta).ln()
        return max(float_down(epsilon.low), 0.0), max(float_up(epsilon.high), 0.0)

    def type_ii(self, type_i: Fraction) -> Interval | None:
        """Return the type II error at x: 1 - e^s x, then e^-s / (4 x), then e^-s (1 - x), tangent
        to each other.
        """
        if not type_i:
            return None
        growth = Interval.of(self.shift).exp()
        x, shrink = Interval.of(type_i), ONE / growth
        if 2 * type_i >= 1:
            return shrink * Interval.of(1 - type_i)
        bend = HALF * shrink
        steep = ONE - growth * x
        flat = HALF * bend / x
        if x.high < bend.low:
            return steep.clip(0, 1)
        if x.low > bend.high:
            return flat
        return Interval(min(steep.low, flat.low), max(steep.high, flat.high)).clip(0, 1)


def laplace(pair: LaplaceLoss) -> PairKind:
    """Define the kind: noise of scale 1, shifted to either side."""
    shift = abs(pair.shift)

    def source(_side: int) -> Source:
        from semiaudit.privacy.loss.pairs.laplace_source import LaplaceSource

        return LaplaceSource(shift)

    return PairKind(
        symmetric=True,
        gaussian_size=shift**2,
        listable=True,
        mu_fitted=True,
        family=Family((LaplaceLoss,), "shared"),
        size=shift,
        rho=lambda: rho_of_laplace(shift),
        simplified=LaplaceLoss(shift) if shift else None,
        moved_further=lambda k: LaplaceLoss(k * pair.shift),
        closed_form=lambda: SingleLaplace(shift) if shift <= LARGEST_LOSS else None,
        source=source,
    )
