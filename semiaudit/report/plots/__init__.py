"""Figures for papers, drawn by matplotlib: the only package that imports it.

It computes nothing: it draws the numbers of a ``Figure``.
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
    """Fail early if nothing can be drawn.

    Raises:
        OutputError: matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise OutputError("drawing needs matplotlib; pip install 'semiaudit[plot]'")


BACKENDS: dict[PlotForm, str] = {"svg": "svg", "png": "agg", "pdf": "pdf"}
"""The matplotlib backend of each format."""


def load(forms: Iterable[PlotForm]) -> None:
    """Import the drawing code and the writers of some formats, which takes a second."""
    import_module("semiaudit.report.plots.matplotlib_figures")
    for form in forms:
        import_module(f"matplotlib.backends.backend_{BACKENDS[form]}")


def drawn(figures: Sequence[Figure], style: PlotStyle = "plain") -> Drawn:
    """Return the figures side by side, or below each other for a paper, as matplotlib objects.

    Raises:
        OutputError: matplotlib is not installed.
    """
    require_matplotlib()
    from semiaudit.report.plots.matplotlib_figures import drawn as drawing

    return drawing(figures, style)


def plotted(
    figures: Sequence[Figure], form: PlotForm, style: PlotStyle = "plain", *, shapes: bool = True
) -> bytes:
    """Return the figures of ``drawn`` as the bytes of a file: equal figures give equal bytes.

    Args:
        shapes: whether letters of SVG are shapes, equal everywhere; otherwise text, which is
            shorter.

    Raises:
        OutputError: matplotlib is not installed.
    """
    require_matplotlib()
    from semiaudit.report.plots.matplotlib_figures import plotted as drawing

    return drawing(figures, form, style, shapes=shapes)
