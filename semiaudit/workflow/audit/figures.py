"""Figures of an audit, of releases side by side, and of an ablation, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never

from semiaudit.model.ablation import Ablated
from semiaudit.model.audit import Audit
from semiaudit.model.comparison import SideBySide
from semiaudit.model.figure import Figure
from semiaudit.report import ANSWER_FIGURES, CURVED, FIGURES, PLOT_FORMS, PlotForm
from semiaudit.report.plots import drawn, plotted, require_matplotlib
from semiaudit.workflow.audit.curves import Drawable, with_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn


def drawing_of(found: Drawable, names: Sequence[str]) -> Drawn:
    """Its figures side by side, as matplotlib has them.

    Raises:
        ValueError: there is no such figure, or nothing to draw in it.
        OutputError: matplotlib is not installed.
    """
    require_matplotlib()
    return drawn(figures_named(found, names))


def file_of(found: Drawable, form: PlotForm, names: Sequence[str]) -> bytes:
    """The bytes of a file with its figures side by side.

    Raises:
        ValueError: there is no such format or figure, or nothing to draw in it.
        OutputError: matplotlib is not installed.
    """
    if form not in PLOT_FORMS:
        raise ValueError(f"no format {form!r}; there are {', '.join(PLOT_FORMS)}")
    require_matplotlib()
    return plotted(figures_named(found, names), form)


def figures_named(found: Drawable, names: Sequence[str]) -> tuple[Figure, ...]:
    """The figures of some names, in the order of a report; all there are, if none is named.

    Raises:
        ValueError: there is no such figure, or nothing to draw in it.
    """
    known = FIGURES if isinstance(found, Audit) else ANSWER_FIGURES
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no figure {unknown[0]!r}; there are {', '.join(known)}")
    shown = with_curves(found) if are_curved(names) else found
    chosen = tuple(f for f in _figures_of(shown) if not names or f.name in names)
    missing = [name for name in names if name not in {figure.name for figure in chosen}]
    if missing or not chosen:
        what = "audit" if isinstance(found, Audit) else "answer"
        raise ValueError(f"{missing[0] if missing else 'nothing'}: the {what} has none to draw")
    return chosen


def are_curved(names: Sequence[str]) -> bool:
    """Whether some figures, or all if none is named, need curves."""
    return not names or not CURVED.isdisjoint(names)


def _figures_of(found: Drawable) -> tuple[Figure, ...]:
    """Every figure of which anything is known."""
    from semiaudit.report.plots.of_answers import figures_of_ablation, figures_of_comparison
    from semiaudit.report.plots.of_audit import figures_of

    match found:
        case Audit():
            return figures_of(found)
        case SideBySide():
            return figures_of_comparison(found)
        case Ablated():
            return figures_of_ablation(found)
        case _:
            assert_never(found)
