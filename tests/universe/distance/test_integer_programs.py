"""Records that move inside their classes, as programs count them, against brute force."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.model.adjacency import Reading
from semiaudit.numeric.integer_program import NODES, Program, ProgramSolution
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance import integer_programs, worst_start
from semiaudit.universe.distance.integer_programs import readings_by_programs
from semiaudit.universe.distance.interval import ParameterInterval, Readings
from semiaudit.universe.system.classes_of_cells import System
from tests.oracles import tables as oracle

Case = tuple[System, list[oracle.Table]]


def in_classes(sizes: tuple[int, ...], rows: list[oracle.Row], held: tuple[int, ...]) -> Case:
    """Classes of so many cells each with rows over them, and all tables of D_t over single cells.

    Args:
        held: the records of every class in one table of D_t.
    """
    first = [sum(sizes[:c]) for c in range(len(sizes))]
    owner = [c for c, size in enumerate(sizes) for _ in range(size)]
    rows = [(1,) * len(sizes), *(row for row in rows if any(row))]
    whole = tuple(tuple(row[c] for c in owner) for row in rows)
    table = [0] * len(owner)
    for c, count in enumerate(held):
        table[first[c]] = count
    instance = oracle.Instance((len(owner),), sum(held), rows=whole)
    system = System(
        cells=tuple(
            tuple((first[c] + k,) for k in range(min(size, 2))) for c, size in enumerate(sizes)
        ),
        multiplicity=sizes,
        rows=tuple(tuple((c, k) for c, k in enumerate(row) if k) for row in rows),
        values=tuple(oracle.dot(row, held) for row in rows),
        keys=(),
        bounds=(),
        size=sum(held),
    )
    return system, oracle.universe_of(instance, tuple(table))


def assert_holds(found: Readings, universe: list[oracle.Table], case: object) -> tuple[int, int]:
    truths = (
        oracle.covering(universe, oracle.HAMMING),
        oracle.definition_13(universe, oracle.HAMMING),
    )
    for reading, truth in zip((found.covering, found.definition_13), truths, strict=True):
        assert reading.lower <= truth, case
        assert reading.upper is None or truth <= reading.upper, case
    return truths


ALONE: list[oracle.Row] = [(1, 0), (0, 1)]
"""Rows that count each of two classes, so that no record leaves its class."""


@pytest.mark.parametrize("reading", ["covering", "definition_13"])
@pytest.mark.parametrize(
    ("sizes", "held", "truth"),
    [
        ((2, 1), (2, 0), 1),
        ((1, 3), (0, 1), 1),
        ((2, 1), (0, 3), 0),
        ((2, 1), (2, 1), 2),
        ((1, 1), (2, 1), 2),
    ],
)
def test_a_record_that_only_moves_inside_its_class_costs_one(
    sizes: tuple[int, ...], held: tuple[int, ...], truth: int, reading: Reading
) -> None:
    # Of 2 records in 2 cells of which only the sum is published, one can move alone. Records of
    # different classes exchange their places, which takes both of them. Records of one cell, with
    # no others, are one dataset.
    system, universe = in_classes(sizes, ALONE, held)
    found = readings_by_programs(system, "hamming", Limits(60, certify=False), reading=reading)
    assert assert_holds(found, universe, sizes) == (truth, truth)
    assert (found.covering.lower, found.covering.upper) == (truth, truth)
    assert (found.definition_13.lower, found.definition_13.upper) == (truth, truth)


@pytest.mark.parametrize("answered", [True, False])
def test_readings_over_classes_of_several_cells_hold_the_truth(
    answered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the program that looks for a record inside a class is not answered."""

    class Unanswered(Program):
        def solve(self, limits: Limits, nodes: int = NODES) -> ProgramSolution:
            return ProgramSolution("limit")

    if not answered:
        monkeypatch.setattr(integer_programs, "Program", Unanswered)
    chance = random.Random(4)
    seen = set()
    for _ in range(60):
        sizes = tuple(chance.choice((1, 1, 2)) for _ in range(chance.randint(1, 4)))
        rows = [
            tuple(chance.choice((0, 0, 1, 1, 2)) for _ in sizes)
            for _ in range(chance.randint(0, 3))
        ]
        held = tuple(chance.randint(0, 2) for _ in sizes)
        if not any(held) or len(sizes) + sum(held) > 8:
            continue
        system, universe = in_classes(sizes, rows, held)
        found = readings_by_programs(system, "hamming", Limits(60, certify=False))
        covering, _ = assert_holds(found, universe, (sizes, rows, held))
        if answered:
            assert found.covering.lower == found.covering.upper == covering, (sizes, rows, held)
        seen.add(covering)
    assert {0, 1, 2, 3} <= seen


@pytest.mark.parametrize(("own", "upper"), [(None, 4), (9, 4), (4, 4), (3, 3)])
def test_definition_13_is_at_most_the_upper_bound_of_the_covering_definition(
    own: int | None, upper: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    system: Any = SimpleNamespace(values=None)
    limits: Any = SimpleNamespace(share=lambda _: None, counted=lambda _: None)
    monkeypatch.setattr(integer_programs, "_manageable", lambda _: True)
    monkeypatch.setattr(integer_programs, "_second", lambda *_: ParameterInterval(2, own))
    monkeypatch.setattr(worst_start, "covering", lambda *_: ParameterInterval(3, 4))
    found = readings_by_programs(system, "multiset_hamming", limits)
    assert (found.covering.lower, found.covering.upper) == (3, 4)
    assert (found.definition_13.lower, found.definition_13.upper) == (2, upper)
