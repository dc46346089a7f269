"""The output of one run, as numbers with names."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Mapping, Sequence

from semiaudit.commands.verify.model import RunOutcome

MOST_BYTES = 50_000_000
MOST_NUMBERS = 200_000
"""The most numbers of one output."""

PLACES = ("part", "run", "row")
"""Columns of numbers that name a row, as in the files of `mechanism sample`; ``draw`` names none,
because each run makes one."""


class UnreadableError(Exception):
    """An output that is not a table or JSON of numbers."""


def cell_name(labels: Mapping[str, str]) -> str:
    """Return the name of a number of an output, from its labels; empty labels are left out."""
    return ", ".join(f"{name}={label}" for name, label in labels.items() if label != "")


def outcome_of_file(path: str, attributes: Sequence[str]) -> RunOutcome:
    """Read the output of a run: CSV, or JSON if its name or its first character says so."""
    try:
        if os.path.getsize(path) > MOST_BYTES:
            raise UnreadableError(f"it has more than {MOST_BYTES:,} bytes")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not text.strip():
            return RunOutcome("no output", {}, "the output file is empty")
        is_json = path.endswith(".json") or text.lstrip()[0] in "[{"
        values = numbers_of_json(json.loads(text)) if is_json else numbers_of_csv(text, attributes)
    except FileNotFoundError:
        return RunOutcome("no output", {}, "the run wrote no file to {output}")
    except (OSError, ValueError, RecursionError, csv.Error, UnreadableError) as error:
        return RunOutcome("unreadable output", {}, f"the output cannot be read: {error}")
    return RunOutcome("ok", values)


def numbers_of_csv(text: str, attributes: Sequence[str]) -> dict[str, float]:
    """Return the numbers of a CSV text with a header, by the labels of their row and their column.

    Columns named as attributes of the spec, or as ``PLACES``, hold labels. All other cells are
    numbers; any other text is a category, which is there or not.

    Raises:
        UnreadableError: a row has another number of cells than the header.
    """
    header, *rows = csv.reader(io.StringIO(text))
    if not rows:
        raise UnreadableError("it has a header but no rows")
    if not text.endswith("\n"):
        # half a file can end inside a number, which then has another value
        raise UnreadableError("its last line has no end")
    labels = [at for at, name in enumerate(header) if name in attributes or name in PLACES]
    order = [*PLACES[:2], *attributes, PLACES[2]]
    ordered = sorted(labels, key=lambda at: order.index(header[at]))
    others = [at for at, name in enumerate(header) if at not in labels and name != "draw"]
    values: dict[str, float] = {}
    for number, row in enumerate(rows, 1):
        if len(row) != len(header):
            what = f"row {number} has {len(row)} cells, and the header has {len(header)}"
            raise UnreadableError(what)
        name = cell_name({header[at]: row[at] for at in ordered})
        for at in others:
            full = f"{name}: {header[at]}" if name else header[at]
            add_number(values, full if full not in values else f"{full} (row {number})", row[at])
    return values


def numbers_of_json(document: object) -> dict[str, float]:
    """Return the numbers of nested lists and objects, by their path."""
    values: dict[str, float] = {}

    def visit(node: object, path: str) -> None:
        if isinstance(node, Mapping):
            for key, inner in node.items():
                visit(inner, f"{path}.{key}" if path else str(key))
        elif isinstance(node, list | tuple):
            for at, inner in enumerate(node):
                visit(inner, f"{path}[{at}]")
        else:
            add_number(values, path or "value", node)

    visit(document, "")
    return values


def add_number(values: dict[str, float], name: str, cell: object) -> None:
    """Add one number; any other text is a category, whose presence is 1."""
    if len(values) >= MOST_NUMBERS:
        raise UnreadableError(f"it has more than {MOST_NUMBERS:,} numbers")
    try:
        number = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        values[f"{name}={cell}"] = 1.0
        return
    if math.isfinite(number):
        values[name] = number
    else:
        values[f"{name}={number}"] = 1.0


def plain_numbers(result: object) -> object:
    """Return what a function returned as plain lists and mappings; arrays become lists."""
    if isinstance(result, Mapping):
        return {str(key): plain_numbers(inner) for key, inner in result.items()}
    to_list = getattr(result, "tolist", None)
    if to_list is not None:
        return to_list()
    return [plain_numbers(v) for v in result] if isinstance(result, list | tuple) else result
