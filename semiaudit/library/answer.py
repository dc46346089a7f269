"""Answers of commands, for Python and the command line: all formats, figures, and the exit code."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeVar

from semiaudit.auditing.curve_points import with_curves
from semiaudit.library.value import Value
from semiaudit.model.bound import CanBeIncomplete, Causes
from semiaudit.model.guarantee import HasCurves
from semiaudit.report import CURVED, DRAWN, LOGARITHMIC, PLOT_FORMS, PLOT_STYLES, Layout
from semiaudit.report.notebook import html_view
from semiaudit.report.renderers import Presentation

if TYPE_CHECKING:
    from matplotlib.axes import Axes as MatplotlibAxes

    from semiaudit.model.figure import Figure

EXIT_HOLDS, EXIT_EXCEEDS, EXIT_NOT_AUDITED = 0, 1, 2


class Drawable(CanBeIncomplete, HasCurves, Protocol):
    """A result with curves."""


Result = TypeVar("Result", bound=CanBeIncomplete)
Curved = TypeVar("Curved", bound=Drawable)


class Answer(Value, Generic[Result]):
    """The result of a command, in every format in which the command prints it."""

    __slots__ = ("_result",)

    _presentation: ClassVar[Presentation]

    def __init__(self, result: Result) -> None:
        self._result = result

    @property
    def formats(self) -> tuple[str, ...]:
        """Return the names of the formats of ``render``."""
        return tuple(self._presentation.renderers)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON as plain data; its schema is ``semiaudit schema`` with the command."""
        return self._presentation.plain_of(self._result)

    def render(self, form: str = "text", *, width: int = 80, color: bool = False) -> str:
        """Render the answer in one of its ``formats``.

        Raises:
            ValueError: no such format.
        """
        return self._rendered(form, Layout(width, color))

    def _rendered(self, form: str, layout: Layout) -> str:
        if form not in self.formats:
            raise ValueError(f"no format {form!r}; there are {', '.join(self.formats)}")
        return self._presentation.renderers[form](self._result_in(form), layout)

    def _result_in(self, form: str) -> Result:
        """Return the result with everything that a format shows."""
        return self._result

    def _files(self, form: str, path: str, layout: Layout) -> list[tuple[str, str]]:
        """Return the files, as (path, content), that a format writes if one of them is named."""
        return [(path, self._rendered(form, layout))]

    @property
    def incomplete_because(self) -> Causes:
        """Return why some numbers are wider than requested; empty if none is."""
        return self._result.incomplete_because

    @property
    def complete(self) -> bool:
        """Return whether no time limit cut anything short."""
        return self._result.complete

    @property
    def exit_code(self) -> int:
        """Return the exit code of the command: 0 unless something failed."""
        return EXIT_HOLDS

    @property
    def _remarks(self) -> tuple[str, ...]:
        """Return what the command prints on standard error."""
        return ()

    def _repr_html_(self) -> str:
        return html_view(self._presentation.view_of(self._result))

    def _repr_markdown_(self) -> str:
        return self.render("markdown")


class FiguredAnswer(Answer[Curved], ABC):
    """An answer with figures.

    Attributes:
        figures: the names of all possible figures, in order.
    """

    __slots__ = ("_curved", "_left")

    _not_parts = frozenset(__slots__)

    figures: ClassVar[tuple[str, ...]]

    def __init__(self, result: Curved, left: float = math.inf) -> None:
        """Store the result.

        Args:
            left: the seconds of the time limit that are left for curves.
        """
        super().__init__(result)
        self._left = left
        self._curved: Curved | None = None

    @staticmethod
    @abstractmethod
    def _figures_of(result: Curved, /) -> tuple[Figure, ...]:
        """Return every figure with known numbers."""

    def _with_curves(self) -> Curved:
        if self._curved is None:
            self._curved = with_curves(self._result, self._left)
        return self._curved

    def _result_in(self, form: str) -> Curved:
        return self._with_curves() if form in DRAWN else self._result

    def _figures_named(self, names: tuple[str, ...]) -> tuple[Figure, ...]:
        """Return the figures with some names, in order; without names, all but logarithmic ones."""
        unknown = [name for name in names if name not in self.figures]
        if unknown:
            raise ValueError(f"no figure {unknown[0]!r}; there are {', '.join(self.figures)}")
        curved = not names or not CURVED.isdisjoint(names)
        shown = self._with_curves() if curved else self._result
        every = self._figures_of(shown)
        chosen = tuple(f for f in every if f.name in (names or {*self.figures} - LOGARITHMIC))
        missing = [name for name in names if name not in {figure.name for figure in chosen}]
        if missing or not chosen:
            raise ValueError(f"{missing[0] if missing else 'figures'}: there is nothing to draw")
        return chosen

    def plot(self, figure: str = "tradeoff", *, ax: MatplotlibAxes | None = None) -> MatplotlibAxes:
        """Draw the numbers of one figure with matplotlib, to be changed as you like.

        Args:
            figure: one of ``figures``.
            ax: the axes to draw on; by default, those of a new figure.

        Returns:
            The axes; their ``figure`` writes files.

        Raises:
            ValueError: there is no such figure, or nothing to draw in it.
            OutputError: matplotlib is not installed.
        """
        from semiaudit.library.axes import draw

        return draw(self._figures_named((figure,))[0], ax)

    def plotted(
        self,
        form: Literal["svg", "png", "pdf"] = "svg",
        *figures: str,
        style: Literal["plain", "paper"] = "plain",
    ) -> bytes:
        """Return the bytes of a file with figures below each other: equal for equal curves.

        Args:
            form: ``svg``, ``png`` or ``pdf``.
            figures: names of ``figures``; if none, all except logarithmic ones.
            style: ``paper`` for a column of a paper: 3.3 inches wide, gray, without titles and
                notes.

        Raises:
            ValueError: there is no such format, figure, or style, or nothing to draw in it.
            OutputError: PNG or PDF is requested, and vl-convert-python is not installed.
        """
        if form not in PLOT_FORMS:
            raise ValueError(f"no format {form!r}; there are {', '.join(PLOT_FORMS)}")
        if style not in PLOT_STYLES:
            raise ValueError(f"no style {style!r}; there are {', '.join(PLOT_STYLES)}")
        from semiaudit.report.figures.files import plotted

        return plotted(self._figures_named(figures), form, style)
