"""`init`: a spec of one's own data in one command, the shipped specs, and what is not written."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from semiaudit.cli import main
from semiaudit.resources import shipped_configs
from tests.cli.test_invocations import modules_loaded_by, process
from tests.places import ROOT
from tests.tables import MICRODATA, TABLE, real_table

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


@pytest.mark.parametrize("more", [[], ["--example", "starter"], ["--from", "admissions.csv"]])
@pytest.mark.parametrize("level", ["error", "never"])
def test_no_gate_takes_what_init_wrote_before_it_is_filled_in(
    more: list[str],
    level: str,
    admissions: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(admissions.parent)
    Path("policy.yaml").write_text(POLICY)
    assert run("init", "mine.yaml", *more) == 0
    checked = ["check", "mine.yaml", "--policy", "policy.yaml", "--fail-on", level]
    assert run("analyze", "mine.yaml") == 0
    assert run(*checked, "--format", "github") == 1
    line = 1 + Path("mine.yaml").read_text().partition("  - ")[0].count("\n")
    assert f"::error file=mine.yaml,line={line},col=5,title=SA032" in capsys.readouterr().out
    filled_in(Path("mine.yaml"))
    assert run(*checked) == 0


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
    assert "53940 records" in report["statement"]["domain"]
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
    assert "4526 records" in report["statement"]["domain"]
    assert report["semi_adjacency"]["value"] == 3
