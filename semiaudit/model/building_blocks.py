"""The five building blocks of a specification as structure (Bailie, Gong and Meng).

A specification is (domain, multiverse, input metric, output divergence, intensity): in every
universe of the multiverse, the divergence of the output's laws is at most the intensity times the
distance of the datasets.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal, assert_never

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
        lower, upper: both infinite if the constant is.
        pair: None if no two differ.
    """

    universe: Annotated[
        int | None, "the place of the universe in multiverse.universes; null for all of D"
    ]
    divergence: Annotated[Divergence, "the output divergence"]
    delta: Annotated[Fraction | None, "the delta of mult_delta"]
    lower: Annotated[Bound, "the lower bound on the constant"]
    upper: Annotated[Bound, "the upper bound on the constant"]
    pair: Annotated[tuple[str, str] | None, "two datasets that attain the lower bound"] = None
    distance: Annotated[int | None, "the distance of the pair"] = None
    order: Annotated[
        Fraction | None, "the Rényi order of d_nor that attains the lower bound; 1: the limit"
    ] = None
    reason: Annotated[str, "the reason for an infinite constant; else empty"] = ""


@dataclass(frozen=True, slots=True)
class Domain:
    """The domain: the set of possible datasets, which are eligible for protection.

    Attributes:
        attributes: (name, number of levels).
        restrictions: the keys of what else no record of a table can be: structural zeros, and
            attributes within others.
    """

    kind: Annotated[
        DomainKind,
        "the kind of domain: all datasets over some values, a list, or a table",
    ]
    size: Annotated[int | None, "the number of records of a dataset; null if not fixed"]
    datasets: Annotated[int | None, "the number of datasets; null for a table"]
    attributes: Annotated[
        tuple[tuple[str, int], ...], "the attributes of a table, with their sizes"
    ] = ()
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
    """One universe: the datasets that share a value of all invariants."""

    size: Annotated[int, "the number of datasets in the universe"]
    selected: Annotated[bool, "whether the given t selects the universe"]
    datasets: Annotated[tuple[str, ...] | None, "the datasets; null if there are many"]


@dataclass(frozen=True, slots=True)
class InvariantRole:
    """The effect of one invariant on the multiverse.

    Attributes:
        key: it stays when the words of the invariant change.
        invariant: in words.
        redundant: None if it is not known.
        needed: without it in the multiverse some universe holds two distinguishable datasets at a
            finite distance; None if it is not known.
    """

    key: Annotated[str, "the key of the invariant, as in invariants"]
    invariant: str
    redundant: Annotated[bool | None, "whether the others induce the same partition (E12)"]
    needed: Annotated[bool | None, "whether no intensity is finite without the invariant"]


@dataclass(frozen=True, slots=True)
class Multiverse:
    """The extent of the protection: the partition of the domain by the invariants."""

    invariants: Annotated[
        tuple[InvariantRole, ...], "the invariants, and the effect of each on the universes"
    ]
    number: Annotated[int | None, "the number of universes; null if they are not listed"]
    universes: Annotated[
        tuple[UniverseSize, ...] | None,
        "the partition of the domain by the invariants; null if it is large",
    ]


@dataclass(frozen=True, slots=True)
class Unit:
    """The granularity of protection."""

    unit: Annotated[str, "the unit of privacy"]
    metric: Annotated[Metric, "the input metric"]
    adjacency_metric: Annotated[
        bool, "whether every distance is a path of steps of 1 (Definition 1)"
    ]
    distance: Annotated[int | None, "the semi-adjacency distance"]


@dataclass(frozen=True, slots=True)
class Theorem:
    """A result on restricting the universes (slides), as it applies here."""

    name: Annotated[
        Literal["invariants_alone", "invariant_varies", "mechanism_varies"],
        "the name of result 1, 2, or 3 of the slides on restricting the universes",
    ]
    applies: Annotated[
        bool | None, "whether the premise of the result holds; null if that is not known"
    ]
    says: Annotated[str, "the conclusion of the result"]


@dataclass(frozen=True, slots=True)
class BuildingBlocks:
    """All five, and what follows for a finite mechanism.

    Attributes:
        intensity: of every divergence in every universe; None also if the datasets of the
            mechanism are not enumerated.
    """

    domain: Domain
    multiverse: Annotated[Multiverse, "the universes inside which datasets are compared"]
    unit: Annotated[Unit, "the input metric and its unit"]
    standard: Annotated[tuple[str, ...], "the kinds of the mechanism's parts"]
    intensity: Annotated[
        tuple[Lipschitz, ...] | None,
        "the Lipschitz constants of a finite mechanism; null for others",
    ]
    theorems: Annotated[tuple[Theorem, ...], "sufficiency and necessity of the universes"]
