"""Specs of the kind ``topdown`` that are made up at random, with the same as plain data."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tests.auditing.spine_text import absolute, spec_text
from tests.oracles.spine_pairs import (
    Invariant,
    Level,
    Query,
    Toy,
    cells,
    country,
    geographies,
    holds,
)


@dataclass(frozen=True)
class Spec:
    """A spec and what it says.

    Attributes:
        text: as a user writes it.
        toy: what it says.
    """

    text: str
    toy: Toy


def _some(draw: random.Random, items: Sequence[str], most: int | None = None) -> list[str]:
    taken = draw.sample(items, draw.randint(1, min(len(items), most or len(items))))
    return [item for item in items if item in taken]


class _Drawing:
    """One toy while it is drawn."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.attributes: dict[str, tuple[str, ...]] = {}
        self.within: dict[str, tuple[str, dict[str, str]]] = {}
        self.recodes: dict[str, tuple[tuple[str, ...], list[dict[str, frozenset[str]]]]] = {}
        self.lines: list[str] = []

    def chance(self, probability: float) -> bool:
        return self.draw.random() < probability

    def child(self, name: str, parent: str, most: int) -> None:
        up = {}
        for level in self.attributes[parent]:
            for at in range(self.draw.randint(1, most)):
                up[f"{level}{name[0]}{at}"] = level
        self.attributes[name] = tuple(up)
        self.within[name] = (parent, up)

    def draw_attributes(self) -> tuple[list[str], list[str]]:
        draw = self.draw
        self.attributes["state"] = ("s", "t", "u")[: draw.choice((2, 2, 2, 2, 2, 1, 3))]
        places = ["state"]
        if self.chance(0.7):
            self.child("county", "state", 2)
            places.append("county")
            if self.chance(0.25):
                self.child("block", "county", 2)
                places.append("block")
        others: list[str] = []
        for name in "abc"[: draw.choice((1, 2, 2, 3))]:
            if name == "b" and self.chance(0.25):
                self.child("b", "a", 2)
            else:
                many = draw.choice((2, 2, 3)) if not others else 2
                self.attributes[name] = tuple(f"{name}{at}" for at in range(many))
            others.append(name)
        if self.chance(0.3):  # Another order, which nothing may depend on.
            order = list(self.attributes)
            draw.shuffle(order)
            if all(order.index(up) < order.index(of) for of, (up, _) in self.within.items()):
                self.attributes = {name: self.attributes[name] for name in order}
        return places, others

    def draw_condition(self, names: Sequence[str], most: int) -> dict[str, frozenset[str]]:
        found = {}
        for name in _some(self.draw, names, most):
            levels = self.attributes[name]
            if len(levels) > 1:
                found[name] = frozenset(_some(self.draw, levels, len(levels) - 1))
        return found

    def draw_spine(self, places: list[str]) -> list[Level]:
        draw = self.draw
        spine = []
        if self.chance(0.7):
            spine.append(Level("Country"))
            if self.chance(0.1):
                spine.append(Level("Region"))
        for name in places:
            split: frozenset[str] = frozenset()
            if self.chance(0.35):
                levels = self.attributes[name]
                split = frozenset(levels if self.chance(0.3) else _some(draw, levels))
            spine.append(Level(name.title(), name, split))
            if self.chance(0.12):
                spine.append(Level(f"Part_of_{name}"))
        if len(spine) == 1 or self.chance(0.25):
            spine.append(Level("Lot"))
        return spine

    def draw_recodes(self, others: list[str]) -> list[str]:
        draw = self.draw
        for name in others:
            levels = self.attributes[name]
            if len(levels) > 2 and self.chance(0.6):
                taken = _some(draw, levels, len(levels) - 1)
                groups = [{name: frozenset(taken)}]
                left = [level for level in levels if level not in taken]
                if len(left) > 1 and self.chance(0.3):
                    groups.append({name: frozenset(left[:1])})
                self.recodes[f"few {name}"] = ((name,), groups)
        if len(others) > 1 and self.chance(0.25):
            names = tuple(draw.sample(others, 2))
            condition = self.draw_condition(names, 2)
            if condition:
                self.recodes["both"] = (names, [condition])
        return list(self.recodes)

    def draw_queries(self, others: list[str]) -> dict[str, Query]:
        draw = self.draw
        tellable = others + self.draw_recodes(others)
        queries: dict[str, Query] = {}
        for at in range(draw.choice((1, 2, 2, 3))):
            tells: list[str] = [] if self.chance(0.3) else _some(draw, tellable, 3)
            where = None
            if self.chance(0.2):
                where = self.draw_condition(others, 2)
            histogram = "second" if self.chance(0.12) else "main"
            queries[f"q{at}"] = Query(tuple(tells), histogram, where or None)
        used = {name for query in queries.values() for name in query.tells}
        self.recodes = {name: one for name, one in self.recodes.items() if name in used}
        return queries

    def draw_weights(
        self, spine: list[Level], queries: dict[str, Query]
    ) -> tuple[dict[tuple[str, str], Fraction], list[str]]:
        """rho of levels and queries, and the section of the spec that says so."""
        draw = self.draw
        if self.chance(0.6):
            asked = [(level.name, name) for level in spine for name in queries]
            taken = [one for one in asked if self.chance(0.6)] or [draw.choice(asked)]
            for name in queries:  # Each query is asked somewhere.
                if not any(query == name for _, query in taken):
                    taken.append((draw.choice(spine).name, name))
            weights = {one: Fraction(draw.randint(1, 12), 20) for one in taken}
            lines = absolute(weights)
            if self.chance(0.5):
                lines.append(f"    rho: {sum(weights.values())}")
            return weights, lines
        levels = [level.name for level in spine if self.chance(0.8)] or [spine[-1].name]
        shares = self._shares(len(levels))
        each = {level: self._shares(len(queries)) for level in levels}
        if self.chance(0.4):
            scale = Fraction(draw.randint(5, 15), 10)
            total, last = 1 / scale**2, f"    global_scale: {scale}"
        else:
            total = Fraction(draw.randint(4, 20), 10)
            last = f"    rho: {total}"
        weights = {}
        lines = ["    allocation:", "      - [level, query, level_share, query_share]"]
        for level, share in zip(levels, shares, strict=True):
            for name, part in zip(queries, each[level], strict=True):
                weights[level, name] = total * share * part
                lines.append(f"      - [{level}, {name}, {share}, {part}]")
        return weights, [*lines, last]

    def _shares(self, many: int) -> list[Fraction]:
        parts = [self.draw.randint(1, 4) for _ in range(many)]
        return [Fraction(part, sum(parts)) for part in parts]

    def draw_invariants(self, places: list[str]) -> list[Invariant]:
        draw = self.draw
        found: list[Invariant] = []
        if self.chance(0.75):
            found.append(Invariant("margin", (draw.choice((places[0], places[0], places[-1])),)))
        names = list(self.attributes)
        for _ in range(draw.choice((0, 0, 1, 1, 2))):
            found.append(Invariant("margin", tuple(_some(draw, draw.sample(names, len(names)), 2))))
        if self.chance(0.1):
            found.append(Invariant("total"))
        for kind, probability in (("count", 0.08), ("at_least", 0.05), ("keys", 0.05)):
            if not self.chance(probability):
                continue
            if kind == "keys":
                found.append(Invariant(kind, tuple(_some(draw, names, 2))))
            elif condition := self.draw_condition(names, 2):
                found.append(Invariant(kind, (), condition, 1))
        return found


