"""From an audit, or from many verdicts, to text.

``FORMATS`` lists every format, and the commands read their choices there; what renders one is
imported when it is asked for. ``RENDERERS`` maps a format to a function of an audit,
``VERDICT_RENDERERS`` to one of verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from semiaudit.report import html
from semiaudit.report.layout import Layout as Layout
from semiaudit.report.terminal import for_terminal

if TYPE_CHECKING:
    from semiaudit.model.audit import Audit
    from semiaudit.model.verdict import Verdict


def _text(audit: Audit, layout: Layout) -> str:
    from semiaudit.report.fit import fitted
    from semiaudit.report.view import view_of

    view = view_of(audit, explain=layout.explain, verbose=layout.verbose)
    return for_terminal(fitted(view, layout.width), layout)


def _json(audit: Audit, layout: Layout) -> str:
    from semiaudit.report.to_json import DOCUMENT

    return DOCUMENT.text(audit)


def _markdown(audit: Audit, layout: Layout) -> str:
    from semiaudit.report.to_markdown import to_markdown
    from semiaudit.report.view import view_of

    return to_markdown(view_of(audit, explain=layout.explain, verbose=True))


def _csv(audit: Audit, layout: Layout) -> str:
    from semiaudit.report.to_csv import to_csv

    return to_csv(audit)


def _latex(audit: Audit, layout: Layout) -> str:
    from semiaudit.report.to_latex import to_latex, units_of
    from semiaudit.report.view import view_of

    return to_latex(view_of(audit, explain=layout.explain), units_of(audit))


def _verdicts_text(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.verdict_view import verdict_view

    return for_terminal(verdict_view(verdicts, layout), layout)


def _verdicts_json(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.verdict_json import DOCUMENT, Run

    return DOCUMENT.text(Run(verdicts, layout.incomplete, layout.skipped))


def _verdicts_markdown(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.to_markdown import to_markdown
    from semiaudit.report.verdict_view import verdict_view

    return to_markdown(verdict_view(verdicts, layout))


def _verdicts_csv(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.notices import specs_of
    from semiaudit.report.summary import csv_lines

    return "".join(csv_lines(specs_of(verdicts), times=layout.times))


def _verdicts_latex(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.summary_view import summary_view
    from semiaudit.report.to_latex import ROUNDED, to_latex

    return to_latex(summary_view(verdicts, layout), ROUNDED)


def _sarif(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.to_sarif import to_sarif

    return to_sarif(verdicts, root=layout.root, incomplete=layout.incomplete)


def _junit(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.to_junit import to_junit

    return to_junit(verdicts, incomplete=layout.incomplete, times=layout.times)


def _github(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.to_github import to_github

    return to_github(verdicts, layout)


@dataclass(frozen=True, slots=True)
class Format:
    """One output format.

    Attributes:
        audit: from an audit to text; None where the format has no form for one.
        verdicts: from many verdicts to text; None where it has none for them.
        ending: of the names of the reports that a batch writes for each spec; empty: it does not.
        drawn: the curves of an audit must be computed before.
    """

    audit: Callable[[Audit, Layout], str] | None = None
    verdicts: Callable[[Sequence[Verdict], Layout], str] | None = None
    ending: str = ""
    drawn: bool = False


FORMATS: dict[str, Format] = {
    "text": Format(_text, _verdicts_text),
    "json": Format(_json, _verdicts_json, ".json"),
    "markdown": Format(_markdown, _verdicts_markdown, ".md"),
    "html": Format(html.of_audit, html.of_verdicts, ".html", drawn=True),
    "csv": Format(_csv, _verdicts_csv),
    "latex": Format(_latex, _verdicts_latex),
    "sarif": Format(verdicts=_sarif),
    "junit": Format(verdicts=_junit),
    "github": Format(verdicts=_github),
}
"""Every format by its name, in the order in which the commands list them."""

PlotForm = Literal["svg", "png", "pdf"]
PLOT_FORMS: tuple[PlotForm, ...] = get_args(PlotForm)
"""The formats of files with figures, which are no texts: ``report.plots``."""

FIGURES = ("tradeoff", "epsilon", "comparison", "semantics")
"""The figures that an audit may have, in their order."""

ANSWER_FIGURES = ("tradeoff", "epsilon", "comparison", "distance")
"""Those of releases side by side and of an ablation, in their order."""

CURVED = frozenset({"tradeoff", "epsilon"})
"""Those that hold curves."""

RENDERERS = {name: form.audit for name, form in FORMATS.items() if form.audit}
VERDICT_RENDERERS = {name: form.verdicts for name, form in FORMATS.items() if form.verdicts}
ENDINGS = {name: form.ending for name, form in FORMATS.items() if form.ending}
DRAWN = frozenset(name for name, form in FORMATS.items() if form.drawn)
