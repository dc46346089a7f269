"""The integer vectors of a subspace, by a basis, and discrete Gaussian noise on them.

The subspace is the span of some rows, or their null space. A basis in echelon form has free
coordinates, in which it is the identity, so that the other coordinates are sums of them. If these
sums are not integers, or the basis is too skew, an LLL-reduced basis is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from math import ceil, isqrt, lcm
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import cached_property, dataclass
from semiaudit.mechanisms.sampling.integers import DiscreteGaussianSampler
from semiaudit.mechanisms.sampling.randomness import Randomness
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

_INVERTED = 500
"""The largest rank of a basis with free coordinates whose products are inverted."""

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
        """Return the coordinates that follow from free ones, ascending; all if none is free.

        The others are 0 in every vector: no record changes them.
        """
        import numpy as np

        if not self.free:
            return np.arange(self.width)
        moved = {place for row in self.rows for place in row}
        return np.array(sorted(moved.difference(self.free)), dtype=np.int64)

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

        if self.free and not len(self.dependent):
            return vectors[:, self._places]
        if not self.is_large:
            projected: Floats = vectors @ self.inverse.T
            return projected
        across = vectors.T
        projected = across[self._places] + self.sums.T @ across[self.dependent]
        projected -= self.sums.T @ np.linalg.solve(self._dependent_gram, self.sums @ projected)
        return projected.T

    @property
    def is_large(self) -> bool:
        """Return whether no matrix of the size of the basis is inverted."""
        return bool(self.free) and (self._is_sparse or self.rank > _INVERTED)

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
        residual = list(vector)
        for weight, row in zip(weights, self.rows, strict=True):
            for place, k in row.items():
                residual[place] -= weight * k
        return None if any(residual) else tuple(weights)

    def vectors(self, weights: Floats) -> Floats:
        """Map weights in the basis to vectors: draws x rank to draws x width, best in columns.

        The result is exact if the weights are integer multiples of one power of 2 and no sum of
        them has more than 53 bits: doubles add such numbers without rounding.
        """
        import numpy as np

        across = weights.T
        if not self.free:
            return (self.sums @ across).T
        vectors = np.zeros((self.width, len(weights)))
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
            return csr_array(shape) if self._is_sparse else np.zeros(shape)
        places, weights, values = zip(*entries, strict=True)
        sums = csr_array(([float(k) for k in values], (places, weights)), shape=shape)
        return sums if self._is_sparse else sums.toarray()

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


def everything(width: int, places: Sequence[int] | None = None) -> Lattice:
    """Return all integer vectors that are 0 except at some places; by default, all vectors."""
    free = tuple(range(width) if places is None else places)
    return Lattice(width, tuple({place: 1} for place in free), free)


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
    basis = integer_basis(rows)
    lattice = Lattice(width, tuple(basis), tuple(free) if basis == list(rows) else ())
    if lattice.free and lattice.is_straight:
        return lattice
    short = reduced(basis)
    return lattice if short is None else Lattice(width, tuple(short))


MAX_RANK = 250
"""The most vectors of a basis that is orthogonalized in fractions."""

MAX_CHAINED = 50_000
"""The largest rank of lattices that are orthogonalized in closed form."""

After = list[tuple[int, list[tuple[int, int]]]]
"""For every basis vector, the components of later ones along it: a common divisor with
numerators."""

WIDE = 4
"""Variances from which the center of a discrete Gaussian hardly changes its mass."""

_BITS = 64
_DIGITS = 30


class LatticeGaussian:
    """Exact sampling of the discrete Gaussian on a lattice.

    Raises:
        RefusedError: the rank is above ``MAX_RANK``, or above ``MAX_CHAINED`` where the lattice is
            that of totals.
    """

    def __init__(self, lattice: Lattice, sigma_squared: Fraction) -> None:
        totals = _totals(lattice)
        most = MAX_RANK if totals is None else MAX_CHAINED
        if lattice.rank > most:
            what = (
                f"the subspace of the noise has {lattice.rank} dimensions, and exact samples "
                f"are limited to {most}"
            )
            remedy = "use gaussian noise, or smaller queries"
            raise RefusedError(Refusal(what, remedy, "mechanism"))
        self.lattice = lattice
        if totals is None:
            lengths, self._after = _orthogonal(lattice)
        else:
            self.lattice, lengths, self._after = _chained(totals, lattice.width)
        laws = {length: _OneWeight(sigma_squared / length) for length in set(lengths)}
        self._one = [laws[length] for length in lengths]

    def draw(self, source: Randomness) -> list[int]:
        """Sample one vector."""
        rank = self.lattice.rank
        while True:
            deadline.check()
            weights = [0] * rank
            for at in range(rank - 1, -1, -1):
                divisor, later = self._after[at]
                dot = sum(weights[other] * k for other, k in later)
                coefficient = self._one[at].draw(Fraction(-dot, divisor), source)
                if coefficient is None:
                    break
                weights[at] = coefficient
            else:
                vector = [0] * self.lattice.width
                for weight, row in zip(weights, self.lattice.rows, strict=True):
                    for place, k in row.items():
                        vector[place] += weight * k
                return vector


class _OneWeight:
    """A discrete Gaussian integer around a center, or None if the sample is rejected."""

    def __init__(self, sigma_squared: Fraction) -> None:
        self.sigma_squared = sigma_squared
        self.law = DiscreteGaussianSampler(sigma_squared)
        # The center 1/2 has the least mass: below this number of 2^64, every center accepts the
        # sample. By Poisson summation, it differs from 1 by less than 5 exp(-2 pi^2 sigma^2), which
        # is below 2^-64 for sigma^2 >= 4.
        self.always = 2**_BITS - 1
        if sigma_squared < WIDE:
            low, _ = _kept(sigma_squared, Fraction(1, 2), _DIGITS)
            self.always = int(low * 2**_BITS)

    def draw(self, center: Fraction, source: Randomness) -> int | None:
        """Sample around a center; None if the sample is rejected.

        Rejection depends only on the center, and is decided first: around a center that rejects
        nearly all samples, one sample would take as long as waiting for an accepted one.
        """
        return self.law.draw(source, center) if self._keeps(center, source) else None

    def _keeps(self, center: Fraction, source: Randomness) -> bool:
        point, bits, digits = source.bits(_BITS), _BITS, _DIGITS
        if point < self.always or center.denominator == 1:
            return True
        while True:
            low, high = _kept(self.sigma_squared, center, digits)
            if Fraction(point + 1, 2**bits) <= low:
                return True
            if Fraction(point, 2**bits) >= high:
                return False
            point, bits = point << _BITS | source.bits(_BITS), bits + _BITS
            digits += _DIGITS


def _kept(sigma_squared: Fraction, center: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return an enclosure of rho(Z - center) / rho(Z)."""
    shifted = _mass(sigma_squared, center - round(center), digits)
    plain = _mass(sigma_squared, Fraction(0), digits)
    return shifted[0] / plain[1], min(shifted[1] / plain[0], Fraction(1))


