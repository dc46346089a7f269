"""`init`: a spec of one's own data in one command, the shipped specs, and what is not written."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from semiaudit.auditing.counting import counted
from semiaudit.cli import main
from semiaudit.commands.init import Drafted, draft
from semiaudit.errors import SpecError
from semiaudit.model.audit import PublishedCounts
from semiaudit.model.dataspace import TableSpace
from semiaudit.resources import shipped_configs
from semiaudit.spec.build import load_release
from tests.cli.test_invocations import modules_loaded_by, process
from tests.data.counting import csv_file, parquet_file
from tests.places import ROOT
from tests.tables import MICRODATA, TABLE, real_table

pytest.importorskip("duckdb")

Levels = dict[str, tuple[int | str, ...]]
ODD = (
    '"it""s","new\nline","emoji 🎉","a*b","a,b"," lead",null,yes,~,\\,"""\n'
    '"o""h",1,🎉,no,"c,d", s,null,yes,~,017,1e3\n'
    "a'b,2,❤,yes,e, t,NULL,on,\\,17,.inf\n"
).replace(',"""\n', ',""""\n')


def drafted(
    path: Path,
    *margins: str,
    count: str = "",
    dropped: Sequence[str] = (),
    kept: Sequence[str] = (),
) -> tuple[Drafted, Levels]:
    """The draft, and the levels of its attributes once it is read and its data are counted."""
    target = path.parent / "spec.semiaudit.yaml"
    asked = [margin.split(";") for margin in margins]
    found = draft(str(path), str(target), asked, count, dropped=dropped, kept=kept)
    target.write_text(found.text, encoding="utf-8")
    release = counted(load_release(target))
    assert isinstance(release.dataspace, TableSpace)
    assert len(release.invariants) == len(margins)
    levels: Levels = {}
    for attribute in release.dataspace.attributes:
        assert isinstance(attribute.levels, tuple)
        levels[attribute.name] = attribute.levels
    return found, levels


def refused(path: Path, *margins: str, count: str = "", dropped: Sequence[str] = ()) -> str:
    with pytest.raises(SpecError) as caught:
        drafted(path, *margins, count=count, dropped=dropped)
    return str(caught.value).replace(f"{path.parent}/", "")


def test_microdata_with_an_identifier_and_a_wide_column(tmp_path: Path) -> None:
    rows = "".join(f"u{i},{i % 3},{i % 10},{i / 8}\n" for i in range(900))
    path = csv_file(tmp_path, "id,state,digit,income\n" + rows)
    told = refused(path, "state;digit")
    assert "id, income: has a different value in every row, like an identifier" in told
    assert "leave it out with --drop id --drop income, or keep it with --margin id" in told
    assert len(drafted(path, "state", "id", dropped=["income"])[1]["id"]) == 900
    found, levels = drafted(path, "state;digit", dropped=["id", "income"])
    assert levels == {"state": (0, 1, 2), "digit": tuple(range(10))}
    told = "\n".join(found.notes)
    assert "every row is a record" in told
    assert "left out: 'id' is dropped" in told
    assert "900" not in told + found.text


def test_numbers_of_too_many_values_are_pointed_out_with_their_bins(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "a,n\n" + "".join(f"x,{i % 150}\n" for i in range(600)))
    found, _ = drafted(path)
    assert "left out: 'n' has more than 100 values" in found.notes
    commented = [line for line in found.text.splitlines() if "bins:" in line]
    assert commented == ['    # "n": {bins: {"up to 9": [null, 9], "10 and more": [10, null]}}']
    assert '# The column "n" is left out: it has more than 100 values.' in found.text


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("Admit,Dept,Freq\nyes,A,3\nno,A,0\nyes,B,2\n", "Freq"),
        ('"",Admit,Freq\n1,yes,3\n2,no,2\n', "Freq"),
        ("state,count\n" + "".join(f"s{i},{i}\n" for i in range(51)), "count"),
        ("state,N\n1,5\n2,5\n3,5\n4,5\n5,5\n6,5\n", "N"),
        ('"",a,b,n\n' + "".join(f"{i},{i // 15},{i % 15},{i % 7}\n" for i in range(150)), "n"),
    ],
)
def test_a_column_of_counts_is_found_by_its_name_and_said(
    tmp_path: Path, text: str, column: str
) -> None:
    found, levels = drafted(csv_file(tmp_path, text))
    assert f"every row is a cell, and {column!r} is read as its count" in found.notes
    assert column not in levels
    assert "" not in levels


