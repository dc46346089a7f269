"""``mechanism sample`` as people run it: files, refusals, and what is printed."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from semiaudit.cli import main
from tests.oracles.sampling import LEVEL, chi_square_p
from tests.places import ROOT

SPEC = """semiaudit: 1
title: A noisy table
dataspace: {{unit: person, attributes: {{a: [x, y, z], b: [u, v]}}}}
invariants: [{{margin: [a]}}, {{margin: [b]}}]
{data}mechanism: {mechanism}
"""
COUNTS = "data: {counts: [[3, 1], [2, 4], [0, 5]]}\n"
MARGINS = "data: {margins: {a: [4, 6, 5], b: [5, 10]}}\n"
NULL = "query: table, support: null_space"
GAUSSIAN = f"{{gaussian: {{sigma: 2, {NULL}}}}}"
TABLE = "a,b,count\nx,u,3\nx,v,1\ny,u,2\ny,v,4\nz,v,5\n"

Sampled = Callable[..., tuple[int, list[dict[str, str]]]]


@pytest.fixture
def sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sampled:
    monkeypatch.chdir(tmp_path)

    def run(mechanism: str, *options: str, data: str = "") -> tuple[int, list[dict[str, str]]]:
        Path("spec.yaml").write_text(SPEC.format(mechanism=mechanism, data=data))
        code = main(["mechanism", "sample", "spec.yaml", "-o", "csv=noise.csv", *options])
        if not Path("noise.csv").exists():
            return code, []
        with open("noise.csv", encoding="utf-8", newline="") as stream:
            return code, list(csv.DictReader(stream))

    return run


def test_the_first_line_says_what_was_sampled_and_where_it_was_written(
    sampled: Sampled, capsys: pytest.CaptureFixture[str]
) -> None:
    code, rows = sampled(GAUSSIAN, "--draws", "2")
    assert code == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == f"{len(rows)} numbers of noise, without data, written to noise.csv."


def _margins(rows: list[dict[str, str]], column: str) -> dict[tuple[str, ...], Fraction]:
    found: dict[tuple[str, ...], Fraction] = {}
    for row in rows:
        for key in (("a", row["a"]), ("b", row["b"])):
            place = (row["draw"], row["part"], row["run"], *key)
            found[place] = found.get(place, Fraction(0)) + Fraction(row[column])
    return found


KEPT = {"x": 4, "y": 6, "z": 5, "u": 5, "v": 10}


@pytest.mark.parametrize(
    "mechanism",
    [
        GAUSSIAN,
        "{gaussian: {sigma: 2, query: table, support: sensitivity_space}}",
        f"{{laplace: {{scale: 3, {NULL}}}}}",
        f"{{discrete_gaussian: {{sigma_squared: 3, {NULL}}}}}",
        "{k_norm: {epsilon: 1, query: table, norm: {hull: D_t}}}",
        f"{{k_norm: {{epsilon: 1, norm: l2, {NULL}}}}}",
        f"{{k_norm: {{epsilon: 1, {NULL}}}}}",
    ],
)
def test_margins_are_exact_in_the_printed_numbers(sampled: Sampled, mechanism: str) -> None:
    code, rows = sampled(mechanism, "--draws", "3", "--seed", "1", data=COUNTS)
    assert (code, len(rows)) == (0, 18)
    for place, total in _margins(rows, "answer").items():
        assert total == KEPT[place[-1]]
    assert len({row["answer"] for row in rows}) > 3
    if "discrete" in mechanism:
        assert all(row["answer"].lstrip("-").isdigit() for row in rows)


def test_without_data_the_noise_alone_is_drawn(sampled: Sampled) -> None:
    code, rows = sampled(GAUSSIAN, data=MARGINS)
    assert code == 0
    assert set(_margins(rows, "noise").values()) == {0}
    again = sampled(GAUSSIAN, data=MARGINS)[1]
    assert rows != again


def test_a_seed_repeats_the_numbers(sampled: Sampled) -> None:
    first = sampled(GAUSSIAN, "--seed", "7")[1]
    assert sampled(GAUSSIAN, "--seed", "7")[1] == first
    assert sampled(GAUSSIAN, "--seed", "8")[1] != first


@pytest.mark.parametrize("fit", ["l1", "l2"])
def test_nearest_tables_are_whole_and_keep_the_margins(sampled: Sampled, fit: str) -> None:
    plain = "{gaussian: {sigma: 3, query: table}}"
    options = ("--nonnegative-integers", fit, "--draws", "5", "--seed", "2")
    code, rows = sampled(plain, *options, data=COUNTS)
    assert code == 0
    assert all(row["answer"].isdigit() for row in rows)
    for place, total in _margins(rows, "answer").items():
        assert total == KEPT[place[-1]]


def test_every_part_and_every_run_has_rows_of_its_own(sampled: Sampled) -> None:
    parts = (
        "{compose: [{laplace: {scale: 2, query: {margins: [[a], [b]]}}}, "
        "{discrete_laplace: {scale: 2, query: table}, repeat: 2}]}"
    )
    code, rows = sampled(parts, data=COUNTS)
    assert code == 0
    assert [(row["part"], row["run"]) for row in rows].count(("2", "2")) == 6
    assert [row["b"] for row in rows[:5]] == ["", "", "", "u", "v"]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (TABLE.replace("x,u,3\nx,v,1", "x,u,1\nx,v,3"), "in margin b"),
        (TABLE.replace("y,u", "q,u"), "a value is not a level"),
        (TABLE.replace("z,v,5", "z,v,6"), "the number of records, margin a, margin b"),
    ],
)
def test_a_table_that_disagrees_with_the_spec_writes_nothing(
    sampled: Sampled, capsys: pytest.CaptureFixture[str], table: str, told: str
) -> None:
    Path("table.csv").write_text(TABLE)
    assert sampled(GAUSSIAN, "--data", "table.csv", data=MARGINS)[0] == 0
    Path("noise.csv").unlink()
    Path("table.csv").write_text(table)
    assert sampled(GAUSSIAN, "--data", "table.csv", data=MARGINS) == (2, [])
    error = capsys.readouterr().err
    assert told in error
    assert "table.csv" in error
    assert sorted(path.name for path in Path().iterdir()) == ["spec.yaml", "table.csv"]


@pytest.mark.parametrize(
    ("mechanism", "told"),
    [
        ("{zcdp: {rho: 1}}", "zcdp is not noise on the answer to a query"),
        ("{shuffled: {epsilon0: 1, reports: 9}}", "shuffled is not noise"),
        ("{gaussian: {sigma: 1, shifts: [1]}}", "has shifts and no query"),
        (
            "{gaussian: {sigma: 1, query: {margins: [[a]]}, support: null_space}}",
            "not linear in the query",
        ),
        ("{k_norm: {epsilon: 0, query: table}}", "epsilon"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_its_reason(
    sampled: Sampled, capsys: pytest.CaptureFixture[str], mechanism: str, told: str
) -> None:
    assert sampled(mechanism) == (2, [])
    assert told in capsys.readouterr().err


def test_json_has_its_schema_and_names_the_source(
    sampled: Sampled, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sampled(GAUSSIAN, "--format", "json")[0] == 0
    found = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "docs" / "sample.schema.json").read_text("utf-8"))
    jsonschema.validate(found, schema)
    assert (found["randomness"], found["seed"]) == ("the operating system", None)
    assert found["rows"] == 6


def test_parquet_holds_the_same_numbers(sampled: Sampled) -> None:
    import duckdb

    _, rows = sampled(GAUSSIAN, "--seed", "3", "-o", "parquet=noise.parquet", data=COUNTS)
    with duckdb.connect() as connection:
        held = connection.execute("select a, b, answer from 'noise.parquet'").fetchall()
    assert held == [(row["a"], row["b"], float(row["answer"])) for row in rows]


def test_lines_fit_80_columns_and_somewhere_to_write_is_asked_for(
    sampled: Sampled, capsys: pytest.CaptureFixture[str]
) -> None:
    sampled("{k_norm: {epsilon: 1, query: table, norm: {hull: D_t}}}", "--seed", "1", data=COUNTS)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
    assert main(["mechanism", "sample", "spec.yaml"]) == 2
    assert "the sample has no file" in capsys.readouterr().err


BITS = """semiaudit: 1
dataspace: {product: {size: 2, values: [0, 1]}}
invariants: [{count: {where: {value: 1}}}]
data: {dataset: [1, 0]}
mechanism: {finite: {probabilities: [[1, 0, 0], [0, 1/3, 2/3], [0, 2/3, 1/3], [1, 0, 0]]}}
"""


def drawn_from(text: str, *options: str) -> list[dict[str, str]]:
    Path("spec.yaml").write_text(text)
    assert main(["mechanism", "sample", "spec.yaml", "-o", "csv=out.csv", *options]) == 0
    with open("out.csv", encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_finite_mechanism_is_drawn_from_the_row_of_the_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = drawn_from(BITS, "--draws", "3000", "--seed", "4")
    assert list(rows[0]) == ["draw", "part", "run", "outcome"]
    # (1, 0) is the third of the four datasets in their order.
    assert chi_square_p([row["outcome"] for row in rows], {"2": 2 / 3, "3": 1 / 3}) > LEVEL
    assert {row["outcome"] for row in rows} == {"2", "3"}


def test_a_finite_mechanism_of_an_answer_is_drawn_from_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = """semiaudit: 1
dataspace: {size: 2, attributes: {a: [x, y]}}
mechanism:
  finite:
    query: table
    rows: [[2, 0], [1, 1], [0, 2]]
    probabilities: [[1, 0], [1/2, 1/2], [0, 1]]
