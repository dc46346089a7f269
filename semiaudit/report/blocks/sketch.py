"""A small sketch of tradeoff functions in text, for terminals that are wide enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from semiaudit.model.bound import Bound
from semiaudit.model.curves import GuaranteeCurve

Points = tuple[tuple[Fraction, Bound], ...]

LEAST_WIDTH = 80
"""Columns of a terminal from which on a sketch is drawn."""

COLUMNS, ROWS = 46, 13
"""Places of the square: every column is a type I error, 0 to 1, and every row a type II error."""

LETTERS = "ABCDEFGH"
"""Of the curves, in their order; where several meet, the first stands."""

TITLE = "Tradeoff functions: type II error (lower bound) by type I error"


def sketch(curves: Sequence[GuaranteeCurve]) -> str:
    """The curves in a square of letters, with their names beside it; empty without curves.

    Every letter stands at the last certified bound at or behind its type I error, so that no curve
    is drawn above where it is known to lie; and at the row below, not above.
    """
    known = _joint(curves)[: len(LETTERS)]
    if not known:
        return ""
    square = [[" "] * COLUMNS for _ in range(ROWS)]
    for at in range(COLUMNS):
        square[_row(1 - at / (COLUMNS - 1))][at] = "."
    for letter, curve in reversed(list(zip(LETTERS, known, strict=False))):
        for at in range(COLUMNS):
            square[_row(_held(curve, at / (COLUMNS - 1)))][at] = letter
    legend = []
    for letter, curve in zip(LETTERS, known, strict=False):
        first, *others = curve.name.split(", ")
        legend += [f"{letter} {first}", *(f"  {name}" for name in others)]
    legend.append(". no information")
    lines = [TITLE, ""]
    for place, row in enumerate(square):
        label = {0: "1", ROWS - 1: "0"}.get(place, " ")
        annotation = f"   {legend[place - 1]}" if 0 < place <= len(legend) else ""
        lines.append(f" {label} |{''.join(row)}{annotation}".rstrip())
    lines += [f"   +{'-' * COLUMNS}", f"    0{'1':>{COLUMNS - 1}}"]
    return "\n".join(lines) + "\n"


def _joint(curves: Sequence[GuaranteeCurve]) -> list[GuaranteeCurve]:
    """The curves of which points are known; those that are the same are one, with all names."""
    joint: dict[Points, list[GuaranteeCurve]] = {}
    for curve in curves:
        if curve.tradeoff:
            joint.setdefault(curve.tradeoff, []).append(curve)
    return [
        replace(same[0], name=", ".join(curve.name for curve in same)) for same in joint.values()
    ]


def _row(type_ii: float) -> int:
    """The row of an error, from the top; a row that does not lie above it."""
    return ROWS - 1 - int(type_ii * (ROWS - 1) + 1e-9)


def _held(curve: GuaranteeCurve, type_i: float) -> float:
    """A lower bound that holds at a type I error: that of the next known one."""
    last = curve.tradeoff[-1]
    after = (float(y) for x, y in curve.tradeoff if float(x) >= type_i - 1e-12)
    return next(after, float(last[1]) if float(last[0]) >= type_i else 0.0)
