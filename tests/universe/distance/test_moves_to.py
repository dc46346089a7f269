"""The short moves to one class, beside a listing of all moves; and the search that uses them."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations_with_replacement, product

import pytest

from semiaudit.model.semi_adjacency import Parameter
from semiaudit.numeric.limits import Limits, can_certify
from semiaudit.universe.distance import moves, moves_to, worst_start
from semiaudit.universe.distance.moves import Move
from semiaudit.universe.distance.moves_to import MovesTo
from semiaudit.universe.distance.nearest import ABSENT
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.system.classes_of_cells import System
from tests.oracles import tables as oracle
from tests.universe.acyclic_instances import random_table
from tests.universe.instances import METRICS, case_of, chunks


def system(shape: tuple[int, ...], rows: tuple[oracle.Row, ...]) -> System:
    sums = tuple(tuple((c, k) for c, k in enumerate(row) if k) for row in rows)
    cells = tuple((levels,) for levels in oracle.cells(shape))
    return System(cells, (1,) * len(cells), sums, None, (), (), 99)


def taken(move: Move) -> Counter[int]:
    return Counter({c: -k for c, k in move if k < 0})


def by_enumeration(rows: tuple[oracle.Row, ...], y: int, most: int) -> list[Counter[int]]:
    """Every set of records whose removal some set with y makes good, of those that hold no other.

    One after another, without codes: all sets of classes, with their sums over every row.
    """
    found: list[Counter[int]] = []
    for half in range(1, most + 1):
        sums = {
            tuple(row[y] + sum(row[c] for c in put) for row in rows)
            for put in combinations_with_replacement(range(len(rows[0])), half - 1)
        }
        others = [c for c in range(len(rows[0])) if c != y]
        for away in combinations_with_replacement(others, half):
            if tuple(sum(row[c] for c in away) for row in rows) in sums:
                own = Counter(away)
                if not any(known <= own for known in found):
                    found.append(own)
    return found


@pytest.mark.parametrize("seed", chunks(6, 60))
def test_no_set_of_records_that_may_leave_is_forgotten(seed: int) -> None:
    chance = random.Random(seed)
    shape = chance.choice(((3, 3), (2, 4), (2, 2, 2)))
    cells = len(oracle.cells(shape))
    rows: list[oracle.Row] = []
    for place in range(len(shape)):
        if chance.random() < 0.8:
            rows += oracle.margin_rows(shape, (place,))
    for _ in range(chance.randint(0, 2)):
        rows.append(tuple(chance.choices((-1, 0, 1, 2), (1, 4, 4, 1), k=cells)))
    rows.append((1,) * cells)
    y, most = chance.randrange(cells), chance.randint(2, 4)
    moves = MovesTo(system(shape, tuple(rows))).moves(y, most)
    for move in moves:
        changes = dict(move)
        assert changes[y] > 0
        assert sum(k for k in changes.values() if k > 0) == taken(move).total() <= most
        assert not any(sum(row[c] * k for c, k in move) for row in rows)
    expected = by_enumeration(tuple(rows), y, most)
    assert sorted(sorted(taken(m).items()) for m in moves) == sorted(
        sorted(one.items()) for one in expected
    )


def test_nothing_is_listed_for_a_record_that_leaves_and_long_lists_end_early() -> None:
    rows = tuple(oracle.margin_rows((9, 9), (0,)) + oracle.margin_rows((9, 9), (1,)))
    lists = MovesTo(system((9, 9), rows))
    assert lists.moves(ABSENT, 4) == []
    assert {taken(move).total() for move in lists.moves(40, 2)} == {2}
    # One exchange with every record of the row and of the column.
    assert len(lists.moves(40, 2)) == 64


def test_changes_are_listed_as_long_as_no_list_exceeds_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An exchange takes a pair of records (64 ways), and puts one of 81 records beside y."""
    rows = tuple(oracle.margin_rows((9, 9), (0,)) + oracle.margin_rows((9, 9), (1,)))
    table = system((9, 9), rows)
    monkeypatch.setattr(moves_to, "MAX_SUMS", 81)
    assert len(MovesTo(table).moves(40, 2)) == 64
    monkeypatch.setattr(moves_to, "MAX_SUMS", 80)
    assert MovesTo(table).moves(40, 2) == []


@pytest.mark.usefixtures("programs_only")
@pytest.mark.parametrize("seed", chunks(4, 200))
def test_a_search_with_lists_from_the_start_contains_brute_force(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worst_start, "LISTED_AFTER", 1)
    monkeypatch.setattr(moves, "POOLED_RECORDS", ())
    chance = random.Random(seed)
    shape = chance.choice(((3, 3), (2, 4), (2, 2, 3)))
    table = random_table(chance, shape, chance.randint(3, 6))
    cells = list(product(*map(range, shape)))
    rows = [row for place in range(len(shape)) for row in oracle.margin_rows(shape, (place,))]
    rows.append(tuple(chance.randint(0, 1) for _ in cells))
    instance = oracle.Instance(shape, sum(table), rows=tuple(rows))
    universe = oracle.universe_of(instance, table)
    metric = chance.choice(METRICS)
    case = case_of(chance, instance, table)
    semi = universe_of(
        case.release(metric), Limits(60, seed % 2 == 0 and can_certify())
    ).semi_adjacency
    truths = oracle.covering(universe, metric), oracle.definition_13(universe, metric)
    for found, truth in zip((semi.covering, semi.definition_13), truths, strict=True):
        assert_holds(found, truth)


def assert_holds(found: Parameter, truth: int) -> None:
    assert found.lower <= truth
    assert found.upper is not None
    assert truth <= found.upper
