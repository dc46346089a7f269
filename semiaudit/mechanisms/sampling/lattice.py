"""The whole vectors of a subspace, as all integer combinations of a basis.

The subspace is the span of some rows, or their null space. A basis in echelon form has free
coordinates, in which it is the identity, so that the other coordinates are sums of them. Where
these sums are no whole numbers, the combinations that are whole are found congruence by congruence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.sampling.echelon import Sparse, reduced
from semiaudit.universe.solver.rational_algebra import subtract

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from scipy.sparse import csr_array

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

LONGEST = 2**31
"""Entries of a basis at most: sums of their products are doubles that mean something."""

SKEW = 2.0**-30
"""What is left of the longest direction of a basis in its shortest one, as squares, at least: of
less, inverting in doubles would leave fewer than 22 right bits of the noise."""

_DENSE = 100_000
"""Entries of a matrix that is kept dense."""


@dataclass(frozen=True)
class Lattice:
    """All whole vectors of a subspace.

    Attributes:
        width: how many coordinates a vector has.
        rows: a basis, by coordinate without zeros.
        free: for every row a coordinate where it is 1 and all others are 0; empty if the basis is
            not of that form.
    """

    width: int
    rows: tuple[dict[int, int], ...]
    free: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        """The dimension of the subspace."""
        return len(self.rows)

    @cached_property
    def dense(self) -> Integers:
        """The basis as a matrix: rank x width.

        Raises:
            RefusedError: it has too large entries.
        """
        import numpy as np

        self._check_short()
        found = np.zeros((self.rank, self.width), dtype=np.int64)
        for at, row in enumerate(self.rows):
            for place, k in row.items():
                found[at, place] = k
        return found

    @cached_property
    def dependent(self) -> Integers:
        """The coordinates that are not free, ascending; all of them without free ones."""
        import numpy as np

        return np.setdiff1d(np.arange(self.width), np.array(self.free, dtype=np.int64))

    @cached_property
    def gram(self) -> Floats:
        """The products of the basis's vectors: rank x rank, and safe to be inverted in doubles.

        Raises:
            RefusedError: the basis is too skew for that.
        """
        import numpy as np

        wide = self.dense.astype(float)
        found: Floats = wide @ wide.T
        values = np.linalg.eigvalsh(found)
        if self.rank and not values[0] >= SKEW * values[-1]:
            raise _too_skew()
        return found

    @cached_property
    def inverse(self) -> Floats:
        """From a vector of the subspace to its weights in the basis: rank x width.

        Of any other vector it gives the weights of its orthogonal projection.

        Raises:
            RefusedError: the basis is too skew for doubles.
        """
        import numpy as np

        wide = self.dense.astype(float)
        return np.linalg.solve(self.gram, wide) if self.rank else wide

    def projected(self, vectors: Floats) -> Floats:
        """Weights of the orthogonal projections of any vectors: number x width to number x rank.

        Of a large subspace with free coordinates the basis is [I, A] and its products are I + AA',
        whose inverse is I - A (I + A'A)^-1 A': no matrix of the size of the subspace is inverted.

        Raises:
            RefusedError: the basis is too skew for doubles.
        """
        import numpy as np

        if not self.is_large:
            found: Floats = vectors @ self.inverse.T
            return found
        across = vectors.T
        found = across[self._places] + self.sums.T @ across[self.dependent]
        found -= self.sums.T @ np.linalg.solve(self._dependent_gram, self.sums @ found)
        return found.T

    @property
    def is_large(self) -> bool:
        """Whether the basis is kept sparse, and no product of it is inverted."""
        return bool(self.free) and self._is_sparse

    @property
    def _is_sparse(self) -> bool:
        return len(self.dependent) * self.rank > _DENSE

    @cached_property
    def longest(self) -> int:
        """The largest entry of the basis, without its sign."""
        return max((abs(k) for row in self.rows for k in row.values()), default=0)

    @cached_property
    def dependent_squares(self) -> Floats:
        """A'A of the basis [I, A], free coordinates first: dependent x dependent."""
        import numpy as np
        from scipy.sparse import csr_array

        sums = self.sums
        if isinstance(sums, csr_array):
            return np.asarray((sums @ sums.T).toarray(), dtype=float)
        return sums @ sums.T

    @cached_property
    def _dependent_gram(self) -> Floats:
        import numpy as np

        found: Floats = np.eye(len(self.dependent)) + self.dependent_squares
        if not SKEW * float(np.linalg.eigvalsh(found)[-1]) <= 1:
            raise _too_skew()
        return found

    def weights(self, vector: Sequence[int]) -> tuple[int, ...] | None:
        """The weights of a whole vector, exactly; None where it is not in the subspace."""
        if self.free:
            found = [vector[place] for place in self.free]
        else:
            found = [round(float(w)) for w in self.inverse @ [float(k) for k in vector]]
        left = list(vector)
        for weight, row in zip(found, self.rows, strict=True):
            for place, k in row.items():
                left[place] -= weight * k
        return None if any(left) else tuple(found)

    def vectors(self, weights: Floats) -> Floats:
        """Weights in the basis to vectors: draws x rank to draws x width, best in columns.

        Exact where the weights are whole multiples of one power of 2 and no sum of them has more
        than 53 bits: doubles add such numbers without rounding.
        """
        import numpy as np

        across = weights.T
        if not self.free:
            return (self.sums @ across).T
        found = np.empty((self.width, len(weights)))
        found[self._places] = across
        if len(self.dependent):
            found[self.dependent] = self.sums @ across
        return found.T

    @cached_property
    def _places(self) -> Integers:
        import numpy as np

        return np.array(self.free, dtype=np.int64)

    @cached_property
    def sums(self) -> Floats | csr_array:
        """What the dependent coordinates are sums of: dependent x rank, sparse where it is large.

        A product with a small dense matrix is the faster one.
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
            raise _too_skew()


def _too_skew() -> RefusedError:
    what = (
        "the whole vectors of its noise's subspace have no basis here that is short and straight "
        "enough for doubles: the noise that they give would not be the one that is audited"
    )
    remedy = "take a smaller query, or invariants with smaller numbers"
    return RefusedError(Refusal(what, remedy, "mechanism"))


def everything(width: int) -> Lattice:
    """All whole vectors."""
    return Lattice(width, tuple({place: 1} for place in range(width)), tuple(range(width)))


def null_lattice(rows: Iterable[Sparse], width: int) -> Lattice:
    """The whole vectors v with rows v = 0; the last coordinates are free where that is possible."""
    echelon = reduced(rows, range(width))
    free = [place for place in range(width) if place not in echelon]
    basis: dict[int, dict[int, Fraction]] = {place: {place: Fraction(1)} for place in free}
    for pivot, row in echelon.items():
        for place, k in row.items():
            if place != pivot:
                basis[place][pivot] = -k
    return _whole([basis[place] for place in free], free, width)


def span_lattice(rows: Iterable[Sparse], width: int) -> Lattice:
    """The whole vectors of the span of some rows."""
    echelon = reduced(rows, range(width - 1, -1, -1))
    free = sorted(echelon)
    return _whole([echelon[place] for place in free], free, width)


def _whole(rows: Sequence[Mapping[int, Fraction]], free: Sequence[int], width: int) -> Lattice:
    """All whole combinations of rows that are the identity in their free coordinates."""
    columns: dict[int, dict[int, Fraction]] = {}
    for row in rows:
        for place, k in row.items():
            if k.denominator > 1:
                columns.setdefault(place, {})
    if not columns:
        whole = tuple({place: int(k) for place, k in row.items()} for row in rows)
        return Lattice(width, whole, tuple(free))
    for at, row in enumerate(rows):
        for place in columns:
            if place in row:
                columns[place][at] = row[place]
    # A combination is whole where each of these sums is 0 modulo 1.
    weights = [[int(at == other) for other in range(len(rows))] for at in range(len(rows))]
    for column in columns.values():
        deadline.check()
        modulus = lcm(*(k.denominator for k in column.values()))
        scaled = {at: int(k * modulus) for at, k in column.items()}
        weights = _congruent(weights, scaled, modulus)
    found = []
    for combination in weights:
        total: dict[int, Fraction] = {}
        for at, times in enumerate(combination):
            if times:
                subtract(total, Fraction(-times), rows[at])
        found.append({place: int(k) for place, k in total.items()})
    return Lattice(width, tuple(found))


def _congruent(basis: list[list[int]], row: Mapping[int, int], modulus: int) -> list[list[int]]:
    """A basis of the integer combinations of a basis whose product with a row is 0 mod a number."""

    def value(vector: Sequence[int]) -> int:
        return sum(k * vector[at] for at, k in row.items()) % modulus

    done: list[list[int]] = []
    carried: list[int] | None = None
    for vector in basis:
        # Euclid's algorithm on the values of two vectors leaves one of them with the value 0.
        while value(vector):
            if carried is None:
                carried = vector
                break
            quotient = value(carried) // value(vector)
            rest = [a - quotient * b for a, b in zip(carried, vector, strict=True)]
            carried, vector = vector, rest
        else:
            done.append(vector)
    if carried is not None:
        times = modulus // gcd(modulus, value(carried))
        done.append([times * k for k in carried])
    return done
