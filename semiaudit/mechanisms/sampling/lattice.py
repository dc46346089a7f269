"""The integer vectors of a subspace, as all integer combinations of a basis.

The subspace is the span of some rows, or their null space. A basis in echelon form has free
coordinates, in which it is the identity, so that the other coordinates are sums of them. If these
sums are not integers, or the basis is too skew, an LLL-reduced basis is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import cached_property, dataclass
from semiaudit.numeric.lattices import integer_basis, reduced
from semiaudit.numeric.row_space import RowSpace

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from scipy.sparse import csr_array

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

Sparse = Mapping[int, int | Fraction]
"""A row by coordinate, without zeros."""

LONGEST = 2**31
"""The largest entry of a basis: sums of products of larger entries are not precise in doubles."""

SKEW = 2.0**-30
"""The least eigenvalue over the largest one, of the products of a basis's directions: of less,
inverting in doubles would leave fewer than 22 right bits of the noise."""

_DENSE = 100_000
"""The most entries of a matrix that is stored densely."""


@dataclass(frozen=True)
class Lattice:
    """All integer vectors of a subspace.

    Attributes:
        width: the number of coordinates of a vector.
        rows: a basis, by coordinate without zeros.
        free: for every row, a coordinate in which it is 1 and all others are 0; empty if the basis
            does not have that form.
    """

    width: int
    rows: tuple[dict[int, int], ...]
    free: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        """Return the dimension of the subspace."""
        return len(self.rows)

    @cached_property
    def dense(self) -> Integers:
        """Return the basis as a matrix: rank x width.

        Raises:
            RefusedError: it has too large entries.
        """
        import numpy as np

        self._check_short()
        matrix = np.zeros((self.rank, self.width), dtype=np.int64)
        for at, row in enumerate(self.rows):
            for place, k in row.items():
                matrix[at, place] = k
        return matrix

    @cached_property
    def dependent(self) -> Integers:
        """Return the coordinates that are not free, ascending; all of them if none is free."""
        import numpy as np

        return np.setdiff1d(np.arange(self.width), np.array(self.free, dtype=np.int64))

    @cached_property
    def lengths(self) -> Floats:
        """Return the lengths of the basis vectors."""
        import numpy as np

        squares = [float(sum(k * k for k in row.values())) for row in self.rows]
        lengths: Floats = np.sqrt(np.array(squares))
        return lengths

    @cached_property
    def directions(self) -> Floats:
        """Return the basis vectors over their lengths: rank x width."""
        directions: Floats = self.dense.astype(float) / self.lengths[:, None]
        return directions

    @cached_property
    def cosines(self) -> Floats:
        """Return the products of the directions: rank x rank, and safe to invert in doubles.

        Raises:
            RefusedError: the basis is too skew for that.
        """
        import numpy as np

        cosines: Floats = self.directions @ self.directions.T
        values = np.linalg.eigvalsh(cosines)
        if self.rank and not values[0] >= SKEW * values[-1]:
            raise _too_long()
        return cosines

    @cached_property
    def inverse(self) -> Floats:
        """Return the map from a vector of the subspace to its weights in the basis: rank x width.

        For any other vector, it gives the weights of its orthogonal projection.

        Raises:
            RefusedError: the basis is too skew for doubles.
        """
        import numpy as np

        if not self.rank:
            return self.directions
        inverse: Floats = np.linalg.solve(self.cosines, self.directions) / self.lengths[:, None]
        return inverse

    def projected(self, vectors: Floats) -> Floats:
        """Return weights of orthogonal projections: from number x width to number x rank.

        For a large subspace with free coordinates, the basis is [I, A] and its products are I +
        AA', whose inverse is I - A (I + A'A)^-1 A': no matrix of the size of the subspace is
        inverted.

        Raises:
            RefusedError: the basis is too skew for doubles.
        """
        import numpy as np

        if not self.is_large:
            projected: Floats = vectors @ self.inverse.T
            return projected
        across = vectors.T
        projected = across[self._places] + self.sums.T @ across[self.dependent]
        projected -= self.sums.T @ np.linalg.solve(self._dependent_gram, self.sums @ projected)
        return projected.T

    @property
    def is_large(self) -> bool:
        """Return whether the basis is stored sparsely, and no product of it is inverted."""
        return bool(self.free) and self._is_sparse

    @property
    def _is_sparse(self) -> bool:
        return len(self.dependent) * self.rank > _DENSE

    @property
    def is_straight(self) -> bool:
        """Return whether a basis [I, A] is certainly not too skew.

        No eigenvalue of I + AA' is below 1, nor above its trace.
        """
        squares = sum(k * k for row in self.rows for k in row.values())
        return SKEW * squares <= 1

    @cached_property
    def longest(self) -> int:
        """Return the largest absolute entry of the basis."""
        return max((abs(k) for row in self.rows for k in row.values()), default=0)

    @cached_property
    def reach(self) -> Floats:
        """Return the largest absolute entry of each basis vector."""
        import numpy as np

        return np.array([float(max(map(abs, row.values()))) for row in self.rows])

    @cached_property
    def dependent_squares(self) -> Floats:
        """Return A'A of the basis [I, A], free coordinates first: dependent x dependent."""
        import numpy as np
        from scipy.sparse import csr_array

        sums = self.sums
        if isinstance(sums, csr_array):
            return np.asarray((sums @ sums.T).toarray(), dtype=float)
        return sums @ sums.T

    @cached_property
    def _dependent_gram(self) -> Floats:
        import numpy as np

        gram: Floats = np.eye(len(self.dependent)) + self.dependent_squares
        if not SKEW * float(np.linalg.eigvalsh(gram)[-1]) <= 1:
            raise _too_long()
        return gram

    def weights(self, vector: Sequence[int]) -> tuple[int, ...] | None:
        """Return the exact weights of an integer vector; None if it is not in the subspace."""
        if self.free:
            weights = [vector[place] for place in self.free]
        else:
            weights = [round(float(w)) for w in self.inverse @ [float(k) for k in vector]]
        left = list(vector)
        for weight, row in zip(weights, self.rows, strict=True):
            for place, k in row.items():
                left[place] -= weight * k
        return None if any(left) else tuple(weights)

    def vectors(self, weights: Floats) -> Floats:
        """Map weights in the basis to vectors: draws x rank to draws x width, best in columns.

        The result is exact if the weights are integer multiples of one power of 2 and no sum of
        them has more than 53 bits: doubles add such numbers without rounding.
        """
        import numpy as np

        across = weights.T
        if not self.free:
            return (self.sums @ across).T
        vectors = np.empty((self.width, len(weights)))
        vectors[self._places] = across
        if len(self.dependent):
            vectors[self.dependent] = self.sums @ across
        return vectors.T

    @cached_property
    def _places(self) -> Integers:
        import numpy as np

        return np.array(self.free, dtype=np.int64)

    @cached_property
    def sums(self) -> Floats | csr_array:
        """Return the sums of dependent coordinates: dependent x rank, sparse if it is large.

        Products with a small dense matrix are faster.
        """
        import numpy as np
        from scipy.sparse import csr_array

        if not self._is_sparse:
            return np.ascontiguousarray(self.dense[:, self.dependent].T.astype(float))
        self._check_short()
        place_of = {int(place): at for at, place in enumerate(self.dependent)}
        entries = [
            (place_of[place], at, k)
            for at, row in enumerate(self.rows)
            for place, k in row.items()
            if place in place_of
        ]
        shape = len(self.dependent), self.rank
        if not entries:
            return csr_array(shape)
        places, weights, values = zip(*entries, strict=True)
        return csr_array(([float(k) for k in values], (places, weights)), shape=shape)

    def _check_short(self) -> None:
        if self.longest > LONGEST:
            raise _too_long()


