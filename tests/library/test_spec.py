"""Specs as values: from a file, a text and plain values, and changed with a provenance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from semiaudit import (
    ZCDP,
    Gaussian,
    Mechanism,
    PureDP,
    Report,
    Spec,
    SpecError,
    audit,
    audit_many,
)
from tests.places import CONFIGS

NO_MAPPING: Any = []
TEXT = """semiaudit: 1
title: Two by two
dataspace: {size: 12, attributes: {a: 2, b: 2}}
invariants:
- margin: [a]
mechanism: {zcdp: {rho: 0.5}}
budgets: [{framework: semi_dp, rho: 2}]
"""
MAPPING: dict[str, object] = {
    "semiaudit": 1,
    "title": "Two by two",
    "dataspace": {"size": 12, "attributes": {"a": 2, "b": 2}},
    "invariants": [{"margin": ["a"]}],
    "mechanism": {"zcdp": {"rho": 0.5}},
    "budgets": [{"framework": "semi_dp", "rho": 2}],
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "spec.yaml").write_text(TEXT)
    (folder / "rows.csv").write_text("1,1,0,0\n")
    (tmp_path / "outside.csv").write_text("1,1,0,0\n")
    monkeypatch.chdir(folder)
    return folder


def without_places(report: Report) -> object:
    """The JSON without what tells where the spec is from."""
    found = report.as_dict()
    del found["spec"]
    for item in [*found["findings"], *found["budgets"]]:
        item.pop("line", None)
        item.pop("column", None)
    return json.loads(json.dumps(found))


def test_a_file_a_text_and_values_have_one_audit(here: Path) -> None:
    file, text, values = audit_many(["spec.yaml", TEXT, MAPPING])
    assert without_places(file) == without_places(text) == without_places(values)
    assert [report.path for report in (file, text, values)] == ["spec.yaml", "<text>", "<mapping>"]
    assert file.as_dict()["spec"]["sha256"] == text.as_dict()["spec"]["sha256"]
    assert values.as_dict()["spec"]["sha256"] == Spec.from_mapping(MAPPING).sha256
    for spec in (Spec.from_file(here / "spec.yaml"), Spec.from_text(TEXT)):
        assert without_places(audit(spec)) == without_places(file)
        assert spec.title == "Two by two"
    assert audit(Path("spec.yaml")).exit_code == 0
    assert {"<mapping>", "Two by two"} <= set(values.render("json").split('"'))


def test_a_text_is_told_with_lines_and_values_with_their_keys(here: Path) -> None:
    with pytest.raises(SpecError, match=r"^<text>:5:12: invariants\[0\].margin\[0\]: "):
        Spec.from_text(TEXT.replace("[a]", "[c]"))
    with pytest.raises(SpecError) as caught:
        audit({**MAPPING, "invariants": [{"margin": ["c"]}], "mechanism": {"zcdp": {}}, "x": {1}})
    told = [str(problem) for problem in caught.value.problems]
    assert sorted(text.split(": ")[1] for text in told) == [
        "invariants[0].margin[0]",
        "mechanism.zcdp",
        "x",
        "x",
    ]
    assert all(text.startswith("<mapping>: ") for text in told)
    with pytest.raises(SpecError, match=r"^<mapping>: is not a mapping"):
        audit(NO_MAPPING)


def test_a_spec_without_a_file_is_confined_to_the_working_directory(here: Path) -> None:
    inside = {**MAPPING, "invariants": [{"linear": "rows.csv"}]}
    assert audit(inside).a_t == audit(TEXT.replace("margin: [a]", "linear: rows.csv")).a_t == 2
    for name in ("../outside.csv", str(here.parent / "outside.csv")):
        outside = {**MAPPING, "invariants": [{"linear": name}]}
        with pytest.raises(SpecError, match="leads out of the spec's folder"):
            audit(outside)
        with pytest.raises(SpecError, match="leads out of the spec's folder"):
            audit(TEXT.replace("margin: [a]", f"linear: {name}"))
        assert audit(outside, root=here.parent).a_t == 2
        assert audit(Spec.from_mapping(outside, root=here.parent)).a_t == 2


def test_a_changed_spec_carries_its_own_provenance(here: Path) -> None:
    spec = Spec.from_file("spec.yaml")
    louder = spec.with_(mechanism=ZCDP(1))
    same = spec.with_(mechanism={"zcdp": {"rho": 1}})
    assert louder.path == "<changed from spec.yaml>"
    assert louder.sha256 == same.sha256 != spec.sha256
    assert louder.with_(title="Other").path == "<changed from spec.yaml>"
    assert Spec.from_text(TEXT).with_(title="x").path == "<changed from text>"
    assert Spec.from_mapping(MAPPING).with_(title="x").path == "<mapping>"
    report = audit(louder)
    assert report.as_dict()["spec"] == {
        "path": louder.path,
        "sha256": louder.sha256,
        "title": "Two by two",
    }
    assert report.exit_code == 1
    assert audit(spec).exit_code == 0
    assert {finding["line"] for finding in report.as_dict()["findings"]} == {None}
    assert spec.to_mapping()["mechanism"] == {"zcdp": {"rho": "0.5"}}
    assert louder == same
    assert louder != spec
    assert len({louder, same, spec}) == 2


def test_sections_are_replaced_whole_or_left_out(here: Path) -> None:
    spec = Spec.from_file("spec.yaml")
    free = audit(spec.with_(invariants=None, budgets=None))
    assert (free.a_t, audit(spec).a_t) == (1, 2)
    assert free.exit_code == 0
    with pytest.raises(SpecError, match=r"<changed from spec.yaml>: .*dataspace is missing"):
        spec.with_(dataspace=None)
    with pytest.raises(SpecError, match="metod is not a known key; known are"):
        spec.with_(metod=1)
    with pytest.raises(SpecError, match=r"budgets\[0\]: is a object"):
        spec.with_(budgets=[object()])
    (here / "below").mkdir()
    (here / "below" / "spec.yaml").write_text(TEXT)
    (here / "below" / "own.csv").write_text("1,1,0,0\n")
    below = Spec.from_file("below/spec.yaml").with_(invariants=[{"linear": "own.csv"}])
    assert audit(below).a_t == 2  # the folder is still the original's


def test_confidential_counts_stay_out_of_digests_and_of_what_a_notebook_shows(here: Path) -> None:
    data = {"counts": [[3, 4], [4, 1]]}
    spec = Spec.from_mapping({**MAPPING, "data": data, "title": "<b>x</b>"})
    other = spec.with_(data={"counts": [[4, 3], [1, 4]]})
    assert spec.sha256 == other.sha256  # one t
    assert spec != other
    shown = spec._repr_html_() + spec._repr_markdown_()
    assert "counts" in shown
    assert "3, 4" not in shown
    assert "<b>" not in shown
    assert repr(spec) == "<Spec <mapping>: <b>x</b>>"


def test_a_shipped_config_changes_as_any_other() -> None:
    spec = Spec.from_file(CONFIGS / "census2020_pl94.yaml")
    found = audit(spec.with_(mechanism=Gaussian(sigma=1, shifts=[1]))).semi_dp
    rho = found.rho
    assert rho is not None
    assert (rho.value, found.distance) == (2, 2)


@pytest.mark.parametrize("noise", [Gaussian(4), Gaussian(4) * 10 + PureDP(1)])
def test_a_spec_takes_no_noise_of_which_nobody_says_what_one_record_changes(
    noise: Mechanism,
) -> None:
    """On a table of counts, one record that is replaced changes two: mu is larger by sqrt(2)."""
    spec = Spec.from_file(CONFIGS / "example5_table.yaml")
    with pytest.raises(SpecError, match="has neither query nor shifts"):
        audit(spec.with_(mechanism=noise))
