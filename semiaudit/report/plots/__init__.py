"""Figures for papers, drawn by matplotlib: the only room that imports it.

It computes nothing: what is drawn are the numbers of a ``Figure``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from semiaudit.errors import OutputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

    from semiaudit.model.figure import Figure
    from semiaudit.report import PlotForm, PlotStyle


def require_matplotlib() -> None:
    """Tell early that nothing can be drawn.

    Raises:
        OutputError: matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise OutputError("drawing needs matplotlib; pip install 'semiaudit[plot]'")


BACKENDS: dict[PlotForm, str] = {"svg": "svg", "png": "agg", "pdf": "pdf"}
"""What of matplotlib writes each form."""


def load(forms: Iterable[PlotForm]) -> None:
    """Import what draws, and what writes some forms, which takes a second."""
    import_module("semiaudit.report.plots.matplotlib_figures")
    for form in forms:
        import_module(f"matplotlib.backends.backend_{BACKENDS[form]}")


def drawn(figures: Sequence[Figure], style: PlotStyle = "plain") -> Drawn:
    """The figures side by side, or below each other for a paper, as matplotlib has them.

    Raises:
        OutputError: matplotlib is not installed.
    """
    require_matplotlib()
    from semiaudit.report.plots.matplotlib_figures import drawn as drawing

    return drawing(figures, style)


def plotted(
    figures: Sequence[Figure], form: PlotForm, style: PlotStyle = "plain", *, shapes: bool = True
) -> bytes:
    """The figures of ``drawn`` as the bytes of a file: the same ones give the same bytes.

    Args:
        shapes: letters of SVG are shapes, the same everywhere; else text, which is shorter.

    Raises:
        OutputError: matplotlib is not installed.
    """
    require_matplotlib()
    from semiaudit.report.plots.matplotlib_figures import plotted as drawing

    return drawing(figures, form, style, shapes=shapes)
