"""The command line as its users meet it: start-up, exit codes, output files, pipes, widths."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from semiaudit.cli import main
from semiaudit.library import report
from semiaudit.model.audit import Audit
from semiaudit.resources import shipped
from tests.fuzz.options import commands
from tests.in_process import completed
from tests.own_process import run_python
from tests.places import CONFIGS, LENGTHY, ROOT
from tests.samples import lengthy_cases, slow_cases

CENSUS = "configs/census2020_pl94.yaml"
AT_ONCE = frozenset({path.stem for path in CONFIGS.glob("*.yaml")} - LENGTHY)


def process(
    *arguments: str, cwd: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    clean = {
        key: value
        for key, value in os.environ.items()
        if key not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM")
    }
    return subprocess.run(
        [sys.executable, "-m", "semiaudit", *arguments],
        cwd=cwd,
        env={**clean, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def modules_loaded_by(*arguments: str) -> set[str]:
    code = (
        "import sys, runpy; sys.argv = ['semiaudit', *sys.argv[1:]]\n"
        "try:\n    runpy.run_module('semiaudit', run_name='__main__')\n"
        "except SystemExit as error:\n    assert not error.code, error.code\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    return set(run_python(code, *arguments).stderr.splitlines())


def test_help_and_version_load_neither_numpy_nor_scipy_nor_pydantic() -> None:
    for arguments in (["--help"], ["analyze", "--help"], ["--version"]):
        loaded = modules_loaded_by(*arguments)
        assert not loaded & {"numpy", "scipy", "pydantic", "rich.table", "yaml"}


def test_the_census_audit_needs_neither_numpy_nor_scipy(tmp_path: Path) -> None:
    # One process writes every form: what any of them loads is loaded.
    forms = ("json", "markdown")
    files = [part for form in forms for part in ("-o", f"{form}={tmp_path / form}")]
    assert not modules_loaded_by("analyze", CENSUS, *files) & {"numpy", "scipy"}


@pytest.mark.parametrize(
    "names",
    [
        frozenset({"cell_key_census", "starter"}),
        *lengthy_cases([AT_ONCE]),
        *slow_cases([LENGTHY]),
    ],
    ids=len,
)
def test_nothing_ever_loads_scipy_stats(names: frozenset[str]) -> None:
    # One process for all: what any of them loads stays loaded.
    code = (
        "import sys\nfrom semiaudit.cli import main\n"
        "for path in sys.argv[1:]:\n"
        "    assert main(['analyze', path]) == 0, path\n"
        "    assert 'scipy.stats' not in sys.modules, path\n"
        "assert 'scipy' in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *(str(CONFIGS / f"{name}.yaml") for name in sorted(names))],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr


def test_the_help_names_every_command_and_exit_code() -> None:
    text = completed(ROOT, "--help").stdout
    for name in ("analyze", "init", "schema", "Exit codes"):
        assert name in text


@cache
def analyzed() -> subprocess.CompletedProcess[str]:
    """The census, as one process prints it."""
    return process("analyze", CENSUS)


def test_analyze_prints_the_report_on_stdout_and_nothing_on_stderr() -> None:
    done = analyzed()
    assert done.returncode == 0
    assert done.stderr == ""
    for number in ("10.24", "17.16", "39.83"):
        assert number in done.stdout
    assert "gaussian_exact" not in done.stdout


@pytest.mark.parametrize("config", ["census2020_pl94", "gao_county_populations", "starter"])
def test_no_number_is_ever_cut_whatever_the_width(
    config: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    audit_file = vars(report)["audit_file"]
    audits: dict[str, Audit] = {}

    def audited(path: str, *rest: Any, **options: Any) -> Audit:
        """One audit for all widths: it does not depend on the width."""
        if path not in audits:
            audits[path] = audit_file(path, *rest, **options)
        return audits[path]

    monkeypatch.setattr(report, "audit_file", audited)
    pattern = r"\d+\.\d+|\bDP\b"
    texts = []
    for width in ("300", "40", "60", "80", "120"):
        monkeypatch.setenv("COLUMNS", width)
        assert main(["analyze", str(ROOT / "configs" / f"{config}.yaml")]) == 0
        texts.append(capsys.readouterr().out)
    assert len(audits) == 1
    wide, *others = texts
    for narrow in others:
        assert max(map(len, narrow.splitlines())) < max(map(len, wide.splitlines()))
        assert "…" not in narrow[narrow.index("\nGuarantees") :]
        assert set(re.findall(pattern, narrow)) == set(re.findall(pattern, wide))


def test_a_pipe_gets_80_columns_without_colour() -> None:
    done = analyzed()
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout


def test_colour_follows_force_color_and_no_color() -> None:
    assert "\x1b[" in process("analyze", CENSUS, FORCE_COLOR="1").stdout
    assert "\x1b[" not in process("analyze", CENSUS, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_the_same_spec_gives_the_same_bytes_twice() -> None:
    first, second = (process("analyze", CENSUS, "--format", "json").stdout for _ in range(2))
    assert first == second
    assert json.loads(first)["schema_version"] == 1


def test_reports_are_written_to_files_beside_standard_output(tmp_path: Path) -> None:
    names = {"json": tmp_path / "a.json", "markdown": tmp_path / "a.md", "text": tmp_path / "a.txt"}
    options = [part for form, path in names.items() for part in ("-o", f"{form}={path}")]
    done = completed(ROOT, "analyze", CENSUS, "--format", "json", *options)
    assert done.returncode == 0
    assert names["json"].read_text() == done.stdout
    assert names["markdown"].read_text().startswith("# 2020 Census")
    assert "\x1b" not in names["text"].read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "a.md", "a.txt"]


@pytest.mark.parametrize(
    "output", ["json", "yaml=x", "json=", "json=/nowhere/x", "json=."], ids=str
)
def test_an_impossible_output_is_refused_before_any_work(
    output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyze", CENSUS, "-o", output]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert output in captured.err


def test_an_output_never_replaces_the_spec_or_another_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.yaml"
    text = "semiaudit: 1\ndataspace: {}\nmechanism: {zcdp: {rho: 1}}\n"
    spec.write_text(text)
    assert main(["analyze", str(spec), "-o", f"json={spec}"]) == 2
    same = f"json={tmp_path / 'out'}", f"markdown={tmp_path / 'out'}"
    assert main(["analyze", str(spec), "-o", same[0], "-o", same[1]]) == 2
    assert spec.read_text() == text
    assert list(tmp_path.iterdir()) == [spec]
    assert capsys.readouterr().out == ""


def test_a_full_disk_leaves_the_old_report_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "report.json"
    target.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert main(["analyze", CENSUS, "-o", f"json={target}"]) == 2
    captured = capsys.readouterr()
    assert "No space left" in captured.err
    assert captured.out == ""
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m semiaudit analyze {CENSUS} | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("2020 Census")


def test_a_wrong_option_or_command_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze"]) == 2
    assert main(["analyze", CENSUS, "--format", "xml"]) == 2
    assert main(["audit", CENSUS]) == 2
    assert capsys.readouterr().out == ""


def test_an_internal_error_is_one_line_and_exit_4(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("something broke")

    monkeypatch.setattr("semiaudit.library.report.audit_path", broken)
    assert main(["analyze", CENSUS]) == 4
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "something broke" in captured.err
    assert main(["--debug", "analyze", CENSUS]) == 4
    assert "Traceback" in capsys.readouterr().err


def test_init_writes_a_spec_that_can_be_audited_and_keeps_existing_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.yaml"
    assert main(["init", str(path)]) == 0
    assert capsys.readouterr().out == ""
    text = path.read_text()
    assert text.count("#") > 10
    assert main(["analyze", str(path)]) == 0
    path.write_text("precious")
    assert main(["init", str(path)]) == 2
    assert path.read_text() == "precious"
    assert main(["init", str(path), "--force"]) == 0
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("arguments", "name"), [([], "spec.schema.json"), (["report"], "report.schema.json")]
)
def test_the_committed_schemas_are_what_the_command_prints(arguments: list[str], name: str) -> None:
    done = completed(ROOT, "schema", *arguments)
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads((ROOT / "docs" / name).read_text())
    assert done.stdout == (ROOT / "docs" / name).read_text()


def test_shipped_files_are_found_by_name_and_nothing_else_is() -> None:
    assert shipped(CENSUS) == ROOT / CENSUS
    assert shipped("spec.schema.json") == ROOT / "docs" / "spec.schema.json"
    for name in ("configs/nothing.yaml", "../pyproject.toml", "/etc/passwd", "pyproject.toml"):
        assert shipped(name) is None


def test_the_line_of_the_readme_audits_the_file_of_a_checkout() -> None:
    assert analyzed().returncode == 0
    assert "39.83" in analyzed().stdout


@pytest.mark.parametrize("words", [*commands()], ids=" ".join)
def test_the_help_of_a_command_ends_with_two_lines_that_it_takes(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command = commands()[words]
    assert main([*words, "--help"]) == 0
    _, _, examples = capsys.readouterr().out.partition("\nExamples:\n")
    lines = [shlex.split(line) for line in examples.splitlines()]
    assert [line[: len(words) + 1] for line in lines] == [["semiaudit", *words]] * 2
    for line in lines:
        command.make_parser(click.Context(command)).parse_args(line[len(words) + 1 :])
