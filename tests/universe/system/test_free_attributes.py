"""Records with published levels of some attributes, against all records of a small table."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.universe.system.free_attributes import FreeAttributes

Record = tuple[int, ...]


def records(space: TableSpace) -> Iterator[Record]:
    """All records whose nested levels lie in their parents."""
    for record in product(*(range(attribute.size) for attribute in space.attributes)):
        if all(
            attribute.within is None
            or attribute.parents[level] == record[space.position(attribute.within)]
            for attribute, level in zip(space.attributes, record, strict=True)
        ):
            yield record


def is_closed(space: TableSpace, free: set[int]) -> bool:
    """Whether no published attribute lies within a free one: its level would tell that one's."""
    return not any(
        attribute.within is not None and space.position(attribute.within) in free
        for place, attribute in enumerate(space.attributes)
        if place not in free
    )


def check(space: TableSpace, free: tuple[int, ...]) -> None:
    found = FreeAttributes(space, free)
    kept = tuple(place for place in range(len(space.attributes)) if place not in free)
    published = TableSpace("person", None, tuple(space.attributes[place] for place in kept))
    for levels in records(published):
        known = dict(zip(kept, levels, strict=True))
        able = [r for r in records(space) if all(r[p] == k for p, k in known.items())]
        chosen = [found.completed(known), found.completed(known, other=True)]
        assert [one is not None for one in chosen] == [len(able) > 0, len(able) > 1]
        made = [tuple(one[place] for place in sorted(one)) for one in chosen if one is not None]
        assert len(set(made)) == len(made)
        assert set(made) <= set(able)


def nested(seed: int) -> TableSpace:
    """A forest of attributes in a random order of places; some levels have nothing inside."""
    rng = random.Random(seed)
    names = ["a", "b", "c", "d"]
    above = {"a": None, "b": rng.choice([None, "a"]), "c": rng.choice([None, "a", "b"])}
    above["d"] = rng.choice([None, "a", "b", "c"])
    sizes = {name: rng.randint(1, 3) for name in names}
    rng.shuffle(names)
    return TableSpace(
        "person",
        None,
        tuple(
            Attribute(name, sizes[name])
            if (parent := above[name]) is None
            else Attribute(
                name,
                sizes[name],
                within=parent,
                parents=tuple(rng.randrange(sizes[parent]) for _ in range(sizes[name])),
            )
            for name in names
        ),
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_record_is_found_wherever_there_is_one_and_a_second_one_too(seed: int) -> None:
    space = nested(seed)
    for chosen in product([False, True], repeat=4):
        free = tuple(place for place, one in enumerate(chosen) if one)
        if is_closed(space, set(free)):
            check(space, free)
