"""What margins with a junction tree disclose of the table."""

from __future__ import annotations

from itertools import product

import pytest

from semiaudit.model.adjacency import Metric
from semiaudit.model.audit import PublishedCounts
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.semi_adjacency import Cell
from semiaudit.numeric.limits import Limits
from semiaudit.universe import disclosure
from semiaudit.universe.distance.integer_programs import by_listing
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.system.decomposable import junction_tree
from semiaudit.universe.system.decomposed import decomposed
from tests.universe.instances import published_of, release_of

SPACE = TableSpace("record", 9, (Attribute("a", 2), Attribute("b", 3), Attribute("c", 2)))
MARGINS = [Margin(("a", "b")), Margin(("b", "c"))]


@pytest.mark.parametrize(("most", "cells"), [(13, 12), (12, 12), (11, None)])
def test_cells_are_counted_up_to_a_limit_and_attributes_of_one_level_are_named(
    most: int, cells: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disclosure, "MOST_CELLS", most)
    counts: dict[Cell, int] = dict.fromkeys(product(range(2), range(3), range(2)), 0)
    counts |= {(0, 0, 1): 4, (1, 0, 1): 2, (0, 2, 1): 3}
    release = release_of(SPACE, MARGINS, published_of(SPACE, MARGINS, counts), "hamming")
    tree = junction_tree(release, SPACE)
    assert tree is not None
    found = disclosure.of_margins(decomposed(release, tree))
    assert found.cells == cells
    assert found.constant_attributes == (("c", 1),)


@pytest.mark.parametrize(
    ("metric", "distance"), [("hamming", 2), ("multiset_hamming", 1), ("symmetric_difference", 2)]
)
def test_listed_tables_have_the_cells_of_a_class_one_by_one(metric: Metric, distance: int) -> None:
    """One record of each level of a: in place both must change; as a table one of them."""
    space = TableSpace("record", 2, (Attribute("a", 2), Attribute("b", 2)))
    published = PublishedCounts(2, ((("a",), (1, 1)),))
    release = release_of(space, [Margin(("a",))], published, metric)
    found = by_listing(TableProblem(release, space, Limits()))
    assert found is not None
    for parameter in found.parameters:
        assert (parameter.lower, parameter.upper) == (distance, distance)
