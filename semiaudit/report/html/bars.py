"""Bars of named numbers: a table with a drawing in each row."""

from __future__ import annotations

import math
from collections.abc import Sequence

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound
from semiaudit.model.number_text import bound_text
from semiaudit.report.html.blocks import notes, scrolling
from semiaudit.report.html.markup import Attributes, Element, element


@dataclass(frozen=True, slots=True)
class Bar:
    """One number of a bar chart.

    Attributes:
        bound: None if there is none.
        why: replaces a missing number.
        leading: whether it is the main number of the page.
    """

    name: str
    bound: Bound | None
    why: str = ""
    leading: bool = False


def bars(title: str, names: str, measure: str, entries: Sequence[Bar], *remarks: str) -> Element:
    """Draw numbers as bars on one scale, from 0. An infinite one extends to the end, and is open.

    Args:
        names: the kind of the named items.
        measure: the name of the numbers.
        remarks: sentences below.
    """
    finite = [float(bar.bound) for bar in entries if bar.bound is not None]
    most = max([value for value in finite if math.isfinite(value)], default=0.0)
    rows = []
    for bar in entries:
        rows.append(
            element(
                "tr",
                {"class": "leading" if bar.leading else None},
                element("th", {"scope": "row"}, bar.name),
                element("td", {"class": "number"}, bar.why if bar.bound is None
                        else bound_text(bar.bound)),
                element("td", {"class": "drawn", "aria-hidden": "true"}, _drawn(bar, most)),
            )
        )  # fmt: skip
    head = element(
        "tr",
        {},
        element("th", {"scope": "col"}, names),
        element("th", {"scope": "col", "class": "number"}, measure),
        element("td", {"class": "drawn", "aria-hidden": "true"}),
    )
    kind = "bars ranked" if any(bar.leading for bar in entries) else "bars"
    table = element(
        "table", {"class": kind}, element("thead", {}, head), element("tbody", {}, rows)
    )
    return element(
        "div",
        {"class": "block"},
        element("h3", {}, title),
        scrolling(title, table),
        notes(remarks),
    )


def _drawn(bar: Bar, most: float) -> Element | str:
    if bar.bound is None:
        return ""
    value = float(bar.bound)
    share = 1.0 if math.isinf(value) else value / most if most else 0.0
    width = f"{max(100 * share, 0.4):.2f}%"
    open_ended = " infinite" if math.isinf(value) else ""
    shape: Attributes = {"x": 0, "y": 2, "width": width, "height": 12, "class": f"bar{open_ended}"}
    return element("svg", {"width": "100%", "height": 16}, element("rect", shape))
