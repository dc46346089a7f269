"""Random whole specs as text, each with what an enumeration needs to know of it.

Nothing here imports the program. ``drawn`` is a function of the number of the case alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, exp, inf
from typing import Any

from tests.oracles.releases import Explicit, Part, Release, universes
from tests.oracles.semi_adjacency import is_adjacency_metric
from tests.oracles.tables import HAMMING, MULTISET, SYMMETRIC, Instance, Row, Table, cells, dot

SHAPES = (
    (2,),
    (3,),
    (4,),
    (2, 2),
    (2, 3),
    (3, 2),
    (3, 3),
    (2, 4),
    (2, 2, 2),
    (2, 2, 2),
    (2, 2, 3),
    (3, 2, 2),
)
NAMES = "abc"
MOST_TABLES, MOST_IN_UNIVERSE, MOST_WITHOUT_DATA = 1_500, 120, 130
DELTAS, TYPE_I = ("0.05", "1e-3", "1e-6"), "0.05"


@dataclass(frozen=True)
class Drawn:
    """A spec.

    Attributes:
        family: of the mechanism, for the figures.
        about: kinds of what else it has, for the figures.
        text: of the spec.
        release: for the oracle.
        delta: at which epsilon is reported.
    """

    family: str
    about: tuple[str, ...]
    text: str
    release: Release | Explicit
    delta: str


Made = tuple[str, tuple[str, ...], dict[str, Any], Release | Explicit]


def drawn(number: int) -> Drawn:
    chance = random.Random(f"whole audits {number}")
    delta = chance.choice(DELTAS)
    make = _of_datasets if chance.random() < 0.08 else _of_table
    family, about, sections, release = make(chance)
    sections["report"] = {"deltas": [delta], "alphas": [TYPE_I]}
    return Drawn(family, about, _text(sections), release, delta)


def flow(value: Any) -> str:
    """A value in YAML's flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) and value.isdigit() else str(value)


def _text(sections: dict[str, Any]) -> str:
    lines = ["semiaudit: 1"]
    for key, value in sections.items():
        if isinstance(value, list) and value:
            lines += [f"{key}:", *(f"  - {flow(one)}" for one in value)]
        elif value not in ({}, []):
            lines.append(f"{key}: {flow(value)}")
    return "\n".join(lines) + "\n"


# --- tables ---------------------------------------------------------------------------


@dataclass
class _Draft:
    """A table's invariants, as they are drawn."""

    shape: tuple[int, ...]
    size: int | None
    impossible: frozenset[int]
    rows: list[Row]
    keys: list[tuple[int, ...]]
    bounds: list[tuple[Row, int, int | None]]
    items: list[Any]
    space: dict[str, Any]

    def instance(self, largest: int = 0) -> Instance:
        rows, keys = tuple(self.rows), tuple(self.keys)
        return Instance(
            self.shape, self.size, self.impossible, rows, keys, tuple(self.bounds), largest
        )


def _of_table(chance: random.Random) -> Made:
    while True:
        metric = chance.choices((HAMMING, MULTISET, SYMMETRIC), (6, 2, 2))[0]
        draft = _space(chance)
        table = _table(chance, draft)
        total = sum(table)
        possible = len(table) - len(draft.impossible)
        if comb(possible + total - 1, total) > MOST_TABLES:
            continue
        draft.size = total
        _invariants(chance, draft, table, metric)
        given = chance.random() < 0.8 or metric == SYMMETRIC
        tables = universes(draft.instance(), table if given else None)
        listed = sum(map(len, tables))
        if given and not (chance.random() < 0.1 or 2 <= listed <= MOST_IN_UNIVERSE):
            continue
        if listed <= (MOST_IN_UNIVERSE if given else MOST_WITHOUT_DATA):
            break
    if not given:
        draft.space["size"] = total  # else t may have any size
    return _told(chance, draft, table if given else None, metric)


