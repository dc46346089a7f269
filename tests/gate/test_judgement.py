"""The judgement of an audit whose findings and budgets are written down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import product
from typing import Any, get_args

import pytest

from semiaudit.errors import Mark
from semiaudit.gate.judgement import Judgement, is_fatal, judged, prepared
from semiaudit.gate.waivers import SpecFile
from semiaudit.model.audit import LEVELS, Audit, Budget, BudgetResult, Finding, Level, Waiver
from semiaudit.model.bound import Bound
from semiaudit.model.policy import Earlier, FailOn, GateOptions, Policy
from semiaudit.model.rules import OF_THE_AUDIT
from tests.gate.specs import HOLDS, TODAY, audited

FILE = SpecFile("/releases/x.yaml", False, "a" * 64, frozenset({"a" * 64}))
GATE = GateOptions(today=TODAY)
HERE, THERE = Mark(3, 5), Mark(8, 2)


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Two one-way margins and a budget on semi_dp; nothing else is found of it."""
    found = audited(tmp_path_factory.mktemp("judgement"), HOLDS)
    return replace(found, findings=())


def limit(value: float, **more: Any) -> Budget:
    budget = Budget("semi_dp", "rho", Fraction(str(value)), mark=HERE)
    return replace(budget, **more)


def bound(value: float) -> Bound:
    known = value if math.isinf(value) else Fraction(str(value))
    return Bound(known, "upper", "m", "s")


def result(
    value: float | None, most: float, rule: str = "", reason: str = "", **more: Any
) -> BudgetResult:
    actual = None if value is None else bound(value)
    return BudgetResult(limit(most, **more), actual, not rule, reason, rule)


def with_results(audit: Audit, *results: BudgetResult) -> Audit:
    release = replace(audit.release, budgets=tuple(r.budget for r in results))
    return replace(audit, release=release, budgets=results)


def waiver(rule: str, *, inside: bool = False, **more: Any) -> Waiver:
    found = Waiver(rule, "r", "a", date.max, spec="*", sha256="a" * 64, mark=THERE, inside=inside)
    return replace(found, **more)


def rules(found: Judgement) -> list[tuple[str, Level]]:
    return [(f.rule, f.level) for f in found.findings]


@pytest.mark.parametrize(("level", "fail_on"), list(product(LEVELS, get_args(FailOn))))
def test_a_finding_fails_from_the_level_that_is_asked_for(level: Level, fail_on: FailOn) -> None:
    fatal = {"error": {"error"}, "warning": {"error", "warning"}, "never": set()}[fail_on]
    finding = Finding("SA001", level, "m")
    assert is_fatal(finding, fail_on) is (level in fatal)
    assert not is_fatal(replace(finding, waived=waiver("SA001")), fail_on)
    assert not is_fatal(replace(finding, rule="SA030"), fail_on)


@pytest.mark.parametrize(("level", "fail_on"), list(product(LEVELS, get_args(FailOn))))
def test_what_the_audit_found_fails_by_its_level_alone(
    level: Level, fail_on: FailOn, audit: Audit
) -> None:
    given = replace(audit, findings=(Finding("SA004", level, "m", HERE),))
    found = judged(given, replace(GATE, fail_on=fail_on), FILE)
    assert found.fails is is_fatal(given.findings[0], fail_on)
    shown = "error" if found.fails else level
    assert (rules(found), found.budgets) == ([("SA004", shown)], audit.budgets)


@pytest.mark.parametrize("fail_on", get_args(FailOn))
def test_a_budget_that_does_not_hold_fails_at_every_level(fail_on: FailOn, audit: Audit) -> None:
    failing = with_results(audit, result(4.5, 4, "SA013", "above its limit"))
    assert judged(failing, replace(GATE, fail_on=fail_on), FILE).fails
    assert not judged(audit, replace(GATE, fail_on=fail_on), FILE).fails


