"""What an audit and answers on several of them draw, as Python has it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

    from semiaudit.workflow.audit.curves import Drawable

Found = TypeVar("Found", bound="Drawable")


class Figured(Generic[Found]):
    """What was found, with figures of it for a paper."""

    __slots__ = ("_curved", "_found", "_left")

    def __init__(self, found: Found, left: float = math.inf) -> None:
        """Keep what was found.

        Args:
            left: seconds of the time limit that finding it left over, for curves.
        """
        self._found, self._left = found, left
        self._curved: Found | None = None

    def _with_curves(self) -> Found:
        """The same with its curves, which are computed once, in the time that is left."""
        if self._curved is None:
            from semiaudit.workflow.audit.curves import with_curves

            self._curved = with_curves(self._found, self._left)
        return self._curved

    def _drawable(self, figures: tuple[str, ...]) -> Found:
        """The same, with curves if some of the figures need them."""
        from semiaudit.workflow.audit.figures import are_curved

        return self._with_curves() if are_curved(figures) else self._found

    def plot(self, *figures: str) -> MatplotlibFigure:
        """Figures for a paper, side by side, drawn by matplotlib.

        Curves are steps, and hold wherever they are drawn. ``plot().savefig("a.svg")`` writes one.

        Args:
            figures: ``tradeoff``, ``epsilon``, ``comparison``; of an audit also ``semantics``, of
                several ones ``distance``; if none, all of them.

        Raises:
            ValueError: there is no such figure, or nothing to draw in it.
            OutputError: matplotlib is not installed.
        """
        from semiaudit.workflow.audit.figures import drawing_of

        return drawing_of(self._drawable(figures), figures)

    def plotted(self, form: Literal["svg", "png", "pdf"] = "svg", *figures: str) -> bytes:
        """The file that ``plot`` is saved as: the same bytes for the same curves and matplotlib.

        Args:
            form: ``svg``, ``png`` or ``pdf``.
            figures: as of ``plot``.

        Raises:
            ValueError: there is no such format or figure, or nothing to draw in it.
            OutputError: matplotlib is not installed.
        """
        from semiaudit.workflow.audit.figures import file_of

        return file_of(self._drawable(figures), form, figures)
