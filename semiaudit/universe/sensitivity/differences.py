"""Lists of differences of answers: their norms, their number, and the rank of their span.

Everything is computed in 64-bit integers; differences that do not fit are not listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb, prod
from operator import mul

import numpy as np

from semiaudit import deadline
from semiaudit.numeric.modular_rank import PRIMES, Basis, Integers

MAX_MULTISETS = 200_000
"""The most multisets of classes in a listing: they are all kept in memory."""

MAX_WORK = 60_000_000
"""The most pairs of answers times their coordinates in a listing, with numpy."""

MAX_IMAGED = 20 * MAX_WORK
"""The most counts of multisets times coordinates that are multiplied to answers: one fast matrix
product."""

MAX_KEPT = 20_000_000
"""The most entries of distinct differences that are kept, 160 MB; more are not counted."""

MAX_WAITING = 2_000_000
"""Entries of differences that are processed together, 16 MB: large batches are sorted fastest."""

SMALL_GROUP = 64
"""Groups of up to this many answers are paired in one step; their 2016 pairs fit a batch."""

MAX_ENTRY = 1 << 30
"""No entry of a difference is larger, so that sums and squares of them fit 64 bits."""

LARGEST_CODE = 1 << 62
"""A row whose entries are the digits of a number below this is compared as that number."""


@dataclass(slots=True)
class Differences:
    """A symmetric set of integer vectors, 0 included.

    Attributes:
        coordinates: the length of the vectors.
        l1, l2_squared, linf: the largest norms.
        vectors: the distinct nonzero vectors, one of every pair of opposite signs, in a
            reproducible order; None if there are too many to keep.
        rank: the dimension of the span by arithmetic modulo two primes: never above the true one.
    """

    coordinates: int
    l1: int = 0
    l2_squared: int = 0
    linf: int = 0
    vectors: Integers | None = None
    rank: int = 0

    @property
    def elements(self) -> int | None:
        """Return the number of vectors, including 0 and both signs."""
        return None if self.vectors is None else 2 * len(self.vectors) + 1


class Collector:
    """Collect differences in batches, and keep what ``Differences`` needs."""

    def __init__(self, coordinates: int) -> None:
        self.norms = Differences(coordinates)
        self.waiting: list[Integers] = []
        self.rows = 0
        self.kept: list[Integers] | None = []
        self.entries = 0
        self.bases = [Basis(coordinates, prime) for prime in PRIMES]

    def add(self, batch: Integers) -> None:
        """Add the rows of a matrix; their opposites are added too."""
        if not batch.size:
            return
        self.waiting.append(batch)
        self.rows += len(batch)
        if self.rows * batch.shape[1] >= MAX_WAITING:
            self._take()

    def _take(self) -> None:
        if not self.waiting:
            return
        deadline.check()
        batch = distinct(one_sign(np.concatenate(self.waiting)))
        self.waiting, self.rows = [], 0
        size = np.abs(batch)
        largest_norms = self.norms
        largest_norms.l1 = max(largest_norms.l1, int(size.sum(axis=1).max()))
        largest_norms.l2_squared = max(
            largest_norms.l2_squared, int((batch * batch).sum(axis=1).max())
        )
        largest_norms.linf = max(largest_norms.linf, int(size.max()))
        for basis in self.bases:
            basis.add(batch)
        if self.kept is None:
            return
        self.kept.append(batch)
        self.entries += batch.size
        if self.entries > MAX_KEPT:
            together = distinct(np.concatenate(self.kept))
            self.kept, self.entries = [together], together.size
            if self.entries > MAX_KEPT // 2:
                self.kept = None

    def result(self) -> Differences:
        """Return the collected differences."""
        self._take()
        empty = np.zeros((0, self.norms.coordinates), dtype=np.int64)
        if self.kept is not None:
            vectors = distinct(np.concatenate([empty, *self.kept]))
            self.norms.vectors = vectors[vectors.any(axis=1)]
        self.norms.rank = max(basis.rank for basis in self.bases)
        return self.norms


def fits(images: Integers, steps: int) -> bool:
    """Return whether differences of ``steps`` rows of images stay exact in 64 bits."""
    largest = int(np.abs(images).max(initial=0))
    return largest * 2 * steps <= MAX_ENTRY and (
        (largest * 2 * steps) ** 2 * max(images.shape[1], 1) < 1 << 62
    )


def of_tables(groups: Sequence[Integers], images: Integers, most: int) -> Differences | None:
    """Compute differences of answers of tables whose counts differ by at most ``most`` in total.

    Args:
        groups: tables x classes, for each universe. images: classes x coordinates.

    Returns:
        The differences within each universe; None if there are too many pairs.
    """
    work = sum(len(tables) ** 2 for tables in groups)
    if work * max(images.shape) > MAX_WORK:
        return None
    collector = Collector(images.shape[1])
    for tables in groups:
        for place in range(len(tables) - 1):
            change = tables[place + 1 :] - tables[place]
            close = change[np.abs(change).sum(axis=1) <= most]
            collector.add(close @ images)
    return collector.result()


@dataclass(frozen=True, slots=True)
class Multisets:
    """Multisets of records that agree on every row, in groups.

    Two of one group, of at most ``most`` records together, are a move: the records of one leave,
    those of the other enter. Records in both stay, so smaller moves are among them.

    Attributes:
        groups: groups x multisets x classes: counts, in an array for each number of multisets.
    """

    groups: Sequence[Integers]
    most: int

    def differences(self, images: Integers) -> Differences | None:
        """Return the differences of answers; None if there are too many pairs."""
        coordinates = images.shape[1]
        if sum(block.size for block in self.groups) * coordinates > MAX_IMAGED:
            return None
        points = [self._answers(group, images) for group in self._large]
        work = sum(len(answers) ** 2 for answers, _ in points)
        work += sum(block.shape[0] * block.shape[1] ** 2 for block in self._small)
        if work * coordinates > MAX_WORK:
            return None
        collector = Collector(coordinates)
        for block in self._small:
            first, other = np.triu_indices(block.shape[1], 1)
            step = max(1, MAX_WAITING // max(1, len(first) * coordinates))
            for at in range(0, len(block), step):
                part = block[at : at + step]
                sizes, answers = part.sum(axis=2), part @ images
                are_close = sizes[:, first] + sizes[:, other] <= self.most
                collector.add((answers[:, first] - answers[:, other])[are_close])
        for answers, sizes in points:
            for place in range(len(answers) - 1):
                are_close = sizes[place + 1 :] + sizes[place] <= self.most
                collector.add((answers[place + 1 :] - answers[place])[are_close])
        return collector.result()

    @property
    def _small(self) -> list[Integers]:
        return [block for block in self.groups if block.shape[1] <= SMALL_GROUP]

    @property
    def _large(self) -> list[Integers]:
        return [group for block in self.groups if block.shape[1] > SMALL_GROUP for group in block]

    @staticmethod
    def _answers(group: Integers, images: Integers) -> tuple[Integers, Integers]:
        """Return the distinct answers of a group with the smallest size of each."""
        sizes = group.sum(axis=1)
        order = np.argsort(sizes, kind="stable")
        answers = group[order] @ images
        if not images.shape[1]:
            return answers, sizes[order]
        first = _first_places(answers)
        return answers[first], sizes[order][first]

    def largest(self, sums: Integers) -> Integers:
        """Bound every row of ``sums`` (by class) from above, over all moves."""
        spread = np.zeros(len(sums), dtype=np.int64)
        for block in self.groups:
            values = block @ sums.T
            spread = np.maximum(spread, np.ptp(values, axis=1).max(axis=0))
        return spread


def multisets(rows: Integers, sizes: Sequence[int], most: int) -> Multisets | None:
    """Return the multisets of classes of some sizes, grouped by their values in the rows.

    Args:
        rows: classes x rows: the coefficients of every class.
        sizes: the allowed numbers of records of a multiset.
        most: the most records of the two multisets of a move together.

    Returns:
        The groups; None if there are too many multisets, or a value does not fit.
    """
    classes = len(rows)
    number = sum(comb(classes + size - 1, size) if classes else 1 for size in sizes)
    steps = max(sizes, default=0)
    if number > MAX_MULTISETS or number * max(rows.shape[1], steps) > MAX_WORK:
        return None
    if not fits(rows, max(steps, 1)):
        return None
    listed = [_multisets(classes, size) for size in sizes]
    values = np.concatenate([_sums(chosen, rows) for chosen in listed])
    codes = _codes(values) if values.size else None
    _, group, occurs = np.unique(
        values if codes is None else codes,
        axis=0,
        return_inverse=True,
        return_counts=True,
    )
    group = group.reshape(-1)
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(occurs)
    if int(occurs[occurs > 1].sum()) * classes > MAX_WORK:
        return None
    starts = np.cumsum([0, *(len(chosen) for chosen in listed)])
    blocks = []
    for number in np.unique(occurs[occurs > 1]).tolist():
        first = (ends - occurs)[occurs == number]
        members = order[first[:, None] + np.arange(number)].reshape(-1)
        counts = np.zeros((len(members), classes), dtype=np.int64)
        part = np.searchsorted(starts, members, side="right") - 1
        for at, chosen in enumerate(listed):
            here = np.flatnonzero(part == at)
            for column in chosen[members[here] - starts[at]].T:
                counts[here, column] += 1
        blocks.append(counts.reshape(len(first), number, classes))
    return Multisets(blocks, most)


def _sums(chosen: Integers, rows: Integers) -> Integers:
    total = np.zeros((len(chosen), rows.shape[1]), dtype=np.int64)
    for column in chosen.T:
        total += rows[column]
    return total


def _multisets(classes: int, size: int) -> Integers:
    """Return all ascending tuples of ``size`` classes."""
    chosen = np.zeros((1, 0), dtype=np.int64)
    for step in range(size):
        last = chosen[:, -1] if step else np.zeros(1, dtype=np.int64)
        widths = classes - last
        parents = np.repeat(np.arange(len(chosen)), widths)
        offsets = np.arange(len(parents)) - np.repeat(np.cumsum(widths) - widths, widths)
        chosen = np.column_stack([chosen[parents], last[parents] + offsets])
    return chosen


def distinct(vectors: Integers) -> Integers:
    """Return the distinct rows, in the order of their bytes."""
    if not vectors.shape[1] or len(vectors) < 2:
        return vectors[:1]
    return vectors[_first_places(vectors)]


def _first_places(vectors: Integers) -> Integers:
    """Return the index of the first occurrence of each distinct row, in the order of their bytes.

    Comparing single integers is fastest, then comparing bytes.
    """
    rows = np.ascontiguousarray(vectors)
    if len(rows) and (codes := _codes(rows)) is not None:
        _, first = np.unique(codes, return_index=True)
        return first[_by_bytes(rows[first])]
    return _by_bytes(rows)


def _by_bytes(rows: Integers) -> Integers:
    width = rows.dtype.itemsize * rows.shape[1]
    _, first = np.unique(rows.view(f"V{width}").reshape(-1), return_index=True)
    return first


def _codes(rows: Integers) -> Integers | None:
    """Return a number for each row, the digits of which are its entries; None if they are long."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    bases = [int(base) for base in high - low + 1]
    if prod(bases) >= LARGEST_CODE:
        return None
    places = [1, *accumulate(bases[:-1], mul)]
    codes: Integers = (rows - low) @ np.array(places, dtype=np.int64)
    return codes


def one_sign(vectors: Integers) -> Integers:
    """Return every vector or its opposite, so that the first nonzero entry is positive."""
    if not vectors.shape[1]:
        return vectors
    first = np.take_along_axis(vectors, (vectors != 0).argmax(axis=1)[:, None], axis=1)
    return np.where(first < 0, -vectors, vectors)
