"""Canonical noise for a count: the noise whose guarantee is exactly a given tradeoff function."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, overload

from semiaudit.library.arguments import Number, Numbers, number, share_inside, whole
from semiaudit.library.curves import Numbered, asked
from semiaudit.library.tradeoff import TradeoffFunction, require_function
from semiaudit.library.value import Value
from semiaudit.model.bound import Bound, upper
from semiaudit.privacy.canonical.of_function import noise_of, usual_name
from semiaudit.privacy.canonical.sampling import PLACES, draw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from semiaudit.numeric.intervals import Interval

NAMES = "tulap", "lemma_36", "normal"
METHOD = "canonical_noise", "Awan and Vadhan 2023, Theorem 3.9; Cho and Awan, Lemma 36"


class CanonicalNoise(Value):
    """Noise N for which x + N has exactly the guarantee f if x changes by at most 1.

    Args:
        function: f, symmetric: ``ApproxTradeoff``, ``GaussianTradeoff``, ``LaplaceTradeoff``, or
            ``PiecewiseTradeoff`` through points that are symmetric.
        distribution: ``tulap`` for f_{epsilon,delta}, ``lemma_36`` for any, ``normal`` for G_mu;
            None for Tulap if it applies, else Lemma 36's. For f_{epsilon,delta}, Tulap and Lemma
            36's are equal; for G_mu, the normal distribution differs from Lemma 36's.

    Raises:
        ValueError: there is no such distribution.
        RefusedError: f has no such noise, or is too close to 1 - a, which no noise attains.

    Source:
        Cho and Awan, Definition 35 and Lemma 36; Awan and Vadhan 2023, Theorem 3.9.
    """

    __slots__ = ("_distribution", "_function", "_noise")

    _not_parts = frozenset({"_noise"})

    def __init__(
        self,
        function: TradeoffFunction,
        distribution: Literal["tulap", "lemma_36", "normal"] | None = None,
    ) -> None:
        require_function(function)
        if distribution not in (*NAMES, None):
            known = ", ".join(NAMES)
            raise ValueError(f"distribution: there is no {distribution}; known are {known}")
        described = function._function
        self._function = function
        self._distribution = distribution or usual_name(described)
        self._noise = noise_of(described, self._distribution)

    @property
    def distribution(self) -> str:
        """Return the name of the distribution: ``tulap``, ``lemma_36`` or ``normal``."""
        return self._distribution

    @overload
    def cdf(self, x: Number) -> Bound: ...

    @overload
    def cdf(self, x: Numbers) -> NDArray[np.float64]: ...

    def cdf(self, x: Number | Numbers) -> Bound | NDArray[np.float64]:
        """Return P(N <= x), rounded up; an array of doubles for several x, as all methods here."""
        return asked(_uppers(self._noise.cdf), x, lambda value: number(value, "x"))

    @overload
    def upper_tail(self, x: Number) -> Bound: ...

    @overload
    def upper_tail(self, x: Numbers) -> NDArray[np.float64]: ...

    def upper_tail(self, x: Number | Numbers) -> Bound | NDArray[np.float64]:
        """Return P(N > x), rounded up; small probabilities keep all their digits."""
        return asked(_uppers(self._noise.upper_tail), x, lambda value: number(value, "x"))

    @overload
    def quantile(self, share: Number) -> Bound: ...

    @overload
    def quantile(self, share: Numbers) -> NDArray[np.float64]: ...

    def quantile(self, share: Number | Numbers) -> Bound | NDArray[np.float64]:
        """Return the point below which a share in (0, 1) of the noise lies, rounded up."""
        above = self._noise.quantile_above
        return asked(_uppers(lambda at: above(1 - at)), share, lambda p: share_inside(p, "share"))

    def sample(self, size: int = 1, *, seed: int | None = None) -> list[Decimal]:
        """Sample the noise independently, rounded down to nine decimals.

        The randomness is the operating system's. The sampling is exact: a result has the
        probability of all numbers that are rounded to it, and no double is involved.

        Args:
            seed: for reproducible examples, never for a release.
        """
        bits = random.SystemRandom() if seed is None else random.Random(seed)
        values = [draw(self._noise, bits)[0] for _ in range(whole(size, "size", 0))]
        return [Decimal(int(low * 10**PLACES)).scaleb(-PLACES) for low in values]

    def __repr__(self) -> str:
        return f"CanonicalNoise({self._function!r}, {self._distribution!r})"


def _uppers(number_at: Callable[[Fraction], Interval]) -> Numbered:
    return lambda places: [upper(number_at(at), *METHOD) for at in places]
