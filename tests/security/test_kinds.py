"""Pipes, devices and sockets are refused by what they are, wherever a file is named."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from semiaudit.cli import main
from tests.fuzz.workers import one_process
from tests.gate.specs import HOLDS
from tests.places import ROOT

EXPLICIT = (
    "semiaudit: 1\ndataspace: {datasets: [[0, 0], [0, 1], [1, 1]]}\n"
    "invariants: [{partition: NAME}]\nmechanism: {zcdp: {rho: 1}}\n"
)
LEVELS = (
    "semiaudit: 1\ndataspace: {attributes: {county: {within: state, levels: NAME}, "
    "state: [a, b]}}\nmechanism: {zcdp: {rho: 1}}\n"
)
MATRIX = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\n"
    "invariants: [{linear: NAME}]\nmechanism: {zcdp: {rho: 1}}\n"
)
DATA = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: [{margin: [a]}]\n"
    "data: {KIND: NAME}\nmechanism: {zcdp: {rho: 1}}\n"
)
ENGINE = DATA.replace("KIND: NAME", "engine: 'sqlite://NAME', table: t")

IRREGULAR = ("pipe", "socket", "device")
COMMANDS = (
    "analyze NAME",
    "check NAME",
    "batch NAME",
    "check holds.yaml --policy NAME",
    "check holds.yaml --waivers NAME",
    "check holds.yaml --baseline NAME",
    "batch holds.yaml --policy NAME",
    "batch holds.yaml --resume NAME",
)
SPECS = {
    "a partition": EXPLICIT,
    "levels": LEVELS,
    "a matrix": MATRIX,
    "records": DATA.replace("KIND", "records"),
    "a table": DATA.replace("KIND", "table"),
    "a database": ENGINE,
}
NAMED = [*product(("analyze", "batch"), SPECS, IRREGULAR)]


@pytest.fixture(params=IRREGULAR)
def irregular(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    """The name of such a file, which nobody writes to, and the word for what it is."""
    monkeypatch.chdir(tmp_path)
    Path("holds.yaml").write_text(HOLDS)
    if request.param == "device":
        return "/dev/zero", "is a device"
    if request.param == "pipe":
        os.mkfifo("odd.csv")
    else:
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind("odd.csv")
    return "odd.csv", f"is a {request.param}"


@pytest.mark.parametrize("line", COMMANDS)
def test_no_command_reads_one(
    line: str, irregular: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    name, word = irregular
    with one_process():
        assert main(line.replace("NAME", name).split()) == 2
    captured = capsys.readouterr()
    assert word in captured.out + captured.err


@pytest.mark.parametrize(("command", "what", "irregular"), NAMED, indirect=["irregular"])
def test_no_spec_leads_to_one(
    what: str, command: str, irregular: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    name, word = irregular
    Path("spec.yaml").write_text(SPECS[what].replace("NAME", name))
    with one_process():
        assert main([command, "spec.yaml", "--allow-engine", "sqlite"]) == 2
    shown = " ".join("".join(capsys.readouterr()).split())
    outside = "leads out of the spec's folder"
    assert (outside if name.startswith("/") else word) in shown


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="no process substitution")
def test_what_a_shell_substitutes_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "holds.yaml").write_text(HOLDS)
    for command in ("analyze", "check"):
        line = f"{sys.executable} -m semiaudit {command} <(cat holds.yaml)"
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        told = " ".join((done.stdout + done.stderr).split())
        assert "is a pipe, which may never end; write its output to a file, and name that" in told
