"""Ctrl-C at any moment of a start: the exit code is that of an interrupted command."""

from __future__ import annotations

import importlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from semiaudit import process
from semiaudit.cli import main
from tests.checking.batches import environment, spec_file
from tests.samples import sampled

CODES = {"analyze": 130, "ablate": 130, "convert": 130, "check": 2, "batch": 2}
"""What an interrupted command ends with (docs/exit_codes.md)."""


@contextmanager
def interrupted_soon(seconds: float) -> Iterator[None]:
    """Send this process a signal while something else is done."""
    before = signal.signal(signal.SIGINT, process.interrupt)
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
        process.forget_interrupts()


def modules(folder: Path) -> None:
    """A module whose import takes a while, and that makes an error of what another one raises."""
    busy = "import time\nend = time.monotonic() + 0.2\nwhile time.monotonic() < end: pass\n"
    swallowing = "try:\n    import second_slow\nexcept BaseException:\n    raise ImportError\n"
    (folder / "first_slow.py").write_text(busy + swallowing)
    (folder / "second_slow.py").write_text(busy)


def test_a_signal_during_imports_is_raised_once_the_outermost_one_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    reached = []

    def import_it() -> None:
        importlib.import_module("first_slow")
        reached.append("the next line")

    with pytest.raises(KeyboardInterrupt), interrupted_soon(0.3):
        import_it()
    assert "second_slow" in sys.modules
    assert not reached
    assert sys.gettrace() is None or "coverage" in sys.modules


def test_a_signal_elsewhere_is_raised_at_once() -> None:
    begun = time.monotonic()

    def wait() -> None:
        while time.monotonic() < begun + 20:
            pass

    with pytest.raises(KeyboardInterrupt), interrupted_soon(0.05):
        wait()
    assert time.monotonic() < begun + 15


def test_whatever_a_library_makes_of_a_signal_the_command_was_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def swallowed(*_: object, **__: object) -> int:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            raise ImportError("the library is broken") from None
        return 0

    monkeypatch.setattr("semiaudit.cli.cli.main", swallowed)
    assert main(["analyze", "x.yaml"]) == 130
    assert main(["check", "x.yaml"]) == 2
    assert capsys.readouterr().err == "interrupted\n" * 2


LINES = {
    "analyze": ("analyze", "a.semiaudit.yaml", "-o", "html=page.html"),
    "ablate": ("ablate", "a.semiaudit.yaml"),
    "convert": ("convert", "gaussian: {sigma: 3, shifts: [1]}", "--delta", "1e-6"),
    "check": ("check", "a.semiaudit.yaml"),
    "batch": ("batch", ".", "--jobs", "1"),
}
TRIES = [(name, number) for name in LINES for number in range(20)]


@pytest.mark.parametrize(("name", "number"), sampled(TRIES, fast=[3, 23, 63, 83]))
def test_a_start_that_is_interrupted_at_any_moment_ends_with_its_code(
    name: str, number: int, tmp_path: Path
) -> None:
    """From the first line of the program on: what Python does before is Python's."""
    spec_file(tmp_path, "a")
    begin = "import sys; sys.argv[0] = 'semiaudit'; from semiaudit.__main__ import main; "
    begin += "import signal; from semiaudit.process import interrupt; "
    begin += "signal.signal(signal.SIGINT, interrupt); print(flush=True); main()"
    running = subprocess.Popen(
        [sys.executable, "-c", begin, *LINES[name]],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    running.stdout.readline()
    time.sleep(random.Random(f"{name} {number}").uniform(0, 0.6))
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert "Traceback" not in err
    assert running.returncode == CODES[name] or (running.returncode == 0 and out)


EARLY = """
import os, runpy, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "semiaudit.cli":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv = ["semiaudit", "analyze", "none.yaml"]
runpy.run_module("semiaudit", run_name="__main__")
"""


def test_a_signal_before_the_command_line_is_imported_is_no_traceback(tmp_path: Path) -> None:
    line = [sys.executable, "-c", EARLY]
    done = subprocess.run(
        line, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


BLOCKED = """
import signal
from multiprocessing import resource_tracker
from semiaudit.checking.executors import _deaf_children
with _deaf_children():
    resource_tracker.ensure_running()  # as the first spawn does
    assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
"""


def test_no_worker_begins_with_ctrl_c_unblocked() -> None:
    subprocess.run([sys.executable, "-c", BLOCKED], env=environment(), check=True, timeout=600)
