"""Waivers: valid until a day, up to a number, for what they name, and never unnoticed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest

from semiaudit.checking.discovery import specs_under
from semiaudit.checking.gate import check
from semiaudit.checking.verdict import verdict_of
from semiaudit.errors import SpecError
from semiaudit.gate.waivers import is_valid
from semiaudit.model.audit import Waiver
from semiaudit.model.policy import FailOn, GateOptions
from semiaudit.model.rules import OF_THE_AUDIT, WAIVABLE
from semiaudit.model.verdict import Verdict, exit_code_of_run
from semiaudit.spec.policy.policy_reader import load_policy, load_waivers
from tests.gate.specs import BASE, EXCEEDS, HOLDS, TODAY, rules, sha256_of, spec, verdict

WAIVER = (
    "{rule: SA013, framework: semi_dp, measure: rho, accepted: 4.5, reason: agreed in May, "
    "approver: the board, expires: 2026-07-01}"
)


def file_of(content: str, names: str = "'*'", waiver: str = WAIVER) -> str:
    """A file with one waiver, for specs of this content and of names."""
    told = waiver.replace("}", f", spec: {names}, sha256: {sha256_of(content)}}}")
    return f"semiaudit_waivers: 1\nwaivers:\n  - {told}\n"


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
    path = spec(tmp_path, file_of(EXCEEDS, "'*/one.*'"), "waivers.yaml")
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
    path = spec(tmp_path, file_of(HOLDS), "waivers.yaml")
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
        (("2026-07-01", "1.7.2026"), "is not a date"),
        (("2026-07-01", "2026-02-30"), "is not a date"),
        (("measure: rho", "measure: epsilon"), "has no delta"),
        (("measure: rho, ", ""), "does not name its budget"),
        (("rule: SA013", "rule: SA013, spec: x"), "and this waiver is in a spec"),
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
    with pytest.raises(SpecError, match="is not a semiaudit_waivers file"):
        load_waivers(spec(tmp_path, HOLDS))
    with pytest.raises(SpecError, match="waivers is missing"):
        load_waivers(spec(tmp_path, "semiaudit_waivers: 1\n"))


def test_an_empty_statement_can_never_be_waived() -> None:
    of_the_gate = set(WAIVABLE) - OF_THE_AUDIT
    assert of_the_gate == {"SA013", "SA014", "SA016", "SA023", "SA027", "SA028", "SA029", "SA034"}
    assert set(WAIVABLE) >= OF_THE_AUDIT


PUBLIC = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: [margin: [a, b]]\n"
    "data: {counts: [[1, 2], [3, 4]]}\nmechanism: {zcdp: {rho: 1}}\n"
    "budgets: [{framework: nominal_dp, rho: 1}]\n"
)
"""The whole table is published: SA002, an error of the audit, which no budget here speaks of."""
FINDING = "{rule: SA002, reason: an example, approver: the board, expires: 2026-07-01}"


def judged(path: Path, file: str) -> Verdict:
    waivers = load_waivers(spec(path.parent, file, "waivers.yaml"))
    gate = GateOptions(waivers=waivers, today=TODAY)
    return verdict_of(path, time_limit=600, gate=gate)


def test_a_finding_is_waived_by_rule_and_spec_without_a_number(tmp_path: Path) -> None:
    path = spec(tmp_path, PUBLIC)
    assert rules(verdict(tmp_path, PUBLIC)) == ["SA002"]
    assert verdict(tmp_path, PUBLIC).outcome == "exceeds"
    found = judged(path, file_of(PUBLIC, path.name, FINDING))
    assert found.outcome == "holds"
    assert [f.rule for f in found.findings if f.waived] == ["SA002"]
    told = file_of(PUBLIC, path.name, FINDING).replace(sha256_of(PUBLIC), found.sha256)
    assert found.sha256 != sha256_of(PUBLIC)  # that of reports leaves confidential counts out
    assert judged(path, told).outcome == "holds"
    other = judged(path, file_of(PUBLIC, path.name, FINDING.replace("SA002", "SA003")))
    assert other.outcome == "exceeds"


def test_no_waiver_inside_a_spec_waives_what_the_audit_found(tmp_path: Path) -> None:
    found = verdict(tmp_path, f"{PUBLIC}waivers: [{FINDING}]\n")
    assert found.outcome == "exceeds"
    assert rules(found) == ["SA002"]


@pytest.mark.parametrize(
    ("names", "matches"),
    [
        ("x.semiaudit.yaml", True),
        ("./x.semiaudit.yaml", True),
        ("releases/x.semiaudit.yaml", True),
        ("'releases/*'", True),
        ("'*.semiaudit.yaml'", True),
        ("ABSOLUTE", True),
        ("y.semiaudit.yaml", False),
        ("semiaudit.yaml", False),
        ("leases/x.semiaudit.yaml", False),
        ("/releases/x.semiaudit.yaml", False),
        ("link.semiaudit.yaml", False),
    ],
)
def test_a_waiver_of_a_file_matches_the_resolved_path(
    names: str, matches: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "releases"
    folder.mkdir()
    path = spec(folder, EXCEEDS)
    link = folder / "link.semiaudit.yaml"
    link.symlink_to(path.name)
    text = file_of(EXCEEDS, names.replace("ABSOLUTE", str(path.resolve())))
    for named in (path, link):
        assert (judged(named, text).outcome == "holds") is matches


def test_a_waiver_of_a_file_is_for_one_content_and_says_so(tmp_path: Path) -> None:
    path = spec(tmp_path, EXCEEDS + "# changed\n")
    found = judged(path, file_of(EXCEEDS, path.name))
    assert found.outcome == "exceeds"
    (told,) = [f.message for f in found.findings if f.rule == "SA025"]
    assert sha256_of(EXCEEDS)[:12] in told
    assert found.sha256[:12] in told


def test_a_waiver_inside_a_spec_is_not_that_of_a_link_to_it(tmp_path: Path) -> None:
    path = spec(tmp_path, WAIVED)
    link = tmp_path / "other.semiaudit.yaml"
    link.symlink_to(path.name)
    (tmp_path / "folder").symlink_to(".", target_is_directory=True)
    gate = GateOptions(today=TODAY)
    ends = [
        verdict_of(named, time_limit=600, gate=gate).outcome
        for named in (path, link, tmp_path / "folder" / path.name)
    ]
    assert ends == ["holds", "exceeds", "holds"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (", spec: x", "does not name its spec"),
        (f", sha256: {'0' * 64}", "does not name the spec's SHA-256"),
        ("0" * 64, "is not a SHA-256"),
    ],
)
def test_a_waiver_of_a_file_names_its_spec_twice(change: str, message: str, tmp_path: Path) -> None:
    text = file_of("", "x").replace(sha256_of(""), "0" * 64)
    assert len(load_waivers(spec(tmp_path, text))) == 1
    with pytest.raises(SpecError, match=message):
        load_waivers(spec(tmp_path, text.replace(change, "" if "," in change else "12")))


def test_a_finding_has_no_number_to_accept(tmp_path: Path) -> None:
    text = file_of(PUBLIC, "x", FINDING.replace("reason", "accepted: 3, reason"))
    with pytest.raises(SpecError, match="has no number"):
        load_waivers(spec(tmp_path, text))


def test_where_warnings_fail_an_unused_waiver_fails(tmp_path: Path) -> None:
    path = spec(tmp_path, HOLDS.replace(BASE, BASE.replace("[margin: [a], margin: [b]]", "[]")))
    waivers = load_waivers(spec(tmp_path, file_of(HOLDS, "gone"), "waivers.yaml"))
    for fail_on, code in zip(get_args(FailOn), (0, 1, 0), strict=True):
        gate = GateOptions(waivers=waivers, today=TODAY, fail_on=fail_on)
        assert exit_code_of_run(check(specs_under([str(path)]), time_limit=9, gate=gate)) == code


@pytest.mark.parametrize(
    ("budget", "measure", "accepted", "no_limit"),
    [
        ("rho: 4.4", "rho", "2799", False),
        ("rho: 4.4", "rho", "2800", True),
        ("rho: 4.4", "rho", "1e15", True),
        ("epsilon: 1, delta: 1e-6", "epsilon, delta: 1e-6", "700", True),
        ("mu: 1", "mu", "75", True),
        ("advantage: 0.1", "advantage", "1", True),
        ("tpr: 0.1, fpr: 0.05", "tpr, fpr: 0.05", "1", True),
        ("tpr: 0.1, fpr: 0.05", "tpr, fpr: 0.05", "0.9999", False),
        ("a_t: 2", "a_t", "1000000", False),
    ],
)
def test_a_waiver_cannot_accept_what_would_be_no_limit_of_a_budget(
    budget: str, measure: str, accepted: str, no_limit: bool, tmp_path: Path
) -> None:
    text = HOLDS.replace("rho: 5}", f"{budget}}}")
    text = text.replace("zcdp: {rho: 0.5}", "gdp: {mu: 1}") if "mu" in budget else text
    told = WAIVER.replace("measure: rho", f"measure: {measure}").replace("4.5", accepted)
    found = judged(spec(tmp_path, text), file_of(text, waiver=told))
    assert found.outcome == ("exceeds" if no_limit else "holds")
    assert ("SA026" in rules(found)) is no_limit
    assert no_limit == any("which is no limit (SA033)" in f.message for f in found.findings)


def test_a_spec_that_waives_its_own_budget_is_reported_and_a_file_is_not(tmp_path: Path) -> None:
    inside = (
        "waivers:\n  - {rule: SA013, framework: semi_dp, measure: rho, accepted: 5, reason: r, "
        "approver: a, expires: 2030-01-01}\n"
    )
    found = verdict(tmp_path, EXCEEDS + inside)
    assert (found.outcome, "SA035" in rules(found, "warning")) == ("holds", True)
    policy = tmp_path / "p.yaml"
    policy.write_text("semiaudit_policy: 1\nfail_on: [SA035]\n")
    gate = GateOptions(policy=load_policy(policy), today=TODAY)
    assert verdict(tmp_path, EXCEEDS + inside, gate).outcome == "exceeds"
    given = Waiver("SA013", "r", "a", date(2030, 1, 1), Fraction(5), "semi_dp", "rho", spec="*",
                   sha256=sha256_of(EXCEEDS))  # fmt: skip
    found = verdict(tmp_path, EXCEEDS, GateOptions(waivers=(given,), today=TODAY))
    assert (found.outcome, "SA035" in rules(found, "warning")) == ("holds", False)


def test_an_unused_waiver_says_that_no_spec_matches_its_path(tmp_path: Path) -> None:
    spec(tmp_path, EXCEEDS)
    given = Waiver("SA013", "r", "a", date(2030, 1, 1), Fraction(5), "semi_dp", "rho",
                   spec="y.yaml", sha256=sha256_of(EXCEEDS), file="w.yaml")  # fmt: skip
    gate = GateOptions(waivers=(given,), today=TODAY)
    *_, of_file = check(specs_under([str(tmp_path)]), time_limit=600, gate=gate)
    (finding,) = of_file.findings
    assert finding.message.startswith(
        "a waiver of SA013 waives nothing, because no audited spec matches y.yaml: r (approved"
    )


def test_a_waiver_of_another_content_is_reported_once_and_with_short_digests(
    tmp_path: Path,
) -> None:
    spec(tmp_path, EXCEEDS)
    given = Waiver("SA013", "r", "a", date(2030, 1, 1), Fraction(5), "semi_dp", "rho", spec="*",
                   sha256="0" * 64, file="w.yaml")  # fmt: skip
    gate = GateOptions(waivers=(given,), today=TODAY)
    found = check(specs_under([str(tmp_path)]), time_limit=600, gate=gate)
    (message,) = [f.message for v in found for f in v.findings if f.rule == "SA025"]
    assert message == (
        "a waiver of SA013 in w.yaml waives nothing: it is for the SHA-256 000000000000..., and "
        f"this spec has {sha256_of(EXCEEDS)[:12]}..."
    )
