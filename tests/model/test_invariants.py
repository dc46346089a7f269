"""Every kind of invariant says all of itself, and its two descriptions agree."""

from __future__ import annotations

import ast
import random
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import pytest

from semiaudit.errors import Mark, RefusedError
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import (
    KINDS,
    Count,
    Invariant,
    KeptCounts,
    Keys,
    Linear,
    Margin,
    Partition,
    PublicBound,
    Statistic,
    Total,
    constraints_of,
)
from semiaudit.model.invariants.records import OrderedRecords, TableRecords
from semiaudit.model.semi_adjacency import Cell
from semiaudit.spec.invariants import READERS
from semiaudit.spec.schema import InvariantSection
from semiaudit.universe.witness import PublicValues
from tests.imports import parsed
from tests.places import ROOT
from tests.universe.instances import published_of, release_of

MARK = Mark(3, 5)
SPACE = TableSpace("record", None, (Attribute("a", 2), Attribute("b", ("x", "y", "z"))))
CELLS: list[Cell] = list(product((0, 1), ("x", "y", "z")))
WHERE = (("a", (1,)), ("b", ("x", "y")))

OF_TABLES: list[Invariant] = [
    Total(MARK),
    Margin(("b",), MARK),
    Margin(("b", "a"), MARK),
    Count(WHERE, MARK),
    Keys(("b", "a"), MARK),
    PublicBound(WHERE, 1, 3, MARK),
    Linear("rows.csv", ((1, 0, 2, -1, 0, 3), (0, 1, 1, 1, 1, 0)), MARK),
    KeptCounts(MARK),
    Margin(("b",), MARK, WHERE, ((("a", (1,)), ("b", ("x",))), (("a", (1,)), ("b", ("y",))))),
]
OF_MECHANISMS = {KeptCounts}
"""Published with a mechanism's output, and stated by no spec."""

OF_DATASETS: list[Invariant] = [
    Statistic("max", "value", MARK),
    Partition((((Fraction(0),), (Fraction(1),)),), MARK),
]


def test_every_kind_has_an_example_a_reader_and_a_key_of_the_grammar() -> None:
    assert {type(invariant) for invariant in [*OF_TABLES, *OF_DATASETS]} == set(KINDS)
    assert set(READERS) == set(InvariantSection.model_fields)
    assert len(READERS) == len(set(KINDS) - OF_MECHANISMS)


@pytest.mark.parametrize("invariant", [*OF_TABLES, *OF_DATASETS], ids=str)
def test_a_kind_says_its_place_and_its_words(invariant: Invariant) -> None:
    assert str(invariant)
    if invariant.constraint is not None:
        assert invariant.constraint.mark == MARK


def test_what_is_no_count_of_a_table_is_refused_with_its_place() -> None:
    with pytest.raises(RefusedError) as caught:
        constraints_of([Total(), *OF_DATASETS])
    places = [(r.path, r.line, r.column, r.message) for r in caught.value.refusals]
    assert places == [
        ("invariants[1]", 3, 5, "statistic max of value is not a count of a table"),
        ("invariants[2]", 3, 5, "partition is not a count of a table"),
    ]


@pytest.mark.parametrize("invariant", OF_DATASETS, ids=str)
def test_what_is_no_count_has_no_value_on_a_table(invariant: Invariant) -> None:
    with pytest.raises(RefusedError):
        invariant.value(TableRecords(SPACE, {(0, "x"): 1}))


def test_cells_have_no_meaning_for_ordered_datasets() -> None:
    with pytest.raises(RefusedError, match="the dataspace is explicit"):
        Linear("rows.csv", ((1, 0),), MARK).value(OrderedRecords((Fraction(1),)))


def test_values_are_those_counted_by_hand() -> None:
    records = TableRecords(SPACE, {(0, "x"): 2, (1, "x"): 1, (1, "z"): 4, (0, "y"): 0})
    values = [invariant.value(records) for invariant in OF_TABLES]
    assert values == [
        7,
        frozenset({(("x",), 3), (("z",), 4)}),
        frozenset({((0, "x"), 2), ((1, "x"), 1), ((1, "z"), 4)}),
        (1,),
        frozenset({(0, "x"), (1, "x"), (1, "z")}),
        True,
        (2 * 1 + 1 * -1 + 4 * 3, 1),
        7,
        (1, 0),
    ]
    assert PublicBound(WHERE, 2, None).value(records) is None
    assert PublicBound(WHERE, None, 0).value(records) is None


@pytest.mark.parametrize("invariant", OF_TABLES, ids=str)
def test_the_value_agrees_with_what_the_constraint_publishes(invariant: Invariant) -> None:
    chance = random.Random(7)
    tables = [Counter(chance.choices(CELLS, k=chance.randint(1, 5))) for _ in range(60)]
    for first, second in pairwise(tables):
        published = published_of(SPACE, [invariant], second)
        values = PublicValues(release_of(SPACE, [invariant], published), SPACE)
        if values(second) is None:
            continue
        assert values(second) == values.published()
        same = published_of(SPACE, [invariant], first) == published
        if values(first) is not None:
            assert (values(first) == values.published()) == same


def test_only_what_reads_the_spec_names_a_kind() -> None:
    root = ROOT
    home, reader = root / "semiaudit/model/invariants", root / "semiaudit/spec/invariants.py"
    functions = {"known", "constraints_of", "fix_the_size", "margin_of", "with_rows"}
    of_swapping = {"induced", "kept_margins", "is_kept_by_sizes"}
    found = [
        f"{path.relative_to(root)}: {alias.name}"
        for path in (root / "semiaudit").rglob("*.py")
        if home not in path.parents and path != reader
        for node in ast.walk(parsed(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
        if node.module == "semiaudit.model.invariants"
        and alias.name not in {"Invariant", *functions, *of_swapping}
    ]
    assert not found
