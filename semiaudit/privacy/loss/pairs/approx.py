"""The pair of an (epsilon, delta) guarantee."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import ApproxLoss
from semiaudit.numeric.intervals import ONE, ZERO, Interval
from semiaudit.privacy.loss.closed_forms.single_pair import LARGEST_LOSS
from semiaudit.privacy.loss.closed_forms.tested import Test, TestedPair, symmetric_tests
from semiaudit.privacy.loss.pairs.pair_kind import Family, PairKind, unknown_steps
from semiaudit.privacy.measures.zcdp import rho_of_pure_dp

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


def approx(pair: ApproxLoss) -> PairKind:
    """Define the kind: disclosure with probability delta, else randomized response."""
    return PairKind(
        symmetric=True,
        gaussian_size=Fraction(1),
        listable=True,
        mu_fitted=True,
        family=Family((pair,), "alone"),
        size=Fraction(1),
        rho=lambda: None if pair.delta else rho_of_pure_dp(pair.epsilon),
        simplified=pair if pair.epsilon or pair.delta else None,
        moved_further=unknown_steps,
        closed_form=lambda: _tested(pair.epsilon, pair.delta),
        source=lambda _side: _source(pair.epsilon, pair.delta),
    )


def _tested(epsilon: Fraction, delta: Fraction) -> TestedPair | None:
    if epsilon > LARGEST_LOSS or delta == 1:
        return None
    revealed, kept = Interval.of(delta), Interval.of(1 - delta)
    shrink = Interval.of(-epsilon).exp().clip(0, 1)
    low = kept * shrink / (ONE + shrink)
    tests = [
        Test(revealed, ZERO, kept),
        Test(revealed + kept / (ONE + shrink), low, low),
        Test(ONE, kept, ZERO),
    ]
    return symmetric_tests(tests, delta)


def _source(epsilon: Fraction, delta: Fraction) -> Source | None:
    """Return the losses: infinite with probability delta, else epsilon or -epsilon."""
    from semiaudit.privacy.loss.sources.finite_source import two_sided

    return None if delta == 1 else two_sided(epsilon, delta)
