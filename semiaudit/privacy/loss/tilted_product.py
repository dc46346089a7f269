"""A product of pairs composed at one tilt and one step: its profile from above, and from below."""

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
"""Points of a lattice's window, at most: an array of them takes 32 MB."""

GRID_POINTS = 1 << 21
"""Points of a grid's window, at most: three laws are transformed side by side."""

LEAST_REACH = 8
"""A window has this many standard deviations of the widest part, or the lattice is too fine."""

LEAST_WINDOW = 16
"""Points of a window, at least."""

_EXACT = 1e-14
"""The accuracy of sums on a lattice: as precise as doubles allow."""

_LARGEST = 700.0
"""The exponential of a much larger number is no double."""


@dataclass(frozen=True, slots=True)
class TiltedProduct:
    """A composed loss, bounded from above and from below.

    Attributes:
        profile: of the dominating version, which bounds delta from above; on a lattice of the law
            itself, which bounds it from below too.
        merged: the merged outcomes, which bound delta from below; None on a lattice.
        room: how many times finer the step may become before a window is too long.
    """

    profile: LossProfile
    merged: MergedLaw | None
    room: float

    def tests(self, reference: float) -> Tests:
        """Tests around an epsilon; on a lattice those of the law itself."""
        return self._tested.tests(reference)

    def tests_at(self, references: Floats) -> list[Tests]:
        """Some tests around each of many epsilons; on a lattice those of the law itself."""
        return self._tested.tests_at(references)

    @property
    def _tested(self) -> MergedLaw:
        if self.merged is not None:
            return self.merged
        own = self.profile
        return MergedLaw(
            own.scale, own.law, own.law, own.log_scale, own.log_scale, own.scale_error, own.outside
        )


def on_common_lattice(direction: Direction, tilt: float) -> TiltedProduct:
    """The composition on the lattice that carries all losses.

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
    """The composition with all losses moved to a grid, in the dominating and the merged way.

    Args:
        direction: what to compose.
        tilt: of its weights.
        step: of the grid.
        precision: relative error of delta that the calculation may have on this grid.

    Raises:
        TooLong: the grid is too fine.
    """
    upper, both = [], []
    for source, repeat in direction.parts:
        deadline.check()
        atoms = pruned(source.atoms(step, tilt), step, tilt)
        upper.append((connected(atoms, step, tilt), repeat))
        both.append((merged(atoms, step, tilt), repeat))
    first = [(pair.first, repeat) for pair, repeat in both]
    second = [(pair.second, repeat) for pair, repeat in both]
    ahead = round(sum(pair.ahead * repeat for pair, repeat in both))
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
    lost = outside(parts, law.start, law.length)
    return LossProfile(scale, law, log_scale, error, lost, _omitted(parts))


def _window(low: int, high: int) -> tuple[int, int]:
    """Start and length, a power of two, with the points in the middle."""
    length = max(1 << (high - low + 1).bit_length(), LEAST_WINDOW)
    return low - (length - (high - low + 1)) // 2, length


def _room(families: list[list[tuple[Tilted, int]]], law: FoldedLaw) -> float:
    """How many times finer the step may become."""
    if law.everywhere:
        return GRID_POINTS / law.length
    return GRID_POINTS / max(len(tilted.points) for parts in families for tilted, _ in parts)


def _log_scale(parts: list[tuple[Tilted, int]]) -> tuple[float, float]:
    """The logarithm of what the weights of the sum were divided by, and a bound on its error."""
    total, size = 0.0, 0.0
    for tilted, repeat in parts:
        total += repeat * tilted.log_total
        size += repeat * abs(tilted.log_total)
    return total, UNIT * size * (len(parts) + 4)


def _omitted(parts: list[tuple[Tilted, int]]) -> float:
    """prod (1 + r_i)^k_i - 1 with r_i the omitted part of the tilted weight of source i.

    A sum in which at least one outcome was omitted has this tilted weight, from above.
    """
    total = sum(
        repeat * float(np.logaddexp(0.0, tilted.log_omitted - tilted.log_total))
        for tilted, repeat in parts
    )
    return RAISED * math.expm1(total) if total < _LARGEST else math.inf
