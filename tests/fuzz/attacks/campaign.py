"""Every attack some hundred times, and what came of it.

    python -m tests.fuzz.attacks.campaign --cases 200 [--only NAME]

Exits with 1 if an attack succeeded.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile

from tests.fuzz.attacks.files import concurrent_writers, hard_links, races, unicode_in_waivers
from tests.fuzz.attacks.gates import collisions, git_states, special_numbers
from tests.fuzz.attacks.grounds import Attack
from tests.fuzz.attacks.journals import forged_journals
from tests.fuzz.attacks.parquet import hostile_parquet
from tests.fuzz.attacks.starvation import few_descriptors, full_disk, signals
from tests.fuzz.chance import Chance
from tests.fuzz.serving import load

ATTACKS: dict[str, tuple[Attack, str]] = {
    "forged_journals": (
        forged_journals,
        "journals of `batch --resume` with verdicts, lines, fingerprints or keys of somebody else",
    ),
    "races": (
        races,
        "a spec or its table replaced by other content, a link or a pipe just before it is opened",
    ),
    "hard_links": (hard_links, "specs, inputs, outputs and journals that are hard links"),
    "unicode_in_waivers": (
        unicode_in_waivers,
        "waivers whose names only look right: Unicode normal forms, wide letters, other digits",
    ),
    "hostile_parquet": (
        hostile_parquet,
        "Parquet files that lie about their statistics, rows, names, types and lengths",
    ),
    "concurrent_writers": (
        concurrent_writers,
        "two to four commands that write one report, journal or spec at once",
    ),
    "full_disk": (full_disk, "files that cannot grow beyond 0 to 20,000 bytes"),
    "few_descriptors": (
        few_descriptors,
        "a process that may open 0 to 9 more files (DuckDB may abort it)",
    ),
    "git_states": (
        git_states,
        "commits and pushes of a failing spec: sparse, submodule, worktree, conflict, shallow",
    ),
    "collisions": (
        collisions,
        "a journal, its key, outputs, reports, or inputs of a batch with one path",
    ),
    "special_numbers": (special_numbers, "number options with NaN, infinity, 1e400, and -1"),
    "signals": (signals, "SIGINT, SIGTERM or SIGHUP at some moment of a command that writes"),
}
"""What each does, and in words."""


def wrong_of(name: str, number: int) -> list[str]:
    """Make one attack in a new folder, and return what may not have come of it."""
    attack, _ = ATTACKS[name]
    before = os.getcwd()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.makedirs(os.path.join(folder, "work"))
        os.chdir(os.path.join(folder, "work"))
        try:
            return attack(Chance(f"{name} {number}"), folder)
        finally:
            os.chdir(before)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", choices=ATTACKS)
    asked = parser.parse_args()
    load()
    rows = ["| attack | cases | succeeded |", "| --- | --- | --- |"]
    print("\n".join(rows), flush=True)
    total = 0
    for name in [asked.only] if asked.only else ATTACKS:
        failed = 0
        for number in range(asked.first, asked.first + asked.cases):
            wrong = wrong_of(name, number)
            failed += bool(wrong)
            for what in wrong:
                print(f"{name}:{number}: {what}", flush=True)
        rows.append(f"| {ATTACKS[name][1]} | {asked.cases} | {failed} |")
        print(rows[-1], flush=True)
        total += failed
    print(f"{asked.cases * (len(rows) - 2):,} attacks, of which {total} succeeded")
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