@pytest.mark.parametrize(
    ("failing", "message"),
    [
        (
            result(4.56789012, 4.1234567, "SA013", "above its limit"),
            "the budget for ρ of Semi-DP (effective) failed: above its limit "
            "(limit 4.123456, certified 4.568)",
        ),
        (
            result(None, 4, "SA020", "no rho is known", policy=True),
            "the policy's budget for ρ of Semi-DP (effective) failed: no rho is known (limit 4)",
        ),
        (
            result(math.inf, 4, "SA013", "above its limit"),
            "the budget for ρ of Semi-DP (effective) failed: above its limit "
            "(limit 4, certified infinite)",
        ),
    ],
)
def test_a_budget_that_does_not_hold_is_reported_with_its_number_and_its_limit(
    failing: BudgetResult, message: str, audit: Audit
) -> None:
    found = judged(with_results(audit, failing), GATE, FILE)
    (finding,) = [f for f in found.findings if f.rule == failing.rule]
    assert finding == Finding(failing.rule, "error", message, HERE, failing.budget.key)


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(
    ("change", "waives"),
    [
        ({}, True),
        ({"framework": "semi_dp", "measure": "rho"}, True),
        ({"framework": "nominal_dp"}, False),
        ({"measure": "mu"}, False),
        ({"at": Fraction(1, 10)}, False),
        ({"distance": 3}, False),
        ({"accepted": Fraction(9, 2)}, True),
        ({"accepted": Fraction(44, 10)}, False),
        ({"accepted": None}, False),
        ({"rule": "SA014"}, False),
    ],
)
def test_a_waiver_is_met_by_the_budget_that_it_names(
    change: dict[str, Any], waives: bool, inside: bool, audit: Audit
) -> None:
    failing = with_results(audit, result(4.5, 4, "SA013", "above its limit"))
    given = replace(waiver("SA013", inside=inside, accepted=Fraction(5)), **change)
    known = (given,) if inside else ()
    release = replace(failing.release, waivers=known)
    gate = replace(GATE, waivers=() if inside else (given,))
    found = judged(replace(failing, release=release), gate, FILE)
    assert found.fails is not waives
    assert [r.waived for r in found.budgets] == [given if waives else None]
    assert [f.waived for f in found.findings if f.rule == "SA013"] == [given if waives else None]


@pytest.mark.parametrize(
    ("at", "distance", "waives"),
    [
        (Fraction(1, 10), None, True),
        (Fraction(1, 20), None, False),
        (None, 3, True),
        (None, 2, False),
    ],
)
def test_a_waiver_names_delta_and_distance(
    at: Fraction | None, distance: int | None, waives: bool, audit: Audit
) -> None:
    budget = limit(4, measure="epsilon", at=Fraction(1, 10), distance=3)
    failing = BudgetResult(budget, bound(4.5), False, "", "SA013")
    given = waiver("SA013", accepted=Fraction(5), at=at, distance=distance)
    found = judged(with_results(audit, failing), replace(GATE, waivers=(given,)), FILE)
    assert found.fails is not waives
    assert found.used == ((0,) if waives else ())


def test_no_waiver_inside_a_spec_is_over_a_policy_or_a_finding(audit: Audit) -> None:
    own = (waiver("SA013", inside=True, accepted=Fraction(5)), waiver("SA004", inside=True))
    failing = with_results(audit, result(4.5, 4, "SA013", "above its limit", policy=True))
    given = replace(
        failing,
        release=replace(failing.release, waivers=own),
        findings=(Finding("SA004", "error", "m"),),
    )
    found = judged(given, GATE, FILE)
    assert found.fails
    assert all(f.waived is None for f in found.findings)
    assert rules(found).count(("SA025", "warning")) == 2


def test_a_finding_of_a_rule_that_cannot_be_waived_is_not(audit: Audit) -> None:
    for rule in ("SA017", "SA019", "SA031"):
        given = replace(audit, findings=(Finding(rule, "error", "m", HERE),))
        found = judged(given, replace(GATE, waivers=(waiver(rule),)), FILE)
        assert found.fails
        assert [f.waived for f in found.findings] == [None]


