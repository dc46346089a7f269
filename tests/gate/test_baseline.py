"""Drift against an earlier report: every way in which a guarantee can get weaker fails."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import semiaudit
from semiaudit.errors import SpecError
from semiaudit.model.policy import Earlier, GateOptions
from semiaudit.report import VERDICT_RENDERERS, Layout
from semiaudit.report.from_json import load_earlier
from semiaudit.workflow.checking.discovery import specs_under
from semiaudit.workflow.checking.gate import baseline_for, check
from tests.gate.specs import BASE, HOLDS, TODAY, rules, spec, verdict
from tests.places import ROOT


def baseline(folder: Path, text: str, form: str = "check") -> tuple[Earlier, ...]:
    path = spec(folder, text)
    if form == "analyze":
        report = semiaudit.audit(path).render("json")
    else:
        found = check(specs_under([str(path)]), time_limit=600, gate=GateOptions(today=TODAY))
        report = VERDICT_RENDERERS["json"](found, Layout())
    return load_earlier(spec(folder, report, "baseline.json"))


def told(folder: Path, before: str, after: str, form: str = "check") -> list[str]:
    gate = GateOptions(baseline=baseline(folder, before, form), today=TODAY)
    found = verdict(folder, after, gate)
    messages = [f.message for f in found.findings if f.rule == "SA027"]
    assert (found.outcome == "exceeds") is bool(messages)
    return messages


@pytest.mark.parametrize("form", ["check", "analyze"])
def test_the_same_spec_is_never_weaker_than_itself(form: str, tmp_path: Path) -> None:
    thirds = HOLDS.replace("rho: 0.5}", "rho: 1/3}")
    odd = HOLDS.replace("mechanism:", "report: {deltas: [1/3, 1e-9], alphas: [1/7]}\nmechanism:")
    for text in (HOLDS, thirds, odd):
        assert told(tmp_path, text, text, form) == []


@pytest.mark.parametrize("name", ["gao_campus_wifi", "two_releases", "example3_all_zero"])
def test_no_config_is_weaker_than_itself(name: str, tmp_path: Path) -> None:
    text = (ROOT / "configs" / f"{name}.yaml").read_text("utf-8")
    assert told(tmp_path, text, text, "analyze") == []


@pytest.mark.parametrize("form", ["check", "analyze"])
def test_a_larger_rho_is_weaker_in_every_framework_and_by_how_much(
    form: str, tmp_path: Path
) -> None:
    # rho 0.5 -> 0.52 in D; 4.5 -> 4.68 at distance 3.
    found = told(tmp_path, HOLDS, HOLDS.replace("rho: 0.5}", "rho: 0.52}"), form)
    assert len(found) == 5
    assert found[0].startswith("group_privacy rho is 4.68, and was 4.5: weaker by 0.18; with it ")
    assert any(m.startswith("nominal_dp rho is 0.52, and was 0.5: weaker by 0.02") for m in found)
    assert "epsilon at delta 1e-10" in found[0]


def test_a_smaller_rho_is_not_weaker(tmp_path: Path) -> None:
    assert told(tmp_path, HOLDS, HOLDS.replace("rho: 0.5}", "rho: 0.49}")) == []


def test_a_larger_a_of_t_is_weaker(tmp_path: Path) -> None:
    # One margin: a(t) = 2, rho 4 * 0.5; two margins: a(t) = 3, rho 9 * 0.5.
    found = told(tmp_path, HOLDS.replace(", margin: [b]", ""), HOLDS)
    assert "covering a(t) is 3, and was 2: weaker by 1" in found
    assert any(m.startswith("semi_dp rho is 4.5, and was 2: weaker by 2.5") for m in found)


@pytest.mark.parametrize("form", ["check", "analyze"])
def test_another_invariant_is_weaker_and_one_less_is_not(form: str, tmp_path: Path) -> None:
    # Two features in one margin: a(t) stays 2, and so does every number; D_t is smaller.
    one = HOLDS.replace(", margin: [b]", "")
    two = one.replace("margin: [a]", "margin: [a], margin: [a, b]")
    assert told(tmp_path, one, two, form) == [
        "margin [a, b] is published exactly, and was not: D_t is smaller"
    ]
    assert told(tmp_path, two, one, form) == []


def test_a_smaller_distance_or_reading_is_weaker(tmp_path: Path) -> None:
    shorter = HOLDS.replace("mechanism", "adjacency: {distance: 2}\nmechanism")
    found = told(tmp_path, HOLDS, shorter)
    assert "semi_dp covers pairs up to distance 2, and covered up to 3" in found
    literal = HOLDS.replace("mechanism", "adjacency: {reading: definition_13}\nmechanism")
    assert "the reading is definition_13, and was covering" in told(tmp_path, HOLDS, literal)


def test_another_metric_cannot_be_compared_and_fails(tmp_path: Path) -> None:
    other = HOLDS.replace("mechanism", "adjacency: {metric: multiset_hamming}\nmechanism")
    assert any("not to be compared" in m for m in told(tmp_path, HOLDS, other))
    assert any("not to be compared" in m for m in told(tmp_path, other, HOLDS))


def test_a_measure_that_vanished_is_weaker(tmp_path: Path) -> None:
    # mu = 1 is rho = 1/2; declared as zCDP, the Gaussian's profile is lost.
    found = told(tmp_path, HOLDS.replace("zcdp: {rho: 0.5}", "gdp: {mu: 1}"), HOLDS)
    assert any(m.startswith("nominal_dp mu is not known any more, and was 1") for m in found)


def test_a_weaker_conversion_alone_is_weaker(tmp_path: Path) -> None:
    before = baseline(tmp_path, HOLDS.replace("zcdp: {rho: 0.5}", "gdp: {mu: 1}"), "analyze")
    lines = tuple(
        replace(line, numbers=replace(line.numbers, gdp=None, advantage=None, tpr_at_fpr=()))
        for line in before[0].lines
    )
    known = Earlier(before[0].path, "hamming", "covering", 3, lines, ())
    found = verdict(tmp_path, HOLDS, GateOptions(baseline=(known,), today=TODAY))
    messages = [f.message for f in found.findings if f.rule == "SA027"]
    # eps_1(1e-10) = 6.547924 by the exact profile; cks20 cannot reach it.
    assert any(
        "nominal_dp epsilon at delta 1e-10" in m
        and "was 6.547924" in m
        and "(by cks20, and was by gaussian_exact)" in m
        for m in messages
    )


def test_a_refused_guarantee_is_a_vanished_one(tmp_path: Path) -> None:
    before = baseline(tmp_path, HOLDS, "analyze")
    public = HOLDS.replace("mechanism", "data: {margins: {a: [100, 0], b: [100, 0]}}\nmechanism")
    public = public.replace("c: 2", "c: 1")
    found = verdict(tmp_path, public, GateOptions(baseline=before, today=TODAY))
    assert any(f.message == "semi_dp is not stated any more" for f in found.findings)


def test_a_raised_or_removed_budget_is_weaker(tmp_path: Path) -> None:
    raised = told(tmp_path, HOLDS, HOLDS.replace("rho: 5}", "rho: 5.5}"))
    assert raised == ["the budget semi_dp rho is 5.5, and was 5: weaker by 0.5"]
    gone = told(tmp_path, HOLDS, HOLDS.replace("semi_dp, rho: 5}", "nominal_dp, rho: 5}"))
    assert gone == ["the budget semi_dp rho is gone; its limit was 5"]


def test_deltas_of_the_earlier_report_are_asked_for_again(tmp_path: Path) -> None:
    before = HOLDS.replace("mechanism", "report: {deltas: [1e-7]}\nmechanism")
    found = told(tmp_path, before, HOLDS.replace("rho: 0.5}", "rho: 0.51}"))
    assert all("epsilon at delta 1e-7" in m for m in found)


def test_a_waiver_accepts_a_weaker_guarantee_up_to_its_number(tmp_path: Path) -> None:
    known = baseline(tmp_path, BASE + "mechanism: {zcdp: {rho: 0.5}}\n")
    lines = [
        f"  - {{rule: SA027, framework: {name}, measure: rho, accepted: ACCEPTED, reason: r, "
        "approver: a, expires: 2027-01-01}\n"
        for name in ("nominal_dp", "group_privacy", "semi_dp", "subspace_dp", "invariant_dp")
    ]
    text = HOLDS.replace("rho: 0.5}", "rho: 0.51}") + "waivers:\n" + "".join(lines)
    gate = GateOptions(baseline=known, today=TODAY)
    assert verdict(tmp_path, text.replace("ACCEPTED", "4.6"), gate).outcome == "holds"
    found = verdict(tmp_path, text.replace("ACCEPTED", "4.58"), gate)
    assert found.outcome == "exceeds"
    assert set(rules(found)) == {"SA026", "SA027"}


def test_a_spec_the_baseline_does_not_know_is_told(tmp_path: Path) -> None:
    known = baseline(tmp_path, HOLDS)
    spec(tmp_path, HOLDS, "new.semiaudit.yaml")
    found = check(
        specs_under([str(tmp_path)]), time_limit=600, gate=GateOptions(baseline=known, today=TODAY)
    )
    assert [rules(v, "warning") for v in found] == [["SA001", "SA028"], ["SA001"]]


def test_a_baseline_of_other_specs_is_an_error_and_one_of_one_spec_may_be_moved(
    tmp_path: Path,
) -> None:
    known = baseline(tmp_path, HOLDS)
    moved = baseline_for(("elsewhere/y.yaml",), known)
    assert moved is not None
    assert moved[0].path == "elsewhere/y.yaml"
    with pytest.raises(SpecError, match="speaks of none of these specs"):
        baseline_for(("b.yaml", "c.yaml"), known)


def broken_reports() -> list[Any]:
    whole = {"schema_version": 1, "tool": {"name": "semiaudit"}, "verdicts": []}
    return [
        "",
        "[]",
        "{}",
        "nonsense",
        "[" * 100_000,
        json.dumps(whole),
        json.dumps(whole | {"schema_version": 2}),
        json.dumps(whole | {"verdicts": [1]}),
        json.dumps(whole | {"verdicts": [{"semi_adjacency": {}}]}),
        '{"schema_version": NaN}',
        '{"schema_version": 1, "tool": {"name": "semiaudit"}, "verdicts": 1e999999999}',
        "\ud800",
    ]


def test_a_number_without_end_is_refused_and_takes_no_time(tmp_path: Path) -> None:
    report = semiaudit.audit(spec(tmp_path, HOLDS)).render("json")
    for number in ("1e-999999999", "9" * 400, "-1", "true", '"1"', "null"):
        text = report.replace('"delta": 1e-10', f'"delta": {number}')
        assert text != report
        with pytest.raises(SpecError, match="is no JSON report"):
            load_earlier(spec(tmp_path, text, "baseline.json"))
        text = report.replace('"rho": 0.5', f'"rho": {number}')
        assert text != report
        if number not in ("1e-999999999",):
            with pytest.raises(SpecError, match="is no JSON report"):
                load_earlier(spec(tmp_path, text, "baseline.json"))


@pytest.mark.parametrize("text", broken_reports(), ids=lambda text: text[:20])
def test_what_is_no_report_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(SpecError, match=r"baseline\.json: "):
        load_earlier(path)


def test_a_baseline_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        load_earlier(tmp_path / "nothing.json")
    with pytest.raises(SpecError, match="cannot be read"):
        load_earlier(tmp_path)
