"""The pair of two distributions on finitely many outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from semiaudit.model.loss import FiniteLoss
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.loss.closed_forms.tested import MOST_TESTS, Test, TestedPair
from semiaudit.privacy.loss.pairs.pair_kind import Family, PairKind, unknown_steps

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


def finite(pair: FiniteLoss) -> PairKind:
    """Define the kind: exact probabilities; the two directions usually differ."""
    return PairKind(
        symmetric=_masses(pair.first, pair.second) == _masses(pair.second, pair.first),
        gaussian_size=Fraction(1),
        listable=True,
        mu_fitted=True,
        family=Family((pair,), "alone"),
        size=Fraction(1),
        rho=lambda: None,
        simplified=pair if pair.first != pair.second else None,
        moved_further=unknown_steps,
        closed_form=lambda: _tested(pair.first, pair.second),
        source=lambda side: _source(pair, swapped=side > 0),
    )


def _masses(
    first: Sequence[Fraction], second: Sequence[Fraction]
) -> dict[Fraction | None, Fraction]:
    """Return the mass under the first law of each ratio p/q; None is the ratio for q = 0."""
    masses: dict[Fraction | None, Fraction] = {}
    for p, q in zip(first, second, strict=True):
        if p:
            ratio = p / q if q else None
            masses[ratio] = masses.get(ratio, Fraction(0)) + p
    return masses


@lru_cache(maxsize=256)
def _tested(first: tuple[Fraction, ...], second: tuple[Fraction, ...]) -> TestedPair | None:
    """Return the pair by its tests, if there are few.

    The outcomes are sorted by decreasing p/q, those with q = 0 first.
    """
    if len(first) > MOST_TESTS:
        return None
    ratios: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
    for p, q in zip(first, second, strict=True):
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
    revealed = ratios.get(None, (Fraction(0), Fraction(0)))[0]
    hidden = ratios.get(Fraction(0), (Fraction(0), Fraction(0)))[1]
    return TestedPair(tuple(tests), (revealed, hidden), False)


def _source(pair: FiniteLoss, *, swapped: bool) -> Source | None:
    """Return the losses ln(p/q); None if the two distributions have no outcome in common."""
    from semiaudit.privacy.loss.sources.finite_source import source_of_outcomes

    laws = (pair.second, pair.first) if swapped else (pair.first, pair.second)
    return source_of_outcomes(*laws)
