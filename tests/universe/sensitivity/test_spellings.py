"""Noise in subspaces where the same D_t is spelled in many ways: C has the rows that are stated.

The whole campaign: python -m pytest -m slow tests/universe/sensitivity/test_spellings.py
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semiaudit.mechanisms.parts import queries_of
from semiaudit.model.measure import GDP, ZCDP, Measure
from semiaudit.model.query import width
from semiaudit.spec.build import load_release
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.mechanisms.test_subspace_noise import CHECKS, MOST_TABLES, Drawn, number, squared, stated
from tests.oracles.subspace_noise import SmallCase, SymmetricCase, null, projector
from tests.samples import repeated, sampled

SHAPES = [(2, 1), (3, 1), (4, 1), (6, 1), (2, 2), (2, 2), (2, 3), (3, 2)]
NUMBER = 60
CHUNK = 8

Row = list[int]
Cell = tuple[int, int]


@dataclass(frozen=True)
class Stated:
    """An invariant as it is written, and the rows that it publishes."""

    text: str
    rows: tuple[tuple[int, ...], ...]


def counting(cells: Sequence[Cell], place: int, levels: Sequence[int]) -> Row:
    return [int(cell[place] in levels) for cell in cells]


def count(cells: Sequence[Cell], place: int, levels: Sequence[int]) -> Stated:
    name = "ab"[place]
    row = counting(cells, place, levels)
    return Stated(f"{{count: {{where: {{{name}: {list(levels)}}}}}}}", (tuple(row),))


def linear(rows: Sequence[Row]) -> Stated:
    return Stated(f"{{linear: {[list(row) for row in rows]}}}", tuple(map(tuple, rows)))


def total(cells: Sequence[Cell]) -> Stated:
    return Stated("total", ((1,) * len(cells),))


def margin(rng: random.Random, cells: Sequence[Cell], place: int, size: int) -> list[Stated]:
    """A margin of one attribute, in one of its spellings; all of D_t are the same if n is known."""
    name, levels = "ab"[place], list(range(size))
    rows = [counting(cells, place, [level]) for level in levels]
    way = rng.randrange(7)
    if way == 0:
        return [Stated(f"{{margin: [{name}]}}", tuple(map(tuple, rows)))]
    if way == 1:
        return [count(cells, place, [level]) for level in levels]
    if way == 2 and size > 1:
        left = rng.choice(levels)
        return [count(cells, place, [level]) for level in levels if level != left]
    if way == 3 and size > 1:
        return [count(cells, place, [other for other in levels if other != level])
                for level in levels]  # fmt: skip
    if way == 4:
        # Dependent rows: each twice as much, then their sum.
        doubled = [[2 * k for k in row] for row in rows]
        return [linear([*doubled, [sum(k) for k in zip(*rows, strict=True)]])]
    if way == 5 and size > 1:
        # Differences to the last level: with n known they tell the margin.
        return [linear([[k - last for k, last in zip(row, rows[-1], strict=True)]
                        for row in rows[:-1]])]  # fmt: skip
    return [Stated(f"{{margin: [{name}]}}", tuple(map(tuple, rows))), linear([rows[0]])]


def drawn(rng: random.Random) -> Drawn:
    rows, columns = rng.choice(SHAPES)
    cells = list(product(range(rows), range(columns)))
    able = list(range(len(cells)))
    lines = [f"  attributes: {{a: {rows}, b: {columns}}}"]
    if rng.random() < 0.3 and len(able) > 2:
        gone = rng.choice(able)
        able.remove(gone)
        lines.append(f"  impossible: [{{a: {cells[gone][0]}, b: {cells[gone][1]}}}]")
    n = rng.randint(1, 4)
    table = [0] * len(cells)
    for _ in range(n):
        table[rng.choice(able)] += 1
    said: list[Stated] = []
    for kind in rng.choice(["a", "a", "b", "ab", "ab", "j", "c", "ac", "l", "t"]):
        if kind in "ab":
            said += margin(rng, cells, "ab".index(kind), (rows, columns)[kind == "b"])
        elif kind == "j":
            some = rng.sample(range(len(cells)), rng.randint(1, len(cells)))
            said.append(linear([[int(at == one) for at in range(len(cells))] for one in some]))
        elif kind == "c":
            chosen = rng.sample(range(rows), rng.randint(1, rows))
            said.append(count(cells, 0, chosen))
        elif kind == "l":
            said.append(linear([[rng.randint(-1, 2) for _ in cells]]))
        elif kind == "t":
            said.append(total(cells))
    if rng.random() < 0.3:
        said.append(total(cells))
    rng.shuffle(said)
    if any(one.text == "total" for one in said) and rng.random() < 0.5:
        size = ""
    else:
        size = f"  size: {n}\n"
    told = [row for one in said for row in one.rows]
    asked: list[Row]
    form = rng.choice(["table", "table", "margins", "matrix"])
    if form == "table":
        asked, query = np.eye(len(cells), dtype=int).tolist(), "table"
    elif form == "margins":
        asked = [counting(cells, 0, [level]) for level in range(rows)]
        asked += [counting(cells, 1, [level]) for level in range(columns)]
        query = "{margins: [[a], [b]]}"
    else:
        asked = [[rng.randint(-1, 2) for _ in cells] for _ in range(rng.randint(1, 4))]
        query = f"{{matrix: {asked}}}"
    counts = [table[at : at + columns] for at in range(0, len(cells), columns)]
    way = rng.randrange(4)
    distance = f"adjacency: {{distance: {way}}}\n" if 0 < way <= min(n, 2) else ""
    text = (
        f"semiaudit: 1\ndataspace:\n{size}" + "\n".join(lines) + "\n"
        f"invariants: [{', '.join(dict.fromkeys(one.text for one in said))}]\n"
        f"data: {{counts: {counts}}}\n{distance}"
    )
    matrices = (np.array(told, float), np.array(asked, float))
    return Drawn(text, query, SmallCase(n, len(cells), tuple(able), *matrices, tuple(table)))


def counted(rng: random.Random) -> Drawn:
    """The same under the symmetric difference, mostly without a size."""
    while True:
        release = drawn(rng)
        case, text = release.case, release.text.partition("adjacency:")[0]
        fixed = "size:" in text
        if fixed and rng.random() < 0.7:
            text, fixed = text.replace(f"  size: {case.records}\n", ""), False
        able = list(case.cells)
        # Some row, or all of them together, must leave no room for more and more records.
        full = [row for row in [*case.told, case.told.sum(axis=0)] if (row[able] > 0).all()]
        if not full and not fixed:
            continue
        most = case.records
        if not fixed:
            most = int(full[0] @ np.array(case.table) // min(full[0][able]))
        way = rng.randrange(5)
        distance = f", distance: {way}" if 0 < way <= min(3, 2 * case.records) else ""
        sizes = SymmetricCase(
            2 * most, case.number, case.cells, case.told, case.asked, case.table, 0, fixed, most
        )
        told = f"adjacency: {{metric: symmetric_difference{distance}}}\n"
        return Drawn(text + told, release.query, sizes)


def check_plain(rng: random.Random, release: Drawn, folder: Path) -> None:
    """Noise in all directions: nothing is refused, and steps are projected on N."""
    case = release.case
    kinds: list[tuple[str, type[Measure], int]] = [
        ("gaussian: {sigma: 1/2", GDP, 4),
        ("discrete_gaussian: {sigma_squared: 1/4", ZCDP, 2),
    ]
    kind, measure, factor = rng.choice(kinds)
    context, found = stated(release, f"{{{kind}, query: {release.query}}}}}", folder)
    steps = case.steps()
    told = number(found["nominal_dp"].measures, measure)
    if told is not None:
        assert (float(told[0]), told[1]) == (factor * squared(steps), True)
    if context.distance and len(case.tables) > 1:
        told = number(found["semi_dp"].measures, measure)
        assert told is not None
        assert (float(told[0]), told[1]) == (factor * squared(case.changes(context.distance)), True)
    told = number(found["subspace_dp"].measures, measure)
    if told is None:
        assert not case.linear or not len(steps)
        return
    assert case.linear
    projected = factor * squared(steps @ case.kept)
    assert float(told[0]) >= projected - 1e-9
    if measure is GDP:
        assert float(told[0]) == pytest.approx(projected, abs=1e-9)


def check_null(_: random.Random, release: Drawn, folder: Path) -> None:
    """N itself, against the answers of everything that leaves the stated rows as they are."""
    case, path = release.case, folder / "spec.yaml"
    path.write_text(
        f"{release.text}mechanism: {{gaussian: {{sigma: 1, query: {release.query}}}}}\n", "utf-8"
    )
    read = load_release(path)
    (query,) = queries_of(read.mechanism)
    assert query is not None
    subspaces = SensitivitySpaces(read).subspaces
    assert subspaces.is_linear(query) == case.linear
    null_space = subspaces.null_space(query)
    assert (null_space is not None) == case.linear
    if null_space is not None:
        assert null_space.dimension == np.linalg.matrix_rank(case.kept)
        assert np.allclose(np.array(null_space.units, float), case.kept, atol=1e-9)


@pytest.mark.parametrize("seed", sampled(range(NUMBER), range(1)))
@pytest.mark.parametrize(
    "check", [*CHECKS, check_plain, check_null], ids=lambda check: check.__name__
)
@pytest.mark.parametrize("draw", [drawn, counted])
def test_however_invariants_are_spelled_no_pair_of_tables_loses_more(
    draw: Callable[[random.Random], Drawn], check: Any, seed: int, tmp_path: Path
) -> None:
    rng = random.Random(f"{draw.__name__}-{check.__name__}-{seed}")
    for _ in range(CHUNK):
        release = draw(rng)
        # Of one dataset nothing is protected, and only what is projected is stated.
        fewest = 1 if check in (check_plain, check_null) else 2
        while not fewest <= len(release.case.tables) <= MOST_TABLES:
            release = draw(rng)
        check(rng, release, tmp_path)


@repeated(fast=40, slow=2_000)
def test_the_enclosing_space_is_the_image_of_all_changes_that_keep_the_invariants(
    times: int, tmp_path: Path
) -> None:
    rng = random.Random("enclosing")
    for _ in range(times):
        release = drawn(rng)
        case, path = release.case, tmp_path / "small.yaml"
        mechanism = f"mechanism: {{gaussian: {{sigma: 1, query: {release.query}}}}}\n"
        path.write_text(release.text + mechanism, encoding="utf-8")
        audited = load_release(str(path))
        spaces = SensitivitySpaces(audited)
        (query,) = queries_of(audited.mechanism)
        found = spaces.subspaces.enclosing(query)
        assert found is not None
        cells = list(case.cells)
        kept = np.vstack([case.told[:, cells], np.ones((1, len(cells)))])
        expected = projector(null(kept) @ case.asked[:, cells].T)
        basis = np.eye(width(query, spaces.table))
        projected = np.array(
            [[float(k) for k in found.project(list(map(int, row)))] for row in basis]
        )
        assert np.allclose(projected, expected, atol=1e-8), release.text
        if len(case.tables) <= 60:
            for change in case.changes(case.records):
                assert found.holds([round(k) for k in change])
