"""Worked examples of docs/extending.md: patches that a copy of the tree takes, and its checks."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from tests.places import ROOT

HERE = Path(__file__).parent
CACHE = ROOT / ".mypy_cache"
"""What mypy knows of the tree, and in a folder for each patched copy what it knows of that one."""

COPIED = ("semiaudit", "configs", "docs", "tests", "pyproject.toml", "README.md")


PATCHES = sorted(path.name for path in HERE.glob("*.patch"))

Patched = Callable[[str], Path]
"""The copy of the tree with a patch of this folder that tests share, which they do not change."""


def applied(patch_name: str, tmp_path: Path) -> Path:
    """A copy of the tree with a patch of this folder, and the bytecode of what is not patched."""
    tree = tmp_path / "tree"
    copied(tree)
    patch(tree, patch_name)
    share_bytecode(tree)
    return tree


def copied(tree: Path) -> None:
    tree.mkdir()
    unwanted = shutil.ignore_patterns("__pycache__", ".*")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=unwanted)
        else:
            shutil.copy2(ROOT / name, tree / name)


def patch(tree: Path, patch_name: str) -> None:
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent)}
    command = ["git", "apply", str(HERE / patch_name)]
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@cache
def _compile_package() -> None:
    """Make the bytecode of the package, where commands that the tests start look for it.

    Two workers that compile a file at once can be in each other's way: one of them has it then.
    """
    command = [sys.executable, "-m", "compileall", "-q", "semiaudit"]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)


def share_bytecode(tree: Path) -> None:
    """Let a copy have the bytecode of the package.

    Python compiles a file anew if its time or its size differs from what its bytecode says. A new
    file replaces the link then, and the bytecode of the package stays.
    """
    _compile_package()
    prefix = os.environ.get("PYTHONPYCACHEPREFIX")
    for source in (tree / "semiaudit").rglob("*.py"):
        own = bytecode_of(ROOT / source.relative_to(tree), prefix)
        if own.is_file():
            link = bytecode_of(source, prefix)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(own)


def bytecode_of(source: Path, prefix: str | None) -> Path:
    """Where a command that a test starts keeps the bytecode of a file.

    Args:
        prefix: the folder of all bytecode, if it does not lie beside its source.
    """
    name = Path(cache_from_source(str(source))).name
    folder = Path(f"{prefix}{source.parent}") if prefix else source.parent / "__pycache__"
    return folder / name


def touched(patch_name: str) -> list[str]:
    """The files of the package that a patch adds, changes or removes, sorted."""
    lines = (HERE / patch_name).read_text().splitlines()
    names = {line.split()[-1][2:] for line in lines if line.startswith("diff --git ")}
    return sorted(name for name in names if name.startswith("semiaudit/"))


def type_errors(tree: Path, name: str) -> str:
    """What mypy says against the whole package of a copy; empty if nothing.

    Args:
        name: of the copy. Its cache begins as that of the tree without a patch, and is kept, so
            that only what changed since is checked again.
    """
    own = CACHE / "extending" / name
    with _alone():
        if not own.exists():
            _mypy(ROOT, CACHE)
            shutil.copytree(CACHE, own, ignore=shutil.ignore_patterns("extending"))
    return _mypy(tree, own)


def _mypy(tree: Path, cache: Path) -> str:
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(cache), "semiaudit"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@contextmanager
def _alone() -> Iterator[None]:
    """One process at a time: workers of one test run fill the same folder."""
    (CACHE / "extending").mkdir(parents=True, exist_ok=True)
    with (CACHE / "extending" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def in_copy(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return in_copy(tree, "-m", "semiaudit", *arguments)


IN_TURN = """\
import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from semiaudit.cli import main
from semiaudit.process import use_one_thread

use_one_thread()
ended = []
for line in json.loads(sys.argv[1]):
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        code = main(line)
    ended.append([code, *(stream.buffer.getvalue().decode("utf-8") for stream in streams)])
print(json.dumps(ended))
"""


def in_turn(tree: Path, *lines: Sequence[str]) -> Iterator[subprocess.CompletedProcess[str]]:
    """The program of a tree with one command line after the other, all in one process."""
    done = in_copy(tree, "-c", IN_TURN, json.dumps(lines))
    assert done.returncode == 0, done.stderr
    for line, ended in zip(lines, json.loads(done.stdout), strict=True):
        yield subprocess.CompletedProcess(line, *ended)


def reports(tree: Path, *specs: str) -> Iterator[dict[str, Any]]:
    """The JSON reports of specs, given as texts, by the program of a tree."""
    lines = []
    for number, text in enumerate(specs):
        path = tree / f"spec{number}.yaml"
        path.write_text(text)
        lines.append(("analyze", str(path), "--format", "json"))
    for done in in_turn(tree, *lines):
        assert done.returncode == 0, done.stderr
        yield json.loads(done.stdout)
