"""The pages of the rules: each example finds its rule, and each address leads to a file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from semiaudit.model.rules import NUMBERED, RULES, Rule
from semiaudit.model.rules.registry_rules import REGISTRY_RULES
from semiaudit.report.rule_pages import TEXTS, advice_of, level_of, meaning_of, page_of
from semiaudit.version import FILES
from tests.pages import BLOCK, steps
from tests.places import ROOT
from tests.rule_pages import run

ALL = RULES | REGISTRY_RULES
LINK = re.compile(r"\]\([^)]+\)")
NAMED = re.compile(r"\bS[AR]\d{3}\b")


def findings(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Of the JSON of `analyze`, `check`, or `registry review`."""
    if "verdicts" not in report:
        return list(report["findings"])
    return [f for part in (*report["verdicts"], *report["waivers"]) for f in part["findings"]]


def test_every_rule_has_a_text_and_every_text_a_rule() -> None:
    assert {path.stem for path in TEXTS.glob("*.md")} == set(ALL)
    for rule in ALL.values():
        text = (TEXTS / f"{rule.id}.md").read_text("utf-8")
        assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) == (
            "What it means",
            "What to do",
            "Example",
        )
        assert re.search(r"\n\nSee also: \[.+\)\.\n$", text), rule.id


@pytest.mark.parametrize("rule", ALL.values(), ids=list(ALL))
def test_the_example_finds_this_rule_and_no_other_that_it_does_not_name(
    rule: Rule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SEMIAUDIT_TODAY", raising=False)
    path = TEXTS / f"{rule.id}.md"
    lines = []
    for step in steps(path, tmp_path):
        lines.append(step.line)
        run(step.line)
    _, printed = run(lines[-1], "--format", "json")
    found = findings(json.loads(printed))
    example = BLOCK.sub("", path.read_text("utf-8").partition("## Example\n")[2])
    assert {f["rule"] for f in found} == {rule.id, *NAMED.findall(example)}
    levels = {f["level"] for f in found if f["rule"] == rule.id}
    assert rule.level in levels
    assert levels == {rule.level} or rule.varies


def test_a_page_begins_with_the_row_of_its_rule_and_says_what_may_waive_it() -> None:
    for rule in ALL.values():
        head = f"# {rule.id}: {rule.name}\n\n{rule.title} Level: {level_of(rule)}.\n\n"
        assert page_of(rule).startswith(head)
        said = page_of(rule).removeprefix(head).partition("\n\n")[0]
        if rule.family == "registry":
            assert said == "## What it means"
        else:
            assert ("No waiver" in said) == (rule.waived_by == "nothing")
            assert ("up to a number" in said) == (rule.id in NUMBERED)


def test_the_meaning_and_the_advice_are_plain_words() -> None:
    for rule in ALL.values():
        for text in (meaning_of(rule), advice_of(rule)):
            assert text
            assert not re.search(r"[`#]|\]\(|^\s|(?<!\n)\n(?!\n)", text), rule.id


def test_the_address_of_a_rule_and_those_on_its_page_lead_to_files_of_this_version() -> None:
    for rule in ALL.values():
        for link in (rule.page, *re.findall(r"\]\(([^)]+)\)", page_of(rule))):
            assert link.startswith(f"{FILES}/"), link
            assert (ROOT / link.removeprefix(f"{FILES}/").partition("#")[0]).is_file(), link
        text = (ROOT / rule.page.removeprefix(f"{FILES}/")).read_text("utf-8")
        assert page_of(rule).startswith(f"# {rule.id}: ")
        assert LINK.sub("]", page_of(rule)).endswith(LINK.sub("]", text))
    links = re.findall(r"\]\(([^)]+)\)", page_of(RULES["SA014"]))
    assert f"{FILES}/semiaudit/model/rules/SA007.md" in links
    assert f"{FILES}/docs/policy.md#waivers" in links
