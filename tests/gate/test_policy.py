"""A policy outside the spec: a spec may tighten it, and nothing in the spec may loosen it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from semiaudit.checking.discovery import specs_under
from semiaudit.checking.gate import check
from semiaudit.errors import SpecError
from semiaudit.model.audit import Waiver
from semiaudit.model.policy import FailOn, GateOptions
from semiaudit.spec.policy.policy_reader import load_policy
from tests.gate.specs import BASE, HOLDS, NO_BUDGET, TODAY, rules, sha256_of, spec, verdict


def gate(folder: Path, text: str) -> GateOptions:
    path = spec(folder, f"semiaudit_policy: 1\n{text}", "policy.yaml")
    return GateOptions(policy=load_policy(path), today=TODAY)


def test_a_policy_gives_budgets_to_a_spec_without_any(tmp_path: Path) -> None:
    # rho of semi_dp is 9 * 0.5 = 4.5.
    held = verdict(tmp_path, NO_BUDGET, gate(tmp_path, "budgets: [{framework: semi_dp, rho: 4.5}]"))
    assert held.outcome == "holds"
    assert [result.budget.policy for result in held.budgets] == [True]
    above = gate(tmp_path, "budgets: [{framework: semi_dp, rho: 4.4}]")
    assert verdict(tmp_path, NO_BUDGET, above).outcome == "exceeds"


def test_a_spec_may_tighten_a_budget_and_not_loosen_it(tmp_path: Path) -> None:
    rule = gate(tmp_path, "budgets: [{framework: semi_dp, rho: 4.8}]")
    tighter = HOLDS.replace("rho: 5}", "rho: 4.6}")
    assert verdict(tmp_path, tighter, rule).outcome == "holds"
    equal = HOLDS.replace("rho: 5}", "rho: 4.8}")
    assert verdict(tmp_path, equal, rule).outcome == "holds"
    looser = verdict(tmp_path, HOLDS, rule)
    assert looser.outcome == "exceeds"
    assert rules(looser) == ["SA029"]
    told = next(f for f in looser.findings if f.rule == "SA029")
    assert (told.mark.line, "allows 5, and the policy allows 4.8" in told.message) == (6, True)


def test_of_two_limits_of_a_policy_the_tighter_one_counts(tmp_path: Path) -> None:
    for limits in ((4.6, 4.8), (4.8, 4.6)):
        lines = ", ".join(f"{{framework: semi_dp, rho: {limit}}}" for limit in limits)
        rule = gate(tmp_path, f"budgets: [{lines}]")
        for own, expected in (("4.6", []), ("4.7", ["SA029"]), ("4.9", ["SA029"])):
            found = verdict(tmp_path, HOLDS.replace("rho: 5}", f"rho: {own}}}"), rule)
            assert rules(found) == expected
            assert found.outcome == ("exceeds" if expected else "holds")


def test_a_budget_at_another_delta_is_another_budget(tmp_path: Path) -> None:
    rule = gate(tmp_path, "budgets: [{framework: semi_dp, epsilon: 40, delta: 1e-10}]")
    other = HOLDS.replace("rho: 5}", "epsilon: 50, delta: 1e-6}")
    found = verdict(tmp_path, other, rule)
    assert rules(found) == []
    assert len(found.budgets) == 2
    same = HOLDS.replace("rho: 5}", "epsilon: 50, delta: 1e-10}")
    assert rules(verdict(tmp_path, same, rule)) == ["SA029"]


@pytest.mark.parametrize(
    ("least", "adjacency", "loosened"),
    [
        ("metric: hamming", "metric: hamming", False),
        ("metric: hamming", "metric: multiset_hamming", True),
        ("metric: multiset_hamming", "metric: hamming", False),
        ("metric: multiset_hamming", "metric: symmetric_difference", True),
        ("metric: symmetric_difference", "metric: multiset_hamming", True),
        ("reading: covering", "reading: covering", False),
        ("reading: covering", "reading: definition_13", True),
        ("reading: definition_13", "reading: covering", False),
        ("distance: 3", "reading: covering", False),
        ("distance: 4", "reading: covering", True),
        ("distance: 4", "distance: 4", False),
        ("distance: 3", "reading: definition_13", True),
    ],
)
def test_metric_reading_and_distance_have_a_least(
    least: str, adjacency: str, loosened: bool, tmp_path: Path
) -> None:
    rule = gate(tmp_path, f"least: {{{least}}}\nbudgets: [{{framework: nominal_dp, rho: 9}}]")
    text = NO_BUDGET.replace("size: 100, ", "").replace("[margin: [a]", "[total, margin: [a]")
    found = verdict(tmp_path, f"{text}adjacency: {{{adjacency}}}\n", rule)
    assert found.outcome == ("exceeds" if loosened else "holds")
    assert sorted(set(rules(found))) == (["SA029"] if loosened else [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("budgets: [{framework: semi_dp}]", "needs exactly one limit"),
        ("least: {metrics: hamming}", "metrics is not a known key; did you mean metric?"),
        ("least: {metric: euclid}", "is not one of"),
        ("title: nothing", "requires nothing"),
        ("bugets: []", "bugets is not a known key; did you mean budgets?"),
        ("fail-on: [SA028]", "fail-on is not a known key; did you mean fail_on?"),
        ("fail_on: SA028", "fail_on: must be a list"),
        ("fail_on: [SA1]", "fail_on[0]: SA1 is not a rule; did you mean SA001?"),
        ("fail_on: [SAX]", "fail_on[0]: SAX is not a rule; name one of SA001, SA002"),
        ("fail_on: [SA028, SA027]", "fail_on[1]: SA027 always fails; remove it"),
        ("fail_on: [SA030]", "SA030 has a key of its own; write require_budgets: true"),
        ("fail_on: []", "requires nothing; add budgets, least, fail_on, or require_budgets: true"),
        ("title: [a]\nbudgets: [{framework: semi_dp, rho: 1}]", "must be text"),
    ],
)
def test_a_faulty_policy_is_refused_at_its_place(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=re.escape(message)) as caught:
        gate(tmp_path, text)
    assert all(problem.line for problem in caught.value.problems)
    assert len(caught.value.problems) == 1


def test_a_spec_is_no_policy(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="is not a semiaudit_policy file"):
        load_policy(spec(tmp_path, HOLDS))


def test_the_policy_judges_by_itself_whatever_waivers_the_spec_has(tmp_path: Path) -> None:
    rule = gate(tmp_path, "budgets: [{framework: semi_dp, rho: 4}]")
    text = HOLDS.replace("rho: 5}", "rho: 4}") + (
        "waivers: [{rule: SA013, framework: semi_dp, measure: rho, accepted: 9, reason: why not, "
        "approver: me, expires: 2027-01-01}]\n"
    )
    assert verdict(tmp_path, text).outcome == "holds"
    found = verdict(tmp_path, text, replace(rule))
    assert found.outcome == "exceeds"
    assert [result.waived is not None for result in found.budgets] == [True, False]


SIZED = BASE + "mechanism: {zcdp: {rho: 0.5}}\nbudgets: [{framework: nominal_dp, rho: 1}]\n"
TOTAL = SIZED.replace("size: 100, ", "").replace("[margin: [a]", "[total, margin: [a]")
FREE = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\nmechanism: {zcdp: {rho: 0.5}}\n"
    "budgets: [{framework: nominal_dp, rho: 1}]\n"
)
"""Datasets of any size: only a metric that compares sizes speaks of them."""

IN_A_ROW = FREE + "invariants: [linear: [[1, 1, 1, 1]]]\n"
"""The number of records is published, as a row over all cells."""


@pytest.mark.parametrize(
    ("text", "adjacency", "least", "told"),
    [
        (SIZED, "", "", []),
        (SIZED, "reading: definition_13", "", ["SA029"]),
        (SIZED, "reading: definition_13", "metric: hamming", ["SA029"]),
        (SIZED, "reading: definition_13", "reading: definition_13", []),
        (SIZED, "metric: multiset_hamming", "", ["SA029"]),
        (TOTAL, "metric: symmetric_difference", "", ["SA029"]),
        (IN_A_ROW, "metric: symmetric_difference", "", ["SA029"]),
        (SIZED, "metric: multiset_hamming", "metric: multiset_hamming", []),
        (SIZED, "metric: multiset_hamming", "metric: symmetric_difference", ["SA029"]),
        (FREE, "metric: symmetric_difference", "", []),
        (FREE, "metric: symmetric_difference", "metric: hamming", ["SA029"]),
        # covering a(t) is 3; SA006 is the audit's own word on it
        (SIZED, "distance: 3", "", []),
        (SIZED, "distance: 2", "", ["SA006", "SA029"]),
        (SIZED, "distance: 2", "reading: covering", ["SA006", "SA029"]),
        (SIZED, "distance: 2", "distance: 3", ["SA006", "SA029"]),
    ],
)
def test_what_promises_less_than_the_default_needs_the_policy_s_word(
    text: str, adjacency: str, least: str, told: list[str], tmp_path: Path
) -> None:
    rule = gate(tmp_path, f"least: {{{least}}}") if least else GateOptions(today=TODAY)
    found = verdict(tmp_path, f"{text}adjacency: {{{adjacency}}}\n" if adjacency else text, rule)
    assert rules(found) == told
    assert found.outcome == ("exceeds" if told else "holds")
    never = verdict(tmp_path, f"{text}adjacency: {{{adjacency}}}\n", replace(rule, fail_on="never"))
    assert (never.outcome == "exceeds") is ("SA029" in told)


def test_what_the_policy_allows_fails_at_no_level(tmp_path: Path) -> None:
    cases = {
        "distance: 2": "SA006",
        "reading: definition_13": "SA005",
        "metric: multiset_hamming": "SA009",
    }
    for words, rule in cases.items():
        allows = replace(gate(tmp_path, f"least: {{{words}}}"), fail_on="warning")
        text = f"{SIZED}adjacency: {{{words}}}\n"
        found = verdict(tmp_path, text, allows)
        assert rule in [finding.rule for finding in found.findings]
        failing = {f.rule for f in found.findings if f.level != "note"} - {rule}
        waived = [
            Waiver(r, "r", "a", date.max, spec="*", sha256=found.sha256) for r in sorted(failing)
        ]
        assert found.outcome == "exceeds"
        again = verdict(tmp_path, text, replace(allows, waivers=tuple(waived)))
        assert again.outcome == "holds"


def test_a_policy_may_ask_for_budgets_and_no_more(tmp_path: Path) -> None:
    asks = replace(gate(tmp_path, "require_budgets: true"), budgets=False)
    assert verdict(tmp_path, NO_BUDGET, asks).exit_code == 3
    assert verdict(tmp_path, HOLDS, asks).exit_code == 0
    quiet = GateOptions(today=TODAY, budgets=False)
    assert verdict(tmp_path, NO_BUDGET, quiet).exit_code == 0
    with pytest.raises(SpecError, match="must be true or false"):
        gate(tmp_path, "require_budgets: yes")
    with pytest.raises(SpecError, match="requires nothing"):
        gate(tmp_path, "require_budgets: false")


ONLY_NOMINAL = "budgets: [{framework: nominal_dp, rho: 9}]\n"


@pytest.mark.parametrize(
    ("fail_on", "errors"),
    [("[SA016]", ["SA016"]), ("[SA001, SA016]", ["SA001", "SA016"]), ("[SA007]", [])],
)
@pytest.mark.parametrize("level", ["error", "never"])
def test_a_policy_names_the_warnings_that_fail(
    fail_on: str, errors: list[str], level: FailOn, tmp_path: Path
) -> None:
    # SA001: margins are published exactly; SA016: no budget is on a guarantee inside D_t.
    plain = gate(tmp_path, ONLY_NOMINAL)
    found = verdict(tmp_path, NO_BUDGET, plain)
    assert (found.outcome, rules(found, "warning")) == ("holds", ["SA001", "SA016", "SA037"])
    rule = replace(gate(tmp_path, f"{ONLY_NOMINAL}fail_on: {fail_on}"), fail_on=level)
    found = verdict(tmp_path, NO_BUDGET, rule)
    assert (found.outcome, rules(found)) == ("exceeds" if errors else "holds", errors)
    others = [name for name in ("SA001", "SA016", "SA037") if name not in errors]
    assert rules(found, "warning") == others


def test_a_policy_can_fail_on_a_note_and_a_waiver_in_a_file_accepts_what_it_fails_on(
    tmp_path: Path,
) -> None:
    near = HOLDS.replace("rho: 5}", "rho: 4.5}")
    found = verdict(tmp_path, near, gate(tmp_path, "fail_on: [SA015]"))
    assert (found.outcome, rules(found)) == ("exceeds", ["SA015"])
    rule = gate(tmp_path, f"{ONLY_NOMINAL}fail_on: [SA016]")
    waiver = Waiver("SA016", "r", "a", date.max, None, spec="*", sha256=sha256_of(NO_BUDGET))
    found = verdict(tmp_path, NO_BUDGET, replace(rule, waivers=(waiver,)))
    assert (found.outcome, rules(found)) == ("holds", [])


def test_what_a_policy_both_allows_and_fails_on_fails(tmp_path: Path) -> None:
    text = NO_BUDGET + "adjacency: {reading: definition_13}\n"
    allowed = f"{ONLY_NOMINAL}least: {{reading: definition_13}}\n"
    assert verdict(tmp_path, text, gate(tmp_path, allowed)).outcome == "holds"
    found = verdict(tmp_path, text, gate(tmp_path, f"{allowed}fail_on: [SA005]"))
    assert (found.outcome, rules(found)) == ("exceeds", ["SA005"])


def test_a_policy_can_fail_on_a_spec_that_the_baseline_lacks_and_on_an_unused_waiver(
    tmp_path: Path,
) -> None:
    path = spec(tmp_path, HOLDS)
    waiver = Waiver("SA016", "r", "a", date.max, None, spec="*", sha256="0" * 64, file="w.yaml")
    options = replace(gate(tmp_path, "fail_on: [SA025, SA028]"), baseline=(), waivers=(waiver,))
    found = check(specs_under([str(path)]), time_limit=600, gate=options)
    assert [verdict.outcome for verdict in found] == ["exceeds", "exceeds"]
    assert [rules(verdict) for verdict in found] == [["SA028"], ["SA025"]]
    found = check(specs_under([str(path)]), time_limit=600, gate=replace(options, policy=None))
    assert [verdict.outcome for verdict in found] == ["holds", "holds"]
