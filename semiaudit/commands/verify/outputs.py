"""The output of one run, as numbers with names."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from semiaudit.commands.verify.model import RunOutcome

MOST_BYTES = 50_000_000
MOST_NUMBERS = 20_000
"""The most numbers of one output: those of all runs are in memory."""

PLACES = ("part", "run", "row")
"""Columns that name a row, as in the files of `mechanism sample`; ``draw`` does not: each run makes
one."""


def cell_name(labels: Mapping[str, str]) -> str:
    """Return the name of a number of an output, from its labels; empty labels are left out."""
    return ", ".join(f"{name}={label}" for name, label in labels.items() if label != "")


def base_of(name: str) -> str:
    """Return the labels of a number's row, without its column."""
    return name.rpartition(": ")[0] or name


def outcome_of_file(path: str, attributes: Sequence[str]) -> RunOutcome:
    """Read the output of a run: JSON if it begins with a bracket or a brace, otherwise CSV."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(MOST_BYTES)
        if not text.strip():
            return RunOutcome("no output", {}, "the output file is empty")
        is_json = text.lstrip()[0] in "[{"
        cells = _of_json(json.loads(text), "") if is_json else _of_csv(text, attributes)
        values = numbers_of(islice(cells, MOST_NUMBERS + 1))
        if len(values) > MOST_NUMBERS:
            raise ValueError(f"it has more than {MOST_NUMBERS:,} numbers")
        if not values:
            return RunOutcome("no output", {}, "the output has no numbers")
        return RunOutcome("ok", values)
    except FileNotFoundError:
        return RunOutcome("no output", {}, "the run wrote no file to {output}")
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        return RunOutcome("unreadable output", {}, f"the output cannot be read: {error}")


def numbers_of(cells: Iterable[tuple[str, object]]) -> dict[str, float]:
    """Return the numbers of named cells; any other text is a category, which is counted."""
    values, seen = dict[str, float](), Counter[str]()
    for name, cell in cells:
        try:
            number = float(cell)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = math.nan
        if math.isfinite(number):
            seen[name] += 1
            values[name if seen[name] == 1 else f"{name} ({seen[name]})"] = number
        else:
            category = f"{name}={cell}"
            values[category] = values.get(category, 0.0) + 1
    return values


def _of_csv(text: str, attributes: Sequence[str]) -> Iterator[tuple[str, object]]:
    header, *rows = csv.reader(io.StringIO(text))
    if not rows or not text.endswith("\n"):
        # half a file can end inside a number, which then has another value
        raise ValueError("it has no rows" if not rows else "its last line has no end")
    order = [*PLACES[:2], *attributes, PLACES[2]]
    labels = sorted((h for h in header if h in order), key=order.index)
    for number, row in enumerate(rows, 1):
        if len(row) != len(header):
            what = f"row {number} has {len(row)} cells, and the header has {len(header)}"
            raise ValueError(what)
        cells = dict(zip(header, row, strict=True))
        name = cell_name({label: cells.pop(label) for label in labels})
        cells.pop("draw", None)
        yield from ((f"{name}: {h}" if name else h, cell) for h, cell in cells.items())


def _of_json(node: object, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(node, Mapping):
        for key, inner in node.items():
            yield from _of_json(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list | tuple):
        for at, inner in enumerate(node):
            yield from _of_json(inner, f"{path}[{at}]")
    else:
        yield path or "value", node
