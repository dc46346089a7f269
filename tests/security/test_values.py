"""Messages name file, row, column and fault; values of data only where the caller asks for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.samples import sampled
from tests.security.attacks import MARGIN, SECRET, TABLE, every_command, run, spec

CELLS = "dataspace: {product: {size: 2, values: [0, 1]}}\n"
NESTED = "dataspace: {size: 4, attributes: {a: 2, c: {within: a, levels: data.csv}}}\n"
RECORDS = TABLE + MARGIN + "data: {records: data.csv}\n"
COUNTS = TABLE + MARGIN + "data: {table: data.csv}\n"
FAULTS = {
    "no heading": (RECORDS, f"{SECRET},b\n0,0\n", "data.csv: a: the column is missing"),
    "no heading of a table": (COUNTS, f"{SECRET},{SECRET}x,3\n0,0,1\n", "data.csv: a: the column"),
    "a bad level": (RECORDS, f"a,b\n0,0\n{SECRET},1\n", "data.csv:3:1: a: a value is not a level"),
    "a bad count": (
        COUNTS,
        f"a,b,count\n0,0,{SECRET}\n",
        "data.csv:2:1: count: a value is not",
    ),
    "a cell twice": (
        TABLE.replace("b: 2", f"b: [{SECRET}, y]") + MARGIN + "data: {table: data.csv}\n",
        f"a,b,count\n0,{SECRET},1\n0,{SECRET},1\n",
        "data.csv:3:1: a cell is listed more than once (first in line 2)",
    ),
    "a ragged row": (RECORDS, f"a,b\n0\n{SECRET}\n", "data.csv:2:1: has 1 value where"),
    "a broken record": (RECORDS, f'a,b\n0,0\n"{SECRET}"x,1\n', "data.csv:3:1: is not a CSV record"),
    "a matrix": (
        TABLE + "invariants: [linear: data.csv]\n",
        f"1,0,0,1\n1,0,{SECRET},1\n",
        "data.csv:2:1: entry 3: is not a whole number",
    ),
    "a large entry": (
        TABLE + "invariants: [linear: data.csv]\n",
        "1,0,0,98765432109876543210\n",
        "data.csv:1:1: entry 4: is too large",
    ),
    "a partition": (
        CELLS + "invariants: [partition: data.csv]\n",
        f"0,0,x\n0,{SECRET},y\n",
        "data.csv:2:1: is not a dataset of the dataspace",
    ),
    "a partition's number": (
        CELLS + "invariants: [partition: data.csv]\n",
        "0,9e99999999,x\n",
        "data.csv:1:1: contains a value that is not a record",
    ),
    "a parent": (NESTED + MARGIN, f"0,p\n{SECRET},q\n1,r\n", "data.csv:2:1: is not a level of a"),
    "a level twice": (NESTED + MARGIN, f"0,{SECRET}\n1,{SECRET}\n", "data.csv:2:1: names a level"),
}
NUMBERS = (SECRET, "98765432109876543210", "9876543210987654321", "9e99999999")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_by_its_place_and_kind(tmp_path: Path, fault: str) -> None:
    middle, content, expected = FAULTS[fault]
    (tmp_path / "data.csv").write_text(content)
    spec(tmp_path, middle)
    done = run(tmp_path, "analyze", "evil.semiaudit.yaml")
    assert done.returncode == 2
    assert done.stdout == ""
    assert expected in done.stderr
    assert not any(number in done.stderr for number in NUMBERS), done.stderr


@pytest.mark.parametrize(
    "fault", sampled(["no heading", "a bad level", "a matrix", "a partition"], fast=(1, 2))
)
def test_no_command_and_no_format_quotes_a_value(tmp_path: Path, fault: str) -> None:
    middle, content, _ = FAULTS[fault]
    (tmp_path / "data.csv").write_text(content)
    spec(tmp_path, middle)
    for text in every_command(tmp_path).values():
        assert "exit 2" in text
        assert "data.csv" in text
        assert SECRET not in text


@pytest.mark.parametrize(
    "fault", sampled(["no heading", "a bad level", "a bad count", "a matrix"], fast=(0, 2))
)
def test_values_are_quoted_for_those_who_ask(tmp_path: Path, fault: str) -> None:
    middle, content, _ = FAULTS[fault]
    (tmp_path / "data.csv").write_text(content)
    spec(tmp_path, middle)
    assert SECRET in run(tmp_path, "analyze", "evil.semiaudit.yaml", "--show-values").stderr
    assert all(SECRET in text for text in every_command(tmp_path, "--show-values").values())


def test_the_number_of_records_is_a_value_too(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,b\n" + "0,0\n" * 1234)
    spec(tmp_path, RECORDS)
    for text in every_command(tmp_path).values():
        assert "do not have the 4 records" in " ".join(text.split())
        assert "1234" not in text
    done = run(tmp_path, "analyze", "evil.semiaudit.yaml", "--show-values")
    assert "have 1234 records" in done.stderr


def test_faults_of_an_engine_are_told_without_its_values(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "p.db")) as connection:
        connection.execute(f"CREATE TABLE people AS SELECT '{SECRET}' AS a, 0 AS b")
        connection.execute("CREATE VIEW broken AS SELECT CAST(a AS INTEGER) AS a, b FROM people")
    for table in ("people", "broken"):
        spec(tmp_path, f'{TABLE}{MARGIN}data: {{engine: "duckdb://p.db", records: {table}}}\n')
        arguments = ("analyze", "evil.semiaudit.yaml", "--allow-engine", "duckdb")
        done = run(tmp_path, *arguments)
        assert done.returncode == 2
        assert SECRET not in done.stderr
        # what a view computes is never quoted: it may be a folder of this machine
        quoted = SECRET in run(tmp_path, *arguments, "--show-values").stderr
        assert quoted is (table == "people")
