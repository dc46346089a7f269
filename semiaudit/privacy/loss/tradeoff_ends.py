"""The symmetrised tradeoff function at one type I error, from compositions of both directions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from semiaudit.numeric import float_down, float_up
from semiaudit.privacy.loss.sources.source import UNIT
from semiaudit.privacy.loss.tilted_product import TiltedProduct

_GOLDEN = (math.sqrt(5) - 1) / 2
"""The part of an interval that a golden section keeps."""

_SECTIONS = 24
"""They leave 1e-5 of the interval: next to its peak a curve changes by the square of that."""

_NEARBY = 64
"""Steps of the grid on either side of the threshold in which the best dual is looked for."""

_LARGEST = 700.0
"""The exponential of an epsilon much larger is no double."""


def tradeoff_ends(
    found: Sequence[TiltedProduct], type_i: Fraction, centres: Sequence[float]
) -> tuple[float, float]:
    """Certified ends of the type II error at type_i.

    Args:
        found: the composition of every direction that counts.
        type_i: in (0, 1).
        centres: for each the epsilon around which its tests are first taken; no bound rests on it.
    """
    low, high = float_down(type_i), float_up(type_i)
    cut = []
    for product, centre in zip(found, centres, strict=True):
        best = product.tests(centre).type_ii(low)
        if not product.profile.law.everywhere:
            best = min(best, product.tests(best[1]).type_ii(low))
        cut.append(best)
    upper, threshold = min(cut)
    # Where likelihood ratios are cut at e^c, the slope is that of the dual at epsilon = |c|.
    threshold = abs(threshold)

    def dual(epsilon: float) -> float:
        delta = max(product.profile.upper(epsilon) for product in found)
        if epsilon > _LARGEST:
            # The other dual is next to 0.
            spent = math.exp(min(epsilon + math.log(high), _LARGEST)) * (1 + 4000 * UNIT)
            return 1 - delta - spent - 4 * UNIT * (1 + spent)
        growth = math.exp(epsilon) * (1 + 4 * UNIT)
        direct = 1 - delta - growth * high - 4 * UNIT * (1 + growth * high)
        mirrored = (1 - delta - high - 4 * UNIT) / growth
        return max(direct, mirrored * (1 - 4 * UNIT))

    step = max(product.profile.scale.step for product in found)
    nearby = [max(threshold + move * step, 0.0) for move in (-1, 0, 1)]
    lower = max(0.0, dual(0.0), *(dual(epsilon) for epsilon in nearby))
    # The dual at any epsilon is a lower bound, so that where it is looked for is free.
    reach = _NEARBY * step
    lower = max(lower, _largest(dual, max(threshold - reach, 0.0), threshold + reach))
    return min(lower, upper), upper


def _largest(curve: Callable[[float], float], low: float, high: float) -> float:
    """About the largest value of a curve with one peak; any value is valid."""
    best = 0.0
    for _ in range(_SECTIONS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        first, second = curve(left), curve(right)
        best = max(best, first, second)
        low, high = (low, right) if first > second else (left, high)
    return best
