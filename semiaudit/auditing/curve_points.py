"""Points of the curves on a page, computed only if a format needs them."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TypeVar

from semiaudit import deadline, progress
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import GuaranteeCurve, GuaranteeRow, HasCurves
from semiaudit.model.measure import Measure
from semiaudit.privacy.evaluate import delta_at, epsilon_at, type_ii_at
from semiaudit.privacy.loss import Accuracy

MOST_SECONDS = 20.0
"""The most processor seconds for all curves of a page: the load of the machine does not matter,
unless the run's time limit comes first."""

TOLERANCE = 1e-3
"""The relative bracket width of a composed loss on a curve. The curve shows the safe bound."""

ACCURACY = Accuracy(TOLERANCE, MOST_SECONDS)

LEAST_DELTA = Fraction(1, 10**12)
"""Curves of epsilon begin here, or at the least requested delta."""

DECADE = (
    *("1", "1.12", "1.25", "1.4", "1.6", "1.8", "2", "2.24", "2.5", "2.8", "3.15", "3.55"),
    *("4", "4.5", "5", "5.6", "6.3", "7.1", "8", "9"),
)
"""Twenty round numbers from 1 to 10, nearly equally far apart on a logarithmic axis (R20 of ISO 3):
a curve has as many points in each power of ten."""

RATES = tuple(
    sorted(
        {
            Fraction(0),
            *(Fraction(digits) / 10**power for power in range(6, 0, -1) for digits in DECADE),
            *(Fraction(n, 100) for n in (*range(1, 100, 2), 100)),
        }
    )
)
"""Type I errors at which a tradeoff function is computed on a curve; most of them are small."""

FEW_RATES = (
    Fraction(0),
    *(Fraction(n, 10**power) for power in (6, 5, 4, 3) for n in (1, 2, 5)),
    *(Fraction(n, 100) for n in (*range(1, 10), *range(10, 100, 2), 99, 100)),
)
"""Type I errors for a curve of few points: most of these are not small."""

TICK = 0.05
"""Seconds between two readings of the processor's time."""

STEEP = 3
"""Between two points whose type II errors differ by more than this factor, points are added."""

DELTAS = tuple(Fraction(digits) / 10**power for power in range(20, 0, -1) for digits in DECADE)
"""Deltas at which epsilon is computed on a curve; smaller requested ones are added."""

Points = tuple[tuple[Fraction, Bound], ...]
Known = tuple[Points, Points, Points, bool]
"""Points of a tradeoff function, of epsilon over delta, and of delta over epsilon, and whether all
were computed."""

CORNER = Fraction(1, 10)
"""At larger deltas, epsilons are evenly spaced."""

SPACED = 48
"""The number of such points."""

Curved = TypeVar("Curved", bound=HasCurves)


def with_curves(curved: Curved, time_limit: float = math.inf, most: int | None = None) -> Curved:
    """Return an audit, comparison, or ablation with its curves; unchanged if it has curves.

    Args:
        time_limit, most: as of ``curves_of``.
    """
    if curved.curves:
        return curved
    return replace(curved, curves=curves_of(curved.drawn_rows, time_limit, most))


def curves_of(
    named: Sequence[tuple[str, GuaranteeRow]], time_limit: float = math.inf, most: int | None = None
) -> tuple[GuaranteeCurve, ...]:
    """Return a curve for each guarantee with known numbers; equal ones are computed once.

    A curve contains the numbers of its row, so it is nowhere looser than a table. A row without
    known measures, such as one of an earlier report, has only these points.

    Args:
        named: guarantees with their names.
        time_limit: the remaining seconds of the run's time limit; points that would be computed
            later, or after ``MOST_SECONDS`` of processor time, are omitted.
        most: the most points of each curve; None for all.
    """
    progress.doing("curves")
    accepted_rows = [(name, row) for name, row in named if not row.guarantee.refused]
    deltas = _deltas(row for _, row in accepted_rows)
    distinct = list(dict.fromkeys(row.guarantee.measures for _, row in accepted_rows))
    known_curves: dict[tuple[Measure, ...], Known] = {}
    seconds = min(time_limit, MOST_SECONDS)
    with deadline.running(seconds, _clock(time_limit - seconds)) as running:
        for place, measures in enumerate(distinct):
            with deadline.part(1 / (len(distinct) - place)):
                before = running.cuts
                known_curves[measures] = (*_points(measures, deltas, most), running.cuts == before)
    return tuple(curve for name, row in accepted_rows if (curve := _curve(name, row, known_curves)))


def _clock(spare: float) -> deadline.Clock:
    """Return a clock of processor seconds, or of wall seconds that exceed these by a spare.

    Reading the processor's time is slow, and it cannot run ahead of wall time, so it is read at
    most once in ``TICK`` seconds.
    """
    processor, wall = time.process_time(), time.monotonic()
    spent, read_at = 0.0, wall

    def seconds() -> float:
        nonlocal spent, read_at
        now = time.monotonic()
        if now - read_at >= TICK:
            spent, read_at = time.process_time() - processor, now
        return max(spent, now - wall - spare)

    return seconds


