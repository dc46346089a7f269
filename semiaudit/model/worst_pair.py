"""Which two datasets a finite mechanism tells apart best, at an error rate or at a delta."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import FrameworkName


@dataclass(frozen=True, slots=True)
class WorstPair:
    """Two datasets that are at least as easy to distinguish as any others within the distance.

    Attributes:
        first: in words; at an error rate the dataset that is assumed, at a delta the likelier one.
        second: the other one.
        distance: between the two; None if they are counts that stand for all tables with them.
        number: at an error rate the least type II error, exactly; at a delta epsilon, rounded up.
    """

    first: str
    second: str
    distance: int | None
    number: Bound


@dataclass(frozen=True, slots=True)
class WorstPairs:
    """The worst pairs behind one row of a report.

    Attributes:
        framework: whose row it is.
        tradeoff: by type I error. approx_dp: by delta. None if no two laws differ.
    """

    framework: FrameworkName
    tradeoff: tuple[tuple[Fraction, WorstPair | None], ...]
    approx_dp: tuple[tuple[Fraction, WorstPair | None], ...]
