"""The pages of the documentation: their blocks, the files they give, the commands they show."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.places import ROOT

GENERATED = ("api", "glossary.md", "options", "rules")
"""What the build of the site writes into docs/."""

TEXTS = [
    ROOT / "semiaudit" / "commands" / "glossary.md",
    *sorted((ROOT / "semiaudit" / "model" / "rules").glob("*.md")),
]
"""The texts that the program prints, and that the site shows as pages."""

PAGES = [
    ROOT / "README.md",
    *sorted(
        path
        for path in (ROOT / "docs").rglob("*.md")
        if path.relative_to(ROOT / "docs").parts[0] not in GENERATED
    ),
    *TEXTS,
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPTS = {"console": r"\$ ", "sh": ""}
"""Blocks of command lines, and what stands before each."""
NAME = re.compile(r"# ([\w./-]+\.\w+)(?:: ([\w./-]+) with)?\n")
_NAMED_BEFORE = re.compile(r"`([\w./-]+\.csv)`")
_SECTION = re.compile(r"^(?=\w+:)", re.MULTILINE)


@dataclass
class Run:
    """A command line of a console block, the lines that it shows and the exit code (0 if none)."""

    line: str
    shown: list[str] = field(default_factory=list)
    code: int = 0


def _merged(base: str, text: str) -> str:
    """A spec whose sections are those of another one, but for the ones that are given."""
    known = {part.partition(":")[0]: part for part in _SECTION.split(base)}
    known |= {part.partition(":")[0]: part for part in _SECTION.split(text)}
    return "".join(known.values())


def _runs(text: str) -> list[Run]:
    found: list[Run] = []
    code = False
    for line in text.splitlines():
        if line == "$ echo $?":
            code = True
        elif code:
            found[-1].code, code = int(line), False
        elif line.startswith("$ "):
            found.append(Run(line[2:]))
        else:
            found[-1].shown.append(line.rstrip())
    return found


def steps(page: Path, folder: Path) -> Iterator[Run]:
    """What a reader of a page does, in its order: files are written, commands handed out.

    A block of YAML or text that begins with ``# NAME`` is that file, one with ``# NAME: BASE
    with`` the file BASE with other sections; a block of CSV is the file named last before it. A
    block of Python that begins with ``# NAME`` is run in the folder, which is the current one.
    """
    text = page.read_text("utf-8")
    for block in BLOCK.finditer(text):
        form, body = block.groups()
        if form == "console":
            yield from _runs(body)
        elif form == "csv":
            path = folder / _NAMED_BEFORE.findall(text[: block.start()])[-1]
            path.parent.mkdir(exist_ok=True)
            path.write_text(body, "utf-8")
        elif form == "python" and NAME.match(body):
            exec(compile(body, str(page), "exec"), {})
        elif form in ("yaml", "text") and (name := NAME.match(body)):
            path = folder / name[1]
            path.parent.mkdir(exist_ok=True)
            if name[2]:
                body = _merged((folder / name[2]).read_text("utf-8"), body[name.end() :])
            path.write_text(body, "utf-8")


def lacks(shown: list[str], printed: list[str]) -> list[str]:
    """The first part of what a page shows that a command did not print there; [] if none.

    ``...`` stands for any lines; parts between follow each other as they are printed.
    """
    at, free, part = 0, False, []
    for line in [*shown, None]:
        if line not in ("...", None):
            part.append(line)
            continue
        starts = range(at, len(printed) + 1) if free else [at]
        if line is None and part and not free:
            fits = [start for start in starts if printed[start:] == part]
        elif line is None and part:
            fits = [len(printed) - len(part)] if printed[at:][-len(part) :] == part else []
        else:
            fits = [start for start in starts if printed[start : start + len(part)] == part]
        if not fits:
            return part
        at, free, part = fits[0] + len(part), True, []
    return []


def command_lines(page: Path) -> list[list[str]]:
    """The words behind ``semiaudit`` of every line of every shell block."""
    found = [
        line
        for form, body in BLOCK.findall(page.read_text("utf-8"))
        if form in PROMPTS
        for line in re.findall(rf"^{PROMPTS[form]}semiaudit (.+)$", body, re.MULTILINE)
    ]
    return [shlex.split(line, comments=True) for line in found]
