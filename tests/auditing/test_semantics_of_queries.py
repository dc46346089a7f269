"""What noise on queries loses for each kind of change inside D_t, against all pairs of tables."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations, combinations_with_replacement, product
from math import exp, sqrt
from typing import Any

import pytest

from semiaudit import audit
from tests.samples import sampled

Record = tuple[int, ...]
Table = tuple[Record, ...]
NAMES = "abc"


def case(chance: random.Random) -> tuple[dict[str, Any], list[int], int]:
    """A spec with Gaussian noise of variance 1, the levels of its attributes, and its size."""
    nests = chance.random() < 0.25
    levels = [2, 3, 2] if nests else [2, 2, 2] if chance.random() < 0.5 else [2, 3]
    size = chance.randint(2, 3)
    names = NAMES[: len(levels)]

    def some(least: int) -> list[str]:
        return chance.sample(names, chance.randint(least, len(levels)))

    invariants: list[dict[str, Any]] = [{"margin": some(1)} for _ in range(chance.randint(1, 2))]
    if chance.random() < 0.3 and not nests:
        where = {name: chance.randrange(2) for name in some(1)}
        invariants.append({"count": {"where": where}})
    query: Any = "table"
    if chance.random() < 0.5:
        margins = {frozenset(some(1)) for _ in range(2)}
        query = {"margins": [sorted(margin) for margin in margins]}
    space: dict[str, Any] = {"size": size, "attributes": dict(zip(names, levels, strict=True))}
    if nests:
        lies_within = {"within": "a", "levels": {"x": ["p", "q"], "y": ["r"]}}
        space["attributes"] |= {"a": ["x", "y"], "b": lies_within}
    elif chance.random() < 0.3:
        space["impossible"] = [{names[0]: 0, names[1]: 1}]
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": space,
        "invariants": invariants,
        "mechanism": {"gaussian": {"sigma": 1, "query": query}},
    }
    if chance.random() < 0.4 and not nests:
        possible = records_of(spec, levels)
        spec["data"] = {"counts": nested(Counter(chance.choices(possible, k=size)), levels)}
    return spec, levels, size


def records_of(spec: dict[str, Any], levels: list[int]) -> list[Record]:
    zeros = spec["dataspace"].get("impossible")
    every = list(product(*map(range, levels)))
    if isinstance(spec["dataspace"]["attributes"]["b"], dict):
        return [r for r in every if r[0] == (r[1] == 2)]
    return [r for r in every if not (zeros and r[0] == 0 and r[1] == 1)]


def nested(counts: Counter[Record], levels: list[int], start: Record = ()) -> Any:
    if len(start) == len(levels):
        return counts[start]
    return [nested(counts, levels, (*start, at)) for at in range(levels[len(start)])]


def counted(table: Table, margin: list[str]) -> Counter[tuple[Any, ...]]:
    places = [NAMES.index(name) for name in margin]
    return Counter((tuple(margin), *(record[at] for at in places)) for record in table)


def kept(spec: dict[str, Any], table: Table) -> Any:
    values: list[Any] = []
    for invariant in spec["invariants"]:
        if "margin" in invariant:
            values.append(frozenset(counted(table, sorted(invariant["margin"])).items()))
        else:
            where = invariant["count"]["where"]
            values.append(sum(
                all(record[NAMES.index(n)] == level for n, level in where.items())
                for record in table
            ))  # fmt: skip
    return tuple(values)


def moved(query: Any, one: Table, other: Table, norm: str = "squares") -> float:
    """The squared Euclidean distance of the answers, or their distance in a norm."""
    if query == "table":
        query = {"margins": [list(NAMES[: len(one[0])])]}
    changes = [0]
    for margin in query["margins"]:
        change = counted(one, margin)
        change.subtract(counted(other, margin))
        changes += map(abs, change.values())
    squares = sum(number**2 for number in changes)
    return {"squares": squares, "l1": sum(changes), "l2": sqrt(squares), "linf": max(changes)}[norm]


def kinds(old: Table, new: Table, *, nests: bool) -> Iterator[str]:
    """Every kind of change of one or two records."""
    if len(old) == 1:
        yield "one_record"
    for at, name in enumerate(NAMES[: len(old[0])]):
        # What lies within an attribute is exchanged with it.
        own = {0, 1} if nests and not at else {at}
        others = [k for k in range(len(old[0])) if k not in own]
        if len(old) == 1 and all(old[0][k] == new[0][k] for k in others):
            yield f"attribute:{name}"
        if len(old) == 2:
            pairs = (old, old[::-1])
            exchanged = [
                tuple(two[k] if k in own else one[k] for k in range(len(one))) for one, two in pairs
            ]
            if list(new) == exchanged:
                yield f"exchange:{name}"


def largest(
    spec: dict[str, Any], levels: list[int], size: int
) -> tuple[dict[str, float], set[str]]:
    """The largest change of the query for each kind, and the kinds that some pair has."""
    records = records_of(spec, levels)
    ((kind_of_noise, section),) = spec["mechanism"].items()
    query, norm = section["query"], section["norm"] if kind_of_noise == "k_norm" else "squares"
    nests = isinstance(spec["dataspace"]["attributes"]["b"], dict)
    found: defaultdict[str, float] = defaultdict(float)
    some: set[str] = set()
    wanted = None
    if "data" in spec:
        flat = [spec["data"]["counts"]]
        for _ in levels:
            flat = [inner for outer in flat for inner in outer]
        every = list(product(*map(range, levels)))
        given = tuple(r for r, number in zip(every, flat, strict=True) for _ in range(number))
        wanted = kept(spec, given)
    for table in combinations_with_replacement(records, size):
        value = kept(spec, table)
        if wanted not in (None, value):
            continue
        for changing in (1, 2):
            for places in combinations(range(size), changing):
                old = tuple(table[at] for at in places)
                rest = tuple(r for at, r in enumerate(table) if at not in places)
                for new in product(records, repeat=changing):
                    if Counter(new) == Counter(old) or kept(spec, (*rest, *new)) != value:
                        continue
                    change = moved(query, table, (*rest, *new), norm)
                    for kind in ("unrelated_records", *kinds(old, new, nests=nests)):
                        some.add(kind)
                        found[kind] = max(found[kind], change)
    return found, some


@pytest.mark.parametrize("seed", sampled(range(200), fast=range(30)))
def test_the_largest_change_of_each_kind_is_that_of_all_pairs(seed: int) -> None:
    """Noise in the null space loses as much as plain noise: the changes lie in it."""
    spec, levels, size = case(random.Random(seed))
    section = spec["mechanism"]["gaussian"]
    if seed % 3 == 0 and section["query"] == "table":
        section["support"] = "null_space"
    check(spec, levels, size, lambda change: change / 2)


@pytest.mark.parametrize("seed", sampled(range(200, 320), fast=range(25)))
def test_a_k_norm_loses_the_change_over_that_of_one_record(seed: int) -> None:
    """Laplace noise shifted by s scales has rho s + exp(-s) - 1, the bound of every K-norm."""
    spec, levels, size = case(random.Random(seed))
    query = spec["mechanism"]["gaussian"]["query"]
    norm = ("l1", "l2", "linf")[seed % 3]
    spec["mechanism"] = {"k_norm": {"epsilon": 1, "norm": norm, "query": query}}
    records = records_of(spec, levels)
    step = max(moved(query, (a,), (b,), norm) for a, b in product(records, repeat=2))
    check(spec, levels, size, lambda change: change / step + exp(-change / step) - 1)


@pytest.mark.parametrize("seed", sampled(range(300, 330), fast=range(12)))
def test_records_that_change_lose_as_much_if_the_metric_counts_those_that_enter_and_leave(
    seed: int,
) -> None:
    """All tables have one size, so no two are at distance 1: no steps of that distance exist."""
    spec, levels, size = case(random.Random(seed))
    check(spec, levels, size, lambda change: change / 2, "symmetric_difference")
    rows = {row["framework"]: row for row in audit(spec).as_dict()["guarantees"]}
    assert rows["nominal_dp"]["refused"]
    assert "no two datasets of D are at distance 1" in rows["nominal_dp"]["note"]


def check(
    spec: dict[str, Any],
    levels: list[int],
    size: int,
    rho_of: Callable[[float], float],
    metric: str = "hamming",
) -> None:
    """Compare the rows with the largest change of each kind."""
    both = metric == "symmetric_difference"
    spec["adjacency"] = {"metric": metric, "distance": 4 if both else 2}
    found, some = largest(spec, levels, size)
    rows = audit(spec).as_dict()["semantics"]
    names = {f"{kind}:{n}" for kind in ("attribute", "exchange") for n in NAMES[: len(levels)]}
    if isinstance(spec["dataspace"]["attributes"]["b"], dict):
        names.remove("attribute:a")  # b lies within a
    names |= {"presence"} if both else set()
    assert {row["name"] for row in rows} == {"one_record", "unrelated_records", *names}
    for row in rows:
        name = row["name"]
        if name in some:
            assert row["has_pair"], name
        rho = 0.0 if row["zcdp"] is None else float(row["zcdp"]["rho"])
        if ":" in name and "data" in spec:
            assert rho >= rho_of(found[name]) - 1e-12, name
        else:
            assert rho == pytest.approx(rho_of(found[name]), rel=1e-9, abs=1e-12), name
            assert row["has_pair"] == (name in some), name
