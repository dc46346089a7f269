"""The job of a worker of a batch: it audits a few specs, each to a line of the journal.

Also the contents of the files that an audit reads, and a check that they did not change.
"""

from __future__ import annotations

import hashlib
import hmac
import importlib.util
import json
import os
import platform
import time
from collections.abc import Sequence
from dataclasses import field, replace
from functools import cache
from pathlib import Path

from semiaudit.auditing.curve_points import with_curves
from semiaudit.checking.confinement import TimeUp, deadline
from semiaudit.checking.journal import JournalEntry
from semiaudit.checking.record import text_of_record
from semiaudit.checking.verdict import verdict_of
from semiaudit.deadline import Deadline
from semiaudit.errors import OutOfMemoryError, Problem, raise_full_memory, system_fault
from semiaudit.frozen import dataclass
from semiaudit.model.audit import Audit
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.policy import NO_GATE, GateOptions
from semiaudit.model.verdict import Outcome, Verdict
from semiaudit.paths import opened
from semiaudit.report import ENDINGS, RENDERERS, Layout
from semiaudit.spec.spec_files import named_files, words_of
from semiaudit.version import __version__

LARGEST_SPEC = 1_000_001
"""Bytes that are looked through for names; a spec with so many is refused."""

DATED = frozenset({"waivers", "expires"})
"""Words of a spec whose verdict depends on the day."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files of one audit as they were at one moment.

    Attributes:
        files: each with what the file system says of it and the SHA-256 of its content.
        engine: the spec reads from an engine, whose content nobody can fingerprint, or requires a
            verification, whose report names files of the code.
        dated: the verdict may depend on the day.
    """

    files: tuple[tuple[str, tuple[int, ...], bytes], ...]
    engine: bool
    dated: bool

    def changed(self) -> str:
        """The first file that is no longer what it was; empty if there is none."""
        for name, state, digest in self.files:
            if _look(name) != (state, digest):
                return name
        return ""

    def fingerprint(self, key: bytes, options: str) -> str:
        """A keyed digest of all contents and of what else a verdict depends on.

        It is keyed because a plain digest of a small confidential table would disclose the table
        to an attacker who tries all tables.

        Args:
            key: secret; fingerprints under different keys have nothing in common.
            options: everything but the files that the verdict depends on.

        Returns:
            Hexadecimal digits; empty if equal files do not mean an equal audit.
        """
        if self.engine or not self.files or any(not state for _, state, _ in self.files):
            return ""
        description = repr((options, [(name, digest) for name, _, digest in self.files]))
        return hmac.new(key, description.encode(), hashlib.sha256).hexdigest()


def inputs_of(path: str, root: str = "") -> Inputs:
    """The spec at a path and the files that it names, as they are now.

    Args:
        root: a folder in which they may lie, in addition to the spec's own; others are skipped.
    """
    try:
        with opened(path) as stream:
            words = words_of(stream.read(LARGEST_SPEC))
    except (OSError, ValueError):
        words = frozenset()
    names = [path, *map(str, named_files(words, Path(path).parent, root))]
    files = tuple((name, *_look(name)) for name in dict.fromkeys(names))
    unknown = not words.isdisjoint({"engine", "verification"})
    return Inputs(files, unknown, not DATED.isdisjoint(words))


def _look(name: str) -> tuple[tuple[int, ...], bytes]:
    """Return the status of a file, and its digest; both empty if it cannot be read."""
    try:
        with opened(name) as stream:
            digest = hashlib.file_digest(stream, "sha256").digest()
            status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return (), b""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns), digest


POINTS = 5
"""The points of each curve on the page of a spec: a batch has many pages, of which few are read."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of every spec of a batch.

    Attributes:
        time_limit: seconds that all computations for one spec may take.
        kill_after: seconds of wall-clock time after which a spec is given up.
        gate: what specs are checked against in addition to their own budgets.
        reports: render each spec's own reports.
        key: the secret under which inputs are fingerprinted.
        own_process: workers are processes of this batch alone.
        folder: what paths are relative to where workers are elsewhere; else empty.
        access: what the caller allows specs to reach and messages to quote.
        journal: verdicts may be kept for other runs, so that inputs are fingerprinted and watched.
    """

    time_limit: float
    kill_after: float
    gate: GateOptions = NO_GATE
    reports: bool = False
    key: bytes = b""
    own_process: bool = True
    folder: str = ""
    access: Access = CONFINED
    journal: bool = True

    @property
    def options(self) -> str:
        """Everything but the files and the day that a verdict depends on."""
        gate = replace(self.gate, today=None)
        return repr((*_environment(), self.time_limit, gate, self.access))


@cache
def _environment() -> tuple[str, ...]:
    """Return the versions that a verdict depends on; looked up once, because it takes a while."""
    solver = "ortools" if importlib.util.find_spec("ortools") else ""
    return __version__, platform.python_version(), solver


