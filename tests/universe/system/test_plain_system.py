"""The classes of cells that the invariants make."""

from __future__ import annotations

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.universe.system.plain_system import plain_system
from tests.universe.instances import release_of


def test_records_that_agree_in_a_margin_are_of_one_class() -> None:
    space = TableSpace("record", 4, (Attribute("a", 2), Attribute("b", 2)))
    found = plain_system(release_of(space, [Margin(("a",))], None), space, 4)
    assert found is not None
    assert found.system.classes == 2
    assert found.class_of((0, 0)) == found.class_of((0, 1)) is not None
    assert found.class_of((1, 0)) == found.class_of((1, 1)) is not None
    assert found.class_of((0, 0)) != found.class_of((1, 0))
