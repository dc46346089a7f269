"""What notebooks show of the values of the library: short, escaped, and nothing that acts."""

from __future__ import annotations

from pathlib import Path

import lxml.html
import pytest

from semiaudit import Gaussian, LaplaceTradeoff, Report, Spec, audit
from semiaudit.model.labels import label
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
