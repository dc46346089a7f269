"""One list of what is published exactly: every output has it, and none claims more than is proven.

The release of a person table, and one of housing units whose invariants no a(t) of persons covers.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

import semiaudit
from semiaudit import ablate, compare
from semiaudit.checking.gate import load_baseline
from semiaudit.commands.registry.export import entry_of_spec
from semiaudit.gate.judgement import judged
from semiaudit.gate.waivers import SpecFile
from semiaudit.library.report import audit_of
from semiaudit.model.audit import Audit, publishing_only
from semiaudit.model.data_source import Access
from semiaudit.model.invariants import Margin
from semiaudit.model.mechanism import OtherRecords, parts_of
from semiaudit.model.policy import NO_GATE
from semiaudit.spec.build import load_release
from tests.gate.specs import rules, spec, verdict
from tests.oracles.registry_schema import faults, read
from tests.places import ROOT

PERSONS = "invariants: [margin: [st]]"
UNITS = "invariants: [margin: [bl, t]]"
TOUCHES = "touches: {attribute: 1, geography: 2}"
NONE_TOUCHED = "touches: {attribute: 0, geography: 0, within: 0, across: 0, exchange: 0}"
BOTH = f"""semiaudit: 1
title: persons and units
dataspace: {{unit: person, size: 90, attributes: {{st: 3, age: 3}}}}
releases:
  - {PERSONS}
    mechanism: {{zcdp: {{rho: 1}}}}
  - dataspace: {{unit: housing unit, size: 60, attributes: {{bl: 7, t: 2}}}}
    {TOUCHES}
    {UNITS}
    mechanism: {{zcdp: {{rho: 1/8}}}}
report: {{deltas: [1e-6]}}
"""
"""Margins of persons by state have an a(t) of 2 (Theorem 16: p + 1 with one margin)."""
WITHOUT = BOTH.replace(UNITS, "")
UNITS_ONLY = BOTH.replace(PERSONS, "")
APART = BOTH.replace(TOUCHES, NONE_TOUCHED)
NAMES = ["margin [st]", "margin [bl, t] of housing unit records"]
NO_JOINT = "no joint a(t) with the invariants of housing unit records is known"
BUDGETS = """budgets:
  - {framework: semi_dp, rho: 1000}
  - {framework: semi_dp, a_t: 90}
  - {framework: invariant_dp, rho: 1000, distance: 5}
  - {framework: nominal_dp, rho: 2}
