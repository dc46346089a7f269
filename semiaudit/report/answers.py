"""Answers of other commands than an audit's, to text: each has a view, a JSON, and maybe rows.

What renders one is imported when it is asked for, as for ``semiaudit.report``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from semiaudit.report import html
from semiaudit.report.layout import Layout as Layout
from semiaudit.report.terminal import for_terminal

if TYPE_CHECKING:
    from semiaudit.model.ablation import Ablated
    from semiaudit.model.comparison import SideBySide
    from semiaudit.model.conversion import Conversion
    from semiaudit.model.design import Calibration
    from semiaudit.model.odds_ratio import OddsRatioTest
    from semiaudit.model.registry import Review
    from semiaudit.model.reproduction import Reproduction
    from semiaudit.model.sample import Sample, UtilityCurve
    from semiaudit.report.layout import View


def _conversion_text(found: Conversion, layout: Layout) -> str:
    from semiaudit.report.conversion_view import conversion_view

    return for_terminal(conversion_view(found), layout)


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

        return for_terminal(fitted(view_of(found), layout.width), layout)

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