@pytest.mark.parametrize("rule", sorted(OF_THE_AUDIT))
def test_a_waiver_for_other_content_is_reported_where_the_finding_is(
    rule: str, audit: Audit
) -> None:
    given = replace(audit, findings=(Finding(rule, "error", "m", HERE),))
    valid = judged(given, replace(GATE, waivers=(waiver(rule),)), FILE)
    assert (valid.fails, valid.used) == (False, (0,))
    other = waiver(rule, sha256="b" * 64, file="w.yaml")
    found = judged(given, replace(GATE, waivers=(other,)), FILE)
    assert found.fails
    (finding,) = [f for f in found.findings if f.rule == "SA025"]
    assert (finding.level, finding.mark) == ("warning", HERE)
    assert "w.yaml" in finding.message


def test_an_unused_waiver_of_a_spec_fails_where_warnings_do(audit: Audit) -> None:
    release = replace(audit.release, waivers=(waiver("SA013", inside=True, accepted=Fraction(9)),))
    given = replace(audit, release=release)
    for fail_on in get_args(FailOn):
        fails = fail_on == "warning"
        found = judged(given, replace(GATE, fail_on=fail_on), FILE)
        level = "error" if fails else "warning"
        assert (rules(found), found.fails) == ([("SA025", level)], fails)


def test_an_expired_waiver_of_a_spec_fails_at_every_level(audit: Audit) -> None:
    old = waiver("SA013", inside=True, accepted=Fraction(9), expires=date(2026, 6, 30))
    given = replace(audit, release=replace(audit.release, waivers=(old,)))
    for fail_on in get_args(FailOn):
        found = judged(given, replace(GATE, fail_on=fail_on), FILE)
        assert (rules(found), found.fails) == ([("SA024", "error")], True)
        assert found.findings[0].mark == THERE


@pytest.mark.parametrize(
    ("value", "most", "margin", "near"),
    [
        (4.5, 5, Fraction(1, 20), False),
        (4.5, 5, Fraction(1, 10), False),
        (4.5, 5, Fraction(1, 9), True),
        (4.75, 5, Fraction(1, 20), False),
        (4.7500001, 5, Fraction(1, 20), True),
        (5, 5, Fraction(0), False),
        (5, 5, Fraction(1, 1000), True),
    ],
)
def test_a_number_above_the_margin_is_near_its_limit(
    value: float, most: float, margin: Fraction, near: bool, audit: Audit
) -> None:
    found = judged(with_results(audit, result(value, most)), replace(GATE, margin=margin), FILE)
    assert rules(found) == ([("SA015", "note")] if near else [])
    if near:
        assert found.findings[0].mark == HERE
        share = {Fraction(1, 9): "11.111112", Fraction(1, 20): "5", Fraction(1, 1000): "0.1"}[
            margin
        ]
        assert f"within {share}% of its limit" in found.findings[0].message
        assert found.findings[0].message.endswith("limit 5")


def test_a_limit_that_is_near_has_the_digits_that_order_it(audit: Audit) -> None:
    (finding,) = judged(with_results(audit, result(5.1234565, 5.1234567)), GATE, FILE).findings
    assert "certified 5.1234565, limit 5.1234567" in finding.message


def test_a_number_above_what_a_file_s_waiver_accepts_is_at_the_budget(audit: Audit) -> None:
    failing = with_results(audit, result(4.5, 4, "SA013", "above its limit"))
    small = waiver("SA013", accepted=Fraction(4))
    found = judged(failing, replace(GATE, waivers=(small,)), FILE)
    assert [(f.rule, f.mark) for f in found.findings] == [("SA013", HERE), ("SA026", HERE)]


def test_what_is_exceeded_and_a_cap_on_a_of_t_are_not_near(audit: Audit) -> None:
    cap = result(3, 3, measure="a_t")
    exceeded = result(4.5, 4.4, "SA013", "above its limit")
    held = result(1, 9)
    found = judged(with_results(audit, cap, exceeded, held), GATE, FILE)
    assert rules(found) == [("SA013", "error")]


