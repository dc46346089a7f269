"""What `data.columns` says, and where each mistake in it is told."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from semiaudit.cli import main
from semiaudit.errors import SpecError
from semiaudit.model.data_source import Bin, DataColumn
from semiaudit.spec.build import load_release

HEAD = (
    "semiaudit: 1\n"
    "dataspace: {attributes: {age: [0-17, 18+, unknown], sex: [f, m], year: 2, count: 2}}\n"
    "invariants: [margin: [age]]\n"
    "mechanism: {zcdp: {rho: 1}}\n"
)


def columns(folder: Path, text: str, kind: str = "table") -> tuple[DataColumn, ...]:
    path = folder / "spec.yaml"
    path.write_text(f"{HEAD}data:\n  {kind}: t.csv\n  columns: {text}\n")
    source = load_release(path).source
    assert source is not None
    return source.columns


def problems(folder: Path, text: str, kind: str = "table") -> list[str]:
    with pytest.raises(SpecError) as caught:
        columns(folder, text, kind)
    return [str(problem).partition("spec.yaml:")[2] for problem in caught.value.problems]


def test_names_counts_and_bins(tmp_path: Path) -> None:
    found = columns(
        tmp_path,
        "{Freq: count, Sex: sex, count: {attribute: count}, year: {bins: {0: [null, 1999], "
        '1: [2000, 2025]}}, "": {attribute: age, bins: {0-17: [0, 17], "18+": [18, null]}}}',
    )
    assert found == (
        DataColumn("Freq", None),
        DataColumn("Sex", "sex"),
        DataColumn("count", "count"),
        DataColumn(
            "year", "year", (Bin(0, None, Fraction(1999)), Bin(1, Fraction(2000), Fraction(2025)))
        ),
        DataColumn("", "age", (Bin(0, Fraction(0), Fraction(17)), Bin(1, Fraction(18), None))),
    )


def test_ends_are_exact_numbers(tmp_path: Path) -> None:
    (found,) = columns(tmp_path, "{age: {bins: {0-17: [1e-3, 1/3], 18+: [0.334, 1]}}}", "records")
    assert [(str(one.low), str(one.high)) for one in found.bins] == [
        ("1/1000", "1/3"),
        ("167/500", "1"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{Sex: gender}", "7:18: data.columns.Sex: gender is not an attribute of the dataspace"),
        ("{Sex: {bins: {a: [0, 1]}}}", "data.columns.Sex: Sex is not an attribute"),
        ("{a: sex, b: sex}", "7:24: data.columns.b: sex is in the column a too"),
        ("{a: count, b: count}", "data.columns.b: the counts are in the column a too"),
        ("{age: sex}", "7:13: data.columns.age: is the column of sex, so that age has no column"),
        (
            "{sex: count}",
            "data.columns.sex: is the column of the counts, so that sex has no column",
        ),
        ("{a: {attribut: sex}}", "data.columns.a: attribut is not a known key"),
        ("{a: {}}", "data.columns.a: is empty"),
        ("{a: [sex]}", "data.columns.a: a list is not an attribute"),
        ("{a: {attribute: age, bins: {}}}", "data.columns.a: bins is not a mapping"),
        ("{age: {bins: {0-17: 17}}}", "data.columns.age: the bin 0-17 is not a pair"),
        ("{age: {bins: {0-17: [17, 0]}}}", "data.columns.age: the bin 0-17 ends before it begins"),
        ("{age: {bins: {0-17: [a, 0]}}}", "data.columns.age: a is not a number"),
        ("{age: {bins: {0-17: [.inf, 0]}}}", "data.columns.age: .inf is not a finite number"),
        ("{age: {bins: {0-18: [0, 18]}}}", "7:26: data.columns.age.bins.0-18: 0-18 is not a level"),
        (
            "{age: {bins: {0-17: [0, 18], 18+: [18, null]}}}",
            "data.columns.age.bins.18+: overlaps the bin 0-17",
        ),
        (
            "{age: {bins: {0-17: [null, 5], 18+: [null, null]}}}",
            "data.columns.age.bins.18+: overlaps the bin 0-17",
        ),
        (
            "{year: {bins: {0: [0, 1], 00: [2, 3]}}}",
            "data.columns.year.bins.00: repeats the level 0 of year",
        ),
        (
            "{year: {bins: {0: [5, 6]}}}",
            "data.columns.year.bins: has bins for 1 of the 2 levels of year",
        ),
        ("{}", "data.columns: has too few items"),
    ],
)
def test_every_mistake_is_told_at_its_place(tmp_path: Path, text: str, told: str) -> None:
    found = problems(tmp_path, text)
    assert told in found[0]


def test_records_have_no_counts(tmp_path: Path) -> None:
    (told,) = problems(tmp_path, "{Freq: count}", "records")
    assert "data.columns.Freq: records have no column of counts" in told


def test_a_level_without_a_bin_lies_in_no_bin(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    text = "{records: t.csv, columns: {age: {bins: {young: [0, 99]}}}}"
    path.write_text(
        "semiaudit: 1\ndataspace: {attributes: {age: [young, 99]}}\n"
        f"mechanism: {{zcdp: {{rho: 1}}}}\ndata: {text}\n"
    )
    with pytest.raises(SpecError, match="contains 99, which is another level of age"):
        load_release(path)


def test_columns_go_with_data_that_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\ndataspace: {attributes: {a: 2}}\ninvariants: [margin: [a]]\n"
        "mechanism: {zcdp: {rho: 1}}\ndata: {counts: [1, 2], columns: {b: a}}\n"
    )
    with pytest.raises(SpecError, match="columns: describes columns, but there is no table"):
        load_release(path)


def test_the_audit_is_that_of_the_same_counts_under_plain_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb")
    head = (
        "semiaudit: 1\ndataspace: {attributes: {age: [0-17, 18+], sex: [f, m]}}\n"
        "invariants: [margin: [age], margin: [sex]]\nmechanism: {zcdp: {rho: 1}}\n"
    )
    (tmp_path / "t.csv").write_text("Sex,AGEP,Freq\nf,3,2\nm,3,1\nf,17,1\nm,18,4\n")
    bins = "{attribute: age, bins: {0-17: [0, 17], 18+: [18, null]}}"
    mapped = f"{{table: t.csv, columns: {{Freq: count, Sex: sex, AGEP: {bins}}}}}"
    reports = []
    for data in (mapped, "{margins: {age: [4, 4], sex: [3, 5]}}"):
        (tmp_path / "spec.yaml").write_text(f"{head}data: {data}\n")
        assert main(["analyze", str(tmp_path / "spec.yaml")]) == 0
        reports.append(capsys.readouterr().out)
    assert reports[0] == reports[1]
