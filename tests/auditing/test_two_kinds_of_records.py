"""Persons and units against brute force over joint dataspaces: what is claimed of both together."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import semiaudit
from semiaudit.library.report import audit_of
from semiaudit.model.audit import Audit
from semiaudit.report.form.to_json import DOCUMENT
from tests.oracles.joint_records import (
    Both,
    Table,
    covering,
    definition_13,
    functions,
    largest_rho,
    margin,
    neighbors_agree,
    products,
    tables,
    touched,
    universes,
)
from tests.samples import repeated

KINDS = ("attribute", "geography", "within", "across", "exchange")
NAMES = ("a", "b")
Margins = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Joint:
    """A release about persons and units, and all of its joint datasets.

    Attributes:
        levels: of the attributes of persons, of units. margins: published of either, exactly.
        touches: how many units change with one person, at most.
        given: a table of persons whose margins are the published values; None if none are.
    """

    datasets: tuple[Both, ...]
    levels: tuple[tuple[int, ...], tuple[int, ...]]
    margins: tuple[Margins, Margins]
    touches: int
    given: Table | None = None
    rhos: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1, 8))

    @property
    def sizes(self) -> tuple[int, int]:
        persons, units = self.datasets[0]
        return len(persons), len(units)

    def value(self, dataset: Both) -> tuple[object, ...]:
        return tuple(
            margin(table, names)
            for table, margins in zip(dataset, self.margins, strict=True)
            for names in margins
        )

    def universes(self) -> list[list[Both]]:
        """D_t for every t that the published values leave open."""
        mine = self.margins[0]
        wanted = None if self.given is None else [margin(self.given, names) for names in mine]
        possible = [
            dataset
            for dataset in self.datasets
            if wanted is None or [margin(dataset[0], names) for names in mine] == wanted
        ]
        return universes(possible, self.value)

    def spec(self) -> dict[str, Any]:
        persons, units = self.levels
        spec: dict[str, Any] = {
            "semiaudit": 1,
            "dataspace": {"unit": "person", **_space(persons, self.sizes[0])},
            "releases": [
                {
                    "invariants": _margins(self.margins[0]),
                    "mechanism": {"zcdp": {"rho": str(self.rhos[0])}},
                },
                {
                    "dataspace": {"unit": "unit", **_space(units, self.sizes[1])},
                    "touches": dict.fromkeys(KINDS, self.touches),
                    "invariants": _margins(self.margins[1]),
                    "mechanism": {"zcdp": {"rho": str(self.rhos[1])}},
                },
            ],
            "budgets": [
                {"framework": "semi_dp", "rho": 10000},
                *({"framework": "semi_dp", "a_t": limit} for limit in range(1, self.sizes[0] + 1)),
            ],
        }
        for release in spec["releases"]:
            if not release["invariants"]:
                del release["invariants"]
        if self.given is not None:
            spec["data"] = {"counts": _nested(self.given, persons)}
        return spec


def _space(levels: Sequence[int], size: int) -> dict[str, Any]:
    return {"size": size, "attributes": dict(zip(NAMES, levels, strict=False))}


def _margins(margins: Margins) -> list[dict[str, Any]]:
    return [{"margin": [NAMES[place] for place in names]} for names in margins]


def _nested(table: Table, levels: Sequence[int]) -> list[Any]:
    if len(levels) == 1:
        return [table.count((level,)) for level in range(levels[0])]
    return [[table.count((one, other)) for other in range(levels[1])] for one in range(levels[0])]


def _copies(table: Table) -> Table:
    """Everybody is a unit of one."""
    return table


def audited(joint: Joint) -> Audit:
    return audit_of(semiaudit.audit(joint.spec()))


def claimed(joint: Joint) -> dict[str, Any]:
    found: dict[str, Any] = semiaudit.audit(joint.spec()).as_dict()["semi_adjacency"]
    return found


def worst(joint: Joint) -> tuple[int, int]:
    """The enumerated a(t) of everything that is published, in both definitions."""
    found, touches = joint.universes(), joint.touches
    covered = max(covering(universe, touches) for universe in found)
    return covered, max(definition_13(universe, touches) for universe in found)


def random_joint(draw: random.Random) -> Joint:
    persons, units = draw.choice([(2, 2), (3,), (2,), (2, 3)]), draw.choice([(2,), (2, 2), (3,)])
    size = 2 if persons == (2, 3) else draw.choice([2, 3])
    homes = 1 if len(units) == 2 else draw.choice([1, 2])
    mine, theirs = tables(persons, size), tables(units, homes)
    relation = draw.choice(["product", "function", "function", "copies"])
    if relation == "product":
        datasets = products(mine, draw.sample(theirs, min(len(theirs), 4)))
    elif relation == "copies":
        units, datasets = persons, functions(mine, _copies)
    else:
        chosen = {table: draw.choice(theirs) for table in mine}
        datasets = functions(mine, chosen.__getitem__)
    most = 0 if relation == "product" else touched(datasets)
    return Joint(
        datasets=tuple(datasets),
        levels=(persons, units),
        margins=(random_margins(draw, persons, 0), random_margins(draw, units, 0)),
        touches=most,
        given=draw.choice([None, draw.choice(mine)]),
        rhos=(Fraction(draw.randint(1, 9), 4), Fraction(draw.randint(1, 9), 8)),
    )


def random_margins(draw: random.Random, levels: Sequence[int], least: int) -> Margins:
    every = [(0,), (1,), (0, 1)] if len(levels) == 2 else [(0,)]
    return tuple(draw.sample(every, draw.randint(least, min(2, len(every)))))


def test_the_joint_a_t_is_larger_where_the_units_are_counted_besides() -> None:
    # Nobody's level is counted of persons, and each is a unit that is: two have to exchange.
    datasets = functions(tables((2,), 2), _copies)
    joint = Joint(tuple(datasets), ((2,), (2,)), ((), ((0,),)), touches=1)
    assert touched(datasets) == 1
    assert worst(joint) == (2, 2)
    found = claimed(joint)
    assert found["value"] is None
    assert found["own"]["value"] == 1


def test_the_joint_a_t_is_smaller_where_the_units_tie_two_margins_together() -> None:
    # Remark 17: under the joint table whoever changes exchanges places with one other person.
    datasets = functions(tables((2, 2), 3), _copies)
    joint = Joint(tuple(datasets), ((2, 2), (2, 2)), (((0,), (1,)), ((0, 1),)), touches=1)
    assert worst(joint) == (2, 2)
    found = claimed(joint)
    assert found["value"] is None
    assert found["own"]["value"] == 3


def test_units_that_no_person_touches_leave_the_a_t_of_the_persons() -> None:
    datasets = products(tables((2, 2), 3), tables((2,), 2))
    joint = Joint(tuple(datasets), ((2, 2), (2,)), (((0,), (1,)), ((0,),)), touches=0)
    assert worst(joint)[0] == 3
    assert claimed(joint)["value"] == 3
    assert "no joint a(t)" not in semiaudit.audit(joint.spec()).render("json")


@repeated(fast=12, slow=200)
def test_what_is_claimed_of_persons_and_units_together_is_what_enumeration_finds(
    times: int,
) -> None:
    draw = random.Random(29)
    for _ in range(times):
        joint = random_joint(draw)
        audit = audited(joint)
        _check_a_t(joint, audit)
        _check_numbers(joint, audit)


def _check_a_t(joint: Joint, audit: Audit) -> None:
    semi, (most, printed) = DOCUMENT.plain(audit)["semi_adjacency"], worst(joint)
    alone = semi.get("own", semi)
    touched = joint.margins[1] and joint.touches
    assert (semi["value"] is None) == bool(touched and alone["value"])
    for definition, found in (("covering", most), ("definition_13", printed)):
        ends = semi[definition]["lower"], semi[definition]["upper"]
        assert ends == ((0, None) if semi["value"] is None else (found, found))
    for result in audit.budgets:
        budget = result.budget
        if budget.measure == "a_t" and result.holds:
            assert 0 < most <= budget.limit
        elif result.holds:
            rows = {row.guarantee.framework: row.guarantee for row in audit.rows}
            distance = rows[budget.framework].distance
            assert distance is not None
            assert distance >= most > 0


def _check_numbers(joint: Joint, audit: Audit) -> None:
    for row in audit.rows:
        guarantee, rho = row.guarantee, row.numbers.zcdp
        if guarantee.refused:
            continue
        assert rho is not None
        assert guarantee.distance is not None
        places = [[*joint.datasets]] if guarantee.universe == "D" else joint.universes()
        lost = max(
            largest_rho(place, guarantee.distance, joint.touches, *joint.rhos) for place in places
        )
        assert rho.value >= lost
        if guarantee.framework == "nominal_dp" and guarantee.covers_joint_release:
            assert neighbors_agree(joint.datasets, joint.touches, joint.value)
