"""The table of rules: each that can be found has a row, and each row is found somewhere."""

from __future__ import annotations

import re

import pytest

from semiaudit.model import rules
from semiaudit.model.rules import IN_SPECS, NUMBERED, OF_THE_AUDIT, RULES, WAIVABLE, Rule, define
from semiaudit.model.rules.registry_rules import REGISTRY_RULES
from tests.places import ROOT

SOURCES = sorted((ROOT / "semiaudit").rglob("*.py"))


def test_ids_go_on_without_a_gap_and_names_are_unique() -> None:
    assert list(RULES) == [f"SA{number:03}" for number in range(1, len(RULES) + 1)]
    assert all(rule.id == key for key, rule in RULES.items())
    assert len({rule.name for rule in RULES.values()}) == len(RULES)


def test_a_rule_is_defined_once() -> None:
    rule = Rule("SX001", "a-name", "note", "A title.", "gate")
    table: dict[str, Rule] = {}
    assert define(table, rule) == "SX001"
    assert table == {"SX001": rule}
    with pytest.raises(ValueError, match="there are two rules SX001"):
        define(table, rule)


def test_a_title_is_a_sentence_that_fits_into_a_list_at_80_columns() -> None:
    for rule in (RULES | REGISTRY_RULES).values():
        assert rule.title.endswith("."), rule.id
        assert len(f"{rule.id}  warning  {rule.title}") <= 80, rule.id


def test_every_rule_that_a_source_names_is_registered_and_every_rule_is_named() -> None:
    names = {
        value: name
        for name, value in vars(rules).items()
        if isinstance(value, str) and value in RULES
    }
    emitted = set()
    for path in SOURCES:
        text = path.read_text("utf-8")
        if path.parts[-2:] != ("rules", "__init__.py"):
            words = set(re.findall(r"\b[A-Z]\w+", text))
            emitted |= {rule for rule, name in names.items() if name in words}
        assert set(re.findall(r"\bSA\d{3}\b", text)) <= set(RULES), path
    assert emitted == set(RULES)


def test_of_the_gate_s_errors_only_those_with_a_number_or_of_a_policy_may_be_waived() -> None:
    assert set(WAIVABLE) <= set(RULES)
    assert IN_SPECS - {"SA038"} < NUMBERED < set(WAIVABLE)
    errors = {rule for rule in WAIVABLE if RULES[rule].level == "error"} - OF_THE_AUDIT
    assert errors == {*NUMBERED, "SA029"}
