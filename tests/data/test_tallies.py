"""What files are counted to."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from semiaudit.errors import SpecError
from semiaudit.model.data_source import SourceKind
from semiaudit.model.dataspace import Attribute
from tests.data.counting import (
    BOTH,
    MARGINS,
    SEX,
    STATE,
    counted,
    counts_by_hand,
    csv_file,
    parquet_file,
)

pytest.importorskip("duckdb")

KINDS: tuple[SourceKind, ...] = ("table", "records")
NAMES = ["a*.csv", "a?.csv", "[ab].csv", "it's.csv", 'a"b.csv', "a b;c.csv", "{a,b}.CSV", "é.csv"]


def test_records_are_counted_over_every_grouping_in_its_own_order(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "sex,id,state\nm,1,0\nf,2,1\nf,3,1\nm,4,2\n")
    found = counted(path, "records")
    assert found.size == 4
    assert found.counts == {
        (): {(): 4},
        ("sex",): {(0,): 2, (1,): 2},
        ("sex", "state"): {(0, 0): 1, (1, 1): 2, (0, 2): 1},
    }


def test_a_table_is_summed_and_cells_of_zero_are_left_out(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "state,sex,count\n0,m,3\n0,f,0\n1,f,5\n2,m,0\n")
    found = counted(path, "table", groupings=[("state",), ("sex", "state"), ()])
    assert found.size == 8
    assert found.counts == {
        ("state",): {(0,): 3, (1,): 5},
        ("sex", "state"): {(0, 0): 3, (1, 1): 5},
        (): {(): 8},
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_counts_agree_with_a_count_by_hand(tmp_path: Path, seed: int, kind: SourceKind) -> None:
    rng = random.Random(seed)
    names = ["a", "b", "c", "d"]
    sizes = [rng.randint(2, 5) for _ in names]
    if kind == "table":
        cells = [cell for cell in product(*map(range, sizes)) if rng.random() < 0.6]
        rows = [(*cell, rng.randint(0, 9)) for cell in cells]
    else:
        rows = [(*map(rng.randrange, sizes), rng.randint(0, 99)) for _ in range(2000)]
    rng.shuffle(rows)
    lines = [",".join([*names, "count"]), *(",".join(map(str, row)) for row in rows)]
    path = csv_file(tmp_path, "\n".join(lines) + "\n")
    groupings = [tuple(rng.sample(names, rng.randint(0, 4))) for _ in range(8)]
    attributes = [Attribute(name, size) for name, size in zip(names, sizes, strict=True)]
    by_hand = counts_by_hand(path, [*groupings, ()], weighted=kind == "table")
    found = counted(path, kind, attributes, groupings)
    assert found.counts == {grouping: by_hand[grouping] for grouping in groupings}
    assert found.size == by_hand[()][()]
    parquet = parquet_file(tmp_path, f"SELECT * FROM read_csv('{path}')")
    assert counted(parquet, kind, attributes, groupings) == found


def test_codes_keep_their_zeros_and_texts_are_matched_as_levels_are(tmp_path: Path) -> None:
    county = Attribute("county", ("017", "17", "1"))
    path = csv_file(tmp_path, 'county\n017\n17\n01\n1\n"1"\n')
    found = counted(path, "records", [county], [("county",)])
    assert found.counts[("county",)] == {(0,): 1, (1,): 1, (2,): 3}


def test_texts_of_one_level_are_added_up_in_every_grouping(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "state,sex\n1,m\n01,m\n001,f\n2,f\n")
    found = counted(path, "records", groupings=[("state", "sex"), ("state",)])
    assert found.counts[("state", "sex")] == {(1, 0): 2, (1, 1): 1, (2, 1): 1}
    assert found.counts[("state",)] == {(1,): 3, (2,): 1}


def test_columns_of_parquet_are_read_as_text_whatever_their_type(tmp_path: Path) -> None:
    query = (
        "SELECT * FROM (VALUES (0::TINYINT, true, 7.5::DOUBLE, DATE '2020-04-01'), "
        "(2::TINYINT, false, 7.5::DOUBLE, DATE '2020-04-01')) AS v(state, hispanic, x, census_day)"
    )
    attributes = [
        STATE,
        Attribute("hispanic", ("true", "false")),
        Attribute("x", ("7.5",)),
        Attribute("census_day", ("2020-04-01",)),
    ]
    groupings = [("state", "hispanic", "x", "census_day")]
    found = counted(parquet_file(tmp_path, query), "records", attributes, groupings)
    assert found.counts[groupings[0]] == {(0, 0, 0, 0): 1, (2, 1, 0, 0): 1}


def test_dictionary_encoded_parquet_is_read(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    sex = arrow.array(["m", "f", "f"]).dictionary_encode()
    binary = arrow.array([b"0", b"1", b"1"])
    parquet.write_table(arrow.table({"sex": sex, "state": binary}), tmp_path / "data.parquet")
    found = counted(tmp_path / "data.parquet", "records")
    assert found.counts[("sex", "state")] == {(0, 0): 1, (1, 1): 2}


def test_columns_whose_names_differ_in_case_are_told_apart(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"Sex": ["f", "f"], "nested": [{"sex": 1}] * 2, "sex": ["m", "m"], "state": [0, 1]}
    parquet.write_table(arrow.table(columns), tmp_path / "data.parquet")
    assert counted(tmp_path / "data.parquet", "records").counts[("sex",)] == {(0,): 2}
    path = csv_file(tmp_path, "Sex,sex,state\nf,m,0\n")
    assert counted(path, "records").counts[("sex",)] == {(0,): 1}


@pytest.mark.parametrize(
    "form", ["3.0::DOUBLE", "3.00::DECIMAL(9,2)", "3::UBIGINT", "3::HUGEINT", "'3'", "'003.0'"]
)
def test_a_whole_count_counts_in_any_type(tmp_path: Path, form: str) -> None:
    path = parquet_file(tmp_path, f"SELECT 0 AS state, 'm' AS sex, {form} AS count")
    assert counted(path, "table").size == 3


def test_the_largest_count_is_exact_and_sums_go_beyond_64_bits(tmp_path: Path) -> None:
    cells = Attribute("cell", 20_000)
    query = "SELECT i AS cell, 1000000000000000 AS count FROM range(20000) AS t(i)"
    found = counted(parquet_file(tmp_path, query), "table", [cells], [()])
    assert found.size == 2 * 10**19
    path = csv_file(tmp_path, "state,sex,count\n0,m,999999999999999\n0,f,1000000000000000\n")
    assert counted(path, "table").size == 1_999_999_999_999_999


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbfstate,sex\n0,m\n1,f\n",
        b"state,sex\r\n0,m\r\n1,f\r\n",
        b"state,sex\n0,m\n\n1,f\n\n",
        b'"state","sex"\n"0","m"\n"1","f"',
        b'note,state,sex\n"a, ""b""\nc",0,m\n,1,f\n',
    ],
    ids=["bom", "crlf", "blank lines", "quoted", "line in a value"],
)
def test_csv_in_its_usual_forms(tmp_path: Path, text: bytes) -> None:
    found = counted(csv_file(tmp_path, text), "records")
    assert found.counts[("sex", "state")] == {(0, 0): 1, (1, 1): 1}


def test_a_column_of_numbers_in_records_is_not_read_where_records_are_alike(
    tmp_path: Path,
) -> None:
    found = counted(csv_file(tmp_path, b"count,state,sex\n7,0,m\n7,1,f\n9,1,f\n"), "records")
    assert found.counts[("sex", "state")] == {(0, 0): 1, (1, 1): 2}


@pytest.mark.parametrize("name", ["count", "Freq", "N", "Population", "Anzahl"])
def test_cells_are_not_read_as_records(tmp_path: Path, name: str) -> None:
    file = csv_file(tmp_path, f"{name},state,sex\n7,0,m\n7,1,f\n".encode())
    with pytest.raises(SpecError, match=f"{name}: may hold counts: no two rows .* write table"):
        counted(file, "records")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_read_by_its_very_name(tmp_path: Path, name: str) -> None:
    for other in ("ab.csv", "a.csv", "b.csv"):
        csv_file(tmp_path, "state,sex\n2,f\n2,f\n", other)
    found = counted(csv_file(tmp_path, "state,sex\n0,m\n", name), "records")
    assert found.counts[("sex", "state")] == {(0, 0): 1}


def test_a_folder_named_like_a_partition_adds_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "state=2"
    folder.mkdir()
    found = counted(parquet_file(folder, "SELECT 0 AS state, 'm' AS sex"), "records")
    assert found.counts[("sex", "state")] == {(0, 0): 1}


def test_names_that_sql_knows_are_only_names(tmp_path: Path) -> None:
    name = 'select "x" from, k0'
    attributes = [Attribute(name, ("'", '"', "null")), Attribute("k0", 2), Attribute("n", 1)]
    columns = 'SELECT \'\'\'\' AS "select ""x"" from, k0", 1 AS k0, 0 AS n'
    for path in (
        parquet_file(tmp_path, columns),
        csv_file(tmp_path, '"select ""x"" from, k0",k0,n\n\',1,0\n'),
    ):
        found = counted(path, "records", attributes, [(name, "k0", "n")])
        assert found.counts[(name, "k0", "n")] == {(0, 1, 0): 1}


def test_many_columns_are_counted_though_grouping_has_few_bits(tmp_path: Path) -> None:
    names = [f"q{i}" for i in range(75)]
    attributes = [Attribute(name, 2) for name in names]
    groupings: list[tuple[str, ...]] = [(name,) for name in names]
    groupings += [("q0", "q74"), tuple(names)]
    columns = ", ".join(f"(i + {i}) % 2 AS {name}" for i, name in enumerate(names))
    path = parquet_file(tmp_path, f"SELECT {columns} FROM range(4) AS t(i)")
    for wanted in (groupings, groupings[:-1]):
        found = counted(path, "records", attributes, wanted)
        assert found.counts[("q0", "q74")] == {(0, 0): 2, (1, 1): 2}
        assert all(found.counts[(name,)] == {(0,): 2, (1,): 2} for name in names)


def test_columns_that_no_grouping_of_records_names_are_not_read(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "state,sex\n0,unknown\n1,\n")
    assert counted(path, "records", groupings=[("state",)]).counts[("state",)] == {(0,): 1, (1,): 1}
    assert counted(path, "records", groupings=[]).size == 2


def test_a_table_of_zeros_has_no_cells(tmp_path: Path) -> None:
    found = counted(csv_file(tmp_path, "state,sex,count\n0,m,0\n"), "table")
    assert (found.size, found.counts) == (0, {(): {(): 0}, ("sex",): {}, ("sex", "state"): {}})


@pytest.mark.parametrize("grouping", [("age",), ("sex", "sex")])
def test_a_grouping_is_a_set_of_attributes(tmp_path: Path, grouping: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="not a set of attributes"):
        counted(csv_file(tmp_path, "state,sex\n0,m\n"), "records", BOTH, [*MARGINS, grouping])


def test_more_groups_than_are_fetched_at_once_are_all_counted(tmp_path: Path) -> None:
    attributes = [Attribute("a", 250), Attribute("b", 250), SEX]
    query = "SELECT i % 250 AS a, i // 250 AS b, 'f' AS sex FROM range(62500) AS t(i)"
    found = counted(parquet_file(tmp_path, query), "records", attributes, [("a", "b"), ("b",)])
    assert found.counts[("a", "b")] == {(a, b): 1 for a in range(250) for b in range(250)}
    assert found.counts[("b",)] == {(b,): 250 for b in range(250)}