@pytest.mark.parametrize(
    "text",
    [
        "a,count\nx,2\nx,3\n",
        '"",n,a\n1,3,x\n2,4,x\n3,5,y\n',
    ],
)
def test_what_is_only_called_counts_is_an_attribute(tmp_path: Path, text: str) -> None:
    found, levels = drafted(csv_file(tmp_path, text))
    assert "every row is a record" in found.notes
    assert {"count", "n"} & set(levels)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("a,count\nx,-2\ny,3\n", [2]),
        ("a,n\nx,2\ny,3\nz,2.5\n", [4]),
        ("a,population\nx,2.5\ny,3.25\n", [2, 3]),
        ('a,population\nx,"12,345"\ny,"1,000"\n', [2, 3]),
        ("a,b,count\nx,p,*\nx,q,3\ny,p,<5\ny,q,8\n", [2, 4]),
        ("a,Freq,n\nx,often,1\ny,3,2\n", [2]),
        ("a,count\nx,\nx,3\n", [2]),
    ],
)
def test_cells_of_a_column_named_as_counts_that_are_none_are_refused(
    tmp_path: Path, text: str, cells: list[int]
) -> None:
    told = refused(csv_file(tmp_path, text))
    assert [int(line.split(":")[1]) for line in told.splitlines()] == cells
    assert "rename the column if it does not contain counts" in told
    assert not any(value in told for value in ("2.5", "345", "often", "<5"))


def test_a_column_named_as_counts_can_be_left_out(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "n,age\n" + "".join(f"{'yn'[i % 2]},{i % 7}\n" for i in range(60)))
    assert "leave it out with --drop n" in refused(path)
    assert list(drafted(path, dropped=["n"])[1]) == ["age"]
    flags = parquet_file(tmp_path, "SELECT i % 2 = 0 AS n, i % 7 AS age FROM range(60) AS t(i)")
    assert "has a type that cannot be a count" in (told := refused(flags))
    assert "leave it out with --drop n" in told


def test_rows_that_are_records_by_a_wide_column_can_stay_records(tmp_path: Path) -> None:
    rows = "".join(f"{i % 5},{i % 6},{i // 2}\n" for i in range(300))
    path = csv_file(tmp_path, "region,persons,income\n" + rows)
    assert "('income') with --margin; if each row is a record, use --drop" in refused(path)
    found, levels = drafted(path, dropped=["income"])
    assert "every row is a record" in found.notes
    assert list(levels) == ["region", "persons"]


def test_a_column_without_a_name_is_an_attribute_unless_it_numbers_the_rows(
    tmp_path: Path,
) -> None:
    path = csv_file(tmp_path, ",a\n" + "".join(f"n{i % 4},x{i % 3}\n" for i in range(60)))
    assert drafted(path)[1] == {"column 1": ("n0", "n1", "n2", "n3"), "a": ("x0", "x1", "x2")}
    path = csv_file(tmp_path, ",a\n" + "".join(f"{i},x{i % 3}\n" for i in range(60)))
    found, levels = drafted(path)
    assert levels == {"a": ("x0", "x1", "x2")}
    assert "left out: '' has a different value in every row, like an identifier" in found.notes


def test_counts_are_not_levels_if_codes_make_the_cells(tmp_path: Path) -> None:
    rows = "".join(f"{i:05},{sex},{i % 7}\n" for i in range(150) for sex in "fm")
    path = csv_file(tmp_path, "code,sex,count\n" + rows)
    assert "name the columns that are left out ('code') with --margin" in refused(path)
    for margin in ("code", "code * sex"):
        found, levels = drafted(path, margin)
        assert "every row is a cell, and 'count' is read as its count" in found.notes
        assert levels["code"] == tuple(f"{i:05}" for i in range(150))
    lone = csv_file(tmp_path, "code,count\n" + "".join(f"{i:05},{i % 7}\n" for i in range(150)))
    assert "--margin code" in refused(lone)
    assert list(drafted(lone, "code", count="count")[1]) == ["code"]


