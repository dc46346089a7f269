"""The pages that a browser opens: of every kind, with budgets that fail, refusals, and malice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import semiaudit
from semiaudit.checking.verdict import verdict_of
from semiaudit.cli import main
from semiaudit.report import VERDICT_RENDERERS, Layout
from semiaudit.report.html.verdicts_page import verdicts_page
from tests.places import CONFIGS, SPECS
from tests.report.html.hostile import spec

AUDITS = {
    "census": CONFIGS / "census2020_pl94.yaml",
    "gaussian": CONFIGS / "example5_table.yaml",
    "failing": SPECS / "exceeds/rho.yaml",
    "disclosed": CONFIGS / "example3_all_zero.yaml",
    "below": SPECS / "exceeds/distance_below_a.yaml",
    "finite": CONFIGS / "cell_key_census.yaml",
}
"""Audits by the names of their pages."""
REFUSED = """\
semiaudit: 1
title: A cycle of margins, without a size and without values
dataspace: {attributes: {a: 3, b: 3, c: 3, d: 3}}
invariants: [margin: [a, b], margin: [b, c], margin: [c, d], margin: [a, d]]
mechanism: {zcdp: {rho: 1}}
budgets: [{framework: semi_dp, rho: 4}]
"""
"""No finite a(t) is proven of it."""
FIFTY = "\n".join(
    [
        "semiaudit: 1",
        "title: Fifty deltas, fifty type I errors and fifty budgets",
        "dataspace: {unit: person, size: 5000, attributes: {region: 12, sex: [f, m], age: 9}}",
        "invariants: [{margin: [region]}, {margin: [sex]}]",
        "mechanism: {gdp: {mu: 1/2}}",
        "report:",
        f"  deltas: [{', '.join(f'{k}e-9' for k in range(1, 51))}]",
        f"  alphas: [{', '.join(f'{k}e-2' for k in range(1, 51))}]",
        "budgets:",
        *(f"  - {{framework: semi_dp, epsilon: 10, delta: {k}e-9}}" for k in range(1, 51)),
        "",
    ]
)
"""A report with 50 rows of everything that may have many."""
NAMES = (*AUDITS, "refused", "fifty", "comparison", "ablation", "summary", "index",
         "conversion", "reproduction", "hostile")  # fmt: skip


def convert_page(folder: Path) -> str:
    """The page of a command that has no page of its own."""
    page = folder / "convert.html"
    assert main(["convert", "gaussian: {sigma: 2}, repeat: 10", "-o", f"html={page}"]) == 0
    return page.read_text("utf-8")


def reproduction_page(folder: Path) -> str:
    """The page of a reproduction with its pictures."""
    assert main(["reproduce", "su-table-1", "cho-awan", "--reports", str(folder / "r")]) == 0
    return (folder / "r" / "index.html").read_text("utf-8")


def make_pages(folder: Path) -> dict[str, Path]:
    """Write every page into a folder."""
    malice = folder / "javascript:alert(1) \"'<b>.yaml"
    malice.write_text(spec(), "utf-8")
    refused = folder / "refused.yaml"
    refused.write_text(REFUSED, "utf-8")
    fifty = folder / "fifty.yaml"
    fifty.write_text(FIFTY, "utf-8")
    texts = {
        name: semiaudit.audit(path).render("html")
        for name, path in {
            **AUDITS,
            "refused": refused,
            "hostile": malice,
            "fifty": fifty,
        }.items()
    }
    pair = (CONFIGS / "example5_table.yaml", CONFIGS / "census2020_pl94.yaml")
    texts["comparison"] = semiaudit.compare(*pair).render("html")
    texts["ablation"] = semiaudit.ablate(CONFIGS / "example5_table.yaml").render("html")
    paths = [*AUDITS.values(), SPECS / "invalid/alias.yaml", malice, refused]
    texts["conversion"] = convert_page(folder)
    texts["reproduction"] = reproduction_page(folder)
    verdicts = [verdict_of(path, time_limit=60) for path in paths]
    layout = Layout(root=str(folder), folder=str(folder))
    texts["summary"] = VERDICT_RENDERERS["html"](verdicts, layout)
    many = [replace(verdicts[k % len(verdicts)], path=f"specs/{k}.yaml") for k in range(50)]
    texts["index"] = verdicts_page(many, layout, lambda path: f"{path}.html")
    thousand = [replace(verdicts[k % len(verdicts)], path=f"specs/{k}.yaml") for k in range(1000)]
    texts["thousand"] = verdicts_page(thousand, layout, lambda path: f"{path}.html")
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return {name: folder / f"{name}.html" for name in texts}
