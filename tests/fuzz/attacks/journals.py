"""Journals of `batch --resume` that somebody else wrote, whole or in part."""

from __future__ import annotations

import json
import os

from tests.fuzz.attacks.grounds import FAILING, PASSING, ran, read, unsound, write
from tests.fuzz.chance import Chance
from tests.fuzz.workers import one_process

BATCH = ("batch", "specs", "--jobs", "1", "-q", "--resume", "journal", "-o", "json=out.json")


def forged_journals(chance: Chance, folder: str) -> list[str]:
    """A failing spec whose journal says that it passes, in one of many ways."""
    how = chance.choice(["verdict", "line", "fingerprint", "older", "key", "bytes", "odd", "both"])
    write("specs/a.yaml", PASSING if how == "older" else FAILING)
    write("specs/b.yaml", PASSING)
    with one_process():
        wrong = unsound(ran(*BATCH), (0,) if how == "older" else (1,))
        forge(chance, how)
        ended = ran(*BATCH)
    wrong += unsound(ended, (1, 2))
    if ended.code == 1:
        with open("out.json", encoding="utf-8") as stream:
            found = {v["spec"]["path"]: v["outcome"] for v in json.load(stream)["verdicts"]}
        if found.get("specs/a.yaml") != "exceeds" or found.get("specs/b.yaml") != "holds":
            wrong.append(f"{how}: the verdicts are {found}")
    return [f"{how}: {what}" for what in wrong]


def forge(chance: Chance, how: str) -> None:
    """Change the journal, its key, or what it speaks of."""
    head, *lines = read("journal").splitlines(keepends=True)
    first = next(k for k, line in enumerate(lines) if b"specs/a.yaml" in line)
    second = 1 - first
    passing = lines[first].replace(b'"exceeds"', b'"holds"').replace(b"false", b"true")
    match how:
        case "verdict":
            lines[first] = passing
        case "line":
            lines[first] = lines[second].replace(b"specs/b.yaml", b"specs/a.yaml")
        case "fingerprint":
            lines[first] = swapped(lines[second], lines[first])
        case "older":
            write("specs/a.yaml", FAILING)
        case "key":
            write("journal.key", bytes(32))
            os.chmod("journal.key", chance.choice([0o600, 0o644]))
        case "bytes":
            text = bytearray(lines[first])
            for _ in range(chance.randint(1, 3)):
                text[chance.randrange(len(text) - 1)] = chance.randrange(32, 127)
            lines[first] = bytes(text)
        case "odd":
            odd = [b"[" * 9000 + b"\n", b"\xff\n", b"{}\n", b'["specs/a.yaml"]\n', b"1e999\n",
                   b'["specs/a.yaml",' + b"9" * 9000 + b"]\n", lines[first][:-40]]  # fmt: skip
            lines.insert(chance.randint(0, 2), chance.choice(odd))
        case _:
            lines = [passing, *lines, passing]
    write("journal", head + b"".join(lines))


def swapped(line: bytes, other: bytes) -> bytes:
    """A line of one spec under the path and the fingerprint of another."""
    parts, theirs = line.split(b'"'), other.split(b'"')
    return b'"'.join([*theirs[:4], *parts[4:]]).replace(b"specs/b.yaml", b"specs/a.yaml")
