"""Figures for papers, drawn by matplotlib: the only package that imports it.

It computes nothing: it draws the numbers of a ``Figure``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from semiaudit.errors import OutputError

if TYPE_CHECKING:
    from semiaudit.report import PlotForm


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
