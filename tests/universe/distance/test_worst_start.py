"""The search for the worst start: the moves that it learns, and the record that changes last.

The order in which the values of a dataset are searched, and the bounds that are left.

The short moves to one class, beside a listing of all moves; and the search that uses them.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement, product
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin, constraints_of
from semiaudit.model.semi_adjacency import Cell, Parameter
from semiaudit.numeric.limits import Limits, can_certify
from semiaudit.universe.distance import moves, worst_start
from semiaudit.universe.distance.interval import ParameterInterval
from semiaudit.universe.distance.moves import Move, Relabelling, keeps_rows, moves_of
from semiaudit.universe.distance.nearest import ABSENT
from semiaudit.universe.distance.worst_start import NODES, QUICK_NODES, MovesTo, worst_of_all
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.system.classes_of_cells import System, build_system
from semiaudit.universe.system.components import classes_of, components_of
from tests.oracles import tables as oracle
from tests.universe.acyclic_instances import random_table
from tests.universe.instances import METRICS, case_of, chunks, published_of, release_of


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
    monkeypatch.setattr(worst_start, "MAX_SUMS", 81)
    assert len(MovesTo(table).moves(40, 2)) == 64
    monkeypatch.setattr(worst_start, "MAX_SUMS", 80)
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


@dataclass
class Search:
    """A search that knows how far the farthest start of each value is.

    Attributes:
        hard: values whose answers need many nodes.
        asked: (value, threshold, nodes) of every question.
    """

    farthest: dict[int, int]
    hard: frozenset[int] = frozenset()
    enough: int | None = None
    limits: Any = field(default_factory=lambda: SimpleNamespace(left=True))
    asked: list[tuple[int, int, int]] = field(default_factory=list)
    targets: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.targets = list(self.farthest)

    def beyond(self, y: int, threshold: int, nodes: int) -> Any:
        self.asked.append((y, threshold, nodes))
        if y in self.hard and nodes == QUICK_NODES:
            return "limit"
        if self.farthest[y] > threshold:
            return ParameterInterval(self.farthest[y])
        return "none"


def test_the_farthest_start_of_all_values_is_found_and_proven() -> None:
    search = Search({0: 2, 1: 5, 2: 3})
    best, upper = worst_of_all(search, ParameterInterval(1))
    assert (best.lower, upper) == (5, 5)
    assert {nodes for _, _, nodes in search.asked} == {QUICK_NODES}


def test_after_the_first_hard_value_all_others_get_more_nodes() -> None:
    search = Search({0: 2, 1: 5, 2: 3, 3: 4}, frozenset({1, 2, 3}))
    best, upper = worst_of_all(search, ParameterInterval(1))
    assert (best.lower, upper) == (5, 5)
    quick = [y for y, _, nodes in search.asked if nodes == QUICK_NODES]
    assert quick == [0, 0, 1]
    assert {nodes for _, _, nodes in search.asked} == {QUICK_NODES, NODES[0]}


def test_a_start_that_is_far_enough_ends_the_search_without_a_bound() -> None:
    search = Search({0: 2, 1: 5, 2: 9}, enough=4)
    best, upper = worst_of_all(search, ParameterInterval(1))
    assert (best.lower, upper) == (5, None)
    assert 2 not in [y for y, _, _ in search.asked]


def system_of(sizes: dict[str, int], invariants: list[Margin], counts: dict[Cell, int]) -> System:
    """D_t of a table; in the tests below, every class is a cell."""
    space = TableSpace("record", sum(counts.values()), tuple(map(Attribute, sizes, sizes.values())))
    release = release_of(space, invariants, published_of(space, invariants, counts))
    constraints = constraints_of(release.invariants)
    parts = [classes_of(space, constraints, at) for at in components_of(space, constraints)]
    system = build_system(space, release, parts, space.size)
    assert system is not None
    return system


def two_way_system() -> System:
    """3 x 3 x 2 with all two-way margins."""
    sizes = {"a": 3, "b": 3, "c": 2}
    cells = product(*map(range, sizes.values()))
    counts: dict[Cell, int] = {cell: 1 + sum(cell) % 2 for cell in cells}
    return system_of(sizes, [Margin(pair) for pair in combinations(sizes, 2)], counts)


def test_a_move_whose_levels_are_exchanged_is_a_move_of_the_other_class() -> None:
    system = two_way_system()
    relabelling = Relabelling(system)
    chance = random.Random(0)
    for move in chance.sample(list(moves_of(system, 4)), 12):
        first, second = chance.sample(range(system.classes), 2)
        changed = relabelling.exchanged(move, first, second)
        assert changed is not None
        assert keeps_rows(relabelling.columns, changed)
        assert dict(changed).get(second, 0) == dict(move).get(first, 0)
        assert relabelling.exchanged(changed, first, second) == move


def test_a_search_with_listed_moves_has_its_rounds_and_a_first_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every start has a dataset with y among those that differ in all records."""
    monkeypatch.setattr(worst_start, "LISTED_ROUNDS", 0)
    system = two_way_system()
    search = worst_start._Search(system, "multiset_hamming", Limits())
    search.lists = MovesTo(system)
    assert search.beyond(0, 8, 1_000) == "none"


def test_a_search_learns_the_moves_that_it_needs_for_a_proof() -> None:
    """Of three records that differ in both attributes, two exchange a level for any value."""
    counts: dict[Cell, int] = {(level, level): 1 for level in range(3)}
    system = system_of({"a": 3, "b": 3}, [Margin(("a",)), Margin(("b",))], counts)
    search = worst_start._Search(system, "multiset_hamming", Limits(), pool={})
    for y in range(9):
        found = search.beyond(y, 1, 1_000)
        assert isinstance(found, ParameterInterval)
        assert found.lower == 2
        assert search.beyond(y, 2, 1_000) == "none"


def test_what_blocked_most_for_one_value_is_known_to_the_search_for_the_next() -> None:
    """Of three records that differ in both attributes, two exchange a level for any value.

    So two records suffice for each value, whatever was learned for the values before it.
    """
    counts: dict[Cell, int] = {(level, level): 1 for level in range(3)}
    system = system_of({"a": 3, "b": 3}, [Margin(("a",)), Margin(("b",))], counts)
    search = worst_start._Search(system, "multiset_hamming", Limits(), pool={})
    assert [search.beyond(y, 2, 1_000) for y in range(9)] == ["none"] * 9


def test_the_record_that_changes_is_one_that_no_closest_change_of_the_table_moves() -> None:
    """Without places, (0, 0) and (1, 1) exchange a level; (1, 0) becomes (0, 1) as a third one."""
    counts: dict[Cell, int] = {(0, 0): 1, (1, 0): 1, (1, 1): 1}
    system = system_of({"a": 2, "b": 2}, [Margin(("a",)), Margin(("b",))], counts)
    place = {cells[0]: c for c, cells in enumerate(system.cells)}
    start = tuple(int(cell in counts) for cell in place)
    y = place[0, 1]
    search = worst_start._Search(system, "hamming", Limits())
    change = ParameterInterval(2, None, start, None, (ABSENT, y))
    found = search.placed(change, Limits())
    assert (found.lower, found.classes) == (3, (place[1, 0], y))


def test_renaming_levels_that_a_class_does_not_have_leaves_the_change_of_its_count() -> None:
    system = two_way_system()
    relabelling = Relabelling(system)
    move = next(iter(moves_of(system, 4)))
    for fixed in range(system.classes):
        orbit = relabelling.orbit(move, 50, fixed)
        assert len(orbit) > 1
        assert {dict(image).get(fixed, 0) for image in orbit} == {dict(move).get(fixed, 0)}
