"""Each method for sensitivities alone, against brute force: it is right or silent.

The whole campaign: python -m pytest -m slow tests/universe/sensitivity/test_methods.py
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest

from semiaudit.errors import RefusedError
from semiaudit.model import audit
from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.invariants import Margin
from semiaudit.model.query import MarginsQuery, Query, Sensitivity, TableQuery
from semiaudit.numeric.limits import Limits
from semiaudit.universe import connected, population
from semiaudit.universe.disclosure import disclosed_of
from semiaudit.universe.method import Method, first_answer
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.sensitivity import question as questions
from semiaudit.universe.sensitivity import sensitivity_numbers, subspaces
from semiaudit.universe.sensitivity.joint_moves import LISTED_JOINT, JointMoves
from semiaudit.universe.sensitivity.sensitivity_numbers import NORMS, SolvedQuestion
from semiaudit.universe.sensitivity.signed_moves import SIGNED, SignedMoves, signed_moves
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles import tables as oracle
from tests.oracles.domination import fits
from tests.oracles.tables import SYMMETRIC, Instance, Table
from tests.universe.instances import METRICS, Case, case_of, chunks, release_of
from tests.universe.sensitivity.test_dominating_moves import held
from tests.universe.sensitivity.test_spaces import (
    Vector,
    assert_above,
    assert_gauge_above,
    columns,
    random_query,
    unit_vectors,
)

MOST_TABLES = 300
Pattern = tuple[int, ...]


@dataclass(frozen=True)
class Problem:
    """A question, and the changes of the table that brute force finds."""

    case: Case
    queries: tuple[Query, ...]
    distance: int
    metric: Metric
    universe: UniverseName
    changes: tuple[Table, ...]

    def question(self) -> SolvedQuestion:
        """The question, with nothing computed."""
        spaces = SensitivitySpaces(self.case.release(self.metric))
        return spaces.question(self.queries, self.distance, self.universe)

    def vectors(self, query: Query) -> list[Vector]:
        """The change of one answer for every change of the table."""
        answer = columns(self.case, query)
        coordinates = list({coordinate: None for column in answer for coordinate in column})
        dense = np.array([[c.get(k, 0) for k in coordinates] for c in answer], dtype=np.int64)
        return [tuple(row) for row in (np.array(self.changes) @ dense).tolist()]


def problem(seed: int) -> Problem | None:
    """A random problem; None if brute force would take too long."""
    chance = random.Random(seed)
    free = not seed % 4
    drawn = oracle.random_free_instance if free else oracle.random_instance
    case = case_of(chance, *drawn(chance))
    metric = SYMMETRIC if free else chance.choice(METRICS)
    universe = chance.choice(get_args(UniverseName))
    distance = chance.randint(1, 4)
    if case.space.cells > MOST_TABLES:
        return None
    queries = random_query(chance, case.space), random_query(chance, case.space)
    tables = oracle.universe_of(case.instance, case.table)
    if universe == "D":
        tables = oracle.tables(_everything(case, distance, metric))
    if len(tables) > MOST_TABLES:
        return None
    changes = tuple(sorted(oracle.differences(tables, distance, metric)))
    return Problem(case, tuple(dict.fromkeys(queries)), distance, metric, universe, changes)


def _everything(case: Case, distance: int, metric: Metric) -> Instance:
    """All tables of one size, or of up to a size that suffices."""
    shape, impossible, size = case.instance.shape, case.instance.impossible, case.space.size
    if size is None and metric == SYMMETRIC:
        return Instance(shape, None, impossible, largest=distance)
    return Instance(shape, distance if size is None else size, impossible)


def pattern(vector: Vector) -> Pattern:
    return tuple(sorted((abs(k) for k in vector if k), reverse=True))


def alone(method: Method[Any, Any], asked: Problem) -> Any:
    """What a method answers if it is the only one; it refuses what it does not declare.

    What it asks others for, as norms for joint moves, they still answer.
    """
    if asked.metric not in method.metrics:
        with pytest.raises(RefusedError, match=asked.metric):
            first_answer([method], asked.question())
        return None
    return first_answer([method], asked.question())


@pytest.mark.parametrize("seed", chunks(60, 2_060))
def test_every_method_for_norms_alone_is_right_or_silent(seed: int) -> None:
    asked = problem(seed)
    if asked is None:
        return
    asked = replace(asked, queries=asked.queries[:1])
    (query,) = asked.queries
    truth = set(asked.vectors(query))
    units = unit_vectors(asked.case, columns(asked.case, query), asked.metric)
    for method in NORMS:
        solution = alone(method, asked)
        if solution is not None:
            sensitivity: Sensitivity = solution.sensitivity
            assert_above(sensitivity, truth)
            assert_gauge_above(sensitivity, truth, units)


@pytest.mark.parametrize("seed", chunks(60, 2_060))
def test_every_method_for_joint_moves_alone_is_right_or_silent(seed: int) -> None:
    asked = problem(seed)
    if asked is None:
        return
    truth = {
        tuple(map(pattern, vectors))
        for vectors in zip(*map(asked.vectors, asked.queries), strict=True)
    }
    for method in LISTED_JOINT:
        moves: JointMoves | None = alone(method, asked)
        if moves is None:
            continue
        for element in truth if not moves.hull else ():
            assert any(
                all(fits(p, list(map(Fraction, bins))) for p, bins in zip(element, e, strict=True))
                for e in moves.elements
            ), (method.name, element)
        # A convex function is largest at a corner of the hull.
        for norm in (sum, lambda values: sum(k * k for k in values), lambda v: max(v, default=0)):
            for place, _ in enumerate(asked.queries):
                largest = max(norm(element[place]) for element in moves.elements)
                assert largest >= max(norm(element[place]) for element in truth), method.name
        assert not moves.attained or truth.issuperset(moves.elements), method.name


@pytest.mark.parametrize("seed", chunks(60, 2_060))
def test_every_method_for_signed_moves_alone_is_right_or_silent(seed: int) -> None:
    asked = problem(seed)
    if asked is None:
        return
    asked = replace(asked, queries=asked.queries[:1])
    truth = {tuple(sorted(k for k in v if k)) for v in asked.vectors(asked.queries[0])}
    for method in SIGNED:
        moves: SignedMoves | None = alone(method, asked)
        if moves is not None:
            moving = [move for move in truth if move]
            assert all(held(move, moves.elements) for move in moving), method.name
            assert not moves.attained or truth.issuperset(moves.elements), method.name


def test_every_method_answers_some_of_the_problems() -> None:
    methods: list[Method[Any, Any]] = [*NORMS, *LISTED_JOINT, *SIGNED]
    silent = dict(enumerate(methods))
    for asked in filter(None, map(problem, range(60))):
        for place, method in list(silent.items()):
            if alone(method, asked) is not None:
                del silent[place]
    assert not silent


QUERY = MarginsQuery((("a",), ("b",)))
CALLS: dict[str, Callable[[SensitivitySpaces], object]] = {
    "inside": lambda spaces: spaces.within(QUERY, 2),
    "anywhere": lambda spaces: spaces.everywhere(QUERY, 2),
    "together": lambda spaces: spaces.joint_moves((QUERY, TableQuery()), 2, "D_t"),
    "together anywhere": lambda spaces: spaces.joint_moves((QUERY,), 2, "D", listed=True),
    "with signs": lambda spaces: signed_moves(spaces, QUERY, 2, "D_t"),
    "projected": lambda spaces: spaces.projected_l2_squared(QUERY),
    "steps": lambda spaces: spaces.subspaces.steps(QUERY),
    "enclosing space": lambda spaces: spaces.subspaces.enclosing(QUERY),
    "connected": lambda spaces: connected.connected(spaces, 2),
    "disclosed": lambda spaces: disclosed_of(TableProblem(spaces.release, spaces.table, Limits())),
    "all datasets": lambda spaces: population.population(spaces.release, "D", QUERY),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_metric_that_no_method_declares_is_refused_with_its_name(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever adds it says all that the types ask for, as of Hamming: this proves no method."""
    for module in (questions, subspaces, connected, audit):
        monkeypatch.setattr(module, "compares_sizes", lambda metric: False)
    for module in (questions, population):
        monkeypatch.setattr(module, "per_record", lambda metric: 1)
    space = TableSpace("record", 3, (Attribute("a", 2), Attribute("b", 2)))
    metric: Any = "weighted_hamming"
    spaces = SensitivitySpaces(release_of(space, [Margin(("a",))], None, metric))
    with pytest.raises(RefusedError, match="weighted_hamming"):
        CALLS[name](spaces)


@pytest.mark.parametrize("universe", get_args(UniverseName))
def test_what_the_methods_of_a_metric_leave_open_is_refused(
    universe: UniverseName, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the list of elements is proven, and only inside D_t, where it has no answer."""
    (listing,) = (method for method in NORMS if method.name == "listed elements")
    others = [replace(m, metrics=frozenset(("hamming",))) for m in NORMS if m is not listing]
    monkeypatch.setattr(
        sensitivity_numbers, "NORMS", [replace(listing, solve=lambda question: None), *others]
    )
    space = TableSpace("record", 3, (Attribute("a", 2), Attribute("b", 2)))
    release = release_of(space, [Margin(("a",))], None, "multiset_hamming")
    question = SensitivitySpaces(release).question((QUERY,), 2, universe)
    with pytest.raises(RefusedError, match="metric multiset_hamming"):
        _ = question.sensitivity
