"""What a campaign found, with the digests of the code that it covers."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import tokenize
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.places import ROOT
from tests.trust.campaigns import Campaign

FOLDER = Path(__file__).parent / "records"


@dataclass(frozen=True, slots=True)
class Record:
    """The last run of a campaign.

    Attributes:
        day: on which it ended, in ISO 8601.
        commit: of the tree that it ran on.
        command: as it was given, which may be a part of the whole campaign.
        figures: lines of its output.
        files: a digest of the code of every covered module.
    """

    day: str
    commit: str
    command: str
    figures: list[str]
    files: dict[str, str]


def record_of(campaign: Campaign) -> Record | None:
    """The record of a campaign; None if it never ran."""
    path = FOLDER / f"{campaign.name}.json"
    return Record(**json.loads(path.read_text("utf-8"))) if path.exists() else None


def keep(campaign: Campaign, record: Record) -> None:
    """Write the record of a campaign."""
    text = json.dumps(asdict(record), indent=1, sort_keys=True)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{campaign.name}.json").write_text(text + "\n", "utf-8")


def code_of(source: str) -> str:
    """Return a module without its docstrings, comments, and empty lines."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for line in body if isinstance(body, list) else ():
            if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
                for row in range(line.lineno, (line.end_lineno or line.lineno) + 1):
                    lines[row - 1] = ""
    return "\n".join(line.rstrip() for line in lines if line.strip())


def digests(campaign: Campaign) -> dict[str, str]:
    """A digest of the code of every module that a campaign covers."""
    found = {}
    for place in campaign.covers:
        for path in sorted((ROOT / place).rglob("*.py")):
            digest = hashlib.sha256(code_of(path.read_text("utf-8")).encode()).hexdigest()
            found[path.relative_to(ROOT).as_posix()] = digest[:12]
    return found


def changed(campaign: Campaign, record: Record) -> float:
    """The share of the covered modules that were added, changed, or removed since a run."""
    now = digests(campaign)
    every = now.keys() | record.files.keys()
    return sum(now.get(name) != record.files.get(name) for name in every) / len(every)
