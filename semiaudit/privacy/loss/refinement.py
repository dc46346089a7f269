"""Certified brackets by composition: on a lattice, or on grids that are refined until narrow."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.bracket import Accuracy, Bracket, Method
from semiaudit.privacy.loss.direction import Direction
from semiaudit.privacy.loss.pairs.pair_kind import Ends
from semiaudit.privacy.loss.sources.loss_source import OMITTED_NATS, TooLong
from semiaudit.privacy.loss.tilted_product import (
    GRID_POINTS,
    TiltedProduct,
    on_common_lattice,
    on_grid,
)

SMALL_LATTICE = 1 << 18
"""Up to this many estimated points, a lattice is composed exactly: no grid is faster."""

LATTICE_REACH = 20
"""Standard deviations that a lattice's window covers: the tails outside are about exp(-50)."""

FINE_LATTICE = 4
"""A grid step of at most this many lattice steps has nearly as many points, and is inexact."""

HURRIED_POINTS = 1 << 17
"""The most points of the first grid if there is a time limit, so that a result comes soon."""

SHARE = 0.25
"""The part of the remaining time that one number can take."""

FEW_FREQUENCIES = 8
"""If the spread of a sum is at least this multiple of that of its widest part, it usually needs few
frequencies; then each part is listed, not the sum."""

_SHARE = 1e-3
"""The part of the requested width for rounding."""

_SHORTENED = 1.05
"""After a grid that was too long, the step grows by this factor beyond the one that just fits."""

_COARSER = 4.0
"""The most by which a step that is too fine grows: few frequencies need not fit the window."""

_COARSEST = 1e100
"""No loss is this large; a sum that needs such a grid is lost in its rounding."""

_CAUTION = 0.8
"""The next step is this part of the step that the measured width requires: errors decrease only
about with the square of the step."""

_NARROWED = 0.7
"""A finer grid usually halves a width; if more than this part is left, rounding decides."""

_WORTH_SHARING, _LONG = 3.0, 1 << 19
"""A grid that is finer by a factor costs about as many grids, and each number alone costs a few.
A grid of more points must be shared by so many times as many numbers."""

_FINER = 0.7
"""The next step is at most this part of the last one; otherwise a round hardly narrows anything."""

_WINDOW = 2.5
"""The window of the finest grid, in reaches of a normal law: two sides, and a quarter."""

_COARSEN_AT_ONCE = 16.0
"""The most by which the first step grows in one trial: atoms on one grid can be off the next."""

_TRIALS = 3
"""Steps at which the error of the first grid is measured; more would cost as much as the grid."""

_SETTLED = 1.5
"""A first step within this factor of the optimal one is good enough."""

_LEAST_STEP = 1e-9
"""The least step relative to the mean loss: with finer ones, rounding dominates."""

_LEAST_VARIANCE = 1e-300
"""Replaces an added variance of 0: all atoms are on the grid."""

Directions = list[tuple[Direction, float]]
"""Directions of products to compose, each with its tilt."""


