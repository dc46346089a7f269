"""Files of figures: SVG, and PNG and PDF made of it by vl-convert.

The same figures give the same bytes: files have no dates and no random names.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from textwrap import wrap
from typing import Any, assert_never

from semiaudit.model.figure import Figure
from semiaudit.report import PlotForm, PlotStyle
from semiaudit.report.figures import require_converter
from semiaudit.report.figures.drawing import (
    LETTER,
    MUTED,
    PAPER,
    WIDTH,
    drawing,
    height_of,
    text_of,
)
from semiaudit.report.html.markup import Child, Element, element, written

FONTS = "Liberation Sans, Arial, Helvetica, sans-serif"
"""vl-convert has the first of them, so PNG and PDF look alike on every machine."""
COLUMN = 3.3
"""The width of a figure of a paper in inches."""
_PIXELS = 96
"""The pixels of an inch of SVG."""
_SCALES: dict[PlotStyle, float] = {"plain": 2, "paper": 600 / _PIXELS}
_MARGIN, _GAP, _TITLE, _NOTE = 12, 22, 15.5, 12


def plotted(figures: Sequence[Figure], form: PlotForm, style: PlotStyle = "plain") -> bytes:
    """Return the bytes of a file with figures below each other.

    Args:
        style: ``paper`` omits titles and notes, is gray, and as wide as a column.

    Raises:
        OutputError: PNG or PDF is requested, and vl-convert-python is not installed.
    """
    require_converter([form])
    svg = written(_sheet(figures, style))
    match form:
        case "svg":
            return svg.encode("utf-8")
        case "png":
            return bytes(_converter().svg_to_png(svg, scale=_SCALES[style]))
        case "pdf":
            return bytes(_converter().svg_to_pdf(svg))
        case _:
            assert_never(form)


def _converter() -> Any:
    return import_module("vl_convert")


def _sheet(figures: Sequence[Figure], style: PlotStyle) -> Element:
    """Return the figures below each other, as one drawing."""
    plain = style == "plain"
    panels: list[Child] = []
    top: float = _MARGIN
    for place, figure in enumerate(figures):
        top += _GAP if place else 0
        if plain:
            for line in _lines(figure.title, _TITLE):
                top += _TITLE * 1.3
                panels.append(text_of(line, 4, top - 5, size=_TITLE))
            top += 4
        moved = {"transform": f"translate(0 {top:g})"}
        panels.append(element("g", moved, drawing(figure, grey=not plain)))
        top += height_of(figure)
        for line in [w for note in figure.note.splitlines() if plain for w in _lines(note, _NOTE)]:
            top += _NOTE * 1.4
            panels.append(text_of(line, 4, top - 2, size=_NOTE, color=MUTED))
    height = top + _MARGIN
    width = WIDTH if plain else COLUMN * _PIXELS
    return element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {WIDTH} {height:g}",
            "width": f"{width:g}",
            "height": f"{height * width / WIDTH:g}",
            "font-family": FONTS,
        },
        element("title", {}, "; ".join(figure.title for figure in figures)),
        element("rect", {"width": WIDTH, "height": f"{height:g}", "fill": PAPER}),
        panels,
    )


def _lines(text: str, size: float) -> list[str]:
    return wrap(text, int((WIDTH - 8) / (size * LETTER)))
