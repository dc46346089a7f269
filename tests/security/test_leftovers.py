"""What is spilled to disk goes with the run, however it ends, or with the next one."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pytest

from semiaudit.private_folders import private_folder, remove_abandoned, temporary_file
from tests.security.attacks import MARGIN, TABLE, command, environ, run, spec

ENDLESS = "SELECT 0 AS a, 1 AS b FROM range(10000000000000)"
"""A view whose records take days to count, so that a signal finds the counting under way."""

PATIENCE = 300
"""Seconds after which a command hangs, however busy the machine is."""


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@contextmanager
def begun(
    name: str, what: str, engine: str, here: Path, temporary: Path
) -> Iterator[subprocess.Popen[str]]:
    """A command that has begun to count the people of an engine, with a folder in a temporary one.

    It is killed at the end.
    """
    spec(here, f'{TABLE}{MARGIN}data: {{engine: "{engine}://people.db", records: people}}\n')
    with subprocess.Popen(
        command(name, what, "--allow-engine", engine),
        cwd=here,
        env=environ(more={"TMPDIR": str(temporary)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            # tempfile tries a file first
            while not any(path.is_dir() for path in temporary.iterdir()):
                assert process.poll() is None, "it ended without a folder of its own"
                time.sleep(0.005)
            yield process
        finally:
            process.kill()


@pytest.fixture(params=["analyze"])
def counting(
    request: pytest.FixtureRequest, tmp_path: Path, temporary: Path
) -> Iterator[subprocess.Popen[str]]:
    """A command that counts endless records of DuckDB."""
    with duckdb.connect(str(tmp_path / "people.db")) as connection:
        connection.execute(f"CREATE VIEW people AS {ENDLESS}")
    what = "." if request.param == "batch" else "evil.semiaudit.yaml"
    with begun(request.param, what, "duckdb", tmp_path, temporary) as process:
        yield process


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"])
def test_every_signal_cleans_up(
    counting: subprocess.Popen[str], temporary: Path, name: str
) -> None:
    counting.send_signal(getattr(signal, name))
    out, err = counting.communicate(timeout=PATIENCE)
    assert counting.returncode == 130
    assert out == ""
    assert err.strip() == "interrupted"
    assert list(temporary.iterdir()) == []


ENDLESS_ROWS = (
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 0 AS a, 1 AS b FROM c"
)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_query_of_sqlite_ends_at_a_signal_too(tmp_path: Path, temporary: Path, name: str) -> None:
    with closing(sqlite3.connect(tmp_path / "people.db")) as connection:
        connection.execute(f"CREATE VIEW people AS {ENDLESS_ROWS}")
        connection.commit()
    with begun("analyze", "evil.semiaudit.yaml", "sqlite", tmp_path, temporary) as process:
        time.sleep(1)
        process.send_signal(getattr(signal, name))
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err.strip()) == (130, "", "interrupted")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("counting", ["batch"], indirect=True)
def test_a_batch_cleans_up_after_the_workers_that_it_ends(
    counting: subprocess.Popen[str], temporary: Path
) -> None:
    counting.send_signal(signal.SIGTERM)
    counting.communicate(timeout=PATIENCE)
    assert counting.returncode == 2
    assert list(temporary.iterdir()) == []


def test_what_a_killed_run_left_is_removed_by_the_next(
    counting: subprocess.Popen[str], temporary: Path, tmp_path: Path
) -> None:
    counting.kill()
    counting.communicate(timeout=PATIENCE)
    (left,) = temporary.iterdir()
    (left / "spilled").write_text("records")
    (tmp_path / "none").mkdir()
    run(tmp_path / "none", "schema", environment={"TMPDIR": str(temporary)})
    assert list(temporary.iterdir()) == []


def test_folders_that_are_in_use_and_those_of_others_stay(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    mine = temporary / "semiaudit-checkout"
    mine.mkdir()
    link = temporary / "semiaudit-spill-abcdefgh"
    link.symlink_to(mine)
    with private_folder() as first, private_folder() as second:
        remove_abandoned(str(temporary))
        for folder in (first, second):
            assert Path(folder).is_dir()
            assert os.stat(folder).st_mode & 0o777 == 0o700
    assert sorted(temporary.iterdir()) == [mine, link]


KILLED = """
import os, signal
from semiaudit.private_folders import temporary_file
with temporary_file("."):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_file_that_a_killed_run_left_is_removed_by_the_next_that_writes_there(
    tmp_path: Path,
) -> None:
    spec(tmp_path, MARGIN)
    others = [".o.csv.abcdefgh", ".semiaudit-settings", "evil.semiaudit.yaml"]
    for name in others[:2]:
        (tmp_path / name).touch()
    subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, env=environ(), check=False)
    assert len(list(tmp_path.iterdir())) == 4
    with temporary_file(str(tmp_path)) as used:  # swept by this process; in use from here on
        assert len(list(tmp_path.iterdir())) == 4
        subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, env=environ(), check=False)
        assert len(list(tmp_path.iterdir())) == 5
        run(tmp_path, "convert", "zcdp: {rho: 1}", "-o", "json=o.json", environment={})
        assert {path.name for path in tmp_path.iterdir()} == {
            *others,
            "o.json",
            Path(used).name,
        }
        os.unlink(used)
