"""A composition at one tilt and one step, and the bracket that it gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from semiaudit.privacy.loss.convolution import convolve
from semiaudit.privacy.loss.merged_law import MergedLaw, Tests
from semiaudit.privacy.loss.order import Order
from semiaudit.privacy.loss.profile import Profile, Scale
from semiaudit.privacy.loss.rounding import Tilted, connected, merged, on_lattice, pruned
from semiaudit.privacy.loss.sources import UNIT, TooLong
from semiaudit.privacy.loss.window import outside, reach

LATTICE_POINTS = 1 << 22
GRID_POINTS = 1 << 21


@dataclass(frozen=True, slots=True)
class Composition:
    """Both sides of a composed loss.

    Attributes:
        profile: the dominating version, or the law itself on a lattice.
        merged: the merged outcomes; None on a lattice, which needs none.
        points: length of the window.
    """

    profile: Profile
    merged: MergedLaw | None
    points: int

    def tests(self, reference: float) -> Tests:
        """Tests around an epsilon; on a lattice those of the law itself."""
        if self.merged is not None:
            return self.merged.tests(reference)
        own = self.profile
        law = MergedLaw(
            own.scale, own.law, own.law, own.log_scale, own.log_scale, own.scale_error, own.outside
        )
        return law.tests(reference)


def on_common_lattice(order: Order, tilt: float) -> Composition:
    """The composition on the lattice that carries all losses.

    Raises:
        TooLong: the lattice is too fine.
    """
    exact_step = order.lattice_step
    if exact_step is None:
        raise ValueError("there is no common lattice")
    step = float(exact_step)
    spread = math.sqrt(order.cumulants(tilt)[2])
    if not 8 * spread <= LATTICE_POINTS * step:
        raise TooLong(8 * spread / step if step else math.inf)
    parts = [
        (on_lattice(pruned(source.atoms(step, tilt), step, tilt), step, tilt), repeat)
        for source, repeat in order.parts
    ]
    low, high = reach(parts)
    if high - low >= LATTICE_POINTS:
        raise TooLong(high - low)
    return Composition(
        _profile(order, parts, tilt, exact_step, low, high), None, _length(low, high)
    )


def on_grid(order: Order, tilt: float, step: float) -> Composition:
    """The composition with all losses moved to a grid, in the dominating and the merged way.

    Raises:
        TooLong: the grid is too fine.
    """
    atoms = [
        (pruned(source.atoms(step, tilt), step, tilt), repeat) for source, repeat in order.parts
    ]
    upper = [(connected(part, step, tilt), repeat) for part, repeat in atoms]
    low, high = reach(upper)
    if high - low >= GRID_POINTS:
        raise TooLong(high - low)
    profile = _profile(order, upper, tilt, Fraction(step), low, high)
    both = [(merged(part, step, tilt), repeat) for part, repeat in atoms]
    first = [(pair[0], repeat) for pair, repeat in both]
    second = [(pair[1], repeat) for pair, repeat in both]
    start, length = profile.law.start, _length(low, high)
    log_first, error_first = _log_scale(first)
    log_second, error_second = _log_scale(second)
    law = MergedLaw(
        profile.scale,
        convolve(first, start, length),
        convolve(second, start, length),
        log_first,
        log_second,
        max(error_first, error_second),
        outside(first, start, length),
    )
    return Composition(profile, law, length)


def _profile(
    order: Order,
    parts: list[tuple[Tilted, int]],
    tilt: float,
    step: Fraction,
    low: int,
    high: int,
) -> Profile:
    length = _length(low, high)
    start = low - (length - (high - low + 1)) // 2
    slack = 1.01 * sum(repeat * tilted.loss_error for tilted, repeat in parts)
    scale = Scale(float(step), step, order.offset, tilt, slack, order.infinite)
    log_scale, error = _log_scale(parts)
    return Profile(
        scale,
        convolve(parts, start, length),
        log_scale,
        error,
        outside(parts, start, length),
        _omitted(parts),
    )


def _length(low: int, high: int) -> int:
    return max(1 << (high - low + 1).bit_length(), 16)


def _log_scale(parts: list[tuple[Tilted, int]]) -> tuple[float, float]:
    total, size = 0.0, 0.0
    for tilted, repeat in parts:
        total += repeat * tilted.log_total
        size += repeat * abs(tilted.log_total)
    return total, UNIT * size * (len(parts) + 4)


def _omitted(parts: list[tuple[Tilted, int]]) -> float:
    """prod (1 + r_i)^k_i - 1 with r_i the omitted part of the tilted weight of source i."""
    total = sum(
        repeat * math.log1p(math.exp(min(tilted.log_omitted - tilted.log_total, 700.0)))
        for tilted, repeat in parts
    )
    return 1.01 * math.expm1(min(total, 700.0))
