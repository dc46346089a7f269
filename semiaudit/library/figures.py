"""Figures of audits and of answers on several audits, for Python."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeVar

from semiaudit.model.guarantee import HasCurves
from semiaudit.report import CURVED, DRAWN, PLOT_FORMS, PLOT_STYLES, Layout, PlotStyle
from semiaudit.report.plots import require_matplotlib
from semiaudit.report.renderers import Renderer

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

    from semiaudit.model.figure import Figure

Found = TypeVar("Found", bound=HasCurves)


def rendered_in(
    renderers: Mapping[str, Renderer], form: str, answer: object, layout: Layout
) -> str:
    """Render an answer in a format.

    Raises:
        ValueError: no such format.
    """
    if form not in renderers:
        raise ValueError(f"no format {form!r}; there are {', '.join(renderers)}")
    return renderers[form](answer, layout)


class Figured(ABC, Generic[Found]):
    """A result with figures for a paper.

    Attributes:
        figures: the names of all possible figures, in order.
    """

    __slots__ = ("_curved", "_left", "_result")

    figures: ClassVar[tuple[str, ...]]
    _renderers: ClassVar[Mapping[str, Renderer]]

    def __init__(self, result: Found, left: float = math.inf) -> None:
        """Store the result.

        Args:
            left: the seconds of the time limit that are left for curves.
        """
        self._result, self._left = result, left
        self._curved: Found | None = None

    @staticmethod
    @abstractmethod
    def _figures_of(result: Found) -> tuple[Figure, ...]:
        """Return every figure with known numbers."""

    def _with_curves(self) -> Found:
        if self._curved is None:
            from semiaudit.auditing.curve_points import with_curves

            self._curved = with_curves(self._result, self._left)
        return self._curved

    def _rendered(self, form: str, layout: Layout) -> str:
        shown = self._with_curves() if form in DRAWN else self._result
        return rendered_in(self._renderers, form, shown, layout)

    def _figures_named(self, names: tuple[str, ...]) -> tuple[Figure, ...]:
        """Return the figures with some names, in the order of a report; all without names."""
        unknown = [name for name in names if name not in self.figures]
        if unknown:
            raise ValueError(f"no figure {unknown[0]!r}; there are {', '.join(self.figures)}")
        curved = not names or not CURVED.isdisjoint(names)
        shown = self._with_curves() if curved else self._result
        chosen = tuple(f for f in self._figures_of(shown) if not names or f.name in names)
        missing = [name for name in names if name not in {figure.name for figure in chosen}]
        if missing or not chosen:
            raise ValueError(f"{missing[0] if missing else 'figures'}: there is nothing to draw")
        return chosen

    def plot(self, *figures: str, style: Literal["plain", "paper"] = "plain") -> MatplotlibFigure:
        """Draw figures for a paper, side by side, with matplotlib.

        Curves are steps, and hold at every point. ``plot().savefig("a.svg")`` writes one.

        Args:
            figures: ``tradeoff``, ``epsilon``, ``comparison``; of an audit also ``semantics``, of
                several ones ``distance``; if none, all of them.
            style: ``paper`` for a column of a paper: 3.3 inches wide, serif, formulas at the axes.

        Raises:
            ValueError: there is no such figure or style, or nothing to draw in it.
            OutputError: matplotlib is not installed.
        """
        require_matplotlib()
        from semiaudit.report.plots.matplotlib_figures import drawn

        return drawn(self._figures_named(figures), _style(style))

    def plotted(
        self,
        form: Literal["svg", "png", "pdf"] = "svg",
        *figures: str,
        style: Literal["plain", "paper"] = "plain",
    ) -> bytes:
        """Return the bytes of the file of ``plot``: equal for equal curves and matplotlib versions.

        Args:
            form: ``svg``, ``png`` or ``pdf``.
            figures, style: as of ``plot``.

        Raises:
            ValueError: there is no such format, figure, or style, or nothing to draw in it.
            OutputError: matplotlib is not installed.
        """
        if form not in PLOT_FORMS:
            raise ValueError(f"no format {form!r}; there are {', '.join(PLOT_FORMS)}")
        require_matplotlib()
        from semiaudit.report.plots.matplotlib_figures import plotted

        return plotted(self._figures_named(figures), form, _style(style))


def _style(style: PlotStyle) -> PlotStyle:
    if style not in PLOT_STYLES:
        raise ValueError(f"no style {style!r}; there are {', '.join(PLOT_STYLES)}")
    return style
