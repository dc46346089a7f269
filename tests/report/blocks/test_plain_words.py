"""References to theory are in verbose reports and in JSON, and in no other text."""

from __future__ import annotations

import html
import re

import pytest

from semiaudit.library.report import Report
from semiaudit.report.blocks.plain_words import plain
from tests.audits import shipped_report
from tests.in_process import completed
from tests.places import CONFIGS

FAST = [
    "all_male_block",
    "balanced_table",
    "cell_key_census",
    "census2020_every_product",
    "cyclic_band",
    "example2_three_bits",
    "gao_campus_wifi",
    "two_releases",
]
TOKENS = re.compile(
    r"a_min|a_maxmin|definition_13|D_nor|\brank\b(?! definitions)|\(E\d+\)|erratum E\d+"
    r"|\b(?:Theorem|Proposition|Corollary|Remark|Lemma|Definition (?!13\b)) ?\d+"
)


def own_texts(report: Report, form: str) -> str:
    """A report without what its spec says: its title, its sources, and its own text."""
    text = re.sub(r"<(style|script).*?</\1>", "", report.render(form), flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]*>", " ", text)).replace("\\_", "_")
    said = report.as_dict()["spec"]["title"]
    text = text.replace(said, "")
    return re.split(r"(?m)Scope of this audit\n|  What to do: |  The spec ", text)[0]


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("name", FAST)
def test_reports_have_no_references_to_theory(name: str, form: str) -> None:
    text = own_texts(shipped_report(CONFIGS / f"{name}.yaml"), form)
    assert TOKENS.findall(text) == []


@pytest.mark.parametrize("name", ["balanced_table", "two_releases"])
def test_pages_have_no_references_to_theory(name: str) -> None:
    text = own_texts(shipped_report(CONFIGS / f"{name}.yaml"), "html")
    assert TOKENS.findall(text) == []


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_verbose_reports_have_the_references(form: str) -> None:
    report = shipped_report(CONFIGS / "balanced_table.yaml")
    shown = html.unescape(report.render(form, verbose=True)).replace("\\_", "_")
    shown = " ".join(re.sub(r"<[^>]*>", " ", shown).split())
    for reference in ("Definition 20", "D_nor", "(Proposition 15)", "(E21)"):
        assert reference in shown


def test_json_has_the_references() -> None:
    report = shipped_report(CONFIGS / "balanced_table.yaml").as_dict()
    notes = " ".join(row["note"] for row in report["guarantees"])
    for reference in ("(Proposition 15)", "(E21)", "D_nor"):
        assert reference in notes
    assert report["semi_adjacency"]["theorem_16_bound"] == 3


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("it can be larger (Remark 22); no joint a(t)", "it can be larger; no joint a(t)"),
        ("inside Dₜ (Definition 12, section 4.1)", "inside Dₜ"),
        ("no metric (Definition 1: no steps of 1)", "no metric (no steps of 1)"),
        ("differ from those of hamming (erratum E38)", "differ from those of hamming"),
        # The levels of a spec are no references.
        ("everyone has zone = north (E5)", "everyone has zone = north (E5)"),
        ("the guarantees use Definition 13", "the guarantees use Definition 13"),
    ],
)
def test_a_reference_is_left_out_and_nothing_else(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_the_gate_prints_findings_without_references() -> None:
    done = completed(CONFIGS.parent, "check", "configs/two_releases.yaml")
    assert "SA012" in done.stdout
    assert TOKENS.findall(done.stdout) == []
    done = completed(CONFIGS.parent, "check", "configs/two_releases.yaml", "--verbose")
    assert "(Remark 22)" in done.stdout
