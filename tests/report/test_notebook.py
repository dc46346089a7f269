"""What notebooks show of the values of the library: short, escaped, and nothing that acts."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import lxml.html
import numpy as np
import pytest

from semiaudit import (
    Curve,
    Gaussian,
    LaplaceTradeoff,
    Profile,
    Report,
    Spec,
    ablate,
    audit,
    compare,
)
from semiaudit.model.bound import exact, lower, upper
from semiaudit.model.labels import label
from semiaudit.report.figures.drawing import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH
from semiaudit.report.notebook import html_table, markdown_table

HOSTILE = "<script>alert(1)</script> | [x](javascript:1) `a` \u202e @root \n::error::"
SPEC: dict[str, object] = {
    "semiaudit": 1,
    "title": HOSTILE.replace("\n", " ").replace("\u202e", ""),
    "dataspace": {"size": 12, "attributes": {"<b>": 2, "b": 2}},
    "invariants": [{"margin": ["<b>"]}],
    "mechanism": {"zcdp": {"rho": 0.5}},
    "report": {"deltas": ["1e-6"]},
}


def report() -> Report:
    return audit(SPEC)


def test_a_hostile_text_is_inert_in_html_and_in_markdown() -> None:
    html = html_table(HOSTILE, ("a", HOSTILE), [(HOSTILE, "1")], HOSTILE)
    for tag in ("script", "a", "img"):
        assert not lxml.html.fromstring(f"<div>{html}</div>").findall(f".//{tag}")
    assert "\u202e" not in html
    text = markdown_table(HOSTILE, ("a", HOSTILE), [(HOSTILE, "1")], HOSTILE)
    assert "\\<script\\>" in text
    assert "\\[x\\]\\(javascript\\:1\\)" in text
    assert "\\@root" in text
    assert len([line for line in text.splitlines() if line.startswith("|")]) == 3


def test_reports_show_their_comparison() -> None:
    found = report()
    html = found._repr_html_()
    assert "<script>" not in html
    rows = lxml.html.fromstring(html).findall(".//tbody/tr")
    assert [row[0].text for row in rows] == [label(guarantee.name) for guarantee in found]
    assert "at δ = " in (rows[0][3].text or "")
    assert found._repr_markdown_() == found.render("markdown")
    assert repr(found).startswith("<Report <mapping>: <script>")
    assert repr(found).endswith("; a(t) = 2>")


def test_a_report_shows_its_verdict_as_a_card() -> None:
    card = lxml.html.fromstring(report()._repr_html_()).findall("div")[0]
    lines = [" ".join(line.text_content().split()) for line in card]
    assert lines[0].endswith("· no budget")
    # The group of 2 of rho 1/2 has 4 times its rho.
    assert lines[1].startswith("The release protects less than advertised: ρ is 2, not 0.5 (4×)")


def test_a_bound_shows_its_side_as_a_sign() -> None:
    shown = {
        "exact": exact(Fraction(5, 2), "zcdp", "x"),
        "upper": upper(Fraction(1, 3), "<b>", "x"),
        "lower": lower(Fraction(1, 3), "x", "x"),
        "inf": upper(math.inf, "x", "x"),
    }
    texts = {name: bound._repr_html_() for name, bound in shown.items()}
    assert texts == {
        "exact": "= <b>2.5</b> <small>(exact, zcdp)</small>",
        "upper": "≤ <b>0.333334</b> <small>(upper, &lt;b&gt;)</small>",
        "lower": "≥ <b>0.333333</b> <small>(lower, x)</small>",
        "inf": "≤ <b>inf</b> <small>(upper, x)</small>",
    }


def corners(root: Any, right: float, top: float) -> list[tuple[float, float]]:
    """The corners of a drawn curve, as numbers, by the ends of both axes."""
    (path,) = (p for p in root.findall(".//path") if p.get("class").startswith("line"))
    places = (tuple(map(float, place.split())) for place in path.get("d")[1:].split("L"))
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    return [(right * (x - LEFT) / width, top * (HEIGHT - BOTTOM - y) / height) for x, y in places]


def test_curves_show_steps_on_their_safe_side_and_points_rounded_to_it() -> None:
    """f(1/4) = 2/3: between two points the lower error of the next one holds."""
    curve = Curve(np.array([0.0, 0.25, 1.0]), np.array([1.0, 2 / 3, 0.0]))
    root = lxml.html.fromstring(f"<div>{curve._repr_html_()}</div>")
    steps = [(0, 1), (0, 2 / 3), (0.25, 2 / 3), (0.25, 0), (1, 0)]
    assert corners(root, 1, 1) == [pytest.approx(place, abs=1e-3) for place in steps]
    rows = [[cell.text for cell in row] for row in root.findall(".//tbody/tr")]
    assert rows == [["0", "1"], ["0.25", "0.666666"], ["1", "0"]]
    profile = Profile(np.array([0.0, 1.0, 2.0]), np.array([2 / 3, 1 / 3, 0.0]))
    root = lxml.html.fromstring(f"<div>{profile._repr_html_()}</div>")
    steps = [(0, 2 / 3), (1, 2 / 3), (1, 1 / 3), (2, 1 / 3), (2, 0)]
    assert corners(root, 2, 0.8) == [pytest.approx(place, abs=2e-3) for place in steps]
    rows = [[cell.text for cell in row] for row in root.findall(".//tbody/tr")]
    assert rows == [["0", "0.666667"], ["1", "0.333334"], ["2", "0"]]


def test_comparisons_and_ablations_show_their_tables() -> None:
    other = {**SPEC, "title": "another", "mechanism": {"zcdp": {"rho": 1}}}
    for found in (compare(SPEC, other), ablate(SPEC)):
        html = found._repr_html_()
        assert "<script>" not in html
        captions = [caption.text for caption in lxml.html.fromstring(html).findall(".//caption")]
        assert len(captions) > 2
        assert found._repr_markdown_() == found.render("markdown")


def test_guarantees_mechanisms_and_specs_show_themselves() -> None:
    semi = report().semi_dp
    assert repr(semi).startswith("<semi_dp: D_t up to hamming distance 2, epsilon ")
    assert "<td>rho</td><td>2</td><td>upper</td>" in semi._repr_html_()
    assert "| rho | 2 | upper | zcdp |" in semi._repr_markdown_()
    assert Gaussian("1/2")._repr_html_() == "<code>Gaussian(sigma=&#x27;1/2&#x27;)</code>"
    assert LaplaceTradeoff(1)._repr_markdown_() == "LaplaceTradeoff\\(1\\)"
    shown = Spec.from_mapping(SPEC)._repr_html_()
    assert "<script>" not in shown
    assert "<td>mechanism</td>" in shown


def test_columns_are_what_a_frame_takes(tmp_path: Path) -> None:
    found = report().to_columns()
    assert len({len(column) for column in found.values()}) == 1
    rows = [dict(zip(found, values, strict=True)) for values in zip(*found.values(), strict=True)]
    rho = [r for r in rows if (r["framework"], r["measure"]) == ("semi_dp", "rho")]
    assert [(r["value"], r["side"], r["method"], r["at"]) for r in rho] == [
        (2.0, "upper", "zcdp", None)
    ]
    known = {r["framework"] for r in rows}
    assert known == {guarantee.name for guarantee in report()}
    epsilons = [r for r in rows if r["measure"] == "epsilon" and r["framework"] == "nominal_dp"]
    assert {(r["at"], r["method"]) for r in epsilons} >= {(1e-6, "cks20"), (1e-6, "bs16")}
    public = {"invariants": [{"margin": ["<b>", "b"]}], "adjacency": {"metric": "multiset_hamming"}}
    refused = audit({**SPEC, **public}).to_columns()
    assert any("one dataset" in str(text) for text in refused["refused"])


def test_columns_make_a_pandas_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(report().to_columns())
    assert set(frame["side"].dropna()) <= {"upper", "lower", "exact"}
