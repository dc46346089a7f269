"""A session of pytest that collects all tests once, and forks a child for each mutant.

It is a plugin: ``python -m pytest -p tests.mutants.session FOLDERS``, which the campaign starts in
a copy of the tree. It reads a mutant a line from its standard input, and answers with a line.

The tests that reach the mutated statement are run, file by file, in a child in which the changed
function has its new code. To know them, each test is first run alone in a child of its own. A test
that starts a process may reach everything; the mutated file is there for that process. If the
statement is reached while modules and tests are imported, the answer is ``anew``: what they made
would be that of the program without the change.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from tests.mutants.children import MOST_SECONDS, forked
from tests.mutants.reach import (
    changes,
    first_numbers,
    import_everything,
    live_functions,
    mark_imports,
)
from tests.places import ROOT


class Session:
    """The collected tests, and what each of them reaches."""

    def __init__(self, marks: bytearray, known: Path) -> None:
        self.marks = marks
        self.known = known
        self.failed = ""
        self.starts = False
        sys.addaudithook(self._heard)

    def _heard(self, event: str, _: object) -> None:
        if event in ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.system"):
            self.starts = True

    def begin(self, items: list[pytest.Item]) -> None:
        """Note what is collected, and the statements that were reached by that."""
        import_everything()
        self.items: dict[str, list[pytest.Item]] = {}
        for item in items:
            self.items.setdefault(item.nodeid.partition("::")[0], []).append(item)
        self.firsts = first_numbers()
        self.at_import = bytes(self.marks)
        self.live = live_functions({str(ROOT / path): path for path in self.firsts})
        self.reached: dict[str, dict[str, dict[str, Any]]] = {}
        source = hashlib.sha256()
        for file in sorted((ROOT / "semiaudit").rglob("*.py")):
            source.update(file.read_bytes())
        self.digest = source.hexdigest()
        if self.known.exists():
            for line in self.known.read_text("utf-8").splitlines():
                record = json.loads(line)
                if record["digest"] == self._digest(record["file"]):
                    self.reached[record["file"]] = record["tests"]
        gc.collect()
        gc.freeze()

    def _digest(self, file: str) -> str:
        """Of the program and a file of tests."""
        path = ROOT / file
        return hashlib.sha256(
            self.digest.encode() + (path.read_bytes() if path.exists() else b"")
        ).hexdigest()

    def run(self, items: list[pytest.Item]) -> str:
        """The first of the tests that fails, or nothing."""
        self.failed = ""
        for item, after in zip(items, [*items[1:], None], strict=True):
            try:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            except (KeyboardInterrupt, SystemExit, pytest.exit.Exception):
                return item.nodeid
            if self.failed:
                break
        return self.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the name of a test that fails."""
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def tests_of(self, file: str) -> dict[str, dict[str, Any]]:
        """What each test of a file reaches, as a number in base 16 with a bit for each place."""
        if file not in self.reached:
            found = {}
            for item in self.items.get(file, []):
                end, said, seconds = forked(partial(self._alone, item), 2 * MOST_SECONDS)
                if end or not said:
                    said = {"failed": True}
                found[item.nodeid] = {**said, "seconds": round(seconds, 2)}
            self.reached[file] = found
            record = {"file": file, "digest": self._digest(file), "tests": found}
            with self.known.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(record) + "\n")
        return self.reached[file]

    def _alone(self, item: pytest.Item) -> dict[str, Any]:
        self.marks[:] = bytes(len(self.marks))
        self.starts = False
        failed = bool(self.run([item]))
        bits = "".join(map(str, reversed(self.marks)))
        return {"failed": failed, "starts": self.starts, "reached": f"{int(bits, 2):x}"}

    def outcome(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Run a mutant's tests until one fails."""
        path = asked["path"]
        number = self.firsts[path] + asked["place"]
        new = changes(path, self.firsts[path], asked["source"], self.live[path])
        if self.at_import[number] or new is None:
            return {"outcome": "anew"}
        spent, run = 0.0, 0
        for file in asked["tests"]:
            tests = self.tests_of(file)
            mine = [
                item
                for item in self.items.get(file, [])
                if not tests[item.nodeid]["failed"]
                and (
                    tests[item.nodeid]["starts"]
                    or int(tests[item.nodeid]["reached"], 16) >> number & 1
                )
            ]
            if not mine:
                continue
            mine.sort(key=lambda item: tests[item.nodeid]["seconds"])
            usual = sum(tests[item.nodeid]["seconds"] for item in mine)
            most = min(MOST_SECONDS - spent, 5 + 5 * usual)
            run += len(mine)

            def changed(mine: list[pytest.Item] = mine) -> dict[str, Any]:
                for function, code in new:
                    function.__code__ = code
                return {"by": self.run(mine)}

            whole = (ROOT / path).read_bytes()
            (ROOT / path).write_text(asked["source"], "utf-8")
            try:
                end, said, seconds = forked(changed, max(1, round(most)))
            finally:
                (ROOT / path).write_bytes(whole)
            spent += seconds
            if end or said["by"]:
                name = "stopped" if end else "killed"
                return {"outcome": name, "by": said.get("by", ""), "run": run, "seconds": spent}
            if spent > MOST_SECONDS:
                return {"outcome": "stopped", "by": "", "run": run, "seconds": spent}
        return {"outcome": "survived", "by": "", "run": run, "seconds": spent}


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Before any test is imported: the same random tests each time, and no smaller examples."""
    settings.register_profile(
        "mutants", derandomize=True, database=None,
        phases=[Phase.explicit, Phase.generate], print_blob=False, report_multiple_bugs=False,
    )  # fmt: skip
    settings.load_profile("mutants")
    known = Path(os.environ.pop("MUTANTS_REACH"))
    # For the processes of tests: in this one, bytecode would have no marks.
    os.environ["PYTHONPYCACHEPREFIX"] = os.environ.pop("MUTANTS_BYTECODE")
    config.pluginmanager.register(Session(_MARKS, known), "mutants")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Answer for one mutant after the other."""
    mutants = session.config.pluginmanager.get_plugin("mutants")
    assert isinstance(mutants, Session)
    if session.testsfailed:
        raise session.Interrupted("the tests cannot be collected")
    mutants.begin(session.items)
    with os.fdopen(_ANSWERS, "w") as answers, os.fdopen(_QUESTIONS) as questions:
        for line in questions:
            answers.write(json.dumps(mutants.outcome(json.loads(line))) + "\n")
            answers.flush()
    return True


_QUESTIONS, _ANSWERS = os.dup(0), os.dup(1)
os.dup2(os.open(os.devnull, os.O_RDWR), 0)
os.dup2(os.open(os.devnull, os.O_RDWR), 1)
_MARKS = mark_imports()
