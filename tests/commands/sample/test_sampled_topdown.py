"""``mechanism sample`` of a hierarchical release: its files, and what is printed of its errors."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import jsonschema
import pytest

from semiaudit.cli import main
from semiaudit.commands.sample.command import FILES
from tests.places import ROOT

SPEC = """semiaudit: 1
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


def test_errors_are_told_in_text_and_json_and_the_fitted_table_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text(SPEC, encoding="utf-8")
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    command = ["mechanism", "sample", "spec.yaml", "--data", "people.csv", "--seed", "2"]
    command += ["--nonnegative-integers", "l2", "-o", "csv=fitted.csv"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert "Mean error of a count before and after the fit" in text
    assert "post-processing, which does not change" in text
    assert "a table of nonnegative whole numbers, fitted by l2" in text
    assert "from the seed 2" in text
    rows = list(csv.DictReader(Path("fitted.csv").read_text("utf-8").splitlines()))
    table = {(row["region"], row["sex"]): int(row["count"]) for row in rows}
    assert table["x", "f"] + table["x", "m"] == 11
    assert table["y", "f"] + table["y", "m"] == 4
    assert min(table.values()) >= 0

    assert main([*command, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, json.loads((ROOT / "docs" / "sample.schema.json").read_text()))
    below, above = sorted(told["errors"], key=lambda error: -error["counts"])
    assert (below["level"], below["query"], below["counts"]) == ("region", "sex", 4)
    assert (above["level"], above["query"], above["counts"]) == ("all", "sex", 2)
    true = {("x", "f"): 9, ("x", "m"): 2, ("y", "f"): 4, ("y", "m"): 0}
    away = sum(abs(table[cell] - count) for cell, count in true.items())
    assert below["fitted"] == away / 4
    assert below["zeros"] == table["y", "m"]
    assert above["zeros"] is None


def test_a_level_that_the_data_do_not_tell_is_refused_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = SPEC.replace("attribute: region}]", "attribute: region, split: [x]}]")
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
    Path("spec.yaml").write_text(SPEC.replace("sex: [f, m]}", "sex: 13000}"), encoding="utf-8")
    command = ["mechanism", "sample", "spec.yaml", "--data", "nowhere.csv", "-o", "csv=out.csv"]
    assert main([*command, "--nonnegative-integers", "l2"]) == 2
    told = capsys.readouterr().err
    assert "the table has 26000 cells, and at most 25000 can be fitted" in told
    assert main(command) == 2
    assert capsys.readouterr().err.startswith("nowhere.csv: there is no such file")
    assert not Path("out.csv").exists()


def test_nothing_is_written_where_the_time_limit_strikes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text(SPEC, encoding="utf-8")
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    command = ["mechanism", "sample", "spec.yaml", "--data", "people.csv", "-o", "csv=out.csv"]
    command += ["--draws", "1000000", "--nonnegative-integers", "l1", "--time-limit", "0.5"]
    assert main(command) == 2
    told = capsys.readouterr()
    assert told.err.endswith("raise --time-limit\n")
    assert "the time limit was reached before" in told.err
    assert not told.out
    assert not Path("out.csv").exists()
