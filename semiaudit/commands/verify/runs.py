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
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from typing import Any, Protocol

from semiaudit import deadline, progress
from semiaudit.checking.confinement import prepare_worker
from semiaudit.commands.verify.model import Run, RunOutcome
from semiaudit.commands.verify.outputs import numbers_of_json, outcome_of_file, plain_numbers
from semiaudit.errors import OutputError, SemiauditError
from semiaudit.private_folders import private_folder

KIND = "semiaudit verify journal"
MESSAGE = 300
"""The most characters of a message that are kept, from its end."""


class Runner(Protocol):
    """What runs the code once, on a copy of a dataset."""

    def __call__(self, dataset: str, folder: str) -> RunOutcome:
        """Run it in a fresh folder."""

    def close(self) -> None:
        """End what is still running."""


class CommandRunner:
    """Runs a command, without a shell."""

    def __init__(self, command: str, limit: float, attributes: Sequence[str]) -> None:
        """Split the command.

        Raises:
            SemiauditError: a quotation mark is not closed, or a placeholder is missing.
        """
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise SemiauditError(f"--command: {error}; close every quotation mark") from None
        for placeholder in ("{input}", "{output}"):
            if not any(placeholder in word for word in self._words):
                raise SemiauditError(f"--command: {placeholder} is missing; add it")
        first = self._words[0]
        if os.sep in first:
            self._words[0] = os.path.abspath(first)
        elif shutil.which(first) is None:
            raise SemiauditError(f"--command: there is no program {first}; correct the name")
        self._limit, self._attributes = limit, attributes
        self._here = os.getcwd()
        self.files = [w for w in map(self._absolute, self._words) if os.path.isfile(w)]

    def _absolute(self, word: str) -> str:
        path = os.path.join(self._here, word)
        return path if "{" not in word and os.path.isfile(path) else word

    def __call__(self, dataset: str, folder: str) -> RunOutcome:
        """Run the command; files that its words name are found from the caller's directory."""
        source, target = os.path.join(folder, "input.csv"), os.path.join(folder, "output.csv")
        shutil.copyfile(dataset, source)
        words = [
            word.replace("{input}", source).replace("{output}", target)
            if "{" in word
            else self._absolute(word)
            for word in self._words
        ]
        with open(os.path.join(folder, "messages"), "w+b") as messages:
            try:
                process = subprocess.Popen(
                    words,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=messages,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
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
        if code:
            return RunOutcome("crashed", {}, f"exit code {code}: {said or 'no message'}")
        return outcome_of_file(target, self._attributes)

    def close(self) -> None:
        """Nothing is left running."""


class FunctionRunner:
    """Calls a function of the path of a dataset, in a process of its own for each thread."""

    def __init__(self, name: str, import_path: str, limit: float) -> None:
        module, _, function = name.partition(":")
        if not module or not function:
            raise SemiauditError(f"--function: {name!r} is not a name; write module:function")
        self._limit, self._target = limit, (import_path, module, function)
        self._own = threading.local()
        self._started: list[Any] = []
        self.files = [
            path
            for path in (os.path.join(import_path, *module.split(".")) + ".py",)
            if os.path.isfile(path)
        ]

    def __call__(self, dataset: str, folder: str) -> RunOutcome:
        """Call the function; a process that hangs or dies is replaced."""
        pipe, process = getattr(self._own, "worker", None) or self._spawned()
        source = os.path.join(folder, "input.csv")
        shutil.copyfile(dataset, source)
        try:
            pipe.send((source, folder))
            if not pipe.poll(self._limit):
                self._end(process)
                return RunOutcome("timed out", {}, f"it ran longer than {self._limit:g} seconds")
            kind, said = pipe.recv()
        except (EOFError, OSError):
            self._end(process)
            return RunOutcome("crashed", {}, f"its process ended ({process.exitcode})")
        if kind != "ok":
            return RunOutcome("crashed", {}, said)
        values = numbers_of_json(said)
        if not values:
            return RunOutcome("no output", {}, "the function returned no number")
        return RunOutcome("ok", values)

    def _spawned(self) -> tuple[Any, Any]:
        context = get_context("spawn")
        pipe, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, *self._target), daemon=True)
        process.start()
        theirs.close()
        self._own.worker = pipe, process
        self._started.append(process)
        return pipe, process

    def _end(self, process: Any) -> None:
        process.kill()
        process.join()
        self._own.worker = None

    def close(self) -> None:
        """End the processes."""
        for process in self._started:
            process.kill()
            process.join()


