"""A small sketch of tradeoff functions in text, for wide terminals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.model.guarantee import GuaranteeCurve
from semiaudit.report.blocks.curves import held_at, joint

LEAST_WIDTH = 80
"""The least width of a terminal for a sketch."""

COLUMNS, ROWS = 46, 13
"""The size of the square: each column is a type I error from 0 to 1, each row a type II error."""

LETTERS = "ABCDEFGH"
"""The letters of the curves, in order; the first one is shown where several overlap."""

TITLE = "Tradeoff functions: type II error (lower bound) by type I error"


def sketch(curves: Sequence[GuaranteeCurve]) -> str:
    """Return the curves in a square of letters, with their names next to it; empty without curves.

    Every letter is at the last certified bound at or after its type I error, and in the row below,
    not above, so no curve is above its certified values.
    """
    known = joint((curve.name, curve.tradeoff) for curve in curves)[: len(LETTERS)]
    if not known:
        return ""
    square = [[" "] * COLUMNS for _ in range(ROWS)]
    for at in range(COLUMNS):
        square[_row(1 - at / (COLUMNS - 1))][at] = "."
    for letter, (_, points) in reversed(list(zip(LETTERS, known, strict=False))):
        for at in range(COLUMNS):
            square[_row(held_at(points, Fraction(at, COLUMNS - 1)))][at] = letter
    legend = []
    for letter, ((first, *others), _) in zip(LETTERS, known, strict=False):
        legend += [f"{letter} {first}", *(f"  {name}" for name in others)]
    legend.append(". no information")
    lines = [TITLE, ""]
    for place, row in enumerate(square):
        label = {0: "1", ROWS - 1: "0"}.get(place, " ")
        annotation = f"   {legend[place - 1]}" if 0 < place <= len(legend) else ""
        lines.append(f" {label} |{''.join(row)}{annotation}".rstrip())
    lines += [f"   +{'-' * COLUMNS}", f"    0{'1':>{COLUMNS - 1}}"]
    return "\n".join(lines) + "\n"


def _row(type_ii: float) -> int:
    """Return the row of an error, from the top; the row is not above the error."""
    return ROWS - 1 - int(type_ii * (ROWS - 1) + 1e-9)
