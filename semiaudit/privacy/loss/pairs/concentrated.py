"""The pair that dominates every rho-zCDP mechanism, for compositions with other pairs.

Its tradeoff function is the minimum over all rho-zCDP mechanisms. docs/theory/conversions.md, *zCDP
with privacy losses*, proves that it dominates them. The page also proves that several zCDP parts
are one part with the sum of their rhos, for any other parts of the composition, adaptive or not.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.loss import ConcentratedLoss
from semiaudit.numeric.rationals import float_up
from semiaudit.privacy.loss.pairs.finite import FiniteSource
from semiaudit.privacy.loss.pairs.pair_kind import Family, PairKind
from semiaudit.privacy.loss.sources.loss_source import UNIT, Floats

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


def concentrated(pair: ConcentratedLoss) -> PairKind:
    """Define the kind: the tightest pair that dominates zCDP; unbounded losses, so no mu."""

    def source(_side: int) -> Source:
        return source_of_zcdp(pair.rho)

    return PairKind(
        symmetric=True,
        gaussian_size=2 * pair.rho,
        listable=True,
        mu_fitted=False,
        family=Family((ConcentratedLoss,), "summed"),
        size=pair.rho,
        rho=lambda: pair.rho,
        simplified=pair if pair.rho else None,
        moved_further=lambda k: ConcentratedLoss(k * k * pair.rho),
        closed_form=lambda: None,
        source=source,
    )


_TAIL_NATS = 240.0
"""Knots extend until delta is about exp(-240); the rest is an infinite loss."""

_CHORD = 1e-7
"""The relative increase of epsilon by a chord, about."""

_MOST_KNOTS = 60_000
"""The most knots; beyond, chords are longer."""

_TABLE = 240
"""Orders for which the best parameters are solved; the parameters of others are interpolated."""

_LEAST_EXCESS = 1e-3
"""The least excess of an order over 1 in the table, over sqrt(rho); for smaller ones, the
divergence of order 1 decides."""

_HALVINGS = 64
"""Bisection steps for an interval of parameters, to the precision of doubles."""

_NESTED_HALVINGS = 40
"""Steps of each of two nested bisections. An error of a parameter changes a bound by about the
square of that error, and any parameter gives a bound."""

_LEAST_RHO = 1e-20
"""Replaces a smaller rho, which implies it: differences of its likelihood ratios are not
doubles."""

_NARROW, _SHORT = 1.0, 0.01
"""Widths ln(r_0 / r_1), and falls 1 - r_1, below which t and delta are sums of small terms."""

_LARGE = 30.0
"""For a logarithm of a moment above this, adding 1 changes at most the 13th digit."""

_APART = 1e-9
"""Knots are at least this part of themselves apart: their differences keep some digits."""

_NEAR_TAIL, _FAR_TAIL = -690.0, 0.0
"""The range of the logarithm of 1 - r_1 in the search."""


class Tangents(NamedTuple):
    """Parameters of the lines that bound delta, as arrays of one shape.

    Attributes:
        excess: of the Renyi order above 1, at least 0; 0 is the Kullback-Leibler divergence.
        log_ratio: ln r_0, the larger likelihood ratio of the binary pair that a line touches.
        log_fall: ln(1 - r_1), where r_1 is the smaller one.
    """

    excess: Floats
    log_ratio: Floats
    log_fall: Floats


@lru_cache(maxsize=16)
def source_of_zcdp(rho: Fraction) -> FiniteSource:
    """Return the losses of the dominating pair of rho-zCDP for rho > 0, in either direction."""
    places, deltas = profile_of_zcdp(max(float_up(rho), _LEAST_RHO))
    return _source(*_convex(places, deltas))


def profile_of_zcdp(rho: float) -> tuple[Floats, Floats]:
    """Return (t_j, certified upper bounds on delta(t_j)), for increasing t_j.

    The first t_j is where randomized response touches.

    Args:
        rho: above 0.
    """

    import numpy as np

    with np.errstate(all="ignore"):  # drop NaN
        runs = [_bounds(rho, tangents) for tangents in _tangents(rho)]
    places = np.concatenate([run[0] for run in runs])
    deltas = np.concatenate([run[1] for run in runs])
    known = (places >= max(runs[0][0][0], 0.0)) & (deltas < 1)
    places, deltas = places[known], deltas[known]
    order = np.argsort(places, kind="stable")
    # delta decreases: a bound on it at a knot is a bound at every later knot.
    places, deltas = places[order], np.minimum.accumulate(deltas[order])
    spaced = np.append(True, np.diff(places) > _APART * places[1:])
    return places[spaced], deltas[spaced]


def _convex(places: Floats, deltas: Floats) -> tuple[Floats, Floats]:
    """Drop the knots above the chord of their neighbors: the rest bounds delta too."""

    import numpy as np

    while True:
        above = np.append(False, _masses(places, deltas) < 0)
        # Of several in a row, drop the first one, whose neighbors stay.
        dropped = above & ~np.append(False, above[:-1])
        if not dropped.any():
            return places, deltas
        places, deltas = places[~dropped], deltas[~dropped]


def _masses(places: Floats, deltas: Floats) -> Floats:
    """Return the masses of the atoms at all knots but the first: e^t times the change of the slope
    in e^t.
    """

    import numpy as np

    steps, falls = np.diff(places), -np.diff(deltas)
    masses: Floats = falls / -np.expm1(-steps) - np.append(falls[1:] / np.expm1(steps[1:]), 0.0)
    return masses


def _source(places: Floats, deltas: Floats) -> FiniteSource:
    """Return the pair whose profile joins the points by chords in e^t, and is symmetric.

    An atom of mass m at t is paired with one of e^-t m at -t. The first knot has the rest of the
    mass; its delta is then at least as large, because every other atom has its mass or more.
    """

    import numpy as np

    steps, falls = np.diff(places), -np.diff(deltas)
    sizes = falls / -np.expm1(-steps) + np.append(falls[1:] / np.expm1(steps[1:]), 0.0)
    others = np.maximum(_masses(places, deltas), 0.0) + 64 * UNIT * sizes
    infinite = float(deltas[-1])
    remainder = 1 - infinite - math.fsum((others * (1 + np.exp(-places[1:]))).tolist())
    first = max(remainder, 0.0) / (1 + math.exp(-places[0]))
    masses = np.append(first, others)
    positive = masses > 0
    losses, log_mass = places[positive], np.log(masses[positive])
    return FiniteSource(
        np.concatenate((-losses[::-1], losses)),
        np.concatenate(((log_mass - losses)[::-1], log_mass)),
        infinite=Fraction(infinite),
        largest=Fraction(float(losses[-1])),
    )


def _bounds(rho: float, tangents: Tangents) -> tuple[Floats, Floats]:
    """Return t and an upper bound on delta(t) for each line.

    With a = 1 + e the order, c = exp(a e rho), w = ln(r_0 / r_1):
    t = ln r_0 + ln((e / a) (1 - e^(-a w)) / (1 - e^(-e w))) and
    delta = (c - 1 + 1 - r_1^e - e (1 - r_1) r_1^e) / (a (r_0^e - r_1^e)); for e = 0 the limits.
    """

    import numpy as np

    excess, log_ratio = tangents.excess, tangents.log_ratio
    fall = _fall(tangents.log_fall)
    log_low = np.log1p(-fall)
    order, width = 1 + excess, log_ratio - log_low
    some = excess > 0
    safe = np.where(some, excess, 1.0)
    drop = -np.expm1(-safe * width)
    # The limits of the numerator and the denominator, each over e.
    drop_of_power = np.expm1(safe * log_low)
    short = fall < _SHORT
    remainder = np.where(short, _log_remainder(fall), -log_low - fall)
    remainder = np.where(some, -drop_of_power - safe * fall * (1 + drop_of_power), remainder)
    error = np.where(some, np.abs(drop_of_power), np.where(short, remainder, -log_low))
    remainder = np.maximum(remainder, 0.0) + 32 * UNIT * error
    size = np.where(some, safe * order * rho, rho)
    moment = np.where(some, np.expm1(np.minimum(size, _LARGE)), rho) + remainder
    large_log = size + np.log1p((remainder - 1) * np.exp(-size))
    log_top = np.where(some & (size > _LARGE), large_log, np.log(moment))
    log_bottom = np.where(some, np.log(order) + safe * log_ratio + np.log(drop), np.log(width))
    deltas = np.exp(log_top - log_bottom)
    # Each exponent is a sum of a few terms of these sizes, and so is t.
    error = 64 * UNIT * (4 + np.abs(size) + safe * np.abs(log_ratio) + np.abs(np.log(moment)))
    return _places(excess, log_ratio, log_low), np.minimum(deltas * (1 + error), 1.0)


def _places(excess: Floats, log_ratio: Floats, log_low: Floats) -> Floats:
    """Return t of :func:`_bounds`, raised by more than its rounding.

    For narrow pairs, t is (ln r_0 + ln r_1) / 2 + ln(sinh(a w / 2) / sinh(e w / 2)) - ln(a / e),
    where all terms are of the size of t; for e = 0 the limit.
    """

    import numpy as np

    order, width = 1 + excess, log_ratio - log_low
    some = excess > 0
    safe = np.where(some, excess, 1.0)
    spread = safe / order * np.expm1(-order * width) / np.expm1(-safe * width)
    spread = np.where(some, spread, -np.expm1(-width) / width)
    wide = log_ratio + np.log(spread) + 64 * UNIT * (1 + np.abs(log_ratio))
    half, inverse = width / 2, np.log1p(1 / safe)
    grown = np.log1p(2 * np.sinh(half / 2) ** 2 + np.sinh(half) / np.tanh(safe * half))
    square, even = half * half, np.zeros_like(half)
    for factor in (272, 210, 156, 110, 72, 42, 20, 6):
        even = square / factor * (1 + even)
    even = np.log1p(even)
    narrow = (log_ratio + log_low) / 2 + np.where(some, grown - inverse, even)
    narrow += 64 * UNIT * (width + np.where(some, inverse, 0.0))
    return np.where(width < _NARROW, narrow, wide)


def _log_remainder(fall: Floats) -> Floats:
    """Return -ln(1 - x) - x of a small x."""

    import numpy as np

    total = np.zeros_like(fall)
    for place in range(9, 1, -1):
        total = total * fall + 1 / place
    return total * fall * fall


def _tangents(rho: float) -> list[Tangents]:
    """Return the parameters of the knots: by the Kullback-Leibler divergence, then by orders.

    The parameters only choose lines, each of which is a bound.
    """

    import numpy as np

    unit = 1 / math.sqrt(rho)
    excesses = np.geomspace(_LEAST_EXCESS * unit, math.sqrt(_TAIL_NATS) * unit, _TABLE)
    upper = _solved(rho, excesses)
    centre = _touching(rho)
    ratios = np.linspace(centre, max(float(upper.log_ratio[0]), centre * (1 + 1e-9)), _TABLE)
    lower = Tangents(np.zeros(_TABLE), ratios, _fall_of_divergence(rho, ratios))
    return [_refined(rho, lower), _refined(rho, upper)]


def _refined(rho: float, table: Tangents) -> Tangents:
    import numpy as np

    places, _ = _bounds(rho, table)
    places = np.maximum.accumulate(places)
    slope = table.excess + 1
    spacing = np.sqrt(8 * _CHORD * np.maximum(places, math.sqrt(rho) / 4) / slope)
    middle = (spacing[1:] + spacing[:-1]) / 2
    counted = np.append(0.0, np.cumsum(np.diff(places) / middle))
    if not math.isfinite(counted[-1]):
        # Doubles cannot distinguish its losses.
        raise RefusedError(Refusal("zCDP with so large a rho has no loss", "declare a smaller rho"))
    number = min(max(math.ceil(counted[-1]) + 1, 3), _MOST_KNOTS)
    at = np.interp(np.linspace(0.0, counted[-1], number), counted, np.arange(len(places)))
    index = np.arange(len(places), dtype=np.float64)
    return Tangents(*(np.interp(at, index, column) for column in table))


def _touching(rho: float) -> float:
    """Return the epsilon of randomized response with this rho: epsilon tanh(epsilon / 2) = rho."""
    low, high = 0.0, rho + 2 * math.sqrt(rho) + 1
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * math.tanh(middle / 2) < rho else (low, middle)
    return (low + high) / 2


def _fall_of_divergence(rho: float, log_ratio: Floats) -> Floats:
    """Return ln(1 - r_1) of the binary pair with r_0 and the Kullback-Leibler divergence rho."""

    import numpy as np

    low, high = np.full_like(log_ratio, _NEAR_TAIL), np.full_like(log_ratio, _FAR_TAIL)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        log_low = _log_low(middle)
        first = np.exp(_log_second(log_ratio, middle) + log_ratio)
        under = first * log_ratio + (1 - first) * log_low < rho
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    return low


def _solved(rho: float, excess: Floats) -> Tangents:
    """For each order, solve for the binary pair on whose boundary the order decides.

    On this boundary, the moment and exp(a e rho) are equal, and so are their derivatives by the
    order.
    """

    import numpy as np

    order = 1 + excess
    size, mean = order * excess * rho, (order + excess) * rho
    low, high = np.full_like(excess, _NEAR_TAIL), np.full_like(excess, _FAR_TAIL)
    for _ in range(_NESTED_HALVINGS):
        middle = (low + high) / 2
        ratio = _ratio_of_moment(order, size, middle)
        under = _tilted_mean(order, size, ratio, middle) < mean
        low, high = np.where(under, low, middle), np.where(under, middle, high)
    return Tangents(excess, _ratio_of_moment(order, size, low), low)


def _ratio_of_moment(order: Floats, size: Floats, log_fall: Floats) -> Floats:
    """Return ln r_0 at which the moment of an order has this logarithm."""

    import numpy as np

    log_low = _log_low(log_fall)
    low, high = np.zeros_like(order), size / (order - 1) + (2 - log_fall) / (order - 1)
    for _ in range(_NESTED_HALVINGS):
        middle = (low + high) / 2
        log_second = _log_second(middle, log_fall)
        second, grown = np.exp(log_second), order * middle
        up, down = log_second + grown, np.log1p(-second) + order * log_low
        rise = np.where(grown < _LARGE, second * np.expm1(np.minimum(grown, _LARGE)), np.exp(up))
        rise = rise + (1 - second) * np.expm1(order * log_low)
        difference = np.where(size > 1, np.logaddexp(up, down) - size, rise - np.expm1(size))
        low, high = np.where(difference < 0, middle, low), np.where(difference < 0, high, middle)
    return (low + high) / 2


def _tilted_mean(order: Floats, size: Floats, log_ratio: Floats, log_fall: Floats) -> Floats:
    """Return the mean of ln r under the weights q r^a of the binary pair."""

    import numpy as np

    log_low = _log_low(log_fall)
    second = np.exp(_log_second(log_ratio, log_fall))
    weight = np.exp(np.minimum(np.log1p(-second) + order * log_low - size, 0.0))
    return (1 - weight) * log_ratio + weight * log_low


def _log_low(log_fall: Floats) -> Floats:
    """ln r_1."""

    import numpy as np

    return np.log1p(-_fall(log_fall))


def _fall(log_fall: Floats) -> Floats:
    """Return 1 - r_1, or the next double below 1 if r_1 is negligible: r_1 must not be 0."""

    import numpy as np

    fall: Floats = np.minimum(np.exp(log_fall), 1 - UNIT)
    return fall


def _log_second(log_ratio: Floats, log_fall: Floats) -> Floats:
    """Return ln q = ln((1 - r_1) / (r_0 - r_1)) of the binary pair with these likelihood ratios."""

    import numpy as np

    return log_fall - log_ratio - np.log(-np.expm1(_log_low(log_fall) - log_ratio))
