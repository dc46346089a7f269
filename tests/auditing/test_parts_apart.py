"""SA011: whether steps of the distance in force join D_t, of a table and of listed datasets."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from tests.audits import audit_of

BITS = list(product((0, 1), repeat=6))
EQUAL = [d for d in BITS if d[0] == d[1] and d[2] == d[3] and d[4] == d[5]]
UNEQUAL = [d for d in BITS if d[0] != d[1] and d[2] != d[3] and d[4] != d[5]]
OTHERS = [d for d in BITS if d not in EQUAL and d not in UNEQUAL]


def told(folder: Path, text: str) -> bool:
    found = audit_of(folder, f"semiaudit: 1\n{text}mechanism: {{zcdp: {{rho: 1}}}}\n").as_dict()
    return "SA011" in {finding["rule"] for finding in found["findings"]}


@pytest.mark.parametrize("distance", [2, 3])
def test_the_two_parts_of_erratum_9_are_three_apart(distance: int, tmp_path: Path) -> None:
    blocks = [[list(d) for d in block] for block in (EQUAL + UNEQUAL, OTHERS)]
    text = (
        "dataspace: {product: {size: 6, values: [0, 1]}}\n"
        f"invariants: [partition: {blocks}]\ndata: {{dataset: [0, 0, 0, 0, 0, 0]}}\n"
    )
    assert told(tmp_path, text) == told(tmp_path, text + "adjacency: {distance: 2}\n")
    assert told(tmp_path, f"{text}adjacency: {{distance: {distance}}}\n") == (distance < 3)


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
    assert told(tmp_path, text) == bool(unseen)


def apart(one: tuple[int, ...], other: tuple[int, ...], metric: str) -> int:
    if metric == "hamming":
        return sum(a != b for a, b in zip(one, other, strict=True))
    moved = sum(abs(one.count(v) - other.count(v)) for v in range(3))
    return moved if metric == "symmetric_difference" else moved // 2
