"""Faults at random moments, and what came of them.

    python -m tests.checking.fault_campaign [--runs 40] [--specs 10000]

Exits with 1 if a run ended as it may not.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.checking.batches import environment, rows_of, spec_file
from tests.checking.test_stop import processes_of

QUIET = 60
"""Specs of a run that is disturbed."""

STAGES = {"kill": "before its audit", "mute": "with its verdict", "torn": "while it reported it"}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OUTPUTS = ("-ojson=out.json", "-osarif=out.sarif", "-omarkdown=out.md")
COMMANDS = {
    "batch": ("batch", "specs", "--jobs", "2", "-ocsv=out.csv", *OUTPUTS),
    "check": ("check", "specs", *OUTPUTS),
    "check --jobs 2": ("check", "specs", "--jobs", "2", *OUTPUTS),
}


class Campaign:
    """Runs and their ends; what ended as it may not is in ``wrong``."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.wrong: list[str] = []

    def expect(self, fine: bool, what: str) -> None:
        if not fine:
            self.wrong.append(what)
            print(f"WRONG: {what}", flush=True)


def tell(figure: str) -> None:
    """Print a figure of docs/trust.md."""
    print(figure, flush=True)


def started(
    cwd: Path, *arguments: str, before: Callable[[], None] | None = None
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "semiaudit", *arguments],
        cwd=cwd,
        env=environment(faults=True),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=before,
    )


def ended(
    campaign: Campaign, running: subprocess.Popen[str], what: str, within: float = 900
) -> tuple[str, str]:
    """What a run printed; it must end by itself, within some seconds, and leave no process."""
    out, err = running.communicate(timeout=within)
    while processes_of(running.pid) and running.returncode == -signal.SIGKILL:
        time.sleep(0.05)  # workers see the end of their parent
    campaign.expect(processes_of(running.pid) == [], f"{what}: processes are left")
    campaign.expect("internal error" not in out + err, f"{what}: {err}")
    return out, err


def check_files(campaign: Campaign, cwd: Path, what: str) -> None:
    """Every file that is there is whole, and nothing else is there."""
    for name in ("out.json", "out.sarif"):
        if (cwd / name).exists():
            try:
                json.loads((cwd / name).read_text())
            except ValueError:
                campaign.expect(False, f"{what}: {name} is half a file")
    left = {path.name for path in cwd.iterdir()}
    known = {"specs", "out.csv", "out.md", "out.json", "out.sarif"}
    campaign.expect(left <= known, f"{what}: left {left - known}")


def stages(campaign: Campaign, folder: Path) -> None:
    """Workers that die at every stage of a task are rows; all others get their verdicts."""
    for number in range(QUIET):
        spec_file(folder / "specs", f"quiet{number:03}")
    for stage in STAGES:
        for number in range(5):
            spec_file(folder / "specs", f"{stage}{number}")
    running = started(folder, *COMMANDS["batch"])
    ended(campaign, running, "stages")
    told = Counter[str]()
    for row in rows_of(folder / "out.csv"):
        name = Path(row["path"]).name
        stage = next((stage for stage in STAGES if name.startswith(stage)), "quiet")
        fine = row["outcome"] == ("holds" if stage == "quiet" else "unaudited")
        campaign.expect(fine, f"stages: {name} {row['outcome']} {row['first_problem']}")
        told[stage] += fine
    campaign.expect(running.returncode == 2, f"stages: exit {running.returncode}")
    deaths = ", ".join(f"{told[stage]} {when}" for stage, when in STAGES.items())
    tell(
        f"specs that killed their worker at a stage of its task ({deaths}): each has a row that "
        f"says so, and {told['quiet']} of the {QUIET} others have their verdicts"
    )


def workers_of(pid: int) -> list[int]:
    found = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    lines = [line.split(None, 2) for line in found.stdout.splitlines()]
    return [int(own) for own, parent, args in lines if int(parent) == pid and "spawn_main" in args]


