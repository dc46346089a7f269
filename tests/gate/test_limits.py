"""Budgets that limit nothing, and deltas at which one whole record may be published."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import erfc, exp, sqrt
from pathlib import Path
from typing import get_args

import pytest

from semiaudit.model.audit import Level
from semiaudit.model.policy import NO_GATE, FailOn, GateOptions
from tests.gate.specs import HOLDS, NO_BUDGET, TODAY, rules, verdict
from tests.gate.test_policy import gate


def budgets(*lines: str) -> str:
    return "budgets:\n" + "".join(f"  - {{framework: semi_dp, {line}}}\n" for line in lines)


@pytest.mark.parametrize(
    ("measure", "known", "most", "none"),
    [
        ("epsilon", "pure_dp: {epsilon: 1}", "699.99", "700"),
        ("epsilon", "pure_dp: {epsilon: 1}", "41, delta: 1e-10", "10000, delta: 1e-10"),
        ("rho", "zcdp: {rho: 0.5}", "2799.99", "2800"),
        ("mu", "gdp: {mu: 1}", "74.99", "75"),
        ("advantage", "zcdp: {rho: 0.5}", "0.999", "1"),
        ("tpr", "zcdp: {rho: 0.5}", "0.999, fpr: 0.01", "1, fpr: 0.01"),
    ],
)
def test_a_limit_that_every_attack_meets_is_no_budget(
    measure: str, known: str, most: str, none: str, tmp_path: Path
) -> None:
    text = NO_BUDGET.replace("zcdp: {rho: 0.5}", known)
    assert "SA033" not in rules(verdict(tmp_path, text + budgets(f"{measure}: {most}")))
    found = verdict(tmp_path, text + budgets(f"{measure}: {none}"))
    assert [result.holds for result in found.budgets] == [True]
    assert (found.outcome, rules(found)) == ("exceeds", ["SA033"])
    (finding,) = [f for f in found.findings if f.rule == "SA033"]
    assert (finding.mark.line, finding.mark.column) == (6, 5)


def test_from_the_three_limits_on_error_rates_are_below_1e_300() -> None:
    def error(mu: float) -> float:
        return erfc(mu / 2 / sqrt(2)) / 2

    assert exp(-700) < 1e-300 < exp(-690)
    assert error(75) < 1e-300 < error(74)
    assert error(sqrt(2 * 2800)) < 1e-300 < error(sqrt(2 * 2700))


def test_of_a_budget_that_failed_nothing_else_is_said(tmp_path: Path) -> None:
    # zCDP has no pure epsilon.
    found = verdict(tmp_path, NO_BUDGET + budgets("epsilon: 10000"))
    assert rules(found) == ["SA020"]


def test_a_policy_whose_only_budget_limits_nothing_passes_no_spec(tmp_path: Path) -> None:
    options = gate(tmp_path, budgets("rho: 10000"))
    found = verdict(tmp_path, NO_BUDGET, options)
    assert (found.outcome, rules(found)) == ("exceeds", ["SA033"])
    assert verdict(tmp_path, NO_BUDGET, replace(options, fail_on="never")).outcome == "exceeds"


@pytest.mark.parametrize(
    ("delta", "size", "large"),
    [
        ("0.999", "size: 100, ", True),
        ("0.01", "size: 100, ", True),
        ("0.00999", "size: 100, ", False),
        ("1e-10", "size: 100, ", False),
        ("0.5", "", True),
        ("0.499", "", False),
    ],
)
def test_a_delta_of_one_record_in_all_is_a_warning_and_of_a_half_an_error(
    delta: str, size: str, large: bool, tmp_path: Path
) -> None:
    # One of n records published in full, at random, is (0, 1/n)-DP.
    text = NO_BUDGET.replace("size: 100, ", size) + budgets(f"epsilon: 99, delta: {delta}")
    found = verdict(tmp_path, text)
    fails = Fraction(delta) >= Fraction(1, 2)
    assert found.outcome == ("exceeds" if fails else "holds")
    level: Level = "error" if fails else "warning"
    assert ("SA034" in rules(found, level)) is large


def test_the_number_of_records_is_that_of_the_published_counts(tmp_path: Path) -> None:
    text = NO_BUDGET.replace("size: 100, ", "").replace(
        "mechanism", "data: {margins: {a: [4, 6], b: [5, 5]}}\nmechanism"
    )
    for delta in (Fraction(1, 10), Fraction(1, 11)):
        found = verdict(tmp_path, text + budgets(f"epsilon: 99, delta: {delta}"))
        assert ("SA034" in rules(found, "warning")) is (delta >= Fraction(1, 10))


def test_an_audit_without_a_gate_fails_on_such_a_budget_too(tmp_path: Path) -> None:
    options = replace(NO_GATE, today=TODAY)
    assert verdict(tmp_path, NO_BUDGET + budgets("advantage: 1"), options).outcome == "exceeds"


@pytest.mark.parametrize(
    ("delta", "level"), [("0.4999", "warning"), ("0.5", "error"), ("0.999", "error")]
)
def test_a_delta_of_a_half_or_more_fails_at_every_level(
    delta: str, level: Level, tmp_path: Path
) -> None:
    text = HOLDS.replace("rho: 5}", f"epsilon: 1, delta: {delta}}}").replace(
        "rho: 0.5}", "rho: 0.01}"
    )
    for fail_on in get_args(FailOn)[::2]:
        found = verdict(tmp_path, text, GateOptions(today=TODAY, fail_on=fail_on))
        assert "SA034" in rules(found, level)
        assert found.outcome == ("exceeds" if level == "error" else "holds")


STILL = "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}, size: 10}\ninvariants: [margin: [a]]\n"
NOISE = "gaussian: {sigma: 1, query: {margins: [[a]]}}"
WHY = "waivers: [{rule: SA038, reason: r, approver: a, expires: 2030-01-01}]\n"


@pytest.mark.parametrize(
    "mechanism",
    [
        NOISE,
        NOISE.replace("gaussian: {sigma", "laplace: {scale"),
        "gaussian: {sigma: 1, shifts: [0, 0]}",
        "discrete_laplace: {scale: 1, shifts: [0]}",
        "zcdp: {rho: 0, neighbors: replace_one}",
        "pure_dp: {epsilon: 0, neighbors: replace_one}",
        f"compose: [{{{NOISE}}}, {{zcdp: {{rho: 0.1, neighbors: replace_one}}}}]",
    ],
)
def test_what_cannot_change_passes_no_budget_unless_the_spec_says_why(
    tmp_path: Path, mechanism: str
) -> None:
    text = f"{STILL}mechanism: {{{mechanism}}}\n{budgets('epsilon: 9, delta: 0.01')}"
    found = verdict(tmp_path, text)
    assert (found.outcome, "SA038" in rules(found, "error")) == ("exceeds", True)
    assert verdict(tmp_path, text + WHY).outcome == "holds"


@pytest.mark.parametrize(
    "mechanism",
    [
        NOISE.replace("[a]", "[a, b]"),
        "gaussian: {sigma: 1, shifts: [0, 1]}",
        "approx_dp: {epsilon: 0, delta: 0.01, neighbors: replace_one}",
    ],
)
def test_what_can_change_has_no_such_finding(tmp_path: Path, mechanism: str) -> None:
    text = f"{STILL}mechanism: {{{mechanism}}}\n{budgets('epsilon: 99, delta: 0.03')}"
    assert "SA038" not in {finding.rule for finding in verdict(tmp_path, text).findings}
