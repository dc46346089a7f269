"""What is asked of a pair of distributions, of whatever kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from semiaudit.model.loss import Loss
from semiaudit.privacy.loss.closed_forms.single_pair import SinglePair

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.source import Source

LEAST_VARIANCE, MOST_VARIANCE = Fraction(1, 10**3), Fraction(10**24)
"""Integer noise of a variance beyond these is not listed."""

LARGEST_FITTED_VARIANCE = Fraction(10**8)
"""Several compositions of wider integer noise would take many seconds: it gets no fitted mu."""


@dataclass(frozen=True, slots=True)
class Family:
    """Pairs that differ by a size only, and lose more where it is larger.

    Attributes:
        parameters: the kind, and what else all pairs of the family have in common.
        joining: how a product of its pairs compares with another one. ``alone``: pair by pair.
            ``shared``: one pair of a size loses at least as much as several whose sizes add up to
            it (E15). ``summed``: several pairs are one pair with the sum of their sizes.
    """

    parameters: tuple[object, ...]
    joining: Literal["alone", "shared", "summed"]


class Kind(ABC):
    """What the calculus knows of one pair. Every kind answers all of it: nothing is assumed."""

    __slots__ = ()

    @property
    @abstractmethod
    def symmetric(self) -> bool:
        """Whether both directions of the pair have the same loss."""

    @property
    @abstractmethod
    def gaussian_size(self) -> Fraction:
        """About the mu^2 of the Gaussian pair that loses as much: what is in reach of doubles."""

    @property
    @abstractmethod
    def listable(self) -> bool:
        """Whether the scale of integer noise is one that can be listed; True of all others."""

    @property
    @abstractmethod
    def mu_fitted(self) -> bool:
        """Whether a mu is fitted to a product with the pair."""

    @property
    @abstractmethod
    def family(self) -> tuple[Family, Fraction]:
        """The family, and the pair's size in it."""

    @abstractmethod
    def simplified(self) -> Loss | None:
        """The same pair in its simplest form; None where nothing is lost."""

    @abstractmethod
    def moved_further(self, k: int) -> Loss | None:
        """A pair with the tradeoff function composed with itself k times; None if none is known."""

    @abstractmethod
    def closed_form(self) -> SinglePair | None:
        """The numbers of the pair by itself; None where the engine is to compose it."""

    @abstractmethod
    def source(self, *, swapped: bool) -> Source | None:
        """The losses of (P, Q), or of (Q, P); None if none is finite. The pair loses something."""


def is_listable(variance: Fraction) -> bool:
    """Whether integer noise of about such a variance can be listed."""
    return LEAST_VARIANCE <= variance <= MOST_VARIANCE
