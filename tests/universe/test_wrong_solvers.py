"""What the integer programs answer, and what becomes of a solver's wrong answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import inf, nan

import pytest

from semiaudit.model.adjacency import Metric
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.semi_adjacency import Cell, Universe
from semiaudit.numeric import integer_program as programs
from semiaudit.numeric.integer_program import Program
from semiaudit.numeric.limits import Limits, can_certify
from semiaudit.universe.distance import integer_programs
from semiaudit.universe.distance.interval import ParameterInterval
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.system.classes_of_cells import Limited, System
from tests.oracles import tables as oracle
from tests.oracles.tables import Table
from tests.samples import sampled
from tests.universe.instances import (
    METRICS,
    Case,
    assert_contains,
    assert_witnesses,
    band,
    case_of,
    parity,
    published_of,
    release_of,
)

Raw = programs._Raw
Corruption = Callable[[Raw, random.Random], Raw]
TRUE_HIGHS, TRUE_CP_SAT = programs._highs, programs._cp_sat


def certifying() -> list[object]:
    """Without CP-SAT, and with it where it is installed."""
    missing = pytest.mark.skipif(not can_certify(), reason="ortools is not installed")
    return [False, pytest.param(True, marks=missing)]


def examples() -> list[tuple[Case, list[Table]]]:
    """The band, the parity tables, and a random instance with a covering distance of 3 or more."""
    chance = random.Random(7)
    drawn = [band(), parity()]
    while len(drawn) < 3:
        instance, table = oracle.random_instance(chance)
        universe = oracle.universe_of(instance, table)
        if len(universe) <= 20 and oracle.covering(universe, oracle.HAMMING) >= 3:
            drawn.append((instance, table))
    return [(case_of(chance, *one), oracle.universe_of(*one)) for one in drawn]


EXAMPLES = examples()
pytestmark = pytest.mark.usefixtures("programs_only")


# --- the programs themselves ----------------------------------------------------------


def random_program(chance: random.Random) -> Program:
    program = Program()
    for _ in range(chance.randint(1, 4)):
        low = chance.randint(-2, 1)
        program.variable(low, low + chance.randint(0, 3), chance.randint(-2, 3))
    for _ in range(chance.randint(0, 3)):
        terms = {c: chance.randint(-3, 3) for c in range(len(program.low))}
        end = chance.choice((None, chance.randint(-4, 4)))
        program.row(terms, end, chance.choice((None, (end or 0) + chance.randint(0, 3))))
    return program


@pytest.mark.parametrize("certify", certifying())
def test_random_programs_agree_with_going_through_all_points(certify: bool) -> None:
    chance = random.Random(1)
    statuses = set()
    for _ in range(60):
        program = random_program(chance)
        ends = zip(program.low, program.high, strict=True)
        points = product(*(range(low, high + 1) for low, high in ends))
        costs = [
            sum(map(int.__mul__, program.cost, point))
            for point in points
            if feasible(program, point)
        ]
        answers = [program.solve(Limits(600, certify)), program.search(Limits(600, certify))]
        for answer in answers:
            statuses.add(answer.status)
            assert answer.status == ("solved" if costs else "infeasible")
            if costs:
                assert answer.cost == answer.proven == min(costs)
                assert answer.values is not None
                assert feasible(program, answer.values)
    assert statuses == {"solved", "infeasible"}


def feasible(program: Program, point: tuple[int, ...]) -> bool:
    sums = [(sum(k * point[c] for c, k in t.items()), low, high) for t, low, high in program.rows]
    return all((low is None or low <= s) and (high is None or s <= high) for s, low, high in sums)


# --- wrong answers --------------------------------------------------------------------


def garbage(raw: Raw, chance: random.Random) -> Raw:
    values = None if raw.values is None else [3 * chance.random() for _ in raw.values]
    return replace(raw, values=values)


def one_count_off(raw: Raw, chance: random.Random) -> Raw:
    if raw.values is None:
        return raw
    values = list(raw.values)
    values[chance.randrange(len(values))] += chance.choice((-1, 1))
    return replace(raw, values=values)


def bound_above_the_cost(raw: Raw, chance: random.Random) -> Raw:
    return raw if raw.values is None else replace(raw, bound=raw.bound + chance.randint(1, 1000))


def infeasible_beside_a_solution(raw: Raw, chance: random.Random) -> Raw:
    return replace(raw, status="infeasible")


def limit_with_a_solution(raw: Raw, chance: random.Random) -> Raw:
    return Raw("limit", raw.values, -inf)


def limit_without_a_solution(raw: Raw, chance: random.Random) -> Raw:
    return Raw("limit", None, -inf)


CORRUPTIONS: tuple[Corruption, ...] = (
    garbage,
    one_count_off,
    bound_above_the_cost,
    infeasible_beside_a_solution,
    limit_with_a_solution,
    limit_without_a_solution,
)


def corrupt(monkeypatch: pytest.MonkeyPatch, corruption: Corruption, share: float) -> list[int]:
    """Let both solvers answer wrongly for a share of the programs; returns how often they did."""
    chance, changed = random.Random(3), [0]

    def wrong(raw: Raw) -> Raw:
        if chance.random() >= share:
            return raw
        if corruption is infeasible_beside_a_solution and raw.values is None:
            return raw
        changed[0] += 1
        return corruption(raw, chance)

    def highs(program: Program, limits: Limits, nodes: int, *, presolve: bool) -> Raw:
        return wrong(TRUE_HIGHS(program, limits, nodes, presolve=presolve))

    def cp_sat(program: Program, limits: Limits, nodes: int) -> Raw:
        return wrong(TRUE_CP_SAT(program, limits, nodes))

    monkeypatch.setattr(programs, "_highs", highs)
    monkeypatch.setattr(programs, "_cp_sat", cp_sat)
    return changed


@pytest.mark.parametrize("certify", certifying())
@pytest.mark.parametrize(("share", "every"), sampled([(1.0, 16), (1.0, 1), (0.3, 1)], fast=(0,)))
@pytest.mark.parametrize("corruption", CORRUPTIONS)
def test_a_wrong_answer_ends_in_an_interval_that_holds_the_truth(
    corruption: Corruption, share: float, every: int, certify: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = corrupt(monkeypatch, corruption, share)
    opened, examples = 0, EXAMPLES[::every]
    metrics: Sequence[Metric] = METRICS[:1] if certify else METRICS[::2]
    for case, universe in examples:
        for metric in metrics:
            found = universe_of(case.release(metric), Limits(600, certify))
            opened += not assert_contains(found, universe, metric)
            assert_witnesses(found, case, universe, metric)
    assert changed[0] > 0
    if share == 1.0:
        assert opened == len(examples) * len(metrics)


@pytest.mark.parametrize(
    ("metric", "spent", "every"),
    sampled(
        [
            ("hamming", 0, 4),
            ("hamming", 50, 4),
            ("hamming", 0, 1),
            ("hamming", 50, 1),
            ("multiset_hamming", 0, 1),
        ],
        fast=(0, 1),
    ),
)
def test_a_wrong_proof_of_infeasibility_that_presolve_gives_is_caught(
    metric: Metric, spent: int, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def highs(program: Program, limits: Limits, nodes: int, *, presolve: bool) -> Raw:
        if presolve:
            return Raw("infeasible", None, inf)
        return TRUE_HIGHS(program, limits, nodes, presolve=presolve)

    monkeypatch.setattr(programs, "_highs", highs)
    for case, universe in EXAMPLES[::every]:
        limits = Limits(600, certify=False)
        limits.started -= spent
        found = universe_of(case.release(metric), limits)
        assert_contains(found, universe, metric)
        semi = found.semi_adjacency
        assert (semi.covering.upper, semi.definition_13.upper) != (0, 0)


@pytest.mark.parametrize("metric", METRICS)
def test_a_dear_solution_that_is_called_the_cheapest_never_lowers_the_upper_end(
    metric: Metric, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No re-check can tell: the solution is feasible. What comes of it is loose, not optimistic.
    def highs(program: Program, limits: Limits, nodes: int, *, presolve: bool) -> Raw:
        dearest = Program()
        dearest.low, dearest.high, dearest.rows = program.low, program.high, program.rows
        dearest.cost = [-k for k in program.cost]
        raw = TRUE_HIGHS(dearest, limits, nodes, presolve=presolve)
        return replace(raw, bound=-raw.bound)

    monkeypatch.setattr(programs, "_highs", highs)
    for case, universe in EXAMPLES:
        semi = universe_of(case.release(metric), Limits(600, certify=False)).semi_adjacency
        for parameter, truth in (
            (semi.covering, oracle.covering(universe, metric)),
            (semi.definition_13, oracle.definition_13(universe, metric)),
        ):
            assert parameter.upper is None or parameter.upper >= truth


@pytest.mark.parametrize("value", [nan, inf])
def test_a_solver_that_answers_no_number_ends_in_an_error(
    value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def highs(program: Program, limits: Limits, nodes: int, *, presolve: bool) -> Raw:
        return Raw("solved", [value] * len(program.low), 0.0)

    monkeypatch.setattr(programs, "_highs", highs)
    with pytest.raises((ValueError, OverflowError), match="cannot convert float"):
        universe_of(EXAMPLES[0][0].release("hamming"), Limits(600, certify=False))


def test_a_solver_that_fails_ends_in_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def highs(program: Program, limits: Limits, nodes: int, *, presolve: bool) -> Raw:
        raise RuntimeError("the solver failed")

    monkeypatch.setattr(programs, "_highs", highs)
    with pytest.raises(RuntimeError, match="the solver failed"):
        universe_of(EXAMPLES[0][0].release("hamming"), Limits(600, certify=False))


# --- how it is run --------------------------------------------------------------------


@pytest.mark.parametrize("certify", certifying())
def test_the_solvers_print_nothing(certify: bool, capfd: pytest.CaptureFixture[str]) -> None:
    universe_of(EXAMPLES[0][0].release("hamming"), Limits(600, certify))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("certify", certifying())
@pytest.mark.parametrize("metric", METRICS)
def test_the_same_release_gives_the_same_universe(metric: Metric, certify: bool) -> None:
    for case, _ in EXAMPLES:
        found: list[Universe] = []
        for _ in range(2):
            limits = Limits(600, certify)
            found.append(universe_of(case.release(metric), limits))
            assert not limits.is_reached
        assert found[0] == found[1]


def large() -> Release:
    """4 x 4 x 4, all two-way margins, 150 records: too many tables to list."""
    chance = random.Random(150)
    space = TableSpace("record", 150, tuple(Attribute(name, 4) for name in "abc"))
    margins = [Margin(pair) for pair in (("a", "b"), ("a", "c"), ("b", "c"))]
    cells = list(product(range(4), repeat=3))
    records = chance.choices(cells, k=150)
    counts: dict[Cell, int] = {cell: records.count(cell) for cell in cells}
    return release_of(space, margins, published_of(space, margins, counts))


@pytest.mark.parametrize("certify", certifying())
@pytest.mark.parametrize("seconds", [0.0, 0.2, 1.0])
def test_a_time_limit_ends_in_an_interval_soon(seconds: float, certify: bool) -> None:
    limits = Limits(seconds, certify)
    semi = universe_of(large(), limits).semi_adjacency
    assert limits.is_reached
    assert 0 <= semi.covering.lower < 150 == semi.covering.upper
    assert 0 <= semi.definition_13.lower <= (semi.definition_13.upper or 0) <= 150


def test_definition_13_has_no_end_where_no_program_tells_the_sizes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # D_t holds two tables, without records and with one of each class: 2 apart, though no record
    # of the one becomes a record of the other.
    system = System(
        cells=(((0,),), ((1,),)),
        multiplicity=(1, 1),
        rows=(((0, 1), (1, -1)),),
        values=(0,),
        keys=(),
        bounds=tuple(Limited(((c, 1),), 0, 1) for c in (0, 1)),
        size=None,
    )

    def bounds() -> tuple[int, int | None]:
        metric: Metric = "symmetric_difference"
        found = integer_programs.definition_13_by_programs(
            system, metric, Limits(), None, ParameterInterval(0)
        )
        return found.lower, found.upper

    assert bounds() == (2, 2)
    monkeypatch.setattr(integer_programs, "_sizes_differ", lambda *_: None)
    assert bounds() == (0, None)


@pytest.mark.skipif(not can_certify(), reason="ortools is not installed")
@pytest.mark.parametrize("many", [0, 10**6])
def test_clauses_and_sums_together_are_solved_with_and_without_presolve(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "MANY_CLAUSES", many)
    chance = random.Random(many)
    infeasible = 0
    for _ in range(60):
        program = Program()
        flags = [program.variable(0, 1) for _ in range(4)]
        count = program.variable(0, 2)
        for _ in range(chance.randint(1, 5)):
            program.row(dict.fromkeys(chance.sample(flags, chance.randint(0, 3)), 1), 1, None)
        own = {flag: chance.randint(0, 2) for flag in flags} | {count: 1}
        program.row(own, None, chance.randint(0, 2))
        program.row({count: 1, flags[0]: 1}, 1, 1)
        ways = product(*([(0, 1)] * 4), (0, 1, 2))
        possible = any(program.admits(values) for values in ways)
        found = program.search(Limits(10, certify=True))
        assert (found.values is not None) == possible
        assert (found.status == "infeasible") != possible
        infeasible += not possible
    assert 0 < infeasible < 60
