"""Every number of a swapped release against the law of its output, for all datasets of D_t.

Tables of a few strata, several swapped attributes, nested and impossible levels, invariants
beside, all metrics, swaps that are composed. Pure epsilon is compared with every pair of datasets
at its distance; rho, epsilon at a delta, and the tradeoff with the worst pair and four others.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from semiaudit import Spec, audit
from semiaudit.errors import SpecError
from tests.audits import by_framework
from tests.oracles.swapped_universe import (
    Law,
    Record,
    Records,
    Swap,
    distances,
    margin,
    universe_of,
)

Array = Any
Report = dict[str, Any]

MOST = 400
"""Datasets of one universe."""
MOST_OUTPUTS = 20_000
ORDERS = np.array([1 + 10**e for e in (-4, -2, -1, -0.5, 0, 0.3, 0.6, 1, 1.5, 2, 3)])
SLACK = 1e-9
"""Of sums of some thousand doubles."""


@dataclass(frozen=True)
class Case:
    """A spec, and the same in the oracle's terms."""

    spec: dict[str, Any]
    records: Records
    columns: tuple[str, ...]
    swaps: tuple[Swap, ...]
    beside: tuple[tuple[int, ...], ...]
    """Margins that the spec publishes, too."""
    counted: tuple[dict[int, int], ...]
    """Conditions on columns whose counts are published."""
    impossible: tuple[dict[int, int], ...]
    metric: str

    def fits(self, records: Records) -> bool:
        """Whether a dataset agrees with the data, and has no impossible record."""
        kept = [*self.beside, *(m for swap in self.swaps for m in swap.kept(len(self.columns)))]
        return (
            all(margin(records, names) == margin(self.records, names) for names in kept)
            and all(_count(records, c) == _count(self.records, c) for c in self.counted)
            and not any(_count(records, c) for c in self.impossible)
        )


def _count(records: Records, condition: dict[int, int]) -> int:
    return sum(all(record[c] == v for c, v in condition.items()) for record in records)


def _attributes(chance: random.Random) -> tuple[dict[str, Any], list[list[int]], dict[str, int]]:
    """The attributes of a spec, the parents of each one's levels, and how many levels it has."""
    names = ["s", "w", "v", "r", "u"]
    chance.shuffle(names)
    known: dict[str, Any] = {name: chance.choice([1, 2, 2, 3, 4]) for name in names}
    levels = dict(known)
    if chance.random() < 0.3:
        outer, inner = chance.sample(names, 2)
        outside = levels[outer]
        parents = [k for k in range(outside) for _ in range(chance.randint(1, 2))]
        known[outer] = [f"o{k}" for k in range(outside)]
        names_of: dict[str, list[str]] = {f"o{k}": [] for k in range(outside)}
        for place, parent in enumerate(parents):
            names_of[f"o{parent}"].append(f"i{place}")
        known[inner] = {"within": outer, "levels": names_of}
        levels[inner] = len(parents)
        return known, [parents, [names.index(inner), names.index(outer)]], levels
    return known, [], levels


