"""--kill-after and --memory-limit end analyze and check: exit 2, a message, nothing written."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from semiaudit.cli import interrupts, main
from semiaudit.universe import problem
from tests.checking.batches import environment, spec_file
from tests.places import ROOT

SPEC = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2, c: 2}}\n"
    "invariants: [margin: [a, b], margin: [b, c], margin: [a, c]]\n"
    "data: {counts: [[[3, 4], [5, 2]], [[1, 3], [2, 6]]]}\n"
    "mechanism: {zcdp: {rho: 1}}\nbudgets: [{framework: semi_dp, rho: 1000}]\n"
)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "x.semiaudit.yaml"
    path.write_text(SPEC, encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["analyze", "check"])
def test_a_run_that_takes_too_long_is_given_up_and_writes_nothing(
    command: str, spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(problem, "tables_of", lambda system: time.sleep(600))
    file = spec.parent / "report.json"
    assert main([command, str(spec), "--kill-after", "0.01", "-o", f"json={file}"]) == 2
    captured = capsys.readouterr()
    assert captured.err == "took longer than 0.01 s and was given up; raise --kill-after\n"
    assert captured.out == ""
    assert not file.exists()


@pytest.mark.parametrize("command", ["analyze", "check"])
def test_a_run_in_time_is_as_it_was(
    command: str, spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(spec), "--kill-after", "100000", "--format", "json"]) == 0
    limited = capsys.readouterr().out
    assert main([command, str(spec), "--format", "json"]) == 0
    assert capsys.readouterr().out == limited


def test_code_that_cannot_be_interrupted_is_ended_with_the_same_code() -> None:
    code = (
        "from semiaudit.cli import interrupts\n"
        "import signal, semiaudit.checking.confinement as confinement\n"
        "confinement.GRACE = 0.01\n"
        "with interrupts.hard_limits(0.01, None):\n"
        "    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "    while True:\n"
        "        pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "took longer than 0.01 s and was given up; raise --kill-after\n"


@pytest.mark.parametrize("command", ["analyze", "check"])
def test_exhausted_memory_is_a_plain_error(command: str, spec: Path) -> None:
    file = spec.parent / "report.json"
    hungry = str(spec.rename(spec.with_name("hungry.yaml")))
    call = [sys.executable, "-m", "semiaudit", command, hungry, "-o", f"json={file}"]
    done = subprocess.run(
        [*call, "--memory-limit", "512"],
        env=environment(faults=True),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    remedy = "use a smaller spec, or raise --memory-limit if you set it"
    assert done.stderr == f"out of memory; {remedy}\n"
    assert not file.exists()


def test_without_limits_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "import_module", lambda name: pytest.fail(name))
    with interrupts.hard_limits(None, None):
        pass


LEAVING = """
import ctypes
import semiaudit.cli
semiaudit.cli.main = lambda: ctypes.CDLL(None).exit(1)
from semiaudit.__main__ import main
main()
"""


def test_a_library_that_ends_the_process_does_not_make_it_a_failed_budget() -> None:
    """OpenBLAS ends the process with 1 if it has no memory."""
    line = [sys.executable, "-c", LEAVING]
    assert subprocess.run(line, env=environment(), check=False, timeout=600).returncode == 2


@pytest.mark.parametrize("line", ["check .", "batch .", "analyze a.yaml", "init"])
def test_a_working_directory_that_was_removed_is_no_internal_error(
    line: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert main(line.split()) == 2
    assert "internal error" not in capfd.readouterr().err


NOWHERE = """
import sys, tempfile
tempfile._candidate_tempdir_list = lambda: ["/none"]
from semiaudit.__main__ import main
main()
"""


@pytest.mark.parametrize("command", ["analyze", "check"])
def test_without_a_temporary_directory_nothing_is_an_internal_error(
    command: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("sex\nf\n")
    path = spec_file(tmp_path, "records")
    text = path.read_text().replace("{margins: {sex: [4, 6]}}", "{records: t.csv}")
    path.write_text(text.replace(", degree: [no, yes]", ""))
    line = [sys.executable, "-c", NOWHERE, command, str(path)]
    environ = {**environment(), "TMPDIR": "/none"}
    done = subprocess.run(line, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "set TMPDIR" in done.stderr + done.stdout
