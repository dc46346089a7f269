"""Exact symmetric positive semidefinite matrices: their test, lengths u'A+u, and projections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, TypeAlias

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.numeric.matrices import inverse

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Vectors = Sequence[Sequence[int | Fraction]]
Whole: TypeAlias = "npt.NDArray[np.object_]"
"""Python's own integers, which have no maximum."""

CHUNK = 2_000
"""Vectors that are multiplied between two checks of the time limit."""

UNIT = 2.0**-53


@dataclass(frozen=True, slots=True)
class Elimination:
    """The elimination of a symmetric matrix.

    Attributes:
        pivots: indices of a regular submatrix with the matrix's rank, if the matrix is positive
            semidefinite; otherwise the pivots before this was disproven.
        bad: a row that disproves that the matrix is positive semidefinite; None if it is.
        rows: for every pivot, integers l by index and an integer d. If the matrix is positive
            semidefinite, it is the sum of l l' / d.
    """

    pivots: tuple[int, ...]
    bad: int | None
    rows: tuple[tuple[dict[int, int], int], ...] = ()


def eliminated(matrix: Sequence[Sequence[Fraction]]) -> Elimination:
    """Eliminate a symmetric matrix; the next pivot is the largest entry of the diagonal.

    The rest after each pivot is a Schur complement times a positive number. It is not semidefinite
    if its diagonal has a negative entry, or a 0 with a nonzero entry in its row; it is if it is 0.
    The entries stay integers, each a minor of the matrix (Bareiss 1968).

    Args:
        matrix: symmetric.
    """
    common = lcm(*(value.denominator for row in matrix for value in row), 1)
    rows = [[int(value * common) for value in row] for row in matrix]
    shared = gcd(*(value for row in rows for value in row)) or 1
    rows = [[value // shared for value in row] for row in rows]
    remaining = list(range(len(rows)))
    pivots: list[int] = []
    eliminated_rows: list[tuple[dict[int, int], int]] = []
    before = 1
    while remaining:
        pivot = max(remaining, key=lambda at: rows[at][at])
        worst = min(remaining, key=lambda at: rows[at][at])
        if rows[worst][worst] < 0:
            return Elimination(tuple(pivots), worst)
        top = rows[pivot][pivot]
        if not top:
            coupled = (at for at in remaining if any(rows[at][other] for other in remaining))
            return Elimination(tuple(pivots), next(coupled, None), tuple(eliminated_rows))
        pivots.append(pivot)
        # The minors of this pivot: the complement's row is these over the last pivot's minor.
        minors = {at: shared * rows[pivot][at] for at in remaining if rows[pivot][at]}
        eliminated_rows.append((minors, shared * common * top * before))
        remaining.remove(pivot)
        for place, at in enumerate(remaining):
            factor = rows[at][pivot]
            for other in remaining[place:]:
                value = (top * rows[at][other] - factor * rows[pivot][other]) // before
                rows[at][other] = rows[other][at] = value
        before = top
    return Elimination(tuple(pivots), None, tuple(eliminated_rows))


class Semidefinite:
    """A symmetric positive semidefinite matrix A of rationals.

    With P the indices of a regular submatrix of A's own rank, u'A+u = u_P' (A_PP)^-1 u_P for every
    u in A's range: any solution x of A x = u gives u'A+u = u'x, and one is 0 outside P.

    Attributes:
        places: P, in the order of the pivots.
        factor: c if A is c times an orthogonal projector, so that u'A+u = u'u / c; else None.
    """

    def __init__(self, matrix: Sequence[Sequence[Fraction]]) -> None:
        self.size = len(matrix)
        self.places = list(eliminated(matrix).pivots)
        self.others = [at for at in range(self.size) if at not in set(self.places)]
        common = lcm(*(value.denominator for row in matrix for value in row), 1)
        integers = [[int(value * common) for value in row] for row in matrix]
        within = [[integers[at][other] for other in self.places] for at in self.places]
        # (A_PP)^-1 = inverse / scale.
        numerators, determinant = inverse(within)
        adjugate = _whole(numerators).reshape(len(within), len(within))
        self.inverse: Whole = adjugate * common
        self.scale = determinant
        outside = _whole([[integers[at][other] for other in self.places] for at in self.others])
        outside = outside.reshape(len(self.others), len(self.places))
        # u is in the range if and only if its other entries are these of u_P.
        self.rest: Whole = outside @ adjugate
        self.determinant = determinant
        self.factor = self._factor(_whole(integers).reshape(self.size, self.size), common)

    def _factor(self, integers: Whole, common: int) -> Fraction | None:
        """Return c if A is c times a projector, A A = c A; None if it is not, or if A is 0."""
        if not self.places:
            return None
        trace = Fraction(sum(int(integers[at, at]) for at in range(self.size)), common)
        factor = trace / len(self.places)
        deadline.check()
        equal = (integers @ integers) * factor.denominator == integers * (factor.numerator * common)
        return factor if equal.all() else None

    @property
    def rank(self) -> int:
        """Return the rank of A."""
        return len(self.places)

    def outside(self, vectors: Vectors) -> int | None:
        """Return the first vector that is not in A's range; None if all are."""
        import numpy as np

        for start in range(0, len(vectors), CHUNK):
            deadline.check()
            integers, _ = _scaled(vectors[start : start + CHUNK], self.size)
            predicted = integers[:, self.places] @ self.rest.T
            wrong = np.any(predicted != integers[:, self.others] * self.determinant, axis=1)
            if wrong.any():
                return start + int(np.argmax(wrong))
        return None

    def largest(self, vectors: Vectors) -> Fraction:
        """Return the largest u'A+u of some vectors in A's range, exactly; 0 if there are none.

        Doubles select the vectors that can attain it: each value's error is at most (2r + 20) units
        in the last place of the sum of its absolute terms (Higham 2002, section 3.1), which is
        doubled.
        """
        import numpy as np

        best = Fraction(0)
        inverse = np.array(
            [[float(Fraction(value, self.scale)) for value in row] for row in self.inverse],
            dtype=float,
        ).reshape(self.rank, self.rank)
        for start in range(0, len(vectors), CHUNK):
            deadline.check()
            some = vectors[start : start + CHUNK]
            inside = np.array([[float(row[at]) for at in self.places] for row in some], dtype=float)
            inside = inside.reshape(len(some), self.rank)
            with np.errstate(all="ignore"):
                value = ((inside @ inverse) * inside).sum(axis=1)
                error = ((np.abs(inside) @ np.abs(inverse)) * np.abs(inside)).sum(axis=1)
                error *= 2 * (2 * self.rank + 20) * UNIT
                candidates = ~(value + error < max(np.max(value - error, initial=0.0), float(best)))
            if not np.isfinite(value).all() or not np.isfinite(error).all():
                candidates[:] = True
            for at in np.flatnonzero(candidates):
                best = max(best, self.square(some[int(at)]))
        return best

    def square(self, vector: Sequence[int | Fraction]) -> Fraction:
        """Return u'A+u of one vector in A's range."""
        integers, scales = _scaled([vector], self.size)
        inside = integers[0, self.places]
        return Fraction(int(inside @ self.inverse @ inside), self.scale * scales[0] ** 2)


class RowsOf:
    """The rows of a matrix B: the vectors B'w, their weights w, and projections on them.

    Attributes:
        rank: of B.
        independent: whether the rows are independent, so that w is unique; otherwise some rows get
            the weight 0.
    """

    def __init__(self, rows: Vectors) -> None:
        width = len(rows[0]) if rows else 0
        integers, scales = _scaled(rows, width)
        gram = [
            _fractions(products, [scale * other for other in scales])
            for products, scale in zip((integers @ integers.T).tolist(), scales, strict=True)
        ]
        form = Semidefinite(gram)
        self._number, self._places = len(rows), form.places
        self.rank = form.rank
        self.independent = form.rank == len(rows)
        # The rows at the places are _steps / _common.
        self._common = lcm(*(scales[at] for at in form.places), 1)
        self._steps: Whole = _whole(
            [[value * (self._common // scales[at]) for value in integers[at]] for at in form.places]
        ).reshape(self.rank, width)
        self._inverse: Whole = self._steps.T @ form.inverse
        self._divisor = form.scale * self._common

    def weights(self, vector: Sequence[int | Fraction]) -> tuple[Fraction, ...]:
        """Return w = (BB')^-1 B u; B'w is the orthogonal projection of u."""
        return self._weights([vector])[0]

    def project(self, vector: Sequence[int | Fraction]) -> tuple[Fraction, ...]:
        """Project a vector orthogonally on the span of the rows."""
        return self.project_all([vector])[0]

    def project_all(self, vectors: Vectors) -> list[tuple[Fraction, ...]]:
        """Project vectors orthogonally on the span of the rows."""
        projections: list[tuple[Fraction, ...]] = []
        for some in _chunks(vectors):
            integers, scales = _scaled(some, len(some[0]))
            projected = self._solved(integers) @ self._steps_of(len(some[0]))
            divisors = [self._divisor * self._common * scale for scale in scales]
            projections += _over(projected, divisors)
        return projections

    def span(self, vectors: Vectors) -> bool:
        """Return whether each vector is B'w for some w."""
        for some in _chunks(vectors):
            integers, _ = _scaled(some, len(some[0]))
            projected = self._solved(integers) @ self._steps_of(len(some[0]))
            if (projected != integers * (self._divisor * self._common)).any():
                return False
        return True

    def all_weights(self, vectors: Vectors) -> list[tuple[Fraction, ...]] | None:
        """Return w with B'w = v for each vector v; None if some vector has none."""
        return self._weights(vectors) if self.span(vectors) else None

    def _weights(self, vectors: Vectors) -> list[tuple[Fraction, ...]]:
        import numpy as np

        solutions: list[tuple[Fraction, ...]] = []
        for some in _chunks(vectors):
            integers, scales = _scaled(some, len(some[0]))
            weights = np.zeros((len(some), self._number), dtype=object)
            weights[:, self._places] = self._solved(integers)
            solutions += _over(weights, [self._divisor * scale for scale in scales])
        return solutions

    def _solved(self, integers: Whole) -> Whole:
        solved: Whole = integers @ self._inverse.reshape(integers.shape[1], self.rank)
        return solved

    def _steps_of(self, width: int) -> Whole:
        return self._steps.reshape(self.rank, width)


def _chunks(vectors: Vectors) -> Iterator[Vectors]:
    for start in range(0, len(vectors), CHUNK):
        deadline.check()
        yield vectors[start : start + CHUNK]


def _over(numerators: Whole, divisors: Sequence[int]) -> list[tuple[Fraction, ...]]:
    return [
        _fractions(row, [divisor] * len(row))
        for row, divisor in zip(numerators.tolist(), divisors, strict=True)
    ]


def _fractions(numerators: Sequence[int], divisors: Sequence[int]) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, numerators, divisors))


def _whole(rows: Sequence[Sequence[int]]) -> Whole:
    import numpy as np

    return np.array([list(row) for row in rows], dtype=object)


def _scaled(vectors: Vectors, width: int) -> tuple[Whole, list[int]]:
    scales = [lcm(*(Fraction(value).denominator for value in row), 1) for row in vectors]
    rows = [
        [int(value * scale) for value in row] for row, scale in zip(vectors, scales, strict=True)
    ]
    return _whole(rows).reshape(len(rows), width), scales
