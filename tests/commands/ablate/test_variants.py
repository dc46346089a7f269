"""A release without some invariants is the release of the spec that does not name them."""

from __future__ import annotations

from typing import Any

import pytest

from semiaudit import Spec
from semiaudit.commands.ablate.variants import parts_of, publishing
from semiaudit.model.published_invariants import PublishedCounts

INVARIANTS: list[Any] = [
    "total",
    {"margin": ["a"]},
    {"margin": ["b", "c"]},
    {"count": {"where": {"a": 1, "c": 0}}},
    {"keys": ["a", "b"]},
    {"bound": {"where": {"c": 1}, "at_least": 1}},
    {"margin": ["a"]},
]
BASE: dict[str, Any] = {
    "semiaudit": 1,
    "dataspace": {"attributes": {"a": 2, "b": 2, "c": 2}},
    "data": {"counts": [[[1, 0], [2, 1]], [[0, 1], [3, 0]]]},
    "mechanism": {"gdp": {"mu": 1}},
    "budgets": [{"framework": "semi_dp", "mu": 9}],
}
PARTS = list(parts_of(len(INVARIANTS)))


def test_all_without_each_only_each_and_none() -> None:
    assert [(p.kind, p.which, p.kept) for p in parts_of(2)] == [
        ("all", None, (0, 1)),
        ("without", 0, (1,)),
        ("without", 1, (0,)),
        ("only", 0, (0,)),
        ("only", 1, (1,)),
        ("none", None, ()),
    ]
    assert [p.kind for p in parts_of(0)] == ["all"]
    assert len(PARTS) == 2 * 7 + 2


@pytest.mark.parametrize("part", PARTS, ids=lambda part: f"{part.kind} {part.which}")
@pytest.mark.parametrize("size", [None, 8])
def test_a_part_is_the_spec_that_names_only_those(part: Any, size: int | None) -> None:
    space = BASE["dataspace"] | ({} if size is None else {"size": size})
    whole = Spec.from_mapping({**BASE, "dataspace": space, "invariants": INVARIANTS})
    named = [INVARIANTS[place] for place in part.kept]
    written = Spec.from_mapping({**BASE, "dataspace": space, "invariants": named})._release
    found = publishing(whole._release, part.kept)
    assert list(map(str, found.invariants)) == list(map(str, written.invariants))
    assert found.budgets == ()
    told, wanted = _told(found.published), _told(written.published)
    assert told == wanted
    if told == _told(None):
        assert found.published is None, "values of which none is told are no values"


def _told(published: Any) -> tuple[Any, ...]:
    if published is None:
        return None, {}, ()
    assert isinstance(published, PublishedCounts)
    return published.size, dict(published.margins), published.others


def test_a_spec_without_values_stays_without() -> None:
    spec = {k: v for k, v in BASE.items() if k != "data"} | {"invariants": INVARIANTS[1:3]}
    assert publishing(Spec.from_mapping(spec)._release, (0,)).published is None