def _mass(sigma_squared: Fraction, center: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Enclose the sum over k of exp(-(k - center)^2 / (2 sigma_squared)), |center| <= 1/2.

    Terms are left out where the exponent is above 3 digits + 9: from there each is less than the
    one before times exp(-1/(2 sigma^2)), and all of them weigh less than 10^-digits. A term that is
    kept misses its value by less than a part of 10^-digits: it is computed to 8 more, which the
    rounding of an exponent of at most 10^4 uses half of.
    """
    context = Context(prec=digits + 8)
    reach = isqrt(ceil(2 * sigma_squared * (3 * digits + 9))) + 2
    total = Decimal(0)
    for k in range(-reach, reach + 1):
        exponent = (k - center) ** 2 / (2 * sigma_squared)
        ratio = context.divide(Decimal(-exponent.numerator), Decimal(exponent.denominator))
        total = context.add(total, context.exp(ratio))
    mass, slack = Fraction(total), Fraction(1, 10**digits)
    return mass * (1 - slack), mass * (1 + slack) + slack * (1 + ceil(sigma_squared))


def _totals(lattice: Lattice) -> list[list[int]] | None:
    """Disjoint sets of coordinates, if the lattice is that of all whole vectors whose sums over
    each of them are 0, and which are 0 elsewhere; else None."""
    groups: dict[int, list[int]] = {}
    for row, free in zip(lattice.rows, lattice.free, strict=False):
        others = [place for place in row if place != free]
        if len(others) != 1 or row[others[0]] != -1:
            return None
        groups.setdefault(others[0], [others[0]]).append(free)
    return list(groups.values()) if groups and len(lattice.free) == lattice.rank else None


def _chained(totals: Sequence[Sequence[int]], width: int) -> tuple[Lattice, list[Fraction], After]:
    """Return the lattice of totals with the orthogonalized basis of b_i = e_i - e_(i+1).

    In a total of its own b_i has the product -1 with b_(i+1) and 0 with all others, so that what is
    left of it after the earlier ones has the square (i + 1)/i, and b_(i+1) has -i/(i + 1) along it.
    """
    rows: list[dict[int, int]] = []
    lengths: list[Fraction] = []
    after: After = []
    for places in totals:
        for i in range(1, len(places)):
            rows.append({places[i - 1]: 1, places[i]: -1})
            lengths.append(Fraction(i + 1, i))
            last = i + 1 == len(places)
            after.append((1, []) if last else (i + 1, [(len(rows), -i)]))
    return Lattice(width, tuple(rows)), lengths, after


def _orthogonal(lattice: Lattice) -> tuple[list[Fraction], After]:
    """Return the squared Gram-Schmidt lengths of a basis, and the later vectors' components.

    Returns:
        For every vector b_i, the squared length of its rest after the earlier ones are eliminated;
        and mu_ji for the later ones j, as a common divisor with numerators.
    """
    rows, rank = lattice.rows, lattice.rank
    lengths: list[Fraction] = []
    along: list[list[Fraction]] = []
    for i in range(rank):
        deadline.check()
        residual: list[Fraction] = []
        for j in range(i + 1):
            shared = rows[i].keys() & rows[j].keys()
            value = Fraction(sum(rows[i][place] * rows[j][place] for place in shared))
            known = along[j] if j < i else [r / d for r, d in zip(residual, lengths, strict=True)]
            for mu, r in zip(known, residual, strict=True):
                if mu and r:
                    value -= mu * r
            residual.append(value)
        lengths.append(residual.pop())
        along.append([r / d for r, d in zip(residual, lengths, strict=False)])
    after: After = []
    for i in range(rank):
        column = {j: along[j][i] for j in range(i + 1, rank) if along[j][i]}
        divisor = lcm(*(mu.denominator for mu in column.values()))
        after.append((divisor, [(j, int(mu * divisor)) for j, mu in column.items()]))
    return lengths, after