def test_levels_that_number_no_rows_make_cells(tmp_path: Path) -> None:
    rows = "".join(f"{i},{sex},{i + 1}\n" for i in range(6) for sex in "fm")
    found, levels = drafted(csv_file(tmp_path, "region,sex,count\n" + rows))
    assert "every row is a cell, and 'count' is read as its count" in found.notes
    assert list(levels) == ["region", "sex"]


DOUBT = "each combination of the other columns has one row"


def test_a_column_of_numbers_with_a_row_for_each_combination_is_pointed_out(
    tmp_path: Path,
) -> None:
    cells = [f"{state},{sex}" for state in "abcd" for sex in "fm"]
    for values in ("0.5", "*", "<5"):
        rows = "".join(
            f"{cell},{values if i % 3 == 0 else i / 4}\n" for i, cell in enumerate(cells)
        )
        found, levels = drafted(csv_file(tmp_path, "state,sex,inhabitants\n" + rows))
        (note,) = [note for note in found.notes if DOUBT in note]
        assert note.startswith("'inhabitants'")
        assert note.endswith("--count-column inhabitants")
        assert f"# CHECK: {DOUBT}" in found.text
        assert "inhabitants" in levels
    persons = "".join(f"{cells[i % 8]},{20 + i * 7 % 29},{i % 3:03}\n" for i in range(60))
    found, levels = drafted(csv_file(tmp_path, "state,sex,age,area\n" + persons))
    assert set(levels) == {"state", "sex", "age", "area"}
    assert DOUBT not in found.text


SPINE = [
    (state, f"{i}{j}", sex) for i, state in enumerate(("AL", "AK")) for j in "012" for sex in "fm"
]


@pytest.mark.parametrize("records", [False, True])
def test_nested_columns_are_written_as_such_and_audited(tmp_path: Path, records: bool) -> None:
    count = "" if records else ",3"
    rows = "".join(f"{','.join(cell)}{count}\n" for cell in SPINE) * (3 if records else 1)
    head = "the state,county,sex" + ",count" * (not records)
    found, levels = drafted(csv_file(tmp_path, f"{head}\n{rows}"), "the state", "county;sex")
    assert "      within: the state\n" in found.text
    assert "each level occurs with one level of 'the state'" in found.text
    assert levels["county"] == (10, 11, 12, "00", "01", "02")
    release = counted(load_release(tmp_path / "spec.semiaudit.yaml"))
    assert isinstance(release.dataspace, TableSpace)
    county = release.dataspace.attributes[1]
    assert (county.within, county.parents) == ("the state", (0, 0, 0, 1, 1, 1))
    other = csv_file(tmp_path, f"{head}\n{rows}AL,11,f{count}\n")
    assert "within" not in drafted(other)[0].text


CUBE = [(region, age) for region in ("01", "02", "03", "04") for age in "abcde"]


@pytest.mark.parametrize("total", ["_T", "Ensemble", "United States", "0"])
@pytest.mark.parametrize("crossed", [False, True])
def test_total_rows_are_refused_unless_they_are_kept(
    tmp_path: Path, total: str, crossed: bool
) -> None:
    counts = {cell: 7 * i % 10 + 1 for i, cell in enumerate(CUBE)}
    size = sum(counts.values())
    for age in "abcde":
        counts[total, age] = sum(counts[region, age] for region, other in CUBE if other == age)
    for region in ("01", "02", "03", "04"):
        counts[region, "all"] = sum(counts[region, age] for age in "abcde")
    if crossed:
        counts[total, "all"] = size
    rows = "".join(f"{region},{age},{count}\n" for (region, age), count in counts.items())
    path = csv_file(tmp_path, "region,age,count\n" + rows)
    told = refused(path)
    assert f"data.csv:22:1: region: the level {total!r} is the sum of the other levels" in told
    assert "data.csv:27:1: age: the level 'all' is the sum of the other levels" in told
    assert "keep them with --keep-total region" in told
    assert total in map(str, drafted(path, kept=["region", "age"])[1]["region"])
    lines = [
        line for line in rows.splitlines() if total not in line.split(",") and "all" not in line
    ]
    drafted(csv_file(tmp_path, "\n".join(["region,age,count", *lines, ""])), "region")
    release = counted(load_release(tmp_path / "spec.semiaudit.yaml"))
    assert isinstance(release.published, PublishedCounts)
    assert sum(release.published.margins[0][1]) == size


