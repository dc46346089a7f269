"""The two curve figures of pages: tradeoff functions, and ε over δ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from semiaudit.model.bound import Bound, exact
from semiaudit.model.guarantee import GuaranteeCurve
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.curves import READ_AT, Points, are_in_corner, epsilon_line, joint
from semiaudit.report.html.drawing import SOLID, STYLES, Plot, PlotSeries
from semiaudit.report.html.frame import PageSection, part
from semiaudit.report.html.markup import Element, element
from semiaudit.report.html.plot import figure

_LEAST_SHARE = Fraction(1, 10)
"""A figure looks empty if a smaller part of the places has a number."""

_STEPS = "Between two points a curve is drawn where it is certified to hold: as a step."
_CHORDS = "Between two points a curve is the image of a certified chord."
_CUT = "A time limit left points out, so that curves are looser."
_TRADEOFF = Plot(
    name="tradeoff",
    title="Tradeoff functions",
    description="The least type II error of any test between two datasets, over its type I error; "
    "one curve for each guarantee. The higher a curve, the less an attacker learns; the dotted "
    "line is that of a release that reveals nothing. The table below has every point.",
    across="false positive rate (type I error)",
    up="type II error, at least",
    reading="the type II error of every test is at least",
    side="Each number is a lower bound on the type II error, computed at this false positive rate; "
    "it holds at every smaller rate too. The true positive rate is at most 1 minus it.",
    held="next",
    at=READ_AT,
    unit_square=True,
)
_EPSILON = Plot(
    name="epsilon",
    title="ε over δ",
    description="The certified ε at each δ, one curve for each guarantee; δ is on a "
    "logarithmic axis. The lower a curve, the stronger the guarantee. The table below has every "
    "point.",
    across="δ",
    up="ε, at most",
    reading="ε is at most",
    side="Each number is an upper bound on ε, computed at this δ; it holds at every larger δ too.",
    held="before",
    at=Fraction(1, 10**6),
    logarithmic=True,
)


def curves_part(
    curves: Sequence[GuaranteeCurve],
    named: Mapping[str, str],
    leading: str = "",
    below: Sequence[Element] = (),
    *,
    differences: bool = False,
) -> PageSection | None:
    """Return both figures; None if there is no curve and nothing below.

    Args:
        named: the displayed name of each curve, in the order of the lines.
        leading: the name of the main curve of the page; empty if there is none.
        below: further elements.
        differences: show differences of ε as a second view.
    """
    known = [curve for curve in curves if curve.name in named]
    tradeoff = _series([(named[c.name], c.tradeoff) for c in known], named, leading)
    epsilons = [
        replace(one, line=epsilon_line(one.points))
        for one in _series([(named[c.name], c.epsilons) for c in known], named, leading)
    ]
    corner = are_in_corner([one.points for one in tradeoff])
    cut = [] if all(curve.complete for curve in curves) else [_CUT]
    return part(
        "curves",
        "What an attacker can learn",
        "Curves",
        figure(replace(_TRADEOFF, corner=corner), tradeoff, [_STEPS, *cut]) if tradeoff else None,
        _epsilons(epsilons, [_CHORDS, *cut], _differences(known, named) if differences else []),
        *below,
    )


def _epsilons(
    series: Sequence[PlotSeries], notes: Sequence[str], differences: Sequence[Element]
) -> list[Element]:
    if not series:
        return []
    first = min(place for one in series for place, bound in one.points if _is_finite(bound))
    places = {place for one in series for place, _ in one.points}
    if sum(place >= first for place in places) < _LEAST_SHARE * len(places):
        text = f"ε over δ is not drawn: no finite ε is known at a δ below {rational_text(first)}."
        return [element("p", {"class": "note"}, text)]
    drawn = figure(replace(_EPSILON, at=max(_EPSILON.at, first)), series, notes)
    return _views(drawn, differences)


def _is_finite(bound: Bound) -> bool:
    return not isinstance(bound.value, float)  # only an infinite number is a float


def _differences(curves: Sequence[GuaranteeCurve], named: Mapping[str, str]) -> list[Element]:
    known = [curve for curve in curves if curve.epsilons]
    if len(known) < 2:
        return []
    first, *others = known
    style = styles_of(list(named.values()))
    series = [
        PlotSeries(named[curve.name], style[named[curve.name]], points)
        for curve in others
        if (points := _difference(curve.epsilons, first.epsilons))
    ]
    plot = replace(
        _EPSILON,
        name="difference",
        title=f"ε over δ: difference from {named[first.name]}",
        description="The certified ε of each curve minus that of the first; below 0 the curve "
        "has the smaller number. The table below has every point.",
        up="difference of ε",
        reading="ε is larger by",
        side="A difference of two upper bounds is a description, not a bound: it does not show "
        "which guarantee is stronger.",
        signed=True,
    )
    return [figure(plot, series)] if series else []


def _difference(points: Points, others: Points) -> Points:
    one, two = dict(points), dict(others)
    differences = []
    left = right = None
    for place in sorted({*one, *two}):
        left, right = one.get(place, left), two.get(place, right)
        if left is None or right is None:
            continue
        if not (isinstance(left.value, float) or isinstance(right.value, float)):
            differences.append((place, exact(left.value - right.value, "", "")))
    return tuple(differences)


def _views(overlay: Element, difference: Sequence[Element]) -> list[Element]:
    if not difference:
        return [overlay]
    radios = [
        element(
            "label",
            {},
            element(
                "input",
                {"type": "radio", "name": "view", "value": value, "checked": value == "overlay"},
            ),
            f" {text}",
        )
        for value, text in (("overlay", "all curves"), ("difference", "difference"))
    ]
    choice = element(
        "fieldset",
        {"class": "views", "hidden": True},
        element("legend", {}, "ε over δ"),
        radios,
    )
    return [
        choice,
        element("div", {"data-view": "overlay"}, overlay),
        element("div", {"data-view": "difference"}, difference),
    ]


def _series(
    curves: Sequence[tuple[str, Points]], named: Mapping[str, str], leading: str
) -> list[PlotSeries]:
    """Return a line for each curve; equal curves are one line with all their names."""
    style = styles_of([called for called in named.values() if called != leading])
    series = []
    for names, points in joint(curves):
        if not any(_is_finite(bound) for _, bound in points):
            continue  # an infinite number cannot be drawn
        leads = leading in names
        first = SOLID if leads else style.get(names[0], SOLID)
        series.append(PlotSeries(", ".join(names), first, points, leads))
    return series


def styles_of(names: Sequence[str]) -> dict[str, int]:
    """Return a style for each other curve: all except the solid line, in turn."""
    broken = [style for style in range(STYLES) if style != SOLID]
    return {name: broken[place % len(broken)] for place, name in enumerate(names)}