"""
    Path("table.csv").write_text("a,count\nx,0\ny,2\n")
    rows = drawn_from(text, "--data", "table.csv", "--draws", "20")
    assert {row["outcome"] for row in rows} == {"2"}


def test_noise_by_a_table_of_counts_leaves_zeros_and_needs_data(
    sampled: Sampled, capsys: pytest.CaptureFixture[str]
) -> None:
    law = "[[count, -1, 0, 1], [0, 0, 1, 0], [1, 0.3, 0.4, 0.3], [2, 0.2, 0.6, 0.2]]"
    mechanism = f"{{finite_noise: {{table: {law}, query: table}}}}"
    code, rows = sampled(mechanism, "--draws", "2000", "--seed", "9", data=COUNTS)
    assert code == 0
    assert {row["answer"] for row in rows if (row["a"], row["b"]) == ("z", "u")} == {"0"}
    of_one = [int(row["answer"]) for row in rows if (row["a"], row["b"]) == ("x", "v")]
    assert chi_square_p(of_one, {0: 0.3, 1: 0.4, 2: 0.3}) > LEVEL
    Path("noise.csv").unlink()
    assert sampled(mechanism) == (2, [])
    assert "depends on the count, but the spec has no data" in capsys.readouterr().err


def test_values_with_decimals_are_printed_in_full(sampled: Sampled) -> None:
    noise = "{finite_noise: {values: [-0.1, 0, 0.1], probabilities: [1/3, 1/3, 1/3], query: table}}"
    code, rows = sampled(noise, "--draws", "50", "--seed", "1")
    assert code == 0
    assert {row["noise"] for row in rows} == {"-0.1", "0", "0.1"}


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        (BITS.replace("data: {dataset: [1, 0]}\n", ""), (), "add data.dataset"),
        (BITS, ("--data", "spec.yaml"), "add data.dataset to the spec"),
        (BITS, ("--nonnegative-integers", "l1"), "--nonnegative-integers"),
    ],
)
def test_finite_mechanisms_without_their_dataset_are_refused(
    text: str,
    options: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text(text)
    assert main(["mechanism", "sample", "spec.yaml", "-o", "csv=out.csv", *options]) == 2
    assert told in capsys.readouterr().err
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("command", ["sample", "analyze"])
def test_a_dash_is_no_file_to_write_to(
    sampled: Sampled, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert sampled(GAUSSIAN)[0] == 0
    asked = ["mechanism", "sample"] if command == "sample" else [command]
    assert main([*asked, "spec.yaml", "-o", "csv=-"]) == 2
    assert "standard output" in capsys.readouterr().err
    assert not Path("-").exists()


@pytest.mark.parametrize(
    ("more", "words", "wanted"),
    [
        ("", [], True),
        (", support: null_space", [], False),
        ("", ["--nonnegative-integers", "l2"], False),
    ],
)
def test_noise_that_does_not_keep_the_invariants_says_what_does(
    more: str, words: list[str], wanted: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(
        "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: [{margin: [a]}]\n"
        "data: {counts: [[1, 2], [3, 4]]}\n"
        f"mechanism: {{discrete_gaussian: {{sigma_squared: 4, query: table{more}}}}}\n"
    )
    line = ["mechanism", "sample", str(spec), "-o", f"csv={tmp_path / 'out.csv'}", *words]
    assert main(line) == 0
    note = "the noisy answers do not add up to the values that are published exactly"
    shown = " ".join(capsys.readouterr().out.split())
    assert (note in shown) is wanted
    assert ("support: null_space" in shown) is wanted
