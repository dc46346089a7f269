"""The short moves that are listed, beside the Graver basis of an independent program.

4ti2 (as the command ``4ti2-graver``, or through the package Py4ti2) is not installed with the
project; without it these tests are skipped.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import subprocess
from collections.abc import Sequence
from math import prod
from pathlib import Path

import pytest

from semiaudit.universe.distance.moves import moves_of
from semiaudit.universe.system.classes_of_cells import System
from tests.oracles import tables as oracle

COMMAND = shutil.which("4ti2-graver") or shutil.which("graver")
PACKAGE = importlib.util.find_spec("Py4ti2int64")

pytestmark = pytest.mark.skipif(
    not (COMMAND or PACKAGE), reason="neither 4ti2 nor Py4ti2 is installed"
)

Vector = tuple[int, ...]


def graver_basis(rows: Sequence[Vector], folder: Path) -> set[Vector]:
    """The Graver basis of the kernel of a matrix, both signs of every element."""
    if PACKAGE:
        package = importlib.import_module("Py4ti2int64")
        found = package.graver("mat", [list(row) for row in rows])["gra"]
    else:
        lines = [f"{len(rows)} {len(rows[0])}", *(" ".join(map(str, row)) for row in rows)]
        (folder / "problem.mat").write_text("\n".join(lines) + "\n")
        assert COMMAND
        command = [COMMAND, "-q", str(folder / "problem")]
        subprocess.run(command, check=True, capture_output=True)
        text = (folder / "problem.gra").read_text().split()
        width = int(text[1])
        numbers = [int(number) for number in text[2:]]
        found = [numbers[at : at + width] for at in range(0, len(numbers), width)]
    return {tuple(sign * k for k in vector) for vector in found for sign in (1, -1)}


def conformal(part: Vector, whole: Vector) -> bool:
    """True if a vector lies in the same orthant as another one and within it."""
    return all(a * b >= 0 and abs(a) <= abs(b) for a, b in zip(part, whole, strict=True))


@pytest.mark.parametrize(
    ("shape", "margins", "halves"),
    [
        ((2, 3), [(0,), (1,)], 3),
        ((3, 3), [(0,), (1,)], 4),
        ((2, 2, 2), [(0,), (1,), (2,)], 4),
        ((2, 2, 2), [(0, 1), (1, 2), (0, 2)], 4),
        ((3, 2, 2), [(0, 1), (1, 2), (0, 2)], 4),
        ((2, 2, 3), [(0, 1), (1, 2)], 4),
    ],
)
def test_minimal_moves_and_nothing_else_that_short_are_in_the_graver_basis(
    shape: tuple[int, ...], margins: list[tuple[int, ...]], halves: int, tmp_path: Path
) -> None:
    rows = [row for margin in margins for row in oracle.margin_rows(shape, margin)]
    cells = prod(shape)
    sums = tuple(tuple((c, k) for c, k in enumerate(row) if k) for row in rows)
    system = System(
        tuple((levels,) for levels in oracle.cells(shape)), (1,) * cells, sums, None, (), (), 99
    )
    listed: set[Vector] = set()
    for half in range(1, halves + 1):
        for move in moves_of(system, half):
            changes = dict(move)
            listed.add(tuple(changes.get(c, 0) for c in range(cells)))
    minimal = {
        move
        for move in listed
        if not any(other != move and conformal(other, move) for other in listed)
    }
    basis = graver_basis(rows, tmp_path)
    short = {vector for vector in basis if sum(map(abs, vector)) <= 2 * halves}
    assert minimal == short
    assert minimal
    assert all(any(conformal(g, move) for g in short) for move in listed)
