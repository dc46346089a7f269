"""Files that change while they are read, have two names, or are written by two at once."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from tests.fuzz.attacks.grounds import (
    FAILING,
    PASSING,
    SECRET,
    ends_of,
    forked,
    half_written,
    json_of,
    left_over,
    ran,
    read,
    unsound,
    write,
)
from tests.fuzz.chance import Chance
from tests.fuzz.played import contents
from tests.fuzz.workers import one_process

TABLED = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: [margin: [a], margin: [b]]\n"
    "data: {table: t.csv}\nmechanism: {zcdp: {rho: 1}}\n"
    "budgets: [{framework: nominal_dp, rho: 1}]\n"
)
TABLE = "a,b,count\n0,0,3\n0,1,1\n1,0,2\n1,1,4\n"
PATIENCE = 120
"""Seconds by the clock within which a command that waits for nothing ends on a busy machine."""


class _Swap:
    """Something that is done just before a file is opened for the k-th time."""

    def __init__(self) -> None:
        self._name = ""
        self._left = 0
        self._act: Callable[[], None] | None = None
        self._hooked = False

    def at(self, name: str, time: int, act: Callable[[], None]) -> None:
        if not self._hooked:
            sys.addaudithook(self._look)
            self._hooked = True
        self._name, self._left, self._act = name, time, act

    def _look(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and self._left and str(arguments[0]).endswith(self._name):
            self._left -= 1
            if not self._left and self._act is not None:
                self._act()

    def over(self) -> None:
        self._left = 0


SWAP = _Swap()


def _replaced(name: str, content: str) -> None:
    write(f"{name}.new", content)
    os.replace(f"{name}.new", name)


def _relinked(name: str, target: str) -> None:
    os.symlink(target, f"{name}.new")
    os.replace(f"{name}.new", name)


def _pipe(name: str) -> None:
    os.mkfifo(f"{name}.new")
    os.replace(f"{name}.new", name)


def races(chance: Chance, folder: str) -> list[str]:
    """A spec, or its table, that is replaced between being looked at and being read."""
    write("../outside.csv", f"a,b,count,remark\n0,0,9,{SECRET}\n{SECRET},1,1,x\n")
    write("../outside.yaml", PASSING.replace("semiaudit: 1", f"semiaudit: 1\ntitle: {SECRET}"))
    about = chance.choice(["x.yaml", "t.csv"])
    write("d/x.yaml", chance.choice([PASSING, FAILING]) if about == "x.yaml" else TABLED)
    write("d/t.csv", TABLE)
    name = f"d/{about}"
    other = FAILING if about == "x.yaml" else TABLE.replace("1,1,4", "1,1,-4")
    acts = {
        "content": lambda: _replaced(name, other),
        "link": lambda: _relinked(name, f"../../outside{os.path.splitext(about)[1]}"),
        "pipe": lambda: _pipe(name),
        "gone": lambda: os.unlink(name),
    }
    how = chance.choice(list(acts))
    command = chance.choice(["analyze", "check", "batch"])
    target = "d/x.yaml" if command == "analyze" or chance.often() else "d"
    line = (command, target, "--format", "json", *(("--jobs", "1") if command != "analyze" else ()))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(PATIENCE)
    SWAP.at(about, chance.randint(1, 4), acts[how])
    try:
        with one_process():
            ended = ran(*line)
    finally:
        SWAP.over()
        signal.alarm(0)
    wrong = unsound(ended)
    if how == "link" and about == "x.yaml":  # docs/security.md says that this is not promised
        return [what for what in wrong if "secret" not in what]
    if command == "analyze" and about == "x.yaml" and ended.code in (0, 1):
        passes = hashlib.sha256(PASSING.encode()).hexdigest()
        said = json.loads(ended.out)["spec"]["sha256"]
        if (ended.code == 0) != (said == passes):
            wrong.append(f"exit code {ended.code} for the content {said}")
    return [f"{command}, {about}, {how}: {what}" for what in wrong]


def hard_links(chance: Chance, folder: str) -> list[str]:
    """A file of two names: a spec, an input, an output, a journal."""
    write("d/x.yaml", FAILING)
    write("policy.yaml", "semiaudit_policy: 1\nleast: {metric: hamming}\n")
    write("../kept", "kept")
    match chance.choice(["spec", "output", "input", "journal", "init", "reports"]):
        case "spec":
            other = chance.choice(["y.yaml", "sub/y.yml", "a b.yaml"])
            os.makedirs("d/sub", exist_ok=True)
            os.link("d/x.yaml", f"d/{other}")
            ended = ran("check", "d", "-o", "json=out.json")
            wrong = unsound(ended, (1,))
            paths = {v["spec"]["path"] for v in json_of("out.json")["verdicts"]}
            return wrong + ([] if paths == {"d/x.yaml", f"d/{other}"} else [f"only {paths}"])
        case "output":
            os.link("../kept", "out.json")
            wrong = unsound(ran("analyze", "d/x.yaml", "-o", "json=out.json"), (1,))
            wrong += half_written("out.json", "json")
        case "input":
            os.link(chance.choice(["d/x.yaml", "policy.yaml"]), "out.json")
            before = contents(".")
            ended = ran("check", "--policy", "policy.yaml", "d/x.yaml", "-o", "json=out.json")
            return unsound(ended, (2,)) + left_over(before, ())
        case "journal":
            name = chance.choice(["journal", "journal.key"])
            os.link("../kept", name)
            with one_process():
                wrong = unsound(ran("batch", "d", "-q", "--resume", "journal"), (2,))
        case "init":
            os.link("../kept", "spec.semiaudit.yaml")
            wrong = unsound(ran("init", *chance.choice([(), ("--force",)])), (0, 2))
        case _:
            os.makedirs("reports")
            os.link("../kept", "reports/x.yaml.json")
            with one_process():
                wrong = unsound(ran("batch", "d", "-q", "--reports", "reports"), (1,))
    if read("../kept") != b"kept":
        wrong.append("the file of the other name was written")
    return wrong


NAMES = ("caf\u00e9", "\u212bngstr\u00f6m", "\ufb01le", "na\u00efve", "\u1e9b\u0323", "\uac00")
FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")


def unicode_in_waivers(chance: Chance, folder: str) -> list[str]:
    """A waiver for a name that only looks like that of the failing spec, or is written oddly."""
    form = chance.choice(FORMS)
    name = unicodedata.normalize(form, chance.choice(NAMES)) + ".yaml"
    write(f"d/{name}", FAILING)
    waiver = {
        "rule": "SA013", "reason": "agreed", "approver": "board", "expires": "2999-01-01",
        "framework": "nominal_dp", "measure": "rho", "accepted": "1",
        "spec": f"d/{name}", "sha256": hashlib.sha256(FAILING.encode()).hexdigest(),
    }  # fmt: skip
    how = chance.choice(["same", "form", "form", "case", "wide", "digits", "blank", "dotted"])
    match how:
        case "form":
            waiver["spec"] = unicodedata.normalize(chance.choice(FORMS), waiver["spec"])
        case "case":
            waiver["spec"] = chance.choice([waiver["spec"].upper(), waiver["spec"].casefold()])
        case "wide":
            key = chance.choice(["rule", "framework", "measure", "spec"])
            waiver[key] = "".join(
                chr(ord(c) + 0xFEE0) if c.isascii() and c.isalnum() else c for c in waiver[key]
            )
        case "digits":
            key = chance.choice(["accepted", "expires", "sha256"])
            waiver[key] = waiver[key].translate({48 + k: 0x0660 + k for k in range(10)})
        case "blank":
            key = chance.choice(["spec", "rule", "sha256", "framework"])
            waiver[key] += chance.choice(["\u200b", "\u00a0", "\ufeff", " "])
        case "dotted":
            waiver["spec"] = chance.choice(["d/./", "./d/", "d//", "x/../d/"]) + name
    write("waivers.yaml", json.dumps({"semiaudit_waivers": 1, "waivers": [waiver]}))
    ended = ran("check", "d", "--waivers", "waivers.yaml", "-o", "json=out.json")
    exact = waiver["spec"].removeprefix("./") == f"d/{name}" and how in (
        "same", "form", "case", "dotted")  # fmt: skip
    return [f"{how} {waiver}: {what}" for what in unsound(ended, (0,) if exact else (1, 2))]


def concurrent_writers(chance: Chance, folder: str) -> list[str]:
    """Several commands that write one output at once."""
    number = chance.randint(2, 4)
    how = chance.choice(["json", "html", "csv", "sarif", "journal", "init"])
    for k in range(number):
        write(f"{k}/x.yaml", PASSING.replace("size: 9", f"size: {9 + k}"))
    before = contents(".")

    def line(k: int) -> tuple[str, ...]:
        match how:
            case "journal":
                return ("batch", f"{k}", "-q", "--resume", "journal")
            case "init":
                return ("init", "--example", chance.choice(["starter", "example5_table"]), "o.yaml")
            case "sarif":
                return ("check", f"{k}/x.yaml", "-o", "sarif=out")
            case _:
                return ("analyze", f"{k}/x.yaml", "-o", f"{how}=out")

    def job(k: int) -> int:
        with one_process():
            return ran(*line(k)).code

    codes = ends_of([forked(partial(job, k)) for k in range(number)])
    allowed = {0, 2} if how in ("journal", "init") else {0}
    wrong = [f"exit codes {codes}"] if set(codes) - allowed or 0 not in codes else []
    if how == "init":
        wrong += half_written("o.yaml", "yaml")
        return wrong + left_over(before, ("o.yaml",))
    if how == "journal":
        with one_process():
            wrong += unsound(ran("batch", "0", "-q", "--resume", "journal"), (0,))
        return wrong + left_over(before, ("journal", "journal.key"))
    wrong += half_written("out", how)
    if how == "json":
        texts = [ran("analyze", f"{k}/x.yaml", "--format", "json").out for k in range(number)]
        if read("out").decode() not in texts:
            wrong.append("the output is none of those that were written")
    return wrong + left_over(before, ("out",))
