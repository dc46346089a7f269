"""`semiaudit mechanism calibrate`: targets, formats, and the spec of one design."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from semiaudit import progress
from semiaudit.cli import main
from semiaudit.cli.status_line import StatusLine
from semiaudit.commands.calibrate import PRESENTATION
from semiaudit.model.bound import exact
from semiaudit.model.measure import GDP
from semiaudit.model.results.design import DESIGN_NAMES, Calibration, Design
from semiaudit.report import Layout
from tests.places import ROOT
from tests.samples import sampled

SPEC = """\
# A survey.
semiaudit: 1
title: A survey
dataspace:
  unit: person
  attributes: {a: 3, b: 3}
invariants:
  - margin: [a]
  - margin: [b]
data: {counts: [[1, 1, 0], [0, 1, 1], [1, 0, 1]]}
design:
  query: table   # every cell

# How it is reported.
report: {deltas: [1e-6]}
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("survey.yaml").write_text(SPEC, encoding="utf-8")


def run(*words: str) -> int:
    return main(["mechanism", "calibrate", "survey.yaml", *words])


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert run(*words, "--format", "json") == 0
    return json.loads(capsys.readouterr().out)


def test_json_follows_its_schema_and_names_every_design(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(capsys, "--target", "rho=0.5")
    schema = json.loads((ROOT / "docs" / "calibrate.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(found)
    assert [design["name"] for design in found["designs"]] == list(DESIGN_NAMES)
    assert found["target"] == "rho=0.5"
    assert found["limit"] == 0.5
    for design in found["designs"]:
        assert {"mechanism", "rank", "expected_l2", "max_sd", "met", "tight", "notes"} <= {*design}
        assert (design["mechanism"] is None) == (not design["meets"])


AUDITED = tuple(name for name in DESIGN_NAMES if name != "sized_gaussian")
"""The margins of the spec fix its size, so that no noise has the size as a further row."""


@pytest.mark.parametrize("name", sampled(AUDITED, fast=(4, 5, 6, 10, 15)))
def test_the_section_of_a_design_can_be_audited_as_it_stands(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = printed(capsys, "--target", "rho=0.5", "--design", name)["designs"]
    assert [design["name"] for design in found] == [name]
    (design,) = found
    section = json.dumps(design["mechanism"])
    text = SPEC.split("design:", maxsplit=1)[0] + f"mechanism: {section}\n"
    Path("audited.yaml").write_text(text, encoding="utf-8")
    assert main(["analyze", "audited.yaml", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["guarantees"]
    (semi,) = (row for row in rows if row["framework"] == "semi_dp")
    assert semi["zcdp"]["rho"] == design["met"] <= 0.5


def test_the_spec_of_one_design_keeps_all_other_lines(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--target", "mu=1", "--design", "algorithm_1", "-o", "spec=noise.yaml")
    assert run(*words) == 0
    text = Path("noise.yaml").read_text("utf-8")
    before, after = SPEC.split("design:\n  query: table   # every cell\n")
    assert text.startswith(before)
    assert text.endswith(after)
    assert "sigma: 2.44948974279" in text
    capsys.readouterr()
    assert main(["analyze", "noise.yaml", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["guarantees"]
    (semi,) = (row for row in rows if row["framework"] == "semi_dp")
    assert 1 - 1e-6 < semi["gdp"]["mu"] <= 1


@pytest.mark.parametrize(
    ("name", "target", "key"),
    [("correlated_gaussian", "mu=1", "covariance"), ("extended_laplace", "epsilon=1", "basis")],
)
def test_a_matrix_is_written_beside_the_spec(
    name: str, target: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--target", target, "--design", name, "-o", "spec=noise.yaml") == 0
    assert f"{key}: noise.{key}.csv" in Path("noise.yaml").read_text("utf-8")
    rows = Path(f"noise.{key}.csv").read_text("utf-8").splitlines()
    assert {len(row.split(",")) for row in rows} == {9}
    capsys.readouterr()
    assert main(["analyze", "noise.yaml"]) == 0


def test_csv_and_markdown_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--target", "epsilon=1", "--format", "csv", "-o", "markdown=designs.md") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["design"] for row in rows] == list(DESIGN_NAMES)
    met = {row["design"]: row["met"] for row in rows if row["meets"] == "true"}
    assert float(met["algorithm_2"]) == pytest.approx(1)
    assert "| algorithm\\_2 |" in Path("designs.md").read_text("utf-8")


def test_the_text_fits_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run("--target", "epsilon=1,delta=1e-5") == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("Lemma 3.4's printed constant" in line for line in lines)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--target", "epsilon=0"), "no noise meets it"),
        (("--target", "epsilon=0,delta=1e-6"), "epsilon 0 is out of range"),
        (("--target", "mu=-1"), "mu: -1 is out of range"),
        (("--target", "mu=1e9"), "out of range"),
        (("--target", "delta=1"), "is not such as epsilon=2,delta=1e-5"),
        (("--target", "epsilon=1,delta=0"), "for pure DP"),
        (("--target", "mu=one"), "is not a number"),
        (("--target", "mu=1,mu=2"), "is not such as"),
        (("--target", "rho=0,5"), "is not such as"),
        (("--target", "renyi:2"), "is not such as"),
        (("--target", "epsilon=1", "--design", "algorithm_1"), "unbounded likelihood ratios"),
        (("--target", "mu=1"), "choose one design"),
        (("--target", "mu=1", "--design", "algorithm_2", "--design", "algorithm_1"), "choose one"),
    ],
)
def test_bad_targets_and_what_no_noise_meets_write_nothing(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(*words, "-o", "spec=noise.yaml") == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["survey.yaml"]


def test_a_design_alone_is_nothing_to_audit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", "survey.yaml"]) == 2
    assert "survey.yaml:11:1: design: does not specify noise" in capsys.readouterr().err


def test_several_releases_are_refused_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    noise = "mechanism: {gaussian: {sigma: 1, query: table}}"
    Path("survey.yaml").write_text(
        "semiaudit: 1\ndataspace: {size: 9, attributes: {a: 2}}\nreleases:\n"
        f"  - {{invariants: [total], {noise}}}\n  - {{invariants: [], {noise}}}\n",
        encoding="utf-8",
    )
    assert run("--target", "mu=1") == 2
    error = capsys.readouterr().err
    assert "survey.yaml:4:3: releases: have several mechanisms" in error
    assert "write a separate spec with the invariants of all releases" in error


def test_a_spec_that_names_files_is_written_beside_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text("1,1,1,0,0,0,0,0,0\n", encoding="utf-8")
    text = SPEC.replace("query: table   # every cell", "query: {matrix: rows.csv}")
    Path("survey.yaml").write_text(text.replace("margin: [a]", "total"), encoding="utf-8")
    Path("other").mkdir()
    words = ("--target", "mu=1", "--design", "naive_gaussian", "-o")
    assert run(*words, "spec=other/noise.yaml") == 2
    assert "write the new spec into that folder" in capsys.readouterr().err
    assert run(*words, "spec=noise.yaml") == 0
    assert "matrix: rows.csv" in Path("noise.yaml").read_text("utf-8")


def test_a_spec_in_braces_is_not_written_anew(capsys: pytest.CaptureFixture[str]) -> None:
    text = "{semiaudit: 1, dataspace: {size: 9, attributes: {a: 2}}, design: {query: table}}\n"
    Path("survey.yaml").write_text(text, encoding="utf-8")
    words = ("--target", "mu=1", "--design", "naive_gaussian", "-o", "spec=noise.yaml")
    assert run(*words) == 2
    assert "lines of its own" in capsys.readouterr().err
    assert not Path("noise.yaml").exists()


NOISY = """semiaudit: 1
dataspace: {size: 20, attributes: {a: 2, b: 3}}
invariants: [{margin: [a]}, {margin: [b]}]
mechanism: {discrete_gaussian: {sigma_squared: 9, query: table}}
"""


def test_the_answer_is_the_scale_of_the_spec_s_own_noise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(NOISY, "utf-8")
    names = ["--design", "discrete_gaussian", "--design", "naive_gaussian"]
    assert main(["mechanism", "calibrate", str(spec), "--target", "rho=0.5", *names]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    # two or three records change four cells by 1: rho = 4 / (2 * 4)
    assert "Answer Your mechanism (discrete_gaussian): σ² 4 reaches ρ 0.5." in shown


def test_each_design_is_named_as_soon_as_it_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    class Found(StatusLine):
        def found(self, what: str) -> None:
            named.append(what)

    named: list[str] = []
    with progress.watched(Found("starting")):
        assert run("--target", "rho=0.5", "--format", "json") == 0
    met = {d["name"]: d for d in json.loads(capsys.readouterr().out)["designs"] if d["meets"]}
    found = dict(line.split(": ", 1) for line in named)
    assert met.keys() < found.keys() == {*DESIGN_NAMES}
    # four cells change by 1: sigma is 2, and a cell keeps 4/9 of the variance
    assert found["extended_gaussian"] == "σ 2.45, sd 1.633"


def test_what_was_not_checked_in_time_is_named() -> None:
    late = Design("algorithm_2", "", refused="the time limit was reached", late=True)
    done = Design("discrete_gaussian", "", meets=True, met=exact(1, "", ""), tight=True)
    found = Calibration("spec.yaml", "", "table", "semi_dp", 3, GDP(Fraction(1)), (late, done))
    text = " ".join(PRESENTATION.renderers["text"](found, Layout()).split())
    assert "Not checked in time: algorithm_2. The numbers of the other designs are not" in text
