"""Waivers: valid until a day, up to a number, for what they name, and never unnoticed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from semiaudit.errors import SpecError
from semiaudit.gate.waivers import is_valid
from semiaudit.model.policy import GateOptions
from semiaudit.model.waiver import WAIVABLE, Waiver
from semiaudit.spec.policy import load_waivers
from semiaudit.workflow.checking.discovery import specs_under
from semiaudit.workflow.checking.gate import check
from tests.gate.specs import EXCEEDS, HOLDS, TODAY, rules, spec, verdict

WAIVER = (
    "{rule: SA013, framework: semi_dp, measure: rho, accepted: 4.5, reason: agreed in May, "
    "approver: the board, expires: 2026-07-01}"
)
WAIVED = f"{EXCEEDS}waivers:\n  - {WAIVER}\n"


def test_a_valid_waiver_makes_the_budget_count_as_holding_and_is_shown(tmp_path: Path) -> None:
    assert verdict(tmp_path, EXCEEDS).outcome == "exceeds"
    found = verdict(tmp_path, WAIVED)
    assert found.outcome == "holds"
    result = found.budgets[0]
    assert not result.holds
    assert result.waived is not None
    assert result.waived.approver == "the board"
    assert [f.rule for f in found.findings if f.waived] == ["SA013"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("accepted: 4.5", "accepted: 4.499999999999"), "SA026"),
        (("2026-07-01", "2026-06-30"), "SA024"),
    ],
)
def test_a_number_above_the_accepted_one_or_a_day_too_late_fails_again(
    change: tuple[str, str], told: str, tmp_path: Path
) -> None:
    # rho is exactly 4.5, and the day is 2026-07-01.
    found = verdict(tmp_path, WAIVED.replace(*change))
    assert found.outcome == "exceeds"
    assert rules(found) == ["SA013", told]


@pytest.mark.parametrize(
    "change",
    [
        ("rule: SA013", "rule: SA014"),
        ("framework: semi_dp, measure", "framework: group_privacy, measure"),
        ("measure: rho", "measure: mu"),
        ("measure: rho", "measure: epsilon, delta: 1e-6"),
    ],
)
def test_a_waiver_of_something_else_waives_nothing_and_is_told(
    change: tuple[str, str], tmp_path: Path
) -> None:
    found = verdict(tmp_path, WAIVED.replace(*change))
    assert found.outcome == "exceeds"
    assert "SA025" in rules(found, "warning")


def test_an_expired_waiver_fails_even_where_it_is_not_needed(tmp_path: Path) -> None:
    text = WAIVED.replace("rho: 4.4}", "rho: 5}")
    assert verdict(tmp_path, text).outcome == "holds"
    late = GateOptions(today=date(2026, 7, 2))
    found = verdict(tmp_path, text, late)
    assert found.outcome == "exceeds"
    assert rules(found) == ["SA024"]


def test_without_a_day_no_waiver_is_valid() -> None:
    waiver = Waiver("SA013", "r", "a", date.max)
    assert is_valid(waiver, TODAY)
    assert not is_valid(waiver, None)


def test_waivers_of_a_file_reach_policies_and_specs_by_glob(tmp_path: Path) -> None:
    spec(tmp_path, EXCEEDS, "one.semiaudit.yaml")
    spec(tmp_path, EXCEEDS, "two.semiaudit.yaml")
    text = "semiaudit_waivers: 1\nwaivers:\n  - " + WAIVER.replace("}", ", spec: '*/one.*'}")
    path = spec(tmp_path, text, "waivers.yaml")
    gate = GateOptions(waivers=load_waivers(path), today=TODAY)
    found = check(specs_under([str(tmp_path)]), time_limit=600, gate=gate)
    assert [(Path(v.path).name, v.outcome) for v in found] == [
        ("one.semiaudit.yaml", "holds"),
        ("two.semiaudit.yaml", "exceeds"),
    ]
    assert found[0].used == (0,)


def test_what_waiver_files_are_worth_is_told_once_for_the_whole_run(tmp_path: Path) -> None:
    for name in ("one", "two"):
        spec(tmp_path, HOLDS, f"{name}.semiaudit.yaml")
    path = spec(tmp_path, f"semiaudit_waivers: 1\nwaivers:\n  - {WAIVER}\n", "waivers.yaml")
    gate = GateOptions(waivers=load_waivers(path), today=TODAY)
    unused = check(specs_under([str(tmp_path)]), time_limit=600, gate=gate)
    assert [(v.kind, v.outcome) for v in unused] == [("spec", "holds")] * 2 + [("waivers", "holds")]
    assert rules(unused[-1], "warning") == ["SA025"]
    assert unused[-1].findings[0].mark.line == 3
    expired = check(
        specs_under([str(tmp_path)]), time_limit=600, gate=replace(gate, today=date(2030, 1, 1))
    )
    assert expired[-1].outcome == "exceeds"
    assert rules(expired[-1]) == ["SA024"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("rule: SA013", "rule: SA017"), "SA017 cannot be waived"),
        (("accepted: 4.5, ", ""), "accepts no number"),
        (("approver: the board, ", ""), "approver is missing"),
        (("reason: agreed in May, ", ""), "reason is missing"),
        ((", expires: 2026-07-01", ""), "expires is missing"),
        (("2026-07-01", "1.7.2026"), "is no date"),
        (("2026-07-01", "2026-02-30"), "is no date"),
        (("measure: rho", "measure: epsilon"), "does not say at which delta"),
        (("measure: rho, ", ""), "does not say of which budget"),
        (("rule: SA013", "rule: SA013, spec: x"), "speaks of it alone"),
    ],
)
def test_a_waiver_that_does_not_say_enough_is_refused(
    change: tuple[str, str], message: str, tmp_path: Path
) -> None:
    found = verdict(tmp_path, WAIVED.replace(*change))
    assert found.outcome == "unaudited"
    assert any(message in str(problem) for problem in found.problems)
    assert all(problem.line == 8 for problem in found.problems)


def test_a_file_of_waivers_must_be_one(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="is no semiaudit_waivers file"):
        load_waivers(spec(tmp_path, HOLDS))
    with pytest.raises(SpecError, match="waivers is missing"):
        load_waivers(spec(tmp_path, "semiaudit_waivers: 1\n"))


def test_an_empty_statement_can_never_be_waived() -> None:
    assert set(WAIVABLE) == {"SA013", "SA014", "SA027", "SA029"}
