"""The formats of files with figures, and the figures that an audit may have."""

from __future__ import annotations

from typing import Literal

PlotForm = Literal["svg", "png", "pdf"]

FIGURES = ("tradeoff", "epsilon", "comparison", "semantics")
"""The figures of an audit, in their order."""
