"""Hierarchical releases in a spec: what is read from a spine, recodes and an allocation."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from semiaudit.errors import SpecError
from semiaudit.model.topdown import NoisyQuery, Recode, TopDown
from semiaudit.spec.build import load_release
from tests.places import CONFIGS

SPEC = """semiaudit: 1
dataspace: {size: 9, attributes: {state: [x, y, all], age: 10, sex: [f, m]}}
invariants: [margin: [state]]
mechanism:
  topdown:
    spine: [{level: US}, {level: State, attribute: state, split: SPLIT}]
    recodes:
      grown: {of: age, groups: [0..2, [3, 5..6]]}
      old women: {of: [age, sex], groups: [{age: 7..9, sex: f}]}
      unknown: {of: age}
    queries:
      total: []
      all: [grown, sex, old women, unknown]
      sex: {tells: sex, histogram: second, where: {age: [1, 2]}}
    ALLOCATION
"""
ROWS = "allocation: [[level, query, rho], [US, all, 1/4], [State, total, 1/2], [State, sex, 1/8]]"


def read(folder: Path, split: str = "[y]", allocation: str = ROWS) -> TopDown:
    path = folder / "spec.yaml"
    path.write_text(SPEC.replace("SPLIT", split).replace("ALLOCATION", allocation))
    found = load_release(path).mechanism
    assert isinstance(found, TopDown)
    return found


def test_a_spine_has_its_levels_and_what_is_split(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert [(one.name, one.attribute, one.split) for one in found.spine] == [
        ("US", None, frozenset()),
        ("State", "state", frozenset({1})),
    ]
    # A level of that name is meant where there is one.
    assert read(tmp_path, "all").spine[1].split == {2}


def test_queries_see_attributes_and_recodes_with_ranges_of_numbered_levels(tmp_path: Path) -> None:
    total, all_of_them, sex = read(tmp_path).queries
    assert total.tells == ()
    grown, itself, women, unknown = ((recode.of, recode.groups) for recode in all_of_them.tells)
    assert grown == (("age",), ((("age", (0, 1, 2)),), (("age", (3, 5, 6)),)))
    assert itself == (("sex",), None)
    assert women == (("age", "sex"), ((("age", (7, 8, 9)), ("sex", ("f",))),))
    assert unknown == (("age",), ())
    assert (sex.histogram, sex.where) == ("second", (("age", (1, 2)),))
    assert all_of_them.histogram == "main"
    assert isinstance(sex.tells[0], Recode)


NOISY = (
    NoisyQuery(0, 1, Fraction(1, 4)),
    NoisyQuery(1, 0, Fraction(1, 2)),
    NoisyQuery(1, 2, Fraction(1, 8)),
)


@pytest.mark.parametrize(
    "allocation",
    [
        ROWS,
        f"{ROWS}\n    rho: 7/8",
        "rho: 7/8\n    allocation: [[query, level, share], [all, US, 2/7], [total, State, 4/7], "
        "[sex, State, 1/7]]",
        "rho: 7/8\n    allocation: [[level, query, level_share, query_share], [US, all, 2/7, 1], "
        "[State, total, 5/7, 4/5], [State, sex, 5/7, 1/5]]",
        "allocation: table.csv",
        "rho: 7/8\n    allocation: shares.csv",
    ],
)
def test_an_allocation_is_the_same_however_it_is_written(allocation: str, tmp_path: Path) -> None:
    table = (
        "level,histogram,query,rho\nUS,main,all,0.25\nState,main,total,0.5\nState,second,sex,1/8\n"
    )
    (tmp_path / "table.csv").write_text(table)
    shares = "level,query,share\nUS,all,2/7\nState,total,4/7\nState,sex,1/7\n"
    (tmp_path / "shares.csv").write_text(shares)
    found = read(tmp_path, allocation=allocation)
    assert found.noisy == NOISY
    assert found.rho == Fraction(7, 8)
    assert [noisy.sigma_squared for noisy in found.noisy] == [4, 2, 8]


def test_a_global_scale_is_one_over_the_root_of_rho(tmp_path: Path) -> None:
    rows = "[[level, query, share], [US, all, 1/3], [State, sex, 2/3]]"
    found = read(tmp_path, allocation=f"global_scale: 2/3\n    allocation: {rows}")
    assert found.rho == Fraction(9, 4)
    # The noise of the census's code: 1/sigma^2 = share / global_scale^2.
    assert found.noisy[0].sigma_squared == Fraction(4, 9) / Fraction(1, 3)


@pytest.mark.parametrize("table", ["shares.csv", "dhc.csv"])
def test_a_problem_of_a_file_has_its_line(table: str, tmp_path: Path) -> None:
    shares = "level,query,share\nUS,all,2/7\nState,total,4/7\n\nState,sex,1/8\n"
    (tmp_path / "shares.csv").write_text(shares)
    (tmp_path / "dhc.csv").write_text("level,histogram,query,share\nUS,second,all,1\n")
    line = {"shares.csv": 5, "dhc.csv": 2}[table]
    with pytest.raises(SpecError) as caught:
        read(tmp_path, allocation=f"rho: 1\n    allocation: {table}")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == (str(tmp_path / table), line)


def test_a_heading_alone_is_no_allocation(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="has no rows"):
        read(tmp_path, allocation="allocation: [[level, query, rho]]")


@pytest.mark.parametrize(
    ("name", "rho", "noisy"),
    [
        ("pl94_persons", Fraction(542, 339) ** 2, 65),
        ("dhc_persons", Fraction(24811, 5000), 80),
        ("dhc_units", Fraction(15401, 2000), 80),
    ],
)
def test_the_census_is_read_whole(name: str, rho: Fraction, noisy: int) -> None:
    found = load_release(CONFIGS / f"census2020_{name}.yaml").mechanism
    assert isinstance(found, TopDown)
    assert (found.rho, len(found.noisy)) == (rho, noisy)


def test_a_total_at_a_level_of_an_unknown_attribute_is_one_error_for_people(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(
        "semiaudit: 1\ndataspace: {unit: person, size: 9}\nmechanism:\n  topdown:\n"
        "    spine: [{level: Country}, {level: State, attribute: state, split: [0]}]\n"
        "    queries: {total: []}\n    rho: 1/2\n"
        "    allocation: [[level, query, share], [State, total, 1]]\n"
    )
    with pytest.raises(SpecError) as caught:
        load_release(tmp_path / "x.yaml")
    (problem,) = caught.value.problems
    assert "state is not an attribute of the dataspace" in problem.message
