"""From an audit, or from many verdicts, to text.

``FORMATS`` lists every format, and the commands read their choices there; what renders one is
imported when it is asked for. ``RENDERERS`` maps a format to a function of an audit,
``VERDICT_RENDERERS`` to one of verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from semiaudit.report import html
from semiaudit.report.layout import Layout as Layout

if TYPE_CHECKING:
    from semiaudit.model.ablation import Ablated
    from semiaudit.model.audit import Audit
    from semiaudit.model.comparison import SideBySide
    from semiaudit.model.conversion import Conversion
    from semiaudit.model.design import Calibration
    from semiaudit.model.odds_ratio import OddsRatioTest
    from semiaudit.model.registry import Review
    from semiaudit.model.reproduction import Reproduction
    from semiaudit.model.sample import Sample, UtilityCurve
    from semiaudit.model.verdict import Verdict
    from semiaudit.report.layout import View


def _text(audit: Audit, layout: Layout) -> str:
    from semiaudit.report.fit import fitted
    from semiaudit.report.view import view_of

    view = view_of(audit, explain=layout.explain, verbose=layout.verbose)
    return _for_terminal(fitted(view, layout.width), layout)


def _for_terminal(view: View, layout: Layout) -> str:
    from semiaudit.report.shield import shielded
    from semiaudit.report.to_plain import to_plain

    plain = None if layout.color else to_plain(view, width=layout.width)
    if plain is not None:
        return shielded(plain)
    from semiaudit.report.to_table import to_table

    return shielded(to_table(view, width=layout.width, color=layout.color))


def _json(audit: Audit, layout: Layout) -> str:
    from semiaudit.report.to_json import to_json

    return to_json(audit)


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

    return _for_terminal(verdict_view(verdicts, layout), layout)


def _verdicts_json(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.verdict_json import to_verdict_json

    return to_verdict_json(verdicts, incomplete=layout.incomplete, passed_over=layout.passed_over)


def _verdicts_markdown(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.to_markdown import to_markdown
    from semiaudit.report.verdict_view import verdict_view

    return to_markdown(verdict_view(verdicts, layout))


def _verdicts_csv(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.notices import specs_of
    from semiaudit.report.summary import csv_lines

    return "".join(csv_lines(specs_of(verdicts)))


def _verdicts_latex(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.summary_view import summary_view
    from semiaudit.report.to_latex import ROUNDED, to_latex

    return to_latex(summary_view(verdicts, layout), ROUNDED)


def _sarif(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.to_sarif import to_sarif

    return to_sarif(verdicts, root=layout.root, incomplete=layout.incomplete)


def _junit(verdicts: Sequence[Verdict], layout: Layout) -> str:
    from semiaudit.report.to_junit import to_junit

    return to_junit(verdicts, incomplete=layout.incomplete)


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
"""The formats of files with figures of an audit, which are no texts: ``report.plots``."""

FIGURES = ("tradeoff", "epsilon", "comparison", "semantics")
"""The figures that an audit may have, in their order."""

RENDERERS = {name: form.audit for name, form in FORMATS.items() if form.audit}
VERDICT_RENDERERS = {name: form.verdicts for name, form in FORMATS.items() if form.verdicts}
ENDINGS = {name: form.ending for name, form in FORMATS.items() if form.ending}
DRAWN = frozenset(name for name, form in FORMATS.items() if form.drawn)


def _conversion_text(found: Conversion, layout: Layout) -> str:
    from semiaudit.report.conversion_view import conversion_view

    return _for_terminal(conversion_view(found), layout)


def _conversion_json(found: Conversion, layout: Layout) -> str:
    from semiaudit.report.conversion_json import to_conversion_json

    return to_conversion_json(found)


def _conversion_csv(found: Conversion, layout: Layout) -> str:
    from semiaudit.report.conversion_csv import to_conversion_csv

    return to_conversion_csv(found)


def _conversion_latex(found: Conversion, layout: Layout) -> str:
    from semiaudit.report.conversion_view import conversion_view
    from semiaudit.report.to_latex import ROUNDED, to_latex

    return to_latex(conversion_view(found), ROUNDED)


CONVERSION_RENDERERS: dict[str, Callable[[Conversion, Layout], str]] = {
    "text": _conversion_text,
    "json": _conversion_json,
    "csv": _conversion_csv,
    "latex": _conversion_latex,
}
"""The formats of the calculator's answer."""


Found = TypeVar("Found")