def test_invariants_want_a_budget_on_a_guarantee_that_covers_them(audit: Audit) -> None:
    covering = [result(1, 9), result(1, 9, framework="invariant_dp")]
    other = [result(1, 9, framework=name) for name in ("nominal_dp", "group_privacy")]
    cap = result(1, 9, measure="a_t")
    for held in covering:
        assert rules(judged(with_results(audit, *other, held), GATE, FILE)) == []
    missing = with_results(audit, *other, cap)
    found = judged(missing, GATE, FILE)
    assert rules(found) == [("SA016", "warning")]
    assert found.findings[0].mark == HERE
    assert "semi_dp or invariant_dp" in found.findings[0].message
    # Where all budgets are a policy's, the first invariant is the place.
    of_policy = [replace(r, budget=replace(r.budget, policy=True)) for r in other]
    found = judged(with_results(audit, *of_policy), GATE, FILE)
    assert found.findings[0].mark == audit.release.invariants[0].mark != Mark()
    free = replace(missing, universe=replace(audit.universe, restricts=False))
    assert rules(judged(free, GATE, FILE)) == []


def test_an_audit_that_was_cut_short_and_one_without_budgets_are_reported(audit: Audit) -> None:
    assert rules(judged(replace(audit, incomplete_because=("time",)), GATE, FILE)) == [
        ("SA023", "warning")
    ]
    none = with_results(audit)
    for fail_on in get_args(FailOn):
        found = judged(none, replace(GATE, fail_on=fail_on), FILE)
        assert (rules(found), found.fails) == ([("SA030", "warning")], False)


def test_a_spec_is_unknown_to_a_baseline_only_where_there_is_one(audit: Audit) -> None:
    assert rules(judged(audit, GATE, FILE)) == []
    found = judged(audit, replace(GATE, baseline=()), FILE)
    assert rules(found) == [("SA028", "warning")]
    accepted = replace(GATE, baseline=(), fail_on="warning")
    assert judged(audit, accepted, FILE).fails
    assert not judged(audit, replace(accepted, waivers=(waiver("SA028"),)), FILE).fails


def test_drift_is_waived_by_a_file_alone_and_up_to_its_number(audit: Audit) -> None:
    given = tuple(map(str, audit.release.invariants))
    before = Earlier(audit.release.path, "hamming", "covering", 2, (), (), given)
    gate = replace(GATE, baseline=(before,))
    assert judged(audit, gate, FILE).fails
    for accepted, waives in ((3, True), (2, False)):
        over = waiver("SA027", accepted=Fraction(accepted), framework="semi_dp", measure="a_t")
        found = judged(audit, replace(gate, waivers=(over,)), FILE)
        assert found.fails is not waives
        above = [f for f in found.findings if f.rule == "SA026"]
        assert [f.mark for f in above] == ([] if waives else [audit.release.adjacency.mark])
        own = replace(audit.release, waivers=(replace(over, inside=True),))
        assert judged(replace(audit, release=own), gate, FILE).fails


def test_findings_come_by_whether_they_are_waived_then_by_level_rule_and_place(
    audit: Audit,
) -> None:
    order: Sequence[Finding] = (
        Finding("SA003", "error", "m", HERE),
        Finding("SA004", "error", "a", HERE),
        Finding("SA004", "error", "b", HERE),
        Finding("SA004", "error", "a", THERE),
        Finding("SA001", "warning", "m", HERE),
        Finding("SA001", "note", "m", HERE),
        Finding("SA002", "error", "m", HERE),
    )
    over = waiver("SA002")
    mixed = tuple(order[at] for at in (6, 3, 5, 1, 4, 0, 2))
    found = judged(replace(audit, findings=mixed), replace(GATE, waivers=(over,)), FILE)
    assert found.findings == (*order[:-1], replace(order[-1], waived=over))


def test_a_release_is_prepared_for_the_policy_and_the_baseline(audit: Audit) -> None:
    rule = Policy("p.yaml", "", (limit(7, policy=True),))
    before = Earlier(audit.release.path, "hamming", "covering", 3, (), ())
    release = audit.release
    assert prepared(release, GATE) == release
    found = prepared(release, replace(GATE, policy=rule, baseline=(before,)))
    assert found.budgets == (*release.budgets, *rule.budgets)