def _serve(pipe: Any, import_path: str, module: str, name: str) -> None:
    prepare_worker(None)
    try:
        function = imported(import_path, module, name)
    except Exception as error:  # noqa: BLE001 - the caller's code
        function = _raising(f"it cannot be imported ({type(error).__name__}: {error})")
    while True:
        try:
            source, folder = pipe.recv()
        except EOFError:
            return
        try:
            os.chdir(folder)
            result = plain_numbers(function(source))
            json.dumps(result)
            pipe.send(("ok", result))
        except Exception as error:  # noqa: BLE001 - an outcome
            pipe.send(("crashed", f"{type(error).__name__}: {error}"[-MESSAGE:]))


def _raising(message: str) -> Callable[[str], object]:
    def function(source: str) -> object:
        raise ImportError(message)

    return function


def imported(import_path: str, module: str, name: str) -> Callable[..., Any]:
    """Import a function from one directory: the caller's, never the working directory."""
    from importlib import import_module

    sys.path.insert(0, os.path.abspath(import_path))
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


class Journal:
    """Labels before runs, and outcomes after them: in a file, or in memory only."""

    def __init__(self, path: str | None, about: dict[str, str]) -> None:
        """Begin, or take up a journal of the same spec, pair, and code.

        Raises:
            SemiauditError: the file is a journal of something else, or none.
            OutputError: it cannot be written.
        """
        self.labels: list[bool] = []
        self.outcomes: dict[int, RunOutcome] = {}
        self._path, self._stream = path, None
        self._lock = threading.Lock()
        if path is None:
            return
        head = {"kind": KIND, **about}
        try:
            if os.path.exists(path) and os.path.getsize(path):
                self._read(path, head)
                self._stream = open(path, "a", encoding="utf-8")  # noqa: SIM115
            else:
                self._stream = open(path, "w", encoding="utf-8")  # noqa: SIM115
                self._write(head)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written ({error.strerror})") from None

    def _read(self, path: str, head: dict[str, str]) -> None:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        try:
            first = json.loads(lines[0])
            if first != head:
                wrong = [k for k in head if not isinstance(first, dict) or first.get(k) != head[k]]
                what = f"it is the journal of another verification ({', '.join(wrong)} differ)"
                raise SemiauditError(f"{path}: {what}; name another file")
            for line in lines[1:]:
                if not line.endswith("\n"):
                    break  # a kill cut the last line; its run is made again
                entry = json.loads(line)
                if "on_x" in entry:
                    self.labels.append(bool(entry["on_x"]))
                else:
                    self.outcomes[int(entry["run"])] = RunOutcome(
                        entry["outcome"], entry["values"], entry["message"]
                    )
        except (ValueError, KeyError, TypeError):
            raise SemiauditError(f"{path}: is not a journal of verify; name another file") from None
        if not lines[-1].endswith("\n"):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(lines[:-1])

    def label(self, index: int) -> bool:
        """Return the label of a run; a new coin is recorded before this returns."""
        with self._lock:
            while len(self.labels) <= index:
                on_x = bool(secrets.randbits(1))
                self._write({"run": len(self.labels), "on_x": on_x})
                self.labels.append(on_x)
            return self.labels[index]

    def record(self, index: int, outcome: RunOutcome) -> None:
        """Record what a run did."""
        with self._lock:
            self.outcomes[index] = outcome
            entry = {"outcome": outcome.kind, "values": {**outcome.values}}
            self._write({"run": index, **entry, "message": outcome.message})

    def _write(self, entry: dict[str, Any]) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(json.dumps(entry) + "\n")
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            why = f"{self._path}: cannot be written ({error.strerror})"
            raise OutputError(why) from None

    def prefix(self, most: int) -> list[Run]:
        """Return the finished runs in the order of their index, up to the first unfinished one."""
        runs: list[Run] = []
        while len(runs) < most and (outcome := self.outcomes.get(len(runs))) is not None:
            runs.append(Run(self.labels[len(runs)], outcome))
        return runs


def run_until(
    journal: Journal, runner: Runner, datasets: tuple[str, str], last: int, total: int, jobs: int
) -> bool:
    """Do all runs below an index that the journal does not have, in parallel.

    A time limit starts no more runs, and waits for those that have started: a run is never left
    out because of what it did.

    Returns:
        Whether all were done.
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
            with private_folder() as folder:
                outcome = runner(datasets[0 if on_x else 1], folder)
            journal.record(at, outcome)

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work) for _ in range(jobs)]
        try:
            while any(not future.done() for future in futures):
                progress.reached(len(journal.outcomes), total)
                late.wait(0.05)
                if deadline.left() <= 0:
                    late.set()
                    break
        except BaseException:
            late.set()
            raise
        for future in futures:
            future.result()
    return not late.is_set()