def _renderers(
    view_of: Callable[[Found], View],
    json: Callable[[Found], str],
    csv: Callable[[Found], str] | None = None,
    page: Callable[[Found, Layout], str] | None = None,
) -> dict[str, Callable[[Found, Layout], str]]:
    """The formats of an answer that has a view and a JSON: five if it has rows, else three.

    A page is one more.
    """

    def text(found: Found, layout: Layout) -> str:
        from semiaudit.report.fit import fitted

        return _for_terminal(fitted(view_of(found), layout.width), layout)

    def markdown(found: Found, layout: Layout) -> str:
        from semiaudit.report.to_markdown import to_markdown

        return to_markdown(view_of(found))

    def latex(found: Found, layout: Layout) -> str:
        from semiaudit.report.to_latex import ROUNDED, to_latex

        return to_latex(view_of(found), ROUNDED)

    plain: dict[str, Callable[[Found, Layout], str]] = {
        "text": text,
        "json": lambda found, _: json(found),
        "markdown": markdown,
        **({} if page is None else {"html": page}),
    }
    if csv is None:
        return plain
    return {**plain, "csv": lambda found, _: csv(found), "latex": latex}


def _ablation_view(found: Ablated) -> View:
    from semiaudit.report.ablation_view import ablation_view

    return ablation_view(found)


def _ablation_json(found: Ablated) -> str:
    from semiaudit.report.ablation_json import to_ablation_json

    return to_ablation_json(found)


def _ablation_csv(found: Ablated) -> str:
    from semiaudit.report.ablation_csv import to_ablation_csv

    return to_ablation_csv(found)


def _comparison_view(found: SideBySide) -> View:
    from semiaudit.report.comparison_view import comparison_view

    return comparison_view(found)


def _comparison_json(found: SideBySide) -> str:
    from semiaudit.report.comparison_json import to_comparison_json

    return to_comparison_json(found)


def _comparison_csv(found: SideBySide) -> str:
    from semiaudit.report.comparison_csv import to_comparison_csv

    return to_comparison_csv(found)


ABLATION_RENDERERS = _renderers(_ablation_view, _ablation_json, _ablation_csv, html.of_ablation)
"""The formats of what each invariant costs."""
COMPARISON_RENDERERS = _renderers(
    _comparison_view, _comparison_json, _comparison_csv, html.of_comparison
)
"""The formats of releases side by side."""


def _odds_ratio_view(found: OddsRatioTest) -> View:
    from semiaudit.report.odds_ratio_view import odds_ratio_view

    return odds_ratio_view(found)


def _odds_ratio_json(found: OddsRatioTest) -> str:
    from semiaudit.report.odds_ratio_json import to_odds_ratio_json

    return to_odds_ratio_json(found)


def _sample_view(found: Sample) -> View:
    from semiaudit.report.sample_view import sample_view

    return sample_view(found)


def _sample_json(found: Sample) -> str:
    from semiaudit.report.sample_json import to_sample_json

    return to_sample_json(found)


def csv_of_utility(found: UtilityCurve) -> str:
    """The errors of a table by the swap rate, as CSV."""
    from semiaudit.report.utility_csv import to_utility_csv

    return to_utility_csv(found)


def _calibration_view(found: Calibration) -> View:
    from semiaudit.report.calibration_view import calibration_view

    return calibration_view(found)


def _calibration_json(found: Calibration) -> str:
    from semiaudit.report.calibration_json import to_calibration_json

    return to_calibration_json(found)


def _calibration_csv(found: Calibration) -> str:
    from semiaudit.report.calibration_csv import to_calibration_csv

    return to_calibration_csv(found)


def _review_view(found: Review) -> View:
    from semiaudit.report.review_view import review_view

    return review_view(found)


def _review_json(found: Review) -> str:
    from semiaudit.report.review_json import to_review_json

    return to_review_json(found)


def _reproduction_view(found: Reproduction) -> View:
    from semiaudit.report.reproduction_view import reproduction_view

    return reproduction_view(found)


def _reproduction_json(found: Reproduction) -> str:
    from semiaudit.report.reproduction_json import to_reproduction_json

    return to_reproduction_json(found)


def _reproduction_csv(found: Reproduction) -> str:
    from semiaudit.report.reproduction_json import to_reproduction_csv

    return to_reproduction_csv(found)


CALIBRATION_RENDERERS = _renderers(_calibration_view, _calibration_json, _calibration_csv)
"""The formats of calibrated designs."""
ODDS_RATIO_RENDERERS = _renderers(_odds_ratio_view, _odds_ratio_json)
"""The formats of a semi-private test."""
SAMPLE_RENDERERS = _renderers(_sample_view, _sample_json)
"""The formats of what is said of a sample."""
REVIEW_RENDERERS = _renderers(_review_view, _review_json)
"""The formats of a review of an entry of the registry."""
REPRODUCTION_RENDERERS = _renderers(_reproduction_view, _reproduction_json, _reproduction_csv)
"""The formats of published numbers beside ours."""
