"""Exact discrete Gaussian noise on the integer vectors of a subspace.

Mass proportional to exp(-|v|^2 / (2 sigma_squared)). With the Gram-Schmidt lengths d_i of a basis,
|v|^2 = sum d_i (w_i - c_i)^2, where the center c_i depends on the later weights alone: the weights
are drawn from the last to the first (Klein 2000). That misses the law by the product of the sums
rho_i(Z - c_i), which depend on the centers, so that the draw is kept with probability
rho_i(Z - c_i) / rho_i(Z) for every i: at most 1, since a center at a whole number is the heaviest,
and decided by random bits against an enclosure that gets as narrow as it takes.

Source: Klein, Finding the closest lattice vector when it's unusually close (SODA 2000); the
rejection as in Brakerski, Langlois, Peikert, Regev and Stehle (STOC 2013), section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from math import ceil, isqrt, lcm

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.sampling.integers import DiscreteGaussianSampler
from semiaudit.mechanisms.sampling.lattice import Lattice
from semiaudit.mechanisms.sampling.randomness import Randomness

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
        left: list[Fraction] = []
        for j in range(i + 1):
            shared = rows[i].keys() & rows[j].keys()
            value = Fraction(sum(rows[i][place] * rows[j][place] for place in shared))
            known = along[j] if j < i else [r / d for r, d in zip(left, lengths, strict=True)]
            for mu, r in zip(known, left, strict=True):
                if mu and r:
                    value -= mu * r
            left.append(value)
        lengths.append(left.pop())
        along.append([r / d for r, d in zip(left, lengths, strict=False)])
    after: After = []
    for i in range(rank):
        column = {j: along[j][i] for j in range(i + 1, rank) if along[j][i]}
        divisor = lcm(*(mu.denominator for mu in column.values()))
        after.append((divisor, [(j, int(mu * divisor)) for j, mu in column.items()]))
    return lengths, after
