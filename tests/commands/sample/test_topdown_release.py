"""A hierarchical release performed: whole, exact in its invariants, and told without its data."""

from __future__ import annotations

import csv
import json
from collections import Counter
from math import exp
from pathlib import Path
from textwrap import indent

import jsonschema
import pytest
from scipy.special import chdtrc

from semiaudit.cli import main
from semiaudit.commands.sample.command import FILES
from semiaudit.commands.sample.run import run_mechanism
from semiaudit.commands.sample.topdown_release import TopDownRelease
from semiaudit.errors import RefusedError, SpecError
from semiaudit.model.results.errors import ErrorQuestion, FitNorm, Fitting
from semiaudit.model.results.sample import Sample
from tests.audits import report
from tests.places import ROOT

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


def asked(fit: FitNorm | None) -> ErrorQuestion:
    return ErrorQuestion(fitting=None if fit is None else Fitting(fit))


def drawn(
    spec: Path, fit: FitNorm | None, seed: int | None = 1, draws: int = 1
) -> tuple[list[dict[str, str]], Sample]:
    performance = run_mechanism(str(spec), None, seed, draws, question=asked(fit))
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
def test_a_fitted_table_has_the_invariants_and_no_negative_count(spec: Path, fit: FitNorm) -> None:
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
    assert {error.stage for error in told.errors} == {"noisy"}
    assert [part.coordinates for part in told.parts] == [6, 16, 26]


def test_without_data_the_noise_alone_is_drawn(spec: Path) -> None:
    spec.write_text(SPEC.replace("data: {table: people.csv}\n", ""), encoding="utf-8")
    rows, told = drawn(spec, None)
    assert "noise" in rows[0]
    assert [error.table for error in told.errors] == [None]
    assert not told.answers
    with refusal() as told_problems:
        drawn(spec, "l1")
    assert "the spec has no data" in str(told_problems.value)


def test_beside_another_part_it_is_refused(spec: Path) -> None:
    head, _, tail = SPEC.partition("  topdown:\n")
    parts = "  compose:\n    - zcdp: {rho: 1}\n    - topdown:\n"
    spec.write_text(head + parts + indent(tail, "    "), encoding="utf-8")
    with refusal() as told_problems:
        run_mechanism(str(spec), None, 1, 1)
    assert "a spec with topdown alone" in str(told_problems.value)


def refusal() -> pytest.RaisesExc[Exception]:
    return pytest.raises((RefusedError, SpecError))


def test_a_seed_gives_the_same_table_again(spec: Path) -> None:
    first, second, other = (drawn(spec, "l1", seed=seed)[0] for seed in (3, 3, 4))
    assert first == second
    assert first != other


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

AUDITED_PEOPLE = """state,area,village,sex,age,count
coast,lakes,v1,f,child,9
coast,lakes,v2,m,adult,11
coast,rest,v3,f,old,20
hills,all hills,v4,m,child,25
hills,all hills,v5,f,adult,25
"""


def performed(
    folder: Path, people: str | None, seed: int, draws: int, fit: FitNorm | None
) -> list[dict[str, str]]:
    spec = folder / "areas.yaml"
    spec.write_text(AREAS, encoding="utf-8")
    data = None
    if people is not None:
        data = str(folder / "people.csv")
        Path(data).write_text(people, encoding="utf-8")
    return list(
        csv.DictReader(run_mechanism(str(spec), data, seed, draws, question=asked(fit)).drawn())
    )


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
def test_invariants_hold_for_a_hundred_seeds(tmp_path: Path, fit: FitNorm) -> None:
    for seed in range(100):
        rows = performed(tmp_path, AUDITED_PEOPLE, seed, 1, fit)
        totals: Counter[str] = Counter()
        for row in rows:
            totals[row["state"]] += int(row["count"])
        assert totals == {"coast": 40, "hills": 50}
        assert min(int(row["count"]) for row in rows) >= 0
        assert len(rows) == 5 * 2 * 3


SAMPLED = """semiaudit: 1
title: Two regions
dataspace: {unit: person, attributes: {region: [x, y], sex: [f, m]}}
invariants: [{margin: [region]}]
mechanism:
  topdown:
    spine: [{level: all}, {level: region, attribute: region}]
    queries: {sex: {tells: sex}}
    allocation: [[level, query, rho], [all, sex, 1], [region, sex, 1/2]]
"""
TABLE = "region,sex,count\nx,f,9\nx,m,2\ny,f,4\n"


def test_the_fitted_table_is_described_in_text_and_json_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text(SAMPLED, encoding="utf-8")
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    command = ["mechanism", "sample", "spec.yaml", "--data", "people.csv", "--seed", "0"]
    command += ["--nonnegative-integers", "l2", "-o", "csv=fitted.csv"]
    command += ["--runs", "1", "--show-values"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert "post-processing, which does not change" in text
    assert "a table of nonnegative whole numbers, totals first (l2)" in text
    assert "from the seed 0" in text
    rows = list(csv.DictReader(Path("fitted.csv").read_text("utf-8").splitlines()))
    table = {(row["region"], row["sex"]): int(row["count"]) for row in rows}
    assert table["x", "f"] + table["x", "m"] == 11
    assert table["y", "f"] + table["y", "m"] == 4
    assert min(table.values()) >= 0

    assert main([*command, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, json.loads((ROOT / "docs" / "sample.schema.json").read_text()))
    true = {("x", "f"): 9, ("x", "m"): 2, ("y", "f"): 4, ("y", "m"): 0}
    away = sum(abs(table[cell] - count) for cell, count in true.items())
    (fitted,) = (error for error in told["errors"] if error["stage"] == "fitted")
    assert fitted["mean_absolute_error"] == away / 4
    assert fitted["table"]["zeros"] == table["y", "m"]


def test_a_level_that_the_data_do_not_tell_is_refused_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = SAMPLED.replace("attribute: region}]", "attribute: region, split: [x]}]")
    Path("spec.yaml").write_text(spec, encoding="utf-8")
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    command = ["mechanism", "sample", "spec.yaml", "--data", "people.csv"]
    for kind in sorted({"csv", "parquet"} & set(FILES)):
        assert main([*command, "-o", f"{kind}=noisy.{kind}"]) == 2
        told = capsys.readouterr().err
        assert "splits units into areas that the data do not distinguish" in told
        assert not Path(f"noisy.{kind}").exists()


def test_too_large_a_fit_is_refused_before_the_data_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text(SAMPLED.replace("sex: [f, m]}", "sex: 13000}"), encoding="utf-8")
    command = ["mechanism", "sample", "spec.yaml", "--data", "nowhere.csv", "-o", "csv=out.csv"]
    assert main([*command, "--nonnegative-integers", "l2"]) == 2
    told = capsys.readouterr().err
    assert "the table has 26000 cells, and at most 25000 can be fitted" in told
    assert main(command) == 2
    assert capsys.readouterr().err.startswith("error: nowhere.csv: there is no such file")
    assert not Path("out.csv").exists()


def test_nothing_is_written_where_the_time_limit_strikes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text(SAMPLED, encoding="utf-8")
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    command = ["mechanism", "sample", "spec.yaml", "--data", "people.csv", "-o", "csv=out.csv"]
    command += ["--draws", "1000000", "--nonnegative-integers", "l1", "--time-limit", "0.5"]
    assert main(command) == 2
    told = capsys.readouterr()
    assert told.err.endswith("raise --time-limit\n")
    assert "the time limit was reached before" in told.err
    assert not told.out
    assert not Path("out.csv").exists()
