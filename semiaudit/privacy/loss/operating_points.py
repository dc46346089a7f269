"""Certified brackets of type II errors and powers at a type I error, by composition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from semiaudit.privacy.loss.bracket import Accuracy, Bracket
from semiaudit.privacy.loss.closed_forms.single_pair import Ends
from semiaudit.privacy.loss.direction import direction_of
from semiaudit.privacy.loss.normal_estimate import (
    estimate_at,
    variance_allowed,
    with_threshold_of_test,
)
from semiaudit.privacy.loss.normal_form import NormalForm
from semiaudit.privacy.loss.refinement import refined
from semiaudit.privacy.loss.tilted_product import TiltedProduct
from semiaudit.privacy.loss.tradeoff_ends import tradeoff_ends, worse_order


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
        left = math.nextafter(1 - high, 0.0) if high else 1.0
        return _exact(left, min(math.nextafter(1 - low, 2.0), 1.0), accuracy)
    point = _operating_point(form, type_i, accuracy, 0, floor)
    return point or Bracket(0.0, 0.0, "exact", True)


def power_bracket(form: NormalForm, type_i: Fraction, accuracy: Accuracy, floor: float) -> Bracket:
    """Bracket the power (see ``engine``): 1 less the type II error, without rounding at 1."""
    if not type_i:
        return _exact(*_disclosed(form), accuracy)
    point = _operating_point(form, type_i, accuracy, 1, floor)
    return point or Bracket(1.0, 1.0, "exact", True)


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
    estimates = [with_threshold_of_test(estimate_at(*own), error) for own in tilted]
    centres = [float(estimate.mean) for estimate in estimates]

    known = [direction.largest for direction in directions]
    bounded = [end for end in known if end is not None]
    largest = max(bounded) if len(bounded) == len(known) else None

    def ends(products: list[TiltedProduct]) -> Ends:
        if form.has_two_orders:
            both = zip(products, reversed(products), centres, strict=True)
            each = [tradeoff_ends([p], [q], type_i, [at], largest) for p, q, at in both]
            return worse_order(each)[place]
        return tradeoff_ends(products, products, type_i, centres, largest)[place]

    ratios = [(own.type_ii_ratio, own.power_ratio)[place](error) for own in estimates]
    allowed = [variance_allowed(ratio, accuracy.tolerance) for ratio in ratios]
    return refined(tilted, accuracy, ends, allowed, floor)


def _exact(lower: float, upper: float, accuracy: Accuracy) -> Bracket:
    bracket = Bracket(lower, upper, "exact", True)
    return Bracket(lower, upper, "exact", bracket.within(accuracy.tolerance))
