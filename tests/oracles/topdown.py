"""Every pair of datasets of a toy census with noise at every level of geography, by brute force.

A toy spine has a nation, states, one of them split into two areas, and two levels below. Every
ordered dataset of a few records is written down, every query of every level is answered by
counting, and two datasets differ by their distance (the places at which they differ) and by what
each query's answers moved. That vector and nothing else makes the loss:

- rho is the sum of squared moves over 2 sigma^2, in fractions;
- delta(epsilon) is the sum over outcomes of p max(0, 1 - exp(epsilon - loss)). A count that moved
  by k under discrete Gaussian noise with 1/sigma^2 = w has at noise y the loss k (2 y + k) w / 2,
  which lies on one lattice for all counts. Masses are rounded down to multiples of 2^-BITS and
  convolved as whole numbers; the mass that is lost stands in the upper end of the bracket.

More records than those that move change no difference, so two records show all pairs at
distances 1 and 2; ``test_topdown_oracle`` counts that with three.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from math import floor, lcm
from typing import Any

import mpmath
import numpy as np

mp: Any = mpmath.mp

BITS = 104
DIGITS = 50

LEVELS = ("nation", "state", "county", "block")
ATTRIBUTES = ("first", "second")

Block = tuple[str, str, str, str]
"""The names of the areas around a block, one for each of LEVELS, the block's own last."""

Record = tuple[Block, int, int]
"""Where somebody lives, and the level of each attribute."""

Dataset = tuple[Record, ...]

Cell = tuple[str, int, int]
"""An area, and a group of each attribute."""

Moves = tuple[tuple[int, ...], ...]
"""For each query, the sizes of its moved counts that are not 0, sorted."""


@dataclass(frozen=True)
class Query:
    """Counts of one level.

    Attributes:
        level: of geography, one of LEVELS.
        groups: for each attribute, which group each of its levels falls into; one group tells
            nothing apart.
        weight: 1 / sigma^2 of the discrete Gaussian noise on every count.
    """

    level: str
    groups: tuple[tuple[int, ...], tuple[int, ...]]
    weight: Fraction

    def cell(self, record: Record) -> Cell:
        """The count in which a record is."""
        block, first, second = record
        return block[LEVELS.index(self.level)], self.groups[0][first], self.groups[1][second]


@dataclass(frozen=True)
class Spine:
    """A toy census.

    Attributes:
        blocks: all of them.
        state_of: the state in which an area of the level "state" lies; its total is published.
        sizes: the number of levels of each attribute.
    """

    blocks: tuple[Block, ...]
    state_of: dict[str, str]
    sizes: tuple[int, int]
    queries: tuple[Query, ...]

    def records(self) -> list[Record]:
        """Every record that can be."""
        return [
            (b, i, j)
            for b in self.blocks
            for i in range(self.sizes[0])
            for j in range(self.sizes[1])
        ]

    def state(self, record: Record) -> str:
        """Whose total counts a record."""
        return self.state_of[record[0][1]]

    def invariants(self, dataset: Dataset) -> dict[str, int]:
        """What is published exactly: the number of records of each state."""
        found = dict.fromkeys(self.state_of.values(), 0)
        for record in dataset:
            found[self.state(record)] += 1
        return found

    def answers(self, dataset: Dataset) -> list[list[int]]:
        """The counts of every query, in the order of its cells."""
        found = []
        for query, places in zip(self.queries, self.places, strict=True):
            counts = [0] * len(places)
            for record in dataset:
                counts[places[query.cell(record)]] += 1
            found.append(counts)
        return found

    @cached_property
    def places(self) -> list[dict[Cell, int]]:
        """For each query, where its counts stand."""
        records = self.records()
        cells = [sorted({query.cell(record) for record in records}) for query in self.queries]
        return [{cell: at for at, cell in enumerate(of_query)} for of_query in cells]


