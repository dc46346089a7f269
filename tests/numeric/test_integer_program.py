"""Integer programs against every point of their boxes."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from itertools import product

import pytest

from semiaudit.numeric.integer_program import Program, _silent
from semiaudit.numeric.limits import Limits

Row = tuple[list[int], int | None, int | None]


def program_of(ends: list[tuple[int, int]], costs: list[int], rows: list[Row]) -> Program:
    program = Program()
    places = [program.variable(*end, cost) for end, cost in zip(ends, costs, strict=True)]
    for row, low, high in rows:
        program.row(dict(zip(places, row, strict=True)), low, high)
    return program


def solutions(ends: list[tuple[int, int]], rows: list[Row]) -> Iterator[tuple[int, ...]]:
    for point in product(*(range(low, high + 1) for low, high in ends)):
        totals = [sum(k * x for k, x in zip(row, point, strict=True)) for row, _, _ in rows]
        if all(
            (low is None or low <= total) and (high is None or total <= high)
            for total, (_, low, high) in zip(totals, rows, strict=True)
        ):
            yield point


def drawn(seed: int) -> tuple[list[tuple[int, int]], list[int], list[Row]]:
    rng = random.Random(seed)
    ends = [(low := rng.randint(-2, 1), low + rng.randint(0, 4)) for _ in range(3)]
    rows: list[Row] = []
    for _ in range(rng.randint(1, 3)):
        side, middle = rng.randrange(3), rng.randint(-4, 6)
        least, most = (middle if side else None), (middle if side != 1 else None)
        rows.append(([rng.randint(-3, 3) for _ in ends], least, most))
    return ends, [rng.randint(-3, 3) for _ in ends], rows


@pytest.mark.parametrize("certify", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_programs_have_the_least_cost_of_all_points(seed: int, certify: bool) -> None:
    ends, costs, rows = drawn(seed)
    program = program_of(ends, costs, rows)
    known = list(solutions(ends, rows))
    limits = Limits(60.0, certify=certify)
    best, some = program.solve(limits), program.search(limits)
    if not known:
        assert (best.status, some.status) == ("infeasible", "infeasible")
        assert best.values is some.values is None
        return
    least = min(sum(k * x for k, x in zip(costs, point, strict=True)) for point in known)
    assert (best.status, best.cost, best.proven) == ("solved", least, least)
    for found in (best, some):
        assert found.values in known
        assert found.cost == sum(k * x for k, x in zip(costs, found.values or (), strict=True))
        assert found.proven <= least
    box = product(*(range(low - 1, high + 2) for low, high in ends))
    assert [point for point in box if program.admits(point)] == known


@pytest.mark.parametrize("certify", [False, True])
def test_one_of_several_must_be_1(certify: bool) -> None:
    """A row of this form is a clause, which CP-SAT takes as such."""
    rows: list[Row] = [([1, 1, 1], 1, None), ([1, 1, 0], None, 0)]
    found = program_of([(0, 1)] * 3, [1, 1, 5], rows).search(Limits(60.0, certify=certify))
    assert (found.status, found.values, found.cost) == ("solved", (0, 0, 1), 5)
    rows.append(([0, 0, 1], None, 0))
    found = program_of([(0, 1)] * 3, [1, 1, 5], rows).search(Limits(60.0, certify=certify))
    assert found.status == "infeasible"


@pytest.mark.parametrize("certify", [False, True])
def test_nothing_is_proven_without_time_or_work(certify: bool) -> None:
    program = program_of([(0, 3)], [1], [([2], 3, None)])
    assert program.solve(Limits(0.0, certify=certify)).status == "limit"
    limits = Limits(60.0, certify=certify).counted(5)
    assert program.search(limits).status == "solved"
    assert limits.work is not None
    assert limits.work < 5
    assert program.solve(Limits(60.0, certify=certify).counted(0)).status == "limit"


def test_cp_sat_searches_with_one_worker_and_one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the same spec gives the same witness."""
    from ortools.sat.python import cp_model

    asked: list[tuple[int, int]] = []
    solve = cp_model.CpSolver.solve

    def noted(solver: cp_model.CpSolver, model: cp_model.CpModel) -> object:
        asked.append((solver.parameters.num_workers, solver.parameters.random_seed))
        return solve(solver, model)

    monkeypatch.setattr(cp_model.CpSolver, "solve", noted)
    program = program_of([(0, 3)], [1], [([2], 3, None)])
    assert program.search(Limits(60.0, certify=True)).values == (2,)
    assert asked == [(1, 0)]


def test_what_a_solver_prints_is_not_on_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    with _silent():
        os.write(1, b"a banner")
        os.write(2, b"a warning")
    os.write(1, b"a report")
    assert capfd.readouterr() == ("a report", "a warning")
