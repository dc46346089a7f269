"""What an audit and answers on several of them draw, as Python has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

    from semiaudit.workflow.audit.figures import Drawable

Found = TypeVar("Found", bound="Drawable")


class Figured(Generic[Found]):
    """What was found, with figures of it for a paper."""

    __slots__ = ("_found",)

    def __init__(self, found: Found) -> None:
        self._found = found

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

        return drawing_of(self._found, figures)

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

        return file_of(self._found, form, figures)
