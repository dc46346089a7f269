"""Junction trees of margins: which invariants have one, and the counts that it holds."""

from __future__ import annotations

import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.audit import PublishedCounts
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count, Invariant, Keys, Linear, Margin, PublicBound, Total
from semiaudit.model.semi_adjacency import Cell
from semiaudit.universe.system.closure_counts import node_counts
from semiaudit.universe.system.decomposable import is_determined_by, junction_tree
from tests.universe.instances import published_of, release_of

NAMES = ("a", "b", "c", "d")
FOUR = TableSpace("record", None, tuple(Attribute(name, 2) for name in NAMES))
CHAIN: tuple[Invariant, ...] = (Margin(("a", "b")), Margin(("b", "c")), Total())
NESTED = TableSpace(
    "record",
    None,
    (Attribute("a", 2), Attribute("b", ("k", "l", "m"), within="a", parents=(0, 0, 1))),
)


def closures(*invariants: Invariant, space: TableSpace = FOUR) -> set[str] | None:
    tree = junction_tree(release_of(space, invariants, None), space)
    if tree is None:
        return None
    return {"".join(space.attributes[p].name for p in node.places) for node in tree.nodes}


@pytest.mark.parametrize(
    ("margins", "found"),
    [
        ("ab bc", {"ab", "bc"}),
        ("ab bc cd", {"ab", "bc", "cd"}),
        ("ab cd", {"ab", "cd"}),
        ("abc bcd", {"abc", "bcd"}),
        ("ab ac ad", {"ab", "ac", "ad"}),
        ("abc ab bc ac", {"abc"}),
        ("ab bc ac", None),
        ("ab bc cd ad", None),
    ],
)
def test_junction_trees_are_told_from_cycles(margins: str, found: set[str] | None) -> None:
    assert closures(*(Margin(tuple(margin)) for margin in margins.split())) == found


def test_what_margins_tell_may_stand_beside_them() -> None:
    assert closures(*CHAIN, Count((("a", (1,)), ("b", (0,)))), Keys(("c",))) == {"ab", "bc"}
    assert closures(*CHAIN, Count((("a", (1,)), ("c", (1,))))) is None
    assert closures(*CHAIN, Keys(("a", "c"))) is None
    assert closures(*CHAIN, PublicBound((("a", (1,)),), 1, None)) is None
    assert closures(*CHAIN, Linear("row", ((1,) * 16,))) is None


def test_structural_zeros_must_lie_inside_one_margin() -> None:
    inside = TableSpace("record", None, FOUR.attributes, ((("a", (1,)), ("b", (1,))),))
    across = TableSpace("record", None, FOUR.attributes, ((("a", (1,)), ("c", (1,))),))
    assert closures(*CHAIN, space=inside) == {"ab", "bc"}
    assert closures(*CHAIN, space=across) is None


def test_a_nested_level_tells_its_parent_and_one_level_tells_nothing() -> None:
    space = TableSpace("record", None, (*NESTED.attributes, Attribute("c", 2), Attribute("d", 1)))
    assert closures(Margin(("b", "c")), Margin(("a", "d")), space=space) == {"abc"}
    assert closures(Margin(("b", "d")), Margin(("c",)), space=space) == {"ab", "c"}


def test_counts_are_those_of_the_closures() -> None:
    held: dict[Cell, int] = {(0, "k", 0): 2, (0, "l", 1): 1, (1, "m", 1): 4}
    space = TableSpace("record", None, (*NESTED.attributes, Attribute("c", 2)))
    margins = (Margin(("b",)), Margin(("a", "c")))
    release = release_of(space, margins, published_of(space, margins, held))
    tree = junction_tree(release, space)
    assert tree is not None
    assert tree.overlaps
    found = dict(zip((node.places for node in tree.nodes), node_counts(release, tree), strict=True))
    assert found == {
        (0, 1): {(0, 0): 2, (0, 1): 1, (1, 2): 4},
        (0, 2): {(0, 0): 2, (0, 1): 1, (1, 1): 4},
    }


@pytest.mark.parametrize(
    ("ab", "bc", "told"),
    [
        ((1, 0, 0, 1), (1, 1, 0, 0), "contradict"),
        ((1, 0, 0, 1), (1, 0, 0, 2), "contradict"),
        ((2, 0, 0, 1), (2, 0, 0, 1), "bound"),
    ],
)
def test_margins_that_disagree_or_break_a_bound_are_refused(
    ab: tuple[int, ...], bc: tuple[int, ...], told: str
) -> None:
    invariants: tuple[Invariant, ...] = (*CHAIN, PublicBound((("a", (0,)),), None, 1))
    published = PublishedCounts(sum(ab), ((("a", "b"), ab), (("b", "c"), bc)))
    release = release_of(FOUR, invariants, published)
    tree = junction_tree(release, FOUR)
    assert tree is not None
    with pytest.raises(RefusedError, match=told):
        node_counts(release, tree)


def test_of_equivalent_margins_the_first_one_stays() -> None:
    """A county determines its state, so both margins have the same closure."""
    state, county = Attribute("state", 2), Attribute("county", 3, within="state", parents=(0, 0, 1))
    space = TableSpace("person", 9, (state, county, Attribute("age", 2)))
    assert is_determined_by(space, (1,), (0, 1)) is not is_determined_by(space, (0, 1), (1,))
    assert is_determined_by(space, (1,), (0, 1))
    assert is_determined_by(space, (0,), (1,))
    assert not is_determined_by(space, (1,), (0, 2))
    for strict in (True, False):
        assert is_determined_by(space, (2,), (2,), strict=strict) is not strict
