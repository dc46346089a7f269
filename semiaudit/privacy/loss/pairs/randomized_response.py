"""The pair of one randomized response, given two true values."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.loss import RandomizedResponseLoss
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy.loss.closed_forms.single_pair import LARGEST_LOSS
from semiaudit.privacy.loss.closed_forms.tested import Test, TestedPair, symmetric_tests
from semiaudit.privacy.loss.pairs.pair_kind import Family, PairKind, unknown_steps
from semiaudit.privacy.measures.zcdp import rho_of_randomized_response

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


def randomized_response(pair: RandomizedResponseLoss) -> PairKind:
    """Define the kind: one of several values, kept with odds e^epsilon to each other value."""
    return PairKind(
        symmetric=True,
        gaussian_size=pair.epsilon**2,
        listable=True,
        mu_fitted=True,
        family=Family((RandomizedResponseLoss, pair.levels), "alone"),
        size=pair.epsilon,
        rho=lambda: rho_of_randomized_response(pair.epsilon, pair.levels),
        simplified=pair if pair.epsilon else None,
        moved_further=unknown_steps,
        closed_form=lambda: _tested(pair.epsilon, pair.levels),
        source=lambda _side: _source(pair.epsilon, pair.levels),
    )


def _tested(epsilon: Fraction, levels: int) -> TestedPair | None:
    """Return the tests: masses 1, a, ..., a over 1 + (levels - 1) a, with a = exp(-epsilon)."""
    if epsilon > LARGEST_LOSS:
        return None
    shrink = Interval.of(-epsilon).exp().clip(0, 1)
    others = Interval.of(levels - 1) * shrink
    total = ONE + others
    rest = (ONE + Interval.of(levels - 2) * shrink) / total
    tests = [Test(ONE / total, shrink / total, others / total)]
    if levels > 2:
        tests.append(Test(rest, others / total, shrink / total))
    return symmetric_tests(tests)


def _source(epsilon: Fraction, levels: int) -> Source:
    """Return the losses epsilon, 0 and -epsilon; without 0 for two levels."""
    import numpy as np

    from semiaudit.privacy.loss.sources.finite_source import FiniteSource, two_sided

    if levels == 2:
        return two_sided(epsilon, Fraction(0))
    size, others = float(epsilon), levels - 1
    log_other = -(size + math.log1p(others * math.exp(-size)))
    return FiniteSource(
        np.array([-size, 0.0, size]),
        np.array([log_other, log_other + math.log(others - 1), log_other + size]),
        (-1, 0, 1),
        lattice_step=epsilon,
        largest=epsilon,
    )