def refined(
    directions: Directions,
    accuracy: Accuracy,
    ends: Callable[[list[TiltedProduct]], Ends],
    allowed: Sequence[float],
    floor: float = 0.0,
    gain: float = 1.0,
) -> Bracket:
    """Compose on the lattice if there is one, else on finer and finer grids.

    The bounds of every grid are certified by themselves. When the time is over, or no finer grid
    fits, the largest lower and the smallest upper bound hold. A number takes only a part of the
    remaining time, so that the others get some too.

    Args:
        directions: the directions to compose, each with its tilt.
        accuracy: the width at which to stop.
        ends: the lower and upper bounds that the products give.
        allowed: the variance that a grid may add to each direction.
        floor: numbers up to it are not narrowed further.
        gain: relative change of delta that changes the bracketed number by a relative 1.
    """
    precision = min(_SHARE * accuracy.tolerance * gain, _SHARE)
    pairs = zip(directions, allowed, strict=True)
    step = min(first_step(*tilted, accuracy, variance) for tilted, variance in pairs)
    plan = Plan(directions, step, precision)
    (bracket,) = refined_together(plan, accuracy, lambda products, _: [ends(products)], [floor])
    return bracket


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a composition.

    Attributes:
        directions: the directions to compose, each with its tilt.
        step: of the first grid.
        precision: the allowed relative error of delta.
        shared: whether many numbers share it: if a grid leaves few of them too wide, or narrows
            none, or a finer one costs more than these numbers do, no finer grid is composed,
            because they can be computed again without the others.
    """

    directions: Directions
    step: float
    precision: float
    shared: bool = False


def refined_together(
    plan: Plan,
    accuracy: Accuracy,
    ends: Callable[[list[TiltedProduct], Sequence[int]], Sequence[Ends]],
    floors: Sequence[float],
) -> list[Bracket]:
    """Bracket several numbers of the same products from the same compositions; as ``refined``.

    Args:
        ends: the lower and upper bounds that the products give of some of the numbers.
        floors: one for each number.
    """
    directions, step, precision = plan.directions, plan.step, plan.precision
    limit = deadline.left() * SHARE if accuracy.time_limit is None else accuracy.time_limit
    late_at = deadline.now() + min(limit, deadline.left() * SHARE)
    everything = range(len(floors))
    if all(_fits_a_lattice(direction, tilt, step) for direction, tilt in directions):
        with contextlib.suppress(TooLong):
            products = [on_common_lattice(direction, tilt) for direction, tilt in directions]
            return [_bracket(*bounds, "lattice", accuracy) for bounds in ends(products, everything)]
    # Invariant: every bracket contains its number. [0, inf] does, and the bounds of a grid are
    # certified without those of other grids, so the largest lower and the smallest upper bound
    # hold together. Therefore each return below is sound: when it happens, and which steps were
    # tried, only decide how wide the brackets are.
    brackets = [Bracket(0.0, math.inf, "grid", False) for _ in floors]
    last_step, wide, last = math.inf, list(everything), math.inf
    while True:
        try:
            products = [on_grid(direction, tilt, step, precision) for direction, tilt in directions]
            deadline.check()
        except OutOfTimeError:
            # The brackets of earlier grids hold, but an infinite upper bound reports nothing.
            if all(math.isfinite(bracket.upper) for bracket in brackets):
                return brackets
            raise
        except TooLong as long:
            step *= min(max(_SHORTENED * long.points / GRID_POINTS, _SHORTENED), _COARSER)
            if step > _FINER * last_step:
                # The bounds of coarser grids, wider than requested.
                return brackets
            if not step < _COARSEST:
                what = "no grid holds this composition: its parts are too many, or lose too much"
                raise RefusedError(Refusal(what, "declare a bound of the whole")) from long
            continue
        room, last_step = min(product.room for product in products), step
        for place, (lower, upper) in zip(wide, ends(products, wide), strict=True):
            known = brackets[place]
            lower, upper = max(known.lower, lower), min(known.upper, upper)
            # Below the floor, the number of the other direction is certified to be at least as
            # large and decides alone, or nobody needs so small a number.
            result = _bracket(lower, upper, "grid", accuracy)
            brackets[place] = replace(result, complete=True) if upper <= floors[place] else result
        late = deadline.now() > late_at
        wide = [place for place in wide if not brackets[place].complete]
        if not wide or room <= 1:
            return brackets
        if late:
            deadline.cut()
            return brackets
        width = max(brackets[place].relative_width for place in wide)
        factor = min(max(math.sqrt(accuracy.tolerance / width) * _CAUTION, 1 / room), _FINER)
        if plan.shared and (
            2 * len(wide) < len(brackets)
            or width > _NARROWED * last
            or (factor * len(wide) < _WORTH_SHARING and _length(products) > factor * _LONG)
        ):
            return brackets
        last = width
        step *= factor
        step = directions[0][0].anchored(step)


def _length(products: Sequence[TiltedProduct]) -> int:
    return max(product.profile.law.length for product in products)


def _fits_a_lattice(direction: Direction, tilt: float, step: float) -> bool:
    unit = direction.lattice_step
    if unit is None:
        return False
    spread, widest = direction.spreads(tilt)
    listed = widest if spread >= FEW_FREQUENCIES * widest else spread
    return LATTICE_REACH * listed / unit <= SMALL_LATTICE or step <= FINE_LATTICE * unit


def first_step(direction: Direction, tilt: float, accuracy: Accuracy, allowed: float) -> float:
    """Return a step that adds about the allowed variance, within the size of a window."""
    mean = direction.cumulants(tilt)[1]
    spread, widest = direction.spreads(tilt)
    count = sum(repeat for _, repeat in direction.parts)
    finest = _WINDOW * math.sqrt(2 * OMITTED_NATS) * spread / GRID_POINTS
    if spread >= FEW_FREQUENCIES * widest:
        finest *= 2 * widest / spread
    coarsest = max(spread, finest, _LEAST_STEP * abs(mean))
    if accuracy.time_limit is not None:
        finest *= GRID_POINTS / HURRIED_POINTS
    # Evenly spread losses add step^2 / 6 each. The start is four times coarser than that requires:
    # v decreases with the square of the step, and a coarse grid is cheaper to measure on.
    step = min(max(4 * math.sqrt(6 * allowed / count), finest), coarsest)
    with contextlib.suppress(TooLong):
        for _ in range(_TRIALS):
            # Outcomes on the grid are not moved; a grid that contains many of them can be coarser.
            step = direction.anchored(step)
            added = max(direction.variance_added(step, tilt), _LEAST_VARIANCE)
            ratio = math.sqrt(allowed / added)
            step = min(max(step * min(ratio, _COARSEN_AT_ONCE), finest), coarsest)
            if ratio < _SETTLED:
                break
    return direction.anchored(step)


def _bracket(lower: float, upper: float, method: Method, accuracy: Accuracy) -> Bracket:
    complete = Bracket(lower, upper, method, True).within(accuracy.tolerance)
    return Bracket(lower, upper, method, complete)
