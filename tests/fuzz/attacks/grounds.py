"""What attacks have in common: specs whose verdicts are known, and ways to run commands on them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tests.fuzz.chance import Chance
from tests.fuzz.played import Ended, contents, ended_of, torn

SPACE = "semiaudit: 1\ndataspace: {size: 9, attributes: {a: 2}}\nmechanism: {zcdp: {rho: 1}}\n"
PASSING = SPACE + "budgets: [{framework: nominal_dp, rho: 1}]\n"
FAILING = SPACE + "budgets: [{framework: nominal_dp, rho: 1/2}]\n"
"""rho of a declared zCDP mechanism is the declared one: 1 is above 1/2."""

SECRET = "zqx-secret-7731"

Attack = Callable[[Chance, str], list[str]]
"""Runs in a folder of its own, the working directory; returns what may not be."""


def write(name: str, content: str | bytes) -> None:
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    with open(name, "wb") as stream:
        stream.write(data)


def read(name: str) -> bytes:
    with open(name, "rb") as stream:
        return stream.read()


def ran(*line: str) -> Ended:
    os.makedirs("../tmp", exist_ok=True)
    return ended_of(line, b"", os.path.abspath("../tmp"))


def unsound(ended: Ended, codes: Sequence[int] = (0, 1, 2, 3)) -> list[str]:
    """What no command may do, and an exit code that this one may not have."""
    found = []
    said = ended.out + ended.err
    if ended.code not in codes:
        found.append(f"{ended.line}: exit code {ended.code}: {ended.err[-200:]}")
    if "Traceback" in said or "internal error:" in said:
        found.append(f"{ended.line}: an internal error: {said[-300:]}")
    if SECRET in said:
        found.append(f"{ended.line}: the secret is printed")
    return found


def left_over(before: dict[str, bytes], written: Sequence[str]) -> list[str]:
    """Files that are there, and should not be, or that were changed."""
    after = contents(".")
    return [
        f"{name!r} was left or changed"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name) and name not in written
    ]


def half_written(name: str, form: str, before: bytes | None = None) -> list[str]:
    """Why an output is neither what was there nor whole."""
    if not os.path.exists(name):
        return [] if before is None else [f"{name} is gone"]
    content = read(name)
    return [] if content == before else [f"{name}: {what}" for what in torn(form, content)]


def json_of(name: str) -> Any:
    return json.loads(read(name))


def forked(job: Callable[[], int]) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        code = job()
    finally:
        os._exit(code)


def ends_of(children: Sequence[int]) -> list[int]:
    """The exit codes of children, negative where a signal ended one."""
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
