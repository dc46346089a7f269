"""Everything that the commands print, stored before a change and compared after it.

    python -m tests.frozen store BEFORE       # at the commit before the change
    python -m tests.frozen store AFTER        # and after it
    python -m tests.frozen compare BEFORE AFTER

For each shipped config and each spec under tests/specs: standard output at 80 columns, standard
error, the exit code, and a file of each format of every command that takes a spec; and what the
other commands print. Figures are not stored, and the points of the curves on pages can depend on
the speed of the machine. It takes about ten minutes on two processors. Give ``store`` a part of a
name, such as ``census`` or ``ablate``, to store only the cases that contain it. The comparison ends
with 1 if a file differs.
"""

from __future__ import annotations

import argparse
import difflib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from tests.in_process import completed
from tests.places import CONFIGS, LENGTHY, ROOT, SPECS

REPORTS = ("json", "markdown", "html", "csv", "latex")
GATE = (*REPORTS, "sarif", "junit", "github")
LIMIT = ("--time-limit", "3600")
"""No result may depend on the speed of the machine."""

NOT_DESIGNED = frozenset({"gao_county_populations"})
"""Specs whose designs take more than ten minutes."""


class Case(NamedTuple):
    """One run of a command.

    Attributes:
        name: the folder of its files, below that of the store.
        arguments: those of ``semiaudit``, without ``-o``.
        formats: the formats that ``-o`` writes.
    """

    name: str
    arguments: Sequence[str]
    formats: Sequence[str] = ()


def cases() -> Iterator[Case]:
    """All runs, the longest first."""
    paths = [*CONFIGS.glob("*.yaml"), *SPECS.rglob("*.yaml")]
    paths.sort(key=lambda path: (path.stem not in LENGTHY, path))
    for path in paths:
        yield from _cases_of(path)
    for folder in (CONFIGS, *sorted(SPECS.iterdir())):
        name = folder.relative_to(ROOT).as_posix()
        yield Case(f"check/{name}", ("check", name, *LIMIT), GATE)
        yield Case(f"batch/{name}", ("batch", name, *LIMIT), GATE)
    yield Case("reproduce", ("reproduce",), REPORTS)
    for listing in ("glossary", "rule", "schema"):
        yield Case(listing, (listing,))
    for schema in sorted((ROOT / "docs").glob("*.schema.json")):
        name = schema.name.removesuffix(".schema.json")
        yield Case(f"schema/{name}", ("schema", name))
    for help_ in _HELP:
        yield Case(f"help/{help_ or 'semiaudit'}", (*help_.split(), "--help"))


_HELP = (
    "", "analyze", "check", "batch", "compare", "ablate", "convert", "mechanism",
    "mechanism calibrate", "mechanism sample", "mechanism describe", "mechanism test odds-ratio",
    "registry export", "registry review", "reproduce", "verify", "init", "glossary", "rule",
    "schema",
)  # fmt: skip


def _cases_of(path: Path) -> Iterator[Case]:
    spec = path.relative_to(ROOT).as_posix()
    name = spec.removesuffix(".yaml")
    yield Case(f"analyze/{name}", ("analyze", spec, *LIMIT), REPORTS)
    yield Case(f"ablate/{name}", ("ablate", spec, *LIMIT), REPORTS)
    yield Case(f"compare/{name}", ("compare", spec, "configs/starter.yaml", *LIMIT), REPORTS)
    yield Case(f"export/{name}", ("registry", "export", spec, *LIMIT))
    yield Case(f"describe/{name}", ("mechanism", "describe", spec, *LIMIT))
    yield Case(
        f"sample/{name}",
        ("mechanism", "sample", spec, "--seed", "1", "--format", "json", *LIMIT),
        ("csv",),
    )
    if path.stem not in NOT_DESIGNED:
        design = ("mechanism", "calibrate", spec, "--target", "mu=1", *LIMIT)
        yield Case(f"calibrate/{name}", design, REPORTS)
    yield Case(
        f"odds_ratio/{name}",
        ("mechanism", "test", "odds-ratio", "--spec", spec, "--epsilon", "1", "--seed", "1"),
        ("json", "markdown", "html"),
    )


def run(case: Case, store: Path) -> str:
    """Run a case, and keep what it printed and wrote.

    Returns:
        Its name.
    """
    folder = store / case.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as out:
        outputs = [word for form in case.formats for word in ("-o", f"{form}={out}/report.{form}")]
        done = completed(ROOT, *case.arguments, *outputs)
        for file in sorted(Path(out).iterdir()):
            shutil.copy(file, folder)
        for name, text in (("stdout", done.stdout), ("stderr", done.stderr)):
            (folder / name).write_text(text.replace(out, "OUT"), "utf-8")
    (folder / "exit_code").write_text(f"{done.returncode}\n", "utf-8")
    return case.name


def store_all(store: Path, part: str) -> int:
    store.mkdir(parents=True, exist_ok=True)
    chosen = [case for case in cases() if part in case.name]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        running = [pool.submit(run, case, store) for case in chosen]
        for count, done in enumerate(as_completed(running), 1):
            sys.stderr.write(f"\r{count} of {len(chosen)}: {done.result():70.70}")
    sys.stderr.write("\n")
    return 0


def compare(before: Path, after: Path, lines: int) -> int:
    """Print how the files of two stores differ, at most so many lines of each."""
    names = sorted(
        {
            path.relative_to(store)
            for store in (before, after)
            for path in store.rglob("*")
            if path.is_file()
        }
    )
    different = 0
    for name in names:
        was, now = (
            (store / name).read_text("utf-8") if (store / name).exists() else None
            for store in (before, after)
        )
        if was != now:
            different += 1
            shown = list(
                difflib.unified_diff(
                    (was or "").splitlines(), (now or "").splitlines(), n=0, lineterm=""
                )
            )[2:]
            sys.stdout.write("\n".join([f"== {name}", *shown[:lines], ""]))
    sys.stdout.write(f"{different} of {len(names)} files differ\n")
    return 1 if different or not names else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    actions = parser.add_subparsers(dest="action", required=True)
    storing = actions.add_parser("store")
    storing.add_argument("store", type=Path)
    storing.add_argument("part", nargs="?", default="")
    comparing = actions.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--lines", type=int, default=10, help="shown for each file")
    asked = parser.parse_args()
    if asked.action == "store":
        return store_all(asked.store.resolve(), asked.part)
    return compare(asked.before, asked.after, asked.lines)


if __name__ == "__main__":
    sys.exit(main())
