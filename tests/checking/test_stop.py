"""A batch that is stopped keeps what is done, says what is not, and leaves no process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.checking.batches import batch, command, environment, outcomes_of, spec_file
from tests.samples import lengthy_cases

NAMES = [f"nap{number:03}" for number in range(100)]
"""More than can be done before a signal arrives, however busy the machine is."""


def processes_of(group: int) -> list[str]:
    """The commands of the living processes of a process group.

    One that has ended has no command any more, a moment before it is a zombie: ps then shows its
    name in brackets.
    """
    found = subprocess.run(
        ["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True, check=True
    )
    lines = [line.split(None, 2) for line in found.stdout.splitlines()]
    alive = [args for pgid, state, args in lines if int(pgid) == group and state[0] != "Z"]
    return [args for args in alive if not args.startswith("[")]


@pytest.mark.parametrize("number", [signal.SIGINT, *lengthy_cases([signal.SIGTERM])])
def test_a_signal_ends_a_batch_with_valid_outputs_that_are_marked(
    tmp_path: Path, number: signal.Signals
) -> None:
    for name in NAMES:
        spec_file(tmp_path / "specs", name)
    files = [f"-o{form}=out.{form}" for form in ("csv", "json", "sarif", "junit", "markdown")]
    arguments = command("specs", "--jobs", "2", "--resume", "journal", *files)
    running = subprocess.Popen(
        arguments,
        cwd=tmp_path,
        env=environment(faults=True),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    journal = tmp_path / "journal"
    while not journal.exists() or journal.read_bytes().count(b"\n") <= 3:
        assert running.poll() is None, "the batch ended before it was stopped"
        time.sleep(0.05)
    if number == signal.SIGINT:  # as a terminal sends it: to all processes at once
        os.killpg(running.pid, number)
    else:
        os.kill(running.pid, number)
    out, err = running.communicate(timeout=600)
    assert running.returncode == 2, err
    assert processes_of(running.pid) == []
    assert "Traceback" not in err
    assert "INCOMPLETE: the run was interrupted" in out
    found = outcomes_of(tmp_path / "out.csv")
    assert sorted(found) == NAMES
    done = [name for name in NAMES if found[name] == "holds"]
    assert 0 < len(done) < len(NAMES)
    assert {found[name] for name in NAMES if name not in done} == {"unaudited"}
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["complete"] is False
    sarif = json.loads((tmp_path / "out.sarif").read_text())
    assert sarif["runs"][0]["invocations"][0]["executionSuccessful"] is False
    assert "INCOMPLETE" in (tmp_path / "out.markdown").read_text()
    assert 'type="incomplete"' in (tmp_path / "out.junit").read_text()
    if number == signal.SIGTERM:
        again = batch(tmp_path, "specs", "--resume", "journal")
        assert again.returncode == 0, again.stderr
        assert f"{len(done)} of them unchanged since an earlier run." in again.stdout