def test_a_column_of_counts_that_is_named_is_taken_or_refused(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "weight,b,count\n5,x,low\n6,y,high\n")
    _, levels = drafted(path, "count", count="weight")
    assert levels == {"b": ("x", "y"), "count": ("high", "low")}
    assert "b: the column is missing" not in refused(path, count="nothing")
    assert "nothing: the column is missing" in refused(path, count="nothing")
    assert "data.csv:2:1: b: a value is not a count" in refused(path, count="b")
    path = csv_file(tmp_path, "a,n\nx,1\nx,2\n")
    assert "data.csv:3:1: a cell is listed more than once" in refused(path, count="n")


def test_odd_names_and_levels_stay_what_they_are(tmp_path: Path) -> None:
    path = csv_file(tmp_path, ODD)
    _, levels = drafted(path, "null", "null;yes")
    assert list(levels) == [
        'it"s', "new line", "emoji 🎉", "a b", "a b 2", "lead", "null", "yes", "~", "\\", '"',
    ]  # fmt: skip
    assert levels["\\"] == ("017", 17)
    assert levels['"'] == ("1e3", ".inf")
    assert levels["lead"] == (" s", " t")
    assert levels["a b"] == ("no", "yes")


def test_levels_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "a,b,c\n10,65+,z\n9,18-64,Y\n-1,5-17,x\n10,65+,x\n")
    _, levels = drafted(path)
    assert levels == {"a": (-1, 9, 10), "b": ("5-17", "18-64", "65+"), "c": ("x", "Y", "z")}


