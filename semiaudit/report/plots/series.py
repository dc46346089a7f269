"""Curves and bounds as series of plain numbers. Nothing is computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from semiaudit.model.bound import Bound
from semiaudit.model.figure import Figure, Series
from semiaudit.model.guarantee import GuaranteeCurve
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.curves import (
    Line,
    are_in_corner,
    epsilon_line,
    joint,
    on_logarithmic_axes,
    tradeoff_line,
)

LINES = "Each curve is the largest of the lines that certified (ε, δ) pairs give."
CHORDS = "Between two points each curve is the image of a certified chord."
LEAST_RATE = 1e-6
"""The first type I error of a logarithmic axis."""

CUT = "A time limit left points out, so that curves are looser."


def tradeoff_figure(curves: Sequence[GuaranteeCurve], of: str = "", caption: str = "") -> Figure:
    """Make the figure of tradeoff functions: least type II error over type I error (SU's form).

    Args:
        curves: one for each guarantee.
        of: the end of the title, which names the release.
        caption: text below the figure.
    """
    corner = are_in_corner([c.tradeoff for c in curves])
    return Figure(
        "tradeoff",
        f"Tradeoff functions{of}",
        "type I error",
        "type II error, at least",
        _lines(((c.name, tradeoff_line(c)) for c in curves), image=corner),
        logarithmic=frozenset("xy") if corner else frozenset(),
        note=_note(LINES, curves, caption),
        unit_square=True,
        formulas=(r"type I error $\alpha$", r"type II error $f(\alpha)$"),
    )


def epsilon_figure(curves: Sequence[GuaranteeCurve], of: str = "", caption: str = "") -> Figure:
    """Make the figure of ε over δ, on a logarithmic axis.

    Args:
        curves: one for each guarantee.
        of: the end of the title, which names the release.
        caption: text below the figure.
    """
    return Figure(
        "epsilon",
        f"ε over δ{of}",
        "δ",
        "ε, at most",
        _lines((c.name, epsilon_line(c.epsilons)) for c in curves),
        logarithmic=frozenset("x"),
        note=_note(CHORDS, curves, caption),
        formulas=(r"$\delta$", r"$\varepsilon(\delta)$"),
    )


def _note(how: str, curves: Sequence[GuaranteeCurve], caption: str) -> str:
    cut = "" if all(curve.complete for curve in curves) else CUT
    note = f"{how} {cut}".strip()
    return f"{note}\n{caption}" if caption else note


def epsilons_figure(
    title: str,
    deltas: Sequence[Fraction],
    known: Sequence[Mapping[Fraction, Bound]],
    categories: tuple[tuple[str, ...], ...],
) -> Figure:
    """Make the figure of ε at each δ as bars: a series per delta, a category per guarantee.

    Args:
        known: for each category, epsilon by delta; without unknown or infinite numbers.
    """
    names = [f"δ = {rational_text(delta)}" for delta in deltas]
    # One series has no legend.
    at = f" at {names[0]}" if len(names) == 1 else ""
    return Figure(
        "comparison",
        title,
        "",
        f"ε{at}, at most",
        tuple(
            bars(name, [own.get(delta) for own in known])
            for name, delta in zip(names, deltas, strict=True)
        ),
        categories=categories,
    )


def _lines(curves: Iterable[tuple[str, Line]], *, image: bool = False) -> tuple[Series, ...]:
    """Return a line for each curve that is not empty; equal curves are one, with all names.

    Args:
        image: the axes are logarithmic.
    """
    return tuple(
        Series(", ".join(names), _image(line) if image else line) for names, line in joint(curves)
    )


def _image(line: Line) -> Line:
    """Return the part of a line that logarithmic axes show."""
    return tuple((x, y) for x, y in on_logarithmic_axes(line) if x >= LEAST_RATE)


def bars(name: str, bounds: Iterable[Bound | None]) -> Series:
    """Return one bar for each known number, at its place among all."""
    known = [(place, bound) for place, bound in enumerate(bounds) if bound is not None]
    return Series(
        name,
        tuple((float(place), float(bound)) for place, bound in known),
        "bars",
        tuple(_short(bound) for _, bound in known),
    )


def _short(bound: Bound) -> str:
    """Return at most two decimals, rounded up if the number is an upper bound."""
    value, text = float(bound), bound_text(bound)
    if len(text) <= 5 or not 0.01 <= value < 10**4:
        return text
    rounded: Callable[[float], float] = math.floor if bound.side == "lower" else math.ceil
    return f"{rounded(value * 100) / 100:.2f}"


def is_finite(bound: Bound) -> bool:
    """Return whether a number can be drawn."""
    return not isinstance(bound.value, float)
