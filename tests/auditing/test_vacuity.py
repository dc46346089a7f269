"""Whether two different tables lie near each other in D_t, against brute force."""

from __future__ import annotations

import random
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest

from semiaudit.auditing.run import tables_differ
from semiaudit.model.dataspace import ProductSpace
from semiaudit.numeric.limits import Limits
from semiaudit.spec.build import load_release
from semiaudit.universe.explicit import explicit_tables_differ
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.audits import audit_of
from tests.gate.specs import spec

Table = tuple[int, ...]
CUBE = list(product(range(2), repeat=3))
MARGINS = (
    ("a", "b", "c"),
    ("ab", "c"),
    ("ab", "bc"),
    ("ab", "bc", "ac"),
    ("abc",),
    ("a",),
)
PARITY = (1, 0, 0, 1, 0, 1, 1, 0)
"""Under all two-way margins its only other table is the opposite one, 4 records away."""


def told(folder: Path, text: str, distance: int) -> bool | None:
    release = load_release(spec(folder, text))
    universe = universe_of(release, Limits(600))
    return tables_differ(universe, SensitivitySpaces(release, Limits(600)), distance)


def margin(table: Table, names: str) -> dict[Table, int]:
    places = ["abc".index(name) for name in names]
    found: dict[Table, int] = {}
    for cell, count in zip(CUBE, table, strict=True):
        key = tuple(cell[place] for place in places)
        found[key] = found.get(key, 0) + count
    return found


@cache
def tables_of(size: int) -> list[Table]:
    return [t for t in product(range(size + 1), repeat=8) if sum(t) == size]


def brute_force(table: Table, names: tuple[str, ...], distance: int) -> bool:
    """Two tables with the margins of one given, at most ``distance`` records apart."""
    wanted = [margin(table, name) for name in names]
    inside = [t for t in tables_of(sum(table)) if [margin(t, name) for name in names] == wanted]
    return any(
        sum(abs(x - y) for x, y in zip(first, second, strict=True)) <= 2 * distance
        for first, second in combinations(inside, 2)
    )


@pytest.mark.parametrize("names", MARGINS, ids=lambda names: "+".join(names))
def test_tables_agree_with_brute_force(names: tuple[str, ...], tmp_path: Path) -> None:
    generator = random.Random(7)
    outcomes = set()
    for size in (2, 4):
        for table in [*generator.sample(tables_of(size), 6), PARITY]:
            a, b = table[:4], table[4:]
            counts = f"[[[{a[0]}, {a[1]}], [{a[2]}, {a[3]}]], [[{b[0]}, {b[1]}], [{b[2]}, {b[3]}]]]"
            text = (
                "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2, c: 2}}\n"
                f"invariants: [{', '.join(f'margin: {list(n)}' for n in names)}]\n"
                f"data: {{counts: {counts}}}\nmechanism: {{zcdp: {{rho: 1}}}}\n"
            )
            for distance in (1, 2, 3, 4):
                expected = brute_force(table, names, distance)
                assert told(tmp_path, text, distance) is expected, (table, distance)
                outcomes.add(expected)
    certain: dict[tuple[str, ...], set[bool]] = {("abc",): {False}, ("a",): {True}}
    assert outcomes == certain.get(names, {True, False})


def test_explicit_dataspaces_agree_with_brute_force(tmp_path: Path) -> None:
    generator = random.Random(3)
    seen = set()
    for _ in range(40):
        datasets = generator.sample(CUBE, 6)
        blocks = [datasets[:3], datasets[3:]]
        text = (
            "semiaudit: 1\ndataspace: {product: {size: 3, values: [0, 1]}}\n"
            f"invariants: [partition: {[[list(d) for d in block] for block in blocks]}]\n"
            f"data: {{dataset: {list(datasets[0])}}}\nmechanism: {{zcdp: {{rho: 1}}}}\n"
        )
        release = load_release(spec(tmp_path, text))
        for distance in (1, 2, 3):
            expected = any(
                sum(x != y for x, y in zip(first, second, strict=True)) <= distance
                and sorted(first) != sorted(second)
                for first, second in combinations(blocks[0], 2)
            )
            space = release.dataspace
            assert isinstance(space, ProductSpace)
            assert explicit_tables_differ(release, space, distance) is expected
            seen.add(expected)
    assert seen == {True, False}


def test_records_that_are_left_unspecified_can_differ(tmp_path: Path) -> None:
    text = "semiaudit: 1\ndataspace: {unit: person}\nmechanism: {zcdp: {rho: 1}}\n"
    assert told(tmp_path, text, 1) is True


def test_a_public_table_has_no_other(tmp_path: Path) -> None:
    text = (
        "semiaudit: 1\ndataspace: {size: 10, attributes: {a: 3}}\ninvariants: [margin: [a]]\n"
        "data: {margins: {a: [3, 3, 4]}}\nmechanism: {zcdp: {rho: 1}}\n"
    )
    assert told(tmp_path, text, 9) is False


BITS = list(product((0, 1), repeat=6))
EQUAL = [d for d in BITS if d[0] == d[1] and d[2] == d[3] and d[4] == d[5]]
UNEQUAL = [d for d in BITS if d[0] != d[1] and d[2] != d[3] and d[4] != d[5]]
OTHERS = [d for d in BITS if d not in EQUAL and d not in UNEQUAL]


def found_parts(folder: Path, text: str) -> bool:
    found = audit_of(folder, f"semiaudit: 1\n{text}mechanism: {{zcdp: {{rho: 1}}}}\n").as_dict()
    return "SA011" in {finding["rule"] for finding in found["findings"]}


@pytest.mark.parametrize("distance", [2, 3])
def test_the_two_parts_of_erratum_9_are_three_apart(distance: int, tmp_path: Path) -> None:
    blocks = [[list(d) for d in block] for block in (EQUAL + UNEQUAL, OTHERS)]
    text = (
        "dataspace: {product: {size: 6, values: [0, 1]}}\n"
        f"invariants: [partition: {blocks}]\ndata: {{dataset: [0, 0, 0, 0, 0, 0]}}\n"
    )
    assert found_parts(tmp_path, text) == found_parts(tmp_path, text + "adjacency: {distance: 2}\n")
    assert found_parts(tmp_path, f"{text}adjacency: {{distance: {distance}}}\n") == (distance < 3)


@pytest.mark.parametrize("metric", ["hamming", "multiset_hamming", "symmetric_difference"])
@pytest.mark.parametrize("seed", range(6))
def test_listed_datasets_are_told_apart_where_no_steps_join_them(
    metric: str, seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    datasets = chance.sample(list(product(range(3), repeat=4)), 8)
    distance = chance.randint(1, 3)
    text = (
        f"dataspace: {{datasets: {[list(d) for d in datasets]}}}\n"
        f"adjacency: {{metric: {metric}, distance: {distance}}}\n"
    )
    unseen, waiting = set(datasets[1:]), datasets[:1]
    while waiting:
        one = waiting.pop()
        near = {other for other in unseen if apart(one, other, metric) <= distance}
        unseen -= near
        waiting.extend(near)
    assert found_parts(tmp_path, text) == bool(unseen)


def apart(one: tuple[int, ...], other: tuple[int, ...], metric: str) -> int:
    if metric == "hamming":
        return sum(a != b for a, b in zip(one, other, strict=True))
    moved = sum(abs(one.count(v) - other.count(v)) for v in range(3))
    return moved if metric == "symmetric_difference" else moved // 2
