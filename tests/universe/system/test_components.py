"""What a constraint sees of a cell, and the classes of cells that the invariants make."""

from __future__ import annotations

from itertools import product
from typing import Any, cast

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.invariants.constraint import SameMargin, SameSize, Within
from semiaudit.universe.system.components import _view, classes_of
from semiaudit.universe.system.plain_system import plain_system
from tests.universe.instances import release_of

SPACE = TableSpace("person", None, (Attribute("a", 2), Attribute("b", 3), Attribute("c", 2)))
CELLS = list(enumerate(product(range(2), range(3), range(2))))


def test_a_margin_sees_its_levels_and_a_bound_its_condition() -> None:
    places, sizes = (0, 1, 2), (2, 3, 2)
    margin = _view(SPACE, SameMargin(("a", "c")), places, sizes)
    assert [margin(cell, levels) for cell, levels in CELLS] == [
        (2 * a + c,) for _, (a, _, c) in CELLS
    ]
    bound = Within((("a", (1,)), ("b", (0, 2))), 1, None)
    classes = classes_of(SPACE, [bound, SameMargin(("c",))], places)
    ((_, _, inside),) = classes.bounds
    found = dict(zip(classes.members, inside, strict=True))
    assert {cell: one for cells, one in found.items() for cell in cells} == {
        cell: int(a == 1 and b != 1) for cell, (a, b, _) in CELLS
    }
    size = _view(SPACE, SameSize(), places, sizes)
    assert {size(cell, levels) for cell, levels in CELLS} == {()}


def test_a_constraint_of_no_known_kind_sees_nothing() -> None:
    with pytest.raises(AssertionError, match="unreachable"):
        _view(SPACE, cast(Any, "a stranger"), (0,), (2,))


def test_records_that_agree_in_a_margin_are_of_one_class() -> None:
    space = TableSpace("record", 4, (Attribute("a", 2), Attribute("b", 2)))
    found = plain_system(release_of(space, [Margin(("a",))], None), space, 4)
    assert found is not None
    assert found.system.classes == 2
    assert found.class_of((0, 0)) == found.class_of((0, 1)) is not None
    assert found.class_of((1, 0)) == found.class_of((1, 1)) is not None
    assert found.class_of((0, 0)) != found.class_of((1, 0))