def drawn(chance: random.Random) -> Case:
    attributes, nested, levels = _attributes(chance)
    names = tuple(attributes)
    size = chance.choice([3, 4, 4, 5, 5, 6, 7, 8])
    parents, link = nested or ([], [])

    def record() -> Record:
        found = [chance.randrange(levels[name]) for name in names]
        if link:
            found[link[1]] = parents[found[link[0]]]
        return tuple(found)

    records = tuple(sorted(record() for _ in range(size)))
    places = list(range(len(names)))
    chance.shuffle(places)
    moved = chance.choice([1, 1, 2, 2, 3])
    by = chance.choice([0, 1, 1, 2])
    groups = [(tuple(sorted(places[:by])), tuple(sorted(places[by : by + moved])))]
    if chance.random() < 0.2:
        chance.shuffle(places)
        groups.append((tuple(sorted(places[:1])), tuple(sorted(places[1:3]))))
    swaps, sections = [], []
    for strata, exchanged in groups:
        rate = Fraction(chance.choice([1, 2, 5, 10, 25, 37, 50, 60, 75, 80, 90, 95, 99]), 100)
        deranged, reselection = chance.random() < 0.6, chance.random() < 0.6
        swaps.append(Swap(strata, exchanged, rate, deranged, reselection))
        section = {
            "rate": str(rate),
            "stratify_by": [names[c] for c in strata],
            "swap": [names[c] for c in exchanged],
            "variant": "derangement" if deranged else "uniform",
            "reselection": reselection,
        }
        sections.append({"swapping": section})
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"unit": "home", "attributes": attributes},
        "mechanism": sections[0] if len(sections) == 1 else {"compose": sections},
        "report": {
            "deltas": [chance.choice(["1e-6", "0.01", "0.3"])],
            "alphas": ["0.001", "0.05", "0.4"],
        },
    }
    if len(sections) == 1 and chance.random() < 0.1:
        spec["mechanism"]["repeat"] = 2
        swaps *= 2
    beside, counted, impossible = [], [], []
    invariants: list[Any] = []
    if chance.random() < 0.3:
        columns = tuple(sorted(chance.sample(range(len(names)), chance.choice([1, 2, 3]))))
        beside.append(columns)
        invariants.append({"margin": [names[c] for c in columns]})
    if chance.random() < 0.2:
        condition = {c: records[0][c] for c in chance.sample(range(len(names)), 2)}
        counted.append(condition)
        invariants.append({"count": {"where": _named(spec, names, condition)}})
    if chance.random() < 0.15:
        condition = dict(zip(chance.sample(range(len(names)), 2), (0, 0), strict=True))
        if not _count(records, condition):
            impossible.append(condition)
            spec["dataspace"]["impossible"] = [_named(spec, names, condition)]
    if invariants:
        spec["invariants"] = invariants
    if chance.random() < 0.8:
        spec["data"] = {"counts": _nested(records, [levels[name] for name in names])}
    else:
        spec["dataspace"]["size"] = size
    metric = chance.choice(["hamming", "multiset_hamming", "symmetric_difference"])
    adjacency: dict[str, Any] = {"metric": metric}
    if chance.random() < 0.2:
        adjacency["distance"] = chance.choice([2, 3, 4])
    spec["adjacency"] = adjacency
    unit = 2 if metric == "symmetric_difference" else 1
    spec["budgets"] = [
        {"framework": "invariant_dp", "distance": k * unit} | measure
        for k in (2, 3)
        for measure in ({"epsilon": 1}, {"epsilon": 1, "delta": "0.1"}, {"rho": 1})
    ]
    given = tuple(beside), tuple(counted), tuple(impossible), metric
    return Case(spec, records, names, tuple(swaps), *given)


def _named(
    spec: dict[str, Any], names: Sequence[str], condition: dict[int, int]
) -> dict[str, str | int]:
    found: dict[str, str | int] = {}
    for column, level in condition.items():
        told = spec["dataspace"]["attributes"][names[column]]
        if isinstance(told, dict):
            found[names[column]] = f"i{level}"
        else:
            found[names[column]] = told[level] if isinstance(told, list) else level
    return found


def _nested(records: Records, sizes: Sequence[int], before: Record = ()) -> Any:
    if len(before) == len(sizes):
        return records.count(before)
    return [_nested(records, sizes, (*before, k)) for k in range(sizes[len(before)])]


@dataclass(frozen=True)
class Truth:
    """What all datasets of a universe tell.

    Attributes:
        apart: in records. losses: the worst, of both orders of a pair, summed over the swaps.
    """

    laws: tuple[Law, ...]
    apart: Array
    losses: Array

    def worst(self, distance: int) -> float:
        """Of pairs up to so many records apart."""
        near = (self.apart > 0) & (self.apart <= distance)
        return float(self.losses[near].max(initial=0))

    def pairs(self, chance: random.Random, distance: int) -> Iterator[tuple[Array, Array]]:
        """The laws of a few pairs up to so many records apart: the worst, and others."""
        outputs = math.prod(law.outputs for law in self.laws)
        near = np.argwhere((self.apart > 0) & (self.apart <= distance))
        if not near.size or outputs > MOST_OUTPUTS:
            return
        losses = self.losses[near[:, 0], near[:, 1]]
        chosen = {int(losses.argmax()), *(chance.randrange(len(near)) for _ in range(4))}
        for at in chosen:
            one, other = (self._law(int(dataset)) for dataset in near[at])
            yield one, other
            yield other, one

    def _law(self, dataset: int) -> Array:
        found = np.ones(1)
        for law in self.laws:
            found = np.multiply.outer(found, law.of(dataset)).ravel()
        return found


def truth_of(case: Case) -> Truth | None:
    universe = universe_of(case.records, case.swaps[0], case.fits, MOST)
    if universe is None:
        return None
    laws = tuple(Law(swap, universe) for swap in case.swaps)
    return Truth(laws, distances(universe), sum(law.losses() for law in laws))


def _delta(one: Array, other: Array, epsilon: float) -> float:
    return float(np.maximum(one - math.exp(min(epsilon, 700)) * other, 0).sum())


def _curve(null: Array, alternative: Array) -> tuple[Array, Array]:
    """The vertices of the tradeoff function: type I errors and type II errors."""
    with np.errstate(divide="ignore"):
        order = np.argsort(-alternative / null, kind="stable")
    return (
        np.concatenate([[0], np.cumsum(null[order])]),
        np.concatenate([[1], 1 - np.cumsum(alternative[order])]),
    )


