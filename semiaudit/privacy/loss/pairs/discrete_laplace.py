"""The pair of discrete Laplace noise and its shift by an integer."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import DiscreteLaplaceLoss
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy.loss.closed_forms.single_pair import LARGEST_LOSS
from semiaudit.privacy.loss.closed_forms.tested import (
    MOST_TESTS,
    Test,
    TestedPair,
    symmetric_tests,
)
from semiaudit.privacy.loss.pairs.pair_kind import (
    LARGEST_FITTED_VARIANCE,
    Family,
    PairKind,
    is_listable,
)
from semiaudit.privacy.measures.zcdp import rho_of_discrete_laplace

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


def discrete_laplace(pair: DiscreteLaplaceLoss) -> PairKind:
    """Define the kind: mass proportional to exp(-|k| / scale), shifted to either side."""
    shift, scale = abs(pair.shift), pair.scale

    def source(_side: int) -> Source:
        from semiaudit.privacy.loss.pairs.discrete_laplace_source import DiscreteLaplaceSource

        return DiscreteLaplaceSource(pair)

    return PairKind(
        symmetric=True,
        gaussian_size=(shift / scale) ** 2,
        listable=is_listable(scale**2),
        mu_fitted=scale**2 <= LARGEST_FITTED_VARIANCE,
        family=Family((DiscreteLaplaceLoss, scale), "shared"),
        size=Fraction(shift),
        rho=lambda: rho_of_discrete_laplace(shift, 1 / scale),
        simplified=DiscreteLaplaceLoss(shift, scale) if shift else None,
        moved_further=lambda k: DiscreteLaplaceLoss(k * pair.shift, scale),
        closed_form=lambda: _tested(shift, scale),
        source=source,
    )


def _tested(shift: int, scale: Fraction) -> TestedPair | None:
    """Return the pair by its tests, if there are few of them.

    Rejecting up to x = 0, ..., shift - 1 misses a^(x + 1) / (1 + a), with a = exp(-1 / scale). A
    false rejection has probability a^(shift - x) / (1 + a), which is the same at the mirrored x.
    """
    if shift > MOST_TESTS or shift / scale > LARGEST_LOSS:
        return None
    shrink = Interval.of(-1 / scale).exp().clip(0, 1)
    tails = [shrink / (ONE + shrink)]
    for _ in range(shift - 1):
        tails.append(tails[-1] * shrink)
    return symmetric_tests(
        [Test(ONE - tails[x], tails[shift - 1 - x], tails[x]) for x in range(shift)]
    )