@dataclass(frozen=True, slots=True)
class AuditTask:
    """One spec to audit, and under which fingerprint its verdict is known already."""

    index: int
    path: str
    known: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a task.

    Attributes:
        line: the journal's; empty if what is known stands unchanged.
        reports: the spec's own, by what their names end in.
        exhausted: the memory of the process was full. It may hold half of a library, and audits
            nothing more.
    """

    index: int
    outcome: Outcome | None
    line: str
    reports: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    exhausted: bool = False


def run_tasks(tasks: Sequence[AuditTask], settings: Settings) -> list[Result]:
    """Do some tasks, up to one that exhausts the process; all of a spec's faults are results."""
    results: list[Result] = []
    for task in tasks:
        results.append(run_task(task, settings))
        if results[-1].exhausted:
            break
    return results


def run_task(task: AuditTask, settings: Settings) -> Result:
    """Audit one spec within its limits."""
    started = time.perf_counter()
    try:
        with deadline(settings.kill_after, own_process=settings.own_process):
            return (_audited if settings.journal else _judged)(task, settings, started)
    except TimeUp:
        message = f"took longer than {settings.kill_after:g} s and was given up"
        remedy = "find the slow part with `semiaudit analyze`, or raise --kill-after"
    except Exception as error:  # noqa: BLE001 - a fault of one spec must not hide the others
        try:
            raise_full_memory(error)
        except MemoryError as full:
            return _exhausted(task, started, full)
        if fault := system_fault(error):
            return failed(task, *fault)
        message = f"internal error: {type(error).__name__}: {' '.join(str(error).split())}"
        return failed(task, message, "please report it", outcome="internal")
    return failed(task, message, remedy, seconds=time.perf_counter() - started)


def _exhausted(task: AuditTask, started: float, error: MemoryError) -> Result:
    what = "ran out of memory"
    if isinstance(error, OutOfMemoryError):
        what = str(error).removeprefix(f"{task.path}: ")
    remedy = "raise --memory-limit, or use fewer --jobs"
    seconds = time.perf_counter() - started
    return replace(failed(task, what, remedy, seconds=seconds), exhausted=True)


def failed(
    task: AuditTask,
    message: str,
    remedy: str,
    *,
    outcome: Outcome = "unaudited",
    seconds: float = 0.0,
) -> Result:
    """A task that came to no verdict of its own."""
    problem = Problem(task.path, 0, 0, "", message, remedy)
    verdict = Verdict(task.path, outcome, problems=(problem,), seconds=seconds)
    line = text_of_record(JournalEntry(task.path, "", (), verdict))
    return Result(task.index, outcome, line, seconds=seconds)


def _judged(task: AuditTask, settings: Settings, started: float) -> Result:
    verdict = verdict_of(
        task.path, time_limit=settings.time_limit, gate=settings.gate, access=settings.access
    )
    line = text_of_record(JournalEntry(task.path, "", (), verdict))
    return Result(task.index, verdict.outcome, line, seconds=time.perf_counter() - started)


def _audited(task: AuditTask, settings: Settings, started: float) -> Result:
    path = os.path.join(settings.folder, task.path)
    inputs = inputs_of(path, settings.access.root)
    fingerprint = _fingerprint(path, inputs, settings)
    if task.known and fingerprint == task.known:
        return Result(task.index, None, "", seconds=time.perf_counter() - started)
    reports: dict[str, str] = {}
    limit = Deadline(settings.time_limit)

    def rendered(audit: Audit) -> None:
        named = replace(audit, release=replace(audit.release, path=task.path))
        audit_with_curves = with_curves(named, limit.left, POINTS)
        for form, ending in ENDINGS.items():
            reports[ending] = RENDERERS[form](audit_with_curves, Layout())

    verdict = verdict_of(
        path,
        time_limit=settings.time_limit,
        gate=settings.gate,
        report=rendered if settings.reports else None,
        access=settings.access,
    )
    changed = inputs.changed()
    if changed:
        reports.clear()
        message, remedy = "changed while it was read", "let it rest, and audit again"
        problem = Problem(changed, 0, 0, "", message, remedy)
        verdict = Verdict(verdict.path, "unaudited", problems=(problem,), seconds=verdict.seconds)
    lasting = verdict.outcome in ("holds", "exceeds", "audited")
    lasting = lasting and verdict.digest is not None and verdict.digest.complete
    reports = {ending: _nearer(text, settings.folder) for ending, text in reports.items()}
    digests = tuple((ending, digest_of(text)) for ending, text in reports.items())
    entry = JournalEntry(task.path, fingerprint if lasting else "", digests, verdict)
    line = _nearer(text_of_record(entry), settings.folder, escaped=True)
    return Result(task.index, verdict.outcome, line, reports, time.perf_counter() - started)


def digest_of(text: str) -> str:
    """The SHA-256 of a report's text, as it is written."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _fingerprint(path: str, inputs: Inputs, settings: Settings) -> str:
    dated = inputs.dated or settings.gate.waivers
    day = settings.gate.today if dated else None
    if settings.gate.policy is not None and settings.gate.policy.verifications:
        return ""  # the files of the code are not among the inputs
    return inputs.fingerprint(settings.key, f"{settings.options} {day} {os.path.islink(path)}")


def _nearer(text: str, folder: str, *, escaped: bool = False) -> str:
    """A text that names files, with their names as seen from a folder.

    Args:
        escaped: the text is JSON in ASCII.
    """
    if not folder:
        return text
    prefix = json.dumps(folder, ensure_ascii=escaped)[1:-1].rstrip("/") + "/"
    return text.replace(prefix, "")