def _rho(one: Array, other: Array) -> float:
    """The largest ratio of a Renyi divergence to its order, over some orders."""
    both = (one > 0) & (other > 0)
    p, q = np.log(one[both]), np.log(other[both])
    exponents = ORDERS[:, None] * p + (1 - ORDERS[:, None]) * q
    top = exponents.max(axis=1, keepdims=True)
    logs = top[:, 0] + np.log(np.exp(exponents - top).sum(axis=1))
    return float((logs / (ORDERS - 1) / ORDERS)[1:].max())


def hold_row(row: Report, one: Array, other: Array) -> None:
    if row["pure_dp"]:
        epsilon = row["pure_dp"]["epsilon"]
        assert np.log(one / other).max() <= epsilon + SLACK
    if row["zcdp"]:
        assert _rho(one, other) <= row["zcdp"]["rho"] + SLACK
    for known in row["approx_dp"]:
        if known["epsilon"] != "inf":
            assert _delta(one, other, known["epsilon"]) <= known["delta"] + SLACK, known
    type_i, type_ii = _curve(one, other)
    if row["gdp"]:
        gaussian = ndtr(-ndtri(np.clip(type_i, 0, 1)) - row["gdp"]["mu"])
        assert np.all(type_ii >= gaussian - SLACK)
    for point in row["tradeoff"]:
        assert np.interp(point["type_i"], type_i, type_ii) >= point["type_ii"] - SLACK
    if row["advantage"] is not None:
        assert np.abs(one - other).sum() / 2 <= row["advantage"] + SLACK
    for point in row["tpr_at_fpr"]:
        assert 1 - np.interp(point["fpr"], type_i, type_ii) <= point["tpr"] + SLACK


def hold(case: Case, found: Report, truth: Truth, chance: random.Random) -> None:
    rows = by_framework(found)
    unit = 2 if case.metric == "symmetric_difference" else 1
    for framework in ("nominal_dp", "group_privacy", "subspace_dp"):
        assert rows[framework]["pure_dp"] is None, framework
        assert not rows[framework]["approx_dp"]
    apart = sorted({*truth.apart[truth.apart > 0].tolist()})
    row = rows["invariant_dp"]
    for known in (row, *row["alternatives"]):
        if known["pure_dp"] is None:
            continue
        for records in apart:
            assert truth.worst(records) <= records * unit * known["pure_dp"]["epsilon"] + SLACK
            for one, other in truth.pairs(chance, records):
                limit = known["zcdp"]["rho"] * (records * unit) ** 2
                assert _rho(one, other) <= limit + SLACK
    if "attained where" in row["note"] and "data" in case.spec and len(case.swaps) == 1:
        per_record = max(truth.worst(records) / records for records in apart)
        assert per_record == pytest.approx(unit * row["pure_dp"]["epsilon"], abs=1e-9)
    semi = rows["semi_dp"]
    if not semi["refused"]:
        reached = int(semi["adjacency"]["distance"]) // unit
        for known in (semi, *semi["alternatives"]):
            if known["pure_dp"]:
                assert truth.worst(reached) <= known["pure_dp"]["epsilon"] + SLACK
            for one, other in truth.pairs(chance, reached):
                hold_row(known, one, other)
    for budget, asked in zip(found["budgets"], case.spec["budgets"], strict=True):
        if budget["actual"] in (None, "inf"):
            assert not budget["holds"]
            continue
        for one, other in truth.pairs(chance, asked["distance"] // unit):
            if "rho" in asked:
                assert _rho(one, other) <= budget["actual"] + SLACK
            else:
                delta = float(asked.get("delta", 0))
                assert _delta(one, other, budget["actual"]) <= delta + SLACK


def _audited(case: Case) -> Report | None:
    try:
        return audit(Spec.from_mapping(case.spec)).as_dict()
    except SpecError:
        return None


def campaign(seeds: range) -> tuple[int, int]:
    held = stated = 0
    for seed in seeds:
        chance = random.Random(seed)
        case = drawn(chance)
        found = _audited(case)
        truth = truth_of(case) if found is not None else None
        if found is None or truth is None:
            continue
        try:
            hold(case, found, truth, chance)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {case}") from error
        held += 1
        stated += by_framework(found)["semi_dp"]["pure_dp"] is not None
    return held, stated


def test_no_number_of_a_random_release_promises_more_than_its_law() -> None:
    held, stated = campaign(range(10))
    assert held > 5
    assert stated > 3


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1_000, 2_200, 200))
def test_nor_of_a_thousand(start: int) -> None:
    held, stated = campaign(range(start, start + 200))
    assert held > 140
    assert stated > 90
