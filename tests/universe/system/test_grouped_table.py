"""Published keys that the published margins contradict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Invariant, Keys, Margin
from semiaudit.model.semi_adjacency import Cell
from semiaudit.universe.system.grouped_table import grouped_table
from tests.universe.instances import published_of, release_of


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
