"""The two figures of curves that pages have: tradeoff functions, and epsilon over delta."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.report.html.elements import Element
from semiaudit.report.html.plot import Plot, Series, figure

_STEPS = "Between two points a curve is drawn where it is certified to hold: as a step."
_CUT = "A time limit left points out, so that steps are wider."
_TRADEOFF = Plot(
    name="tradeoff",
    title="Tradeoff functions",
    description="The least type II error of any test between two datasets, over its type I error; "
    "one curve for each guarantee. The higher a curve, the less an attacker learns; the dotted "
    "line is that of a release that tells nothing. The table below has every point.",
    across="type I error",
    up="type II error, at least",
    reading="the type II error of every test is at least",
    held="next",
    at=Fraction(1, 20),
    unit_square=True,
)
_EPSILON = Plot(
    name="epsilon",
    title="epsilon over delta",
    description="The certified epsilon at each delta, one curve for each guarantee; delta is on a "
    "logarithmic axis. The lower a curve, the stronger the guarantee. The table below has every "
    "point.",
    across="delta",
    up="epsilon, at most",
    reading="epsilon is at most",
    held="before",
    at=Fraction(1, 10**6),
    logarithmic=True,
)


def tradeoff_figure(series: Sequence[Series], *, cut: bool) -> Element | None:
    """The tradeoff functions; None where none is known."""
    return figure(_TRADEOFF, series, _notes(cut)) if series else None


def epsilon_figure(series: Sequence[Series], *, cut: bool) -> Element | None:
    """epsilon over delta; None where none is known."""
    return figure(_EPSILON, series, _notes(cut)) if series else None


def _notes(cut: bool) -> list[str]:
    return [_STEPS, *[_CUT] * cut]
