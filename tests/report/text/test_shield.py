"""Words of strangers: no log obeys them, no spreadsheet calculates them, and all can be seen."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

import semiaudit
from semiaudit.checking.verdict import verdict_of
from semiaudit.errors import Mark, Problem
from semiaudit.model.audit import Finding
from semiaudit.model.policy import GateOptions
from semiaudit.model.verdict import Verdict
from semiaudit.report import VERDICT_RENDERERS, Layout
from semiaudit.report.blocks.summary import csv_lines, first_problem
from semiaudit.report.blocks.summary_table import batch_view
from semiaudit.report.renderers import for_terminal
from semiaudit.report.text.shield import cell, json_text, shielded, xml_text
from tests.gate.specs import HOLDS, TODAY, spec

EVIL = "::error::boo ##[error]hoo @octocat and#12 https://evil.example www.evil.example"
TURNED = "a\u202eb\u2066c\u200fd\u2028e\U000e0041f"
"""Marks of direction, a line separator, and a letter that nobody sees."""


def commands(text: str) -> list[str]:
    """What GitHub's runner would take for a command, by its rules for lines of a log."""
    return [
        line
        for line in re.split(r"\r\n|\r|\n", text)
        if line.strip().startswith("::") or "##[" in line
    ]


def assert_inert(out: str, form: str) -> None:
    """No log, LaTeX, or spreadsheet obeys a word of the output, and a terminal shows all of it."""
    assert not any(line.lstrip().startswith("::") for line in out.splitlines())
    if form == "latex":
        assert "\\input{x}" not in out
    if form == "csv":
        for row in csv.reader(StringIO(out)):
            assert not any(one.startswith(("=", "+", "@")) for one in row)
    if form == "text":
        assert max(map(len, out.splitlines())) <= 80


def named(path: str) -> Verdict:
    """A verdict in which every word is a stranger's."""
    mark = Mark(1, 1)
    finding = Finding("SA013", "error", f"words and more words and {EVIL}\n{EVIL}", mark)
    problem = Problem(path, 1, 1, EVIL, EVIL, EVIL)
    return Verdict(path, "unaudited", findings=(finding,), problems=(problem,))


@pytest.mark.parametrize("form", sorted(set(VERDICT_RENDERERS) - {"github"}))
@pytest.mark.parametrize("width", range(20, 90, 7))
def test_no_format_holds_a_command_at_whatever_width_it_is_wrapped(form: str, width: int) -> None:
    verdicts = [named(EVIL), named(f"x/{EVIL}")]
    text = VERDICT_RENDERERS[form](verdicts, Layout(width=width))
    assert commands(text) == []
    assert commands(VERDICT_RENDERERS[form](verdicts[:1], Layout(width=width, color=True))) == []


def test_annotations_are_the_only_commands_and_hold_no_other() -> None:
    lines = VERDICT_RENDERERS["github"]([named(EVIL)], Layout()).splitlines()
    assert all(line.startswith("::error file=") for line in lines[:-1])
    assert not any("##[" in line for line in lines)
    assert len(lines) == 3


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_no_report_of_an_audit_holds_a_command(form: str, tmp_path: Path) -> None:
    text = HOLDS.replace("semiaudit: 1\n", f'semiaudit: 1\ntitle: "{EVIL}"\n')
    report = semiaudit.audit(spec(tmp_path, text.replace("a: 2", '"::warning::a": 2').replace(
        "margin: [a]", 'margin: ["::warning::a"]')))  # fmt: skip
    for width in range(20, 90, 7):
        assert commands(report.render(form, width=width)) == []


def test_json_and_xml_say_the_same_to_whoever_parses_them() -> None:
    value = {"a": [EVIL, TURNED, "é ü \u4e2d", "##[x"], "b": 1.5}
    assert json.loads(json_text(value)) == value
    assert "é ü \u4e2d" in json_text(value)
    assert all(char.isprintable() or char == "\n" for char in json_text(value))
    root = ElementTree.Element("a", b=EVIL)
    root.text = f"\n{EVIL}\n::x"
    same = ElementTree.fromstring(xml_text(ElementTree.tostring(root, encoding="unicode")))
    assert (same.get("b"), same.text) == (EVIL, root.text)


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_marks_of_direction_are_written_out_in_json(form: str) -> None:
    finding = Finding("SA013", "error", TURNED)
    verdict = Verdict(TURNED, "exceeds", findings=(finding,))
    text = VERDICT_RENDERERS[form]([verdict], Layout())
    assert all(char.isprintable() or char == "\n" for char in text)
    assert "\\u202e" in text