def random_spine(source: random.Random, large: bool = False) -> Spine:
    """Two states, the second one split into two areas; two levels below; two attributes."""
    state_of = {"a": "A", "b1": "B", "b2": "B"}
    blocks: list[Block] = []
    for area in state_of:
        for county in range(source.choice([1, 2]) if large else 1 + (area == "a")):
            inside = f"{area}.{county}"
            count = source.choice([1, 2]) if large or len(blocks) < 3 else 1
            blocks += [("us", area, inside, f"{inside}.{k}") for k in range(count)]
    sizes = (2, source.choice([2, 3]) if large else 2)
    kinds = [((0, 0), (0,) * sizes[1]), ((0, 1), (0,) * sizes[1]), ((0, 0), tuple(range(sizes[1])))]
    kinds += [((0, 1), tuple(range(sizes[1])))]
    if sizes[1] == 3:
        kinds.append(((0, 0), (0, 1, 1)))
    queries = []
    for level in LEVELS:
        for groups in source.sample(kinds, source.choice([1, 2, 3])):
            queries.append(Query(level, groups, Fraction(source.randint(1, 3), 4)))
    return Spine(tuple(blocks), state_of, sizes, tuple(queries))


@dataclass(frozen=True)
class Pair:
    """Two datasets, reduced to what a loss depends on.

    Attributes:
        universe: "D_t" if they agree on the invariants; such pairs are pairs of D, too.
        distance: the places at which they differ.
        kinds: the names of what happened, see ``kinds_of``.
        states: those that a moved record leaves or enters.
        moves: of every query's counts.
    """

    universe: str
    distance: int
    kinds: frozenset[str]
    states: frozenset[str]
    moves: Moves


def pairs(spine: Spine, records: int = 2, furthest: int = 2) -> set[Pair]:
    """All pairs of ordered datasets at distances 1 to ``furthest``, each difference once."""
    everything = list(product(spine.records(), repeat=records))
    invariants = [spine.invariants(dataset) for dataset in everything]
    answers = [np.array(a) for a in zip(*map(spine.answers, everything), strict=True)]
    found = set()
    for i, x in enumerate(everything):
        # both directions of a pair move the same counts, and the noise is symmetric
        sizes = [np.sort(np.abs(of_query[:i] - of_query[i])).tolist() for of_query in answers]
        for j in range(i):
            moved = [(a, b) for a, b in zip(x, everything[j], strict=True) if a != b]
            if len(moved) > furthest:
                continue
            found.add(
                Pair(
                    "D_t" if invariants[i] == invariants[j] else "D",
                    len(moved),
                    frozenset(kinds_of(spine, moved)),
                    frozenset(spine.state(record) for two in moved for record in two),
                    tuple(tuple(filter(None, of_query[j])) for of_query in sizes),
                )
            )
    return found


def kinds_of(spine: Spine, moved: Sequence[tuple[Record, Record]]) -> Iterator[str]:
    """What happened between two datasets.

    Yields:
        attribute:NAME: one attribute of one person changes, nothing else.
        geography:LEVEL: one person's block changes inside one area of LEVEL, nothing else.
        within_state, across_states: one person's block changes, nothing else.
        exchange: two persons exchange their blocks and keep their attributes.
        compensated: one moves from a state to another, a second one back; attributes are free.
        compensated_kept: the same, and both keep their attributes.
        identical: two equal records become one other record.
    """
    if len(moved) == 1:
        ((b, *attributes), (c, *others)) = moved[0]
        changed = [n for n, u, v in zip(ATTRIBUTES, attributes, others, strict=True) if u != v]
        if b == c and len(changed) == 1:
            yield f"attribute:{changed[0]}"
        if b != c and not changed:
            for at, level in enumerate(LEVELS):
                if b[at] == c[at]:
                    yield f"geography:{level}"
            yield "within_state" if _same_state(spine, moved[0]) else "across_states"
    if len(moved) == 2:
        (r, s), (u, v) = moved
        if r[0] == v[0] != s[0] == u[0] and r[1:] == s[1:] and u[1:] == v[1:]:
            yield "exchange"
        crossed = not _same_state(spine, moved[0])
        if crossed and spine.state(r) == spine.state(v) and spine.state(s) == spine.state(u):
            yield "compensated"
            if r[1:] == s[1:] and u[1:] == v[1:]:
                yield "compensated_kept"
        if r == u and s == v:
            yield "identical"