def kills(campaign: Campaign, folder: Path, runs: int) -> None:
    """Workers killed at random moments: every spec has a row, and none is lost."""
    for number in range(QUIET):
        spec_file(folder / "specs", f"quiet{number:03}")
    killed = died = 0
    for run in range(runs):
        running = started(folder, *COMMANDS["batch"])
        while running.poll() is None and not workers_of(running.pid):
            time.sleep(0.02)
        for _ in range(campaign.random.randint(1, 3)):
            time.sleep(campaign.random.uniform(0, 1))
            workers = workers_of(running.pid) if running.poll() is None else []
            if workers:
                os.kill(campaign.random.choice(workers), signal.SIGKILL)
                killed += 1
        _, err = ended(campaign, running, f"kill {run}")
        rows = rows_of(folder / "out.csv")
        lost = [row for row in rows if row["outcome"] != "holds"]
        blamed = all("the process that audited it died" in row["first_problem"] for row in lost)
        campaign.expect(len(rows) == QUIET and blamed, f"kill {run}: {err}")
        campaign.expect(running.returncode == (2 if lost else 0), f"kill {run}: exit code")
        died += len(lost)
        check_files(campaign, folder, f"kill {run}")
    tell(
        f"{killed} workers killed at random moments of {runs} batches of {QUIET} specs, whose "
        f"specs are audited again: all {runs * QUIET} rows were written, {died} of them without a "
        "verdict"
    )


def signals(campaign: Campaign, folder: Path, runs: int) -> None:
    """Signals at random moments: each run ends by itself with the right code and whole files."""
    for number in range(QUIET):
        spec_file(folder / "specs", f"quiet{number:03}")
    ends = Counter[str]()
    for run in range(runs):
        name, arguments = campaign.random.choice(list(COMMANDS.items()))
        number = campaign.random.choice(SIGNALS)
        for file in folder.glob("out.*"):
            file.unlink()
        running = started(folder, *arguments)
        while running.poll() is None and not listens(running.pid):
            time.sleep(0.01)
        time.sleep(campaign.random.uniform(0, 3))
        running.send_signal(number)
        _, err = ended(campaign, running, what := f"{name}, {number.name}, run {run}")
        check_files(campaign, folder, what)
        code, report = running.returncode, folder / "out.json"
        if code == 0:
            complete = report.exists() and json.loads(report.read_text())["complete"]
            campaign.expect(complete, f"{what}: exit 0 without a complete report")
            ends["done before the signal"] += 1
        else:
            campaign.expect(code == 2 and "Traceback" not in err, f"{what}: {code} {err}")
            if report.exists():
                campaign.expect(not json.loads(report.read_text())["complete"], f"{what}: complete")
            with_code = "reports of a part" if report.exists() else "no report"
            ends[f"ended with exit code 2 and {with_code}"] += 1
    told = ", ".join(f"{number} {end}" for end, number in sorted(ends.items()))
    tell(f"{runs} signals at random moments of `batch` and `check`: {told}")


def listens(pid: int) -> bool:
    """Whether a process handles SIGTERM, as the program does from its first line on."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def full_disk(campaign: Campaign, folder: Path, runs: int) -> None:
    """Files that may not grow beyond some bytes: written whole or not at all, and told."""
    for number in range(QUIET):
        spec_file(folder / "specs", f"quiet{number:03}")
    ends = Counter[int]()
    for run in range(runs):
        name, arguments = campaign.random.choice(list(COMMANDS.items()))
        most = int(2 ** campaign.random.uniform(4, 22))
        for file in folder.glob("out.*"):
            file.unlink()
        bound = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, most))
        running = started(folder, *arguments, before=bound)
        out, err = ended(campaign, running, what := f"{name}, files of {most} bytes, run {run}")
        check_files(campaign, folder, what)
        code = running.returncode
        wanted = sum(option.startswith("-o") for option in arguments)
        whole = len(list(folder.glob("out.*"))) == wanted
        campaign.expect(code == (0 if whole else 2), f"{what}: {code} {err} {out[:300]}")
        told = whole or "cannot be written" in err
        campaign.expect(told and "Traceback" not in err, f"{what}: {err}")
        ends[code] += 1
    tell(
        f"{runs} runs in which no file may grow beyond a random size: {ends[0]} had room, "
        f"{ends[2]} named the file and ended with exit code 2; no part of a file was left"
    )


NUMBERED = """\
semiaudit: 1
title: Table {number}
dataspace: {{unit: person, size: 10, attributes: {{sex: [f, m], degree: [no, yes]}}}}
invariants: [{{margin: [sex]}}]
data: {{margins: {{sex: [4, 6]}}}}
mechanism: {{approx_dp: {{epsilon: {epsilon}, delta: 1e-12}}}}
report: {{deltas: [1e-6]}}
budgets: [{{framework: semi_dp, epsilon: 9, delta: 1e-6}}]
"""
"""A spec with a number of its own: a(t) is 2, so semi_dp has about twice the epsilon."""

LINE = 6_000
"""Bytes of a journal's line, about."""


