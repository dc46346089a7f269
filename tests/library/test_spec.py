"""Specs as values: from a file, a text and plain values, and changed with a provenance."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from semiaudit import (
    GDP,
    ZCDP,
    Gaussian,
    Mechanism,
    PureDP,
    Report,
    SensitivitySpace,
    Shuffled,
    Spec,
    SpecError,
    ablate,
    audit,
    audit_many,
    calibrate,
    compare,
    sample,
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
    below = Spec.from_file("below/spec.yaml").with_(invariants=[{"linear": Path("own.csv")}])
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


VALUES: dict[str, Any] = {
    "semiaudit": 1,
    "dataspace": {"size": 12, "attributes": {"region": 2, "sex": 2}},
    "invariants": [{"margin": ["region"]}],
    "mechanism": {"discrete_gaussian": {"sigma_squared": 4, "query": {"margins": [["sex"]]}}},
}
ARGUMENT = """\
semiaudit: 1
dataspace: {size: 12, attributes: {region: 2, sex: 2}}
invariants: [{margin: [region]}]
mechanism: {discrete_gaussian: {sigma_squared: 4, query: {margins: [[sex]]}}}
"""

FORMS: dict[str, Callable[[Path], Any]] = {
    "str": str,
    "path": lambda path: path,
    "text": lambda _: ARGUMENT,
    "mapping": lambda _: VALUES,
    "spec": lambda path: Spec.from_file(path),
}

ASKED: dict[str, Callable[..., object]] = {
    "audit": lambda spec, **more: audit(spec, **more).as_dict()["guarantees"],
    "audit_many": lambda spec, **more: audit_many([spec], **more)[0].as_dict()["guarantees"],
    "ablate": lambda spec, **more: ablate(spec, **more).a_t,
    "compare": lambda spec, **more: compare(spec, VALUES, **more).order("A", "B"),
    "calibrate": lambda spec, **more: calibrate(spec, ZCDP("1/2"), **more).as_dict()["designs"],
    "sample": lambda spec, **more: sample(spec, seed=7, **more).to_csv(),
    "space": lambda spec, **more: SensitivitySpace(spec, **more).vectors,
}
"""What takes a spec, and an answer that does not depend on its form."""


@cache
def answer(name: str) -> object:
    """What plain values are answered."""
    return ASKED[name](VALUES)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.yaml"
    path.write_text(ARGUMENT, "utf-8")
    return path


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_spec_has_the_same_answer(name: str, form: str, path: Path) -> None:
    assert ASKED[name](FORMS[form](path)) == answer(name)


@pytest.mark.parametrize("name", ASKED)
def test_every_problem_of_a_spec_is_shown_with_its_place(name: str, tmp_path: Path) -> None:
    path = tmp_path / "faulty.yaml"
    path.write_text(ARGUMENT.replace("size: 12", "size: -12"), "utf-8")
    for faulty in (path, str(path)):
        with pytest.raises(SpecError, match=r"faulty\.yaml:2:19: dataspace\.size: "):
            ASKED[name](faulty)
    with pytest.raises(SpecError, match="<mapping>: dataspace: "):
        ASKED[name]({**VALUES, "dataspace": 3})
    with pytest.raises(SpecError, match=r"missing\.yaml"):
        ASKED[name](tmp_path / "missing.yaml")


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("value", [None, 3])
def test_what_is_no_spec_is_named_as_python_writes_it(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"\Aspec: {value} is not a path, a Spec, a mapping"):
        ASKED[name](value)


def test_a_design_may_replace_the_mechanism_in_every_form(tmp_path: Path) -> None:
    text = ARGUMENT.replace(
        "mechanism: {discrete_gaussian: {sigma_squared: 4, query: {margins: [[sex]]}}}", ""
    )
    text += "design: {query: {margins: [[sex]]}}\n"
    path = tmp_path / "design.yaml"
    path.write_text(text, "utf-8")
    values = {**VALUES, "design": {"query": {"margins": [["sex"]]}}}
    del values["mechanism"]
    target = ZCDP("1/2")
    names = calibrate(values, target).names
    assert names
    assert names == calibrate(text, target).names == calibrate(path, target).names
    specs = Spec.from_mapping(values), Spec.from_text(text), Spec.from_file(path)
    spaces = [SensitivitySpace(form).vectors for form in (values, text, path, *specs)]
    assert spaces == [SensitivitySpace(VALUES).vectors] * 6
    for spec in specs:
        assert calibrate(spec, target).names == names
        for name in ASKED.keys() - {"calibrate", "space"}:
            with pytest.raises(SpecError, match="design: does not specify noise that can be aud"):
                ASKED[name](spec)
        assert spec.with_(design=None, mechanism=VALUES["mechanism"]).to_mapping() == VALUES


def test_a_spec_with_an_open_part_is_refused_by_what_needs_a_mechanism() -> None:
    swap = {"stratify_by": ["region"], "swap": ["sex"]}
    spec = Spec.from_mapping({**VALUES, "mechanism": {"swapping": swap}})
    with pytest.raises(SpecError, match="has no rate"):
        audit(spec)
    rated = spec.with_(mechanism={"swapping": {**swap, "rate": "1/10"}})
    assert audit(rated).semi_dp is not None
    with pytest.raises(SpecError, match="mechanism is missing"):
        spec.with_(mechanism=None)
    with pytest.raises(SpecError, match=r"design\.query: "):
        spec.with_(mechanism=None, design={"query": "tabel"})


def test_a_sensitivity_space_counts_the_data_that_its_spec_names(tmp_path: Path) -> None:
    """All records have one region: one of them can change its sex alone, and none its region."""
    (tmp_path / "table.csv").write_text("a,count\n0,1\n1,1\n", "utf-8")
    path = tmp_path / "counted.yaml"
    path.write_text(
        "semiaudit: 1\ndataspace: {attributes: {a: 2, b: [x, y]}, size: 3}\n"
        "invariants: [{margin: [a]}]\n"
        "data: {table: table.csv}\nmechanism: {gdp: {mu: 1}}\n",
        "utf-8",
    )
    with pytest.raises(SpecError, match=r"table\.csv"):
        SensitivitySpace(path)
    (tmp_path / "table.csv").write_text("a,b,count\n0,x,2\n0,y,1\n", "utf-8")
    space = SensitivitySpace(path)
    assert space.distance == 1
    assert space.vectors == ((-1, 1, 0, 0), (0, 0, 0, 0), (1, -1, 0, 0))
    assert (
        SensitivitySpace(path.read_text("utf-8").replace("data: {table: table.csv}\n", "")).distance
        == 2
    )


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf"), 1e7, "soon"])
def test_a_time_limit_is_a_number_of_seconds_above_0(name: str, limit: Any) -> None:
    with pytest.raises(ValueError, match=r"\Atime_limit: "):
        ASKED[name](VALUES, time_limit=limit)
    with pytest.raises(ValueError, match=r"\Atime_limit: "):
        GDP(1).guarantee(time_limit=limit)


def test_a_time_limit_holds_for_the_numbers_that_a_guarantee_is_asked_for() -> None:
    """Nine shuffled parts take seconds to compose; epsilon is at most the sum of theirs, 12.87."""
    many = Shuffled("1.43", 10_000) * 9
    for part in range(1, 5):
        many = many + Shuffled(f"1.4{part}", 10_000)
    hurried = many.guarantee(time_limit=0.01)
    with pytest.warns(RuntimeWarning, match="cut short the numbers at 1e-8; they hold"):
        at_once = hurried.epsilon("1e-8")
    with pytest.warns(RuntimeWarning, match="raise time_limit"):
        enclosed = hurried.epsilon_enclosure("1e-7").upper
    for found in (at_once, enclosed):
        assert found.method != "loss_distribution"
        assert found.side == "upper"
    with pytest.warns(RuntimeWarning, match="cut short the numbers at 1, 2; they hold"):
        assert all(hurried.delta([2, 1]) <= 1)
