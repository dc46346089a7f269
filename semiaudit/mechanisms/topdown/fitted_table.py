"""From the top down: a table of whole numbers from 0 on, close to noisy counts at every level.

Levels are fitted one after another. At each level the table that is closest to that level's noisy
counts is taken among all that keep the rules and the fitted counts of the levels above; what it has
at the level's own counts is kept from then on. The variables are the smallest cells at every level,
so that a table that goes on always exists: the one that was found. Nothing but noisy counts, and
rules of published values, goes in, so that the fit costs no privacy.

Every step is solved in parts that no rule joins, and every table is checked in whole numbers.

Source: Abowd et al. 2022, The 2020 Census Disclosure Avoidance System TopDown Algorithm; Bailie,
Gong and Meng, the listing of TopDown, step 2. Theirs fixes all cells of a level, also those that
no query of it tells apart; this one leaves them to the levels below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import sqrt

from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.sampling.nonnegative import Fit, SumConstraint, keeps, nearest


@dataclass(frozen=True)
class NoisyCount:
    """One noisy count.

    Attributes:
        cells: the smallest cells that it sums.
        answer: their sum, with noise.
        weight: 1 / sigma^2 of the noise.
    """

    cells: tuple[int, ...]
    answer: int
    weight: Fraction


@dataclass(frozen=True)
class TopDownTable:
    """A fitted table.

    Attributes:
        cells: the counts of the smallest cells.
        counts: for each level, the fitted values of its noisy counts, which the cells sum to.
    """

    cells: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]


def top_down(
    levels: Sequence[Sequence[NoisyCount]], rules: Sequence[SumConstraint], cells: int, fit: Fit
) -> TopDownTable:
    """Fit a table level by level.

    Args:
        levels: the noisy counts of each level, from the top down.
        rules: of the smallest cells, that the table keeps: published values, and no others.
        cells: how many smallest cells there are.
        fit: what is made least at each level: l1, the sum of |fitted - noisy| / sigma; l2, the sum
            of its squares.

    Raises:
        RefusedError: no table was found that keeps the rules.
        OutOfTimeError: the time limit was reached.
    """
    kept = [rule for rule in rules if rule.terms]
    fitted: list[tuple[int, ...]] = []
    table = [0] * cells
    for level in levels:
        deadline.check()
        table = _fitted(level, kept, cells, fit)
        values = tuple(_sum(count, table) for count in level)
        fitted.append(values)
        for count, value in zip(level, values, strict=True):
            kept.append(SumConstraint(dict.fromkeys(count.cells, 1), value, value))
    if not keeps(table, kept):
        what = "no table of nonnegative whole numbers was found that keeps the invariants"
        raise RefusedError(Refusal(what, "remove --nonnegative-integers", "data"))
    return TopDownTable(tuple(table), tuple(fitted))


def loss(level: Sequence[NoisyCount], table: Sequence[int], fit: Fit) -> float:
    """What a step makes least: the distance of a table from a level's noisy counts."""
    power = 1 if fit == "l1" else 2
    return sum(
        (abs(_sum(count, table) - count.answer) * sqrt(count.weight)) ** power for count in level
    )


def _sum(count: NoisyCount, table: Sequence[int]) -> int:
    return sum(table[cell] for cell in count.cells)


def _fitted(
    level: Sequence[NoisyCount], kept: Sequence[SumConstraint], cells: int, fit: Fit
) -> list[int]:
    """The closest table, each part of it by itself.

    Cells that every rule and every count takes alike are one variable: how its value is spread
    over them changes nothing, so that it is given to the first one.
    """
    fitted = [0] * cells
    firsts, place = _interchangeable_cells(level, kept, cells)
    narrow = [_narrow_rule(rule, place) for rule in kept]
    counts = [
        NoisyCount(tuple(dict.fromkeys(place[c] for c in count.cells)), count.answer, count.weight)
        for count in level
    ]
    for part in _parts(counts, narrow, len(firsts)):
        for at, value in zip(part.cells, part.closest(fit), strict=True):
            fitted[firsts[at]] = value
    return fitted


def _interchangeable_cells(
    level: Sequence[NoisyCount], kept: Sequence[SumConstraint], cells: int
) -> tuple[list[int], list[int]]:
    """The first cell of each class of cells that are taken alike, and the class of each cell."""
    taken: list[list[tuple[int, int]]] = [[] for _ in range(cells)]
    for at, rule in enumerate(kept):
        for cell, k in rule.terms.items():
            taken[cell].append((at, k))
    for at, count in enumerate(level, len(kept)):
        for cell in count.cells:
            taken[cell].append((at, 1))
    classes: dict[tuple[tuple[int, int], ...], int] = {}
    firsts: list[int] = []
    place: list[int] = []
    for cell, signature in enumerate(taken):
        key = tuple(signature)
        if key not in classes:
            classes[key] = len(firsts)
            firsts.append(cell)
        place.append(classes[key])
    return firsts, place


def _narrow_rule(rule: SumConstraint, place: Sequence[int]) -> SumConstraint:
    return SumConstraint({place[cell]: k for cell, k in rule.terms.items()}, rule.low, rule.high)


@dataclass(frozen=True)
class _Part:
    """Cells that rules and counts join, and those rules and counts, by places among the cells."""

    cells: list[int]
    rules: list[SumConstraint]
    counts: list[NoisyCount]

    def closest(self, fit: Fit) -> list[int]:
        """The closest table of the part.

        A noisy count becomes a cell of its own, with the rule that it is the sum of its cells;
        those are free.
        """
        size = len(self.cells)
        target: list[float] = [0.0] * size
        rules = list(self.rules)
        for at, count in enumerate(self.counts, size):
            target.append(count.answer)
            rules.append(SumConstraint({**dict.fromkeys(count.cells, -1), at: 1}, 0, 0))
        free = [0.0] * size
        weights = [float(count.weight) for count in self.counts]
        if fit == "l1":
            weights = [sqrt(weight) for weight in weights]
        return nearest(target, rules, fit, [*free, *weights])[:size]


def _parts(
    level: Sequence[NoisyCount], kept: Sequence[SumConstraint], cells: int
) -> Iterator[_Part]:
    """The cells in parts that no rule and no count of the level joins."""
    joined = [*(list(rule.terms) for rule in kept), *(count.cells for count in level)]
    pairs = [(group[0], cell) for group in joined for cell in group if group]
    rows, columns = ([two[side] for two in pairs] for side in (0, 1))
    graph = coo_array(([1] * len(pairs), (rows, columns)), shape=(cells, cells))
    number, labels = connected_components(graph, directed=False)
    members: list[list[int]] = [[] for _ in range(number)]
    place = [0] * cells
    for cell, label in enumerate(labels.tolist()):
        place[cell] = len(members[label])
        members[label].append(cell)
    parts = [_Part(of_part, [], []) for of_part in members]
    for rule in kept:
        terms = {place[cell]: k for cell, k in rule.terms.items()}
        parts[labels[next(iter(rule.terms))]].rules.append(
            SumConstraint(terms, rule.low, rule.high)
        )
    for count in level:
        inside = tuple(place[cell] for cell in count.cells)
        if inside:
            part = parts[labels[count.cells[0]]]
            part.counts.append(NoisyCount(inside, count.answer, count.weight))
    yield from parts
