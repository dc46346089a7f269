"""From a spec to an entry: every config fits the registry's schema, and no number is too small."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import semiaudit
from semiaudit.commands.registry.export import entry_of_spec
from semiaudit.commands.registry.review import review_file
from semiaudit.errors import SemiauditError
from semiaudit.model.data_source import Access
from tests.audits import shipped_report
from tests.golden.published import golden
from tests.oracles.registry_schema import faults, read
from tests.places import CONFIGS
from tests.samples import quick

FACTS = """\
deployment:
  basic:
    name: Commuters
    data_curators: [Example Agency, "Other: Office"]
    intended_use: Timetables
    data_product_type: Dataset
    data_product_region: Exampleland
    description: Commuters by county
    publication_date: "2027-03-01"
  deployment_model: {model_name: Central, release_type: One release}
  administrative: {registry_authors: [A. Nonymous], notes: Ours.}
"""


def exported(spec: Path, facts: Path | None = None) -> str:
    return entry_of_spec(str(spec), None if facts is None else str(facts), 60, 1e-6, Access())


def written(folder: Path, text: str, name: str = "spec.yaml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def loss(text: str) -> dict[str, Any]:
    found: dict[str, Any] = read(text)["deployment"]["privacy_loss"]
    return found


@pytest.mark.parametrize("path", quick(sorted(CONFIGS.glob("*.yaml"))), ids=lambda path: path.stem)
def test_every_config_is_exported_validly_and_lacks_nothing_but_what_no_spec_knows(
    path: Path, tmp_path: Path
) -> None:
    text = exported(path)
    assert faults(text) == []
    found = review_file(str(written(tmp_path, text, "entry.yaml")))
    rules = {finding.rule for finding in found.findings}
    # Of these two no parameter is stated: D_t has one dataset; bounded noise has infinite epsilons.
    none = path.stem in ("example3_all_zero", "cell_key_census")
    assert rules == {"SR014"} | ({"SR007"} if none else set())
    report = shipped_report(path).as_dict()
    semi = next(g for g in report["guarantees"] if g["framework"] == "semi_dp")
    parameters = loss(text).get("privacy_parameters", {})
    assert none == (parameters == {})
    if semi["zcdp"] and "rho" in parameters:
        assert Fraction(str(parameters["rho"])) >= Fraction(str(semi["zcdp"]["rho"]))
    if semi["pure_dp"]:
        assert parameters["epsilon"] >= semi["pure_dp"]["epsilon"]
    elif parameters:
        (best,) = [p for p in semi["approx_dp"] if p["delta"] == float(parameters["delta"])][:1]
        assert best["epsilon"] <= parameters["epsilon"] <= best["epsilon"] + 1e-6


def test_the_census_states_its_effective_numbers_their_universe_and_their_conversion() -> None:
    found = loss(exported(CONFIGS / "census2020_pl94.yaml"))
    assert found["privacy_parameters"]["rho"] == golden("census_rho_semi")
    assert found["privacy_parameters"]["delta"] == "1e-10"
    assert found["privacy_parameters"]["epsilon"] == pytest.approx(39.822574, abs=1e-6)
    relation = found["privacy_unit_details"]
    assert "`hamming`" in relation
    assert "at a distance of at most 2" in relation
    assert "2 (covering definition); 2 (Definition 13)" in relation
    effective, advertised, *_ = found["privacy_parameters_details"].splitlines()
    assert "(D_t) at a distance of at most 2: rho 10.24" in effective
    assert "at delta 1e-10 by the conversion Canonne, Kamath, Steinke 2020 (`cks20`)" in effective
    assert "distance of 1: rho 2.56" in advertised
    assert "does not cover the unprotected quantities" in advertised


def test_dates_and_deltas_are_quoted_and_the_invariants_are_the_unprotected_quantities() -> None:
    text = exported(CONFIGS / "two_releases.yaml")
    assert re.search(r'^ +publication_date: "0001-01-01" ', text, re.MULTILINE)
    assert re.search(r'^ +delta: "1e-06"$', text, re.MULTILINE)
    invariants = shipped_report(CONFIGS / "two_releases.yaml").as_dict()["building_blocks"]
    roles = [role["invariant"] for role in invariants["multiverse"]["invariants"]]
    told = read(text)["deployment"]["dp_variant"]["unprotected_quantities"]
    assert told.replace("\\", "").splitlines() == [f"- {role}" for role in roles]


def test_facts_fill_what_no_spec_knows(tmp_path: Path) -> None:
    facts = written(tmp_path, FACTS, "facts.yaml")
    text = exported(CONFIGS / "census2020_pl94.yaml", facts)
    assert faults(text) == []
    assert "PLACEHOLDER" not in text
    found = read(text)
    # Made by the rule of the registry's own script.
    assert found["url_slug"] == "commuters-example-agency-other-office-2027"
    assert found["tier"] == 3
    assert found["deployment"]["basic"]["data_product_type"] == "Dataset"
    assert found["deployment"]["administrative"]["notes"].startswith("Ours.\n- Not in this audit")
    assert review_file(str(written(tmp_path, text, "entry.yaml"))).findings == ()


HOSTILE = """semiaudit: 1
title: "x \\\\\\\\alpha $$ <b> [a](http://a.b) @someone | `c`"
dataspace: {unit: "per_son", attributes: {"a: _b_": 2, "- c": 3}}
invariants: [{margin: ["a: _b_"]}, {margin: ["- c"]}]
mechanism: {zcdp: {rho: 1/3}}
report: {deltas: [1/3]}
"""


def test_words_of_a_spec_stay_words(tmp_path: Path) -> None:
    text = exported(written(tmp_path, HOSTILE))
    assert faults(text) == []
    found = read(text)["deployment"]
    name = found["basic"]["name"]
    assert not re.search(r"\\\\[^()]", name)  # the registry's own check of LaTeX
    assert "$" not in name
    assert "\\<b\\>" in name
    parameters = found["privacy_loss"]["privacy_parameters"]
    assert Fraction(parameters["delta"]) >= Fraction(1, 3)
    assert Fraction(str(parameters["rho"])) >= Fraction(4, 3)


def test_without_an_effective_guarantee_there_is_no_entry(tmp_path: Path) -> None:
    spec = """semiaudit: 1
dataspace: {unit: person, attributes: {a: 2, b: 2}}
invariants: [{linear: matrix.csv}]
adjacency: {metric: symmetric_difference}
mechanism: {zcdp: {rho: 1}}
"""
    (tmp_path / "matrix.csv").write_text("1,2,3,5\n", "utf-8")
    path = written(tmp_path, spec)
    if semiaudit.audit(path).refusal:
        with pytest.raises(SemiauditError, match="no entry to export"):
            exported(path)
    else:  # the distance is established, and an entry states it
        assert faults(exported(path)) == []
