"""Signals: check and batch end with what is finished, other commands with 130; nothing hangs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from semiaudit.auditing import run
from semiaudit.cli import main
from tests.checking.batches import environment, spec_file
from tests.checking.test_stop import processes_of
from tests.samples import sampled

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
FORMS = ("text", "json", "markdown", "sarif", "junit", "github")
OUTPUTS = tuple(part for form in FORMS for part in ("-o", f"{form}=out.{form}"))


def interrupted(
    cwd: Path, number: signal.Signals, *arguments: str, times: int = 1
) -> subprocess.CompletedProcess[str]:
    """A command that gets a signal once the spec waits whose name says so; no process is left."""
    running = subprocess.Popen(
        [sys.executable, "-m", "semiaudit", *arguments],
        cwd=cwd,
        env=environment(faults=True),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not list(cwd.rglob("*.started")):
        assert running.poll() is None, "it ended before it was interrupted"
        time.sleep(0.02)
    os.kill(running.pid, number)
    if times > 1:
        time.sleep(0.5)
        assert running.poll() is None, "the first signal ended it"
        os.kill(running.pid, number)
    out, err = running.communicate(timeout=600)
    assert processes_of(running.pid) == []
    assert "Traceback" not in err
    return subprocess.CompletedProcess(arguments, running.returncode, out, err)


def outcomes(path: Path) -> dict[str, str]:
    report = json.loads(path.read_text())
    assert report["complete"] is False
    assert report["exit_code"] == 2
    return {Path(v["spec"]["path"]).name.split(".")[0]: v["outcome"] for v in report["verdicts"]}


@pytest.mark.parametrize("number", SIGNALS)
def test_check_writes_what_is_finished(tmp_path: Path, number: signal.Signals) -> None:
    for name in ("a", "b", "wait", "x", "y"):
        spec_file(tmp_path / "specs", name, budget="1" if name == "b" else "2")
    done = interrupted(tmp_path, number, "check", "specs", *OUTPUTS)
    assert done.returncode == 2, done.stderr
    assert "INCOMPLETE" in done.stdout
    assert outcomes(tmp_path / "out.json") == {
        "a": "holds",
        "b": "exceeds",
        "wait": "unaudited",
        "x": "unaudited",
        "y": "unaudited",
    }
    assert "was not audited: the run was interrupted" in (tmp_path / "out.markdown").read_text()
    sarif = json.loads((tmp_path / "out.sarif").read_text())
    assert sarif["runs"][0]["invocations"][0]["executionSuccessful"] is False
    assert 'type="incomplete"' in (tmp_path / "out.junit").read_text()
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == sorted(
        f"out.{form}" for form in FORMS
    )


@pytest.mark.parametrize("number", sampled(SIGNALS, fast=(1,)))
def test_check_with_several_processes_leaves_none(tmp_path: Path, number: signal.Signals) -> None:
    for name in ("a", "b", "wait", "x", "y"):
        spec_file(tmp_path / "specs", name)
    done = interrupted(tmp_path, number, "check", "specs", "--jobs", "2", *OUTPUTS)
    assert done.returncode == 2, done.stderr
    found = outcomes(tmp_path / "out.json")
    assert sorted(found) == ["a", "b", "wait", "x", "y"]
    assert found["wait"] == "unaudited"
    assert set(found.values()) <= {"holds", "unaudited"}


def test_a_second_signal_ends_a_check_that_code_in_c_keeps_busy(tmp_path: Path) -> None:
    path = spec_file(tmp_path, "busy")
    done = interrupted(tmp_path, signal.SIGTERM, "check", path.name, "-o", "json=j", times=2)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "interrupted twice; nothing more is written\n"
    assert not (tmp_path / "j").exists()


@pytest.mark.parametrize("number", SIGNALS)
def test_analyze_ends_with_130_and_writes_nothing(tmp_path: Path, number: signal.Signals) -> None:
    path = spec_file(tmp_path, "wait")
    done = interrupted(tmp_path, number, "analyze", path.name, "-o", "json=out.json")
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "interrupted")
    assert not (tmp_path / "out.json").exists()


def test_a_waiver_of_a_spec_that_was_not_reached_is_not_said_to_waive_nothing(
    tmp_path: Path,
) -> None:
    spec_file(tmp_path, "wait")
    (tmp_path / "waivers.yaml").write_text(
        "semiaudit_waivers: 1\nwaivers:\n  - {rule: SA002, spec: wait.semiaudit.yaml, "
        f"sha256: {'0' * 64}, reason: r, approver: a, expires: 9999-12-31}}\n"
    )
    line = ("check", "wait.semiaudit.yaml", "--waivers", "waivers.yaml", *OUTPUTS)
    assert interrupted(tmp_path, signal.SIGTERM, *line).returncode == 2
    assert "SA025" not in (tmp_path / "out.json").read_text()


@pytest.mark.parametrize(("command", "code"), [("analyze", 130), ("check", 2)])
def test_an_engine_that_says_it_was_interrupted_is_no_internal_error(
    command: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def ended(*_: object, **__: object) -> None:
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(run, "audit_release", ended)
    assert main([command, str(spec_file(tmp_path, "a"))]) == code
    assert capsys.readouterr().err.strip() == "interrupted"


@pytest.mark.parametrize("command", ["analyze", "check"])
@pytest.mark.parametrize(
    "error",
    [
        ImportError("libscipy_openblas64_.so: failed to map segment from shared object"),
        ImportError("DLL load failed: Cannot allocate memory"),
        RuntimeError("can't start new thread"),
        OSError(12, "Cannot allocate memory"),
    ],
)
def test_a_library_without_room_is_a_full_memory(
    command: str,
    error: Exception,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(run, "audit_release", full)
    assert main([command, str(spec_file(tmp_path, "a"))]) == 2
    assert capsys.readouterr().err.startswith("out of memory; ")


def test_a_bounded_process_starts_no_threads_for_numpy(tmp_path: Path) -> None:
    path = spec_file(tmp_path, "a")
    code = (
        "import os, sys; from semiaudit.cli import main; "
        f"main(['check', {str(path)!r}, '--memory-limit', '2048']); "
        "sys.exit(os.environ['OPENBLAS_NUM_THREADS'] + os.environ['OMP_NUM_THREADS'] != '11')"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), check=False)
    assert done.returncode == 0
