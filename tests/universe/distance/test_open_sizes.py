"""Keys and bounds without t: suprema over all t and all sizes, against brute force."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Invariant, Keys, Margin, PublicBound
from semiaudit.universe.distance.open_sizes import relaxed_end
from semiaudit.universe.semi_adjacency import universe_of
from tests.oracles import tables as oracle
from tests.universe.instances import chunks, release_of

SPACE = TableSpace("record", None, (Attribute("a", 2), Attribute("b", 3), Attribute("c", 2)))
SHAPE = (2, 3, 2)
NAMES = "abc"


def instance(size: int, invariants: Sequence[Invariant]) -> oracle.Instance:
    rows: list[oracle.Row] = []
    keys = []
    bounds: list[tuple[oracle.Row, int, int | None]] = []
    for invariant in invariants:
        if isinstance(invariant, Margin):
            rows += oracle.margin_rows(SHAPE, [NAMES.index(n) for n in invariant.attributes])
        elif isinstance(invariant, Keys):
            keys.append(tuple(sorted(NAMES.index(n) for n in invariant.attributes)))
        elif isinstance(invariant, PublicBound):
            ((name, levels),) = invariant.where
            at = NAMES.index(name)
            row = tuple(int(cell[at] in levels) for cell in oracle.cells(SHAPE))
            bounds.append((row, invariant.at_least or 0, invariant.at_most))
    return oracle.Instance(SHAPE, size, rows=tuple(rows), keys=tuple(keys), bounds=tuple(bounds))


@pytest.mark.parametrize("seed", chunks(2, 60))
def test_no_size_exceeds_the_end_and_the_lower_end_is_attained(seed: int) -> None:
    chance = random.Random(seed)
    invariants: list[Invariant] = []
    while not invariants:
        if chance.random() < 0.6:
            invariants.append(Keys(tuple(chance.sample(NAMES, chance.randint(1, 2)))))
        if chance.random() < 0.6:
            invariants.append(Margin(tuple(chance.sample(NAMES, chance.randint(1, 2)))))
        if chance.random() < 0.6:
            at = chance.randrange(3)
            where = ((NAMES[at], (chance.randrange(SHAPE[at]),)),)
            least = chance.randint(0, 2)
            most = chance.choice((None, least + chance.randint(0, 2)))
            invariants.append(PublicBound(where, least, most))
    release = release_of(SPACE, invariants, None)
    end = relaxed_end(release, SPACE)
    if end is None:
        return
    truth = [0, 0]
    for size in range(1, 5):
        for tables in oracle.universes(instance(size, invariants)).values():
            for at, reading in enumerate((oracle.covering, oracle.definition_13)):
                truth[at] = max(truth[at], reading(tables, oracle.HAMMING))
    assert max(truth) <= end, invariants
    semi = universe_of(release).semi_adjacency
    for found, known in zip((semi.covering, semi.definition_13), truth, strict=True):
        assert found.upper is not None
        assert known <= found.upper <= max(end, 2), invariants
        assert found.lower <= found.upper


@pytest.mark.parametrize(
    ("invariants", "covering"),
    [
        ((Keys(("a",)),), 2),
        ((Keys(("b",)), Margin(("a",))), 3),
        ((Margin(("a",)), PublicBound((("a", (0,)),), 1, None)), 2),
        ((PublicBound((("b", (0,)),), 1, None),), 2),
    ],
)
def test_suprema_over_all_sizes(invariants: tuple[Invariant, ...], covering: int) -> None:
    found = universe_of(release_of(SPACE, invariants, None)).semi_adjacency.covering
    assert (found.lower, found.upper) == (covering, covering)
