"""What pre-commit runs, on changes of every kind in a small repository."""

from __future__ import annotations

import functools
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from typing import Any

import yaml

from tests.fuzz.cases import FOLDER, Case
from tests.fuzz.chance import Chance
from tests.places import ROOT

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
TABLE = b"a,b,count\n0,0,3\n0,1,1\n1,0,2\n1,1,4\n"
SPEC = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: [margin: [a], margin: [b]]\n"
    "data: {table: table.csv}\nmechanism: {zcdp: {rho: 0.5}}\n"
    "budgets: [{framework: nominal_dp, rho: %s}]\n"
)
NAMES = ("release.semiaudit.yaml", "plain.yaml", "a b.yml", "caf\u00e9.semiaudit.yml")


def hooked(chance: Chance) -> Case:
    """The hook on a staged change that must not pass."""
    name = f"releases/{chance.choice(NAMES)}"
    files: dict[str, bytes] = {name: (SPEC % "0.5").encode(), "releases/table.csv": TABLE}
    change: dict[str, bytes] = {}
    match chance.choice(["budget", "table", "new"]):
        case "budget":
            change[name] = (SPEC % "0.25").encode()
        case "table":
            change["releases/table.csv"] = TABLE.replace(b"1,1,4", b"1,1,-4")
        case _:
            change[f"releases/new.{chance.choice(NAMES)}"] = (SPEC % "0.25").encode()
    return staged(files, change)


def staged(files: dict[str, bytes], change: dict[str, bytes]) -> Case:
    """The hook on a change of some files, which must not pass."""
    path = f"{FOLDER}/{next(iter(files))}"
    content: Callable[[str], None] = functools.partial(
        _repository, files=files, change=change, depth=path.count("/")
    )
    return Case("hook", {path: content}, (("<hook>",),), 60.0, codes=frozenset({1, 2, 3}))


def _repository(path: str, files: dict[str, bytes], change: dict[str, bytes], depth: int) -> None:
    """A repository with one commit, and a staged change."""
    folder = path
    for _ in range(depth):
        folder = os.path.dirname(folder)
    _git(folder, "init", "--quiet")
    for names in (files, change):
        for name, content in names.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "wb") as stream:
                stream.write(content)
        _git(folder, "add", "--all")
        if names is files:
            _git(folder, "commit", "--quiet", "--message", "base")


def _git(folder: str, *arguments: str) -> str:
    done = subprocess.run([*GIT, *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


@functools.cache
def definition() -> dict[str, Any]:
    """The hook as pre-commit reads it."""
    found: dict[str, Any] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))[0]
    return found


def hook_line(folder: str) -> tuple[str, ...] | None:
    """The command line that pre-commit would run here; None where it runs nothing."""
    hook = definition()
    staged = _git(folder, "diff", "--staged", "--name-only", "--diff-filter=ACMRTUXB", "-z")
    names = [name for name in staged.split("\0") if name]
    names = [name for name in names if re.search(hook.get("files", ""), name)]
    if not names and not hook.get("always_run", False):
        return None
    _, *words = shlex.split(hook["entry"])
    given = names if hook.get("pass_filenames", True) else []
    return (*words, *hook.get("args", []), *given)
