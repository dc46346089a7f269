"""Published margins that contradict the size, and keys that contradict them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.audit import PublishedCounts
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count, Invariant, Keys, Margin
from semiaudit.model.semi_adjacency import Cell
from semiaudit.universe.system.closure_counts import number
from semiaudit.universe.system.decomposable import junction_tree
from semiaudit.universe.system.decomposed import decomposed
from semiaudit.universe.system.grouped_table import grouped_table
from tests.universe.instances import published_of, release_of

MARGINS = [Margin(("a", "b")), Margin(("b", "c"))]


@pytest.mark.parametrize(
    ("size", "published", "good"),
    [(5, 5, True), (None, 5, True), (None, None, True), (6, 5, False), (None, 6, False)],
)
def test_margins_must_count_as_many_records_as_the_size_says(
    size: int | None, published: int | None, good: bool
) -> None:
    space = TableSpace("record", size, tuple(Attribute(name, 2) for name in "abc"))
    counts: dict[Cell, int] = dict.fromkeys(product(range(2), repeat=3), 0)
    counts |= {(0, 0, 1): 2, (1, 1, 0): 3}
    known: Any = published_of(space, MARGINS, counts)
    assert isinstance(known, PublishedCounts)
    metric: Any = "symmetric_difference" if size is None else "hamming"
    release = release_of(space, MARGINS, replace(known, size=published), metric)
    tree = junction_tree(release, space)
    assert tree is not None
    if good:
        assert decomposed(release, tree).size == 5
    else:
        with pytest.raises(RefusedError):
            decomposed(release, tree)


@pytest.mark.parametrize(("value", "good"), [(2, True), (1, False)])
def test_a_count_next_to_margins_must_be_what_they_make_of_it(value: int, good: bool) -> None:
    space = TableSpace("record", None, tuple(Attribute(name, 2) for name in "abc"))
    counts: dict[Cell, int] = dict.fromkeys(product(range(2), repeat=3), 0)
    counts |= {(0, 0, 1): 2, (1, 1, 0): 3, (1, 0, 0): 1}
    invariants: list[Invariant] = [*MARGINS, Count((("a", (0,)), ("b", (0,))))]
    known: Any = published_of(space, invariants, counts)
    known = replace(known, others=((2, (value,)),))
    metric: Any = "symmetric_difference"
    release = release_of(space, invariants, known, metric)
    tree = junction_tree(release, space)
    assert tree is not None
    if good:
        assert decomposed(release, tree).size == 6
    else:
        with pytest.raises(RefusedError):
            decomposed(release, tree)


def test_records_are_counted_that_satisfy_every_part_of_a_condition() -> None:
    space = TableSpace("record", None, (Attribute("a", 3), Attribute("b", 2), Attribute("c", 1)))
    counts: dict[Cell, int] = {(0, 0, 0): 1, (1, 0, 0): 20, (1, 1, 0): 300, (2, 1, 0): 4000}
    margins = [Margin(("a", "b"))]
    release = release_of(space, margins, published_of(space, margins, counts), "hamming")
    tree = junction_tree(release, space)
    assert tree is not None
    assert decomposed(release, tree).size == 4321
    own = decomposed(release, tree).counts
    assert number(tree, own, (("a", (0, 1)),)) == 321
    assert number(tree, own, (("a", (1, 2)), ("b", (1,)))) == 4300
    assert number(tree, own, (("a", (0, 1)), ("a", (1, 2)))) == 320
    assert number(tree, own, (("a", (1,)), ("c", (0,)))) == 320
    assert number(tree, own, (("a", (1,)), ("c", (7,)))) == 0


def test_keys_must_be_those_of_the_counts() -> None:
    space = TableSpace("record", 5, (Attribute("a", 3), Attribute("b", 2)))
    held: dict[Cell, int] = {(0, 0): 2, (1, 1): 3}
    invariants: list[Invariant] = [Margin(("a",)), Keys(("a",))]
    published = published_of(space, invariants, held)
    release = release_of(space, invariants, published)
    found = grouped_table(release, space, 5, size_fixed=True)
    assert found is not None
    ((place, keys),) = published.others
    for wrong in (keys[:1], (*keys, 2)):
        other = replace(published, others=((place, wrong),))
        with pytest.raises(RefusedError, match="contradict"):
            grouped_table(replace(release, published=other), space, 5, size_fixed=True)
