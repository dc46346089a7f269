"""Objects of kinds that the program does not know, and every place where one could arrive."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, cast

from semiaudit.auditing.building_blocks import statement_of
from semiaudit.auditing.counting import counted
from semiaudit.auditing.findings import findings_of
from semiaudit.auditing.run import audit_release, tables_differ
from semiaudit.errors import NOWHERE, Mark, RefusedError
from semiaudit.model.adjacency import Adjacency
from semiaudit.model.audit import PublishedCounts, Release, ReportOptions
from semiaudit.model.data_source import DataSource
from semiaudit.model.dataspace import Attribute, Dataspace, ProductSpace, TableSpace
from semiaudit.model.invariants import Invariant, Margin, Total
from semiaudit.model.invariants.constraint import Constraint, SameSize
from semiaudit.model.invariants.records import Records
from semiaudit.model.measure import ZCDP
from semiaudit.model.mechanism import Declared
from semiaudit.model.query import Query, TableQuery
from semiaudit.spec.data.published_from_counts import (
    contradictions,
    groupings,
    published_counts,
    size_is_fixed,
)
from semiaudit.universe import disclosure, explicit
from semiaudit.universe.connected import connected
from semiaudit.universe.distance import closed_form
from semiaudit.universe.explicit import explicit_tables_differ
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.answers import Answers
from semiaudit.universe.sensitivity.projection import projected
from semiaudit.universe.sensitivity.query_classes import cell_system
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.system.grouped_table import grouped_table
from semiaudit.universe.system.plain_system import plain_system
from semiaudit.universe.witness import PublicValues

PLACE = Mark(7, 5)

TABLE = TableSpace("person", 3, (Attribute("sex", 2), Attribute("age", 2)))
EXPLICIT = ProductSpace("person", 2, (Fraction(0), Fraction(1)))
COUNTS = PublishedCounts(3, ((("sex",), (1, 2)),))


@dataclass(frozen=True, slots=True)
class Plain:
    """An invariant of no known kind that says nothing of itself."""

    mark: Mark = PLACE


@dataclass(frozen=True, slots=True)
class Plausible:
    """The same, which says of itself what a known kind would."""

    mark: Mark = PLACE

    def __str__(self) -> str:
        return "total"

    @property
    def constraint(self) -> Constraint | None:
        return SameSize()

    def value(self, records: Records) -> Hashable:
        return records.size


class Shadow(Total):
    """A known kind's own child is another kind."""


STRANGERS = (Plain, Plausible, Shadow)


def release_with(
    space: Dataspace, invariants: tuple[object, ...], published: PublishedCounts | None = None
) -> Release:
    return Release(
        path="strange.yaml",
        sha256="",
        title="strange",
        references=(),
        leaves_out=(),
        dataspace=space,
        invariants=cast("tuple[Invariant, ...]", invariants),
        published=published,
        adjacency=Adjacency(),
        mechanism=Declared(ZCDP(Fraction(1))),
        options=ReportOptions((), ()),
        budgets=(),
    )


GOOD = release_with(TABLE, (Margin(("sex",), Mark(6, 5)),), COUNTS)
QUERY = TableQuery()


def strange(stranger: object) -> Release:
    """The good release with a stranger as its second invariant."""
    return replace(GOOD, invariants=(*GOOD.invariants, cast("Invariant", stranger)))


def _grouped() -> Any:
    return grouped_table(GOOD, TABLE, 3, size_fixed=True)


def _spaces() -> SensitivitySpaces:
    return SensitivitySpaces(GOOD)


def _tampered(release: Release) -> SensitivitySpaces:
    """Sensitivity spaces whose release is exchanged behind their back."""
    spaces = _spaces()
    spaces.release = spaces.stated = release
    return spaces


