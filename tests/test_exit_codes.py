"""Exit codes: the files of exit_codes.md are written, and every line of its tables is run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from semiaudit.cli import COMMANDS, main
from semiaudit.model.verdict import PRECEDENCE
from tests.fuzz.workers import one_process
from tests.places import ROOT

PAGE = (ROOT / "docs" / "exit_codes.md").read_text("utf-8")
EXAMPLES = (ROOT / "tests" / "exit_codes.md").read_text("utf-8")
FILE = re.compile(r"^```\w+\n(# (\S+)\n.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `semiaudit ?([^`]*)` \| (\d+) \| .+ \|$", re.MULTILINE)
FAULT = re.compile(r"^\| `semiaudit ([^`]*)` \| ([a-z ]+) \| (\d+) \|$", re.MULTILINE)
ROWS = [(line, int(code)) for line, code in ROW.findall(EXAMPLES)]
FAULTS = [(line, what, int(code)) for line, what, code in FAULT.findall(EXAMPLES)]
ERRORS: dict[str, type[BaseException]] = {
    "internal error": ZeroDivisionError,
    "interrupt": KeyboardInterrupt,
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the examples, in the folder that commands run in."""
    for text, name in FILE.findall(EXAMPLES):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SEMIAUDIT_TODAY", raising=False)
    return tmp_path


def test_every_line_ends_with_its_code(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(list(files.rglob("*.yaml"))) == 13
    # in the order of the tables, as some lines read what others wrote
    with one_process():
        ended = [(line, main(shlex.split(line))) for line, _ in ROWS]
    assert ended == ROWS
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(("line", "what", "code"), FAULTS)
@pytest.mark.usefixtures("files")
def test_every_fault_ends_with_its_code(
    line: str, what: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ERRORS[what]

    for module in ("auditing.run", "commands.ablate.ablation", "commands.compare.comparison"):
        monkeypatch.setattr(f"semiaudit.{module}.audit_release", broken)
    assert main(shlex.split(line)) == code


def test_the_tables_leave_out_no_command_and_no_code() -> None:
    words = {line.partition(" ")[0] for line, _ in ROWS}
    assert set(COMMANDS) <= words
    codes = {code for _, code in ROWS} | {code for _, _, code in FAULTS}
    assert codes == {*PRECEDENCE, 130}
    matrix = PAGE.partition("| command | 1 |")[2]
    first = "".join(re.findall(r"^\|([^|]+)\|", matrix, re.MULTILINE))
    named = set(re.findall(r"`(\w+)`", first))
    assert named == set(COMMANDS)
