"""Fit a table of nonnegative integers to noisy counts, level by level from the top down.

Levels are fitted one after another. At each level, the table is the one closest to that level's
noisy counts among all that satisfy the rules and the fitted counts of the levels above; its values
of the level's own counts are then fixed. The variables are the smallest cells at every level, so a
feasible table always exists: the last one. The input is only noisy counts and rules on published
values, so the fit has no privacy loss.

Every step is solved in parts that no rule joins, and every table is checked in integers.

Source: Abowd et al. 2022, The 2020 Census Disclosure Avoidance System TopDown Algorithm; Bailie,
Gong and Meng, the listing of TopDown, step 2. That algorithm fixes all cells of a level, even those
that no query of it distinguishes; this one leaves them to the levels below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from math import prod, sqrt

from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.sampling.nonnegative import SumConstraint, keeps, nearest
from semiaudit.model.results.errors import FitNorm, Fitting


@dataclass(frozen=True)
class NoisyCount:
    """One noisy count.

    Attributes:
        cells: the smallest cells that it sums.
        answer: their sum, with noise.
        weight: 1 / sigma^2 of the noise.
    """

    cells: tuple[int, ...]
    answer: float
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
    levels: Sequence[Sequence[NoisyCount]], rules: Sequence[SumConstraint], cells: int, fit: FitNorm
) -> TopDownTable:
    """Fit a table level by level.

    Args:
        levels: the noisy counts of each level, from the top down.
        rules: the rules of the table on the smallest cells: published values, and no others.
        cells: the number of smallest cells.
        fit: the minimized distance of each level: l1, the sum of |fitted - noisy| / sigma; l2, the
            sum of its squares.

    Raises:
        RefusedError: no table was found that keeps the rules.
        OutOfTimeError: the time limit was reached.
    """
    nonempty = [rule for rule in rules if rule.terms]
    fitted: list[tuple[int, ...]] = []
    table = [0] * cells
    for level in levels:
        deadline.check()
        table = _fitted(level, nonempty, cells, fit)
        values = tuple(_sum(count, table) for count in level)
        fitted.append(values)
        for count, value in zip(level, values, strict=True):
            nonempty.append(SumConstraint(dict.fromkeys(count.cells, 1), value, value))
    if not keeps(table, nonempty):
        what = "no table of nonnegative whole numbers was found that keeps the invariants"
        raise RefusedError(Refusal(what, "remove --nonnegative-integers", "data"))
    return TopDownTable(tuple(table), tuple(fitted))


def totals_first(
    noisy: Sequence[float], sizes: Sequence[int], rules: Sequence[SumConstraint], fit: FitNorm
) -> tuple[int, ...]:
    """Fit a table to its noisy cells, from its total over its margins down to the cells.

    The margins are those of the first attribute, of the first two, and so on.

    Args:
        noisy: the cells, row-major. sizes: of the attributes.

    Raises:
        RefusedError: no table was found that keeps the rules.
        OutOfTimeError: the time limit was reached.
    """
    numbers = [number for number, _ in groupby(prod(sizes[:at]) for at in range(len(sizes) + 1))]
    levels = []
    for number in numbers:
        width = len(noisy) // number
        groups = (range(start, start + width) for start in range(0, len(noisy), width))
        levels.append(
            [NoisyCount(tuple(g), sum(noisy[c] for c in g), Fraction(1, width)) for g in groups]
        )
    return top_down(levels, rules, len(noisy), fit).cells


@dataclass(frozen=True)
class FittedTables:
    """The tables of nonnegative whole numbers that replace noisy tables.

    Attributes:
        rules: what the tables keep. sizes: of the attributes.
    """

    fitting: Fitting
    rules: Sequence[SumConstraint]
    sizes: Sequence[int]

    def of(self, noisy: Sequence[float | Fraction]) -> list[float]:
        """Return the table that replaces a noisy one; both row-major."""
        cells, norm = list(map(float, noisy)), self.fitting.norm
        if self.fitting.totals_first:
            return list(map(float, totals_first(cells, self.sizes, self.rules, norm)))
        return list(map(float, nearest(cells, self.rules, norm)))


def _sum(count: NoisyCount, table: Sequence[int]) -> int:
    return sum(table[cell] for cell in count.cells)


def _fitted(
    level: Sequence[NoisyCount], rules: Sequence[SumConstraint], cells: int, fit: FitNorm
) -> list[int]:
    """Return the closest table, each part by itself.

    Cells that every rule and every count treats equally are one variable: the division of its value
    among them changes nothing, so the first one gets it.
    """
    fitted = [0] * cells
    firsts, place = _interchangeable_cells(level, rules, cells)
    narrow = [_narrow_rule(rule, place) for rule in rules]
    counts = [
        NoisyCount(tuple(dict.fromkeys(place[c] for c in count.cells)), count.answer, count.weight)
        for count in level
    ]
    for part in _parts(counts, narrow, len(firsts)):
        for at, value in zip(part.cells, part.closest(fit), strict=True):
            fitted[firsts[at]] = value
    return fitted


def _interchangeable_cells(
    level: Sequence[NoisyCount], rules: Sequence[SumConstraint], cells: int
) -> tuple[list[int], list[int]]:
    signatures: list[list[tuple[int, int]]] = [[] for _ in range(cells)]
    for at, rule in enumerate(rules):
        for cell, k in rule.terms.items():
            signatures[cell].append((at, k))
    for at, count in enumerate(level, len(rules)):
        for cell in count.cells:
            signatures[cell].append((at, 1))
    classes: dict[tuple[tuple[int, int], ...], int] = {}
    firsts: list[int] = []
    place: list[int] = []
    for cell, signature in enumerate(signatures):
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
    cells: list[int]
    rules: list[SumConstraint]
    counts: list[NoisyCount]

    def closest(self, fit: FitNorm) -> list[int]:
        """Return the closest table of the part.

        A noisy count becomes a separate cell, with the rule that it is the sum of its cells; those
        are free.
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
    level: Sequence[NoisyCount], rules: Sequence[SumConstraint], cells: int
) -> Iterator[_Part]:
    joined = [*(list(rule.terms) for rule in rules), *(count.cells for count in level)]
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
    for rule in rules:
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
