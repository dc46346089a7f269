"""Metrics without places on margins that do not overlap, in closed form against brute force."""

from __future__ import annotations

import random
from dataclasses import replace
from math import prod

import pytest

from semiaudit.model.adjacency import Adjacency, Metric
from semiaudit.model.dataspace import TableSpace
from semiaudit.universe.distance import closed_form
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.system.grouped_table import grouped_table
from tests.oracles import tables as oracle
from tests.samples import sampled
from tests.universe.test_semi_adjacency import table_release

SHAPES = [(2,), (3,), (2, 2), (2, 3), (2, 2, 2), (3, 2, 2)]
CASES = 90
METRICS: tuple[Metric, ...] = ("multiset_hamming", "symmetric_difference")


@pytest.mark.parametrize(
    ("seed", "cases"), sampled([(3, 30), *((seed, CASES) for seed in range(3, 20))], fast=(0,))
)
def test_the_ends_hold_and_the_closed_forms_are_the_truth(seed: int, cases: int) -> None:
    chance = random.Random(seed)
    closed = 0
    for _ in range(cases):
        shape, size = chance.choice(SHAPES), chance.randint(1, 5)
        places = chance.sample(range(len(shape)), chance.randint(1, len(shape)))
        cut = chance.randint(0, len(places) - 1)
        groups = [sorted(part) for part in (places[:cut], places[cut:]) if part]
        metric = chance.choice(METRICS)
        rows = tuple(row for group in groups for row in oracle.margin_rows(shape, group))
        instance = oracle.Instance(shape, size, rows=rows)
        cells = [chance.randrange(prod(shape)) for _ in range(size)]
        table = tuple(cells.count(cell) for cell in range(prod(shape)))
        margins = None
        universes = list(oracle.universes(instance).values())
        if chance.random() < 0.5:
            universes = [oracle.universe_of(instance, table)]
            margins = [
                [oracle.dot(row, table) for row in oracle.margin_rows(shape, g)] for g in groups
            ]
        release = table_release(shape, groups, size, margins)
        release = replace(release, adjacency=Adjacency(metric))
        assert isinstance(release.dataspace, TableSpace)
        grouped = grouped_table(release, release.dataspace, size, size_fixed=True)
        assert grouped is not None
        covering = max(oracle.covering(u, metric, False) for u in universes)
        literal = max(oracle.definition_13(u, metric, False) for u in universes)
        assert closed_form.most_changes(grouped, metric) >= covering
        known = closed_form.supremum(grouped, metric)
        if known is not None:
            closed += 1
            assert known.covering.lower == known.covering.upper == covering
            assert known.definition_13.lower <= literal <= (known.definition_13.upper or 0)
        semi = universe_of(release).semi_adjacency
        assert (semi.covering.lower, semi.covering.upper) == (covering, covering)
    assert 3 * closed > cases


def test_the_census_under_multiset_hamming_is_2_with_two_margins() -> None:
    release = table_release((51, 2, 63), [[0], [1]], 331_449_281, None)
    release = replace(release, adjacency=Adjacency("multiset_hamming"))
    semi = universe_of(release).semi_adjacency
    assert (semi.covering.lower, semi.covering.upper) == (2, 2)
    assert semi.covering.witness is not None


@pytest.mark.parametrize(
    ("metric", "truth"), [("multiset_hamming", 3), ("symmetric_difference", 6)]
)
@pytest.mark.parametrize("size", [3, 5])
def test_one_record_of_each_feature_changes_in_the_worst_table(
    size: int, metric: Metric, truth: int
) -> None:
    """Three features that one record each has: the record with all of them needs all three."""
    release = table_release((2, 2, 2), [[0], [1], [2]], size, None)
    release = replace(release, adjacency=Adjacency(metric))
    assert isinstance(release.dataspace, TableSpace)
    grouped = grouped_table(release, release.dataspace, size, size_fixed=True)
    assert grouped is not None
    known = closed_form.supremum(grouped, metric)
    assert known is not None
    assert (known.covering.lower, known.covering.upper, known.definition_13.upper) == (
        truth,
        truth,
        truth,
    )
    assert known.covering.witness is not None
    assert known.covering.witness.distance == truth
