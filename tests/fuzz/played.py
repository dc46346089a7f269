"""A case run in this process, and what is wrong with what came of it."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

from semiaudit.cli import main
from semiaudit.model.verdict import WORDS
from tests.fuzz.cases import ANY, FOLDER, Case, Line
from tests.fuzz.hook import hook_line
from tests.fuzz.workers import one_process

HOOK = ("<hook>",)
"""The place of the command line that pre-commit would run."""

GRACE = 2.0
"""Seconds of the processor that a command may need beyond its limit."""

AUDITED = ("holds", "audited")
"""Outcomes of an audit that was made, and fails nothing."""

SPOKEN = ("glossary", "rule", "schema", "init")
"""Commands that audit nothing."""


@dataclass(frozen=True)
class Ended:
    """How one command line ended.

    Attributes:
        seconds: of the processor, with those of the processes that it started.
    """

    line: Line
    code: int
    out: str
    err: str
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """What came of a case.

    Attributes:
        ended: each command line.
        accepted: the input was audited, whatever the verdict.
        input: a digest of the files and the command lines.
        wrong: what may not be.
    """

    ended: tuple[Ended, ...]
    accepted: bool
    input: str
    wrong: tuple[str, ...]

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in self.ended)


def run(case: Case, *, timed: bool = True) -> Outcome:
    """Run a case in a folder of its own, as the command line would.

    Args:
        timed: judge the seconds too: not where other work may slow the processor down.
    """
    before = os.getcwd()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        case.place(folder)
        for name in (FOLDER, "tmp"):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        known = contents(folder)
        digest = hashlib.sha256(repr((case.lines, sorted(known.items()))).encode()).hexdigest()
        ended: list[Ended] = []
        wrong: list[str] = []
        try:
            os.chdir(os.path.join(folder, FOLDER))
            for told in case.lines:
                line = hook_line(os.getcwd()) if told == HOOK else told
                if line is None:  # pre-commit shows "no files to check", and passes
                    wrong.append("pre-commit checks nothing, and passes")
                    continue
                with nullcontext() if case.processes else one_process():
                    ended.append(ended_of(line, case.stdin, os.path.join(folder, "tmp")))
                found = contents(folder)
                wrong += touched(case, line, known, found)
                known = found
            for number, one in enumerate(ended):
                last = number == len(ended) - 1
                wrong += violations(case, one, case.codes if last else ANY, timed=timed)
            if "verdicts.json" in os.listdir():
                wrong += skipped(case, ended[-1])
        finally:
            os.chdir(before)
    accepted = bool(ended) and _accepted(ended[-1])
    return Outcome(tuple(ended), accepted, digest, tuple(wrong))


def ended_of(line: Line, stdin: bytes, temporary: str) -> Ended:
    """Run one command line in this process, in the working directory."""
    with _streams(stdin) as texts, _temporary(temporary):
        begun = _processor()
        code = main(list(line))
        spent = _processor() - begun
    return Ended(line, code, texts[0], texts[1], spent)


def _processor() -> float:
    """Seconds of the processor of this process and of those that it waited for."""
    told = os.times()
    return time.process_time() + told.children_user + told.children_system


@contextmanager
def _temporary(folder: str) -> Iterator[None]:
    known = tempfile.tempdir, os.environ.get("TMPDIR")
    tempfile.tempdir, os.environ["TMPDIR"] = folder, folder
    try:
        yield
    finally:
        tempfile.tempdir = known[0]
        os.environ.pop("TMPDIR")
        if known[1] is not None:
            os.environ["TMPDIR"] = known[1]


@contextmanager
def _streams(stdin: bytes) -> Iterator[list[str]]:
    """Standard streams that are caught; the list has what was printed, at the end."""
    known = sys.stdin, sys.stdout, sys.stderr
    raw = io.BytesIO(), io.BytesIO()
    texts: list[str] = []
    written = [io.TextIOWrapper(one, "utf-8", "backslashreplace") for one in raw]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    sys.stdout, sys.stderr = written
    try:
        yield texts
    finally:
        sys.stdin, sys.stdout, sys.stderr = known
        for stream, one in zip(written, raw, strict=True):
            stream.flush()
            texts.append(one.getvalue().decode("utf-8", "replace"))


def contents(folder: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            key = os.path.relpath(path, folder)
            if os.path.islink(path):
                found[key] = os.fsencode(os.readlink(path))
            elif not os.path.isfile(path):
                found[key] = b"special"
            else:
                with open(path, "rb") as stream:
                    found[key] = stream.read()
    return found


def named_outputs(line: Line) -> dict[str, str]:
    """The files that a command line asks for, and their formats."""
    found: dict[str, str] = {}
    for flag, value in pairwise(line):
        if flag in ("-o", "--output") and line[:1] != ("schema",):
            form, equals, name = value.partition("=")
            found[name if equals else value] = form
    if line[:1] == ("init",):
        found |= {word: "yaml" for word in line[1:] if word.endswith(".yaml")}
        found |= {word: "yaml" for word in line[1:2] if not word.startswith("-")}
        found["spec.semiaudit.yaml"] = "yaml"
    return found


def touched(case: Case, line: Line, before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """Files that were changed, left or written in part, though nobody asked for that."""
    asked = {os.path.normpath(os.path.join(FOLDER, n)): f for n, f in named_outputs(line).items()}
    free = tuple(f"{FOLDER}/{name}" for name in case.written)
    wrong = []
    for name in sorted({*before, *after}):
        if before.get(name) == after.get(name):
            continue
        if name in asked and name in after:
            wrong += [f"{name}: {what}" for what in torn(asked[name], after[name])]
        elif not name.startswith(free or ("\0",)) and not _beside_example(line, name):
            wrong.append(f"{name!r} was {'removed' if name not in after else 'written'}")
    return wrong


def _beside_example(line: Line, name: str) -> bool:
    """Whether a file is one of those that a shipped example needs."""
    return line[:1] == ("init",) and name.startswith(f"{FOLDER}/data/")


def torn(form: str, content: bytes) -> list[str]:
    """Why the content of an output is no whole file of its format."""
    try:
        match form:
            case "json" | "sarif":
                json.loads(content)
            case "junit" | "svg":
                ElementTree.fromstring(content)
            case "html":
                return [] if content.rstrip().endswith(b"</html>") else ["is not whole"]
            case "csv" | "utility":
                text = content.decode()
                widths = {len(row) for row in csv.reader(io.StringIO(text), strict=True)}
                whole = text.endswith("\n") and len(widths) == 1
                return [] if whole else [f"is no CSV: widths {widths}"]
            case "png":
                return [] if content.endswith(b"IEND\xaeB`\x82") else ["is not whole"]
            case "pdf":
                return [] if content.rstrip().endswith(b"%%EOF") else ["is not whole"]
            case "parquet":
                whole = content[:4] == content[-4:] == b"PAR1"
                return [] if whole else ["is not whole"]
            case "latex":
                even = content.count(b"\\begin{") == content.count(b"\\end{")
                return [] if even and content.strip() else ["is not whole"]
            case _:
                content.decode()
    except (ValueError, ElementTree.ParseError, csv.Error) as error:
        return [f"is no {form}: {error}"]
    return []


def violations(case: Case, ended: Ended, codes: frozenset[int], *, timed: bool = True) -> list[str]:
    """What may not come of one command line."""
    found = []
    said = ended.out + ended.err
    if ended.code not in ANY:
        found.append(f"exit code {ended.code}: {ended.err[-300:]}")
    elif ended.code not in codes:
        found.append(f"exit code {ended.code}, and not {sorted(codes)}")
    if "Traceback" in ended.err or "internal error:" in said:
        found.append("a traceback or an internal error")
    if "--show-values" not in ended.line:
        found += [f"{secret} is printed" for secret in case.secrets if secret in said]
    if ended.code in (0, 1, 3) and not has_answer(ended):
        found.append(f"exit code {ended.code} without an audit")
    if timed and ended.seconds > allowed(case, ended.line):
        found.append(f"{ended.seconds:.1f} s of the processor at a limit of {case.limit:g} s")
    return found


def allowed(case: Case, line: Line) -> float:
    """The seconds of the processor that a command line may take."""
    audits = 1
    if line[:1] in (("check",), ("batch",)):
        audits = max(len(case.meant), 1)
    elif line[:1] == ("compare",):
        audits = sum(word.endswith((".yaml", ".json")) for word in line)
    started = 3.0 * audits if case.processes else 0.0
    return case.limit * audits + GRACE + started


def has_answer(ended: Ended) -> bool:
    """Whether a command that does not say that it failed gave what was asked for."""
    command = ended.line[0]
    if command in SPOKEN or named_outputs(ended.line).keys() - {"verdicts.json"}:
        return True
    if ended.code == 3:
        return bool(ended.out.strip() or ended.err.strip())
    if "--list" in ended.line:
        return bool(ended.out.strip())
    forms = [v for flag, v in pairwise(ended.line) if flag == "--format"]
    if forms != ["json"]:
        return bool(ended.out.strip()) or "github" in forms
    try:
        report: Any = json.loads(ended.out)
    except ValueError:
        return False
    if command == "analyze":
        return bool(report["guarantees"])
    if command in ("check", "batch") and ended.code == 0:
        return any(verdict["outcome"] in AUDITED for verdict in report["verdicts"])
    return bool(report)


def skipped(case: Case, ended: Ended) -> list[str]:
    """Specs that a run did not look at, though its exit code does not say so."""
    if ended.code not in (0, 1, 3):
        return []
    with open("verdicts.json", encoding="utf-8") as stream:
        verdicts = json.load(stream)["verdicts"]
    if len(verdicts) < len(case.meant):
        names = [verdict["spec"]["path"] for verdict in verdicts]
        return [f"exit code {ended.code}, and of {list(case.meant)} only {names} were looked at"]
    return []


def _accepted(ended: Ended) -> bool:
    if ended.code in (0, 1, 3):
        return True
    if ended.line[0] in ("batch", "check"):
        return ended.code == 2 and any(word in ended.out for word in WORDS.values())
    return ended.code == 2 and "semi_dp" in ended.out and "guarantee" in ended.out
