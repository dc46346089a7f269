"""The interface of a kind of pairs of distributions: all operations of the calculus on one pair."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, Protocol

from semiaudit.frozen import dataclass
from semiaudit.model.loss import Loss
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import float_down, float_up

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


LARGEST_LOSS = 10**6
"""For larger losses, the engine (with its own limits) replaces the closed form."""

Ends = tuple[float, float]


class SinglePair(Protocol):
    """Certified bounds on one pair's numbers; None outside of the range of the closed form."""

    def delta(self, epsilon: Fraction) -> Ends | None:
        """Return the larger of both directions' delta at an epsilon of 0 or more."""

    def epsilon(self, delta: Fraction) -> Ends | None:
        """Return the smallest epsilon at a delta in [0, 1)."""

    def type_ii(self, type_i: Fraction) -> Interval | None:
        """Return the symmetrised tradeoff function at a type I error in [0, 1), in decimals.

        Near 1, a double would keep few digits of the power.
        """


def probability(value: Interval) -> Ends:
    """Return the doubles around an enclosure, within [0, 1]."""
    clipped = value.clip(0, 1)
    return max(float_down(clipped.low), 0.0), min(float_up(clipped.high), 1.0)


LEAST_VARIANCE, MOST_VARIANCE = Fraction(1, 10**3), Fraction(10**24)
"""Integer noise with a variance outside of this range is not listed: doubles cannot distinguish its
masses."""

LARGEST_FITTED_VARIANCE = Fraction(10**8)
"""Integer noise with a larger variance gets no fitted mu: its compositions would take many
seconds."""


@dataclass(frozen=True, slots=True)
class Family:
    """Pairs that differ only by a size, where a larger size means a larger loss.

    Attributes:
        parameters: the kind, and the other common parameters of all pairs of the family.
        joining: how a product of its pairs compares with another one. ``alone``: pair by pair.
            ``shared``: one pair of a size loses at least as much as several whose sizes add up to
            it (E15). ``summed``: several pairs are one pair with the sum of their sizes.
    """

    parameters: tuple[object, ...]
    joining: Literal["alone", "shared", "summed"]


@dataclass(frozen=True, slots=True)
class PairKind:
    """All operations of the calculus on one pair.

    Every kind defines all of them: nothing is assumed.

    Attributes:
        symmetric: both directions of the pair have the same loss.
        gaussian_size: an estimate of the mu^2 of the Gaussian pair that loses as much.
        listable: False for integer noise with a scale at which it cannot be listed.
        mu_fitted: a mu is fitted to a product with the pair.
        family: the pairs with which the pair can be compared.
        size: its size in the family.
        rho: of zCDP in both directions; None if it has none, or none is known.
        simplified: the same pair in its simplest form; None if nothing is lost.
        moved_further: a pair with the tradeoff function composed with itself a number of times;
            None if unknown.
        closed_form: the numbers of the single pair; None if composition must be used.
        source: the losses of (P, Q) on side 0, of (Q, P) on the last, of a pair that loses
            something; None if none is finite. It loads numpy.
        sides: how many ordered pairs of laws it stands for, where it depends on the two datasets
            which of them dominates; 0 if (P, Q) and (Q, P) both dominate, whichever they are.
    """

    symmetric: bool
    gaussian_size: Fraction
    listable: bool
    mu_fitted: bool
    family: Family
    size: Fraction
    rho: Callable[[], Fraction | None]
    simplified: Loss | None
    moved_further: Callable[[int], Loss | None]
    closed_form: Callable[[], SinglePair | None]
    source: Callable[[int], Source | None]
    sides: int = 0


def unknown_steps(_: int) -> None:
    """Return None: ``moved_further`` of a kind without a known pair of several steps."""


def is_listable(variance: Fraction) -> bool:
    """Return whether integer noise can be listed, by its variance or an estimate of it."""
    return LEAST_VARIANCE <= variance <= MOST_VARIANCE
