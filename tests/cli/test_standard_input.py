"""`-` is a spec on standard input, for `analyze` and `check`, confined to the working directory."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from semiaudit.cli import main
from tests.places import ROOT

SPEC = """semiaudit: 1
title: From a pipe
dataspace: {size: 12, attributes: {a: 2, b: 2}}
invariants:
- margin: [a]
mechanism: {zcdp: {rho: 0.5}}
budgets: [{framework: semi_dp, rho: 2}]
"""


class Run(NamedTuple):
    """What a command came to."""

    returncode: int
    stdout: bytes
    stderr: bytes


def run(folder: Path, *arguments: str, given: str | bytes = SPEC) -> Run:
    """A command with something on its standard input, in this process."""
    data = given.encode() if isinstance(given, str) else given
    streams = [io.TextIOWrapper(io.BytesIO(text)) for text in (data, b"", b"")]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        code = main(arguments)
        for stream in streams[1:]:
            stream.flush()
    told = [stream.buffer for stream in streams[1:]]
    found = [buffer.getvalue() for buffer in told if isinstance(buffer, io.BytesIO)]
    return Run(code, *found)


def test_a_real_pipe(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "semiaudit", "check", "-"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=SPEC.encode(),
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"1 spec" in done.stdout


def test_analyze_says_of_a_pipe_what_it_says_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text(SPEC)
    piped = run(tmp_path, "analyze", "-", "--format", "json", "-o", "markdown=report.md")
    file = run(tmp_path, "analyze", "spec.yaml", "--format", "json")
    assert (piped.returncode, piped.stderr) == (0, b"")
    found, known = json.loads(piped.stdout), json.loads(file.stdout)
    assert (found["spec"].pop("path"), known["spec"].pop("path")) == ("-", "spec.yaml")
    assert found == known
    assert "From a pipe" in (tmp_path / "report.md").read_text()


def test_check_holds_a_pipe_to_its_budgets(tmp_path: Path) -> None:
    held = run(tmp_path, "check", "-", "--format", "json", "--jobs", "4")
    assert held.returncode == 0
    assert [one["spec"]["path"] for one in json.loads(held.stdout)["verdicts"]] == ["-"]
    failing = run(
        tmp_path, "check", "-", "--format", "sarif", given=SPEC.replace("rho: 2}", "rho: 1}")
    )
    assert failing.returncode == 1
    places = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in json.loads(failing.stdout)["runs"][0]["results"]
    }
    assert places == {"-"}
    public = SPEC.replace("[a]", "[a, b]")
    assert run(tmp_path, "check", "-", given=public).returncode == 1


def test_a_pipe_s_problems_have_lines_and_columns(tmp_path: Path) -> None:
    wrong = SPEC.replace("[a]", "[c]")
    analyzed, checked = (
        run(tmp_path, command, "-", given=wrong) for command in ("analyze", "check")
    )
    assert (analyzed.returncode, checked.returncode) == (2, 2)
    assert b"-:5:12: invariants[0].margin[0]: c is not an attribute" in analyzed.stderr
    assert b"(-:5:12, SA022)" in checked.stdout


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (b"", b"-: the file is empty"),
        (b"\xff\xfe", b"-:1:1: is not UTF-8 text"),
        (b"#" * 1_000_001, b"-: has more than 1 MB"),
        (b"a: [", b"-:1:5: is not YAML"),
    ],
)
def test_what_is_no_spec_is_refused(tmp_path: Path, given: bytes, told: bytes) -> None:
    found = run(tmp_path, "analyze", "-", given=given)
    assert found.returncode == 2
    assert found.stdout == b""
    assert told.partition(b": ")[2] in found.stderr


def test_a_pipe_is_confined_to_the_working_directory(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for folder in (here, tmp_path):
        (folder / "rows.csv").write_text("1,1,0,0\n")
    for name, code in (("rows.csv", 0), ("../rows.csv", 2), (str(tmp_path / "rows.csv"), 2)):
        text = SPEC.replace("margin: [a]", f"linear: {name}")
        found = run(here, "analyze", "-", given=text)
        assert found.returncode == code, found.stderr
        assert run(here, "analyze", "-", "--root", "..", given=text).returncode == 0
        assert (code == 0) or b"leads out of the spec's folder" in found.stderr


def test_a_pipe_is_checked_alone(tmp_path: Path) -> None:
    found = run(tmp_path, "check", "-", "spec.yaml")
    assert found.returncode == 2
    assert b"standard input cannot be combined with files" in found.stderr


def test_no_file_of_that_name_is_read_and_none_is_written(tmp_path: Path) -> None:
    (tmp_path / "-").write_text("semiaudit: 2\n")
    assert run(tmp_path, "analyze", "-").returncode == 0
    assert run(tmp_path, "analyze", "./-").returncode == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["-"]


def test_designs_for_a_pipe_are_those_for_the_file(tmp_path: Path) -> None:
    mechanism = "mechanism: {zcdp: {rho: 0.5}}\nbudgets: [{framework: semi_dp, rho: 2}]\n"
    text = SPEC.replace(mechanism, "design: {query: table}\n")
    (tmp_path / "spec.yaml").write_text(text, "utf-8")
    asked = ("--target", "rho=1", "--design", "algorithm_1")
    piped = run(tmp_path, "mechanism", "calibrate", "-", *asked, given=text)
    of_file = run(tmp_path, "mechanism", "calibrate", "spec.yaml", *asked)
    assert piped.returncode == of_file.returncode == 0
    assert piped.stdout == of_file.stdout.replace(b"spec.yaml", b"-")
    written = ("-o", "spec=new.yaml")
    refused = run(tmp_path, "mechanism", "calibrate", "-", *asked, *written, given=text)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert b"-o spec=FILE: name a file" in refused.stderr
    assert not (tmp_path / "new.yaml").exists()
