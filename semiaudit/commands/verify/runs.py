"""Runs of the caller's code: a coin and a fresh directory for each, in parallel, with a limit.

The label of a run is flipped and recorded before the run starts. Nothing here looks at a result.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import IO, Any, get_args

from semiaudit import deadline, progress
from semiaudit.commands.verify import call
from semiaudit.commands.verify.model import CodeRun, RunKind, RunOutcome
from semiaudit.commands.verify.outputs import outcome_of_file
from semiaudit.errors import OutputError, SemiauditError

MESSAGE = 300
"""The most characters of a message that are kept, from its end."""


def words_of_command(command: str) -> list[str]:
    """Split a command as a shell does; files in the working directory get their whole paths.

    Raises:
        SemiauditError: a quotation mark is not closed, a placeholder or the program is missing.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SemiauditError(f"--command: {error}; close every quotation mark") from None
    for placeholder in ("{input}", "{output}"):
        if not any(placeholder in word for word in words):
            raise SemiauditError(f"--command: {placeholder} is missing; add it")
    words = [os.path.abspath(word) if os.path.isfile(word) else word for word in words]
    if shutil.which(words[0]) is None:
        raise SemiauditError(f"--command: there is no program {words[0]}; correct the name")
    return words


def words_of_function(name: str, import_path: str) -> list[str]:
    """Return the command that calls a function, which is imported from one directory only."""
    folder = os.path.abspath(import_path)
    return [sys.executable, "-P", call.__file__, folder, name, "{input}", "{output}"]


class CodeRunner:
    """Runs a command without a shell, in a fresh folder, on a copy of a dataset."""

    def __init__(self, words: Sequence[str], limit: float, attributes: Sequence[str]) -> None:
        self._words, self._limit, self._attributes = words, limit, attributes

    def __call__(self, dataset: str) -> RunOutcome:
        """Run it once, in a new folder next to the dataset."""
        with TemporaryDirectory(dir=os.path.dirname(dataset)) as folder:
            source, target = (os.path.join(folder, name) for name in ("input.csv", "output.csv"))
            shutil.copyfile(dataset, source)
            words = [w.replace("{input}", source).replace("{output}", target) for w in self._words]
            with open(os.path.join(folder, "messages"), "w+b") as messages:
                failure = self._failure(words, folder, messages)
            return failure or outcome_of_file(target, self._attributes)

    def _failure(self, words: list[str], folder: str, messages: IO[bytes]) -> RunOutcome | None:
        streams: dict[str, Any] = {"stdout": messages, "stderr": subprocess.STDOUT}
        try:
            process = subprocess.Popen(
                words, cwd=folder, stdin=subprocess.DEVNULL, start_new_session=True, **streams
            )
        except OSError as error:
            return RunOutcome("crashed", {}, f"it cannot be started ({error.strerror})")
        try:
            code = process.wait(self._limit)
        except subprocess.TimeoutExpired:
            return RunOutcome("timed out", {}, f"it ran longer than {self._limit:g} seconds")
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # its own group: children that are left
            process.wait()
        messages.seek(0)
        said = messages.read().decode("utf-8", "replace").strip()[-MESSAGE:]
        return (
            RunOutcome("crashed", {}, f"exit code {code}: {said or 'no message'}") if code else None
        )


class RunJournal:
    """Labels before runs, and outcomes after them: in a file, or in memory only."""

    def __init__(self, path: str | None, about: dict[str, str]) -> None:
        """Begin, or take up a journal of the same spec, pair, and code.

        Raises:
            SemiauditError: the file is a journal of something else, or none.
            OutputError: it cannot be written.
        """
        self.labels: list[bool] = []
        self.outcomes: dict[int, RunOutcome] = {}
        self._path, self._stream, self._lock = path, None, threading.Lock()
        if path is None:
            return
        head = {"kind": "semiaudit verify journal", **about}
        try:
            known = self._read(path, head) if os.path.exists(path) else 0
            self._stream = open(path, "a", encoding="utf-8")  # noqa: SIM115 - open for all runs
            self._stream.truncate(known)
            if not known:
                self._write(json.dumps(head) + "\n")
        except OSError as error:
            raise OutputError(f"{path}: cannot be written ({error.strerror})") from None

    def _read(self, path: str, head: dict[str, str]) -> int:
        with open(path, "rb") as file:
            lines = [line for line in file if line.endswith(b"\n")]  # a kill can cut the last one
        try:
            if json.loads(lines[0]) != head:
                what = "it is the journal of another spec, pair, or code; name another file"
                raise SemiauditError(f"{path}: {what}")
            for entry in map(json.loads, lines[1:]):
                if "on_x" in entry:
                    self.labels.append({True: True, False: False}[entry["on_x"]])
                else:
                    kind, values, message = entry["outcome"]
                    numbers = {str(name): float(number) for name, number in values.items()}
                    if kind not in get_args(RunKind) or not 0 <= entry["run"] <= len(self.labels):
                        raise ValueError
                    self.outcomes[entry["run"]] = RunOutcome(kind, numbers, str(message))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise SemiauditError(f"{path}: is not a journal of verify; name another file") from None
        return sum(map(len, lines))

    def label(self, index: int) -> bool:
        """Return the label of a run; a new coin is recorded before this returns."""
        with self._lock:
            while len(self.labels) <= index:
                on_x = bool(secrets.randbits(1))
                self._write(json.dumps({"run": len(self.labels), "on_x": on_x}) + "\n")
                self.labels.append(on_x)
            return self.labels[index]

    def record(self, index: int, outcome: RunOutcome) -> None:
        """Record what a run did."""
        fields = outcome.kind, {**outcome.values}, outcome.message
        with self._lock:
            self.outcomes[index] = outcome
            self._write(json.dumps({"run": index, "outcome": fields}) + "\n")

    def _write(self, line: str) -> None:
        if self._stream is not None:
            try:
                self._stream.write(line)
                self._stream.flush()
                os.fsync(self._stream.fileno())
            except OSError as error:
                what = f"{self._path}: cannot be written ({error.strerror})"
                raise OutputError(what) from None

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()

    def prefix(self, most: int) -> list[CodeRun]:
        """Return the finished runs in the order of their index, up to the first unfinished one."""
        runs: list[CodeRun] = []
        most = min(most, len(self.labels))
        while len(runs) < most and (outcome := self.outcomes.get(len(runs))) is not None:
            runs.append(CodeRun(self.labels[len(runs)], outcome))
        return runs


def run_until(
    journal: RunJournal, runner: CodeRunner, datasets: tuple[str, str], last: int, jobs: int
) -> bool:
    """Do all runs below an index that the journal does not have; return whether all were done.

    A time limit starts no more runs, and waits for those that have started: a run is never left
    out because of what it did.
    """
    waiting = iter([at for at in range(last) if at not in journal.outcomes])
    lock, late = threading.Lock(), threading.Event()

    def work() -> None:
        while True:
            with lock:
                at = None if late.is_set() else next(waiting, None)
                if at is None:
                    return
                on_x = journal.label(at)
            journal.record(at, runner(datasets[0 if on_x else 1]))

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work) for _ in range(jobs)]
        try:
            while any(not future.done() for future in futures) and deadline.left() > 0:
                progress.reached(len(journal.outcomes), last)
                late.wait(0.02)
        finally:
            if any(not future.done() for future in futures):
                late.set()
        for future in futures:
            future.result()
    return not late.is_set()
