"""The laws of sums of noise: by how much a count misses if it is a sum of noisy answers.

The numbers are exact up to rounding in floating point. They describe errors, and prove no privacy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import ceil, exp, log, sqrt

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import erfc, gammaincc, gammaln

from semiaudit.frozen import dataclass
from semiaudit.model.mechanism import (
    CorrelatedGaussian,
    DiscreteGaussian,
    DiscreteLaplace,
    FiniteNoise,
    Gaussian,
    Laplace,
    NoisePart,
)
from semiaudit.model.query import Query
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

MOST_ENTRIES = 20_000_000
"""The most entries of a basis of connected rows, which is orthogonalized in doubles."""

MOST_MASSES = 4_000_000
"""The most values of discrete noise whose probabilities are computed."""

_NEGLIGIBLE = 1e-18


class NormalError:
    """A normal distribution; of variance 0, the constant 0.

    As of the other laws: ``square`` is its variance, ``absolute`` the mean of its absolute value,
    and ``whole`` says whether it is on the integers.
    """

    whole = False

    def __init__(self, square: float) -> None:
        self.square, self.absolute = square, sqrt(2 * square / np.pi)

    def beyond(self, sizes: Floats) -> Floats:
        """Return the probability that the absolute error exceeds each size."""
        if not self.square:
            return np.zeros_like(sizes)
        return np.asarray(erfc(sizes / sqrt(2 * self.square)))


class LaplaceSum:
    """A sum of independent Laplace variables: a difference of two Gamma variables of shape n.

    Let two processes of exponential waiting times race to n events. If the loser is at k then, the
    difference is a sum of the n - k waiting times that it still needs, so the absolute value is a
    mixture of Gamma distributions.
    """

    whole = False

    def __init__(self, number: int, scale: float) -> None:
        behind = np.arange(number)
        ways = gammaln(number + behind) - gammaln(number) - gammaln(behind + 1)
        weights = np.exp(ways + (1 - number - behind) * log(2))
        kept = weights > _NEGLIGIBLE
        self._weights, self._shapes = weights[kept], (number - behind)[kept]
        self._scale = scale
        self.square = 2 * number * scale**2
        self.absolute = float(scale * (self._weights @ self._shapes))

    def beyond(self, sizes: Floats) -> Floats:
        """Return the probability that the absolute error exceeds each size."""
        total = np.zeros_like(sizes)
        for weight, shape in zip(self._weights, self._shapes, strict=True):
            total += weight * gammaincc(shape, sizes / self._scale)
        return total


class WholeSum:
    """A sum of independent symmetric variables on the integers.

    Args:
        masses: the probabilities of the values 0, 1, ..., up to a factor.
    """

    whole = True

    def __init__(self, masses: Floats, number: int) -> None:
        values = np.arange(masses.size)
        total = masses[0] + 2 * masses[1:].sum()
        variance = float(2 * (masses * values**2).sum() / total)
        self.square = number * variance
        # Beyond twelve standard deviations and one variable's own reach, the mass is below 1e-18.
        reach = min(number * (masses.size - 1), ceil(12 * sqrt(self.square)) + masses.size)
        if number == 1:
            folded = masses / total
            folded[1:] *= 2
        else:
            length = 1 << (2 * reach + 1).bit_length()
            law = np.zeros(length)
            law[: masses.size] = masses / total
            law[length - masses.size + 1 :] = law[masses.size - 1 : 0 : -1]
            power = np.fft.irfft(np.fft.rfft(law).real ** number, length)
            folded = np.maximum(power[: reach + 1], 0)
            folded[1:] *= 2
        self.absolute = float(folded @ np.arange(folded.size))
        self._beyond = np.append(np.cumsum(folded[:0:-1])[::-1], 0.0)

    def beyond(self, sizes: Floats) -> Floats:
        """Return the probability that the absolute error exceeds each size."""
        at = np.minimum(np.floor(sizes), self._beyond.size - 1).astype(np.int64)
        return self._beyond[at]


Law = NormalError | LaplaceSum | WholeSum
"""A symmetric distribution of one error."""


@dataclass(frozen=True)
class SumLaws:
    """The errors of some counts, by their laws.

    Attributes:
        laws: distinct laws. place: the index of each count's law.
    """

    laws: Sequence[Law]
    place: Integers

    @property
    def square(self) -> Floats:
        """Return the variance of each count."""
        return np.array([law.square for law in self.laws])[self.place]

    @property
    def absolute(self) -> Floats:
        """Return the mean absolute error of each count."""
        return np.array([law.absolute for law in self.laws])[self.place]

    @property
    def bias(self) -> Floats:
        """Return the mean error of each count: noise is symmetric."""
        return np.zeros(self.place.size)

    def beyond(self, sizes: Floats) -> Floats:
        """Return the probability that the absolute error of each count exceeds its size."""
        found = np.zeros(self.place.size)
        for at, law in enumerate(self.laws):
            mine = self.place == at
            found[mine] = law.beyond(sizes[mine])
        return found

    def quantile(self, beyond: float) -> float:
        """Return the least size that the error of a random count exceeds with this probability."""
        share = np.bincount(self.place, minlength=len(self.laws)) / self.place.size

        def exceeds(size: float) -> bool:
            at = np.array([size])
            pairs = zip(share, self.laws, strict=True)
            return bool(sum(part * law.beyond(at)[0] for part, law in pairs) > beyond)

        # By Chebyshev, no more than this share is above the end.
        low, high = 0.0, sqrt(float(share @ [law.square for law in self.laws]) / beyond)
        if not exceeds(low):
            return 0.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if exceeds(middle) else (low, middle)
        return float(round(high)) if all(law.whole for law in self.laws) else high


def gaussian_masses(sigma_squared: float) -> Floats | None:
    """Return the masses of a discrete Gaussian at 0, 1, ...; None if they are too many."""
    number = ceil(12 * sqrt(sigma_squared)) + 2
    if number > MOST_MASSES:
        return None
    return np.asarray(np.exp(-(np.arange(number) ** 2) / (2 * sigma_squared)))


def laplace_masses(scale: float) -> Floats | None:
    """Return the masses of a discrete Laplace variable at 0, 1, ...; None if they are too many."""
    number = ceil(45 * scale) + 2
    return None if number > MOST_MASSES else np.asarray(exp(-1 / scale) ** np.arange(number))


def laws_by_number(numbers: Integers, law: Callable[[int], Law]) -> SumLaws:
    """Return the laws of sums of independent variables, by their number."""
    distinct, place = np.unique(numbers, return_inverse=True)
    return SumLaws([law(int(number)) for number in distinct], place)


def whole_laws(numbers: Integers, masses: Floats | None) -> SumLaws | None:
    """Return the laws of sums of variables on the integers; None if they are too large."""
    largest = int(numbers.max(initial=1))
    if masses is None or masses.size * sqrt(largest) > MOST_MASSES:
        return None
    return laws_by_number(numbers, partial(WholeSum, masses))


def sum_laws(
    part: NoisePart | FiniteNoise, query: Query, spaces: SensitivitySpaces, sums: csr_array
) -> SumLaws | None:
    """Return the laws of sums of a part's noise; None if they are not known.

    Args:
        sums: 0 or 1 for each sum and coordinate of the answer; coordinates that no possible record
            changes are in no sum.
    """
    numbers = np.asarray(sums.sum(axis=1)).astype(np.int64)
    match part:
        case Gaussian():
            squares = numbers.astype(float) if part.support is None else None
            if squares is None:
                squares = _projected(part, query, spaces, sums)
            return None if squares is None else _normal(float(part.sigma_squared) * squares)
        case CorrelatedGaussian():
            covariance = np.array(part.covariance, dtype=float)
            squares = np.asarray(sums.multiply(sums @ covariance).sum(axis=1))
            squares[squares < sums @ np.diag(covariance) * 1e-12] = 0
            return _normal(squares)
        case Laplace() if part.support is None:
            scale = float(part.scale)
            return laws_by_number(numbers, lambda number: LaplaceSum(number, scale))
        case DiscreteGaussian() if part.support is None:
            return whole_laws(numbers, gaussian_masses(float(part.sigma_squared)))
        case DiscreteLaplace():
            return whole_laws(numbers, laplace_masses(float(part.scale)))
        case _:
            return None


def _normal(squares: Floats) -> SumLaws:
    largest = float(squares.max(initial=0.0)) or 1.0
    distinct, place = np.unique(np.round(squares / largest, 12), return_inverse=True)
    return SumLaws([NormalError(float(square)) for square in largest * distinct], place)


def _projected(
    part: Gaussian, query: Query, spaces: SensitivitySpaces, sums: csr_array
) -> Floats | None:
    """Return the squared lengths of sums that are projected on a support; None if too large."""
    subspaces, distance = spaces.subspaces, part.made_for
    null = subspaces.null_space(query)
    filled = distance is not None and null is not None and subspaces.fills(query, distance)
    outside = part.support == "null_space" or filled
    rows: Sequence[Mapping[int, int | Fraction]] | None = None
    if outside:
        rows = None if null is None else null.rows
    elif distance is not None:
        span = subspaces.span(query, distance)
        rows = None if span is None else [dict(enumerate(vector)) for vector in span]
    if rows is None:
        return None
    entries = [(at, place, k) for at, row in enumerate(rows) for place, k in row.items() if k]
    ats, places, values = zip(*entries, strict=True) if entries else ((), (), ())
    matrix = csr_array(
        (np.array(values, dtype=float), (ats, places)), shape=(len(rows), sums.shape[1])
    )
    # Rows without a common coordinate are orthogonal.
    count, component = connected_components(abs(matrix) @ abs(matrix).T, directed=False)
    alone = np.bincount(component, minlength=count)[component] == 1
    lengths = np.asarray(matrix.power(2).sum(axis=1))[alone]
    inside = np.asarray((sums @ matrix[alone].T).power(2) @ (1 / lengths))
    columns = sums.tocsc()
    for one in np.unique(component[~alone]):
        block = matrix[component == one]
        used = np.unique(block.indices)
        if block.shape[0] * used.size > MOST_ENTRIES:
            return None
        basis = np.linalg.qr(block[:, used].T.toarray())[0]
        inside += ((columns[:, used] @ basis) ** 2).sum(axis=1)
    numbers = np.asarray(sums.sum(axis=1), dtype=float)
    squares = numbers - inside if outside else inside
    squares[squares < numbers * 1e-12] = 0
    return np.asarray(squares)
