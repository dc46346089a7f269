"""Noise on the integers, with probabilities and a variance in addition to a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from semiaudit.library.arguments import Number, number

if TYPE_CHECKING:
    from semiaudit.library.curves import Enclosure

GAUSSIAN = "discrete_gaussian", "Canonne, Kamath and Steinke 2020, section 2"
LAPLACE = "discrete_laplace", "the sum of a geometric series"


class DiscreteNoise:
    """Discrete Gaussian or discrete Laplace noise, by its section of a spec."""

    __slots__ = ()

    _section: dict[str, Any]
    _squared: ClassVar[bool] = False

    def __new__(cls, *given: object, **named: object) -> Self:
        """Refuse sigma, and a number without a name, which may be sigma or its square."""
        made = super().__new__(cls, *given, **named)
        if cls._squared and (given or "sigma" in named):
            raise TypeError("give sigma_squared by its name; sigma = 2 is sigma_squared=4")
        return made

    def pmf(self, value: int) -> Enclosure:
        """Return the probability that the noise is a given integer, enclosed.

        Raises:
            ValueError: the number is not an integer.

        Source:
            Canonne, Kamath and Steinke 2020, Definition 1, for the discrete Gaussian.
        """
        from semiaudit.library.curves import enclosure
        from semiaudit.privacy.special.discrete_noise import gaussian_pmf, laplace_pmf

        at = number(value, "value")
        if at.denominator != 1:
            raise ValueError(f"value: {value} is not a whole number; give one")
        if (squared := self._parameter(GAUSSIAN[0], "sigma_squared")) is not None:
            return enclosure(gaussian_pmf(number(squared, "sigma_squared"), int(at)), *GAUSSIAN)
        scale = number(self._section[LAPLACE[0]]["scale"], "scale")
        return enclosure(laplace_pmf(scale, int(at)), *LAPLACE)

    @property
    def variance(self) -> Enclosure:
        """Return the variance of the noise, enclosed.

        It is below ``sigma_squared``, or below 2 scale^2.
        """
        from semiaudit.library.curves import enclosure
        from semiaudit.privacy.special.discrete_noise import gaussian_variance, laplace_variance

        if (squared := self._parameter(GAUSSIAN[0], "sigma_squared")) is not None:
            return enclosure(gaussian_variance(number(squared, "sigma_squared")), *GAUSSIAN)
        scale = number(self._section[LAPLACE[0]]["scale"], "scale")
        return enclosure(laplace_variance(scale), *LAPLACE)

    def _parameter(self, kind: str, name: str) -> Number | None:
        """Return a parameter, if the noise is of a kind; else None."""
        value: Number | None = self._section.get(kind, {}).get(name)
        return value
