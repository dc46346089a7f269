"""The hierarchical release that is performed is the one that is audited."""

from __future__ import annotations

import csv
from collections import Counter
from math import exp
from pathlib import Path

import pytest
from scipy.special import chdtrc

from semiaudit.commands.sample.run import run_mechanism
from semiaudit.mechanisms.sampling.nonnegative import Fit
from tests.audits import report

HEAD = """semiaudit: 1
title: Two states, one of them with a lake district
dataspace:
  unit: person
  size: 90
  attributes:
"""
MECHANISM = """    sex: [f, m]
    age: [child, adult, old]
invariants: [{margin: [state]}]
mechanism:
  topdown:
    spine: SPINE
    queries: {total: [], sex by age: [sex, age]}
    rho: 2
    allocation:
      - [level, query, share]
      - [Country, sex by age, 1/8]
      - [State, total, 1/16]
      - [State, sex by age, 1/4]
      - [Village, total, 1/2]
      - [Village, sex by age, 1/16]
report: {deltas: [1e-6]}
"""
SPLIT = (
    HEAD
    + "    state: [coast, hills]\n"
    + MECHANISM.replace(
        "SPINE",
        "[{level: Country}, {level: State, attribute: state, split: [coast]}, {level: Village}]",
    )
)
AREAS = (
    HEAD
    + """    state: [coast, hills]
    area: {within: state, levels: {coast: [lakes, rest], hills: [all hills]}}
    village: {within: area, levels: {lakes: [v1, v2], rest: [v3], all hills: [v4, v5]}}
"""
    + MECHANISM.replace(
        "SPINE",
        "[{level: Country}, {level: State, attribute: area}, {level: Village, attribute: village}]",
    )
)
SIGMA_SQUARED = {
    ("Country", "sex by age"): 4.0,
    ("State", "total"): 8.0,
    ("State", "sex by age"): 2.0,
    ("Village", "total"): 1.0,
    ("Village", "sex by age"): 8.0,
}
"""1 / (share rho), by hand."""

PEOPLE = """state,area,village,sex,age,count
coast,lakes,v1,f,child,9
coast,lakes,v2,m,adult,11
coast,rest,v3,f,old,20
hills,all hills,v4,m,child,25
hills,all hills,v5,f,adult,25
"""


def performed(
    folder: Path, people: str | None, seed: int, draws: int, fit: Fit | None
) -> list[dict[str, str]]:
    spec = folder / "areas.yaml"
    spec.write_text(AREAS, encoding="utf-8")
    data = None
    if people is not None:
        data = str(folder / "people.csv")
        Path(data).write_text(people, encoding="utf-8")
    return list(csv.DictReader(run_mechanism(str(spec), data, seed, draws, fit).drawn()))


def misfit(noise: Counter[int], sigma_squared: float) -> float:
    """The p-value of Pearson's chi-square test against the discrete Gaussian, by its definition."""
    number = noise.total()
    mass = {k: exp(-(k**2) / (2 * sigma_squared)) for k in range(-80, 81)}
    total = sum(mass.values())
    inner = [k for k, one in mass.items() if one / total * number >= 10]
    expected = [mass[k] / total * number for k in inner]
    found = [noise[k] for k in inner]
    expected.append(number - sum(expected))
    found.append(number - sum(found))
    away = sum((a - b) ** 2 / b for a, b in zip(found, expected, strict=True))
    return float(chdtrc(len(inner), away))


def test_noise_has_the_law_of_its_level_and_query(tmp_path: Path) -> None:
    """Each at the level 1e-4; a variance that is off by a fifth is told from it."""
    noise: dict[tuple[str, str], Counter[int]] = {}
    for row in performed(tmp_path, None, 21, 600, None):
        noise.setdefault((row["level"], row["query"]), Counter())[int(row["noise"])] += 1
    assert {key: drawn.total() for key, drawn in noise.items()} == {
        ("Country", "sex by age"): 600 * 6,
        ("State", "total"): 600 * 3,
        ("State", "sex by age"): 600 * 18,
        ("Village", "total"): 600 * 5,
        ("Village", "sex by age"): 600 * 30,
    }
    for key, sigma_squared in SIGMA_SQUARED.items():
        assert misfit(noise[key], sigma_squared) > 1e-4, key
        assert misfit(noise[key], 1.25 * sigma_squared) < 1e-4, key
        assert misfit(noise[key], 0.8 * sigma_squared) < 1e-4, key


def test_areas_as_an_attribute_are_audited_as_a_split(tmp_path: Path) -> None:
    """What the data must tell for a split level to be performed changes no number."""
    split, areas = (report(tmp_path, text) for text in (SPLIT, AREAS))
    assert areas["semantics"] == split["semantics"]
    kept = ("framework", "adjacency", "universe", "zcdp", "approx_dp", "tradeoff")
    pairs = zip(areas["guarantees"], split["guarantees"], strict=True)
    assert all(a[key] == b[key] for a, b in pairs for key in kept)
    assert areas["semi_adjacency"]["value"] == split["semi_adjacency"]["value"] == 2
    places = {row["where"] for row in areas["semantics"] if row["universe"] == "D_t"}
    assert len(places) > 1  # the coast and the hills are told apart


@pytest.mark.slow
@pytest.mark.parametrize("fit", ["l1", "l2"])
def test_invariants_hold_for_a_hundred_seeds(tmp_path: Path, fit: Fit) -> None:
    for seed in range(100):
        rows = performed(tmp_path, PEOPLE, seed, 1, fit)
        totals: Counter[str] = Counter()
        for row in rows:
            totals[row["state"]] += int(row["count"])
        assert totals == {"coast": 40, "hills": 50}
        assert min(int(row["count"]) for row in rows) >= 0
        assert len(rows) == 5 * 2 * 3
