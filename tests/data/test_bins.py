"""Numbers in bins and columns under other names, beside a count by hand."""

from __future__ import annotations

import csv
import random
import sqlite3
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path

import pytest

from semiaudit.data.tallies import tallies
from semiaudit.errors import SpecError
from semiaudit.model.data_source import CONFINED, Access, Bin, DataColumn, DataSource, SourceKind
from semiaudit.model.dataspace import Attribute
from tests.data.counting import QUOTING, csv_file, parquet_file

pytest.importorskip("duckdb")

AGE = Attribute("age", ("0-17", "18-64", "65+", "unknown"))
BINS = (
    Bin(0, Fraction(0), Fraction(17)),
    Bin(1, Fraction(18), Fraction(64)),
    Bin(2, Fraction(65), None),
)
AGED = DataColumn("AGEP", "age", BINS)
SEX = Attribute("sex", ("m", "f"))
COLUMNS = (AGED, DataColumn("Sex", "sex"))
MARGINS: list[tuple[str, ...]] = [(), ("age",), ("sex", "age")]
AGES = ["0", "17", "18", "64", "65", "unknown", "007", "17.0", "1e2", "3.25", "+12", ".5", "64."]


def by_hand(path: Path, margins: Sequence[tuple[str, ...]], count: str = "") -> object:
    """Every row is looked at alone, and every value is compared with every bin."""

    def level(name: str, row: dict[str, str]) -> int:
        if name == "sex":
            return ["m", "f"].index(row["Sex"])
        try:
            value = Decimal(row["AGEP"])
        except InvalidOperation:
            return ["", "", "", "unknown"].index(row["AGEP"])
        (index,) = [
            one.level
            for one in BINS
            if (one.low is None or one.low <= value) and (one.high is None or value <= one.high)
        ]
        return index

    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {}
    for margin in margins:
        cells: Counter[tuple[int, ...]] = Counter()
        for row in rows:
            number = int(row[count]) if count else 1
            cells[tuple(level(name, row) for name in margin)] += number
        found[margin] = {cell: number for cell, number in cells.items() if number}
    return found


def counted(path: Path, kind: SourceKind, columns: tuple[DataColumn, ...] = COLUMNS) -> object:
    source = DataSource(kind, path.name, columns=columns)
    return tallies(source, path.parent, (AGE, SEX), MARGINS, QUOTING).counts


