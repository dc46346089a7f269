"""Measures of how well two output distributions hide from each other. Data, no algorithms.

``exact`` says that a number was declared, or is the least one that holds; False where it is only
an upper bound, as after rounding or from a sensitivity that is itself a bound.

Tradeoff functions are kept in the form of Su's review: ``type_ii`` as a nonincreasing function of
``type_i``. Cho and Awan write the same function with type I error 1 - a; ``privacy.tradeoff``
converts where their composition is used.
"""

from __future__ import annotations

import itertools
from dataclasses import field
from fractions import Fraction

from semiaudit.frozen import dataclass
from semiaudit.model.loss import FiniteLoss, PrivacyLoss, WorstLoss


@dataclass(frozen=True, slots=True)
class PureDP:
    """epsilon-DP: likelihood ratios within exp(+-epsilon)."""

    epsilon: Fraction
    exact: bool = field(default=True, compare=False)

    def __post_init__(self) -> None:
        _require(self.epsilon >= 0, "epsilon is at least 0")


@dataclass(frozen=True, slots=True)
class ApproxDP:
    """(epsilon, delta)-DP."""

    epsilon: Fraction
    delta: Fraction
    exact: bool = field(default=True, compare=False)

    def __post_init__(self) -> None:
        _require(self.epsilon >= 0, "epsilon is at least 0")
        _require(0 <= self.delta < 1, "delta must be in [0, 1)")


@dataclass(frozen=True, slots=True)
class ZCDP:
    """rho-zCDP: Renyi divergence of every order above 1 at most rho times the order."""

    rho: Fraction
    exact: bool = field(default=True, compare=False)

    def __post_init__(self) -> None:
        _require(self.rho >= 0, "rho is at least 0")


@dataclass(frozen=True, slots=True)
class ApproxZCDP:
    """delta-approximate rho-zCDP: rho-zCDP once events of probability delta are set aside.

    Source: Bun and Steinke 2016, Definition 8.1.
    """

    rho: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        _require(self.rho >= 0, "rho is at least 0")
        _require(0 <= self.delta <= 1, "delta must be in [0, 1]")


@dataclass(frozen=True, slots=True)
class GDP:
    """mu-GDP, kept as mu squared: compositions and multiples stay exact rationals.

    Attributes:
        attained: G_mu is the tradeoff function of two datasets that the guarantee covers, so that
            its profile bounds the mechanism's own from below too. A declared mu, or the least mu
            of noise with another tradeoff function, is not attained.
    """

    mu_squared: Fraction
    exact: bool = field(default=True, compare=False)
    attained: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        _require(self.mu_squared >= 0, "mu is at least 0")


@dataclass(frozen=True, slots=True)
class PiecewiseLinear:
    """A tradeoff function given by exact vertices, linear in between.

    Attributes:
        vertices: (type_i, type_ii) pairs; type_i ascends strictly from 0 to 1, type_ii descends
            to 0. The function is a certified lower bound of the tradeoff functions it stands for.
        declared: the vertices are exact, not rounded on the safe side.
        merged: pieces were joined because they were too many, so that it may lie well below.
    """

    vertices: tuple[tuple[Fraction, Fraction], ...]
    declared: bool = False
    merged: bool = False

    def __post_init__(self) -> None:
        type_i = [x for x, _ in self.vertices]
        type_ii = [y for _, y in self.vertices]
        _require(len(self.vertices) >= 2, "a tradeoff function has two vertices or more")
        _require(type_i[0] == 0 and type_i[-1] == 1, "type_i runs from 0 to 1")
        _require(type_ii[-1] == 0, "type_ii ends at 0")
        _require(all(a < b for a, b in itertools.pairwise(type_i)), "type_i ascends")
        _require(all(a >= b for a, b in itertools.pairwise(type_ii)), "type_ii descends")

    def __hash__(self) -> int:
        # A fraction is hashed by a power: one vertex is enough to find a function again.
        return hash((len(self.vertices), self.vertices[len(self.vertices) // 2]))


@dataclass(frozen=True, slots=True)
class DeclaredPairs:
    """A list of (epsilon, delta)-DP guarantees that one mechanism has in both orders of datasets.

    Attributes:
        points: (epsilon, delta): epsilon ascends strictly, delta descends strictly.
    """

    points: tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True, slots=True)
class DeclaredOrder:
    """A tradeoff function f that holds for (P, Q), so that only its inverse holds for (Q, P)."""

    f: PiecewiseLinear


@dataclass(frozen=True, slots=True)
class DeclaredPair:
    """Pairs of distributions that dominate every two neighbors, at every epsilon above or below 0.

    Attributes:
        add: for a dataset without a record (P), and with it (Q). remove: the other way around.
        replace: for two datasets of one size, in one of their orders; given alone.
    """

    add: FiniteLoss | None = None
    remove: FiniteLoss | None = None
    replace: FiniteLoss | None = None

    def __post_init__(self) -> None:
        alone = self.add is None is self.remove
        _require((self.replace is None) != alone, "a pair is for add and remove, or for replace")


Measure = PureDP | ApproxDP | ZCDP | ApproxZCDP | GDP | PiecewiseLinear | PrivacyLoss | WorstLoss


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)
