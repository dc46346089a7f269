"""Drift against an earlier report: every way in which a guarantee can get weaker fails."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import semiaudit
from semiaudit.checking.discovery import specs_under
from semiaudit.checking.gate import check, load_baseline
from semiaudit.checking.verdict import verdict_of
from semiaudit.errors import SpecError
from semiaudit.model.audit import Waiver
from semiaudit.model.policy import NO_GATE, Earlier, GateOptions
from semiaudit.model.verdict import Verdict, exit_code_of_run
from semiaudit.report import VERDICT_RENDERERS, Layout
from semiaudit.spec.policy.policy_reader import load_waivers
from tests.gate.specs import BASE, HOLDS, SLOW, TODAY, rules, sha256_of, spec, verdict
from tests.places import ROOT


def baseline(folder: Path, text: str, form: str = "check") -> tuple[Earlier, ...]:
    path = spec(folder, text)
    if form == "analyze":
        report = semiaudit.audit(path).render("json")
    else:
        found = check(specs_under([str(path)]), time_limit=600, gate=GateOptions(today=TODAY))
        report = VERDICT_RENDERERS["json"](found, Layout())
    return load_baseline(spec(folder, report, "baseline.json"))


def told(folder: Path, before: str, after: str, form: str = "check") -> list[str]:
    gate = replace(NO_GATE, baseline=baseline(folder, before, form), today=TODAY)
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
    assert found[0].startswith("ρ of Advertised DP 0.5 → 0.52; with it ")
    assert found[1].startswith("ρ of Semi-DP (effective) 4.5 → 4.68; with it ")
    assert sorted(message.partition(";")[0] for message in found[2:]) == [
        "ρ of DP subject to invariants 0.5 → 0.52",
        "ρ of Group privacy 4.5 → 4.68",
        "ρ of Subspace DP 0.5 → 0.52",
    ]
    assert "ε at δ = 1e-10" in found[0]


def test_a_smaller_rho_is_not_weaker(tmp_path: Path) -> None:
    assert told(tmp_path, HOLDS, HOLDS.replace("rho: 0.5}", "rho: 0.49}")) == []


def test_a_larger_a_of_t_is_weaker(tmp_path: Path) -> None:
    # One margin: a(t) = 2, rho 4 * 0.5; two margins: a(t) = 3, rho 9 * 0.5.
    found = told(tmp_path, HOLDS.replace(", margin: [b]", ""), HOLDS)
    assert "covering a(t) 2 → 3" in found
    assert any(m.startswith("ρ of Semi-DP (effective) 2 → 4.5") for m in found)


def knowing(covering: int | None, metric: str = "hamming") -> GateOptions:
    """A baseline that knows nothing of the spec x but its metric and a(t)."""
    earlier = Earlier("x.semiaudit.yaml", metric, "covering", covering, (), ())
    return GateOptions(baseline=(earlier,), today=TODAY)


def of_a_t(found: Verdict) -> list[str]:
    return [f.message for f in found.findings if f.rule == "SA027" and "covering a(t)" in f.message]


@pytest.mark.parametrize(
    ("covering", "words"),
    [(1, "was 1"), (60, "was 60"), (1000, "was 1000"), (None, "")],
)
def test_an_a_of_t_that_is_not_established_any_more_is_weaker_whatever_it_was(
    covering: int | None, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing but the 61 records bounds a(t) by the time that the search ends.
    monkeypatch.chdir(tmp_path)
    spec(tmp_path, SLOW)
    found = verdict_of("x.semiaudit.yaml", time_limit=1e-6, gate=knowing(covering))
    assert found.digest is not None
    assert not found.digest.established
    assert of_a_t(found) == ([f"covering a(t) is not established, and {words}"] if words else [])


def test_an_a_of_t_without_any_end_is_weaker_and_no_waiver_accepts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As many records of one cell as of another, of any number: nothing bounds a(t).
    text = (
        "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: "
        "[linear: [[1, -1, 0, 0]]]\nadjacency: {metric: symmetric_difference}\n"
        "mechanism: {zcdp: {rho: 1}}\n"
    )
    monkeypatch.chdir(tmp_path)
    path = spec(tmp_path, text)
    waiver = Waiver("SA027", "r", "a", date.max, Fraction(10**9), spec="*", sha256=sha256_of(text))
    gate = replace(knowing(2, "symmetric_difference"), waivers=(waiver,))
    found = verdict_of(path.name, time_limit=600, gate=gate)
    assert of_a_t(found) == ["covering a(t) has no proven finite upper bound, and was 2"]
    assert [f.waived for f in found.findings if f.rule == "SA027"] == [None] * 2
    above = [f.message for f in found.findings if f.rule == "SA026"]
    assert above[0].startswith("the number is unknown, above what its waiver accepts")


@pytest.mark.parametrize("form", ["check", "analyze"])
def test_another_invariant_is_weaker_and_one_less_is_not(form: str, tmp_path: Path) -> None:
    # Two features in one margin: a(t) stays 2, and so does every number; D_t is smaller.
    one = HOLDS.replace(", margin: [b]", "")
    two = one.replace("margin: [a]", "margin: [a], margin: [a, b]")
    assert told(tmp_path, one, two, form) == [
        "margin [a, b] is published exactly, and was not: Dₜ is smaller"
    ]


@pytest.mark.parametrize("form", ["check", "analyze"])
def test_an_invariant_that_is_not_listed_any_more_is_drift(form: str, tmp_path: Path) -> None:
    # a(t) is 3 with both margins and 2 with one, so that every number gets better.
    found = told(tmp_path, HOLDS, HOLDS.replace(", margin: [b]", ""), form)
    assert found == [
        "margin [b] was published exactly, and is not listed any more; add it again, or write a "
        "new baseline if nobody publishes it"
    ]
    other = HOLDS.replace("margin: [b]", "margin: [c]")
    assert [m.partition(",")[0] for m in told(tmp_path, HOLDS, other, form)] == [
        "margin [b] was published exactly",
        "margin [c] is published exactly",
    ]
    assert told(tmp_path, HOLDS, HOLDS.replace("margin: [b]]", "margin: [b], margin: [b]]")) == []


@pytest.mark.parametrize("form", ["check", "analyze"])
def test_another_unit_is_drift(form: str, tmp_path: Path) -> None:
    person = HOLDS.replace("{size", "{unit: person, size")
    event = HOLDS.replace("{size", "{unit: visit, size")
    assert told(tmp_path, person, event, form) == [
        "the unit is visit, and was person: the two audits cannot be compared"
    ]
    assert told(tmp_path, person, person, form) == []
    assert told(tmp_path, HOLDS, person, form) == [
        "the unit is person, and was record: the two audits cannot be compared"
    ]


GIVEN = HOLDS.replace("mechanism", "data: {margins: {a: [40, 60], b: [50, 50]}}\nmechanism")


@pytest.mark.parametrize("form", ["check", "analyze"])
def test_data_that_are_dropped_are_drift(form: str, tmp_path: Path) -> None:
    # With these counts a(t) is 3, as in the worst case, so that no number changes.
    found = told(tmp_path, GIVEN, HOLDS, form)
    assert [m.partition(",")[0] for m in found] == ["the values of the invariants were given"]
    assert told(tmp_path, GIVEN, GIVEN.replace("[40, 60]", "[60, 40]"), form) == []
    assert told(tmp_path, HOLDS, GIVEN, form) == []


@pytest.mark.parametrize("form", ["check", "analyze"])
def test_a_spec_without_invariants_has_no_values_to_drop(form: str, tmp_path: Path) -> None:
    free = HOLDS.replace("invariants: [margin: [a], margin: [b]]\n", "")
    assert told(tmp_path, free, free, form) == []


def test_a_smaller_distance_or_reading_is_weaker(tmp_path: Path) -> None:
    shorter = HOLDS.replace("mechanism", "adjacency: {distance: 2}\nmechanism")
    found = told(tmp_path, HOLDS, shorter)
    assert "Semi-DP (effective) covers pairs up to distance 2, and covered up to 3" in found
    literal = HOLDS.replace("mechanism", "adjacency: {reading: definition_13}\nmechanism")
    assert "the reading is definition_13, and was covering" in told(tmp_path, HOLDS, literal)


def test_another_metric_cannot_be_compared_and_fails(tmp_path: Path) -> None:
    other = HOLDS.replace("mechanism", "adjacency: {metric: multiset_hamming}\nmechanism")
    assert any("the two audits cannot be compared" in m for m in told(tmp_path, HOLDS, other))
    # A gate passes another metric under a policy only; an audit has no gate.
    assert any(
        "the two audits cannot be compared" in m for m in told(tmp_path, other, HOLDS, "analyze")
    )


def test_a_measure_that_vanished_is_weaker(tmp_path: Path) -> None:
    # mu = 1 is rho = 1/2; declared as zCDP, the Gaussian's profile is lost.
    found = told(tmp_path, HOLDS.replace("zcdp: {rho: 0.5}", "gdp: {mu: 1}"), HOLDS)
    assert any(m.startswith("μ of Advertised DP 1 → unknown") for m in found)


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
        "ε of Advertised DP at δ = 1e-10" in m
        and "δ = 1e-10 6.547924 → " in m
        and "(by Canonne, Kamath, Steinke 2020, before by Balle, Wang 2018)" in m
        for m in messages
    )


def test_a_refused_guarantee_is_a_vanished_one(tmp_path: Path) -> None:
    before = baseline(tmp_path, HOLDS, "analyze")
    public = HOLDS.replace("mechanism", "data: {margins: {a: [100, 0], b: [100, 0]}}\nmechanism")
    public = public.replace("c: 2", "c: 1")
    found = verdict(tmp_path, public, GateOptions(baseline=before, today=TODAY))
    assert any(f.message == "Semi-DP (effective) is refused, and was not" for f in found.findings)


def test_a_raised_or_removed_budget_is_weaker(tmp_path: Path) -> None:
    raised = told(tmp_path, HOLDS, HOLDS.replace("rho: 5}", "rho: 5.5}"))
    assert raised == ["the budget for ρ of Semi-DP (effective) 5 → 5.5"]
    gone = told(tmp_path, HOLDS, HOLDS.replace("semi_dp, rho: 5}", "nominal_dp, rho: 5}"))
    assert gone == ["the budget for ρ of Semi-DP (effective) is gone; its limit was 5"]


def test_deltas_of_the_earlier_report_are_asked_for_again(tmp_path: Path) -> None:
    before = HOLDS.replace("mechanism", "report: {deltas: [1e-7]}\nmechanism")
    found = told(tmp_path, before, HOLDS.replace("rho: 0.5}", "rho: 0.51}"))
    assert all("at δ = 1e-7" in m for m in found)


WEAKER = HOLDS.replace("rho: 0.5}", "rho: 0.51}")
FIVE = ("nominal_dp", "group_privacy", "semi_dp", "subspace_dp", "invariant_dp")


def waivers_of_drift(accepted: str, more: str = "") -> str:
    lines = [
        f"  - {{rule: SA027, framework: {name}, measure: rho, accepted: {accepted}, reason: r, "
        f"approver: a, expires: 2027-01-01{more}}}\n"
        for name in FIVE
    ]
    return "waivers:\n" + "".join(lines)


def test_a_waiver_of_a_file_accepts_a_weaker_guarantee_up_to_its_number(tmp_path: Path) -> None:
    known = baseline(tmp_path, BASE + "mechanism: {zcdp: {rho: 0.5}}\n")
    more = f", spec: x.semiaudit.yaml, sha256: {sha256_of(WEAKER)}"

    def judged(accepted: str) -> Verdict:
        file = "semiaudit_waivers: 1\n" + waivers_of_drift(accepted, more)
        waivers = load_waivers(spec(tmp_path, file, "waivers.yaml"))
        gate = GateOptions(baseline=known, waivers=waivers, today=TODAY)
        return verdict(tmp_path, WEAKER, gate)

    assert judged("4.6").outcome == "holds"
    found = judged("4.58")
    assert found.outcome == "exceeds"
    assert set(rules(found)) == {"SA026", "SA027"}


def test_no_waiver_inside_a_spec_waives_drift(tmp_path: Path) -> None:
    # rho from 0.5 to 50: a waiver is of no use to whoever may write both.
    known = baseline(tmp_path, BASE + "mechanism: {zcdp: {rho: 0.5}}\n")
    text = BASE + "mechanism: {zcdp: {rho: 50}}\n" + waivers_of_drift("1000")
    found = verdict(tmp_path, text, GateOptions(baseline=known, today=TODAY))
    assert found.outcome == "exceeds"
    assert rules(found).count("SA027") == 5
    told = [f.message for f in found.findings if f.rule == "SA025"]
    assert len(told) == 5
    assert all("only a file given by --waivers" in message for message in told)


def test_a_spec_the_baseline_does_not_know_is_told(tmp_path: Path) -> None:
    known = baseline(tmp_path, HOLDS)
    spec(tmp_path, HOLDS, "new.semiaudit.yaml")
    found = check(
        specs_under([str(tmp_path)]), time_limit=600, gate=GateOptions(baseline=known, today=TODAY)
    )
    warnings = [rules(v, "warning") for v in found]
    assert warnings == [["SA001", "SA028", "SA037"], ["SA001", "SA037"]]


def test_one_report_of_one_spec_is_compared_with_the_one_that_is_named(tmp_path: Path) -> None:
    known = baseline(tmp_path, HOLDS)
    moved = spec(tmp_path, WEAKER, "moved.yaml")
    found = compared([str(moved)], known)
    assert [set(rules(v)) for v in found] == [{"SA027"}]


def test_a_spec_is_compared_whatever_its_path_was_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    spec(tmp_path / "a", HOLDS, "y.yaml")
    found = check(specs_under(["a"]), time_limit=600, gate=GateOptions(today=TODAY))
    report = VERDICT_RENDERERS["json"](found, Layout())
    known = load_baseline(spec(tmp_path, report, "baseline.json"))
    spec(tmp_path / "a", WEAKER, "y.yaml")
    for path in (str(tmp_path), "a/../a", str(tmp_path / "a" / "y.yaml")):
        (only,) = compared([path], known)
        assert set(rules(only)) == {"SA027"}, path


def compared(paths: list[str], known: tuple[Earlier, ...]) -> tuple[Verdict, ...]:
    gate = GateOptions(baseline=known, today=TODAY)
    return check(specs_under(paths), time_limit=600, gate=gate)


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Earlier, ...]:
    """The baseline of two specs, a and b, in the folder releases."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "releases"
    folder.mkdir()
    for name in "ab":
        spec(folder, HOLDS, f"{name}.yaml")
    found = check(specs_under(["releases"]), time_limit=600, gate=GateOptions(today=TODAY))
    report = VERDICT_RENDERERS["json"](found, Layout())
    return load_baseline(spec(tmp_path, report, "baseline.json"))