def _space(chance: random.Random) -> _Draft:
    """A shape with structural zeros, single ones or those of a nested attribute."""
    shape = chance.choice(SHAPES)
    attributes: dict[str, Any] = {NAMES[place]: size for place, size in enumerate(shape)}
    all_cells = cells(shape)
    zeros: frozenset[int] = frozenset()
    space: dict[str, Any] = {"attributes": attributes}
    draw = chance.random()
    if draw < 0.12 and len(shape) > 1 and shape[1] >= shape[0]:
        names = [f"b{level}" for level in range(shape[1])]
        parents = [level * shape[0] // shape[1] for level in range(shape[1])]
        inside = {
            f"a{a}": [name for name, parent in zip(names, parents, strict=True) if parent == a]
            for a in range(shape[0])
        }
        attributes["a"] = list(inside)
        attributes["b"] = {"within": "a", "levels": inside}
        zeros = frozenset(p for p, c in enumerate(all_cells) if parents[c[1]] != c[0])
    elif draw < 0.25 and len(all_cells) > 2:
        zeros = frozenset(chance.sample(range(len(all_cells)), min(2, len(all_cells) - 2)))
        space["impossible"] = [
            {NAMES[a]: level for a, level in enumerate(all_cells[place])} for place in sorted(zeros)
        ]
    return _Draft(shape, None, zeros, [], [], [], [], space)


def _table(chance: random.Random, draft: _Draft) -> Table:
    count = len(cells(draft.shape))
    possible = [cell for cell in range(count) if cell not in draft.impossible]
    records = chance.choices(possible, k=chance.randint(2, 6))
    return tuple(records.count(cell) for cell in range(count))


def _invariants(chance: random.Random, draft: _Draft, table: Table, metric: str) -> None:
    """Up to four invariants, and the size, in one of the ways in which a spec can give it."""
    one = (1,) * len(table)
    if metric == SYMMETRIC:
        draft.items.append("total")
        draft.rows.append(one)
    elif chance.random() < 0.5:
        draft.items.append("total")
    else:
        draft.space["size"] = sum(table)
    draw, attributes = chance.random(), range(len(draft.shape))
    if draw < 0.45 and len(attributes) > 1:
        # Margins of the same number of attributes, all of them: a(t) of 3 and more.
        ways = 1 if draw < 0.35 else len(attributes) - 1
        for chosen in combinations(attributes, ways):
            _add_margin(chance, draft, chosen)
    kinds = ("margin", "margin", "margin", "count", "count", "keys", "bound", "linear")
    for kind in chance.choices(kinds, k=chance.choice((0, 0, 1, 1, 2, 3))):
        _add(chance, draft, table, kind)


def _add(chance: random.Random, draft: _Draft, table: Table, kind: str) -> None:
    shape, levels = draft.shape, cells(draft.shape)
    chosen = sorted(chance.sample(range(len(shape)), chance.randint(1, len(shape))))
    names = [NAMES[a] for a in chosen]
    if kind == "margin":
        _add_margin(chance, draft, chosen)
    elif kind == "keys":
        draft.keys.append(tuple(chosen))
        draft.items.append({"keys": names})
    elif kind == "linear":
        row = tuple(chance.choices((-1, 0, 1, 2), k=len(table)))
        draft.rows.append(row)
        draft.items.append({"linear": [list(row)]})
    else:
        where = {a: sorted(chance.sample(range(shape[a]), chance.randint(1, shape[a] - 1)))
                 for a in chosen}  # fmt: skip
        row = tuple(int(all(cell[a] in own for a, own in where.items())) for cell in levels)
        told = {NAMES[a]: [_level(draft, a, level) for level in own] for a, own in where.items()}
        if kind == "count":
            draft.rows.append(row)
            draft.items.append({"count": {"where": told}})
            return
        held = dot(row, table)
        least, most = max(0, held - chance.randint(0, 2)), held + chance.randint(0, 2)
        draft.bounds.append((row, least, most))
        draft.items.append({"bound": {"where": told, "at_least": least, "at_most": most}})


def _add_margin(chance: random.Random, draft: _Draft, chosen: Sequence[int]) -> None:
    draft.rows += [
        tuple(int(tuple(cell[a] for a in chosen) == those) for cell in cells(draft.shape))
        for those in product(*(range(draft.shape[a]) for a in chosen))
    ]
    names = [NAMES[a] for a in chosen]
    draft.items.append({"margin": chance.sample(names, len(names))})


def _level(draft: _Draft, attribute: int, level: int) -> str:
    levels = draft.space["attributes"][NAMES[attribute]]
    return str(level) if isinstance(levels, int) else f"{NAMES[attribute]}{level}"


def _told(chance: random.Random, draft: _Draft, table: Table | None, metric: str) -> Made:
    if chance.random() < 0.3 and len(draft.items) > 1:
        chance.shuffle(draft.items)
    definition_13 = chance.random() < 0.25
    size = draft.size or 0
    distance = chance.randint(1, size) if chance.random() < 0.1 and size else None
    family, mechanisms, parts = _mechanism(chance, draft, metric, distance)
    adjacency: dict[str, Any] = {"metric": metric}
    if definition_13:
        adjacency["reading"] = "definition_13"
    if distance is not None:
        adjacency["distance"] = distance
    sections: dict[str, Any] = {"dataspace": draft.space}
    several = len(mechanisms) > 1 and chance.random() < 0.5
    if several:
        cut = chance.randint(0, len(draft.items))
        shares = [draft.items[:cut], draft.items[cut:], *([] for _ in mechanisms[2:])]
        sections["releases"] = [
            {"invariants": share, "mechanism": one} if share else {"mechanism": one}
            for share, one in zip(shares, mechanisms, strict=True)
        ]
    else:
        sections["invariants"] = draft.items
        whole = {"compose": mechanisms} if len(mechanisms) > 1 else mechanisms[0]
        sections["mechanism"] = whole
    if table is not None:
        sections["data"] = {"counts": _nested(table, draft.shape)}
    sections["adjacency"] = adjacency
    about = [metric, "definition_13" if definition_13 else "covering"]
    about += ["given" if table is not None else "without data"]
    about += ["zeros"] * bool(draft.impossible) + ["releases"] * several
    about += sorted({item if isinstance(item, str) else next(iter(item)) for item in draft.items})
    instance = draft.instance(size)
    total = "total" in draft.items
    release = Release(instance, table, metric, definition_13, distance, tuple(parts), total)
    return family, tuple(about), sections, release


def _nested(table: Sequence[Any], shape: Sequence[int]) -> list[Any]:
    if len(shape) == 1:
        return list(table)
    step = len(table) // shape[0]
    return [_nested(table[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]


# --- mechanisms -----------------------------------------------------------------------

DECLARED = ("pure_dp", "approx_dp", "zcdp", "gdp", "tradeoff")
NOISE = ("gaussian", "discrete_gaussian", "laplace", "discrete_laplace", "finite_noise")
SCALES = ("1/2", "1", "3/2", "2", "3", "0.7")


def _mechanism(
    chance: random.Random, draft: _Draft, metric: str, distance: int | None
) -> tuple[str, list[Any], list[Part]]:
    draw = chance.random()
    if draw < 0.05:
        spec, part = _k_norm(chance, draft)
        return "k_norm", [spec], [part]
    if draw < 0.1 and any("margin" in item for item in draft.items) and metric == HAMMING:
        spec, part = _noise(chance, draft, "gaussian", kept=True)
        return "null_space", [spec], [part]
    if draw < 0.16:
        kinds = chance.sample((*DECLARED, *NOISE[:-1]), 2)
        family = "composed"
    else:
        kinds = [chance.choice((*DECLARED, *NOISE, *NOISE, "randomized_response"))]
        family = kinds[0]
        if family == "randomized_response" and (metric != HAMMING or distance is not None):
            family, kinds = "gdp", ["gdp"]
    made = []
    for kind in kinds:
        if kind in NOISE:
            made.append(_noise(chance, draft, kind))
        elif kind == "randomized_response":
            levels, epsilon = len(cells(draft.shape)), chance.choice(SCALES)
            spec = {kind: {"epsilon": epsilon, "levels": levels}}
            made.append((spec, Part(kind, float(Fraction(epsilon)), levels=levels)))
        else:
            made.append(_declared(chance, kind))
    return family, [spec for spec, _ in made], [part for _, part in made]


def _declared(chance: random.Random, kind: str) -> tuple[Any, Part]:
    scale = chance.choice(SCALES)
    value = float(Fraction(scale))
    if kind == "approx_dp":
        delta = chance.choice(("1e-6", "1e-3", "0.02"))
        return {kind: {"epsilon": scale, "delta": delta}}, Part(
            kind, value, points=_corners(value, float(delta))
        )
    if kind == "tradeoff":
        rising = chance.choice(([("0", "0.9"), ("0.25", "0.3"), ("0.3", "0.25"), ("0.9", "0")],
                                [("0", "1"), ("0.1", "0.5"), ("0.5", "0.1"), ("1", "0")],
                                [("0", "0.98"), ("0.2", "0.2"), ("0.98", "0")]))  # fmt: skip
        points = tuple((float(x), float(y)) for x, y in rising)
        known = {"points": [list(point) for point in rising], "orders": "both"}
        return {kind: known}, Part(kind, 0, points=points)
    name = {"pure_dp": "epsilon", "zcdp": "rho", "gdp": "mu"}[kind]
    return {kind: {name: scale}}, Part(kind, value)


def _corners(epsilon: float, delta: float) -> tuple[tuple[float, float], ...]:
    """Of f_(epsilon, delta)."""
    middle = (1 - delta) / (1 + exp(epsilon))
    return ((0, 1 - delta), (middle, middle), (1 - delta, 0))


def _query(chance: random.Random, draft: _Draft) -> tuple[Any, tuple[Row, ...]]:
    shape, levels = draft.shape, cells(draft.shape)
    draw = chance.random()
    if draw < 0.5:
        one = len(levels)
        return "table", tuple(tuple(int(c == k) for c in range(one)) for k in range(one))
    if draw < 0.8:
        subsets = [s for k in range(1, len(shape) + 1) for s in combinations(range(len(shape)), k)]
        chosen = chance.sample(subsets, min(len(subsets), chance.choice((1, 1, 2))))
        rows = [
            tuple(int(tuple(cell[a] for a in subset) == those) for cell in levels)
            for subset in chosen
            for those in product(*(range(shape[a]) for a in subset))
        ]
        return {"margins": [[NAMES[a] for a in subset] for subset in chosen]}, tuple(rows)
    matrix = [tuple(chance.choices((-1, 0, 1, 1, 2), k=len(levels))) for _ in range(2)]
    return {"matrix": [list(row) for row in matrix]}, tuple(matrix)


def _noise(
    chance: random.Random, draft: _Draft, kind: str, *, kept: bool = False
) -> tuple[Any, Part]:
    query, rows = _query(chance, draft)
    if kept:
        query, rows = "table", _query_of_cells(draft)
    scale = chance.choice(SCALES)
    value = float(Fraction(scale))
    repeat = chance.choice((1, 1, 1, 1, 2)) if not kept else 1
    if kind == "finite_noise":
        law = chance.choice((("1/4", "1/2", "1/4"), ("1/8", "3/8", "3/8", "1/8"), ("2/3", "1/3"),
                             ("1/10", "1/10", "3/10", "3/10", "1/10", "1/10")))  # fmt: skip
        inner = {"values": list(range(len(law))), "probabilities": list(law), "query": query}
        numbers = tuple(float(Fraction(one)) for one in law)
        part = Part(kind, 1, rows, 1, law=numbers)
        return {kind: inner}, part
    name = {"gaussian": "sigma", "discrete_gaussian": "sigma_squared"}.get(kind, "scale")
    spec: dict[str, Any] = {kind: {name: scale, "query": query}}
    if kept:
        spec[kind]["support"] = chance.choice(("null_space", "sensitivity_space"))
    if repeat > 1:
        spec["repeat"] = repeat
    return spec, Part(kind, value, rows, repeat, kept=kept)


def _query_of_cells(draft: _Draft) -> tuple[Row, ...]:
    one = len(cells(draft.shape))
    return tuple(tuple(int(c == k) for c in range(one)) for k in range(one))


def _k_norm(chance: random.Random, draft: _Draft) -> tuple[Any, Part]:
    norm, order = chance.choice((("l1", 1.0), ("l2", 2.0), ("linf", inf)))
    epsilon = chance.choice(SCALES)
    part = Part("k_norm", float(Fraction(epsilon)), _query_of_cells(draft), norm=order)
    return {"k_norm": {"epsilon": epsilon, "norm": norm, "query": "table"}}, part


# --- listed datasets ------------------------------------------------------------------


def _of_datasets(chance: random.Random) -> Made:
    size, values = chance.choice(((2, 2), (3, 2), (2, 3)))
    every = list(product(range(values), repeat=size))
    space: dict[str, Any] = {"product": {"size": size, "values": list(range(values))}}
    if chance.random() < 0.4:
        some = chance.sample(every, chance.randint(2, min(8, len(every))))
        if is_adjacency_metric(some) or chance.random() < 0.5:
            every, space = some, {"datasets": [list(one) for one in some]}
    items, told = _published(chance, every, values)
    outcomes = chance.randint(2, 4)
    weights = [[chance.choice((1, 1, 2, 3, 5)) for _ in range(outcomes)] for _ in every]
    if chance.random() < 0.2:
        weights[0][0] = 0
    rows = [[Fraction(weight, sum(row)) for weight in row] for row in weights]
    repeat = chance.choice((1, 1, 1, 2))
    place = chance.randrange(len(every)) if chance.random() < 0.8 else None
    definition_13 = chance.random() < 0.25
    distance = chance.randint(1, size) if chance.random() < 0.1 else None
    mechanism: dict[str, Any] = {"finite": {"rows": "datasets", "probabilities": rows}}
    if repeat > 1:
        mechanism["repeat"] = repeat
    sections: dict[str, Any] = {"dataspace": space, "invariants": items, "mechanism": mechanism}
    if place is not None:
        sections["data"] = {"dataset": list(every[place])}
    adjacency: dict[str, Any] = {"metric": HAMMING}
    if definition_13:
        adjacency["reading"] = "definition_13"
    if distance is not None:
        adjacency["distance"] = distance
    sections["adjacency"] = adjacency
    about = ["datasets", "definition_13" if definition_13 else "covering"]
    about += ["given" if place is not None else "without data"]
    about += sorted({item if isinstance(item, str) else next(iter(item)) for item in items})
    laws = tuple(tuple(map(float, row)) for row in rows)
    release = Explicit(tuple(every), tuple(told), place, definition_13, distance, laws, repeat)
    return "finite", tuple(about), sections, release


STATISTICS: dict[str, Callable[[tuple[int, ...]], int]] = {
    "min": min,
    "max": max,
    "sum": sum,
    "range": lambda one: max(one) - min(one),
}


def _published(
    chance: random.Random, every: Sequence[tuple[int, ...]], values: int
) -> tuple[list[Any], list[Hashable]]:
    """Invariants of listed datasets, and what they publish of each."""
    items: list[Any] = []
    told: list[tuple[Hashable, ...]] = [() for _ in every]
    for kind in chance.choices(("margin", "count", "keys", "statistic", "partition"),
                               k=chance.choice((0, 1, 1, 1, 2))):  # fmt: skip
        if kind == "margin":
            items.append({"margin": ["value"]})
            found: list[Hashable] = [tuple(sorted(one)) for one in every]
        elif kind == "keys":
            items.append({"keys": ["value"]})
            found = [tuple(sorted(set(one))) for one in every]
        elif kind == "count":
            own = chance.sample(range(values), chance.randint(1, values - 1))
            items.append({"count": {"where": {"value": own}}})
            found = [sum(value in own for value in one) for one in every]
        elif kind == "statistic":
            name = chance.choice(list(STATISTICS))
            items.append({"statistic": {"name": name, "of": "value"}})
            found = [STATISTICS[name](one) for one in every]
        else:
            blocks = [chance.randrange(2) for _ in every]
            if len(set(blocks)) < 2:
                continue
            listed = [
                [list(one) for one, block in zip(every, blocks, strict=True) if block == k]
                for k in range(2)
            ]
            items.append({"partition": listed})
            found = list(blocks)
        told = [(*before, now) for before, now in zip(told, found, strict=True)]
    return items, [repr(one) for one in told]