ARRIVALS: dict[str, Callable[[Release], object]] = {
    "universe": universe_of,
    "audit": audit_release,
    "sensitivity spaces": SensitivitySpaces,
    "sensitivity inside": lambda r: _tampered(r).within(QUERY, 1),
    "sensitivity projected": lambda r: _tampered(r).projected_l2_squared(QUERY),
    "sensitivity margins": lambda r: _tampered(r).question((QUERY,), 1, "D_t").margins,
    "projection": lambda r: projected(r, TABLE, Answers(TABLE, QUERY), Fraction(2), pairs=True),
    "connected": lambda r: connected(_tampered(r), 2),
    "grouped table": lambda r: grouped_table(r, TABLE, 3, size_fixed=True),
    "system of a query": lambda r: cell_system(r, TABLE, Answers(TABLE, QUERY), 3),
    "plain system": lambda r: plain_system(r, TABLE, 3),
    "disclosure": lambda r: disclosure.of_groups(r, _grouped(), closed_form.disclosed(_grouped())),
    "witness check": lambda r: PublicValues(r, TABLE),
    "groupings": lambda r: groupings(TABLE, r.invariants),
    "size": lambda r: size_is_fixed(replace(TABLE, size=None), r.invariants),
    "contradictions": lambda r: list(contradictions(TABLE, r.invariants, {})),
    "published values": lambda r: published_counts(
        TABLE, r.invariants, 3, {("sex",): {(0,): 1, (1,): 2}}, NOWHERE
    ),
    "counting from a file": lambda r: counted(
        replace(r, source=DataSource("table", "nowhere.csv", None, NOWHERE))
    ),
    "findings": lambda r: findings_of(r, universe_of(GOOD), (), None, ()),
    "statement": lambda r: statement_of(r, universe_of(GOOD), ()),
    "vacuity": lambda r: tables_differ(universe_of(GOOD), _tampered(r), 1),
}
"""Every place that is handed a release, or its invariants, of a table."""

EXPLICIT_ARRIVALS: dict[str, Callable[[Release], object]] = {
    "universe": universe_of,
    "audit": audit_release,
    "key": lambda r: explicit.universe_key(r.invariants),
    "linear": lambda r: explicit.linear(r.invariants),
    "other tables": lambda r: explicit_tables_differ(r, EXPLICIT, 1),
}
"""The same of an explicit dataspace."""


def outcome(call: Callable[[], object]) -> str:
    """What a call answers or how it refuses, as text."""
    try:
        return repr(call())
    except RefusedError as error:
        told = [f"{r.path} {r.line}:{r.column} {r.message}; {r.remedy}" for r in error.refusals]
        return f"refused: {' | '.join(told)}"
    except AssertionError as error:
        return f"unreachable: {error}"


def unknown_elsewhere() -> dict[str, Callable[[], object]]:
    """Metrics, readings, dataspaces and queries of no known kind."""
    metric = Adjacency(cast("Any", "chebyshev"))
    reading = Adjacency(reading=cast("Any", "median"))
    return {
        "metric of tables": lambda: universe_of(replace(GOOD, adjacency=metric)),
        "metric of datasets": lambda: universe_of(
            replace(release_with(EXPLICIT, (Total(),)), adjacency=metric)
        ),
        "reading": lambda: universe_of(replace(GOOD, adjacency=reading)).semi_adjacency.value,
        "dataspace": lambda: universe_of(replace(GOOD, dataspace=cast("Any", Plain()))),
        "query": lambda: _spaces().within(cast("Query", Plain()), 1),
    }


def arrivals_of(stranger: object) -> dict[str, Callable[[], object]]:
    """Every arrival of a stranger, to be called."""
    of_tables, of_datasets = strange(stranger), release_with(EXPLICIT, (Total(), stranger))
    found: dict[str, Callable[[], object]] = {
        name: partial(arrive, of_tables) for name, arrive in ARRIVALS.items()
    }
    for name, arrive in EXPLICIT_ARRIVALS.items():
        found[f"explicit {name}"] = partial(arrive, of_datasets)
    return found


def everything() -> dict[str, str]:
    """The outcome of every arrival of every stranger, and of some questions that are answered."""
    found = {}
    for kind in STRANGERS:
        for name, call in arrivals_of(kind(PLACE)).items():
            found[f"{kind.__name__}, {name}"] = outcome(call)
    for name, call in unknown_elsewhere().items():
        found[f"unknown {name}"] = outcome(call)
    found["answered table"] = outcome(lambda: universe_of(GOOD))
    found["answered datasets"] = outcome(lambda: universe_of(release_with(EXPLICIT, (Total(),))))
    found["answered space"] = outcome(lambda: _spaces().within(QUERY, 1))
    return found


if __name__ == "__main__":
    print(json.dumps(everything()))
