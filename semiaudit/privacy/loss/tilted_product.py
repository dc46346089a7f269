"""A product of pairs composed at one tilt and one step: upper and lower bounds on its profile."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.direction import Direction
from semiaudit.privacy.loss.laws.folded import FoldedLaw, folded_laws
from semiaudit.privacy.loss.laws.rounding import Tilted, connected, merged, on_lattice, pruned
from semiaudit.privacy.loss.laws.window import outside, reach
from semiaudit.privacy.loss.merged_law import MergedLaw, Tests
from semiaudit.privacy.loss.profile import GridScale, LossProfile
from semiaudit.privacy.loss.sources.loss_source import RAISED, UNIT, Floats, TooLong

LATTICE_POINTS = 1 << 22
"""The most points of a lattice's window: an array of them takes 32 MB."""

GRID_POINTS = 1 << 21
"""The most points of a grid's window: three laws are transformed side by side."""

LEAST_REACH = 8
"""The least window, in standard deviations of the widest part; otherwise the lattice is too
fine."""

LEAST_WINDOW = 16
"""The least number of points of a window."""

_EXACT = 1e-14
"""The accuracy of sums on a lattice: the precision of doubles."""

_LARGEST = 700.0
"""The exponential of a much larger number is not a double."""


@dataclass(frozen=True, slots=True)
class TiltedProduct:
    """A composed loss with upper and lower bounds.

    Attributes:
        profile: the profile of the dominating version, an upper bound on delta; on a lattice, the
            profile of the law itself, which is a lower bound too.
        merged: the merged outcomes, which give lower bounds on delta; None on a lattice.
        room: how many times finer the step can become before a window is too long.
    """

    profile: LossProfile
    merged: MergedLaw | None
    room: float

    def tests(self, reference: float) -> Tests:
        """Return tests around an epsilon; on a lattice, those of the law itself."""
        return self._tested.tests(reference)

    def tests_at(self, references: Floats) -> list[Tests]:
        """Return some tests around each of many epsilons; on a lattice, those of the law itself."""
        return self._tested.tests_at(references)

    @property
    def _tested(self) -> MergedLaw:
        if self.merged is not None:
            return self.merged
        p = self.profile
        return MergedLaw(p.scale, p.law, p.law, p.log_scale, p.log_scale, p.scale_error, p.outside)


def on_common_lattice(direction: Direction, tilt: float) -> TiltedProduct:
    """Compose on the lattice that carries all losses.

    Raises:
        TooLong: the lattice is too fine.
    """
    exact_step = direction.lattice_step
    if exact_step is None:
        raise ValueError("there is no common lattice")
    step = float(exact_step)
    widest = direction.spreads(tilt)[1]
    if not LEAST_REACH * widest <= LATTICE_POINTS * step:
        raise TooLong(LEAST_REACH * widest / step if step else math.inf)
    parts = []
    for source, repeat in direction.parts:
        deadline.check()
        atoms = pruned(source.atoms(step, tilt), step, tilt)
        parts.append((on_lattice(atoms, step, tilt), repeat))
    low, high = reach(parts)
    start, length = _window(low, high)
    (law,) = folded_laws(
        [(parts, start)],
        length,
        decay=tilt * step,
        precision=_EXACT / (1 + tilt),
        most=LATTICE_POINTS,
    )
    return TiltedProduct(
        _profile(direction, parts, law, tilt, exact_step), None, _room([parts], law)
    )


def on_grid(direction: Direction, tilt: float, step: float, precision: float) -> TiltedProduct:
    """Compose with all losses moved to a grid, in the dominating and the merged version.

    Args:
        direction: the direction to compose.
        tilt: of its weights.
        step: of the grid.
        precision: allowed relative error of delta on this grid.

    Raises:
        TooLong: the grid is too fine.
    """
    upper, two_sided = [], []
    for source, repeat in direction.parts:
        deadline.check()
        atoms = pruned(source.atoms(step, tilt), step, tilt)
        upper.append((connected(atoms, step, tilt), repeat))
        two_sided.append((merged(atoms, step, tilt), repeat))
    first = [(pair.first, repeat) for pair, repeat in two_sided]
    second = [(pair.second, repeat) for pair, repeat in two_sided]
    ahead = round(sum(pair.ahead * repeat for pair, repeat in two_sided))
    start, length = _window(*reach(upper))
    laws = folded_laws(
        [(upper, start), (first, start + ahead), (second, start + ahead)],
        length,
        decay=tilt * step,
        precision=precision / (1 + tilt),
        most=GRID_POINTS,
    )
    profile = _profile(direction, upper, laws[0], tilt, Fraction(step))
    log_first, error_first = _log_scale(first)
    log_second, error_second = _log_scale(second)
    law = MergedLaw(
        profile.scale,
        laws[1],
        laws[2],
        log_first,
        log_second,
        max(error_first, error_second),
        outside(first, start + ahead, length),
        ahead,
    )
    return TiltedProduct(profile, law, _room([upper, first, second], laws[0]))


def _profile(
    direction: Direction,
    parts: list[tuple[Tilted, int]],
    law: FoldedLaw,
    tilt: float,
    step: Fraction,
) -> LossProfile:
    slack = RAISED * sum(repeat * tilted.loss_error for tilted, repeat in parts)
    scale = GridScale(float(step), step, direction.offset, tilt, slack, direction.infinite)
    log_scale, error = _log_scale(parts)
    omitted = outside(parts, law.start, law.length)
    return LossProfile(scale, law, log_scale, error, omitted, _omitted(parts))


def _window(low: int, high: int) -> tuple[int, int]:
    """Return the start and the length (a power of two) of a window around the points."""
    length = max(1 << (high - low + 1).bit_length(), LEAST_WINDOW)
    return low - (length - (high - low + 1)) // 2, length


def _room(families: list[list[tuple[Tilted, int]]], law: FoldedLaw) -> float:
    if law.everywhere:
        return GRID_POINTS / law.length
    return GRID_POINTS / max(len(tilted.points) for parts in families for tilted, _ in parts)


def _log_scale(parts: list[tuple[Tilted, int]]) -> tuple[float, float]:
    """Return the logarithm of the divisor of the sum's weights, and a bound on its error."""
    total, size = 0.0, 0.0
    for tilted, repeat in parts:
        total += repeat * tilted.log_total
        size += repeat * abs(tilted.log_total)
    return total, UNIT * size * (len(parts) + 4)


def _omitted(parts: list[tuple[Tilted, int]]) -> float:
    """Return prod (1 + r_i)^k_i - 1, with r_i the omitted part of the tilted weight of source i.

    This is an upper bound on the tilted weight of sums in which at least one outcome was omitted.
    """
    total = sum(
        repeat * float(np.logaddexp(0.0, tilted.log_omitted - tilted.log_total))
        for tilted, repeat in parts
    )
    return RAISED * math.expm1(total) if total < _LARGEST else math.inf
