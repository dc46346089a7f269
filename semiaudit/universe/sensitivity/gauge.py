"""Gauge norms: the least factor by which the hull of some vectors must grow to contain a vector.

The gauge of v with respect to K = Hull(V), V symmetric, is the least sum of weights l >= 0 with sum
l_i v_i = v (Cho and Awan, Lemma 29). A linear program finds it in floating point; the weights are
then rounded to fractions and checked. If they give v exactly, their sum is an upper bound. The dual
solution, rounded in the same way, is a lower bound if no vector exceeds 1 under it. The program's
own optimum proves nothing: it can miss v by the solver's tolerance, which a thin K makes
arbitrarily expensive.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.universe.sensitivity.answers import Answers, Coordinate, Records
from semiaudit.universe.sensitivity.one_step import distinct_columns

MAX_PROGRAMS = 150
"""The most linear programs for one sensitivity space, one for each vector; more would take many
seconds."""

MAX_ENTRIES = 200_000
"""The most entries of the dense matrix of one linear program."""

DENOMINATOR = 10_000
"""Weights are rounded to fractions up to this denominator: doubles distinguish such fractions."""


@dataclass(frozen=True, slots=True)
class GaugeBounds:
    """Certified bounds low <= gauge <= high."""

    low: Fraction
    high: Fraction


def gauge(vectors: Sequence[Sequence[int]], target: Sequence[int]) -> GaugeBounds | None:
    """Bound the gauge norm of an integer vector with respect to the hull of V and -V.

    Returns:
        Certified bounds (the lower one is 0 if the dual solution proves nothing); None if the
        vector is not in the span, or if no weights give it exactly.
    """
    if not any(target):
        return GaugeBounds(Fraction(0), Fraction(0))
    if not len(vectors):
        return None
    import numpy as np
    from scipy.optimize import linprog

    matrix = np.array(vectors, dtype=float).T
    signed = np.hstack([matrix, -matrix])
    answer = linprog(
        np.ones(signed.shape[1]),
        A_eq=signed,
        b_eq=np.array(target, dtype=float),
        bounds=(0, None),
        method="highs-ds",
    )
    if answer.status != 0:
        return None
    weights = [_fraction(value) for value in answer.x]
    half = len(vectors)
    net = [weights[at] - weights[at + half] for at in range(half)]
    used = [(k, vectors[at]) for at, k in enumerate(net) if k]
    if any(sum(k * v[c] for k, v in used) != t for c, t in enumerate(target)):
        return None
    high = sum((abs(k) for k in net), Fraction(0))
    low = Fraction(0)
    dual = [_fraction(value) for value in answer.eqlin.marginals]
    products = [sum((y * k for y, k in zip(dual, v, strict=True)), Fraction(0)) for v in vectors]
    # Weak duality, exactly: where |y v_i| <= 1 for all i, y v = sum l_i y v_i <= sum l_i.
    if all(abs(value) <= 1 for value in products):
        low = sum((y * t for y, t in zip(dual, target, strict=True)), Fraction(0))
    return GaugeBounds(max(low, Fraction(0)), high)


def _fraction(value: float) -> Fraction:
    return Fraction(float(value)).limit_denominator(DENOMINATOR)


def largest_gauge(
    answers: Answers,
    records: Records,
    coordinates: Sequence[Coordinate],
    vectors: Sequence[Sequence[int]],
    *,
    pairs: bool,
) -> GaugeBounds | None:
    """Bound the largest gauge norm of some answers' differences with respect to S_DP's hull.

    The hull of all Q(e_i - e_j) is H - H, H being the hull of the columns q_i: v has gauge c if
    v = sum w_i q_i with sum w_i = 0 and |w|_1 = 2 c at the least. Without ``pairs`` it is the
    hull of all q_i and -q_i.

    Args:
        coordinates: the meaning of the entries of the vectors; other coordinates are 0.

    Returns:
        None if there would be too many or too large programs, if one has no solution, or if the
        time limit is reached.
    """
    if len(vectors) > MAX_PROGRAMS:
        return None
    columns = distinct_columns(answers, records)
    if columns is None:
        return None
    places = {coordinate: at for at, coordinate in enumerate(coordinates)}
    for column in columns:
        for coordinate, _ in column:
            places.setdefault(coordinate, len(places))
    width = len(places) + pairs
    if len(columns) * width > MAX_ENTRIES:
        return None
    dense = []
    for column in columns:
        entries = [0] * width
        for coordinate, k in column:
            entries[places[coordinate]] = k
        # The last coordinate is 1 in every column and 0 in every target, so the weights sum to 0.
        # Their positive and negative parts then pair up into differences: the gauge is half of the
        # sum of the absolute weights.
        if pairs:
            entries[-1] = 1
        dense.append(entries)
    low = high = Fraction(0)
    for vector in vectors:
        if not deadline.left():
            deadline.cut()
            return None
        enclosed = gauge(dense, [*vector, *[0] * (width - len(vector))])
        if enclosed is None:
            return None
        # The largest upper bound is above every gauge, and each lower bound is below the largest
        # one. A vector without an upper bound leaves no bound at all.
        low, high = max(low, enclosed.low), max(high, enclosed.high)
    return GaugeBounds(low / 2, high / 2) if pairs else GaugeBounds(low, high)
