"""A case run in this process, and what is wrong with what came of it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import tempfile
import time
from dataclasses import dataclass
from typing import Any

from semiaudit.cli import main
from semiaudit.model.verdict import WORDS
from tests.fuzz.cases import Case

_AUDITED = ("holds", "audited")
"""Outcomes of an audit that was made, and fails nothing."""

GRACE = 2.0
"""Seconds that an audit may need to stop by itself, beyond its limit."""


@dataclass(frozen=True)
class Outcome:
    """What came of a case.

    Attributes:
        seconds: of the processor.
        accepted: the input was audited, whatever the verdict.
        input: a digest of the files and the command line.
    """

    code: int
    out: str
    err: str
    seconds: float
    accepted: bool
    input: str


def run(case: Case) -> Outcome:
    """Run a case in a folder of its own, as the command line would."""
    before = os.getcwd()
    digest = hashlib.sha256(repr(case.arguments).encode())
    with tempfile.TemporaryDirectory() as folder:
        for name, content in case.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if isinstance(content, bytes):
                with open(path, "wb") as stream:
                    stream.write(content)
            else:
                content(path)
            with open(path, "rb") as stream:
                digest.update(stream.read())
        os.chdir(os.path.join(folder, "work"))
        try:
            written = [io.BytesIO(), io.BytesIO()]
            out, err = (io.TextIOWrapper(raw, "utf-8", "backslashreplace") for raw in written)
            begun = time.process_time()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = main(case.arguments)
            spent = time.process_time() - begun
        finally:
            os.chdir(before)
        out.flush()
        err.flush()
        texts = [raw.getvalue().decode("utf-8", "replace") for raw in written]
    return Outcome(
        code, texts[0], texts[1], spent, _accepted(case, code, texts[0]), digest.hexdigest()
    )


def _accepted(case: Case, code: int, out: str) -> bool:
    if code in (0, 1, 3):
        return True
    if case.arguments[0] == "batch":
        return code == 2 and len(case.files) > 1 and any(word in out for word in WORDS.values())
    return code == 2 and "semi_dp" in out and "guarantee" in out


def violations(case: Case, outcome: Outcome, *, timed: bool) -> list[str]:
    """What may not be.

    Args:
        timed: judge the seconds too: not where other work may slow the processor down.
    """
    found = []
    if outcome.code not in (0, 1, 2, 3):
        found.append(f"exit code {outcome.code}: {outcome.err[-300:]}")
    if "Traceback" in outcome.err or "internal error" in outcome.out + outcome.err:
        found.append("a traceback or an internal error")
    found += [f"{s} is printed" for s in case.secrets if s in outcome.out + outcome.err]
    if outcome.code == 0 and not _has_audit(case, outcome.out):
        found.append("exit code 0 without an audit")
    if timed and case.kind != "batch" and outcome.seconds > case.limit + GRACE:
        found.append(f"{outcome.seconds:.1f} s")
    return found


def _has_audit(case: Case, out: str) -> bool:
    if "json" not in case.arguments:
        return bool(out.strip())
    report: dict[str, Any] = json.loads(out)
    verdicts = report.get("verdicts", [])
    return "guarantees" in report or any(v["outcome"] in _AUDITED for v in verdicts)