@pytest.mark.parametrize(
    ("change", "paths", "gone"),
    [
        ("nothing", ["releases"], False),
        ("nothing", ["releases/a.yaml"], False),
        ("nothing", ["releases/a.yaml", "releases/b.yaml"], False),
        ("remove", ["releases"], True),
        ("remove", ["."], True),
        ("remove", ["releases/a.yaml"], True),
        ("rename", ["releases"], True),
        ("no spec", ["releases"], True),
        ("no spec", ["releases/a.yaml"], False),
        ("hide", ["releases"], True),
        ("link", ["releases"], False),
    ],
)
def test_a_spec_of_the_baseline_that_is_gone_is_an_error(
    change: str, paths: list[str], gone: bool, two: tuple[Earlier, ...]
) -> None:
    path = Path("releases/b.yaml")
    match change:
        case "remove":
            path.unlink()
        case "rename":
            path.rename("releases/c.yaml")
        case "no spec":
            path.write_text("no: spec\n")
        case "hide":
            Path("releases/.b").mkdir()
            path.rename("releases/.b/b.yaml")
        case "link":
            path.rename("releases/real.yaml")
            path.symlink_to("real.yaml")
    found = compared(paths, two)
    told = [v for v in found if "SA031" in rules(v)]
    assert [v.path for v in told] == (["releases/b.yaml"] if gone else [])
    assert exit_code_of_run(found) == int(gone)


