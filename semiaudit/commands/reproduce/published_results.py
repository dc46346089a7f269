"""The published results, read from published.csv of this folder, and the verdict on each."""

from __future__ import annotations

import csv
from fractions import Fraction
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
from semiaudit.model.bound import Bound
from semiaudit.numeric.rationals import rational_from_text

DATA = Path(__file__).with_name("published.csv")


def published_results() -> tuple[Published, ...]:
    """Return all rows, in order.

    Raises:
        ValueError: a row has an unknown basis or difference, no number for a tolerance, or the
            name of another.
    """
    with DATA.open(encoding="utf-8", newline="") as stream:
        results = tuple(_published(row) for row in csv.DictReader(stream))
    names = [(row.entry, row.name) for row in results]
    if len(set(names)) < len(names):
        raise ValueError("published.csv: two rows have one name")
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
    """Return whether our number is a tighter upper bound than a published one."""
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
