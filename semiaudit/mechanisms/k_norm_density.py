"""The density of K-norm noise: gauges, the volumes of K, and the normalizing constant.

Noise for a norm with the unit ball K and a scale s = Delta / epsilon has the density
exp(-||v|| / s) / (Gamma(d + 1) lambda(s K)) on the d-dimensional span of K, in the volume of that
span. Source: Cho and Awan, Proposition 7 and Lemma 29; docs/errata.md, E22, for the constant.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial, lcm
from typing import Literal, assert_never

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import cached_property, dataclass
from semiaudit.mechanisms.sampling.hulls.facets import MAX_DIMENSION, NotFoundError, facets_of
from semiaudit.mechanisms.sampling.hulls.hull_noise import symmetries_of
from semiaudit.mechanisms.sampling.hulls.triangulation import simplices_of
from semiaudit.numeric.intervals import ONE, SQRT_TWO_PI, ZERO, Interval
from semiaudit.numeric.matrices import determinant
from semiaudit.numeric.rationals import exact_sqrt
from semiaudit.numeric.row_space import RowSpace
from semiaudit.universe.sensitivity.gauge import gauge

LARGEST_ENTRY = 10**6
"""The largest entry of a vector whose hull is triangulated."""

LARGEST_NORMAL = 2**62 // (9 * LARGEST_ENTRY)
"""The largest entry of a facet's normal: its products with vectors fit 64 bits."""

Norm = Literal["l1", "l2", "linf"]
Vector = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Volume:
    """A volume as the product of a rational and another number, which is 1 if possible."""

    rational: Fraction
    other: Interval


@dataclass(frozen=True, slots=True)
class NormBall:
    """The unit ball of an l_p norm in a given dimension."""

    norm: Norm
    dimension: int

    def gauge(self, vector: Vector) -> Interval:
        """Return the norm of a vector."""
        match self.norm:
            case "l1":
                return Interval.of(sum(map(abs, vector), Fraction(0)))
            case "l2":
                return Interval.of(sum((k * k for k in vector), Fraction(0))).sqrt()
            case "linf":
                return Interval.of(max(map(abs, vector)))
            case _:
                assert_never(self.norm)

    @property
    def volume(self) -> Volume:
        """Return 2^d / d!, pi^(d/2) / Gamma(d/2 + 1), or 2^d."""
        d = self.dimension
        match self.norm:
            case "l1":
                return Volume(Fraction(2**d, factorial(d)), ONE)
            case "l2":
                return Volume(Fraction(1), _volume_of_round_ball(d))
            case "linf":
                return Volume(Fraction(2**d), ONE)
            case _:
                assert_never(self.norm)


def _volume_of_round_ball(dimension: int) -> Interval:
    """Return V_d = V_(d-2) * 2 pi / d, from V_0 = 1 and V_1 = 2."""
    volume = Interval.of(2) if dimension % 2 else ONE
    for d in range(2 + dimension % 2, dimension + 1, 2):
        volume = volume * SQRT_TWO_PI * SQRT_TWO_PI / Interval.of(d)
    return volume


@dataclass(frozen=True)
class Hull:
    """The convex hull of integer vectors and their opposites.

    Attributes:
        vectors: at least one of each pair of opposite signs; not all are 0.
    """

    vectors: tuple[tuple[int, ...], ...]

    @property
    def dimension(self) -> int:
        """Return the dimension of the span of the vectors."""
        return len(self._basis)

    def gauge(self, vector: Vector) -> Interval | None:
        """Return the least c with ``vector`` in c K, enclosed; None outside of the span of K.

        Raises:
            RefusedError: the linear program has no weights that give the vector exactly.
        """
        if not self._spans(vector):
            return None
        common = lcm(*(k.denominator for k in vector))
        norm = gauge(self.vectors, [int(k * common) for k in vector])
        if norm is None:
            what = "the gauge of this vector could not be certified"
            raise RefusedError(Refusal(what, "use a vector with smaller numbers"))
        return Interval.hull(Interval.of(norm.low / common), Interval.of(norm.high / common))

    @cached_property
    def volume(self) -> Volume:
        """Return the volume in the span, from a triangulation of the facets in integers.

        It is the volume in the pivot coordinates of a basis of the span, times the square root of
        the Gram determinant of that basis.

        Raises:
            RefusedError: the numbers or the dimension are too large, or a facet has no integer
                form.
        """
        largest = max(abs(k) for vector in self.vectors for k in vector)
        if self.dimension > MAX_DIMENSION or largest > LARGEST_ENTRY:
            what = f"K has more than {MAX_DIMENSION} dimensions, or a number above {LARGEST_ENTRY}"
            raise RefusedError(Refusal(what, "use the gauge instead, which has no such limit"))
        basis = [self._basis[pivot] for pivot in sorted(self._basis)]
        gram = [
            [sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0)) for y in basis]
            for x in basis
        ]
        try:
            inside = self._volume_of_coordinates()
        except NotFoundError:
            what = "a facet of the hull could not be computed in whole numbers"
            raise RefusedError(
                Refusal(what, "use the gauge instead, which needs no facets")
            ) from None
        square = determinant(gram)
        root = exact_sqrt(square)
        if root is None:
            return Volume(inside, Interval.of(square).sqrt())
        return Volume(inside * root, ONE)

    def _volume_of_coordinates(self) -> Fraction:
        """Return the volume in the pivot coordinates, a sum over simplices with a corner at 0."""
        import numpy as np

        pivots = sorted(self._basis)
        listed = {tuple(vector[pivot] for pivot in pivots) for vector in self.vectors}
        corners = sorted({v for w in listed for v in (w, tuple(-k for k in w)) if any(v)})
        points = np.array(corners, dtype=np.int64)
        _, _, images = symmetries_of(points, ())
        total = Fraction(0)
        for facet in facets_of(points, images):
            if max(map(abs, facet.normal)) > LARGEST_NORMAL:  # products would not fit 64 bits
                raise NotFoundError
            for simplex in simplices_of(facet, len(pivots)):
                rows = [[Fraction(k) for k in corners[at]] for at in simplex]
                total += facet.images * abs(determinant(rows))
        return total / factorial(len(pivots))

    def _spans(self, vector: Vector) -> bool:
        residual = [Fraction(0)] * len(vector)
        for pivot, row in self._basis.items():
            residual = [a + vector[pivot] * b for a, b in zip(residual, row, strict=True)]
        return tuple(residual) == vector

    @cached_property
    def _basis(self) -> dict[int, Vector]:
        width = range(len(self.vectors[0]))
        sparse = [{at: Fraction(k) for at, k in enumerate(v) if k} for v in self.vectors]
        space = RowSpace(sparse, limit=None)
        rows = {pivot: space.row(pivot) for pivot in space.pivots}
        return {
            pivot: tuple(Fraction(row.get(at, 0)) for at in width) for pivot, row in rows.items()
        }


def normalizing_constant(ball: NormBall | Hull, scale: Fraction) -> Interval:
    """Return Gamma(d + 1) lambda(scale K): exp(-||v|| / scale) integrated over the span of K."""
    volume = ball.volume
    rational = factorial(ball.dimension) * scale**ball.dimension * volume.rational
    return Interval.of(rational) * volume.other


def density(ball: NormBall | Hull, scale: Fraction, vector: Vector) -> Interval:
    """Return the density at a vector; 0 outside of the span of K."""
    norm = ball.gauge(vector)
    if norm is None:
        return ZERO
    return (-(norm / Interval.of(scale))).exp() / normalizing_constant(ball, scale)
