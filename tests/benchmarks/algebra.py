"""Exact algebra beside the textbook's: time of one operation each, in one run.

    python -m tests.benchmarks.algebra

The peer is dense elimination in fractions (tests/oracles/linear_algebra.py).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product

from semiaudit.numeric.lattices import integer_basis, reduced
from semiaudit.numeric.matrices import inverse
from semiaudit.numeric.row_space import RowSpace
from tests.oracles.linear_algebra import echelon


def margin_rows(sizes: tuple[int, ...], length: int) -> list[dict[int, int]]:
    """The rows of all margins of so many attributes."""
    cells = list(product(*map(range, sizes)))
    rows = []
    for chosen in combinations(range(len(sizes)), length):
        for levels in product(*(range(sizes[at]) for at in chosen)):
            rows.append(
                {c: 1 for c, cell in enumerate(cells) if tuple(cell[at] for at in chosen) == levels}
            )
    return rows


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one call, the least of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    """Print a line for each operation."""
    chance = random.Random(1)
    rows = margin_rows((3, 3, 3, 3), 2)
    dense = [[row.get(c, 0) for c in range(81)] for row in rows]
    matrix = [[chance.randint(-9, 9) for _ in range(20)] for _ in range(20)]
    unit = [[*row, *(int(at == place) for place in range(20))] for at, row in enumerate(matrix)]
    inverse(matrix)  # FLINT is loaded
    cases: list[tuple[str, Callable[[], object], Callable[[], object] | None]] = [
        (
            "span of the two-way margins of four attributes (54 rows, 81 cells)",
            lambda: RowSpace(rows),
            lambda: echelon(dense),
        ),
        ("inverse, n = 20", lambda: inverse(matrix), lambda: echelon(unit)),
    ]
    large = margin_rows((3,) * 6, 3)
    cases.append(
        (
            "span of the three-way margins of six attributes (540 rows, 729 cells)",
            lambda: RowSpace(large),
            None,
        )
    )
    random_rows = [{c: chance.randint(-9, 9) for c in range(40)} for _ in range(12)]
    kernel: list[dict[int, Fraction]] = RowSpace(random_rows).kernel(40)
    cases.append(
        (
            "reduced basis under 12 random rows over 40 cells",
            lambda: reduced(integer_basis(kernel)),
            None,
        )
    )
    for name, ours, theirs in cases:
        own = seconds(ours)
        peer = f"{seconds(theirs):10.4f}" if theirs is not None else "         -"
        print(f"{own:10.4f} s {peer} s  {name}")
    print("First column: semiaudit.numeric. Second: dense elimination in fractions.")


if __name__ == "__main__":
    main()
