"""The published results (published.csv), the verdict on each, and their entries (entries.csv)."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, get_args

from semiaudit.commands.reproduce.model import (
    Basis,
    Difference,
    Estimate,
    Ours,
    Published,
    Reproduced,
    Verdict,
)
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound
from semiaudit.numeric.rationals import rational_from_text

DATA = Path(__file__).with_name("published.csv")


def published_results(table: Path | None = None) -> tuple[Published, ...]:
    """Return all rows of a table, by default published.csv, in order.

    Raises:
        ValueError: a row has an unknown basis or difference, no number for a tolerance, or the
            name of another.
    """
    table = table or DATA
    with table.open(encoding="utf-8", newline="") as stream:
        results = tuple(_published(row) for row in csv.DictReader(stream))
    names = [(row.entry, row.name) for row in results]
    if len(set(names)) < len(names):
        raise ValueError(f"{table.name}: two rows have one name")
    return results


def _published(row: dict[str, Any]) -> Published:
    basis: Basis = row["basis"]
    if basis not in get_args(Basis):
        raise ValueError(f"published.csv: {row['name']}: no basis {basis!r}")
    difference: Difference | None = row["difference"] or None
    if bool(row["corrected"]) != (difference in get_args(Difference)):
        raise ValueError(f"published.csv: {row['name']}: no difference {difference!r}")
    return Published(
        row["entry"],
        row["name"],
        row["what"],
        row["value"],
        rational_from_text(row["tolerance"] or "0"),
        row["unit"],
        basis,
        row["source"],
        row["place"],
        row["erratum"],
        row["corrected"],
        rational_from_text(row["corrected_tolerance"] or "0"),
        difference,
        row["from"],
        row["path"],
        row["method"],
    )


def reproduced(row: Published, ours: Ours) -> Reproduced:
    """Compare a published result with our number, and add the verdict."""
    verdict: Verdict = "differs"
    if _agrees(row.text, row.tolerance, ours):
        verdict = "equal"
    elif row.difference is not None and _agrees(row.corrected, row.corrected_tolerance, ours):
        tighter = row.difference != "looser" or _is_below(ours, row.text)
        verdict = row.difference if row.erratum and tighter else "differs"
    return Reproduced(row, ours, verdict)


def _is_below(ours: Ours, text: str) -> bool:
    return not isinstance(ours, str) and _value(ours) < rational_from_text(text)


def _agrees(text: str, tolerance: Fraction, ours: Ours) -> bool:
    """Return whether our number is within the tolerance of a text; a word must be equal."""
    if isinstance(ours, str):
        return ours == text
    value = _value(ours)
    if isinstance(value, float):
        return text == str(value)
    try:
        return abs(value - rational_from_text(text)) <= tolerance
    except ValueError:
        return False


def _value(ours: Bound | Estimate) -> Fraction | float:
    """Return the exact value; a double if it is infinite."""
    if isinstance(ours, Bound):
        return ours.sharpest
    return Fraction(ours.value)


ENTRIES = Path(__file__).with_name("entries.csv")


@dataclass(frozen=True, slots=True)
class ReproductionTask:
    """One entry of `reproduce`, with the document of its spec.

    Attributes:
        source: the document.
        figures: the call that draws its figures; empty if it has none.
        notes: sentences that belong to all of its results.
    """

    title: str
    source: str
    figures: str
    notes: tuple[str, ...]


@cache
def tasks() -> dict[str, ReproductionTask]:
    """Return every entry by its name, in order."""
    with ENTRIES.open(encoding="utf-8", newline="") as stream:
        return {
            row["name"]: ReproductionTask(
                row["title"], row["source"], row["figures"], tuple(row["notes"].splitlines())
            )
            for row in csv.DictReader(stream)
        }


def names_of(asked: Iterable[str]) -> list[str]:
    """Return the entries that names, or beginnings of names, select; all without names.

    Raises:
        RefusedError: a name is not the beginning of an entry.
    """
    wanted = list(asked)
    for name in wanted:
        if not any(known.startswith(name) for known in tasks()):
            raise RefusedError(Refusal(f"there is no entry {name!r}", _remedy(name), "reproduce"))
    return [known for known in tasks() if not wanted or known.startswith(tuple(wanted))]


def _remedy(name: str) -> str:
    parts = [known.split("-") for known in tasks()]
    beginnings = {"-".join(part[:end]): None for part in parts for end in range(1, len(part) + 1)}
    near = get_close_matches(name.lower(), beginnings, n=1)
    if near:
        return f"did you mean {near[0]}? List the names with `semiaudit reproduce --list`"
    return f"name one of {', '.join(tasks())}"
