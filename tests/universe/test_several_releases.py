"""Several releases of one population against brute force: one D_t, and all noise on one pair.

The whole campaign: python -m pytest -m slow tests/universe/test_several_releases.py
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from semiaudit.frameworks import FRAMEWORKS
from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.parts import queries_of
from semiaudit.model.adjacency import Metric
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import Condition, Level
from semiaudit.model.guarantee import FrameworkGuarantee
from semiaudit.model.invariants import Count, Invariant, Keys, Linear, Margin, PublicBound, Total
from semiaudit.model.measure import GDP, ZCDP, PureDP
from semiaudit.model.query import MarginsQuery, MatrixQuery, Query
from semiaudit.spec.build import load_release
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles import tables as oracle
from tests.oracles.tables import SYMMETRIC, Table
from tests.universe.instances import METRICS, Case, assert_witnesses, case_of, chunks
from tests.universe.sensitivity.test_spaces import answers, columns, norms, random_query

EACH = 10
"""Instances a seed; the campaign of 200 seeds has 2,000."""

PARAMETERS = (1, 2, 3)


@dataclass(frozen=True)
class Noisy:
    """One release's mechanism: zCDP or pure DP that is declared, or noise on a query."""

    kind: str
    parameter: int
    query: Query | None

    def text(self) -> dict[str, object]:
        name = {"zcdp": "rho", "pure_dp": "epsilon", "gaussian": "sigma", "laplace": "scale"}
        found: dict[str, object] = {name[self.kind]: self.parameter}
        if self.query is not None:
            found["query"] = query_text(self.query)
        return {self.kind: found}


def query_text(query: Query) -> object:
    if isinstance(query, MarginsQuery):
        return {"margins": [list(margin) for margin in query.margins]}
    if isinstance(query, MatrixQuery):
        return {"matrix": [list(row) for row in query.rows]}
    return "table"


def where_text(where: Condition) -> dict[str, list[Level]]:
    return {name: list(levels) for name, levels in where}


def invariant_text(invariant: Invariant) -> object:
    match invariant:
        case Total():
            return "total"
        case Margin():
            return {"margin": list(invariant.attributes)}
        case Keys():
            return {"keys": list(invariant.attributes)}
        case Count():
            return {"count": {"where": where_text(invariant.where)}}
        case Linear():
            return {"linear": [list(row) for row in invariant.rows]}
        case PublicBound():
            ends = {"at_least": invariant.at_least, "at_most": invariant.at_most}
            told = {name: end for name, end in ends.items() if end is not None}
            return {"bound": {"where": where_text(invariant.where), **told}}
        case _:
            raise TypeError(invariant)


def nested(case: Case, levels: tuple[Level, ...] = ()) -> object:
    """The counts of a table, one list in another."""
    attributes = case.space.attributes
    if len(levels) == len(attributes):
        return dict(zip(case.cells, case.table, strict=True)).get(levels, 0)
    attribute = attributes[len(levels)]
    return [nested(case, (*levels, attribute.label(at))) for at in range(attribute.size)]


def head(case: Case, metric: Metric) -> dict[str, object]:
    space = case.space
    dataspace: dict[str, object] = {"attributes": {a.name: a.size for a in space.attributes}}
    if space.impossible:
        dataspace["impossible"] = [where_text(zero) for zero in space.impossible]
    if space.size is not None:
        dataspace["size"] = space.size
    return {
        "semiaudit": 1,
        "dataspace": dataspace,
        "data": {"counts": nested(case)},
        "adjacency": {"metric": metric},
    }


def loaded(folder: Path, spec: Mapping[str, object]) -> Release:
    path = folder / "spec.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return load_release(path)


def split_up(chance: random.Random, case: Case, noisy: Sequence[Noisy]) -> list[dict[str, object]]:
    """The invariants dealt out to the releases; some are published twice."""
    dealt: list[list[Invariant]] = [[] for _ in noisy]
    for invariant in case.invariants:
        for at in chance.sample(range(len(noisy)), chance.choice((1, 1, 1, 2))):
            dealt[at].append(invariant)
    return [
        {"mechanism": one.text()} | ({"invariants": list(map(invariant_text, own))} if own else {})
        for one, own in zip(noisy, dealt, strict=True)
    ]


def semi_dp(release: Release) -> tuple[FrameworkGuarantee, SensitivitySpaces]:
    spaces = SensitivitySpaces(release)
    context = Context(universe_of(release), release.adjacency, release.mechanism, spaces)
    return FRAMEWORKS["semi_dp"](context), spaces


def summed(found: FrameworkGuarantee) -> list[object]:
    """The measures that add up, which tell no order of the parts."""
    return [m for m in found.measures if isinstance(m, ZCDP | PureDP | GDP)]


