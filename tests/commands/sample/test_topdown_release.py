"""A hierarchical release performed: whole, exact in its invariants, and told without its data."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from textwrap import indent

import pytest

from semiaudit.commands.sample.run import run_mechanism
from semiaudit.commands.sample.topdown_release import TopDownRelease
from semiaudit.errors import RefusedError, SpecError
from semiaudit.mechanisms.sampling.nonnegative import Fit
from semiaudit.model.results.sample import Sample

SPEC = """
semiaudit: 1
title: A small census
dataspace:
  unit: person
  attributes:
    state: [north, south]
    county: {within: state, levels: {north: [n1, n2], south: [s1, s2]}}
    sex: [f, m]
    age: [child, adult, old]
  impossible: [{county: s2, age: child}]
invariants: [{margin: [state]}, {count: {where: {age: old}}}]
data: {table: people.csv}
mechanism:
  topdown:
    rho: 2
    spine: [{level: US}, {level: State, attribute: state}, {level: County, attribute: county}]
    recodes: {grown: {of: age, groups: [[child]]}}
    queries:
      total: {tells: []}
      detailed: {tells: [sex, age]}
      grown: {tells: grown}
    allocation:
      - [level, query, share]
      - [US, detailed, 1/4]
      - [State, detailed, 1/4]
      - [State, grown, 1/8]
      - [County, total, 1/8]
      - [County, detailed, 1/4]
"""
PEOPLE = """state,county,sex,age,count
north,n1,f,child,3
north,n1,m,child,5
north,n1,m,adult,15
north,n2,f,old,1
south,s1,f,adult,30
south,s2,m,old,2
south,s2,f,old,4
"""
TRUTH = {"n1": 23, "n2": 1, "s1": 30, "s2": 6}
NORTH, SOUTH, OLD = 24, 36, 7


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC, encoding="utf-8")
    return path


def drawn(
    spec: Path, fit: Fit | None, seed: int | None = 1, draws: int = 1
) -> tuple[list[dict[str, str]], Sample]:
    performance = run_mechanism(str(spec), None, seed, draws, fit)
    assert isinstance(performance, TopDownRelease)
    rows = list(csv.DictReader(performance.drawn()))
    assert len(rows) == performance.rows
    assert list(rows[0]) == list(performance.columns)
    return rows, performance.summary()


def by(rows: list[dict[str, str]], name: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        found[row[name]] += int(row["count"])
    return found


@pytest.mark.parametrize("fit", ["l1", "l2"])
def test_a_fitted_table_has_the_invariants_and_no_negative_count(spec: Path, fit: Fit) -> None:
    rows, told = drawn(spec, fit, draws=5)
    for draw in map(str, range(1, 6)):
        table = [row for row in rows if row["draw"] == draw]
        assert len(table) == 4 * 6 - 2
        assert min(int(row["count"]) for row in table) >= 0
        assert by(table, "state") == {"north": NORTH, "south": SOUTH}
        assert by(table, "age")["old"] == OLD
        assert all(row["age"] != "child" for row in table if row["county"] == "s2")
    assert told.fit == fit
    assert any(
        "post-processing, which does not change the guarantee" in note for note in told.notes
    )
    errors = {(error.level, error.query): error for error in told.errors}
    assert set(errors) == {
        *(("State", query) for query in ("detailed", "grown")),
        *(("County", query) for query in ("total", "detailed")),
        ("US", "detailed"),
    }
    totals = [by([r for r in rows if r["draw"] == d], "county") for d in map(str, range(1, 6))]
    away = sum(abs(total[county] - true) for total in totals for county, true in TRUTH.items())
    county = errors["County", "total"]
    assert county.counts == 20
    assert county.fitted is not None
    assert county.fitted * 20 == away
    assert county.zeros is None


def test_noisy_counts_are_those_of_every_level_and_query(spec: Path) -> None:
    rows, told = drawn(spec, None, draws=200)
    one = [row for row in rows if row["draw"] == "1"]
    places = Counter((row["level"], row["query"]) for row in one)
    assert places == {
        ("US", "detailed"): 6,
        ("State", "detailed"): 12,
        ("State", "grown"): 4,
        ("County", "total"): 4,
        ("County", "detailed"): 22,
    }
    assert {row["recodes"] for row in one if row["query"] == "grown"} == {"grown=1", "grown=2"}
    # sigma^2 is 1 / rho: 4 for a share of 1/8 of 2
    total = [int(r["answer"]) for r in rows if (r["level"], r["query"]) == ("County", "total")]
    true = [TRUTH[r["county"]] for r in rows if (r["level"], r["query"]) == ("County", "total")]
    squares = [(a - b) ** 2 for a, b in zip(total, true, strict=True)]
    assert sum(squares) / len(squares) == pytest.approx(4, rel=0.2)
    assert [error.fitted for error in told.errors] == [None] * 5
    assert [part.coordinates for part in told.parts] == [6, 16, 26]


def test_without_a_seed_no_error_is_told(spec: Path) -> None:
    """They are computed from the confidential table."""
    _, told = drawn(spec, "l1", seed=None)
    assert told.errors == ()
    assert not any("errors" in note for note in told.notes)


def test_without_data_the_noise_alone_is_drawn(spec: Path) -> None:
    spec.write_text(SPEC.replace("data: {table: people.csv}\n", ""), encoding="utf-8")
    rows, told = drawn(spec, None)
    assert "noise" in rows[0]
    assert told.errors == ()
    assert not told.answers
    with refusal() as told_problems:
        drawn(spec, "l1")
    assert "the spec has no data" in str(told_problems.value)


def test_beside_another_part_it_is_refused(spec: Path) -> None:
    head, _, tail = SPEC.partition("  topdown:\n")
    parts = "  compose:\n    - zcdp: {rho: 1}\n    - topdown:\n"
    spec.write_text(head + parts + indent(tail, "    "), encoding="utf-8")
    with refusal() as told_problems:
        run_mechanism(str(spec), None, 1, 1, None)
    assert "a spec with topdown alone" in str(told_problems.value)


def refusal() -> pytest.RaisesExc[Exception]:
    return pytest.raises((RefusedError, SpecError))


def test_a_seed_gives_the_same_table_again(spec: Path) -> None:
    first, second, other = (drawn(spec, "l1", seed=seed)[0] for seed in (3, 3, 4))
    assert first == second
    assert first != other