"""


def audited(folder: Path, text: str) -> semiaudit.Report:
    return semiaudit.audit(spec(folder, text))


def messages(audit: Audit) -> dict[str, str]:
    return {finding.rule: finding.message for finding in audit.findings}


def orders(found: semiaudit.Comparison) -> dict[str, str]:
    return {one["framework"]: one["order"] for one in found.as_dict()["standings"]}


def test_the_list_has_the_invariants_of_all_records_those_of_the_protected_unit_first(
    tmp_path: Path,
) -> None:
    release = load_release(spec(tmp_path, BOTH))
    assert [str(found) for found in release.published_invariants] == NAMES
    assert [found.mark.line for found in release.published_invariants] == [5, 9]
    assert release.first_invariant.line == 5


@pytest.mark.parametrize("kept", [(), (0,), (1,), (0, 1)])
def test_what_is_left_out_is_left_out_of_the_list_alone(
    kept: tuple[int, ...], tmp_path: Path
) -> None:
    release = load_release(spec(tmp_path, BOTH))
    found = publishing_only(release, kept)
    assert [str(one) for one in found.published_invariants] == [NAMES[place] for place in kept]
    whole = replace(
        publishing_only(found, (0, 1)), invariants=release.invariants, mechanism=release.mechanism
    )
    assert whole == release


def test_what_swapping_keeps_of_other_records_is_published_exactly_too(tmp_path: Path) -> None:
    # Swapping blocks among units of one type keeps the units by type, and those by block.
    swapping = "mechanism: {swapping: {rate: 0.1, stratify_by: [t], swap: [bl]}}"
    text = WITHOUT.replace("mechanism: {zcdp: {rho: 1/8}}", swapping)
    release = load_release(spec(tmp_path, text))
    (other,) = parts_of(release.mechanism, OtherRecords)
    assert other.invariants
    assert all(isinstance(one, Margin) for one in other.invariants)
    assert [str(one) for one in release.published_invariants] == [
        "margin [st]",
        *(f"{one} of housing unit records" for one in other.invariants),
    ]


@pytest.mark.parametrize("form", ["text", "markdown", "html", "latex", "csv", "json"])
@pytest.mark.parametrize("text", [BOTH, UNITS_ONLY], ids=["both", "units only"])
def test_no_format_of_an_audit_claims_a_joint_a_t(form: str, text: str, tmp_path: Path) -> None:
    shown = " ".join(audited(tmp_path, text).render(form).split())
    plain = shown.replace("$a(t)$", "a(t)").replace("\\", "").replace("_", "")
    assert NO_JOINT in plain
    assert "a(t) is that of all" not in plain


def test_json_has_the_whole_list_and_the_a_t_of_the_persons_apart(tmp_path: Path) -> None:
    report = audited(tmp_path, BOTH).as_dict()
    assert report["invariants"] == NAMES
    blocks = report["building_blocks"]
    assert [one["invariant"] for one in blocks["multiverse"]["invariants"]] == NAMES
    # That the persons' margin is needed is not known any more: the units may tell it.
    assert [one["needed"] for one in blocks["multiverse"]["invariants"]] == [None, None]
    assert blocks["unit"]["distance"] is None
    semi = report["semi_adjacency"]
    assert semi["value"] is None
    assert (semi["covering"]["lower"], semi["covering"]["upper"]) == (0, None)
    assert (semi["own"]["records"], semi["own"]["others"]) == ("person", ["housing unit"])
    assert semi["own"]["value"] == 2
    assert semi["own"]["covering"]["witness"]["distance"] == 2


def test_csv_has_no_number_of_a_t(tmp_path: Path) -> None:
    rows = [*csv.DictReader(io.StringIO(audited(tmp_path, BOTH).render("csv")))]
    found = [row for row in rows if row["measure"].startswith("a_t")]
    assert [(row["measure"], row["value"], row["refused"]) for row in found] == [
        ("a_t", "", NO_JOINT)
    ]


def test_python_has_no_a_t_where_none_is_proven(tmp_path: Path) -> None:
    assert audited(tmp_path, BOTH).a_t is None
    assert audited(tmp_path, WITHOUT).a_t == 2
    assert audited(tmp_path, APART).a_t == 2


def test_the_findings_and_the_note_on_semi_dp_say_the_same(tmp_path: Path) -> None:
    audit = audit_of(audited(tmp_path, BOTH))
    found = messages(audit)
    assert NO_JOINT in found["SA012"]
    assert "a(t) is that of the invariants of person records" in found["SA012"]
    assert NO_JOINT in found["SA007"]
    (semi,) = [row.guarantee for row in audit.rows if row.guarantee.framework == "semi_dp"]
    assert NO_JOINT in semi.note
    apart = audit_of(audited(tmp_path, APART))
    assert "a(t) is that of all their invariants together" in messages(apart)["SA012"]
    assert "SA007" not in messages(apart)
    assert all("no joint" not in row.guarantee.note for row in apart.rows)


def test_invariants_of_units_alone_are_invariants(tmp_path: Path) -> None:
    # A person who moves may change a count of units, and the noise covers no such pair.
    audit = audit_of(audited(tmp_path, UNITS_ONLY))
    assert "margin [bl, t]" in audit.statement.scope
    assert "SA001" in messages(audit)
    covers = {
        row.guarantee.framework: row.guarantee.covers_joint_release
        for row in audit.rows
        if not row.guarantee.refused
    }
    assert not covers["nominal_dp"]
    assert not covers["group_privacy"]
    # Where no person touches a unit, neighbors agree on all units.
    apart = audit_of(audited(tmp_path, UNITS_ONLY.replace(TOUCHES, NONE_TOUCHED)))
    assert "margin [bl, t]" in apart.statement.scope
    assert all(row.guarantee.covers_joint_release for row in apart.rows)
    assert "SA001" not in messages(apart)


def test_values_that_disclose_nothing_of_persons_prove_nothing_of_both(tmp_path: Path) -> None:
    # The table 2 2 / 2 2 is one of several with its margins; the units may tell which it is.
    data = "data: {counts: [[2, 2], [2, 2]]}\nreleases:"
    text = BOTH.replace("st: 3, age: 3", "st: 2, age: 2").replace("size: 90", "size: 8")
    text = text.replace("[margin: [st]]", "[margin: [st], margin: [age]]")
    text = text.replace("releases:", data)
    alone = audited(tmp_path, text.replace(UNITS, "")).as_dict()["disclosed"]
    assert (alone["table_is_public"], alone["forced_cells"]) == (False, 0)
    both = audited(tmp_path, text).as_dict()["disclosed"]
    assert (both["table_is_public"], both["forced_cells"]) == (None, None)
    assert both["cell_ranges"] is None


def test_the_registry_lists_every_quantity_and_claims_no_joint_distance(tmp_path: Path) -> None:
    text = entry_of_spec(str(spec(tmp_path, BOTH)), None, 60, 1e-6, Access())
    assert faults(text) == []
    deployment = read(text)["deployment"]
    listed = deployment["dp_variant"]["unprotected_quantities"].replace("\\", "")
    assert listed.splitlines() == [f"- {name}" for name in NAMES]
    loss = deployment["privacy_loss"]
    assert "the unprotected quantities together" not in loss["privacy_parameters_details"]
    assert NO_JOINT in loss["privacy_parameters_details"]
    assert NO_JOINT in loss["privacy_unit_details"]
    apart = read(entry_of_spec(str(spec(tmp_path, APART)), None, 60, 1e-6, Access()))["deployment"]
    details = apart["privacy_loss"]["privacy_parameters_details"]
    assert "the unprotected quantities together" in details


def test_a_release_without_the_units_invariant_is_another_one(tmp_path: Path) -> None:
    # D_t of A is a part of that of B, so that what B states implies what A states.
    one, other = (spec(tmp_path, text, name) for text, name in ((BOTH, "a"), (WITHOUT, "b")))
    found = compare(one, other)
    told = orders(found)
    assert (told["semi_dp"], told["invariant_dp"], told["subspace_dp"]) == (
        "weaker",
        "weaker",
        "none",
    )
    assert found.as_dict()["releases"][0]["invariants"] == NAMES
    assert found.as_dict()["releases"][0]["semi_adjacency"]["value"] is None
    assert set(orders(compare(one, one)).values()) == {"equal"}
    apart = spec(tmp_path, APART, "c")
    assert orders(compare(apart, spec(tmp_path, APART.replace(UNITS, ""), "d")))["semi_dp"] == (
        "weaker"
    )


def test_releases_that_touch_other_numbers_of_units_are_of_other_datasets(tmp_path: Path) -> None:
    one, other = (spec(tmp_path, text, name) for text, name in ((BOTH, "a"), (APART, "b")))
    assert set(orders(compare(one, other)).values()) == {"none"}
    persons = BOTH[: BOTH.index("  - dataspace")] + "report: {deltas: [1e-6]}\n"
    assert orders(compare(one, spec(tmp_path, persons, "c")))["nominal_dp"] == "weaker"


def test_a_units_invariant_of_another_table_is_another_invariant(tmp_path: Path) -> None:
    # Two tables of equal description: the first is not the second.
    second, twice = _twice()
    before, after = BOTH.split("report")
    first_only = twice.replace(UNITS, "", 1)
    last_only = f"{before}{second.replace(UNITS, '')}report{after}"
    one, other = (
        spec(tmp_path, text, name) for text, name in ((first_only, "a"), (last_only, "b"))
    )
    assert orders(compare(one, other))["semi_dp"] == "none"
    assert orders(compare(one, spec(tmp_path, twice, "c")))["semi_dp"] == "stronger"


def _twice() -> tuple[str, str]:
    """A release about units, and the spec with two of them that are described alike."""
    second = BOTH[BOTH.index("  - dataspace") : BOTH.index("report")]
    return second, BOTH.replace("report", f"{second}report")


def test_a_comparison_takes_the_reports_of_such_releases(tmp_path: Path) -> None:
    reports = []
    for name, text in (("a", BOTH), ("b", WITHOUT), ("c", APART)):
        path = spec(tmp_path, audited(tmp_path, text).render("json"), f"{name}.json")
        reports.append(path)
    found = compare(*reports)
    assert found.as_dict()["releases"][0]["invariants"] == NAMES
    assert found.as_dict()["releases"][0]["semi_adjacency"]["value"] is None
    standings = found.as_dict()["standings"]
    inside = [one for one in standings if one["framework"] in ("semi_dp", "invariant_dp")]
    assert {one["order"] for one in inside} == {"none"}


def test_a_report_that_claims_a_joint_a_t_and_none_contradicts_itself(tmp_path: Path) -> None:
    report = audited(tmp_path, BOTH).as_dict()
    report["semi_adjacency"]["value"] = 2
    report["semi_adjacency"]["covering"] = report["semi_adjacency"]["own"]["covering"]
    path = spec(tmp_path, json.dumps(report), "edited.json")
    with pytest.raises(semiaudit.SpecError) as caught:
        compare(path, path)
    assert "semi_adjacency.own" in str(caught.value)


def test_the_units_invariant_is_one_of_those_that_are_left_out(tmp_path: Path) -> None:
    found = ablate(spec(tmp_path, BOTH))
    assert found.invariants == tuple(NAMES)
    # By hand: without it a(t) is the persons' own, and with it none is proven.
    assert found.a_t == {
        "all": None,
        "all but I1": None,
        "all but I2": 2,
        "I1 only": 2,
        "I2 only": None,
        "none": 1,
    }
    # I1 raises a(t) where nothing else is published, and no more is proven.
    changes = [(one["fewer"], one["more"]) for one in found.as_dict()["changes"]]
    assert changes == [("none", "I1 only")]
    assert "not known" in found.render()
    for form in ("markdown", "html", "csv", "latex"):
        assert "margin" in found.render(form)


@pytest.mark.parametrize("form", ["analyze", "check"])
def test_a_units_invariant_that_was_not_there_is_drift(form: str, tmp_path: Path) -> None:
    if form == "analyze":
        earlier = audited(tmp_path, WITHOUT).render("json")
    else:
        from semiaudit.report import VERDICT_RENDERERS, Layout

        earlier = VERDICT_RENDERERS["json"]([verdict(tmp_path, WITHOUT)], Layout())
    baseline = load_baseline(spec(tmp_path, earlier, "baseline.json"))
    gate = replace(NO_GATE, baseline=baseline)
    drifted = [f.message for f in verdict(tmp_path, BOTH, gate).findings if f.rule == "SA027"]
    assert any(f"{NAMES[1]} is published exactly, and was not" in message for message in drifted)
    assert any("covering a(t)" in message for message in drifted)
    same = replace(NO_GATE, baseline=load_baseline(spec(tmp_path, _report(tmp_path), "same.json")))
    assert "SA027" not in rules(verdict(tmp_path, BOTH, same))
    drifted = [
        f.message for f in verdict(tmp_path, _twice()[1], same).findings if f.rule == "SA027"
    ]
    assert sum(NAMES[1] in message for message in drifted) == 1


def _report(folder: Path) -> str:
    return audited(folder, BOTH).render("json")


def test_no_budget_inside_d_t_holds_where_no_joint_a_t_is_proven(tmp_path: Path) -> None:
    found = verdict(tmp_path, BOTH + BUDGETS)
    ended = [(result.holds, result.rule) for result in found.budgets]
    assert ended == [(False, "SA014"), (False, "SA014"), (False, "SA014"), (True, "")]
    assert all(NO_JOINT in result.reason for result in found.budgets[:3])
    for text in (WITHOUT, APART):
        assert all(result.holds for result in verdict(tmp_path, text + BUDGETS).budgets)


def test_a_distance_of_the_spec_is_not_known_to_reach_a_t(tmp_path: Path) -> None:
    found = verdict(tmp_path, BOTH + "adjacency: {distance: 5}\n" + BUDGETS)
    assert "SA006" in rules(found)
    assert [result.holds for result in found.budgets] == [False, False, False, True]


def test_tables_of_many_specs_have_the_list_and_no_a_t(tmp_path: Path) -> None:
    digest = verdict(tmp_path, BOTH).digest
    assert digest is not None
    assert digest.invariants == tuple(NAMES)
    assert (digest.covering, digest.definition_13, digest.value) == ((0, None), (0, None), None)
    assert digest.distance == 2


def test_budgets_that_miss_the_units_are_found(tmp_path: Path) -> None:
    text = UNITS_ONLY + "budgets: [{framework: nominal_dp, rho: 2}]\n"
    audit = audit_of(audited(tmp_path, text))
    file = SpecFile("x", False, "", frozenset())
    assert "SA016" in {finding.rule for finding in judged(audit, NO_GATE, file).findings}


def test_the_test_of_an_odds_ratio_takes_no_other_records_invariants_for_nothing(
    tmp_path: Path,
) -> None:
    from semiaudit.commands.odds_ratio.command import table_of_spec

    text = BOTH.replace("st: 3, age: 3", "st: 2, age: 2").replace("size: 90", "size: 8")
    text = text.replace("[margin: [st]]", "[margin: [st], margin: [age]]")
    text = text.replace("releases:", "data: {counts: [[1, 3], [3, 1]]}\nreleases:")
    with pytest.raises(semiaudit.SpecError, match="a\\(t\\) is not established"):
        table_of_spec(str(spec(tmp_path, text)), ("st", "age"), None)
    apart = text.replace(TOUCHES, NONE_TOUCHED)
    assert not table_of_spec(str(spec(tmp_path, apart)), ("st", "age"), None).only_margins


def test_no_output_reads_a_part_of_the_list() -> None:
    folders = ("report", "gate", "checking", "commands/registry", "commands/compare")
    paths = [path for name in folders for path in (ROOT / "semiaudit" / name).rglob("*.py")]
    assert len(paths) > 50
    assert [path for path in paths if "release.invariants" in path.read_text("utf-8")] == []
