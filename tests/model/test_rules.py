"""Rules: each that can be emitted is registered, each that is registered has a page, and back."""

from __future__ import annotations

import re

from semiaudit.model import rules
from semiaudit.model.rules import IN_SPECS, NUMBERED, OF_THE_AUDIT, RULES, WAIVABLE
from tests.places import ROOT

PAGES = ROOT / "docs" / "rules"
SOURCES = sorted((ROOT / "semiaudit").rglob("*.py"))


def test_ids_go_on_without_a_gap_and_names_are_unique() -> None:
    assert list(RULES) == [f"SA{number:03}" for number in range(1, len(RULES) + 1)]
    assert all(rule.id == key for key, rule in RULES.items())
    assert len({rule.name for rule in RULES.values()}) == len(RULES)


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert {path.stem for path in PAGES.glob("SA*.md")} == set(RULES)
    for rule in RULES.values():
        text = (PAGES / f"{rule.id}.md").read_text("utf-8")
        assert text.startswith(f"# {rule.id}: {rule.name}\n\n{rule.text} Level: ")
        assert "## What it means" in text
        assert "## What to do" in text


def test_the_index_lists_every_rule_once() -> None:
    index = (PAGES / "README.md").read_text("utf-8")
    assert re.findall(r"^\| \[(SA\d{3})\]", index, re.MULTILINE) == list(RULES)


def test_every_rule_that_a_source_names_is_registered_and_every_rule_is_named() -> None:
    names = {
        value: name
        for name, value in vars(rules).items()
        if isinstance(value, str) and value in RULES
    }
    emitted = set()
    for path in SOURCES:
        text = path.read_text("utf-8")
        if path.parts[-2:] != ("model", "rules.py"):
            emitted |= set(re.findall(r"Finding\(\s*\"(SA\d{3})\"", text))
            emitted |= {rule for rule, name in names.items() if re.search(rf"\b{name}\b", text)}
        assert set(re.findall(r"\bSA\d{3}\b", text)) <= set(RULES), path
    assert emitted == set(RULES)


def test_of_the_gate_s_errors_only_those_with_a_number_or_of_a_policy_may_be_waived() -> None:
    assert set(WAIVABLE) <= set(RULES)
    assert IN_SPECS < NUMBERED < set(WAIVABLE)
    errors = {rule for rule in WAIVABLE if RULES[rule].level == "error"} - OF_THE_AUDIT
    assert errors == {*NUMBERED, "SA029"}
