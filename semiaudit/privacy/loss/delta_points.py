"""Bounds on delta at many epsilons, far into the tail, from a few compositions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.model.loss import PrivacyLoss
from semiaudit.numeric.rationals import float_up
from semiaudit.privacy.loss.bracket import Accuracy
from semiaudit.privacy.loss.direction import Direction, direction_of
from semiaudit.privacy.loss.normal_estimate import estimate_at, variance_allowed
from semiaudit.privacy.loss.normal_form import normal_form
from semiaudit.privacy.loss.pairs.pair_kind import Ends
from semiaudit.privacy.loss.refinement import refined
from semiaudit.privacy.loss.tilted_product import TiltedProduct

TYPE_I_EXPONENTS = (3, 11, 24, 42, 66, 95, 130)
"""The compositions are tilted to tests with a type I error of 10 to the power of minus these:
evenly spaced in its normal quantile. A window covers the range between its neighbors."""

POINTS_BETWEEN = 24
"""Epsilons in each window, evenly spaced: the polygon of their lines is nearly convex."""

WINDOWS_WITH_LOWER_ENDS = 3
"""Windows in which a test gives a lower bound on delta; further out, the lower bound is 0."""

_COARSER = 20
"""Factor of the relative width of delta far out, where it hardly affects a quantile."""


@dataclass(frozen=True, slots=True)
class DeltaPoint:
    """Bounds (lower, upper) on delta at an epsilon, for the worse direction."""

    epsilon: float
    lower: float
    upper: float


def delta_points(loss: PrivacyLoss, accuracy: Accuracy) -> tuple[DeltaPoint, ...]:
    """Return bounds on delta at increasing epsilons from 0.

    Args:
        loss: the product of pairs.
        accuracy: of delta at the first epsilon of each composition; coarser in the tail.

    Returns:
        Empty if delta never falls to 0, if there are only Gaussian pairs, or if a pair is of a kind
        without a fitted mu. The last delta is 0 if the losses have a maximum within reach.

    Raises:
        OutOfTimeError: the time limit was reached between two of them.

    Rounding:
        as in ``engine.delta_bracket``: every point has the bounds of a composition's own profile.
    """
    form = normal_form(loss)
    if not form.parts or not form.mu_fitted:
        return ()
    directions = [direction_of(form, side) for side in range(form.sides)]
    if any(not direction.finite or direction.infinite[1] for direction in directions):
        return ()
    known = [direction.largest for direction in directions]
    largest = [value for value in known if value is not None]
    end = float_up(max(largest)) if len(largest) == len(directions) else None
    points: list[DeltaPoint] = []
    tail = Accuracy(min(_COARSER * accuracy.tolerance, 0.5), accuracy.time_limit)
    for place, (epsilons, tilted) in enumerate(_windows(directions)):
        products = _composed(tilted, epsilons[0], tail if place else accuracy)
        two_sided = place < WINDOWS_WITH_LOWER_ENDS
        for epsilon in epsilons:
            deadline.check()
            if end is not None and epsilon >= end:
                return (*points, DeltaPoint(end, 0.0, 0.0))
            if not points or epsilon > points[-1].epsilon:
                points.append(_point(products, epsilon, two_sided=two_sided))
    return tuple(points)


def _windows(
    directions: list[Direction],
) -> Iterator[tuple[list[float], list[tuple[Direction, float]]]]:
    first = directions[0]
    tilts = [first.tilt_for_type_i(10.0**-exponent) for exponent in TYPE_I_EXPONENTS]
    if not tilts[-1]:
        # Even the least type I error leaves hardly any type II error: no point determines a mu.
        return
    centres = sorted({0.0, *(max(first.cumulants(tilt)[1], 0.0) for tilt in tilts)})
    last = 2 * centres[-1] - centres[-2] if len(centres) > 1 else 1.0
    for begin, following in pairwise([*centres, last]):
        step = (following - begin) / POINTS_BETWEEN
        run = [begin + place * step for place in range(POINTS_BETWEEN)]
        middle = (begin + following) / 2
        yield run, [(direction, direction.tilt_for_epsilon(middle)) for direction in directions]


def _composed(
    tilted: list[tuple[Direction, float]], epsilon: float, accuracy: Accuracy
) -> list[TiltedProduct]:
    composed: list[TiltedProduct] = []

    def ends(tilted: list[TiltedProduct]) -> Ends:
        composed[:] = tilted
        point = _point(tilted, epsilon)
        return point.lower, point.upper

    estimates = [estimate_at(*own) for own in tilted]
    allowed = [variance_allowed(own.delta_ratio, accuracy.tolerance) for own in estimates]
    refined(tilted, accuracy, ends, allowed)
    return composed


def _point(products: list[TiltedProduct], epsilon: float, *, two_sided: bool = True) -> DeltaPoint:
    upper = max(product.profile.upper(epsilon) for product in products)
    if not two_sided:
        return DeltaPoint(epsilon, 0.0, upper)
    lower = max(
        product.profile.lower(epsilon)
        if product.merged is None
        else product.merged.tests(epsilon).delta(epsilon)
        for product in products
    )
    return DeltaPoint(epsilon, min(lower, upper), upper)