def test_empty_values_and_words_for_missing_ones_are_pointed_out(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "a,b\nNA,1\ny,\nNA,1\n")
    found, levels = drafted(path)
    assert levels == {"a": ("NA", "y")}
    assert "'a' has the level 'NA', which may mean a missing value" in found.notes
    assert any("'b' has empty values" in told for told in found.notes)
    assert "b: is not an attribute that a margin could have: it has empty values" in refused(
        path, "b"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "data.csv: is empty"),
        (b"a,b\n", "data.csv: has no rows"),
        (b"\n\n", "data.csv:1:1: does not begin with the names of the columns"),
        (b"a;b\nx;1\n", "data.csv:1:1: does not separate its columns by commas"),
        (b"a,b\ncaf\xe9,1\n", "data.csv:2:1: is not UTF-8"),
        ("a,b\nx,1\n".encode("utf-16"), "data.csv: contains NUL bytes"),
        (b"a,b\nx\n", "data.csv:2:1: has 1 value where the header has 2"),
        (b"a,a\nx,y\n", "'a' is the name of two columns"),
        (b'a\n"tab\tx"\n', "'a' contains a value that cannot be a level"),
        (b"id\n" + b"".join(b"%d\n" % i for i in range(200)), "--drop id"),
        (b"a\n" + b"".join(b"%d\n" % (i // 2) for i in range(300)), "no column can be an attr"),
    ],
)
def test_what_cannot_be_described_is_refused_with_its_reason(
    tmp_path: Path, text: bytes, told: str
) -> None:
    assert told in refused(csv_file(tmp_path, text))


@pytest.mark.parametrize("text", ["\ufeffa,b\nx,1\ny,2\n", "a,b\r\nx,1\r\ny,2\r\n", "a,b\nx,1\n"])
def test_marks_line_ends_and_single_rows_are_no_obstacle(tmp_path: Path, text: str) -> None:
    _, levels = drafted(csv_file(tmp_path, text), "a;b")
    assert set(levels) == {"a", "b"}


def test_names_and_values_that_are_too_long_are_left_out_shortly(tmp_path: Path) -> None:
    long = "n" * 5000
    path = csv_file(tmp_path, f"{long},v,b\nx,{'9' * 5000},1\ny,1,1\nx,1,2\n")
    found, levels = drafted(path)
    assert list(levels) == ["b"]
    assert max(map(len, found.text.splitlines())) < 200


def test_a_wide_file_gives_the_attributes_that_a_spec_can_have(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(260)]
    rows = "".join(",".join(str(i * j % 3) for j in range(260)) + "\n" for i in range(6))
    path = csv_file(tmp_path, ",".join(names) + "\n" + rows)
    found, levels = drafted(path, "c1;c259")
    assert len(levels) == 200
    assert "c259" in levels
    assert "left out: 10 more" in found.notes


def test_parquet_of_every_type(tmp_path: Path) -> None:
    query = """
        SELECT i % 3 AS i, (i % 3)::DOUBLE AS d, (i % 3)::FLOAT AS f, (i % 3)::DECIMAL(5, 2) AS de,
        i % 2 = 0 AS b, DATE '2020-01-01' + (i % 3)::INT AS da, [i] AS li, {'a': i} AS st,
        (CASE WHEN i % 2 = 0 THEN 'p' ELSE 'q' END)::ENUM('p', 'q') AS en, (i % 2)::HUGEINT AS h,
        TIMESTAMPTZ '2020-01-01 10:00:00' AS tz, NULL::INT AS nu, i AS id FROM range(50) AS t(i)
    """
    asked = ("i;b", "d", "f", "de", "da", "en", "h")
    found, levels = drafted(parquet_file(tmp_path, query), *asked, dropped=["id"])
    assert levels["b"] == ("false", "true")
    assert levels["d"] == ("0.0", "1.0", "2.0")
    assert levels["de"] == ("0.00", "1.00", "2.00")
    assert levels["da"] == ("2020-01-01", "2020-01-02", "2020-01-03")
    left = {told.split("'")[1] for told in found.notes if told.startswith("left out")}
    assert left - {"tz"} == {"li", "st", "nu", "id"}  # DuckDB before 2.0 reads tz with pytz only


@pytest.mark.parametrize(
    ("margin", "told"),
    [
        ("nowhere", "nowhere: there is no such column; there are a, b"),
        ("a;a", "a: is named twice in one margin"),
        ("id", "id: is not an attribute that a margin could have: it is dropped"),
    ],
)
def test_margins_that_name_no_attribute_are_refused(tmp_path: Path, margin: str, told: str) -> None:
    rows = "".join(f"u{i},{i % 2},{i % 3}\n" for i in range(200))
    assert told in refused(csv_file(tmp_path, "id,a,b\n" + rows), margin, dropped=["id"])


def test_a_margin_of_too_many_cells_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    rows = "".join(f"{i % 99},{i % 98},{i % 97},{i % 95}\n" for i in range(100))
    path = csv_file(tmp_path, "a,b,c,d\n" + rows)
    assert "a * b * c * d: has more than 5000000 cells" in refused(path, "a;b;c;d")


def test_data_elsewhere_are_named_with_the_root_that_holds_both(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    path = csv_file(tmp_path, "a,b\nx,1\ny,2\n")
    target = tmp_path / "specs" / "spec.yaml"
    found = draft(str(path), str(target))
    assert found.root == str(tmp_path.resolve())
    assert 'records: "../data.csv"' in found.text
    assert draft(str(path), str(tmp_path / "spec.yaml")).root == ""


@pytest.mark.parametrize("name", ["it's *[x]?.csv", "é b.csv", "#1.csv", "a: b.csv"])
def test_odd_names_of_files(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("a,b\nx,1\ny,2\ny,2\n")
    assert set(drafted(path, "a")[1]) == {"a", "b"}


def test_spellings_of_one_level_and_totals_are_pointed_out(tmp_path: Path) -> None:
    rows = "North,0-17,1\nNorth ,0-17,2\nSouth,0-17,3\nsouth,0-17,4\nTotal,0-17,10\n"
    path = csv_file(tmp_path, "region,age,count\n" + rows + rows.replace("0-17", "18+"))
    found, levels = drafted(path)
    assert len(levels["region"]) == 5
    spaces = "levels 'North' and 'North ' differ only by a space"
    cases = "levels 'South' and 'south' differ only in case"
    notes = "\n".join(found.notes)
    assert f"'region': {spaces}" in notes
    assert f"'region': {cases}" in notes
    assert "line 6 looks like a total" in notes
    assert f"# CHECK: {spaces}" in found.text
    assert f"# CHECK: {cases}" in found.text
    assert "# CHECK: the level 'Total' looks like a total" in found.text
    assert "line 6" not in found.text


@pytest.mark.parametrize("values", ["all,some,none", "Total", "totally,partly", "North,Northern"])
def test_levels_that_are_apart_raise_no_doubt(tmp_path: Path, values: str) -> None:
    rows = "".join(f"{value},{n}\n" for value in values.split(",") for n in (1, 2))
    found, _ = drafted(csv_file(tmp_path, "a,b\n" + rows))
    wanted = values.startswith("all")
    assert ("CHECK" in found.text) is wanted


def test_a_margin_can_be_written_as_reports_write_it(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "a,b,c\n" + "".join(f"{i},{j},z\n" for i in "xy" for j in "pq"))
    found, _ = drafted(path, "a * b")
    assert "  - margin: [a, b]" in found.text
    assert "3 attributes, with the number of levels: a (2), b (2), c (1)" in found.notes
    starred = csv_file(tmp_path, "a*b,a\n0,0\n1,1\n", "starred.csv")
    assert '  - margin: ["a b"]' in drafted(starred, "a*b")[0].text.replace("[a b]", '["a b"]')


ADMISSIONS = "Admit,Gender,Freq\nyes,f,3\nno,f,4\nyes,m,5\nno,m,6\n"
POLICY = "semiaudit_policy: 1\nbudgets:\n  - {framework: semi_dp, rho: 5}\n"

MODELINE = "# yaml-language-server: $schema="


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


@pytest.fixture
def admissions(tmp_path: Path) -> Path:
    pytest.importorskip("duckdb")
    path = tmp_path / "admissions.csv"
    path.write_text(ADMISSIONS)
    return path


def test_from_a_table_to_the_verdict(admissions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = admissions.parent / "mine.yaml"
    assert run("init", spec, "--from", admissions, "--margin", "Admit", "--margin", "Gender") == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "'Freq' is read as its count" in captured.err
    assert f"now run: semiaudit analyze {spec}\n" in captured.err
    text = spec.read_text()
    assert "table: admissions.csv" in text
    assert "Freq: count" in text
    assert run("analyze", spec, "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["semi_adjacency"]["value"] == 3
    assert "margin [Gender]" in report["statement"]["scope"]
    assert "placeholder" in report["leaves_out"][0]


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        ("-4", "a value is negative"),
        ("", "the count is missing"),
        ("1.5", "a value"),
        ("NA", "a value is not a count"),
        ("1e20", "a value"),
    ],
)
def test_a_count_with_invalid_cells_is_an_error_that_names_them(
    admissions: Path, capsys: pytest.CaptureFixture[str], cell: str, what: str
) -> None:
    """Issue 30: `Freq` became an attribute, and the rows became the records."""
    text = ADMISSIONS.replace(",4\n", f",{cell}\n").replace(",6\n", ",-6\n")
    admissions.write_text(text + "later,f,7\nlater,m,8\n")
    spec = admissions.parent / "mine.yaml"
    assert run("init", spec, "--from", admissions) == 2
    assert not spec.exists()
    told = " ".join(capsys.readouterr().err.split())
    assert f"admissions.csv:3:1: Freq: {what}" in told
    assert "admissions.csv:5:1: Freq: a value is negative" in told
    assert "rename the column if it does not contain counts" in told


def test_a_column_of_microdata_with_the_name_of_counts_stays_an_attribute(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb")
    path = tmp_path / "persons.csv"
    path.write_text("sex,n\nf,1\nf,2\nm,1\nm,1\nf,0\n")
    assert run("init", tmp_path / "mine.yaml", "--from", path) == 0
    assert "'n' is not read as counts" in capsys.readouterr().err
    path.write_text("sex,freq\nf,often\nm,never\n")
    assert run("init", tmp_path / "other.yaml", "--from", path) == 2
    assert run("init", tmp_path / "other.yaml", "--from", path, "--drop", "freq") == 0
    for option in ("--drop", "--keep-total"):
        assert run("init", tmp_path / "third.yaml", "--from", path, option, "none") == 2
        assert f"none: the column is missing; name another column with {option}" in (
            capsys.readouterr().err
        )
        assert run("init", tmp_path / "third.yaml", option, "sex") == 2


def test_nothing_is_overwritten_unless_it_is_asked_for(
    admissions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = admissions.parent / "mine.yaml"
    spec.write_text("precious")
    assert run("init", spec, "--from", admissions) == 2
    assert run("init", admissions, "--from", admissions, "--force") == 2
    assert admissions.read_text() == ADMISSIONS
    assert run("init", spec, "--from", admissions, "--margin", "nothing", "--force") == 2
    assert "nothing: there is no such column" in capsys.readouterr().err
    assert spec.read_text() == "precious"
    assert run("init", spec, "--from", admissions, "--force") == 0
    assert run("analyze", spec) == 0


def test_data_in_another_folder_need_a_root(
    admissions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = admissions.parent / "specs"
    folder.mkdir()
    spec = folder / "spec.yaml"
    assert run("init", spec, "--from", admissions, "--margin", "Admit") == 0
    told = capsys.readouterr().err
    assert f"semiaudit analyze {spec} --root {admissions.parent}" in told
    assert run("analyze", spec) == 2
    assert "leads out of the spec's folder" in capsys.readouterr().err
    assert run("analyze", spec, "--root", admissions.parent) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--margin", "a"], "need --from FILE"),
        (["--count-column", "a"], "need --from FILE"),
        (["--list", "--example", "starter"], "give only one of"),
        (["--list", "x.yaml"], "--list does not write a file"),
        (["--example", "nothing"], "there is no such example"),
        (["--example", "../docs/spec"], "there is no such example"),
        (["--from", "data.csv", "--margin", ""], "write the names of columns"),
        (["--from", "data.csv", "--margin", "a,,b"], "write the names of columns"),
        (["--from", "data.csv", "--margin", '"a'], "write the names of columns"),
        (["--from", "data.csv", "--count-column", ""], "name a column"),
        (
            ["--from", "data.csv", "--count-column", "n", "--drop", "n"],
            "this column contains the counts",
        ),
        (["--from", "nowhere.csv"], "there is no such file"),
        (["--from", "."], "is a directory"),
        (["nowhere/x.yaml", "--from", "data.csv"], "its directory does not exist"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    arguments: list[str],
    told: str,
    admissions: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    admissions.rename(admissions.parent / "data.csv")
    monkeypatch.chdir(admissions.parent)
    assert run("init", *arguments) == 2
    assert told in capsys.readouterr().err
    assert os.listdir() == ["data.csv"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_a_pipe_is_not_opened(admissions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = admissions.parent / "pipe.csv"
    os.mkfifo(pipe)
    assert run("init", admissions.parent / "x.yaml", "--from", pipe) == 2
    assert "is a pipe" in capsys.readouterr().err


def test_without_duckdb_it_says_what_to_install(
    admissions: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert run("init", admissions.parent / "x.yaml", "--from", admissions) == 2
    assert "pip install 'semiaudit[data]'" in capsys.readouterr().err


def test_the_list_has_every_shipped_spec_with_its_title(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("init", "--list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == shipped_configs()
    assert {path.stem for path in (ROOT / "configs").glob("*.yaml")} == set(shipped_configs())
    (starter,) = [line for line in lines if line.startswith("starter ")]
    assert starter.endswith("A survey table with published margins")
    assert not {"numpy", "scipy", "duckdb", "pydantic"} & modules_loaded_by("init", "--list")


def test_an_example_is_written_as_it_ships_but_for_the_address_of_its_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.yaml"
    assert run("init", path, "--example", "two_releases") == 0
    shipped = (ROOT / "configs" / "two_releases.yaml").read_text("utf-8")
    assert path.read_text("utf-8").splitlines()[1:] == shipped.splitlines()[1:]
    assert path.read_text("utf-8").startswith(f"{MODELINE}https://")
    assert shipped.startswith(MODELINE)
    assert run("analyze", path) == 0
    assert run("init", path, "--example", "two_releases") == 2


def test_an_example_brings_the_files_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = tmp_path / "configs"
    (shelf / "data").mkdir(parents=True)
    (shelf / "own.yaml").write_text("data: {table: data/t.csv}\n")
    (shelf / "data" / "t.csv").write_text("a,count\n1,2\n")
    monkeypatch.setattr("semiaudit.commands.init.shipped", lambda _: shelf / "own.yaml")
    monkeypatch.setattr("semiaudit.commands.init.shipped_configs", lambda: ["own"])
    target = tmp_path / "mine"
    (target / "data").mkdir(parents=True)
    (target / "data" / "t.csv").write_text("precious")
    assert run("init", target / "x.yaml", "--example", "own") == 2
    assert "exists, and own needs its own" in capsys.readouterr().err
    assert os.listdir(target) == ["data"]
    assert run("init", target / "x.yaml", "--example", "own", "--force") == 0
    assert (target / "data" / "t.csv").read_text() == "a,count\n1,2\n"


def filled_in(spec: Path) -> None:
    """Take the placeholder out of a spec that `init` wrote, as its comments say."""
    text, number = re.subn(r"leaves_out:.*\n(  - .*\n)+", "", spec.read_text())
    assert number == 1
    spec.write_text(text)


@pytest.mark.parametrize("more", [[], ["--from", "admissions.csv"]])
def test_no_gate_takes_what_init_wrote_before_it_is_filled_in(
    more: list[str],
    admissions: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(admissions.parent)
    Path("policy.yaml").write_text(POLICY)
    assert run("init", "mine.yaml", *more) == 0
    checked = ["check", "mine.yaml", "--policy", "policy.yaml", "--fail-on"]
    assert run("analyze", "mine.yaml") == 0
    line = 1 + Path("mine.yaml").read_text().partition("mechanism:\n")[0].count("\n")
    for level in ("error", "never"):
        assert run(*checked, level, "--format", "github") == 1
        assert f"::error file=mine.yaml,line={line},col=1,title=SA032" in capsys.readouterr().out
    filled_in(Path("mine.yaml"))
    assert [run(*checked, level) for level in ("error", "never")] == [0, 0]


def three_commands(data: Path, *margins: str) -> list[list[str]]:
    """From the file to the verdict, in the folder of the file, which has a policy.

    The gate takes the spec once nothing of it is a placeholder (``filled_in``).
    """
    asked = [part for margin in margins for part in ("--margin", margin)]
    return [
        ["init", "--from", data.name, *asked],
        ["analyze", "spec.semiaudit.yaml"],
        ["check", "spec.semiaudit.yaml", "--policy", "policy.yaml"],
    ]


@pytest.mark.lengthy
def test_real_microdata_in_three_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One-way margin and two-way margin without a common attribute: a(t) is 3.

    Each command is a process of its own.
    """
    pytest.importorskip("duckdb")
    data = real_table(MICRODATA, tmp_path)
    assert data.read_text().count("\n") == 53_941
    (tmp_path / "policy.yaml").write_text(POLICY)
    *first, last = three_commands(data, "cut", "color,clarity")
    for command in first:
        done = process(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert process(*last, cwd=tmp_path).returncode == 1
    filled_in(tmp_path / "spec.semiaudit.yaml")
    assert process(*last, cwd=tmp_path).returncode == 0
    assert run("analyze", tmp_path / "spec.semiaudit.yaml", "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert "53,940 records" in report["statement"]["domain"]
    assert report["semi_adjacency"]["value"] == 3


def test_a_real_table_with_overlapping_margins_in_three_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both margins fix the department: inside one, it is a table of two one-way margins."""
    pytest.importorskip("duckdb")
    data = real_table(TABLE, tmp_path)
    (tmp_path / "policy.yaml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    *first, last = three_commands(data, "Admit,Dept", "Gender,Dept")
    assert [run(*command) for command in first] == [0, 0]
    assert run(*last) == 1
    filled_in(tmp_path / "spec.semiaudit.yaml")
    assert run(*last) == 0
    capsys.readouterr()
    assert run("analyze", tmp_path / "spec.semiaudit.yaml", "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert "4,526 records" in report["statement"]["domain"]
    assert report["semi_adjacency"]["value"] == 3
