"""Files that cannot be counted say where, what and what to do, and never a traceback."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from semiaudit.data.data_faults import MOST_PROBLEMS
from semiaudit.data.parquet import parquet_from_csv
from semiaudit.model.dataspace import Attribute
from tests.data.counting import BOTH, SEX, STATE, csv_file, parquet_file, problems

duckdb = pytest.importorskip("duckdb")

NO_STATE = "is not a level; its levels are 0 to 2"
NO_SEX = "is not a level; its levels are 'm', 'f'"
WHOLE = "write a whole number from 0 to 10^15"


def test_every_value_that_is_no_level_is_named_with_its_first_line(tmp_path: Path) -> None:
    path = csv_file(tmp_path, 'state,sex\n0,m\n7,x\n7,f\n1,X\n,m\n2,""\n2, m\n')
    assert problems(path, "records") == [
        "data.csv:3:1: state: '7' is not a level (2 rows); its levels are 0 to 2",
        f"data.csv:3:1: sex: 'x' {NO_SEX}",
        f"data.csv:5:1: sex: 'X' {NO_SEX}",
        f"data.csv:6:1: state: an empty value {NO_STATE}",
        f"data.csv:7:1: sex: an empty value {NO_SEX}",
        "data.csv:8:1: sex: ' m' is not a level; remove the space at the start of the value; its "
        "levels are 'm', 'f'",
    ]


@pytest.mark.parametrize(
    ("levels", "value", "remedy"),
    [
        (("m", "f"), "m ", "remove the space at the end of the value"),
        (("m", "f"), " m ", "remove the space at the start and the end of the value"),
        (("m ", "f"), "m", "remove the space at the end of the level 'm ' in the spec"),
        (2, "1 ", "remove the space at the end of the value"),
        (2, "2 ", ""),
        (("m", "f"), "x ", ""),
    ],
)
def test_a_space_around_a_level_is_pointed_out(
    tmp_path: Path, levels: tuple[str, ...] | int, value: str, remedy: str
) -> None:
    path = csv_file(tmp_path, f"sex\n{value}\n")
    (told,) = problems(path, "records", [Attribute("sex", levels)], [("sex",)])
    assert told.startswith(f"data.csv:2:1: sex: '{value}' is not a level; {remedy or 'its levels'}")


def test_lines_are_those_of_the_file_though_values_have_line_ends(tmp_path: Path) -> None:
    path = csv_file(tmp_path, 'note,state,sex\n"one\ntwo",0,m\n\n"three\n\n",1,f\nfour,9,m\n')
    assert problems(path, "records") == [f"data.csv:8:1: state: '9' {NO_STATE}"]


def test_parquet_has_rows_instead_of_lines(tmp_path: Path) -> None:
    query = "SELECT * FROM (VALUES (0, 'm'), (9, 'f'), (NULL, ''), (9, 'f')) AS v(state, sex)"
    assert problems(parquet_file(tmp_path, query), "records") == [
        "data.parquet: state: row 2: '9' is not a level (2 rows); its levels are 0 to 2",
        f"data.parquet: state: row 3: an empty value {NO_STATE}",
        f"data.parquet: sex: row 3: an empty value {NO_SEX}",
    ]


def test_a_column_named_as_a_row_number_does_not_disturb_them(tmp_path: Path) -> None:
    query = "SELECT 0 AS state, 'q' AS sex, 1 AS file_row_number, 2 AS r, 3 AS k, 4 AS filename"
    path = parquet_file(tmp_path, query)
    assert problems(path, "records") == [f"data.parquet: sex: row 1: 'q' {NO_SEX}"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2.5", "'2.5' is not a whole number"),
        ("abc", "'abc' is not a count"),
        ("", "the count is missing"),
        ("-3", "'-3' is negative"),
        ("1000000000000001", "'1000000000000001' is more than 10^15"),
        ("99999999999999999999999999", "'99999999999999999999999999' is more than 10^15"),
        ("1e3", "'1e3' is not written in digits"),
        (" 3", "' 3' is not written in digits"),
        ("1_0", "'1_0' is not a count"),
        ("nan", "'nan' is not a count"),
        ("0x10", "'0x10' is not a count"),
    ],
)
def test_a_count_is_a_whole_number(tmp_path: Path, text: str, message: str) -> None:
    path = csv_file(tmp_path, f"state,sex,count\n0,m,1\n0,f,{text}\n")
    assert problems(path, "table") == [f"data.csv:3:1: count: {message}; {WHOLE}"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("2.5::DOUBLE", "'2.5' is not a whole number"),
        ("'nan'::DOUBLE", "'nan' is not a count"),
        ("'-inf'::FLOAT", "'-inf' is not a count"),
        ("1e16::DOUBLE", "'1e+16' is more than 10^15"),
        ("-1::DECIMAL(4,1)", "'-1.0' is negative"),
        ("0.5::DECIMAL(38,1)", "'0.5' is not a whole number"),
        ("-1", "'-1' is negative"),
        ("1000000000000001", "'1000000000000001' is more than 10^15"),
        ("18446744073709551615::UBIGINT", "'18446744073709551615' is more than 10^15"),
        ("NULL::INTEGER", "the count is missing"),
    ],
)
def test_a_count_in_parquet_is_a_whole_number(tmp_path: Path, value: str, message: str) -> None:
    query = f"SELECT 0 AS state, 'm' AS sex, {value} AS count"
    expected = [f"data.parquet: count: row 1: {message}; {WHOLE}"]
    assert problems(parquet_file(tmp_path, query), "table") == expected


def test_a_cell_that_is_listed_twice_is_no_sum(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "state,sex,count\n1,m,3\n0,f,1\n01,m,0\n0,f,1\n0,f,2\n")
    once = "give each cell one row"
    twice = "the cell state = 01, sex = m is listed twice"
    assert problems(path, "table", groupings=[()]) == [
        f"data.csv:4:1: {twice} (first in line 2); {once}",
        f"data.csv:6:1: the cell state = 0, sex = f is listed 3 times (first in line 3); {once}",
    ]
    path = parquet_file(tmp_path, f"SELECT * FROM read_csv('{path}', all_varchar = true)")
    told = problems(path, "table")
    assert told[0] == f"data.parquet: row 3: {twice} (first in row 1); {once}"


def test_problems_of_all_kinds_are_told_at_once(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "state,sex,count\n5,m,1\n0,m,x\n0,f,-1\n")
    assert [problem.split(": ")[:2] for problem in problems(path, "table")] == [
        ["data.csv:2:1", "state"],
        ["data.csv:3:1", "count"],
        ["data.csv:4:1", "count"],
    ]


def test_only_the_first_problems_are_listed_and_the_others_counted(tmp_path: Path) -> None:
    rows = "".join(f"{10 + i},m,{-1 if i < 30 else 1}\n" for i in range(100))
    told = problems(csv_file(tmp_path, f"state,sex,count\n{rows}"), "table")
    assert len(told) == MOST_PROBLEMS + 1
    assert told[0].startswith("data.csv:2:1: state: '10' is not a level")
    assert told[-1].endswith("110 more problems; fix the others first")
    rows = "".join("0,m,bad\n" for _ in range(MOST_PROBLEMS))
    told = problems(csv_file(tmp_path, f"state,sex,count\n{rows}"), "table", groupings=[])
    assert told[-1].endswith("1 more problem; fix the others first")


def test_a_column_that_is_not_the_attribute_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = parquet_file(tmp_path, "SELECT i AS state, 'm' AS sex FROM range(5000) AS t(i)")
    assert problems(path, "records") == [
        "data.parquet: state: contains more than 1000 different values that are not levels; "
        "check whether the column is the attribute; its levels are 0 to 2"
    ]


def test_a_long_value_is_shortened_and_stays_on_one_line(tmp_path: Path) -> None:
    path = csv_file(tmp_path, 'state,sex\n0,"' + "ab\n" * 400 + '"\n')
    (told,) = problems(path, "records")
    assert "\n" not in told
    assert len(told) < 200


def test_columns_must_be_there_once(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "State,sex,sex\n0,m,m\n")
    assert problems(path, "table") == [
        "data.csv: state: the column is missing; add it, or name one of the 3 columns under data, "
        "such as `columns: {COLUMN: state}`; the columns are State, sex, sex",
        "data.csv: sex: two columns have this name; rename one",
        "data.csv: count: the column is missing; add it, or name one of the 3 columns under data, "
        "such as `columns: {Freq: count}`; the columns are State, sex, sex",
    ]
    assert problems(path, "records", [Attribute("age", 2)], [])[0].startswith("data.csv: age: the")


@pytest.mark.parametrize("header", ["sex ", " sex", " sex\t"])
def test_a_space_around_the_name_of_a_column_is_pointed_out(tmp_path: Path, header: str) -> None:
    path = csv_file(tmp_path, f'state,"{header}"\n0,m\n')
    assert problems(path, "records") == [
        "data.csv: sex: the column is missing: the file has it with a space before or after the "
        "name; remove the space from the file's header"
    ]


def test_an_attribute_cannot_be_the_column_of_counts(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "count\n1\n")
    assert problems(path, "table", [Attribute("count", 3)], [()]) == [
        "data.csv: count: is the column of counts, and also an attribute; "
        "rename the attribute, or name the column of counts in data.columns"
    ]


def test_types_that_are_no_levels_or_counts_are_refused(tmp_path: Path) -> None:
    query = "SELECT [0] AS state, {'a': 1} AS sex, DATE '2020-04-01' AS count"
    assert problems(parquet_file(tmp_path, query), "table") == [
        "data.parquet: state: has the type INTEGER[]; store text or integers",
        "data.parquet: sex: has the type STRUCT(a INTEGER); store text or integers",
        "data.parquet: count: has the type DATE; store integers",
    ]


def test_rows_with_too_few_or_too_many_values_are_all_named(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "state,sex,x\n0,m\n0,f,1\n1,m,1,1\n")
    told = problems(path, "records")
    assert told[0].startswith("data.csv:2:1: has 2 values where the header has 3; ")
    assert told[1].startswith("data.csv:4:1: has 4 values where the header has 3; ")
    assert len(told) == 2
    assert len(problems(path, "records", groupings=[])) == 2


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (b"", "data.csv: is empty; add a header"),
        (b"state,sex\n", "data.csv: has no rows; add rows"),
        (b"\nstate,sex\n0,m\n", "data.csv:1:1: does not begin with the names"),
        (b"state;sex\n0;m\n", "data.csv:1:1: does not separate its columns by commas"),
        (b'state,"sex\n0,m\n', "data.csv:1:1: does not begin with the names"),
        (b"state,sex\n0,m\n1,\xe9\n", "data.csv:3:1: is not UTF-8; save it"),
        ("state,sex\n0,m\n".encode("utf-16"), "data.csv: contains NUL bytes"),
        (b"PAR1....PAR1", "data.csv: is a Parquet file; rename it so that its name"),
        (b'state,sex\n0,m\n"1,f\n', "data.csv:3:1: is not a CSV record"),
        (b'state,sex\n0,m\n"1"x,f\n', "data.csv:3:1: is not a CSV record"),
        (b"state\n0\n\n1\n", "data.csv:3:1: state: an empty value is not a level"),
    ],
)
def test_texts_that_are_no_csv(tmp_path: Path, text: bytes, start: str) -> None:
    attributes = [STATE] if text.startswith(b"state\n") else BOTH
    (told,) = problems(csv_file(tmp_path, text), "records", attributes, [("state",)])
    assert told.startswith(start)


def test_bad_text_far_down_is_named_with_its_line(tmp_path: Path) -> None:
    rows = b"0,m\n" * 400_000
    path = csv_file(tmp_path, b"state,sex\n" + rows + b"1,\xff\n" + rows)
    (told,) = problems(path, "records")
    assert told.startswith("data.csv:400002:1: is not UTF-8")


def test_bytes_that_are_no_parquet(tmp_path: Path) -> None:
    whole = parquet_file(tmp_path, "SELECT 0 AS state, 'm' AS sex").read_bytes()
    for content in (b"state,sex\n0,m\n", b"PAR1" + bytes(40) + b"PAR1", whole[:-20], whole[:40]):
        path = csv_file(tmp_path, content, "data.parquet")
        (told,) = problems(path, "records")
        assert told.startswith("data.parquet: cannot be read as a Parquet file (")
        assert told.endswith("; check whether the file is complete")
        assert problems(path, "table")


def test_parquet_text_that_is_not_utf8(tmp_path: Path) -> None:
    query = "SELECT 0 AS state, '\\xFF'::BLOB AS sex"
    assert problems(parquet_file(tmp_path, query), "records") == [
        "data.parquet: contains text that is not UTF-8; write its text as UTF-8"
    ]


def test_a_problem_names_the_file_and_not_the_link_through_which_it_was_read(
    tmp_path: Path,
) -> None:
    (told,) = problems(csv_file(tmp_path, b"PAR1 no, not really", "a*.parquet"), "records")
    assert told.startswith("a*.parquet: cannot be read as a Parquet file (")
    assert "semiaudit-" not in told


def test_places_that_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    assert problems(tmp_path / "folder.csv", "records")[0].startswith("folder.csv: is a directory")
    assert problems(tmp_path / "no.csv", "records")[0].startswith("no.csv: there is no such file")
    assert problems(tmp_path / "a\0b.csv", "records")
    told = problems(csv_file(tmp_path, "state,sex\n0,m\n", "data.txt"), "records")
    assert told[0].startswith("data.txt: its name does not end in .csv or .parquet")
    os.mkfifo(tmp_path / "pipe.csv")
    assert problems(tmp_path / "pipe.csv", "records")[0].startswith("pipe.csv: is a pipe")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "state,sex\n0,m\n")
    path.chmod(stat.S_IWUSR)
    assert problems(path, "records")[0].startswith("data.csv: cannot be read (Permission denied)")


def test_a_file_that_vanishes_behind_a_broken_link(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "gone.csv")
    assert problems(tmp_path / "link.csv", "records", [SEX], [])


@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_a_duckdb_that_cannot_start_is_a_problem_of_the_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise duckdb.IOException('Cannot open file "/proc/self/cgroup": Too many open files')

    path = csv_file(tmp_path, "state,sex\n0,m\n", name)
    monkeypatch.setattr(duckdb, "connect", refused)
    (problem,) = problems(path, "records")
    assert problem.startswith(f"{name}: cannot be read (DuckDB cannot start: Cannot open file")
    assert "Too many open files" in problem
    with pytest.raises(OSError, match="Too many open files"):
        parquet_from_csv(str(path), str(tmp_path / "out.parquet"), {"state": "text"})