def _too_long() -> RefusedError:
    what = (
        "the subspace of its noise has no basis of small enough whole numbers: with "
        "larger ones, rounding would change the noise, and the audit would not cover it"
    )
    remedy = "use a smaller query, or invariants with smaller numbers"
    return RefusedError(Refusal(what, remedy, "mechanism"))


def everything(width: int) -> Lattice:
    """Return all integer vectors."""
    return Lattice(width, tuple({place: 1} for place in range(width)), tuple(range(width)))


def null_lattice(rows: Iterable[Sparse], width: int) -> Lattice:
    """Return the integer vectors v with rows v = 0; the last coordinates are free if possible."""
    space = RowSpace(rows, limit=None)
    pivots = set(space.pivots)
    return _lattice(space.kernel(width), [c for c in range(width) if c not in pivots], width)


def span_lattice(rows: Iterable[Sparse], width: int) -> Lattice:
    """Return the integer vectors of the span of some rows."""
    space = RowSpace(rows, last=True, limit=None)
    return _lattice([space.row(pivot) for pivot in space.pivots], space.pivots, width)


def _lattice(rows: Sequence[Mapping[int, Fraction]], free: Sequence[int], width: int) -> Lattice:
    """Return all integer combinations of rows that are the identity in their free coordinates.

    The rows are the basis if they are integers, and not too skew; otherwise, the basis is reduced,
    and has no free coordinates.
    """
    whole = integer_basis(rows)
    lattice = Lattice(width, tuple(whole), tuple(free) if whole == list(rows) else ())
    if lattice.free and lattice.is_straight:
        return lattice
    short = reduced(whole)
    return lattice if short is None else Lattice(width, tuple(short))
