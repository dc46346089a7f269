"""A path, a text, plain values and a Spec are one argument for everything that takes a spec."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from semiaudit import (
    GDP,
    ZCDP,
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

VALUES: dict[str, Any] = {
    "semiaudit": 1,
    "dataspace": {"size": 12, "attributes": {"region": 2, "sex": 2}},
    "invariants": [{"margin": ["region"]}],
    "mechanism": {"discrete_gaussian": {"sigma_squared": 4, "query": {"margins": [["sex"]]}}},
}
TEXT = """\
semiaudit: 1
dataspace: {size: 12, attributes: {region: 2, sex: 2}}
invariants: [{margin: [region]}]
mechanism: {discrete_gaussian: {sigma_squared: 4, query: {margins: [[sex]]}}}
"""

FORMS: dict[str, Callable[[Path], Any]] = {
    "str": str,
    "path": lambda path: path,
    "text": lambda _: TEXT,
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
    path.write_text(TEXT, "utf-8")
    return path


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_spec_has_the_same_answer(name: str, form: str, path: Path) -> None:
    assert ASKED[name](FORMS[form](path)) == answer(name)


@pytest.mark.parametrize("name", ASKED)
def test_every_problem_of_a_spec_is_shown_with_its_place(name: str, tmp_path: Path) -> None:
    path = tmp_path / "faulty.yaml"
    path.write_text(TEXT.replace("size: 12", "size: -12"), "utf-8")
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
    text = TEXT.replace(
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
