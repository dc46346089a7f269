"""Specs as plain data: mostly right, and of every kind that the grammar knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

from hypothesis import strategies as st

NAMES = ("sex", "degree", "region", "a b", "élan", "=1+1", "@who", "::error::x", "no", "0")
WORDS = ("yes", "no", "01", "x y", "ß", "-1", "=cmd", "#n", "north", "65 and over", "\u202eabc")
NUMBERS = st.sampled_from(
    ["1", "0.5", "2", "3", "1/3", "2.56", "0.1", "0", "1e-6", "10", "1e-12", "25", "1e3"]
)
RATES = st.sampled_from(["0.1", "0.5", "1", "1e-3", "0.01"])
DELTAS = st.sampled_from(["1e-6", "1e-10", "0.05", "1/3", "0.5", "1e-300"])
MANY = 1000
"""Repeats and steps that are dear, of which there are few."""


def rarely(draw: st.DrawFn, one_in: int) -> bool:
    """True once in so many draws, and not in the simplest of all."""
    return draw(st.integers(1, one_in)) == one_in


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
def spaces(draw: st.DrawFn, largest: int = 12, most: int = 10**6) -> Space:
    """Small spaces as a rule: of one or two attributes, rarely of three.

    Args:
        largest: of usual counts. most: of rare ones.
    """
    number = 3 if rarely(draw, 12) else draw(st.integers(1, 2))
    some = st.lists(st.sampled_from(NAMES), min_size=number, max_size=number, unique=True)
    levels: dict[str, list[Any]] = {}
    for name in draw(some):
        if draw(st.booleans()):
            levels[name] = list(range(draw(st.integers(1, 3))))
        else:
            words = st.lists(st.sampled_from(WORDS[:-1]), min_size=1, max_size=3, unique=True)
            levels[name] = draw(words)
    cells = prod(len(values) for values in levels.values())
    top = most if rarely(draw, 12) else draw(st.sampled_from([1, 3, largest]))
    counts = draw(st.lists(st.integers(0, top), min_size=cells, max_size=cells))
    if not any(counts) and not rarely(draw, 20):
        counts[0] = 1
    return Space(levels, counts)


INVARIANTS = (*["total", "margin", "count"] * 2, "margin", "margin", "keys", "bound")


@st.composite
def invariants(draw: st.DrawFn, space: Space) -> list[Any]:
    found: list[Any] = []
    kinds = INVARIANTS + ("row",) * rarely(draw, 4)
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=3)):
        some = draw(st.lists(st.sampled_from(list(space.levels)), min_size=1, unique=True))
        match kind:
            case "total":
                found.append("total")
            case "margin" | "keys":
                found.append({kind: some})
            case "row":
                row = st.integers(-2, 3)
                size = len(space.counts)
                found.append({"linear": [draw(st.lists(row, min_size=size, max_size=size))]})
            case _:
                where = {name: draw(st.sampled_from(space.levels[name])) for name in some}
                found.append({kind: {"where": where}})
                if kind == "bound":
                    found[-1][kind]["at_least"] = 0
    return found


QUERIES = ("table", "margins", "matrix")


@st.composite
def queries(draw: st.DrawFn, space: Space, kinds: tuple[str, ...]) -> dict[str, Any]:
    """What noise is added to: a query, or shifts."""
    match draw(st.sampled_from(kinds)):
        case "table":
            return {"query": "table"}
        case "margins":
            names = st.sampled_from(list(space.levels))
            return {"query": {"margins": [draw(st.lists(names, min_size=1, unique=True))]}}
        case "matrix":
            return {"query": {"matrix": [[1, *[0] * (len(space.counts) - 1)]]}}
        case _:
            return {"shifts": draw(st.lists(st.integers(-3, 3), min_size=1, max_size=3))}


DECLARED = ("pure_dp", "approx_dp", "zcdp", "gdp", "tradeoff")
NOISE = ("gaussian", "discrete_gaussian", "laplace", "discrete_laplace", "k_norm")
RECORDS = ("randomized_response", "subsampled_gaussian", "shuffled")


@st.composite
def mechanisms(
    draw: st.DrawFn, space: Space, metric: str = "hamming", *, noise: bool = True, depth: int = 2
) -> dict[str, Any]:
    """A mechanism of any kind; one that its metric does not know is rare.

    Args:
        noise: whether there is anything to add noise to.
    """
    kinds = DECLARED * 3 + (NOISE * 2 if noise else ()) + ("compose",) * bool(depth)
    if metric != "symmetric_difference" or rarely(draw, 10):
        kinds += RECORDS if metric == "hamming" or rarely(draw, 10) else RECORDS[1:]
    kind = draw(st.sampled_from(kinds))
    if kind == "compose":
        part = mechanisms(space, metric, noise=noise, depth=depth - 1)
        found: dict[str, Any] = {kind: draw(st.lists(part, min_size=1, max_size=3))}
    else:
        found = {kind: draw(_parameters(kind, space))}
    if rarely(draw, 4):
        found["repeat"] = MANY if rarely(draw, 20) else draw(st.sampled_from([1, 2, 7]))
    return found


@st.composite
def _parameters(draw: st.DrawFn, kind: str, space: Space) -> dict[str, Any]:
    number = draw(NUMBERS)
    size = "0.5" if number == "0" else number
    scale = "1" if size == "1e-12" else size
    match kind:
        case "pure_dp":
            return {"epsilon": number}
        case "approx_dp":
            return {"epsilon": number, "delta": draw(DELTAS)}
        case "zcdp":
            return {"rho": number}
        case "gdp":
            return {"mu": "3" if number == "1e3" else number}
        case "tradeoff":
            return {"points": [[0, 1], ["0.2", "0.3"], [1, 0]]}
        case "k_norm":
            norm = draw(st.sampled_from(["hull", "l1", "l2", "linf"]))
            return {"epsilon": size, "norm": norm, **draw(queries(space, QUERIES))}
        case "randomized_response":
            return {"epsilon": number, "levels": draw(st.integers(2, 5))}
        case "subsampled_gaussian":
            steps = MANY if rarely(draw, 20) else draw(st.sampled_from([1, 1, 10]))
            return {"noise_multiplier": "1.5", "sampling_rate": draw(RATES), "steps": steps}
        case "shuffled":
            return {"epsilon0": "1", "reports": max(space.size, 1)}
        case _:
            name = {"gaussian": "sigma", "discrete_gaussian": "sigma_squared"}.get(kind, "scale")
            found = {name: size if kind == "discrete_gaussian" else scale}
            return {**found, **draw(queries(space, (*QUERIES, "shifts")))}


FRAMEWORKS = ("nominal_dp", "group_privacy", "semi_dp", "subspace_dp")


@st.composite
def budgets(draw: st.DrawFn, least: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(least, 2))):
        limit: dict[str, Any]
        match draw(st.sampled_from(["epsilon", "pure", "rho", "mu", "advantage", "tpr"])):
            case "epsilon":
                limit = {"epsilon": draw(NUMBERS), "delta": draw(DELTAS)}
            case "pure":
                limit = {"epsilon": draw(NUMBERS)}
            case "rho":
                limit = {"rho": draw(NUMBERS)}
            case "mu":
                limit = {"mu": draw(st.sampled_from(["1", "2.56", "0.1", "0", "25"]))}
            case "advantage":
                limit = {"advantage": "0.5"}
            case _:
                limit = {"tpr": "0.9", "fpr": "0.05"}
        found.append({"framework": draw(st.sampled_from(FRAMEWORKS)), **limit})
    return found


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
    items = ["total", "count", *["max"] * (0 in values), *["margin"] * rarely(draw, 8)]
    published: list[Any] = []
    for kind in draw(st.lists(st.sampled_from(items), max_size=2)):
        match kind:
            case "count":
                published.append({kind: {"where": {"value": draw(st.sampled_from(values))}}})
            case "max":
                published.append({"statistic": {"name": kind, "of": "value"}})
            case "margin":
                published.append({kind: ["value"]})
            case _:
                published.append(kind)
    space = Space({"value": values}, [size])
    found: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"product": {"size": size, "values": values}},
        "invariants": published,
        "mechanism": draw(mechanisms(space, noise=False)),
    }
    if draw(st.booleans()):
        dataset = st.lists(st.sampled_from(values), min_size=size, max_size=size)
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
    if data is None and space.size and draw(st.integers(0, 3)):
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
        "mechanism": draw(mechanisms(space, metric)),
        "report": {"deltas": draw(st.lists(DELTAS, min_size=1, max_size=2, unique=True))},
        "budgets": draw(budgets()),
    }
    return {key: value for key, value in found.items() if value not in ([], None, "")}
