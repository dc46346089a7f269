"""Whatever befalls a spec or its worker is that spec's row; all others get their verdicts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.checking.batches import batch, batch_alone, outcomes_of, rows_of, spec_file

QUIET = [f"quiet{number:02}" for number in range(12)]
RECORDS = """\
semiaudit: 1
dataspace: {unit: person, attributes: {sex: [0, 1], degree: [0, 1]}}
invariants: [{margin: [sex]}]
data: {records: rows.csv}
mechanism: {zcdp: {rho: 0.5}}
budgets: [{framework: semi_dp, rho: 2}]
"""


@pytest.mark.lengthy
@pytest.mark.skipif(sys.platform != "linux", reason="address space can be limited on Linux")
def test_specs_that_kill_exhaust_and_change_hide_no_other(tmp_path: Path) -> None:
    specs = tmp_path / "specs"
    for name in (*QUIET, "kill1", "kill2", "torn1", "torn2", "hungry", "unmapped", "bug"):
        spec_file(specs, name)
    (specs / "changing.semiaudit.yaml").write_text(RECORDS)
    (specs / "rows.csv").write_text("sex,degree\n0,1\n1,1\n0,0\n")
    limits = ("--kill-after", "300", "--memory-limit", "1500")
    done = batch_alone(tmp_path, "specs", *limits, "-o", "csv=out.csv", faults=True)
    assert done.returncode == 4, done.stderr
    found = outcomes_of(tmp_path / "out.csv")
    assert {name for name, outcome in found.items() if outcome == "holds"} == set(QUIET)
    assert found["bug"] == "internal"
    told = {
        Path(r["path"]).name.split(".")[0]: r["first_problem"]
        for r in rows_of(tmp_path / "out.csv")
    }
    expected = {
        "kill1": "the process that audited it died",
        "kill2": "the process that audited it died",
        "torn1": "the process that audited it died",
        "torn2": "the process that audited it died",
        "hungry": "ran out of memory",
        "unmapped": "ran out of memory",
        "bug": "internal error: ZeroDivisionError: on purpose",
        "changing": "rows.csv: changed while it was read",
    }
    for name, words in expected.items():
        assert words in told[name], name
        assert found[name] != "holds"


@pytest.mark.lengthy
def test_specs_that_hang_are_given_up(tmp_path: Path) -> None:
    """How many seconds others get is not told: on a busy machine, 3 may be too few for any."""
    specs = tmp_path / "specs"
    names = ("quiet", "slow", "stuck")
    for name in names:
        spec_file(specs, name)
    done = batch_alone(tmp_path, "specs", "--kill-after", "3", "-o", "csv=out.csv", faults=True)
    assert done.returncode == 2, done.stderr
    told = {
        Path(r["path"]).name.split(".")[0]: r["first_problem"]
        for r in rows_of(tmp_path / "out.csv")
    }
    assert sorted(told) == sorted(names)
    assert "took longer than 3 s and was given up" in told["slow"]
    assert "took longer than 3 s; its process was ended" in told["stuck"]


def test_loops_noise_and_unreadable_specs_are_seen_through(tmp_path: Path) -> None:
    specs = tmp_path / "specs"
    good = spec_file(specs / "deep" / "deeper", "good")
    noise = specs / "noise"
    noise.mkdir()
    for number in range(5000):
        (noise / f"{number}.yaml").touch()
    (specs / "deep" / "up").symlink_to(specs)
    (specs / "gone.semiaudit.yaml").symlink_to("nowhere")
    (specs / "bytes.semiaudit.yaml").write_bytes(b"\xff\xfe\x00")
    (specs / "folder.semiaudit.yaml").mkdir()
    os.mkfifo(specs / "pipe.semiaudit.yaml")
    done = batch(tmp_path, "specs", "-o", "csv=out.csv")
    assert done.returncode == 2, done.stderr
    found = {row["path"]: row["outcome"] for row in rows_of(tmp_path / "out.csv")}
    assert found == {
        "specs/bytes.semiaudit.yaml": "unaudited",
        good.relative_to(tmp_path).as_posix(): "holds",
        "specs/gone.semiaudit.yaml": "unaudited",
        "specs/pipe.semiaudit.yaml": "unaudited",
    }


def test_a_name_that_is_no_unicode_is_audited_and_written_with_escapes(tmp_path: Path) -> None:
    specs = tmp_path / "specs"
    path = spec_file(specs, "plain")
    os.rename(path, os.fsencode(specs) + b"/\xff.semiaudit.yaml")
    done = batch(tmp_path, "specs", "-o", "csv=out.csv", "--reports", "reports")
    assert done.returncode == 0, done.stderr
    assert rows_of(tmp_path / "out.csv")[0]["path"] == r"specs/\udcff.semiaudit.yaml"
    names = sorted(path.name for path in (tmp_path / "reports").iterdir())
    endings = ("html", "json", "md")
    assert names == sorted([*(f"\udcff.semiaudit.yaml.{one}" for one in endings), "index.html"])
