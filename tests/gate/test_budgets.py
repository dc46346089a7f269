"""Budgets before the gate: nothing holds by an empty statement or by a bound that is too loose."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path

import pytest

from semiaudit.deadline import OutOfTimeError
from semiaudit.model.policy import GateOptions
from tests.gate.specs import BASE, EXCEEDS, FAR, HOLDS, NO_BUDGET, OPEN, TODAY, rules, verdict
from tests.samples import sampled


def budget(*lines: str) -> str:
    return "".join(f"  - {{{line}}}\n" for line in lines)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (EXCEEDS, "SA013"),
        (HOLDS.replace("rho: 5}", "mu: 5}"), "SA020"),
        (HOLDS.replace("rho: 5}", "epsilon: 500}"), "SA020"),
        (
            BASE + "mechanism: {zcdp: {rho: 0.01}}\nbudgets: [{framework: nominal_dp, mu: 99}]\n",
            "SA020",
        ),
        (
            "semiaudit: 1\ndataspace: {attributes: {a: 3}}\ninvariants: [margin: [a]]\n"
            "data: {margins: {a: [3, 0, 0]}}\nmechanism: {zcdp: {rho: 0.01}}\n"
            "budgets: [{framework: semi_dp, rho: 10}]\n",
            "SA017",
        ),
        (
            "semiaudit: 1\ndataspace: {attributes: {a: 3}}\ninvariants: [margin: [a]]\n"
            "data: {margins: {a: [3, 0, 0]}}\nmechanism: {zcdp: {rho: 0.01}}\n"
            "budgets: [{framework: semi_dp, a_t: 10}]\n",
            "SA017",
        ),
        (
            "semiaudit: 1\ndataspace: {size: 10, attributes: {a: 3}}\n"
            "invariants: [margin: [a]]\ndata: {margins: {a: [3, 3, 4]}}\n"
            "mechanism: {zcdp: {rho: 0.01}}\nbudgets: [{framework: semi_dp, rho: 10}]\n",
            "SA018",
        ),
        (FAR + budget("framework: semi_dp, rho: 100"), "SA018"),
        (
            HOLDS.replace("mechanism", "adjacency: {distance: 2}\nmechanism"),
            "SA019",
        ),
        (BASE + "mechanism: {zcdp: {rho: 1}}\nbudgets: [{framework: semi_dp, a_t: 2}]\n", "SA013"),
    ],
)
def test_a_budget_that_does_not_hold_names_its_own_rule(
    text: str, rule: str, tmp_path: Path
) -> None:
    found = verdict(tmp_path, text)
    assert found.outcome == "exceeds"
    assert [result.rule for result in found.budgets] == [rule]
    assert rule in rules(found)


def test_the_nearest_other_table_decides_whether_a_statement_is_empty(tmp_path: Path) -> None:
    # E9: with every count 25 the nearest other table under all two-way margins is 4 records away.
    lines = budget(
        "framework: invariant_dp, rho: 100, distance: 3",
        "framework: invariant_dp, rho: 100, distance: 4",
    )
    found = verdict(tmp_path, FAR + lines)
    assert [result.rule for result in found.budgets] == ["SA019", ""]


def test_a_distance_inside_an_open_interval_counts_as_too_small(tmp_path: Path) -> None:
    # a(t) in [5, 6]: at 5 some changes of a record may have no counterpart; at 6 none lacks one.
    lines = budget(*(f"framework: invariant_dp, rho: 100, distance: {d}" for d in (4, 5, 6)))
    found = verdict(tmp_path, OPEN + lines)
    assert [result.rule for result in found.budgets] == ["SA019", "SA019", ""]
    line = budget("framework: semi_dp, rho: 100")
    for distance, rule in ((5, "SA019"), (6, "")):
        chosen = f"adjacency: {{distance: {distance}}}\nmechanism"
        found = verdict(tmp_path, OPEN.replace("mechanism", chosen) + line)
        assert [result.rule for result in found.budgets] == [rule]


@pytest.mark.parametrize("differ", [None, False, True])
def test_a_budget_holds_only_if_other_tables_are_known_to_be_near(
    differ: bool | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is not known counts as no: rho is 4.5, inside 5.
    monkeypatch.setattr("semiaudit.auditing.run.tables_differ", lambda *_: differ)
    found = verdict(tmp_path, HOLDS)
    assert found.outcome == ("holds" if differ else "exceeds")
    assert [result.rule for result in found.budgets] == ["" if differ else "SA018"]
    assert [result.holds for result in found.budgets] == [bool(differ)]


def test_where_time_ends_before_other_tables_are_found_a_budget_does_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(*_: object) -> None:
        raise OutOfTimeError

    monkeypatch.setattr("semiaudit.auditing.run.tables_differ", ended)
    found = verdict(tmp_path, HOLDS)
    assert [result.rule for result in found.budgets] == ["SA018"]
    assert "--time-limit" in found.budgets[0].reason


@pytest.mark.parametrize(
    ("line", "rule"),
    sampled(
        [
            ("framework: semi_dp, rho: 36", ""),
            ("framework: semi_dp, rho: 35.9", "SA014"),
            ("framework: semi_dp, rho: 25", "SA014"),
            ("framework: semi_dp, rho: 24.9", "SA013"),
            ("framework: group_privacy, rho: 25", "SA014"),
            ("framework: nominal_dp, rho: 0.9", "SA013"),
            ("framework: semi_dp, a_t: 6", ""),
            ("framework: semi_dp, a_t: 5", "SA014"),
            ("framework: semi_dp, a_t: 4", "SA013"),
        ],
        fast=(0, 2, 3, 7),
    ),
)
def test_a_bound_that_cannot_decide_fails_and_says_so(line: str, rule: str, tmp_path: Path) -> None:
    # a(t) in [5, 6]: rho is 25 at the lower end and 36 at the upper one.
    found = verdict(tmp_path, OPEN + budget(line))
    assert found.digest is not None
    assert found.digest.covering == (5, 6)
    assert [result.rule for result in found.budgets] == [rule]
    assert found.outcome == ("exceeds" if rule else "holds")
    if rule == "SA014":
        assert "undecided: " in found.budgets[0].reason


def test_a_limit_between_the_ends_of_epsilon_is_not_decided(tmp_path: Path) -> None:
    # epsilon of mu = 1 at delta = 1e-5 is 4.3771782... (mpmath); the two ends enclose it, and a
    # limit between them is neither held nor exceeded for certain.
    text = (
        "semiaudit: 1\ndataspace: {size: 9}\nmechanism: {gaussian: {sigma: 1, shifts: [1]}}\n"
        "budgets: [{framework: nominal_dp, epsilon: LIMIT, delta: 1e-5}]\n"
    )
    first = verdict(tmp_path, text.replace("LIMIT", "5")).budgets[0]
    assert first.actual is not None
    value = first.actual.value
    assert isinstance(value, Fraction)
    assert 4.377178 < value < 4.377179
    found = verdict(tmp_path, text.replace("LIMIT", f"{value - Fraction(1, 10**30)}"))
    assert found.outcome == "exceeds"
    assert found.budgets[0].rule == "SA014"


def test_a_budget_near_its_limit_is_told_and_the_margin_is_chosen(tmp_path: Path) -> None:
    # rho is exactly 4.5: inside 5 by 10 %.
    near = GateOptions(margin=Fraction(1, 9), today=TODAY)
    assert rules(verdict(tmp_path, HOLDS), "note") == []
    found = verdict(tmp_path, HOLDS, near)
    assert found.outcome == "holds"
    assert rules(found, "note") == ["SA015"]


@pytest.mark.parametrize(
    ("framework", "told"),
    [("nominal_dp", True), ("subspace_dp", True), ("group_privacy", True), ("semi_dp", False)],
)
def test_budgets_that_leave_the_invariants_out_are_told(
    framework: str, told: bool, tmp_path: Path
) -> None:
    found = verdict(tmp_path, HOLDS.replace("semi_dp, rho: 5", f"{framework}, rho: 50"))
    assert found.outcome == "holds"
    assert ("SA016" in rules(found, "warning")) is told


def test_without_a_budget_there_is_nothing_to_hold(tmp_path: Path) -> None:
    found = verdict(tmp_path, NO_BUDGET)
    assert (found.outcome, found.exit_code) == ("audited", 3)
    assert "SA030" in rules(found, "warning")


def test_the_weaker_reading_and_another_metric_are_findings(tmp_path: Path) -> None:
    weaker = HOLDS.replace("mechanism", "adjacency: {reading: definition_13}\nmechanism")
    assert "SA005" in rules(verdict(tmp_path, weaker), "warning")
    other = HOLDS.replace("mechanism", "adjacency: {metric: multiset_hamming}\nmechanism")
    assert "SA009" in rules(verdict(tmp_path, other), "warning")
    far = verdict(tmp_path, FAR + budget("framework: semi_dp, rho: 100"))
    assert "SA011" in rules(far, "warning")


def test_a_verdict_crosses_processes_unchanged(tmp_path: Path) -> None:
    for text in (HOLDS, EXCEEDS, NO_BUDGET, "semiaudit: 1\n"):
        found = verdict(tmp_path, text)
        assert pickle.loads(pickle.dumps(found)) == found


UNIT_SHIFTS = (
    "semiaudit: 1\ndataspace: {size: 100, attributes: {a: 2}}\n"
    "mechanism: {gaussian: {sigma: 1, shifts: [%s]}}\nbudgets:\n"
)
PURE = (
    "semiaudit: 1\ndataspace: {size: 100, attributes: {a: 2}}\n"
    "mechanism: {pure_dp: {epsilon: %s}}\nbudgets:\n"
)


@pytest.mark.parametrize(
    ("release", "line", "holds", "exceeds"),
    [
        # sqrt(2), erf(1 / sqrt(8)), ln(e - (1 + e) / 100) and tanh(1/4) / 2 in 40 digits (mpmath).
        (UNIT_SHIFTS % "1, 1", "mu: %s", "1.41421356237309505", "1.41421356237309504"),
        (
            UNIT_SHIFTS % "1, 1",
            "mu: %s",
            "1.414213562373095048801688724209698078569671875376948073176679737990732478462108",
            "1.414213562373095048801688724209698078569671875376948073176679737990732478462107",
        ),
        (
            UNIT_SHIFTS % "1",
            "advantage: %s",
            "0.38292492254802620728",
            "0.38292492254802620727",
        ),
        (
            PURE % "1",
            "epsilon: %s, delta: 0.01",
            "0.98622678888689248888",
            "0.98622678888689248887",
        ),
        (PURE % "0.5", "rho: %s", "0.12245933120185456464", "0.12245933120185456463"),
    ],
)
def test_a_limit_is_compared_with_the_number_before_it_is_rounded(
    release: str, line: str, holds: str, exceeds: str, tmp_path: Path
) -> None:
    text = release + budget("framework: nominal_dp, " + line)
    assert verdict(tmp_path, text % holds).outcome == "holds"
    assert verdict(tmp_path, text % exceeds).outcome == "exceeds"