def _same_state(spine: Spine, move: tuple[Record, Record]) -> bool:
    return spine.state(move[0]) == spine.state(move[1])


def chosen(
    found: Iterable[Pair],
    universe: str,
    *,
    kind: str | None = None,
    furthest: int = 2,
    states: set[str] | None = None,
) -> set[Moves]:
    """The moves of the pairs of a universe, of one kind, up to a distance, inside some states."""
    return {
        pair.moves
        for pair in found
        if (universe == "D" or pair.universe == "D_t")
        and (kind is None or kind in pair.kinds)
        and pair.distance <= furthest
        and (states is None or pair.states <= states)
    }


def rho_of(spine: Spine, moves: Moves) -> Fraction:
    """The sum of squares over 2 sigma^2: what is tight for discrete Gaussians, by composition."""
    return sum(
        (
            Fraction(sum(k * k for k in ks)) * query.weight / 2
            for query, ks in zip(spine.queries, moves, strict=True)
        ),
        Fraction(0),
    )


def worst_rho(spine: Spine, all_moves: Iterable[Moves]) -> Fraction:
    """The largest rho of some moves; 0 without any."""
    return max((rho_of(spine, moves) for moves in all_moves), default=Fraction(0))


@dataclass(frozen=True)
class Law:
    """The loss of some moves: masses of the multiples of a unit, and what was lost.

    Attributes:
        masses: whole numbers over 2^BITS, each at most the true mass of ``first + i`` units.
        lost: an upper bound on all mass that is missing, over 2^BITS.
    """

    unit: Fraction
    first: int
    masses: list[int]
    lost: int

    @cached_property
    def _tails(self) -> tuple[list[int], list[Any]]:
        """At each place the mass of the losses from there on, and that mass times exp(-loss)."""
        with mp.workdps(DIGITS):
            step = mp.exp(-mp.mpf(self.unit.numerator) / self.unit.denominator)
            factor = step ** (self.first + len(self.masses) - 1)
            masses, damped = [0], [mp.mpf(0)]
            for mass in reversed(self.masses):
                masses.append(masses[-1] + mass)
                damped.append(damped[-1] + mass * factor)
                factor /= step
        return masses[::-1], damped[::-1]

    def delta(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """A lower and an upper bound of delta(epsilon), for an epsilon from 0 on."""
        start = min(max(0, floor(epsilon / self.unit) + 1 - self.first), len(self.masses))
        masses, damped = self._tails
        with mp.workdps(DIGITS):
            growth = mp.exp(mp.mpf(epsilon.numerator) / epsilon.denominator)
            total = (masses[start] - growth * damped[start]) / mp.mpf(2) ** BITS
            found = Fraction(*map(int, mpmath.libmp.to_rational(total._mpf_)))
        # 50 digits of sums of numbers below 1 are right to far more than this
        slack = Fraction(1, 2**100)
        return max(Fraction(0), found - slack), found + Fraction(self.lost, 2**BITS) + slack

    def epsilon(
        self, delta: Fraction, width: Fraction = Fraction(1, 10**10)
    ) -> tuple[Fraction, Fraction]:
        """A bracket of the least epsilon with delta(epsilon) <= delta."""
        low, high = Fraction(0), self.unit * (self.first + len(self.masses))
        if self.delta(low)[1] <= delta:
            return low, low
        while high - low > width:
            middle = Fraction(round((low + high) / 2 * 2**60), 2**60)
            below, above = self.delta(middle)
            if above <= delta:
                high = middle
            elif below > delta:
                low = middle
            else:
                break
        return low, high


def law_of(spine: Spine, moves: Moves) -> Law:
    """The law of the loss of some moves, convolved as whole numbers."""
    unit = Fraction(1, 2 * lcm(*(query.weight.denominator for query in spine.queries)))
    found = Law(unit, 0, [1 << BITS], 0)
    for query, ks in zip(spine.queries, moves, strict=True):
        for k in ks:
            found = _convolved(found, _one(query.weight, k, unit))
    return found


@cache
def _one(weight: Fraction, k: int, unit: Fraction) -> Law:
    """The loss of one count that moved by k."""
    with mp.workdps(DIGITS):
        w = mp.mpf(weight.numerator) / weight.denominator
        reach = int(mp.ceil(mp.sqrt(2 * BITS * mp.log(2) / w))) + 1
        bell = {y: mp.exp(-w * y * y / 2) for y in range(-reach, reach + 1)}
        whole = mp.jtheta(3, 0, mp.exp(-w / 2))
        masses = {
            y: int(mp.floor(mass / whole * 2**BITS * (1 - mp.mpf(10) ** -40)))
            for y, mass in bell.items()
        }
    units = {y: k * (2 * y + k) * weight / 2 / unit for y in masses}
    if any(number.denominator != 1 for number in units.values()):
        raise AssertionError("losses off the lattice")
    first = min(int(number) for number in units.values())
    found = [0] * (max(int(number) for number in units.values()) - first + 1)
    for y, mass in masses.items():
        found[int(units[y]) - first] += mass
    return Law(unit, first, found, (1 << BITS) - sum(found))


def _convolved(one: Law, other: Law) -> Law:
    """The law of a sum: one product of whole numbers, every mass in a slot of its own."""
    slot = 2 * BITS + 32
    count = len(one.masses) + len(other.masses) - 1
    packed = _packed(one.masses, slot) * _packed(other.masses, slot)
    content = packed.to_bytes(count * slot // 8, "little")
    size = slot // 8
    masses = [
        int.from_bytes(content[at * size : (at + 1) * size], "little") >> BITS
        for at in range(count)
    ]
    return Law(one.unit, one.first + other.first, masses, (1 << BITS) - sum(masses))


def _packed(masses: Sequence[int], slot: int) -> int:
    return int.from_bytes(b"".join(mass.to_bytes(slot // 8, "little") for mass in masses), "little")


def worst_epsilon(
    spine: Spine, all_moves: Iterable[Moves], delta: Fraction
) -> tuple[Fraction, Fraction]:
    """A bracket of the largest epsilon at delta of some moves; 0 without any."""
    found = [law_of(spine, moves).epsilon(delta) for moves in all_moves]
    return max((low for low, _ in found), default=Fraction(0)), max(
        (high for _, high in found), default=Fraction(0)
    )


def report(
    spine: Spine, delta: Fraction
) -> dict[tuple[str, str, str], tuple[Fraction, tuple[Fraction, Fraction]]]:
    """Rho and epsilon of the worst pair, by universe, kind, and states that may be touched."""
    everything = pairs(spine)
    kinds = sorted({kind for pair in everything for kind in pair.kinds})
    found = {}
    for universe in ("D", "D_t"):
        for states in ({"A"}, {"B"}, {"A", "B"}):
            asked: list[tuple[str, set[Moves]]] = [
                (kind, chosen(everything, universe, kind=kind, states=states)) for kind in kinds
            ]
            for distance in (1, 2):
                moves = chosen(everything, universe, furthest=distance, states=states)
                asked.append((f"worst at distance {distance}", moves))
            for kind, moves in asked:
                if moves:
                    key = (universe, kind, "".join(sorted(states)))
                    found[key] = worst_rho(spine, moves), worst_epsilon(spine, moves, delta)
    return found
