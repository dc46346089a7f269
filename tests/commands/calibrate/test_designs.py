"""Designs as Python has them: the same answer as the command's, and what a notebook shows."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import click
import lxml.html
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import semiaudit
from semiaudit import GDP, ZCDP, ApproxDP, Gaussian, Mechanism, PureDP, Spec, calibrate
from semiaudit.cli.target_option import read_target
from semiaudit.commands.calibrate.auditor import Auditor
from semiaudit.commands.calibrate.command import calibrate as command
from semiaudit.commands.calibrate.designs import Designs
from semiaudit.mechanisms.designs import NAIVE, Recipe
from semiaudit.model.results.design import Design, DesignName
from tests.municipalities import flat
from tests.places import ROOT

TEXT = """\
semiaudit: 1
title: Two by two <b>
dataspace: {size: 12, attributes: {region: 2, sex: 2}}
invariants: [{margin: [region]}]
design: {query: table}
"""
SCHEMA = json.loads((ROOT / "docs" / "calibrate.schema.json").read_text("utf-8"))
TARGETS = {
    "mu=1": GDP(1),
    "epsilon=1/2": PureDP("1/2"),
    "rho=0.1": ZCDP("0.1"),
    "epsilon=1,delta=1e-6": ApproxDP(1, "1e-6"),
}


@cache
def designs(target: str = "mu=1") -> Designs:
    return calibrate(TEXT, TARGETS[target])


@pytest.mark.parametrize("text", TARGETS)
def test_a_target_is_that_of_the_command(text: str) -> None:
    context, option = click.Context(command), command.params[1]
    assert read_target(context, option, text) == TARGETS[text]


def test_python_has_the_answer_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(TEXT, "utf-8")
    arguments = [str(path), "--target", "rho=0.1", "--format", "json"]
    printed = CliRunner().invoke(command, arguments, standalone_mode=False).output
    found = calibrate(path, ZCDP("0.1"))
    assert found.render("json") == printed
    Draft202012Validator(SCHEMA).validate(found.as_dict())
    assert found.complete


def test_the_designs_that_meet_a_target_have_names() -> None:
    """Between neighbors in D_t two cells move by 1: the length is the root of 2."""
    found = designs()
    assert "naive_gaussian" in found.names
    naive = next(d for d in found.as_dict()["designs"] if d["name"] == "naive_gaussian")
    assert naive["met"] == pytest.approx(1, abs=1e-6)
    assert len(found) == len(list(found)) == len(found.names)
    assert "naive_gaussian" in found
    assert next(d["name"] for d in found.as_dict()["designs"] if not d["meets"]) not in found
    columns = found.to_columns()
    assert columns["design"] == [d["name"] for d in found.as_dict()["designs"]]
    assert repr(found).startswith("<Designs <text>, mu=1: correlated_gaussian")


def test_a_notebook_shows_the_tables_of_the_designs() -> None:
    found = designs()
    shown = lxml.html.fromstring(f"<div>{found._repr_html_()}</div>")
    tables = {table.findtext("caption"): table for table in shown.iterfind(".//table")}
    rows = tables["Designs that meet the target"].findall("tbody/tr")
    assert {row[0].text for row in rows} == set(found.names)
    assert "meet the target" in shown.findtext("p/b", "")
    assert not shown.findall(".//script")
    assert "Designs that meet the target" in found._repr_markdown_()


def test_a_spec_with_noise_names_its_query() -> None:
    sections = {
        "semiaudit": 1,
        "dataspace": {"size": 12, "attributes": {"region": 2, "sex": 2}},
        "invariants": [{"margin": ["region"]}],
        "mechanism": {"gaussian": {"sigma": 5, "query": "table"}},
    }
    found = calibrate(Spec.from_mapping(sections), ZCDP("0.1"))
    assert found.names == designs("rho=0.1").names


@pytest.mark.parametrize("target", [Gaussian(1), GDP(1) * 2, GDP(1) + PureDP(1)])
def test_a_target_is_one_declared_guarantee(target: Any) -> None:
    with pytest.raises(ValueError, match="is not PureDP, ApproxDP, ZCDP, or GDP"):
        calibrate(TEXT, target)
    with pytest.raises(ValueError, match="not for neighbors of another kind; remove neighbors"):
        calibrate(TEXT, GDP(1, neighbors="replace_one"))
    text: Any = "mu=1"
    with pytest.raises(TypeError, match="target: str is not a Mechanism; write such as semiaudit"):
        calibrate(TEXT, text)


@pytest.mark.parametrize("target", [PureDP(0), ZCDP(0), GDP(0), ApproxDP(1, 0)])
def test_a_target_that_no_noise_meets_is_refused(target: Mechanism) -> None:
    with pytest.raises(ValueError, match="above 0"):
        calibrate(TEXT, target)


def test_a_target_without_delta_is_not_said_to_be_out_of_reach() -> None:
    with pytest.raises(ValueError, match=r"delta 0 .*for pure DP, give PureDP\(1\)") as error:
        calibrate(TEXT, ApproxDP(1, 0))
    assert "no noise" not in str(error.value)
    with pytest.raises(ValueError, match="epsilon 0 is out of range") as error:
        calibrate(TEXT, ApproxDP(0, "1e-6"))
    assert "no noise" not in str(error.value)


def test_a_design_is_a_mechanism_section_by_its_name() -> None:
    found = designs()
    rows = [line.split()[0] for line in found.render().splitlines() if line.strip()]
    assert [row for row in rows if row in found.names][: len(found.names)] == list(found.names)
    listed = {d["name"]: d for d in found.as_dict()["designs"]}
    assert found["algorithm_1"] == listed["algorithm_1"]["mechanism"]
    found["algorithm_1"].clear()
    made = Spec.from_text(TEXT).with_(design=None, mechanism=found["algorithm_1"])
    mu = semiaudit.audit(made).semi_dp.mu
    assert mu is not None
    assert float(mu) == pytest.approx(1, abs=1e-6)
    assert semiaudit.sample(made.with_(data={"counts": [[3, 3], [3, 3]]}), seed=1).to_csv()
    with pytest.raises(KeyError, match=r"no design 'algorithm_1': .*unbounded.*; those that meet"):
        calibrate(TEXT, PureDP(1))["algorithm_1"]
    assert (found.exit_code, found.complete, found.incomplete_because) == (0, True, ())
    assert Designs(replace(found._result, designs=())).exit_code == 2
    with pytest.raises(KeyError, match="no design 'algorithm1': there is no such design"):
        found["algorithm1"]


def test_a_format_or_a_definition_that_there_is_none_of_is_named() -> None:
    with pytest.raises(ValueError, match="no format 'pdf'"):
        designs().render("pdf")
    with pytest.raises(ValueError, match="there is no dp; known are nominal_dp"):
        calibrate(TEXT, GDP(1), framework=cast(Any, "dp"))


def test_a_spec_without_a_query_is_refused() -> None:
    with pytest.raises(semiaudit.SpecError, match="names no query"):
        calibrate(TEXT.replace("design: {query: table}", "mechanism: {gdp: {mu: 1}}"), GDP(1))


def test_one_design_is_computed_alone_and_is_that_of_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = {design.name: design for design in designs()._result.designs}
    computed: list[str] = []
    known = Auditor.design

    def counted(self: Auditor, name: DesignName, recipe: Recipe) -> Design:
        computed.append(name)
        return known(self, name, recipe)

    monkeypatch.setattr(Auditor, "design", counted)
    found = calibrate(TEXT, GDP(1), design="extended_gaussian")
    (design,) = found._result.designs
    assert replace(design, preferred_over=()) == replace(whole[design.name], preferred_over=())
    assert {"extended_gaussian"} < set(computed) <= {"extended_gaussian", *NAIVE}
    two = calibrate(TEXT, GDP(1), design=["algorithm_1", "naive_l1"])
    assert {design.name for design in two._result.designs} == {"algorithm_1", "naive_l1"}
    with pytest.raises(ValueError, match="there is no algorithm_9"):
        calibrate(TEXT, GDP(1), design=cast("Any", "algorithm_9"))


def test_a_hull_with_too_many_facets_waits_for_its_name() -> None:
    """12 cells with three totals: the hull has 9 dimensions. All others are found meanwhile."""
    found = calibrate(flat(6, "design: {query: table}\n", sex=2), GDP(1))
    refused = {design.name: design.refused for design in found._result.designs}
    assert "by name" in refused["algorithm_2"]
    assert {"correlated_gaussian", "extended_laplace", "projected_laplace"} < set(found.names)
    assert found.complete
