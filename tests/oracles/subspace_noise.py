"""Noise in subspaces by brute force: every pair of tables of D_t, in floating point with numpy.

A case is a small table whose records and invariants are given as plain matrices. Nothing here
knows the program's own linear algebra.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

Matrix = npt.NDArray[np.float64]

TOLERANCE = 1e-8


@dataclass(frozen=True)
class SmallCase:
    """D_t of a few records in numbered cells.

    `cells`: those that can occur. `told`: a row for each published value, over all cells.
    `asked`: a row for each coordinate of the query, over all cells. `least`: everybody knows that
    the first cell holds no less.
    """

    records: int
    number: int
    cells: tuple[int, ...]
    told: Matrix
    asked: Matrix
    table: tuple[int, ...]
    least: int = 0

    @cached_property
    def tables(self) -> list[Matrix]:
        """All tables of D_t."""
        value = self.told @ np.array(self.table, float)
        found = []
        for counts in _compositions(self.records, len(self.cells)):
            table = np.zeros(self.number)
            table[list(self.cells)] = counts
            if np.array_equal(self.told @ table, value) and table[0] >= self.least:
                found.append(table)
        return found

    @property
    def several_sizes(self) -> bool:
        """Whether datasets may differ in size as far as their size tells."""
        return False

    def apart(self, moved: Matrix) -> Matrix:
        """The hamming distance in their closest orders of tables with these differences."""
        return np.asarray(np.abs(moved).sum(axis=-1) / 2)

    def changes(self, distance: int) -> Matrix:
        """The answers' differences between tables of D_t up to a distance, without 0."""
        tables = np.array(self.tables)
        found = np.zeros((0, len(self.asked)))
        for at, table in enumerate(tables):
            moved = tables[:at] - table
            near = moved[self.apart(moved) <= distance]
            found = np.unique(np.vstack([found, near @ self.asked.T]), axis=0)
        return found[np.any(found, axis=1)]

    def per_unit(self) -> Matrix:
        """The differences of any two tables of D_t, each over their distance."""
        found = [
            self.asked @ (one - other) / self.apart(one - other)
            for one, other in combinations(self.tables, 2)
        ]
        return np.array(found).reshape(len(found), len(self.asked))

    def steps(self) -> Matrix:
        """The same for one record, anywhere in D."""
        found = [self.asked[:, i] - self.asked[:, j] for i, j in combinations(self.cells, 2)]
        return np.array(found).reshape(len(found), len(self.asked))

    @cached_property
    def linear(self) -> bool:
        """Whether T is a linear function of the answer: the answer's null space is in T's."""
        cells = list(self.cells)
        return bool(np.allclose(self.told[:, cells] @ null(self.asked[:, cells]).T, 0))

    @cached_property
    def kept(self) -> Matrix:
        """The projector on N: the answers of everything that leaves T as it is."""
        cells = list(self.cells)
        return projector(null(self.told[:, cells]) @ self.asked[:, cells].T)

    def joined(self, distance: int) -> bool:
        """Whether steps of up to a distance lead from each table of D_t to every other."""
        waiting, seen = [0], {0}
        while waiting:
            table = self.tables[waiting.pop()]
            for at, other in enumerate(self.tables):
                if at not in seen and self.apart(table - other) <= distance:
                    seen.add(at)
                    waiting.append(at)
        return len(seen) == len(self.tables)


@dataclass(frozen=True)
class SymmetricCase(SmallCase):
    """The same where datasets are told apart by what one has and the other has not, and may differ
    in size: a step adds or removes a record.

    `fixed`: D holds datasets of `records` alone, so that no two are a step apart. `most`: records
    that the invariants leave room for; D_t has no larger dataset.
    """

    fixed: bool = False
    most: int = 0

    @cached_property
    def tables(self) -> list[Matrix]:
        """All tables of D_t."""
        value = self.told @ np.array(self.table, float)
        size = sum(self.table)
        found = []
        for total in [size] if self.fixed else range(self.most + 1):
            for counts in _compositions(total, len(self.cells)):
                table = np.zeros(self.number)
                table[list(self.cells)] = counts
                if np.array_equal(self.told @ table, value):
                    found.append(table)
        return found

    @property
    def several_sizes(self) -> bool:
        """Whether datasets may differ in size as far as their size tells."""
        return not self.fixed

    def apart(self, moved: Matrix) -> Matrix:
        """All records that one has and the other has not."""
        return np.asarray(np.abs(moved).sum(axis=-1))

    def steps(self) -> Matrix:
        """What one record more adds."""
        if self.fixed:
            return np.zeros((0, len(self.asked)))
        found = [self.asked[:, i] for i in self.cells if self.asked[:, i].any()]
        return np.array(found).reshape(len(found), len(self.asked))


def null(matrix: Matrix) -> Matrix:
    """An orthonormal basis of a null space, in rows."""
    if not matrix.size:
        return np.eye(matrix.shape[1])
    _, sizes, right = np.linalg.svd(matrix)
    rank = int((sizes > TOLERANCE).sum())
    return np.asarray(right[rank:])


def projector(rows: Matrix) -> Matrix:
    """On the span of some rows."""
    if not len(rows):
        return np.zeros((rows.shape[1], rows.shape[1]))
    _, sizes, right = np.linalg.svd(rows, full_matrices=False)
    basis = right[sizes > TOLERANCE]
    return np.asarray(basis.T @ basis)


def inside(vectors: Matrix, rows: Matrix) -> bool:
    """Whether the span of some rows holds all vectors."""
    return bool(np.allclose(vectors @ projector(rows), vectors, atol=1e-7))


def mu_squared(vectors: Matrix, covariance: Matrix) -> float:
    """The largest u' Sigma+ u, or infinity where some u is not in Sigma's range."""
    if not len(vectors):
        return 0.0
    if not inside(vectors, covariance):
        return float("inf")
    inverse = np.linalg.pinv(covariance, rcond=1e-9, hermitian=True)
    return max(float(u @ inverse @ u) for u in vectors)


def weights(vectors: Matrix, basis: Matrix) -> Matrix | None:
    """w of u = B'w for independent rows B; None where some u is none."""
    if not inside(vectors, basis):
        return None
    return np.array([np.linalg.lstsq(basis.T, u, rcond=None)[0] for u in vectors])


def gauge(corners: Matrix, vector: Matrix) -> float:
    """By how much the hull of some corners and their opposites is stretched to reach a vector."""
    if not np.any(np.abs(vector) > TOLERANCE):
        return 0.0
    signed = np.vstack([corners, -corners]).T
    answer = linprog(np.ones(signed.shape[1]), A_eq=signed, b_eq=vector, bounds=(0, None))
    return float(answer.fun) if answer.status == 0 else float("inf")


def lattice_renyi(points: Matrix, move: Matrix, variance: float, order: float) -> float:
    """The divergence of discrete Gaussian noise on some lattice points, moved, from itself."""
    still = np.exp(-(points**2).sum(axis=1) / (2 * variance))
    moved = np.exp(-((points - move) ** 2).sum(axis=1) / (2 * variance))
    p, q = moved / moved.sum(), still / still.sum()
    return float(np.log((p**order * q ** (1 - order)).sum()) / (order - 1))


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield first, *rest
