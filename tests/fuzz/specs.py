"""Specs as plain data: mostly right, and of every kind that the grammar knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

from hypothesis import strategies as st

NAMES = ("sex", "degree", "region", "a b", "élan", "=1+1", "@who", "::error::x", "no", "0")
WORDS = ("yes", "no", "01", "x y", "ß", "-1", "=cmd", "#n", "north", "65 and over", "\u202eabc")
NUMBERS = st.sampled_from(
    ["0", "1", "2", "3", "0.5", "1/3", "1e-6", "10", "2.56", "0.1", "1e-12", "25", "1e3"]
)
RATES = st.sampled_from(["0.1", "0.5", "1", "1e-3", "0.01"])
DELTAS = st.sampled_from(["1e-6", "1e-10", "0.5", "1e-300", "0.05", "1/3"])


@dataclass
class Space:
    """Attributes with their levels, the number of records, and a table that is so large.

    Attributes:
        counts: one for every cell, row-major.
    """

    levels: dict[str, list[Any]]
    counts: list[int]
    explicit: bool = False
    impossible: list[dict[str, Any]] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(self.counts)

    def cells(self) -> list[tuple[Any, ...]]:
        """The levels of every cell, row-major."""
        found: list[tuple[Any, ...]] = [()]
        for levels in self.levels.values():
            found = [(*cell, level) for cell in found for level in levels]
        return found


@st.composite
def spaces(draw: st.DrawFn, largest: int = 12) -> Space:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    levels: dict[str, list[Any]] = {}
    for name in names:
        if draw(st.booleans()):
            levels[name] = list(range(draw(st.integers(1, 3))))
        else:
            words = st.lists(st.sampled_from(WORDS[:-1]), min_size=1, max_size=3, unique=True)
            levels[name] = draw(words)
    cells = prod(len(values) for values in levels.values())
    counts = st.integers(0, draw(st.sampled_from([1, 3, largest, 10**6])))
    return Space(levels, draw(st.lists(counts, min_size=cells, max_size=cells)))


@st.composite
def invariants(draw: st.DrawFn, space: Space) -> list[Any]:
    names = list(space.levels)
    kinds = st.sampled_from(
        ["total", "margin", "margin", "margin", "count", "keys", "bound", "row"]
    )
    found: list[Any] = []
    for kind in draw(st.lists(kinds, max_size=3)):
        some = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        where = {name: draw(st.sampled_from(space.levels[name])) for name in some}
        match kind:
            case "total":
                found.append("total")
            case "margin" | "keys":
                found.append({kind: some})
            case "count":
                found.append({"count": {"where": where}})
            case "bound":
                found.append({"bound": {"where": where, "at_least": 0}})
            case _:
                row = st.integers(-2, 3)
                size = len(space.counts)
                found.append({"linear": [draw(st.lists(row, min_size=size, max_size=size))]})
    return found


@st.composite
def mechanisms(draw: st.DrawFn, space: Space, depth: int = 2) -> dict[str, Any]:
    number = draw(NUMBERS)
    shifts = {"shifts": draw(st.lists(st.integers(-3, 3), min_size=1, max_size=3))}
    queries: list[dict[str, Any]] = [
        {"query": "table"},
        {
            "query": {
                "margins": [
                    draw(st.lists(st.sampled_from(list(space.levels)), min_size=1, unique=True))
                ]
            }
        },
        {"query": {"matrix": [[1, *[0] * (len(space.counts) - 1)]]}},
        shifts,
    ]
    answered = draw(st.sampled_from(queries))
    size = "0.5" if number == "0" else number
    known: list[dict[str, Any]] = [
        {"pure_dp": {"epsilon": number}},
        {"approx_dp": {"epsilon": number, "delta": draw(DELTAS)}},
        {"zcdp": {"rho": number}},
        {"gdp": {"mu": number if number != "1e3" else "3"}},
        {"tradeoff": {"points": [[0, 1], ["0.2", "0.3"], [1, 0]]}},
        {"gaussian": {"sigma": size if size != "1e-12" else "1", **answered}},
        {"discrete_gaussian": {"sigma_squared": size, **answered}},
        {"laplace": {"scale": size if size != "1e-12" else "1", **answered}},
        {"discrete_laplace": {"scale": size if size != "1e-12" else "1", **answered}},
        {"k_norm": {"epsilon": size, "norm": draw(st.sampled_from(["hull", "l1", "l2", "linf"])),
                    **draw(st.sampled_from(queries[:3]))}},
        {"randomized_response": {"epsilon": number, "levels": draw(st.integers(2, 5))}},
        {"subsampled_gaussian": {"noise_multiplier": "1.5", "sampling_rate": draw(RATES),
                                 "steps": draw(st.sampled_from([1, 10, 1000]))}},
        {"shuffled": {"epsilon0": "1", "reports": max(space.size, 1)}},
    ]  # fmt: skip
    kind = draw(st.integers(0, len(known) if depth else len(known) - 1))
    if kind == len(known):
        parts = draw(st.lists(mechanisms(space, depth - 1), min_size=1, max_size=3))
        found: dict[str, Any] = {"compose": parts}
    else:
        found = known[kind]
    if draw(st.integers(0, 3)) == 0:
        found = {**found, "repeat": draw(st.sampled_from([1, 2, 7, 1000]))}
    return found


@st.composite
def budgets(draw: st.DrawFn) -> list[dict[str, Any]]:
    names = ["nominal_dp", "group_privacy", "semi_dp", "subspace_dp"]
    limits: list[dict[str, Any]] = [
        {"epsilon": draw(NUMBERS), "delta": draw(DELTAS)},
        {"epsilon": draw(NUMBERS)},
        {"rho": draw(NUMBERS)},
        {"mu": draw(NUMBERS)},
        {"advantage": "0.5"},
        {"tpr": "0.9", "fpr": "0.05"},
    ]
    one = st.builds(lambda name, limit: {"framework": name, **limit}, st.sampled_from(names),
                    st.sampled_from(limits))  # fmt: skip
    return draw(st.lists(one, max_size=2))


def nested(levels: list[list[Any]], counts: list[int]) -> Any:
    """Row-major counts as nested lists."""
    if not levels:
        return counts[0]
    step = len(counts) // len(levels[0])
    return [nested(levels[1:], counts[k * step : (k + 1) * step]) for k in range(len(levels[0]))]


@st.composite
def explicit_specs(draw: st.DrawFn) -> dict[str, Any]:
    choices: list[list[Any]] = [[0, 1], [0, 1, 2], ["a", "b"]]
    values = draw(st.sampled_from(choices))
    size = draw(st.integers(1, 4))
    where = {"value": draw(st.sampled_from(values))}
    items: list[Any] = ["total", {"margin": ["value"]}, {"count": {"where": where}}]
    if 0 in values:
        items.append({"statistic": {"name": "max", "of": "value"}})
    dataset = st.lists(st.sampled_from(values), min_size=size, max_size=size)
    found = {
        "semiaudit": 1,
        "dataspace": {"product": {"size": size, "values": values}},
        "invariants": draw(st.lists(st.sampled_from(items), max_size=2)),
        "mechanism": draw(mechanisms(Space({"value": values}, [size] * len(values))).filter(
            lambda mechanism: "query" not in str(mechanism))),
    }  # fmt: skip
    if draw(st.booleans()):
        found["data"] = {"dataset": draw(dataset)}
    return {key: value for key, value in found.items() if value != []}


@st.composite
def table_specs(draw: st.DrawFn, space: Space, data: dict[str, Any] | None) -> dict[str, Any]:
    """A spec of a table.

    Args:
        data: its section; None draws one that the spec itself holds, or none.
    """
    published = draw(invariants(space))
    dataspace: dict[str, Any] = {"attributes": space.levels}
    metrics = ["hamming", "hamming", "multiset_hamming", "symmetric_difference"]
    metric = draw(st.sampled_from(metrics))
    if metric != "symmetric_difference" and (not published or draw(st.booleans())):
        dataspace["size"] = max(space.size, 1)
    elif metric != "symmetric_difference":
        published = ["total", *published]
    if data is None and draw(st.integers(0, 3)) and space.size:
        data = {"counts": nested(list(space.levels.values()), space.counts)}
    found = {
        "semiaudit": 1,
        "title": draw(st.sampled_from(["", "A table", "::set-output::x", "=1+1 @team <b>"])),
        "dataspace": dataspace,
        "invariants": published,
        "data": data,
        "adjacency": {
            "metric": metric,
            "reading": draw(st.sampled_from(["covering", "covering", "definition_13"])),
        },
        "mechanism": draw(mechanisms(space)),
        "report": {"deltas": draw(st.lists(DELTAS, min_size=1, max_size=2, unique=True))},
        "budgets": draw(budgets()),
    }
    return {key: value for key, value in found.items() if value not in ([], None, "")}
