"""The same batch on a real Dask scheduler with two workers, on loopback."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checking.batches import batch_alone, command, environment, rows_of, spec_file
from tests.checking.cluster import running_cluster

pytest.importorskip("distributed", reason="the extra dask is not installed")
pytestmark = pytest.mark.lengthy


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers, which start in another directory."""
    folder = tmp_path_factory.mktemp("cluster")
    with running_cluster(folder, environment(faults=True)) as running:
        yield running.address


def without_times(path: Path) -> list[dict[str, str]]:
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows_of(path)]


def test_a_cluster_gives_the_rows_of_this_machine_and_outlives_a_killed_worker(
    tmp_path: Path, cluster: str
) -> None:
    specs = tmp_path / "specs"
    for number in range(6):
        spec_file(specs, f"good{number}", rho=f"0.{number + 1}")
    spec_file(specs, "invalid", rho="-1")
    spec_file(specs, "kill")
    limit = ("--kill-after", "300", "--reports")
    there = batch_alone(
        tmp_path,
        "specs",
        *limit,
        "there",
        "-o",
        "csv=there.csv",
        "--executor",
        cluster,
        faults=True,
    )
    here = batch_alone(tmp_path, "specs", *limit, "here", "-o", "csv=here.csv", faults=True)
    assert (there.returncode, here.returncode) == (2, 2), there.stderr
    ours, theirs = without_times(tmp_path / "here.csv"), without_times(tmp_path / "there.csv")
    for row in (*ours, *theirs):
        if "kill" in row["path"]:
            assert "died" in row.pop("first_problem")
    assert ours == theirs
    for report in (tmp_path / "here").iterdir():
        # The index tells how a worker died, which a cluster does in its own words.
        if "kill" not in report.name and report.name != "index.html":
            assert (tmp_path / "there" / report.name).read_text() == report.read_text()


def test_a_worker_of_a_cluster_gives_up_a_spec_that_hangs(tmp_path: Path, cluster: str) -> None:
    spec_file(tmp_path / "specs", "slow")
    options = ("--kill-after", "3", "-o", "csv=out.csv", "--executor", cluster)
    assert batch_alone(tmp_path, "specs", *options, faults=True).returncode == 2
    (row,) = rows_of(tmp_path / "out.csv")
    assert "took longer than 3 s" in row["first_problem"]


def test_ctrl_c_leaves_the_cluster_and_what_is_done(tmp_path: Path, cluster: str) -> None:
    for number in range(400):
        spec_file(tmp_path / "specs", f"nap{number:03}")
    running = subprocess.Popen(
        command("specs", "--executor", cluster, "--resume", "journal"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    journal = tmp_path / "journal"
    while not journal.exists() or journal.read_bytes().count(b"\n") <= 2:
        assert running.poll() is None, "the batch ended before it was stopped"
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=600)
    assert running.returncode == 2, err
    assert "Traceback" not in err
    assert "INCOMPLETE: the run was interrupted" in out
    assert re.search(r"^ passed .*nap000", out, re.MULTILINE)


def test_a_scheduler_that_is_not_there_is_named(tmp_path: Path) -> None:
    spec_file(tmp_path / "specs", "a")
    done = batch_alone(tmp_path, "specs", "--executor", "dask://127.0.0.1:9")
    assert done.returncode == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in done.stderr


def test_a_batch_whose_scheduler_dies_ends_with_its_report_and_can_be_resumed(
    tmp_path: Path,
) -> None:
    for number in range(12):
        spec_file(tmp_path / "specs", f"nap{number:02}")
    (tmp_path / "cluster").mkdir()
    journal = ("--resume", "journal", "-o", "csv=out.csv")
    with running_cluster(tmp_path / "cluster", environment(faults=True)) as cluster:
        running = subprocess.Popen(
            command("specs", "--executor", cluster.address, *journal),
            cwd=tmp_path,
            env=environment(faults=True),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while (
            not (tmp_path / "journal").exists()
            or (tmp_path / "journal").read_bytes().count(b"\n") <= 2
        ):
            assert running.poll() is None, "the batch ended before it was stopped"
            time.sleep(0.05)
        cluster.scheduler.kill()
        for worker in cluster.workers:
            worker.kill()
        out, err = running.communicate(timeout=60)
    assert running.returncode == 2, err
    assert err.endswith(" is gone; start it, and run the batch again\n")
    assert "Traceback" not in err
    assert "INCOMPLETE: the run was interrupted" in out
    problems = [row["first_problem"] for row in rows_of(tmp_path / "out.csv")]
    assert 2 <= problems.count("") < len(problems) == 12
    with running_cluster(tmp_path / "cluster", environment(faults=True)) as cluster:
        done = batch_alone(tmp_path, "specs", "--executor", cluster.address, *journal)
    assert (done.returncode, "of them unchanged since an earlier run" in done.stdout) == (0, True)
