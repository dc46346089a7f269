"""How long the fit of a hierarchical release takes, beside plain weighted least squares.

    python -m tests.benchmarks.topdown_run [CELLS ...]

Blocks of 40 cells (sex by age by race) in counties and two states whose totals are published;
four queries at each of four levels, with three weights. The peer gets the same noisy counts of all
levels at once: ``scipy.sparse.linalg.lsqr``, which keeps no invariant, no whole number and no 0.
Seconds are of the processor; errors are mean absolute ones of the cells of a block.
"""

from __future__ import annotations

import random
import sys
import time
from fractions import Fraction

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import lsqr

from semiaudit import deadline
from semiaudit.mechanisms.sampling.integers import DiscreteGaussianSampler
from semiaudit.mechanisms.sampling.nonnegative import SumConstraint, keeps
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.topdown.fitted_table import NoisyCount, top_down
from semiaudit.model.results.errors import FitNorm

INNER = 40
SIZES = (1_000, 2_560, 5_120)
RHO = {"detailed": Fraction(1, 4), "age by sex": Fraction(1, 5), "race": Fraction(1, 8)}
TOTAL = Fraction(1, 3)
FITS: tuple[FitNorm, ...] = ("l1", "l2")
LIMIT = 600.0


def group(query: str, cell: int) -> int:
    """What a query tells of one of a block's cells."""
    return {"detailed": cell, "age by sex": cell // 4, "race": cell % 4, "total": 0}[query]


def noisy_levels(truth: list[int], seed: int) -> list[list[NoisyCount]]:
    """The noisy counts of the nation, the states, 8 counties and the blocks."""
    size, source = len(truth), Randomness(seed)
    blocks = size // INNER
    found = []
    for parts in (1, 2, 8, blocks):
        members: dict[tuple[int, str, int], list[int]] = {}
        for cell in range(size):
            unit = cell // INNER * parts // blocks
            for query in (*RHO, "total"):
                key = unit, query, group(query, cell % INNER)
                members.setdefault(key, []).append(cell)
        level = []
        for (_, query, _), cells in members.items():
            rho = RHO.get(query, TOTAL)
            noise = DiscreteGaussianSampler(1 / rho).draw(source)
            level.append(NoisyCount(tuple(cells), sum(truth[c] for c in cells) + noise, rho))
        found.append(level)
    return found


def least_squares(levels: list[list[NoisyCount]], size: int) -> tuple[float, list[float]]:
    """Seconds of the peer, and its cells."""
    start = time.process_time()
    counts = [count for level in levels for count in level]
    roots = [float(count.weight) ** 0.5 for count in counts]
    rows = np.repeat(np.arange(len(counts)), [len(count.cells) for count in counts])
    columns = np.concatenate([count.cells for count in counts])
    matrix = coo_array((np.array(roots)[rows], (rows, columns)), shape=(len(counts), size)).tocsr()
    answers = np.array([count.answer for count in counts]) * np.array(roots)
    cells = lsqr(matrix, answers, atol=1e-8, btol=1e-8)[0]
    return time.process_time() - start, cells.tolist()


def error(cells: list[float] | tuple[int, ...], truth: list[int]) -> float:
    """The mean error of a cell."""
    return sum(abs(a - b) for a, b in zip(cells, truth, strict=True)) / len(truth)


def measured(size: int) -> None:
    """Print the figures of a table of about so many cells."""
    size = size // (2 * INNER) * 2 * INNER
    source = random.Random(size)
    truth = [source.choice([0, 0, 0, 0, 1, 1, 2, 5, 20]) for _ in range(size)]
    levels = noisy_levels(truth, 1)
    halves = [range(size // 2), range(size // 2, size)]
    rules = [
        SumConstraint(dict.fromkeys(half, 1), *[sum(truth[c] for c in half)] * 2) for half in halves
    ]
    plain, cells = least_squares(levels, size)
    below = sum(cell < 0 for cell in cells)
    print(
        f"{size} cells, {sum(map(len, levels))} noisy counts: lsqr {plain:.2f} s, error "
        f"{error(cells, truth):.3f}, {below} cells below 0"
    )
    for fit in FITS:
        start = time.process_time()
        with deadline.running(LIMIT):
            found = top_down(levels, rules, size, fit)
        seconds = time.process_time() - start
        if not keeps(found.cells, rules):
            sys.exit("the invariants do not hold")
        print(
            f"  {fit}: {seconds:.1f} s, {seconds / plain:.0f} times lsqr's; error "
            f"{error(found.cells, truth):.3f}, none below 0, invariants kept"
        )


def main() -> None:
    """The sizes that are named, or three."""
    for size in map(int, sys.argv[1:] or SIZES):
        measured(size)


if __name__ == "__main__":
    main()
