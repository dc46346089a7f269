"""Blackwell's order: which of two experiments is more informative, and the kernel that proves it.

An experiment is a pair (P, Q). It is at least as informative as (P', Q') if some
post-processing turns it into that pair; then, and only then, T(P, Q) <= T(P', Q') everywhere
(Blackwell 1950; Su's review, Theorem 4). For finite pairs of rationals the order is decided
exactly, on the vertices, and the kernel is built from the two polygons in rationals; every
equation of it is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.loss import FiniteLoss
from semiaudit.model.measure import PiecewiseLinear
from semiaudit.privacy.ordering.kernel import Kernel, cut_to
from semiaudit.privacy.tradeoff.function import TradeoffFunction, type_ii_at
from semiaudit.privacy.tradeoff.polygon import type_ii_at as polygon_at
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods

Relation = Literal["equal", "first", "second", "incomparable", "undecided"]
"""The more informative, that is, less private of the two: its tradeoff function is lower."""


@dataclass(frozen=True, slots=True)
class BlackwellComparison:
    """The result of comparing two experiments.

    Attributes:
        more_informative: the relation; ``undecided`` only if a function is not a finite pair.
        first_is_lower_at: a type I error at which the first function is strictly the lower one.
        second_is_lower_at: a type I error at which the second function is strictly the lower one.
    """

    more_informative: Relation
    first_is_lower_at: Fraction | None
    second_is_lower_at: Fraction | None


def compare_experiments(first: FiniteLoss, second: FiniteLoss) -> BlackwellComparison:
    """Decide the order of two finite pairs, in rationals.

    If two polygons are ordered at the vertices of both, they are ordered everywhere.
    """
    return compare_polygons(
        tradeoff_from_likelihoods(first).below, tradeoff_from_likelihoods(second).below
    )


def compare_polygons(first: PiecewiseLinear, second: PiecewiseLinear) -> BlackwellComparison:
    """Decide the order of two tradeoff functions that are exactly these polygons."""
    lower_first = _lower_at(first, second)
    lower_second = _lower_at(second, first)
    return BlackwellComparison(_relation(lower_first, lower_second), lower_first, lower_second)


def compare_functions(
    first: TradeoffFunction, second: TradeoffFunction, type_i: Sequence[Fraction]
) -> BlackwellComparison:
    """Compare two tradeoff functions by certified values at some type I errors.

    Returns:
        ``incomparable`` with the two places that prove it, or ``undecided`` with the places found.
        Finitely many values can prove that one function is lower somewhere, never everywhere
        (``ordering.implies`` can, for measures).
    """
    lower: list[Fraction | None] = [None, None]
    for a in type_i:
        f, g = type_ii_at(first, a), type_ii_at(second, a)
        if f.high < g.low:
            lower[0] = a
        elif g.high < f.low:
            lower[1] = a
        if None not in lower:
            break
    proven = None not in lower
    return BlackwellComparison("incomparable" if proven else "undecided", lower[0], lower[1])


def kernel_between(informative: FiniteLoss, processed: FiniteLoss) -> Kernel | None:
    """Return a kernel K with P K = P' and Q K = Q', verified in rationals.

    Args:
        informative: (P, Q), m outcomes. processed: (P', Q'), n outcomes.

    Returns:
        m rows of n probabilities; None if the order does not hold, so that no kernel exists.

    Raises:
        ArithmeticError: the matrix that was built is not a kernel, which no input is known to
            cause.
    """
    if compare_experiments(informative, processed).more_informative not in ("equal", "first"):
        return None
    kernel = cut_to(informative, processed)
    if not verifies(kernel, informative, processed):
        raise ArithmeticError("a kernel between two ordered experiments does not verify")
    return kernel


def verifies(kernel: Kernel, informative: FiniteLoss, processed: FiniteLoss) -> bool:
    """Return whether a matrix is a kernel that turns one pair into the other, exactly."""
    if len(kernel) != len(informative.first):
        return False
    if any(min(row) < 0 or sum(row) != 1 or len(row) != len(processed.first) for row in kernel):
        return False
    return all(
        sum((p * row[j] for p, row in zip(source, kernel, strict=True)), Fraction(0)) == target[j]
        for source, target in (
            (informative.first, processed.first),
            (informative.second, processed.second),
        )
        for j in range(len(target))
    )


def _lower_at(f: PiecewiseLinear, g: PiecewiseLinear) -> Fraction | None:
    cuts = sorted({x for x, _ in f.vertices} | {x for x, _ in g.vertices})
    return next((x for x in cuts if polygon_at(f, x) < polygon_at(g, x)), None)


def _relation(first_lower: Fraction | None, second_lower: Fraction | None) -> Relation:
    if first_lower is not None:
        return "first" if second_lower is None else "incomparable"
    return "equal" if second_lower is None else "second"