def resumed(campaign: Campaign, folder: Path, specs: int, times: int) -> None:
    """A batch that faults end again and again, and that goes on from its journal."""
    for number in range(specs):
        path = folder / "specs" / f"{number % 100:02}" / f"{number:05}.semiaudit.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NUMBERED.format(number=number, epsilon=f"1.{number:05}"))
    arguments = ("batch", "specs", "--jobs", "2", "-q", "--resume", "journal", "-ocsv=out.csv")
    ends = Counter[str]()
    for run in range(times):
        left = specs - Lines(folder / "journal").number()
        more = campaign.random.randint(0, max(1, left // (2 * (times - run))))
        fault = campaign.random.choice((signal.SIGKILL, *SIGNALS, None))
        if fault is None:
            ends["full disk"] += 1
            filled(campaign, folder, arguments, more, f"resumed: full disk, run {run}")
        else:
            ends[fault.name] += 1
            signalled(campaign, folder, arguments, more, fault, f"resumed: {fault.name}, run {run}")
        now = specs - Lines(folder / "journal").number()
        campaign.expect(now <= left, f"resumed: run {run} lost verdicts of earlier runs")
    done = Lines(folder / "journal").number() - 1
    running = started(folder, *arguments)
    out, err = ended(campaign, running, "resumed", within=3_600)
    rows = rows_of(folder / "out.csv")
    fine = len(rows) == specs and all(row["outcome"] == "holds" for row in rows)
    campaign.expect(fine and running.returncode == 0, f"resumed: {running.returncode} {err}")
    for row in rows:
        number = int(Path(row["path"]).name.split(".")[0])
        own = abs(float(row["semi_dp_epsilon"]) - 2 * (1 + number / 10**5)) < 5e-6
        campaign.expect(own and row["title"] == f"Table {number}", f"resumed: {row}")
    told = f"{done} of them unchanged since an earlier run."
    campaign.expect(told in out, f"resumed: {done} lines, but {out[-300:]}")
    faults = ", ".join(f"{number} {fault}" for fault, number in sorted(ends.items()))
    tell(
        f"a batch of {specs:,} specs, ended by {times} faults ({faults}) and resumed after each: "
        f"the last run took {done:,} verdicts from the journal, audited the others, and had a row "
        "with its own numbers for each"
    )


def signalled(
    campaign: Campaign, cwd: Path, arguments: Sequence[str], more: int, number: signal.Signals,
    what: str,
) -> None:  # fmt: skip
    """A run that gets a signal when its journal has some more lines."""
    lines = Lines(cwd / "journal")
    wanted = lines.number() + more
    running = started(cwd, *arguments)
    while running.poll() is None and not (listens(running.pid) and lines.number() >= wanted):
        time.sleep(0.05)
    campaign.expect(running.poll() is None, f"{what}: ended before its signal")
    running.send_signal(number)
    ended(campaign, running, what)
    expected = -number if number == signal.SIGKILL else 2
    campaign.expect(running.returncode == expected, f"{what}: {running.returncode}")


def filled(
    campaign: Campaign, cwd: Path, arguments: Sequence[str], more: int, what: str
) -> None:  # fmt: skip
    """A run whose journal has room for about so many more lines."""
    journal = cwd / "journal"
    most = (journal.stat().st_size if journal.exists() else 0) + LINE * more
    bound = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, most))
    running = started(cwd, *arguments, before=bound)
    _, err = ended(campaign, running, what)
    campaign.expect(running.returncode == 2, f"{what}: {running.returncode}")
    campaign.expect("cannot be written" in err, f"{what}: {err}")


class Lines:
    """The lines of a journal that grows; only what is new is read."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._read = self._counted = 0

    def number(self) -> int:
        """How many there are by now."""
        if self._journal.exists():
            with self._journal.open("rb") as stream:
                stream.seek(self._read)
                new = stream.read()
            self._read += len(new)
            self._counted += new.count(b"\n")
        return self._counted


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--specs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    campaign = run(asked.seed, asked.runs, asked.specs)
    return 1 if campaign.wrong else 0


def run(seed: int, runs: int, specs: int) -> Campaign:
    """Every kind of fault, so many times."""
    campaign = Campaign(seed)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup, all processes would ignore it
    parts: list[Callable[[Path], None]] = [
        lambda folder: stages(campaign, folder),
        lambda folder: kills(campaign, folder, runs),
        lambda folder: signals(campaign, folder, runs),
        lambda folder: full_disk(campaign, folder, runs),
        lambda folder: resumed(campaign, folder, specs, runs),
    ]
    for part in parts:
        with tempfile.TemporaryDirectory() as folder:
            part(Path(folder))
    return campaign


if __name__ == "__main__":
    sys.exit(main())
