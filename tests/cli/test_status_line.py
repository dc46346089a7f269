"""What is under way is told on a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from semiaudit import progress
from semiaudit.cli.status_line import StatusLine
from tests.places import ROOT
from tests.samples import sampled

SLOW = """\
semiaudit: 1
dataspace: {attributes: {a: 4, b: 4, c: 4}}
invariants: [margin: [a, b], margin: [b, c], margin: [a, c]]
data:
  counts: [%s]
mechanism: {zcdp: {rho: 0.1}}
"""
ROWS = [[[(7 * a + 5 * b + 3 * c) % 11 for c in range(4)] for b in range(4)] for a in range(4)]


def on_a_terminal(*arguments: str, cwd: Path) -> tuple[int, str, str]:
    """(exit code, standard output, what the terminal on standard error was sent)."""
    above, below = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-m", "semiaudit", *arguments]
    run = subprocess.Popen(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=below, text=True
    )
    os.close(below)
    sent = b""
    while True:
        ready, _, _ = select.select([above], [], [], 0.2)
        if ready:
            try:
                read = os.read(above, 65536)
            except OSError:
                break
            if not read:
                break
            sent += read
        elif run.poll() is not None:
            break
    out, _ = run.communicate()
    os.close(above)
    return run.returncode, out, sent.decode("utf-8", "replace")


def spec_in(folder: Path) -> None:
    counts = str(ROWS)[1:-1]
    (folder / "slow.yaml").write_text(SLOW % counts, encoding="utf-8")


@pytest.mark.parametrize("command", sampled(["analyze", "check"], fast=(0,)))
def test_a_terminal_is_told_and_left_clean(command: str, tmp_path: Path) -> None:
    spec_in(tmp_path)
    code, out, sent = on_a_terminal(command, "slow.yaml", "--time-limit", "3", cwd=tmp_path)
    assert code in (0, 2, 3)
    shown = re.split(r"\r\x1b\[K", sent)
    told = [line for line in shown if "·" in line]
    assert any(re.match(r"a\(t\).*· \d+ s", line) for line in told)
    assert any(re.search(r": (at least )?\d+( to \d+)? ·", line) for line in told)
    assert all(len(line) < 80 for line in told)
    # The last line was taken away; what follows is a message of the command itself, if any.
    assert "·" not in shown[-1]
    assert "\x1b[K" not in out


def test_nothing_but_the_report_goes_anywhere_else(tmp_path: Path) -> None:
    spec_in(tmp_path)
    command = [sys.executable, "-m", "semiaudit", "analyze", "slow.yaml", "--time-limit", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "\x1b" not in run.stdout + run.stderr
    assert "\r" not in run.stdout + run.stderr


SEEN = """\
import sys
from semiaudit.cli import main, status_line

def start(line):
    print(line.what, "numpy" in sys.modules, "scipy" in sys.modules)

status_line.StatusLine.start, status_line.StatusLine.end = start, lambda line: None
status_line.on_a_terminal = lambda: True
main(sys.argv[1:])
"""


@pytest.mark.parametrize("command", ["analyze", "check"])
def test_it_is_told_from_before_numpy_is_imported(command: str, tmp_path: Path) -> None:
    missing = [sys.executable, "-c", SEEN, command, "missing.yaml"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        missing, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert run.stdout.splitlines()[:1] == ["starting False False"]


def test_the_interval_narrows_and_begins_anew_with_a_stage() -> None:
    line = StatusLine("a(t)")
    with progress.watched(line):
        progress.narrowed(lower=2)
        assert line.text().startswith("a(t): at least 2 · ")
        progress.narrowed(3, 20)
        progress.narrowed(lower=1)
        progress.narrowed(upper=90)
        assert line.text().startswith("a(t): 3 to 20 · ")
        progress.doing("semi_dp")
        assert line.text().startswith("semi_dp · ")
    progress.doing("nobody listens")
    assert line.text().startswith("semi_dp · ")


def test_of_several_specs_it_says_how_many_are_done() -> None:
    line = StatusLine("auditing")
    line.reached(1, 3)
    assert line.text().startswith("1 of 3 done · auditing · ")


def test_seconds_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    line = StatusLine("a(t)")
    begun = time.monotonic()
    monkeypatch.setattr("semiaudit.cli.status_line.time.monotonic", lambda: begun + 61)
    assert re.search(r"· 6[01] s$", line.text())
