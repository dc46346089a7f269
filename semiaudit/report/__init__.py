"""Render an audit, or many verdicts, as text.

``FORMATS`` lists every format, and the commands get their choices from it; the code of a format is
imported when it is used. ``RENDERERS`` maps a format to a function of an audit,
``VERDICT_RENDERERS`` to one of verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

from semiaudit.frozen import dataclass
from semiaudit.report.renderers import (
    Presentation,
    Renderer,
    csv_of,
    for_terminal,
    json_of,
    late,
    latex_of,
    markdown_of,
    text_of,
)
from semiaudit.report.text.layout import Layout as Layout

if TYPE_CHECKING:
    from semiaudit.model.audit import Audit
    from semiaudit.model.verdict import Verdict
    from semiaudit.report.text.layout import View

AUDIT = "semiaudit.report.form.to_json"
"""The module with the document of an audit."""


def _view(audit: Audit, layout: Layout, *, caveats: bool = False) -> View:
    from semiaudit.report.blocks.view import view_of

    return view_of(audit, caveats=caveats, verbose=layout.verbose)


def _verdicts_text(verdicts: Sequence[Verdict], layout: Layout) -> str:
    """The summary for a terminal; its tables are not split."""
    return for_terminal(_VERDICTS(verdicts, layout), layout)


_VERDICTS = late("semiaudit.report.blocks.verdict_view", "verdict_view")
_UNITS = late("semiaudit.report.markup.to_latex", "units_of")


@dataclass(frozen=True, slots=True)
class Format:
    """One output format.

    Attributes:
        audit: renders an audit as text; None if the format does not support it.
        verdicts: renders many verdicts as text; None if the format does not support them.
        ending: the suffix of the reports that a batch writes for each spec; empty if it writes
            none.
        drawn: whether the curves of an audit must be computed first.
    """

    audit: Renderer | None = None
    verdicts: Renderer | None = None
    ending: str = ""
    drawn: bool = False


FORMATS: dict[str, Format] = {
    "text": Format(text_of(_view), _verdicts_text),
    "json": Format(
        json_of(AUDIT), late("semiaudit.report.form.verdict_json", "verdicts_json"), ".json"
    ),
    "markdown": Format(markdown_of(partial(_view, caveats=True)), markdown_of(_VERDICTS), ".md"),
    "html": Format(
        late("semiaudit.report.html.audit_page", "audit_page"),
        late("semiaudit.report.html.verdicts_page", "verdicts_page"),
        ".html",
        drawn=True,
    ),
    "csv": Format(csv_of(AUDIT), late("semiaudit.report.blocks.summary", "verdicts_csv")),
    "latex": Format(
        latex_of(lambda audit, layout: _view(audit, replace(layout, verbose=False)), _UNITS),
        latex_of(_VERDICTS),
    ),
    "sarif": Format(verdicts=late("semiaudit.report.pipelines.to_sarif", "to_sarif")),
    "junit": Format(verdicts=late("semiaudit.report.pipelines.to_junit", "to_junit")),
    "github": Format(verdicts=late("semiaudit.report.pipelines.to_github", "to_github")),
}
"""Every format by its name, in the order in which the commands list them."""

PlotForm = Literal["svg", "png", "pdf"]
PLOT_FORMS: tuple[PlotForm, ...] = get_args(PlotForm)
"""The formats of files with figures, which are not text: ``report.figures.files``."""

PlotStyle = Literal["plain", "paper"]
PLOT_STYLES: tuple[PlotStyle, ...] = get_args(PlotStyle)
"""The styles of figures: with titles and notes, or for a column of a paper, which has a caption."""

FIGURES = ("attack", "tradeoff", "tradeoff_logarithmic", "epsilon", "semantics")
"""The possible figures of an audit, in order."""

ANSWER_FIGURES = ("tradeoff", "tradeoff_logarithmic", "epsilon")
"""The possible figures of a comparison and of an ablation, in order."""

CURVED = frozenset({"attack", *ANSWER_FIGURES})
"""The figures that need curves."""

LOGARITHMIC = frozenset({"tradeoff_logarithmic"})
"""The figures that are drawn only if they are named."""

RENDERERS = {name: form.audit for name, form in FORMATS.items() if form.audit}
VERDICT_RENDERERS = {name: form.verdicts for name, form in FORMATS.items() if form.verdicts}
AUDIT_PRESENTATION = Presentation(
    lambda audit: _view(audit, Layout()), late(AUDIT, "DOCUMENT.plain"), RENDERERS
)
ENDINGS = {name: form.ending for name, form in FORMATS.items() if form.ending}
DRAWN = frozenset(name for name, form in FORMATS.items() if form.drawn)
