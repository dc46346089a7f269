"""What margins with a junction tree disclose of the table."""

from __future__ import annotations

from itertools import product

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.semi_adjacency import Cell
from semiaudit.universe.distance import of_junction_tree
from semiaudit.universe.distance.of_junction_tree import _disclosed
from semiaudit.universe.system.decomposable import junction_tree
from semiaudit.universe.system.decomposed import decomposed
from tests.universe.instances import published_of, release_of

SPACE = TableSpace("record", 9, (Attribute("a", 2), Attribute("b", 3), Attribute("c", 2)))
MARGINS = [Margin(("a", "b")), Margin(("b", "c"))]


@pytest.mark.parametrize(("most", "cells"), [(13, 12), (12, 12), (11, None)])
def test_cells_are_counted_up_to_a_limit_and_attributes_of_one_level_are_named(
    most: int, cells: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_junction_tree, "MOST_CELLS", most)
    counts: dict[Cell, int] = dict.fromkeys(product(range(2), range(3), range(2)), 0)
    counts |= {(0, 0, 1): 4, (1, 0, 1): 2, (0, 2, 1): 3}
    release = release_of(SPACE, MARGINS, published_of(SPACE, MARGINS, counts), "hamming")
    tree = junction_tree(release, SPACE)
    assert tree is not None
    found = _disclosed(decomposed(release, tree))
    assert found.cells == cells
    assert found.constant_attributes == (("c", 1),)
