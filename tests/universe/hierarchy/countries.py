"""Small countries as releases of one hierarchy, and their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from semiaudit.model.adjacency import Adjacency
from semiaudit.model.audit import Published, Release, ReportOptions
from semiaudit.model.dataspace import Attribute, Condition, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.topdown import (
    NoisyQuery,
    Recode,
    SecretPair,
    SpineLevel,
    TopDown,
    TopDownQuery,
)
from semiaudit.universe.hierarchy.dataset_pairs import pairs_of
from semiaudit.universe.hierarchy.secrets import secrets_of

TOTAL = TopDownQuery("total")
NATION = SpineLevel("nation")
Key = tuple[str, str, int]


def tells(*names: str) -> TopDownQuery:
    """A query that tells attributes apart."""
    return TopDownQuery(" by ".join(names), tuple(Recode(name, (name,)) for name in names))


def nested(name: str, within: str, *parents: int) -> Attribute:
    """An attribute that lies within another one."""
    levels = tuple(f"{name} {at}" for at in range(len(parents)))
    return Attribute(name, levels, within=within, parents=parents)


def of_hierarchy(
    part: TopDown,
    space: TableSpace,
    margins: Iterable[tuple[str, ...]],
    published: Published | None = None,
) -> Release:
    """A release of one hierarchy under margins."""
    return Release(
        path="toy",
        sha256="",
        title="toy",
        references=(),
        leaves_out=(),
        dataspace=space,
        invariants=tuple(Margin(margin) for margin in margins),
        published=published,
        adjacency=Adjacency("hamming", "covering"),
        mechanism=part,
        options=ReportOptions((Fraction(1, 10**6),), ()),
        budgets=(),
    )


def release_of(
    spine: Sequence[SpineLevel],
    attributes: Sequence[Attribute],
    queries: Sequence[TopDownQuery],
    *,
    margins: Sequence[tuple[str, ...]] = (),
    zeros: Sequence[Condition] = (),
    size: int | None = 20,
    published: Published | None = None,
) -> Release:
    """Every query at every level with rho 1."""
    noisy = [
        NoisyQuery(level, query, Fraction(1))
        for level in range(len(spine))
        for query in range(len(queries))
    ]
    space = TableSpace("person", size, tuple(attributes), tuple(zeros))
    mechanism = TopDown(tuple(spine), tuple(queries), tuple(noisy))
    return of_hierarchy(mechanism, space, margins, published)


def rows(release: Release) -> dict[Key, SecretPair]:
    """The rows by name, universe and distance; of several places the last one."""
    assert isinstance(release.mechanism, TopDown)
    found = secrets_of(pairs_of(release.mechanism, release))
    return {(row.name, row.universe, row.distance): row for row in found}


def rho(row: SecretPair) -> int | None:
    """Of the worst move, where each rho is 1: half the squares; None without a pair."""
    squares = [sum(size * size for sizes in move for size in sizes) for move in row.moves]
    return max(squares) // 2 if squares else None


def pairs_of_places(release: Release) -> dict[str, dict[int, int | None]]:
    """By the places of the rows within a fixed unit: rho at each distance."""
    assert isinstance(release.mechanism, TopDown)
    found: dict[str, dict[int, int | None]] = {}
    for row in secrets_of(pairs_of(release.mechanism, release)):
        if row.name.startswith("within_"):
            found.setdefault(row.where, {})[row.distance] = rho(row)
    return found
