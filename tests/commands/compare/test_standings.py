"""Blackwell's order of finite mechanisms in a comparison: its kernels, and where there is none."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from semiaudit.commands.compare.comparison import compare
from tests.oracles.garbling import multiplied

SPEC = """semiaudit: 1
title: Finite
dataspace: {{unit: {unit}, product: {{size: {size}, values: [0, 1]}}}}
{more}mechanism: {mechanism}
"""
SHARP = [["3/4", "1/4"], ["1/4", "3/4"]]
# By hand: SHARP through the kernel of rows (5/8, 1/8, 1/4) and (1/8, 5/8, 1/4).
BLUNT = [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"]]
SUM = "invariants: [{statistic: {name: sum, of: value}}]\n"


def spec(
    folder: Path, name: str, rows: Any, *, size: int = 1, unit: str = "person", more: str = ""
) -> str:
    mechanism = rows if isinstance(rows, str) else json.dumps({"finite": {"probabilities": rows}})
    path = folder / f"{name}.yaml"
    path.write_text(SPEC.format(unit=unit, size=size, more=more, mechanism=mechanism), "utf-8")
    return str(path)


def laws(rows: list[list[str]]) -> list[tuple[Fraction, ...]]:
    return [tuple(map(Fraction, row)) for row in rows]


def test_the_one_that_tells_more_comes_with_the_kernel(tmp_path: Path) -> None:
    found = compare(spec(tmp_path, "a", SHARP), spec(tmp_path, "b", BLUNT))
    (one,) = found.as_dict()["experiments"]
    assert one["order"] == "tells_more"
    there, back = one["processings"]
    kernel = [tuple(map(Fraction, row)) for row in there["kernel"]]
    assert [multiplied(law, kernel) for law in laws(SHARP)] == laws(BLUNT)
    assert back["kernel"] is None
    reward = [tuple(map(Fraction, row)) for row in back["reward"]]
    # What the answers of A earn, against the best that can be made of B's outcomes.
    earned = sum(
        q * paid
        for law, row in zip(laws(SHARP), reward, strict=True)
        for q, paid in zip(law, row, strict=True)
    )
    best = sum(
        max(sum(laws(BLUNT)[x][i] * reward[x][j] for x in range(2)) for j in range(2))
        for i in range(3)
    )
    assert earned > best
    text = found.render("text")
    assert "The kernel that turns a into b, universe 0" in text
    assert "5/8" in text
    turned = compare(spec(tmp_path, "b", BLUNT), spec(tmp_path, "a", SHARP))
    assert turned.as_dict()["experiments"][0]["order"] == "tells_less"


@pytest.mark.parametrize(
    ("one", "other", "order"),
    [
        (SHARP, [["1/4", "3/4"], ["3/4", "1/4"]], "equal"),
        (
            [["1/2", "1/2", "0"], ["1/4", "1/4", "1/2"]],
            [["3/4", "1/4"], ["1/4", "3/4"]],
            "incomparable",
        ),
        (SHARP, [["1"], ["1"]], "tells_more"),
    ],
)
def test_equal_ones_and_incomparable_ones(
    one: list[list[str]], other: list[list[str]], order: str, tmp_path: Path
) -> None:
    found = compare(spec(tmp_path, "a", one), spec(tmp_path, "b", other)).as_dict()
    assert [pair["order"] for pair in found["experiments"]] == [order]


def test_each_universe_has_a_kernel_of_its_own_and_nothing_is_said_across(tmp_path: Path) -> None:
    # Of (0, 1) and (1, 0) B tells less; what each shows of the sum is public anyway.
    a = [
        ["1", "0", "0", "0"],
        ["0", "3/4", "1/4", "0"],
        ["0", "1/4", "3/4", "0"],
        ["0", "0", "0", "1"],
    ]
    b = [["1", "0"], ["5/8", "3/8"], ["3/8", "5/8"], ["0", "1"]]
    found = compare(
        spec(tmp_path, "a", a, size=2, more=SUM), spec(tmp_path, "b", b, size=2, more=SUM)
    ).as_dict()
    (one,) = found["experiments"]
    assert one["order"] == "tells_more"
    there = [p for p in one["processings"] if p["source"] == "a"]
    assert [p["datasets"] for p in there] == [["(0, 0)"], ["(0, 1)", "(1, 0)"], ["(1, 1)"]]
    of_sum_1 = [tuple(map(Fraction, row)) for row in there[1]["kernel"]]
    assert [multiplied(law, of_sum_1) for law in laws(a)[1:3]] == laws(b)[1:3]


@pytest.mark.parametrize(
    "changed",
    [
        {"unit": "household"},
        {"more": "adjacency: {metric: multiset_hamming}\n"},
        {"size": 2, "rows": [*SHARP, *SHARP]},
        {"more": SUM},
    ],
    ids=["unit", "metric", "domain", "universe"],
)
def test_other_datasets_are_not_compared(changed: dict[str, Any], tmp_path: Path) -> None:
    rows = changed.pop("rows", BLUNT)
    found = compare(spec(tmp_path, "a", SHARP), spec(tmp_path, "b", rows, **changed)).as_dict()
    (one,) = found["experiments"]
    assert one["order"] == "other_datasets"
    assert one["processings"] == []


def test_several_parts_are_one_experiment_and_noise_of_no_list_is_none(tmp_path: Path) -> None:
    part = json.dumps({"finite": {"probabilities": SHARP}})
    twice = f"{{compose: [{part}, {part}]}}"
    paths = spec(tmp_path, "a", twice), spec(tmp_path, "b", SHARP)
    (one,) = compare(*paths).as_dict()["experiments"]
    assert one["order"] == "tells_more"
    other = spec(tmp_path, "c", "{zcdp: {rho: 1}}")
    assert compare(paths[1], other).as_dict()["experiments"] == []
