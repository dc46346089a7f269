"""The five building blocks of a specification as structure (Bailie, Gong and Meng).

A specification is (domain, multiverse, input metric, output divergence, intensity): in every
universe of the multiverse, the divergence of the output's laws is at most the intensity times the
distance of the datasets.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric
from semiaudit.model.bound import Bound
from semiaudit.model.dataspace import (
    Dataspace,
    ListedSpace,
    ProductSpace,
    TableSpace,
    condition_key,
)

DomainKind = Literal["product", "listed", "table"]
Divergence = Literal["mult", "mult_delta", "d_nor"]
"""The multiplicative distance sup |ln P/Q|; ln [P - delta]+ / Q for events beyond a delta; and the
supremum over orders of the root of the Renyi divergence over its order."""


@dataclass(frozen=True, slots=True)
class Lipschitz:
    """The least intensity of a mechanism inside one universe, under one divergence.

    Attributes:
        universe: its number in the multiverse, or None for all of D.
        delta: of ``mult_delta``.
        lower, upper: the constant lies between them; both infinite if it is.
        pair: two datasets, in words, that attain the lower bound; None if no two differ.
        distance: of the pair.
        order: of the Renyi divergence that attains ``d_nor``; 1 stands for the limit.
        reason: why the constant is infinite; else empty.
    """

    universe: int | None
    divergence: Divergence
    delta: Fraction | None
    lower: Bound
    upper: Bound
    pair: tuple[str, str] | None = None
    distance: int | None = None
    order: Fraction | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Domain:
    """The domain: the set of possible datasets, which are eligible for protection.

    Attributes:
        kind: all ordered datasets over some values, a list of datasets, or a table over attributes.
        size: records of a dataset; None if it is free.
        datasets: how many there are; None for a table.
        attributes: (name, number of levels) of a table's.
        restrictions: the keys of what else no record of a table can be: structural zeros, and
            attributes within others.
    """

    kind: DomainKind
    size: int | None
    datasets: int | None
    attributes: tuple[tuple[str, int], ...] = ()
    restrictions: tuple[str, ...] = ()


def domain_of(space: Dataspace) -> Domain:
    """The domain that a dataspace defines."""
    match space:
        case ProductSpace():
            return Domain("product", space.size, space.count)
        case ListedSpace():
            return Domain("listed", space.size, space.count)
        case TableSpace():
            within = [f"{a.name} within {a.within}" for a in space.attributes if a.within]
            zeros = [f"no {condition_key(where)}" for where in space.impossible]
            attributes = tuple((a.name, a.size) for a in space.attributes)
            return Domain("table", space.size, None, attributes, (*within, *zeros))
        case _:
            assert_never(space)


@dataclass(frozen=True, slots=True)
class UniverseSize:
    """One universe: the datasets that share a value of all invariants.

    Attributes:
        selected: t is given and is its value.
        datasets: in words; None if they are not few.
    """

    size: int
    selected: bool
    datasets: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class InvariantRole:
    """The effect of one invariant on the multiverse.

    Attributes:
        key: of the invariant, which stays when its words change.
        invariant: in words.
        redundant: the others induce the same partition (erratum E12); None if it is not known.
        needed: without it in the multiverse no intensity is finite, since some universe then holds
            two distinguishable datasets at a finite distance; None if it is not known.
    """

    key: str
    invariant: str
    redundant: bool | None
    needed: bool | None


@dataclass(frozen=True, slots=True)
class Multiverse:
    """The extent of the protection: the partition of the domain by the invariants.

    Attributes:
        number: of universes; None if they are not listed.
        universes: None if they are not few.
    """

    invariants: tuple[InvariantRole, ...]
    number: int | None
    universes: tuple[UniverseSize, ...] | None


@dataclass(frozen=True, slots=True)
class Unit:
    """The granularity of protection.

    Attributes:
        adjacency_metric: every distance is the length of a path of steps of 1 (Definition 1).
        distance: of semi-adjacency; None if none is established.
    """

    unit: str
    metric: Metric
    adjacency_metric: bool
    distance: int | None


@dataclass(frozen=True, slots=True)
class Theorem:
    """A result on restricting the universes (slides), as it applies here.

    Attributes:
        name: ``invariants_alone`` (1), ``invariant_varies`` (2) or ``mechanism_varies`` (3).
        applies: its premise holds; None if that is not known.
        says: what follows, in one sentence.
    """

    name: Literal["invariants_alone", "invariant_varies", "mechanism_varies"]
    applies: bool | None
    says: str


@dataclass(frozen=True, slots=True)
class BuildingBlocks:
    """All five, and what follows for a finite mechanism.

    Attributes:
        standard: the kinds of the mechanism's parts.
        intensity: the constants, of every divergence in every universe; None if the mechanism
            is not finite, or its datasets are not enumerated.
    """

    domain: Domain
    multiverse: Multiverse
    unit: Unit
    standard: tuple[str, ...]
    intensity: tuple[Lipschitz, ...] | None
    theorems: tuple[Theorem, ...]
