"""Whole specs of every kind of dataspace, and what lies next to them."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

from tests.fuzz.chance import Chance
from tests.fuzz.mechanisms import Setting, mechanisms, queries
from tests.fuzz.specs import (
    STATISTICS,
    Files,
    Space,
    Tree,
    budgets,
    csv_bytes,
    dataspace_of,
    extras,
    invariants,
    report_section,
    rows_or_file,
    spaces,
    told_counts,
    told_margins,
    whole,
)

METRICS = ("hamming", "hamming", "multiset_hamming", "symmetric_difference")
READINGS = ("covering", "covering", "definition_13")


def written(tree: Any) -> str:
    """A tree as text: JSON, which is YAML."""
    return json.dumps(tree, ensure_ascii=False)


def specs(chance: Chance) -> tuple[Tree, Files]:
    """A spec of any kind, and the files that it names."""
    files: Files = {}
    kind = chance.choice(["table"] * 6 + ["explicit"] * 3 + ["open"])
    if kind == "table":
        return table_specs(chance, spaces(chance), files=files), files
    return (explicit_specs if kind == "explicit" else open_specs)(chance, files), files


def adjacency(chance: Chance, metric: str) -> Tree | None:
    """The section; None where all of it is by default."""
    found: Tree = {"metric": metric, "reading": chance.choice(READINGS)}
    if chance.rarely(10):
        found["distance"] = 2 if chance.rarely(3) else 1
    return None if metric == "hamming" and chance.rarely(5) else found


def table_specs(
    chance: Chance, space: Space, data: Tree | None = None, files: Files | None = None
) -> Tree:
    """A spec of a table.

    Args:
        data: its section; None makes one that the spec itself holds, or none.
        files: what the spec names is added.
    """
    files = {} if files is None else files
    metric = chance.choice(METRICS)
    setting = Setting(chance, files, metric, space, size=max(space.size, 1))
    published = invariants(chance, space)
    for item in published:
        if isinstance(item, dict) and "linear" in item:
            item["linear"] = rows_or_file(chance, files, "matrix.csv", item["linear"])
    dataspace = dataspace_of(chance, space, files)
    if metric != "symmetric_difference" and (not published or chance.often()):
        dataspace["size"] = max(space.size, 1)
    elif metric != "symmetric_difference" and "total" not in published:
        published = ["total", *published]
    if data is None and space.size and not chance.rarely(4):
        margins = told_margins(space, published) if chance.often() else None
        data = {"margins": margins} if margins else {"counts": told_counts(chance, space)}
    found: Tree = {"semiaudit": 1, **extras(chance), "dataspace": dataspace}
    if chance.rarely(12):
        found["releases"] = releases(setting, published)
    else:
        found["invariants"] = published
        if chance.rarely(25):
            found["design"] = {"query": queries(setting)[0]}
        else:
            found["mechanism"] = mechanisms(setting)
    found["data"] = data
    found["adjacency"] = adjacency(chance, metric)
    found["report"] = report_section(chance)
    found["budgets"] = budgets(chance)
    return whole(found)


def releases(setting: Setting, published: list[Any]) -> list[Tree]:
    """Several releases, the last one maybe of other records."""
    chance = setting.chance
    cut = chance.randint(0, len(published))
    found: list[Tree] = []
    for some in (published[:cut], published[cut:]):
        release: Tree = {"mechanism": mechanisms(setting, 1)}
        found.append(release | ({"invariants": some} if some else {}))
    if chance.often():
        own: Tree = {"unit": "housing unit", "attributes": {"block": 3}}
        keys = ("attribute", "geography", "within", "across", "exchange")
        touches = {key: chance.randint(0, 2) for key in chance.some(keys, 1)}
        touches["presence"] = chance.randint(0, 2)
        other: Tree = {"touches": touches, "mechanism": {"zcdp": {"rho": "1/8"}}}
        if chance.often():
            other["invariants"] = [{"margin": ["block"]}]
        else:
            own["size"] = 4
        found.append({"dataspace": own, **other})
    return found


def explicit_specs(chance: Chance, files: Files | None = None) -> Tree:
    """A spec whose datasets are listed, or are all of a product."""
    files = {} if files is None else files
    values: list[Any] = chance.choice([[0, 1], [0, 1, 2], ["a", "b"]])
    size = chance.choice([1, 1, 2, 3])
    every = list(product(values, repeat=size))
    listed = chance.often()
    datasets = tuple(chance.some(every, 1, 5)) if listed else tuple(every)
    published = [_explicit_invariant(chance, values, datasets, files)
                 for _ in range(chance.randint(0, 2))]  # fmt: skip
    metric = chance.choice(METRICS[:3])
    setting = Setting(chance, files, metric, None, datasets, size)
    dataspace: Tree = (
        {"datasets": [list(row) for row in datasets]}
        if listed
        else {"product": {"size": size, "values": values}}
    )
    found = _of(chance, setting, dataspace=dataspace, invariants=published)
    if chance.often():
        found["data"] = {"dataset": list(chance.choice(datasets))}
    return whole(found)


def _of(chance: Chance, setting: Setting, **said: Any) -> Tree:
    """A spec that says this of its datasets, with a mechanism and limits for them."""
    return {
        "semiaudit": 1,
        **extras(chance),
        **said,
        "adjacency": adjacency(chance, setting.metric),
        "mechanism": mechanisms(setting),
        "report": report_section(chance),
        "budgets": budgets(chance),
    }


def _explicit_invariant(
    chance: Chance, values: list[Any], datasets: tuple[tuple[Any, ...], ...], files: Files
) -> Any:
    kinds = ["total", "count", "keys", "bound", "partition", "margin"]
    kinds += ["statistic"] * 3 * (0 in values)
    match chance.choice(kinds):
        case "count":
            return {"count": {"where": {"value": chance.choice(values)}}}
        case "keys":
            return {"keys": ["value"]}
        case "margin":
            return {"margin": ["value"]}
        case "bound":
            return {"bound": {"where": {"value": values[0]}, "at_least": 0}}
        case "statistic":
            return {"statistic": {"name": chance.choice(STATISTICS), "of": "value"}}
        case "partition":
            block = [list(row) for row in chance.some(datasets, 1, 3)]
            if chance.often():
                return {"partition": [block]}
            files["partition.csv"] = csv_bytes([[*row, "x"] for row in block])
            return {"partition": "partition.csv"}
        case _:
            return "total"


def open_specs(chance: Chance, files: Files | None = None) -> Tree:
    """A spec that says nothing of the records but, maybe, their unit and number."""
    files = {} if files is None else files
    metric = chance.choice(METRICS)
    size = chance.randint(1, 1000)
    dataspace: Tree = {"unit": "person"}
    if metric != "symmetric_difference" and chance.often():
        dataspace["size"] = size
    setting = Setting(chance, files, metric, None, (), size)
    return whole(_of(chance, setting, dataspace=dataspace))