def _deltas(rows: Iterable[GuaranteeRow]) -> tuple[Fraction, ...]:
    """Return the deltas of a curve, from the least one requested or ``LEAST_DELTA`` on."""
    requested = [point.delta for row in rows for point in row.numbers.approx_dp]
    return DELTAS[bisect_left(DELTAS, min([LEAST_DELTA, *requested])) :]


def _points(
    measures: tuple[Measure, ...], deltas: Sequence[Fraction], most: int | None
) -> tuple[Points, Points, Points]:
    if not measures:
        return (), (), ()
    with deadline.part(len(RATES) / (len(RATES) + len(deltas))):
        rates = RATES if most is None else FEW_RATES
        tradeoff = _known(rates, partial(type_ii_at, measures), most)
        steep = _steep_rates(tradeoff) if most is None else []
        tradeoff += _known(steep, partial(type_ii_at, measures), most)
    epsilons = _known(deltas, partial(epsilon_at, measures), most)
    values = [bound.value for place, bound in epsilons if place >= CORNER]
    top = max((value for value in values if isinstance(value, Fraction)), default=Fraction(0))
    step = (top.limit_denominator(10**6) or Fraction(1)) / SPACED
    spaced = [k * step for k in range(SPACED + 1)]
    return tradeoff, epsilons, _known(spaced, partial(delta_at, measures), most)


def _steep_rates(points: Points) -> list[Fraction]:
    """Return more type I errors where a tradeoff function decreases far between two known points.

    A tradeoff function is nearly its own mirror image at the diagonal: the type II errors of its
    flat part are the type I errors of its steep part, and are as far apart as the points are.
    """
    ordered = sorted((place, float(bound)) for place, bound in points)
    mirrored = sorted({Fraction(f"{value:.4g}") for _, value in ordered if value > 0})
    return [
        rate
        for (left, high), (right, low) in pairwise(ordered)
        if left and high > STEEP * low > 0
        for rate in mirrored
        if left < rate < right
    ]


def _known(
    places: Sequence[Fraction], number: Callable[[Fraction, Accuracy], Bound], most: int | None
) -> Points:
    """Compute numbers at places, the coarse grid first, up to the deadline in force."""
    points: list[tuple[Fraction, Bound]] = []
    places_in_order = [places[place] for place in _coarse_first(len(places))[:most]]
    accuracy = ACCURACY.at(places_in_order)
    try:
        for place in places_in_order:
            deadline.check()
            points.append((place, number(place, accuracy)))
    except OutOfTimeError:
        pass  # recorded as a cut; the numbers that are known by then are certified
    return tuple(points)


def _coarse_first(number: int) -> list[int]:
    """Return the numbers below ``number`` so that every prefix of the list is spread over all."""
    step = 1 << max(number - 1, 1).bit_length()
    places: dict[int, None] = {0: None, max(number - 1, 0): None} if number else {}
    while step >= 1:
        places |= dict.fromkeys(range(0, number, step))
        step //= 2
    return list(places)


def _curve(
    name: str, row: GuaranteeRow, known_curves: Mapping[tuple[Measure, ...], Known]
) -> GuaranteeCurve | None:
    tradeoff, epsilons, profile, complete = known_curves[row.guarantee.measures]
    points = [(point.delta, point.epsilon) for point in row.numbers.tightest]
    lower = _best([*tradeoff, *row.numbers.tradeoff], max)
    upper = _best([*epsilons, *points], min)
    # f is nonincreasing: a bound at a type I error holds at every smaller one. epsilon is
    # nonincreasing in delta.
    down = reversed(_running(list(reversed(lower)), max))
    pairs = tuple(sorted(profile, key=lambda point: point[0]))
    curve = GuaranteeCurve(name, tuple(down), tuple(_running(upper, min)), complete, pairs)
    return curve if curve.tradeoff or curve.epsilons else None


Choice = Callable[[Iterable[Fraction | float]], Fraction | float]


def _best(points: Iterable[tuple[Fraction, Bound]], choose: Choice) -> list[tuple[Fraction, Bound]]:
    best: dict[Fraction, Bound] = {}
    for place, bound in points:
        other = best.setdefault(place, bound)
        if choose((other.value, bound.value)) != other.value:
            best[place] = bound
    return sorted(best.items(), key=lambda point: point[0])


def _running(
    points: Sequence[tuple[Fraction, Bound]], choose: Choice
) -> list[tuple[Fraction, Bound]]:
    running: list[tuple[Fraction, Bound]] = []
    for place, bound in points:
        if running and choose((running[-1][1].value, bound.value)) != bound.value:
            bound = running[-1][1]
        running.append((place, bound))
    return running