def test_a_spec_that_is_gone_failed_and_was_not_audited(two: tuple[Earlier, ...]) -> None:
    Path("releases/b.yaml").unlink()
    found = compared(["releases"], two)
    words = "1 of 2 specs audited, 1 failed, 1 passed"
    assert words in VERDICT_RENDERERS["text"](found, Layout())
    assert words in VERDICT_RENDERERS["github"](found, Layout())
    root = ElementTree.fromstring(VERDICT_RENDERERS["junit"](found, Layout()))
    cases = {s.get("name"): [case.get("name", "")[:9] for case in s] for s in root}
    assert cases["releases/b.yaml"] == ["spec-gone"]
    assert cases["releases/a.yaml"][0] == "audit"


def test_an_emptied_directory_is_no_quiet_end(two: tuple[Earlier, ...]) -> None:
    for name in "ab":
        Path(f"releases/{name}.yaml").unlink()
    found = compared(["releases"], two)
    assert [rules(v) for v in found] == [["SA031"], ["SA031"]]
    assert exit_code_of_run(found) == 1


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
    long = {"1e-999999999": "an exponent beyond 399", "9" * 400: "a number of more than 200"}
    for number in ("1e-999999999", "9" * 400, "-1", "true", '"1"', "null"):
        for written, key in (('"delta": 1e-10', "delta"), ('"rho": 0.5', "rho")):
            text = report.replace(written, f'"{key}": {number}')
            assert text != report
            expected = long.get(number, "does not fit the schema of reports|is below 0")
            with pytest.raises(SpecError, match=expected):
                load_baseline(spec(tmp_path, text, "baseline.json"))


