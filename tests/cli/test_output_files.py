"""Files that commands write: none of an earlier run is taken for one that could not be written."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from semiaudit.cli import cli, main, output_files
from semiaudit.cli.output import OverwriteError
from semiaudit.cli.output_files import write_text
from semiaudit.errors import OutputError
from tests.checking.batches import environment
from tests.gate.specs import HOLDS, UNREADABLE, spec

NOTE = "out: was not written; it is from an earlier run"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    spec(tmp_path, HOLDS, "holds.yaml")
    spec(tmp_path, UNREADABLE, "damaged.yaml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "check holds.yaml --policy missing.yaml -o json=out",
        "check holds.yaml --waivers missing.yaml --output json=out",
        "check holds.yaml --baseline missing.json --output=json=out",
        "check -ojson=out holds.yaml --near-limit high",
        "check -o json=out",
        "analyze damaged.yaml -o json=out",
        "analyze holds.yaml -o json=out -o xml=y",
        "batch . --sort nothing -o csv=out",
        "compare holds.yaml missing.yaml -o json=out",
    ],
)
def test_a_file_that_an_error_leaves_is_named(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 2
    assert NOTE not in capsys.readouterr().err
    (folder / "out").write_text("all is well")
    assert main(line.split()) == 2
    assert capsys.readouterr().err.splitlines()[-1] == NOTE
    assert (folder / "out").read_text() == "all is well"


@pytest.mark.parametrize("name", ["holds.yaml", "damaged.yaml"])
def test_a_report_that_is_written_anew_is_not_from_an_earlier_run(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ["check", name, "-o", "json=out", "-o", f"text={os.devnull}"]
    assert main(args) == main(args)
    assert "earlier run" not in capsys.readouterr().err


def test_a_file_without_its_format_is_shown_with_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyze", "holds.yaml", "-o", "r.html"]) == 2
    assert "-o r.html: write html=r.html\n" in capsys.readouterr().err


def test_a_spec_in_the_place_of_a_command_is_shown_behind_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["holds.yaml"]) == 2
    said = "holds.yaml is not a command; run `semiaudit analyze holds.yaml`"
    assert said in capsys.readouterr().err


TABLE = """semiaudit: 1
dataspace: {attributes: {a: [x, y], b: [0, 1]}}
invariants: [{margin: [a]}]
data: {table: "ta\\x62le.csv"}
mechanism: {discrete_gaussian: {sigma_squared: 4, query: table}}
"""
"""A spec whose data are table.csv, by a name that is written with an escape."""

ROWS = "a,b,count\nx,0,1\nx,1,2\ny,0,3\ny,1,4\n"


@pytest.fixture
def survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a spec and its confidential table."""
    (tmp_path / "spec.yaml").write_text(TABLE)
    (tmp_path / "table.csv").write_text(ROWS)
    (tmp_path / "link.csv").symlink_to("table.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "table.csv")
    (tmp_path / "folder").symlink_to(".")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("output", ["table.csv", "link.csv", "hard.csv", "folder/table.csv"])
@pytest.mark.parametrize(
    "line",
    [
        "analyze spec.yaml -o csv={}",
        "analyze spec.yaml -o svg={}",
        "ablate spec.yaml -o csv={}",
        "batch . -o csv={}",
        "check spec.yaml -o csv={}",
        "check . -o csv={}",
        "compare spec.yaml spec.yaml -o csv={}",
        "mechanism calibrate spec.yaml --target rho=1 -o csv={}",
        "mechanism calibrate spec.yaml --target rho=1 --design discrete_gaussian -o spec={}",
        "mechanism sample spec.yaml -o csv={}",
        "mechanism sample spec.yaml -o parquet={}",
        "mechanism test odds-ratio --spec spec.yaml --epsilon 1 -o json={}",
        "registry export spec.yaml -o yaml={}",
    ],
)
def test_no_command_overwrites_the_data_that_its_spec_names(
    line: str, output: str, survey: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.format(output).split()) == 2
    said = capsys.readouterr().err
    assert f"={output}: would overwrite" in said
    assert "earlier run" not in said
    assert (survey / "table.csv").read_text() == ROWS


@pytest.mark.parametrize(
    "section",
    [
        "data: {{records: {}}}",
        "data: {{table: t, engine: 'sqlite://{}'}}",
        "invariants: [{{linear: {}}}]",
        "invariants: [{{partition: {}}}]",
        "dataspace: {{attributes: {{a: 2, b: {{within: a, levels: {}}}}}}}",
        "mechanism: {{gaussian: {{covariance: {}, query: table}}}}",
        "mechanism: {{laplace: {{basis: '{}', query: table}}}}",
        "mechanism: {{gaussian: {{sigma: 1, query: {{matrix: ../{{}}/folder/{}}}}}}}",
    ],
)
@pytest.mark.parametrize("given", ["spec.yaml", "-"])
def test_every_file_that_a_spec_names_is_spared(
    given: str, section: str, survey: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "input.db"
    text = f"semiaudit: 1\n{section.format(name)}\n".replace("{}", survey.name)
    (survey / "spec.yaml").write_text(text)
    (survey / name).write_text("all is well")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    with pytest.raises(OverwriteError):
        cli.main(["analyze", given, "-o", f"json={name}"], standalone_mode=False)


def test_a_file_that_no_spec_names_is_replaced(survey: Path) -> None:
    (survey / "out.csv").write_text("of an earlier run")
    assert main(["analyze", "spec.yaml", "-o", "csv=out.csv"]) == 0
    assert (survey / "out.csv").read_text().startswith("framework")


def test_the_matrix_of_a_design_spares_a_file_of_its_spec(
    survey: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TABLE.replace("ta\\x62le.csv", "new.covariance.csv")
    (survey / "spec.yaml").write_text(text)
    (survey / "new.covariance.csv").write_text(ROWS)
    line = "mechanism calibrate spec.yaml --target rho=1 --design correlated_gaussian"
    assert main([*line.split(), "-o", "spec=new.yaml"]) == 2
    assert "would overwrite" in capsys.readouterr().err
    assert (survey / "new.covariance.csv").read_text() == ROWS


@pytest.mark.parametrize("kind", ["pipe", "socket", "read-only"])
@pytest.mark.parametrize(
    "line",
    [
        "analyze holds.yaml -o json={}",
        "analyze holds.yaml -o svg={}",
        "check holds.yaml -o sarif={}",
        "batch . -o csv={}",
        "batch . -o parquet={}",
        "compare holds.yaml holds.yaml -o json={}",
        "ablate holds.yaml -o json={}",
        "convert zcdp:{{rho:1}} -o json={}",
        "mechanism sample holds.yaml -o csv={}",
        "registry export holds.yaml -o yaml={}",
        "reproduce -o json={}",
        "init {} --force",
    ],
)
def test_nothing_but_writable_files_and_devices_is_written_to(
    line: str, kind: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "out.yaml"
    if kind == "pipe":
        os.mkfifo(name)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as unix:
            unix.bind(name)
    else:
        (folder / name).touch(0o444)
    before = (folder / name).lstat()
    assert main(line.format(name).split()) == 2
    assert name in capsys.readouterr().err
    after = (folder / name).lstat()
    assert (after.st_ino, after.st_mode, after.st_size) == (
        before.st_ino,
        before.st_mode,
        before.st_size,
    )


def test_a_pipe_that_appears_after_the_check_is_not_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo("late")
    monkeypatch.setattr(output_files, "refusal_of", lambda _: "")
    with pytest.raises(OutputError, match="late: cannot be written"):
        write_text("late", "report")


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", os.devnull])
def test_devices_and_open_pipes_are_written_to(name: str, folder: Path) -> None:
    line = [sys.executable, "-m", "semiaudit", "analyze", "holds.yaml", "-o", f"json={name}"]
    done = subprocess.run(
        line, capture_output=True, text=True, env=environment(), check=False, timeout=600
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ('"schema_version": 1' in done.stdout) is (name != os.devnull)
