"""The page of a verification: the verdict, scores under X and Y, and bounds against the claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from semiaudit.commands.verify.model import ClaimTest, Histogram, Verified
from semiaudit.commands.verify.view import SYMBOLS, answer_of, view_of
from semiaudit.report.figures.drawing import COLORS, MUTED
from semiaudit.report.html.addresses import shown_paths
from semiaudit.report.html.blocks import block_of
from semiaudit.report.html.frame import page, part, verdict
from semiaudit.report.html.markup import Attributes, Element, element
from semiaudit.report.text.layout import Layout, Tone

WIDTH, HEIGHT, ROW = 480, 200, 24
X_COLOR, Y_COLOR = COLORS[2], COLORS[1]

TONES: dict[str, Tone] = {"violated": "bad", "consistent": "good"}


def page_of(verified: Verified, layout: Layout) -> str:
    """Return the page."""
    verified = replace(verified, path=shown_paths([verified.path])[verified.path])
    view = view_of(verified)
    first, *others = answer_of(verified)
    card = verdict(
        TONES.get(verified.verdict, "plain"), first, [element("p", {}, text) for text in others]
    )
    histogram = verified.histogram
    numbers = [t for t in verified.tests if t.kind in ("epsilon", "mu", "rho") and t.claim]
    parts = [
        part("scores", "Scores under X and Y", scores(histogram)) if histogram else None,
        part("bounds", "Bounds and claims", bounds(numbers)) if numbers else None,
        part("tables", "Tables", *map(block_of, view.blocks[1:])),
    ]
    return page("Does the code do what the spec says?", view.title, view.subtitle, card, parts)


def scores(histogram: Histogram) -> Element:
    """Draw two histograms of the judged runs, one above the axis and one below."""
    most = max(*histogram.on_x, *histogram.on_y, 1)
    width, middle = WIDTH / len(histogram.on_x), HEIGHT / 2
    bars = []
    for at, (on_x, on_y) in enumerate(zip(histogram.on_x, histogram.on_y, strict=True)):
        for count, color, up in ((on_x, X_COLOR, True), (on_y, Y_COLOR, False)):
            height = round(count / most * (middle - 20), 2)
            y = middle - height if up else middle
            box: Attributes = {"x": round(at * width, 2), "y": y, "width": round(width * 0.9, 2)}
            bars.append(element("rect", {**box, "height": height, "fill": color}))
    low, high = f"{histogram.edges[0]:.3g}", f"{histogram.edges[-1]:.3g}"
    texts = [
        _text(4, 14, "X", "start"),
        _text(4, HEIGHT - 6, "Y", "start"),
        _text(60, HEIGHT - 6, f"scores from {low} to {high}", "start"),
    ]
    words = "Scores of the judged runs: those on X above the line, those on Y below it."
    return _svg(HEIGHT, words, [*bars, *texts])


def bounds(tests: Sequence[ClaimTest]) -> Element:
    """Draw each lower bound as a share of its claim: beyond the line, the claim is refuted."""
    shares = [test.bound / (test.claim or 1) for test in tests]
    unit = (WIDTH - 160) / max(1.2, *shares)
    drawn = []
    for row, (test, share) in enumerate(zip(tests, shares, strict=True)):
        y = 10 + row * ROW
        at = f" at δ = {test.delta:g}" if test.delta else ""
        drawn.append(_text(4, y + 12, f"{SYMBOLS[test.kind]}{at} ({test.order})", "start"))
        color = COLORS[5] if test.rejects else COLORS[3]
        box: Attributes = {"x": 150, "y": y, "width": round(max(share * unit, 1), 2), "height": 14}
        drawn.append(element("rect", {**box, "fill": color}))
    height = 20 + len(tests) * ROW
    ends: Attributes = {"x1": 150 + unit, "x2": 150 + unit, "y1": 4, "y2": height - 4}
    line = element("line", {**ends, "stroke": MUTED, "stroke-width": 2})
    words = "Each bar is a lower confidence bound as a share of its claim, which is the line."
    return _svg(height, words, [*drawn, line])


def _text(x: float, y: float, words: str, anchor: str) -> Element:
    looks: Attributes = {"font-size": 12, "fill": MUTED, "text-anchor": anchor}
    return element("text", {"x": x, "y": y, **looks}, words)


def _svg(height: float, words: str, drawn: Sequence[Element]) -> Element:
    frame: Attributes = {"viewBox": f"0 0 {WIDTH} {height}", "role": "img", "aria-label": words}
    svg = element("svg", frame, list(drawn))
    return element("figure", {}, svg, element("figcaption", {}, words))
