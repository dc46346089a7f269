"""What a file shows, against brute force: total rows, nested columns, and columns of counts."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from semiaudit.data.survey import survey
from semiaudit.errors import SpecError
from tests.data.counting import csv_file
from tests.oracles.survey import Cell, nested, totals

pytest.importorskip("duckdb")

NAMES = "abcd"
BLOCKS = [0, *(pytest.param(block, marks=pytest.mark.lengthy) for block in range(1, 8))]
"""Of 50 tables each."""

Counts = dict[Cell, int]


def random_table(chance: random.Random) -> Counts:
    """A table whose counts add up by chance, by total rows, or not at all."""
    sizes = [chance.randint(1, 5) for _ in range(chance.choice([1, 2, 2, 2, 3, 3]))]
    most = chance.choice([1, 2, 9, 1000])
    absent = chance.choice([0, 0, 0.2])
    counts: Counts = {}
    for cell in product(*(range(size) for size in sizes)):
        if chance.random() >= absent:
            name = tuple(f"{NAMES[a]}{level}" for a, level in enumerate(cell))
            counts[name] = chance.randint(0, most)
    for attribute in range(len(sizes)):
        if chance.random() < 0.5:
            counts |= total_rows(counts, attribute, chance)
    for names in [*counts]:
        across = sum(level.endswith("_T") for level in names)
        if across > 1 and len(counts) > 1 and chance.random() < 0.3:
            del counts[names]
    if chance.random() < 0.3:
        counts[chance.choice([*counts])] += 1
    return counts or {tuple(f"{name}0" for name in NAMES[: len(sizes)]): 1}


def total_rows(counts: Counts, attribute: int, chance: random.Random) -> Counts:
    """The rows of a total of one attribute; sometimes without those of other totals."""
    crossed = chance.random() < 0.5
    sums: Counts = {}
    for cell, count in counts.items():
        if crossed or not any(level.endswith("_T") for level in cell):
            total = (*cell[:attribute], f"{NAMES[attribute]}_T", *cell[attribute + 1 :])
            sums[total] = sums.get(total, 0) + count
    return sums


def refused_levels(path: Path, *kept: str) -> set[tuple[int, str]]:
    try:
        survey(path, "count", kept=kept)
    except SpecError as error:
        return {
            (NAMES.index(p.path), p.message.split("'")[1])
            for p in error.problems
            if "is the sum of the other levels" in p.message
        }
    return set()


@pytest.mark.parametrize("block", BLOCKS)
def test_total_rows_are_those_of_brute_force(tmp_path: Path, block: int) -> None:
    chance = random.Random(block)
    found = 0
    for _ in range(25):
        counts = random_table(chance)
        width = len(next(iter(counts)))
        rows = [",".join([*cell, str(count)]) for cell, count in counts.items()]
        chance.shuffle(rows)
        head = ",".join([*NAMES[:width], "count"])
        path = csv_file(tmp_path, "\n".join([head, *rows]) + "\n")
        expected = totals(counts)
        assert refused_levels(path) == expected, rows
        assert refused_levels(path, *NAMES[:width]) == set()
        found += bool(expected)
    assert 0 < found < 23


@pytest.mark.parametrize("block", BLOCKS)
def test_nested_columns_are_those_of_brute_force(tmp_path: Path, block: int) -> None:
    chance = random.Random(block)
    found = 0
    for _ in range(25):
        depth, width = chance.randint(1, 3), chance.choice([2, 3])
        code = [chance.randrange(width**depth * 2) for _ in range(chance.randint(4, 60))]
        rows = sorted(
            {
                (
                    *(f"{n}{c // width**i}" for i, n in enumerate(NAMES[:depth])),
                    chance.choice("xyz"),
                )
                for c in code
            }
        )
        if chance.random() < 0.4:
            at, cell = chance.randrange(len(rows)), chance.choice(rows)
            rows[at] = (cell[0], *rows[at][1:])
            rows = sorted(set(rows))
        cells = chance.random() < 0.5
        order = [*range(depth + 1)]
        chance.shuffle(order)
        rows = [tuple(row[i] for i in order) for row in rows]
        rows *= 1 if cells else chance.choice([1, 2, 3])
        lines = [",".join([*row, "1"] if cells else row) for row in rows]
        head = ",".join([*NAMES[: depth + 1], *["count"] * cells])
        path = csv_file(tmp_path, "\n".join([head, *lines]) + "\n")
        surveyed = survey(path, "count" if cells else "", kept=NAMES[: depth + 1])
        if any(column.left_out for column in surveyed.columns):
            continue
        inside = {
            NAMES.index(column.name): NAMES.index(column.within)
            for column in surveyed.columns
            if column.parents
        }
        assert inside == nested(rows, cells=cells), rows
        for column in surveyed.columns:
            above = {c.name: c.levels for c in surveyed.columns}.get(column.within, ())
            for level, parent in zip(column.levels, column.parents, strict=bool(column.parents)):
                own, other = NAMES.index(column.name), NAMES.index(column.within)
                assert {row[other] for row in rows if row[own] == level} == {above[parent]}
        found += bool(inside)
    assert found > 5
