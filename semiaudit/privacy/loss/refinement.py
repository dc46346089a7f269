"""Certified brackets by composition: on a lattice, or on grids that are refined until narrow.

Certified roots of a decreasing curve that is known only through bounds.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.bracket import Accuracy, Bracket, Method, hull_of_maxima
from semiaudit.privacy.loss.direction import Direction, direction_of
from semiaudit.privacy.loss.normal_estimate import (
    estimate_at,
    variance_allowed,
    with_threshold_of_test,
)
from semiaudit.privacy.loss.normal_form import NormalForm
from semiaudit.privacy.loss.pairs.pair_kind import Ends
from semiaudit.privacy.loss.sources.loss_source import OMITTED_NATS, TooLong
from semiaudit.privacy.loss.tilted_product import (
    GRID_POINTS,
    TiltedProduct,
    on_common_lattice,
    on_grid,
)
from semiaudit.privacy.loss.tradeoff_ends import tradeoff_ends, worse_order

CLOSE = 4e-14
"""A root is precise enough when the bounds of its bracket have this relative distance: some 200
doubles, the uncertainty from the rounding of a curve."""

_ROUNDS = 200
"""The most evaluations of a curve for one root; bisection alone needs about 60."""

_LEAST_SLOPE = 0.1
"""Replaces a flatter slope of ln(curve) until a secant measures one."""

_SMALL, _LARGE = 1e-9, 1e300
"""The start of a search without a guess, and the end of a search without a root."""

_OVERSHOT = 0.4
"""A secant overshoots the root by this part of the requested distance, so that both bounds move."""

_LEAP = 8.0
"""Without an upper bound, the least step onward grows by this factor with every evaluation."""

_LEAPS = 40
"""The most such steps: 8^40 times 4e-14 takes a point across all relevant doubles."""

_NO_LOGARITHM = -1e9
"""Replaces the logarithm of 0."""

Curve = Callable[[float], float]
"""A certified upper or lower bound on delta as a function of epsilon."""


def smallest_kept(
    curve: Curve,
    target: float,
    guess: float,
    slope: float,
    close: float = CLOSE,
    *,
    limit: float = math.inf,
    positive: bool = False,
) -> float:
    """Find a small point, 0 or more, at which ``curve`` is at most ``target``.

    Args:
        curve: from above; it need not be monotone.
        target: rounded down. guess: where to begin. slope: about -d ln(curve).
        close: relative distance to the root at which the search ends.
        limit: a known upper bound on the root.
        positive: the root is known not to be 0.

    Returns:
        The point, at which the curve was evaluated; the limit if none was found.
    """
    if not positive and curve(0.0) <= target:
        return 0.0
    # The curve was evaluated at every upper bound that replaced the limit. So delta holds there,
    # wherever the search went and whether or not it ended.
    _, above = _enclose(curve, target, guess, slope, limit, close)
    return above


def largest_reached(curve: Curve, target: float, guess: float, slope: float, limit: float) -> float:
    """Find a large point at which ``curve`` is still above ``target``; 0 if there is none.

    Args:
        curve: from below; it may be far too low away from the guess.
        target: rounded up. guess, slope: as in :func:`smallest_kept`.
        limit: an upper bound on the root.
    """
    point = guess if guess < limit else limit * (1 - CLOSE)
    # The curve was also evaluated at every lower bound except 0.
    below, _ = _enclose(curve, target, point, slope, limit)
    return below


def _enclose(
    curve: Curve,
    target: float,
    guess: float,
    slope: float,
    above: float,
    close: float = CLOSE,
) -> tuple[float, float]:
    """Return close points with the curve above the target at the first, not above at the second.

    The search uses secants of ln(curve) that overshoot slightly, so that both bounds move, and
    bisection if a secant leaves the bracket.
    """
    below = 0.0
    rate = max(slope, _LEAST_SLOPE)
    point = guess if 0 < guess < math.inf else _SMALL
    previous: tuple[float, float] | None = None
    for attempt in range(_ROUNDS):
        value = curve(point)
        # Compare the values, not their logarithms: values a few units in the last place apart share
        # one.
        over = value > target
        below, above = (max(below, point), above) if over else (below, min(above, point))
        height = _log(value) - _log(target)
        if (math.isfinite(above) and above - below <= close * above) or point > _LARGE:
            break
        if previous is not None and math.isfinite(height) and previous[0] != point:
            measured = (previous[1] - height) / (point - previous[0])
            rate = measured if measured > 0 and math.isfinite(measured) else rate
        previous = (point, height)
        hair = _OVERSHOT * close * point * (1 if over else -1)
        following = point + height / rate + hair
        if math.isinf(above):
            least = below * (1 + close * _LEAP ** min(attempt, _LEAPS))
            following = min(max(following, least), 10 * below + 1)
        elif not below < following < above:
            following = (below + above) / 2
        point = following
    return below, above


def _log(value: float) -> float:
    return math.log(value) if value > 0 else _NO_LOGARITHM


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
"""The part of the requested width for the root search on a grid, and for rounding."""

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


def delta_bracket(form: NormalForm, epsilon: Fraction, accuracy: Accuracy, floor: float) -> Bracket:
    """Bracket delta; see ``engine``."""
    low, high = float_down(epsilon), float_up(epsilon)

    def one(direction: Direction, floor: float) -> Bracket:
        if not direction.finite:
            # P and Q have no outcome in common.
            return Bracket(1.0, 1.0, "exact", True)
        largest = direction.largest
        if largest is not None and epsilon >= largest:
            # No finite loss exceeds epsilon: delta is the mass at an infinite loss.
            return Bracket(*direction.infinite, "exact", True)
        tilt = direction.tilt_for_epsilon(low)

        def ends(products: list[TiltedProduct]) -> Ends:
            (product,) = products
            upper = product.profile.upper(low)
            if product.merged is None:
                return min(product.profile.lower(high), upper), upper
            return min(product.merged.tests(low).delta(high), upper), upper

        allowed = variance_allowed(
            estimate_at(direction, tilt, low).delta_ratio, accuracy.tolerance
        )
        return refined([(direction, tilt)], accuracy, ends, [allowed], floor)

    return _worst_side(form, accuracy, one, floor)


def epsilon_bracket(form: NormalForm, delta: Fraction, accuracy: Accuracy, floor: float) -> Bracket:
    """Bracket epsilon; see ``engine``."""
    return _worst_side(
        form, accuracy, lambda direction, least: _epsilon(direction, delta, accuracy, least), floor
    )


def _epsilon(direction: Direction, delta: Fraction, accuracy: Accuracy, floor: float) -> Bracket:
    low, high = float_down(delta), float_up(delta)
    if low >= 1:
        return Bracket(0.0, 0.0, "exact", True)
    if not direction.finite or direction.infinite[0] > high:
        # Every epsilon has at least the infinite mass as its delta.
        return Bracket(math.inf, math.inf, "exact", True)
    tilt = direction.tilt_for_delta(low)
    estimate = estimate_at(direction, tilt)
    guess = float(estimate.mean)
    # Above the largest finite loss, only outright disclosure is left.
    largest = direction.largest if direction.infinite[1] <= low else None
    cap = math.inf if largest is None else max(float_up(largest), 0.0)

    def ends(products: list[TiltedProduct]) -> Ends:
        (product,) = products
        if product.merged is None:
            upper = min(smallest_kept(product.profile.upper, low, guess, tilt), cap)
            begin = upper if math.isfinite(upper) else guess
            return min(
                largest_reached(product.profile.lower, high, begin, tilt, upper), upper
            ), upper
        # A test that reaches delta is close to the root of the other side. A grid is only as
        # precise as requested, so this root need not be much closer.
        lower = product.merged.tests(max(guess, 0.0)).epsilon(high)
        begin = lower * (1 + accuracy.tolerance / 2) or guess
        close = max(_SHARE * accuracy.tolerance, CLOSE)
        upper = smallest_kept(
            product.profile.upper,
            low,
            begin if begin < cap else cap * (1 - close),
            tilt,
            close,
            limit=cap,
            positive=lower > 0,
        )
        if math.isfinite(upper) and upper - lower > accuracy.tolerance * upper:
            lower = max(lower, product.merged.tests(upper).epsilon(high))
        return min(lower, upper), upper

    allowed = variance_allowed(estimate.epsilon_ratio, accuracy.tolerance)
    gain = float(estimate.gain_of_epsilon)
    return refined([(direction, tilt)], accuracy, ends, [allowed], floor, gain)


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


def _worst_side(
    form: NormalForm,
    accuracy: Accuracy,
    number_of: Callable[[Direction, float], Bracket],
    floor: float,
) -> Bracket:
    """Return the largest of all sides' numbers; refine others only while they can be larger.

    Sampling loses more on the side whose first law is the mixture, so this side comes first.
    """
    first, *others = reversed(range(form.sides))
    worst = number_of(direction_of(form, first), floor)
    for side in others:
        other = number_of(direction_of(form, side), max(worst.lower, floor))
        worst = hull_of_maxima(worst, other, accuracy.tolerance)
    return worst


def _bracket(lower: float, upper: float, method: Method, accuracy: Accuracy) -> Bracket:
    complete = Bracket(lower, upper, method, True).within(accuracy.tolerance)
    return Bracket(lower, upper, method, complete)


def type_ii_bracket(
    form: NormalForm, type_i: Fraction, accuracy: Accuracy, floor: float
) -> Bracket:
    """Bracket the type II error; see ``engine``.

    The lower bound is by duality: T(Q, P) at x is at least 1 - delta - e^epsilon x with the delta
    of (P, Q), and e^-epsilon (1 - delta - x) with that of (Q, P), at every epsilon. The upper bound
    is by tests. If the product has two orders, the smaller type II error is that of one of them;
    otherwise it is that of the symmetrised function, with the larger delta.
    """
    if not type_i:
        low, high = _disclosed(form)
        if low == 1:
            return Bracket(0.0, 0.0, "exact", True)
        # A difference is rounded once, to one of its two sides.
        lower = math.nextafter(1 - high, 0.0) if high else 1.0
        return _exact(lower, min(math.nextafter(1 - low, 2.0), 1.0), accuracy)
    point = _operating_point(form, type_i, accuracy, 0, floor)
    return point or Bracket(0.0, 0.0, "exact", True)


def power_bracket(form: NormalForm, type_i: Fraction, accuracy: Accuracy, floor: float) -> Bracket:
    """Bracket the power (see ``engine``): 1 less the type II error, without rounding at 1."""
    if not type_i:
        return _exact(*_disclosed(form), accuracy)
    point = _operating_point(form, type_i, accuracy, 1, floor)
    return point or Bracket(1.0, 1.0, "exact", True)


BRACKETS = {
    "delta": delta_bracket,
    "epsilon": epsilon_bracket,
    "type_ii": type_ii_bracket,
    "power": power_bracket,
}
"""The functions above, by the quantity that they bracket."""


def _disclosed(form: NormalForm) -> Ends:
    """Return the mass at an infinite loss, on the side on which it is larger."""
    infinite = [direction_of(form, side).infinite for side in range(form.sides)]
    return max(low for low, _ in infinite), max(high for _, high in infinite)


def _operating_point(
    form: NormalForm, type_i: Fraction, accuracy: Accuracy, place: int, floor: float
) -> Bracket | None:
    """Bracket the type II error (place 0) or the power (1); None if no outcome is in common."""
    directions = [direction_of(form, side) for side in range(form.sides)]
    if not all(direction.finite for direction in directions):
        return None
    tilted = [(direction, direction.tilt_for_type_i(float(type_i))) for direction in directions]
    error = np.asarray(float(type_i))
    estimates = [with_threshold_of_test(estimate_at(*point), error) for point in tilted]
    centres = [float(estimate.mean) for estimate in estimates]

    known = [direction.largest for direction in directions]
    bounded = [end for end in known if end is not None]
    largest = max(bounded) if len(bounded) == len(known) else None

    def ends(products: list[TiltedProduct]) -> Ends:
        if form.has_two_orders:
            orders = zip(products, reversed(products), centres, strict=True)
            each = [tradeoff_ends([p], [q], type_i, [at], largest) for p, q, at in orders]
            return worse_order(each)[place]
        return tradeoff_ends(products, products, type_i, centres, largest)[place]

    ratios = [(point.type_ii_ratio, point.power_ratio)[place](error) for point in estimates]
    allowed = [variance_allowed(ratio, accuracy.tolerance) for ratio in ratios]
    return refined(tilted, accuracy, ends, allowed, floor)


def _exact(lower: float, upper: float, accuracy: Accuracy) -> Bracket:
    bracket = Bracket(lower, upper, "exact", True)
    return Bracket(lower, upper, "exact", bracket.within(accuracy.tolerance))