def test_what_a_terminal_shows_can_be_seen() -> None:
    assert shielded(TURNED) == "a\\u202eb\\u2066c\\u200fd\\u2028e\\U000e0041f"
    assert shielded("é \u4e2d \x1b[1mbold\x1b[0m\n") == "é \u4e2d \x1b[1mbold\x1b[0m\n"
    assert shielded("a::b\n  a: ::b\n") == "a::b\n  a: ::b\n"
    assert shielded("\xa0::b\n\t::c\r::d\n\x1b[1m::e") == "\\xa0::b\n\\t::c\\r::d\n\x1b[1m: :e"


def test_markdown_makes_no_link_and_calls_nobody() -> None:
    text = VERDICT_RENDERERS["markdown"]([named(EVIL)], Layout())
    assert "https://" not in text
    assert not re.search(r"(?<!\\)://", text)
    assert not re.search(r"(?<!\\)@(?!&#8203;)", text)
    assert "and\\#&#8203;12" in text
    assert "www.evil" not in text


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\n=1", "\uff1d1", "::error::x"]
)
def test_a_cell_that_begins_like_a_formula_is_text(text: str) -> None:
    assert cell(text) == f"'{text}"
    verdict = Verdict(text, "unaudited", problems=(Problem(text, 0, 0, "", "m"),))
    rows = list(csv.DictReader(StringIO("".join(csv_lines([verdict])), newline="")))
    assert rows[0]["path"] == f"'{text}"
    plain = csv.DictReader(StringIO("".join(csv_lines([verdict], as_it_is=True)), newline=""))
    assert next(iter(plain))["path"] == text


def test_other_cells_stay_what_they_are(tmp_path: Path) -> None:
    for text in ("a=b", "releases/-1.yaml", "", "1e-10", "'x"):
        assert cell(text) == text
    found = verdict_of(spec(tmp_path, HOLDS), time_limit=60, gate=GateOptions(today=TODAY))
    guarded, plain = ("".join(csv_lines([found], as_it_is=told)) for told in (False, True))
    assert guarded == plain


@pytest.mark.parametrize("limit", ["4.0000000001", "4.4999999999", "1/3"])
def test_a_limit_is_printed_the_same_everywhere_and_never_above_itself(
    limit: str, tmp_path: Path
) -> None:
    path = spec(tmp_path, HOLDS.replace("rho: 5}", f"rho: {limit}}}"))
    found = verdict_of(path, time_limit=60, gate=GateOptions(today=TODAY))
    # six decimals, cut: what a limit may be called at most
    shown, above = {
        "4.0000000001": ("4.000000", "4.000001"),
        "4.4999999999": ("4.499999", "4.500000"),
        "1/3": ("0.333333", "0.333334"),
    }[limit]
    texts = {
        "analyze": semiaudit.audit(path).render("text", width=200),
        "check": VERDICT_RENDERERS["text"]([found], Layout(200)),
        "junit": VERDICT_RENDERERS["junit"]([found], Layout()),
        "batch": for_terminal(batch_view([found], [0], {}, 0, Layout(200)), Layout(200)),
    }
    for name, text in texts.items():
        assert re.search(rf"(?<![0-9.]){shown}(?![0-9])", text), name
        assert above not in text, name


def test_a_number_and_why_it_fails_have_a_colon_between_them(tmp_path: Path) -> None:
    found = verdict_of(
        spec(tmp_path, HOLDS.replace("rho: 5}", "rho: 4}")),
        time_limit=60,
        gate=GateOptions(today=TODAY),
    )
    assert first_problem(found) == "Semi-DP (effective): ρ 4.5 is above the limit 4"
    unknown = replace(found.budgets[0], actual=None)
    problem = first_problem(replace(found, budgets=(unknown,)))
    assert problem == "Semi-DP (effective): ρ has the limit 4: above its limit"


def test_what_is_wrong_with_a_spec_is_wrapped_and_no_spec_has_no_table(tmp_path: Path) -> None:
    found = verdict_of(spec(tmp_path, "semiaudit: 1\nb: [c\n"), time_limit=60)
    lines = for_terminal(batch_view([found], [0], {}, 0, Layout(80)), Layout(80)).splitlines()
    assert len([line for line in lines if line.startswith(" " * 17)]) > 1
    path = str(tmp_path)
    assert all(len(line) <= 80 or path in line or "─" in line for line in lines)
    assert batch_view([], [], {}, 0, Layout(80)).blocks == ()
