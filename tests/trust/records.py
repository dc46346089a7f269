"""What a campaign found, with the digests of the code that it covers."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.places import ROOT

if TYPE_CHECKING:
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
        definitions: a digest of the code of each that is covered, one by one.
    """

    day: str
    commit: str
    command: str
    figures: list[str]
    definitions: list[str]


def record_of(campaign: Campaign) -> Record | None:
    """The record of a campaign; None if it never ran."""
    path = FOLDER / f"{campaign.name}.json"
    if not path.exists():
        return None
    fields = json.loads(path.read_text("utf-8"))
    return Record(**{**fields, "definitions": fields["definitions"].split()})


def keep(campaign: Campaign, record: Record) -> None:
    """Write the record of a campaign, with its thousands of digests on one line."""
    fields = {**asdict(record), "definitions": " ".join(record.definitions)}
    text = json.dumps(fields, indent=1, sort_keys=True)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{campaign.name}.json").write_text(text + "\n", "utf-8")


def definitions(source: str) -> list[str]:
    """The code of every definition of a module: of functions, methods, and other statements.

    Docstrings and comments are no code. Imports are none either: a definition that moves to another
    module is the same.
    """
    tree = _Code().visit(ast.parse(source))
    return list(_definitions(tree.body))


def _definitions(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            methods = [line for line in node.body if isinstance(line, FUNCTIONS)]
            yield from (f"{node.name}.{ast.unparse(method)}" for method in methods)
            node.body = [line for line in node.body if line not in methods]
        yield ast.unparse(node)


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Code(ast.NodeTransformer):
    """Leaves out docstrings and imports."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)


def digests(campaign: Campaign, root: Path = ROOT) -> list[str]:
    """A digest of the code of every definition that a campaign covers, each once."""
    paths = {path for place in campaign.covers for path in (root / place).rglob("*.py")}
    return sorted({digest for path in paths for digest in _digests_of(path.read_text("utf-8"))})


@cache
def _digests_of(source: str) -> frozenset[str]:
    """The digests of one module, which many campaigns cover."""
    codes = definitions(source)
    return frozenset(hashlib.sha256(code.encode()).hexdigest()[:12] for code in codes)


def changed(campaign: Campaign, record: Record) -> float:
    """The share of the covered definitions that were added, changed, or removed since a run."""
    now, before = set(digests(campaign)), set(record.definitions)
    return len(now ^ before) / len(now | before)
