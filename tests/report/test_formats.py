"""Formats agree with each other, with the contract, and with what is safe to print."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import semiaudit
from semiaudit.model.bound import Bound, Side
from semiaudit.model.number_text import bound_text
from semiaudit.report.blocks.numbers import bound_number
from semiaudit.report.form.to_json import DOCUMENT
from semiaudit.spec.json_schema import spec_json_schema
from tests.audits import shipped_report
from tests.places import ROOT
from tests.samples import quick

SPECS = sorted([*(ROOT / "configs").glob("*.yaml"), *(ROOT / "tests/specs/holds").glob("*.yaml"),
                *(ROOT / "tests/specs/exceeds").glob("*.yaml")])  # fmt: skip


@cache
def validator(schema: Callable[[], dict[str, Any]]) -> jsonschema.Draft202012Validator:
    """Of a schema, which is checked itself; made once, as that takes longer than to use it."""
    written = schema()
    jsonschema.Draft202012Validator.check_schema(written)
    return jsonschema.Draft202012Validator(written)


@pytest.mark.parametrize("path", quick(SPECS), ids=lambda path: path.stem)
def test_every_json_report_follows_its_schema(path: Path) -> None:
    report = json.loads(shipped_report(path).render("json"))
    validator(DOCUMENT.schema).validate(report)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_spec_follows_the_json_schema_of_specs(path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    validator(spec_json_schema).validate(yaml.safe_load(path.read_text()))


def test_the_schema_of_specs_refuses_what_the_reader_refuses() -> None:
    specs = validator(spec_json_schema)
    good: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"attributes": {"a": 2}},
        "invariants": ["total", {"margin": ["a"]}],
        "mechanism": {"zcdp": {"rho": 1}},
    }
    assert specs.is_valid(good)
    changes: tuple[dict[str, Any], ...] = (
        {"semiaudit": 2},
        {"extra": 1},
        {"mechanism": {}},
        {"mechanism": {"zcdp": {"rho": 1}, "gdp": {"mu": 1}}},
        {"invariants": [{"margin": ["a"], "count": {"where": {"a": 1}}}]},
        {"invariants": ["sum"]},
        {"dataspace": {"attributes": {"a": 0}}},
    )
    for change in changes:
        assert not specs.is_valid({**good, **change}), change


def test_tables_and_json_print_the_same_bounds() -> None:
    report = semiaudit.audit(ROOT / "configs/census2020_pl94.yaml")
    data, text, markdown = (
        report.as_dict(),
        report.render("text", verbose=True),
        report.render("markdown", verbose=True),
    )
    for guarantee in data["guarantees"]:
        for point in guarantee["approx_dp"]:
            shown = bound_text(Bound(Fraction(point["epsilon"]), "upper", "", ""))
            assert shown in text
            assert shown in markdown


def test_markdown_escapes_what_would_be_markup(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\ntitle: 'a | b <b> [x](y) `c` *d*'\ndataspace: {}\n"
        "mechanism: {zcdp: {rho: 1}}\n"
    )
    first = semiaudit.audit(path).render("markdown").splitlines()[0]
    assert first == r"# a \| b \<b\> \[x\](y) \`c\` \*d\*"


def test_rich_markup_in_a_title_is_printed_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        "semiaudit: 1\ntitle: '[red]hot[/red] :smile:'\ndataspace: {}\n"
        "mechanism: {zcdp: {rho: 1}}\n"
    )
    assert semiaudit.audit(path).render("text").startswith("[red]hot[/red] :smile:\n")


@pytest.mark.parametrize(
    ("value", "side", "text", "number"),
    [
        ("10.24", "exact", "10.24", 10.24),
        ("17.9152829190018", "upper", "17.92", 17.9152829190018),
        ("17.9152829190018", "lower", "17.91", 17.9152829190018),
        ("1/3", "upper", "0.3334", 0.33333333333333337),
        ("1/3", "lower", "0.3333", 0.3333333333333333),
        ("1e-10", "exact", "1e-10", 1e-10),
        ("0.0000123456789", "upper", "1.235e-5", 1.23456789e-05),
        ("0.0000123456789", "lower", "1.234e-5", 1.23456789e-05),
        ("0", "upper", "0", 0),
        ("3", "exact", "3", 3),
        ("0.9999999", "upper", "1", 0.9999999),
        ("9007199254740993", "upper", "9.0072e15", 9007199254740994.0),
    ],
)
def test_numbers_are_written_on_their_safe_side(
    value: str, side: Any, text: str, number: float
) -> None:
    bound = Bound(Fraction(value), side, "", "")
    assert bound_number(bound) == number
    assert bound_text(bound) == text


def test_infinity_is_a_word_in_json() -> None:
    assert bound_number(Bound(float("inf"), "upper", "", "")) == "inf"
    assert bound_text(Bound(float("inf"), "upper", "", "")) == "inf"


def test_digits_are_never_on_the_wrong_side_of_the_bound() -> None:
    chance = random.Random(1)
    for _ in range(2000):
        value = Fraction(chance.randint(0, 10**12), 10 ** chance.randint(0, 14)) / chance.choice(
            [1, 3, 7]
        )
        sides: tuple[tuple[Side, int], ...] = (("upper", 1), ("lower", -1))
        for side, sign in sides:
            bound = Bound(value, side, "", "")
            shown = Fraction(bound_text(bound))
            assert sign * (shown - value) >= 0
            assert abs(shown - value) <= value / 10**3
            assert sign * (Fraction(str(bound_number(bound))) - value) >= 0 or value.denominator > 1