@pytest.mark.parametrize("text", broken_reports(), ids=lambda text: text[:20])
def test_what_is_no_report_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(SpecError, match=r"baseline\.json:(1:1:)? "):
        load_baseline(path)


def test_a_baseline_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        load_baseline(tmp_path / "nothing.json")
    with pytest.raises(SpecError, match="cannot be read"):
        load_baseline(tmp_path)


SAMPLED = "{subsampled_gaussian: {noise_multiplier: 1, sampling_rate: 1/100, steps: 100}}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{approx_dp: {epsilon: 8, delta: 1e-7}}", "{approx_dp: {epsilon: 8, delta: 1e-6}}"),
        (
            "{approx_dp: {epsilon: 1, delta: 1e-5}}",
            "{approx_dp: {epsilon: 1.0000009, delta: 1e-5}}",
        ),
        (
            f"{{compose: [{SAMPLED}, {{approx_dp: {{epsilon: 0, delta: 1e-12}}}}]}}",
            f"{{compose: [{SAMPLED}, {{approx_dp: {{epsilon: 0, delta: 1e-11}}}}]}}",
        ),
    ],
)
def test_a_declared_guarantee_that_is_a_millionth_weaker_is_weaker(
    before: str, after: str, tmp_path: Path
) -> None:
    text = "semiaudit: 1\ndataspace: {size: 100}\nmechanism: MECHANISM\n"
    text += "report: {deltas: [1e-5], alphas: [0.05]}\n"
    was, now = (text.replace("MECHANISM", mechanism) for mechanism in (before, after))
    for form in ("check", "analyze"):
        assert told(tmp_path, was, now, form)
        assert not told(tmp_path, now, was, form)