def _without_a_level(toy: Toy, draw: random.Random) -> Toy:
    """The same, but that one attribute of the places has no level in the spine."""
    named = [level for level in toy.spine if level.attribute is not None][:-1]
    if not named:
        return toy
    gone = draw.choice(named)
    weights = {key: rho for key, rho in toy.weights.items() if key[0] != gone.name}
    queries = {name: one for name, one in toy.queries.items() if any(name in k for k in weights)}
    used = {name for query in queries.values() for name in query.tells}
    return replace(
        toy,
        spine=[level for level in toy.spine if level != gone],
        weights=weights,
        queries=queries,
        recodes={name: one for name, one in toy.recodes.items() if name in used},
    )


def random_spec(seed: int, most_cells: int = 16) -> Spec:
    """A spec of a country of a few places, a few attributes and one to four records."""
    draw = random.Random(seed)
    while True:
        drawing = _Drawing(draw)
        places, others = drawing.draw_attributes()
        impossible = [
            drawing.draw_condition(list(drawing.attributes) if drawing.chance(0.4) else others, 2)
            for _ in range(draw.choice((0, 0, 0, 1, 1, 2, 3)))
        ]
        impossible = [zero for zero in impossible if zero]
        spine = drawing.draw_spine(places)
        queries = drawing.draw_queries(others)
        weights, allocation = drawing.draw_weights(spine, queries)
        times = 2 if drawing.chance(0.05) else 1
        toy = Toy(
            drawing.attributes,
            drawing.within,
            impossible,
            spine,
            drawing.recodes,
            queries,
            weights,
            drawing.draw_invariants(places),
            draw.choice((1, 2, 2, 3, 3, 4)),
            times=times,
        )
        if drawing.chance(0.1):
            toy = _without_a_level(toy, draw)
            queries = dict(toy.queries)
            allocation = absolute(toy.weights)
        possible = cells(toy)
        if not toy.weights or not 2 <= len(possible) <= most_cells:
            continue
        told = {name for query in queries.values() for name in query.tells} - set(toy.recodes)
        constant = {name for name in told if len({cell[name] for cell in possible}) < 2}
        idle = any(
            level == toy.spine[0].name
            and toy.spine[0].attribute is None
            and not queries[name].tells
            for level, name in toy.weights
        )
        if (constant or idle) and drawing.chance(0.97):  # These are refused.
            continue
        ways = geographies(toy, 1, draw)
        if drawing.chance(0.9) and not ways:
            continue
        if ways and len(country(toy, ways[0]).records) > 24:
            continue
        if drawing.chance(0.2):
            given = [draw.choice(possible) for _ in range(toy.size)]
            bounds = [one for one in toy.invariants if one.kind == "at_least"]
            if any(not any(holds(one.where, cell) for cell in given) for one in bounds):
                continue
            toy = replace(toy, given=given)
        metric = draw.choice(("hamming", "hamming", "multiset_hamming"))
        return Spec(spec_text(toy, allocation, metric, times), toy)
