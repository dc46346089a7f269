"""A hierarchical release (TopDown): noisy tables at every level of a spine, and its semantics.

Source: Abowd et al. 2022, The 2020 Census Disclosure Avoidance System TopDown Algorithm; Bailie,
Gong and Meng, the listing of TopDown, step 1. This module treats all censuses alike. The
attribute and geography semantics are those that the US Census Bureau's production code prints
(budget.py), here in D and inside D_t, with what the noise itself loses; Kifer et al. 2022.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound
from semiaudit.model.dataspace import Condition
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.guarantee import ApproxPoint

MAIN = "main"
"""The histogram of queries that name none."""


@dataclass(frozen=True, slots=True)
class SpineLevel:
    """A level of geography: a partition of the records that refines that of the level above.

    Attributes:
        name: of the level, as the allocation names it.
        attribute: the attribute of the dataspace whose levels are the units; None if the
            dataspace does not have it, and every unit of the level above holds several.
        split: the places of the attribute's levels that are split in several units, which the
            dataspace does not distinguish: a state's areas of one kind, and the rest of it.
    """

    name: str
    attribute: str | None = None
    split: frozenset[int] = frozenset()
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class Recode:
    """The part of a record that a query uses: a partition of combinations of attribute levels.

    Attributes:
        name: an attribute's own, or that of the recode.
        of: the attributes that it looks at; at least one.
        groups: the combinations that it takes together, as disjoint conditions; all others are
            one more group. None if it distinguishes all combinations, as an attribute does;
            empty if it distinguishes some combinations, and it is not known which.
    """

    name: str
    of: tuple[str, ...]
    groups: tuple[Condition, ...] | None = None
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class TopDownQuery:
    """A query, asked in every unit of a level: how many records have each combination of recodes.

    Attributes:
        tells: the recodes and attributes by whose levels it counts; none for the total.
        histogram: the table that it belongs to. Attributes of several histograms are shared.
        where: which records it counts; all of them where it is empty.
    """

    name: str
    tells: tuple[Recode, ...] = ()
    histogram: str = MAIN
    where: Condition = ()
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class NoisyQuery:
    """One query at one level, with discrete Gaussian noise on every count.

    Attributes:
        level, query: their places in the mechanism's spine and queries.
        rho: what it costs where one record leaves a cell and enters another one: 1 / sigma^2.
    """

    level: int
    query: int
    rho: Fraction

    @property
    def sigma_squared(self) -> Fraction:
        """The parameter of the noise."""
        return 1 / self.rho


@dataclass(frozen=True, slots=True)
class TopDown:
    """Discrete Gaussian noise on queries at the levels of a spine, one query and level at a time.

    Attributes:
        spine: the levels from the top down.
        queries: by the name that the allocation uses.
        noisy: what was measured; each pair of level and query once, each rho above 0.
    """

    spine: tuple[SpineLevel, ...]
    queries: tuple[TopDownQuery, ...]
    noisy: tuple[NoisyQuery, ...]
    mark: Mark = NOWHERE
    kind: ClassVar[str] = "topdown"
    home: ClassVar[str] = "topdown.topdown_kind"

    def __post_init__(self) -> None:
        places = [(noisy.level, noisy.query) for noisy in self.noisy]
        _require(bool(self.spine) and bool(places), "something is measured at some level")
        _require(len(set(places)) == len(places), "each level and query is measured once")
        for level, query in places:
            _require(0 <= level < len(self.spine), "a level is one of the spine")
            _require(0 <= query < len(self.queries), "a query is one of the list")
        _require(all(noisy.rho > 0 for noisy in self.noisy), "rho is above 0")

    @property
    def rho(self) -> Fraction:
        """The sum of all, at distance 1 in D, where one change moves two cells of each query."""
        return sum((noisy.rho for noisy in self.noisy), Fraction(0))


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


Sizes = tuple[int, ...]
"""The sizes by which the moved cells of one query move."""

Move = tuple[Sizes, ...]
"""For every noisy query of a mechanism, in its order, what moves."""


@dataclass(frozen=True, slots=True)
class SecretPair:
    """A kind of pair of datasets that an attacker tries to distinguish.

    Attributes:
        name: ``attribute:NAME``, ``geography:Block within LEVEL``, ``within_state``, ...
        universe: whether the pairs lie anywhere in D, or in one D_t.
        pair: in words, what the datasets differ by.
        distance: how many records differ.
        where: the places that it is about, if places differ; empty for all.
        moves: the queries of any pair of the kind move no more than by one of these; none if
            the universe has no such pair.
        attained: each of the moves is that of a pair.
    """

    name: str
    universe: UniverseName
    pair: str
    distance: int
    where: str
    moves: tuple[Move, ...]
    attained: bool


@dataclass(frozen=True, slots=True)
class Semantic:
    """A kind of pair with its numbers.

    Attributes:
        zcdp: rho; None if there is no such pair, or no rho of the whole mechanism is known.
        approx_dp: epsilon at every delta, by the tightest conversion.
        factor: rho over that of the whole mechanism at distance 1 in D; None without a rho.
        posterior_odds: at every delta, by how much the logarithm of the odds of the truth against
            another value of the secret grows at most, but with that probability.
        best_guess: at every prior probability of the less likely of two values, the probability
            that the best guess between the two is right.
        has_pair: False where the universe is known to have no such pair.
    """

    name: str
    universe: UniverseName
    pair: str
    distance: int
    where: str
    zcdp: Bound | None
    approx_dp: tuple[ApproxPoint, ...]
    factor: Fraction | None
    posterior_odds: tuple[tuple[Fraction, Bound], ...] = ()
    best_guess: tuple[tuple[Fraction, Bound], ...] = ()
    has_pair: bool = True