@pytest.mark.parametrize("seed", range(6))
def test_binned_records_agree_with_a_count_by_hand(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    ages = [rng.choice([*AGES, *map(str, range(90))]) for _ in range(300)]
    text = "id,AGEP,Sex\n" + "".join(
        f"{i},{age},{rng.choice('mf')}\n" for i, age in enumerate(ages)
    )
    path = csv_file(tmp_path, text)
    assert counted(path, "records") == by_hand(path, MARGINS)


@pytest.mark.parametrize("seed", range(3))
def test_a_binned_table_is_summed_into_its_bins(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    cells = [(age, sex) for age in [*map(str, range(100)), "unknown"] for sex in "mf"]
    rows = "".join(f"{a},{rng.randint(0, 9)},{s}\n" for a, s in cells if rng.random() < 0.7)
    path = csv_file(tmp_path, "AGEP,Freq,Sex\n" + rows)
    columns = (*COLUMNS, DataColumn("Freq", None))
    assert counted(path, "table", columns) == by_hand(path, MARGINS, "Freq")


def test_one_number_in_two_spellings_is_a_cell_that_is_listed_twice(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "AGEP,Freq,Sex\n5,1,m\n6,1,m\n5.0,2,m\n")
    with pytest.raises(SpecError) as caught:
        counted(path, "table", (*COLUMNS, DataColumn("Freq", None)))
    (problem,) = caught.value.problems
    assert "listed twice" in str(problem)
    assert problem.line == 4


@pytest.mark.parametrize(
    "value", ["-1", "17.5", "17.0000000000000000001", "nan", "inf", " 5", "1_0", "1/2", "٣", "0-17"]
)
def test_what_is_in_no_bin_and_is_no_level_is_named(tmp_path: Path, value: str) -> None:
    path = csv_file(tmp_path, f"AGEP,Sex\n4,m\n{value},f\n")
    with pytest.raises(SpecError) as caught:
        counted(path, "records")
    (problem,) = caught.value.problems
    assert f"{value!r} is not a level" in str(problem)
    assert (problem.line, problem.path) == (3, "AGEP")


def test_messages_quote_no_value_and_no_number_of_rows(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "AGEP,Sex\n777,m\n-8765,f\n-8765,f\n")
    source = DataSource("records", path.name, columns=COLUMNS)
    with pytest.raises(SpecError) as caught:
        tallies(source, path.parent, (AGE, SEX), MARGINS, CONFINED)
    assert "8765" not in str(caught.value)
    assert "2" not in str(caught.value.problems[0]).replace(str(path), "")[3:].split("levels")[0]


@pytest.mark.parametrize(
    "form",
    ["INTEGER", "UTINYINT", "BIGINT", "HUGEINT", "DOUBLE", "FLOAT", "DECIMAL(9, 3)", "VARCHAR"],
)
def test_every_type_of_number_in_parquet_is_binned_alike(tmp_path: Path, form: str) -> None:
    values = [0, 1, 16, 17, 18, 63, 64, 65, 66, 120] * 3
    listed = ", ".join(f"({value}, '{'mf'[i % 2]}')" for i, value in enumerate(values))
    query = f'SELECT CAST(a AS {form}) AS "AGEP", s AS "Sex" FROM (VALUES {listed}) AS t(a, s)'
    path = parquet_file(tmp_path, query)
    plain = csv_file(
        tmp_path, "AGEP,Sex\n" + "".join(f"{v},{'mf'[i % 2]}\n" for i, v in enumerate(values))
    )
    assert counted(path, "records") == by_hand(plain, MARGINS)


def test_doubles_near_an_end_are_told_apart_exactly(tmp_path: Path) -> None:
    """1/10 lies between two doubles: what is written 0.1 is in the bin that ends there."""
    share = Attribute("share", ("low", "high"))
    end = Fraction(1, 10)
    bins = (Bin(0, None, end), Bin(1, end + Fraction(1, 10**40), None))
    values = ["0.1", "0.09999999999999999", "0.10000000000000002", "-1e290", "1e290"]
    for form in ("DOUBLE", "VARCHAR"):
        listed = ", ".join(f"(CAST('{value}' AS {form}))" for value in values)
        path = parquet_file(tmp_path, f"SELECT s AS x FROM (VALUES {listed}) AS t(s)")
        source = DataSource("records", path.name, columns=(DataColumn("x", "share", bins),))
        found = tallies(source, path.parent, (share,), [("share",)], CONFINED)
        assert found.counts == {("share",): {(0,): 3, (1,): 2}}


def test_ends_beyond_every_integer_limit_nothing(tmp_path: Path) -> None:
    size = Attribute("size", ("small", "large"))
    most = Fraction(10**290)
    bins = (Bin(0, -most, Fraction(10**18)), Bin(1, Fraction(10**18 + 1), most))
    path = parquet_file(tmp_path, f"SELECT * FROM (VALUES ({10**18}), ({10**18 + 1}), (5)) AS t(x)")
    source = DataSource("records", path.name, columns=(DataColumn("x", "size", bins),))
    found = tallies(source, path.parent, (size,), [("size",)], CONFINED)
    assert found.counts == {("size",): {(0,): 2, (1,): 1}}


def test_levels_of_a_number_and_many_bins_are_found(tmp_path: Path) -> None:
    """More bins than are joined in SQL."""
    many = Attribute("x", 700)
    bins = tuple(Bin(i, Fraction(10 * i), Fraction(10 * i + 9)) for i in range(700))
    path = csv_file(tmp_path, "x\n" + "".join(f"{value}\n" for value in range(7000)))
    source = DataSource("records", path.name, columns=(DataColumn("x", "x", bins),))
    found = tallies(source, path.parent, (many,), [("x",)], CONFINED)
    assert found.counts == {("x",): {(i,): 10 for i in range(700)}}


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
@pytest.mark.parametrize("form", ["INTEGER", "DOUBLE", "VARCHAR"])
def test_engines_bin_alike(tmp_path: Path, engine: str, form: str) -> None:
    pytest.importorskip("ibis")
    import duckdb

    rng = random.Random(engine + form)
    values = [rng.randrange(100) for _ in range(200)]
    rows = [(value, "mf"[i % 2]) for i, value in enumerate(values)]
    path = tmp_path / "people.db"
    create = f'CREATE TABLE people ("AGEP" {form}, "Sex" VARCHAR)'
    if engine == "sqlite":
        with sqlite3.connect(path) as lite:
            lite.execute(create)
            lite.executemany("INSERT INTO people VALUES (?, ?)", rows)
        lite.close()
    else:
        with duckdb.connect(path) as database:
            database.execute(create)
            database.executemany("INSERT INTO people VALUES (?, ?)", rows)
    plain = csv_file(tmp_path, "AGEP,Sex\n" + "".join(f"{a},{s}\n" for a, s in rows))
    source = DataSource("records", "people", f"{engine}://people.db", columns=COLUMNS)
    found = tallies(source, tmp_path, (AGE, SEX), MARGINS, Access(engines=(engine,)))
    assert found.counts == by_hand(plain, MARGINS)


def test_a_text_in_a_numeric_column_of_sqlite_is_no_zero(tmp_path: Path) -> None:
    """SQLite keeps texts in columns of integers, and would take them for 0."""
    pytest.importorskip("ibis")
    path = tmp_path / "people.db"
    with sqlite3.connect(path) as lite:
        lite.execute('CREATE TABLE people ("AGEP" INTEGER, "Sex" VARCHAR)')
        lite.executemany("INSERT INTO people VALUES (?, ?)", [(5, "m"), ("old", "f")])
    lite.close()
    source = DataSource("records", "people", "sqlite://people.db", columns=COLUMNS)
    with pytest.raises(SpecError, match="'old' is not a level"):
        tallies(source, tmp_path, (AGE, SEX), MARGINS, QUOTING)


def test_a_column_under_another_name_may_be_called_count(tmp_path: Path) -> None:
    """The counts stand elsewhere, and ``count`` is an attribute."""
    number = Attribute("count", ("one", "two"))
    path = csv_file(tmp_path, "count,Sex,Freq\none,m,3\ntwo,f,4\n")
    columns = (DataColumn("Freq", None), DataColumn("Sex", "sex"))
    source = DataSource("table", path.name, columns=columns)
    found = tallies(source, path.parent, (number, SEX), [("count", "sex")], CONFINED)
    assert found.counts == {("count", "sex"): {(0, 0): 3, (1, 1): 4}}


def test_wrong_counts_and_missing_columns_are_named_as_the_file_has_them(tmp_path: Path) -> None:
    columns = (*COLUMNS, DataColumn("Freq", None))
    path = csv_file(tmp_path, "AGEP,Sex,Freq\n5,m,-3\n")
    with pytest.raises(SpecError, match="Freq: '-3' is negative"):
        counted(path, "table", columns)
    path = csv_file(tmp_path, "AGEP,sex,count\n5,m,3\n")
    with pytest.raises(SpecError) as caught:
        counted(path, "table", columns)
    assert [problem.path for problem in caught.value.problems] == ["Sex", "Freq"]