def worst(
    case: Case, noisy: Sequence[Noisy], metric: Metric, distance: int
) -> dict[type, Fraction]:
    """By one pair of tables up to a distance: what all noise together loses, part by part.

    What is declared is attained at every distance by some mechanism.
    """
    changes = oracle.differences(oracle.universe_of(case.instance, case.table), distance, metric)
    most: dict[type, Fraction] = {ZCDP: Fraction(0), PureDP: Fraction(0), GDP: Fraction(0)}
    told = [(one, columns(case, one.query) if one.query is not None else []) for one in noisy]
    for change in changes:
        apart = oracle.table_distance(change, (0,) * len(change), metric)
        rho, epsilon, mu = Fraction(0), Fraction(0), Fraction(0)
        for one, column in told:
            moved = moves(change, column)
            square = sum(k * k for k in moved)
            match one.kind:
                case "zcdp":
                    rho += one.parameter * apart**2
                case "pure_dp":
                    epsilon += one.parameter * apart
                case "gaussian":
                    rho += Fraction(square, 2 * one.parameter**2)
                    mu += Fraction(square, one.parameter**2)
                case _:
                    epsilon += Fraction(sum(map(abs, moved)), one.parameter)
        for kind, value in ((ZCDP, rho), (PureDP, epsilon), (GDP, mu)):
            most[kind] = max(most[kind], value)
    return most


def moves(change: Table, column: Sequence[Mapping[object, int]]) -> list[int]:
    coordinates = list({coordinate: None for own in column for coordinate in own})
    dense = np.array([[own.get(k, 0) for k in coordinates] for own in column], dtype=np.int64)
    return [int(k) for k in np.array(change) @ dense] if len(column) else []


def spelled_query(chance: random.Random, case: Case) -> Query:
    """A query that a spec can ask: the size of the table is no margin there."""
    while True:
        query = random_query(chance, case.space)
        if not isinstance(query, MarginsQuery) or all(query.margins):
            return query


def drawn(chance: random.Random) -> Case:
    while True:
        instance, table = oracle.random_instance(chance)
        case = case_of(chance, instance, table)
        if case.space.cells <= 40:
            return case


@pytest.mark.parametrize("seed", chunks(1, 200))
def test_releases_are_one_universe_and_one_pair_for_all_noise(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    for _ in range(EACH):
        case, metric = drawn(chance), chance.choice(METRICS)
        if metric == SYMMETRIC and case.space.size is not None:
            metric = "multiset_hamming"
        kinds = chance.choice((("gaussian",), ("zcdp", "gaussian"), ("laplace", "pure_dp")))
        noisy = []
        for _ in range(chance.randint(2, 3)):
            kind = chance.choice(kinds)
            query = spelled_query(chance, case) if kind in ("gaussian", "laplace") else None
            noisy.append(Noisy(kind, chance.choice(PARAMETERS), query))
        releases = split_up(chance, case, noisy)
        release = loaded(tmp_path, head(case, metric) | {"releases": releases})
        found, spaces = semi_dp(release)
        universe = oracle.universe_of(case.instance, case.table)
        truth = oracle.covering(universe, metric)
        assert found.distance == truth, (case, metric)
        assert_witnesses(universe_of(release), case, universe, metric)
        if not truth:
            assert found.refused
            continue
        least = worst(case, noisy, metric, truth)
        for measure in found.measures:
            match measure:
                case ZCDP():
                    assert measure.rho >= least[ZCDP], (case, metric, noisy)
                case PureDP():
                    assert measure.epsilon >= least[PureDP], (case, metric, noisy)
                case GDP():
                    assert measure.mu_squared >= least[GDP], (case, metric, noisy)
                case _:
                    pass
        assert {type(m) for m in found.measures} & {ZCDP, PureDP, GDP}
        assert_stacked(case, spaces, queries_of(release.mechanism), metric, truth)
        # The order of the releases, and whether they are told as one, change nothing.
        shuffled = chance.sample(releases, len(releases))
        one = {
            "invariants": list(map(invariant_text, case.invariants)),
            "mechanism": {"compose": [one.text() for one in noisy]},
        }
        for told in ({"releases": shuffled}, one):
            other, _ = semi_dp(loaded(tmp_path, head(case, metric) | told))
            assert other.distance == truth
            assert summed(other) == summed(found)


def assert_stacked(
    case: Case, spaces: SensitivitySpaces, queries: tuple[Query, ...], metric: Metric, distance: int
) -> None:
    """The norms of all queries' answers together are those of the worst pair."""
    if not queries:
        return
    told = [columns(case, query) for query in queries]
    stacked: list[dict[object, int]] = [
        {(at, k): number for at, own in enumerate(cell) for k, number in own.items()}
        for cell in zip(*told, strict=True)
    ]
    changes = oracle.differences(oracle.universe_of(case.instance, case.table), distance, metric)
    known = spaces.question(queries, distance, "D_t").sensitivity
    bounds = known.l1, known.l2_squared, known.linf
    for bound, most in zip(bounds, norms(answers(changes, stacked)), strict=True):
        assert bound.value >= most, (case, metric, queries)
        assert bound.side == "upper" or bound.value == most, (case, metric, queries)
