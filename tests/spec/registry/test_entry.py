"""Reading an entry: the registry's types, every problem at its place, nothing hostile gets far."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from semiaudit.errors import Mark, SpecError
from semiaudit.spec.registry.entry import load_entry
from semiaudit.spec.registry.facts import load_facts
from tests.oracles.registry_schema import SCHEMA, faults
from tests.places import ROOT
from tests.spec.registry.entries import HEAD, entry, written


def resolved(node: dict[str, Any], defined: dict[str, Any]) -> Any:
    """A schema without its descriptions, with what it refers to in place."""
    if "$ref" in node:
        return resolved(defined[node["$ref"].rpartition("/")[2]], defined)
    if "properties" in node:
        return {
            "required": sorted(node.get("required", [])),
            "other": node["additionalProperties"],
            "keys": {key: resolved(inner, defined) for key, inner in node["properties"].items()},
        }
    if "items" in node:
        return ["list", node["minItems"], resolved(node["items"], defined)]
    return node.get("enum") or [node.get("type"), node.get("format")]


def test_the_published_schema_has_the_registrys_keys_types_and_words_and_no_others() -> None:
    ours = json.loads((ROOT / "docs" / "registry_entry.schema.json").read_text("utf-8"))
    assert resolved(ours, ours["$defs"]) == resolved(SCHEMA, {})


def test_an_entry_is_read_with_its_numbers_exact_and_its_places(tmp_path: Path) -> None:
    text = entry(parameters="{epsilon: 1.0e-10, delta: '1e-10', rho: 0.1}")
    found = load_entry(written(tmp_path, text))
    place = ("deployment", "privacy_loss", "privacy_parameters")
    assert found.numbers == {
        (*place, "epsilon"): Fraction(1, 10**10),
        (*place, "rho"): Fraction(1, 10),
    }
    assert found.text(*place, "delta") == "1e-10"
    assert found.mark(*place, "rho").line == 20
    assert found.mark(*place, "nothing") == found.mark(*place) == Mark(20, 25)
    assert list(found.items("deployment", "basic", "data_curators")) == ["Example Agency"]
    assert faults(text) == []


@pytest.mark.parametrize(
    ("before", "after", "line", "told"),
    [
        ("'2027-01-01'", "2027-01-01", 12, "is a date in the registry"),
        ("'2027-01-01'", "'2027-02-30'", 12, "is not a date"),
        ("'2027-01-01'", "01/02/2027", 12, "is not a date"),
        ("name: Commuters", "name: 2027", 6, "is a number in the registry"),
        ("name: Commuters", "name: no", 6, "is a truth value in the registry"),
        ("name: Commuters", "name: [a, b]", 6, "a list is not text"),
        ("name: Commuters", "name:", 6, "nothing is not text"),
        ("name: Commuters", "name: {a: b}", 6, "a mapping is not text"),
        ("[Example Agency]", "[]", 7, "has too few items"),
        ("[Example Agency]", "Example Agency", 7, "must be a list"),
        ("status: Draft", "status: Done", 2, "is not one of Converted"),
        ("tier: 3", "tier: 4", 3, "is not a tier"),
        ("tier: 3", "tier: three", 3, "is text in the registry"),
        ("status: Draft", "status: Draft\nstate: new", 3, "state is not a known key"),
        ("    intended_use: Timetables\n", "", 6, "intended_use is missing"),
        ("{rho: 0.5}", "{rho: 1e-10}", 20, "is text in the registry"),
        ("{rho: 0.5}", "{rho: '0.5'}", 20, "is text in the registry"),
        ("{rho: 0.5}", "{rho: .inf}", 20, "is not a finite number"),
        ("{rho: 0.5}", "{mu: 1.0}", 20, "mu is not a known key"),
        ("{rho: 0.5}", "[0.5]", 20, "must be a mapping"),
        ("url_slug: commuters", "url_slug: &a commuters", 1, "defines the anchor"),
        ("Exampleland", "*a", 10, "uses the alias"),
        ("Exampleland", "!!python/object:os.system x", 10, "uses the tag"),
    ],
)
def test_what_does_not_fit_is_told_at_its_line(
    before: str, after: str, line: int, told: str, tmp_path: Path
) -> None:
    text = entry().replace(before, after, 1)
    with pytest.raises(SpecError) as raised:
        load_entry(written(tmp_path, text))
    assert [p.line for p in raised.value.problems if told in p.message] == [line]
    if "&" not in text and "*a" not in text and "!!" not in text and ".inf" not in text:
        assert faults(text) != []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a list\n",
        "url_slug: [\n",
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n",
        "[" * 5000,
        "k: " * 200 + "\n",
        HEAD + "x" * 1_000_001,
        "\0binary",
        "---\na: 1\n---\nb: 2\n",
    ],
    ids=["empty", "list", "damaged", "bomb", "deep", "nested", "huge", "binary", "two"],
)
def test_hostile_files_end_in_an_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError):
        load_entry(written(tmp_path, text))


def test_facts_are_a_part_of_an_entry_and_no_claim(tmp_path: Path) -> None:
    text = "tier: 2\ndeployment: {basic: {name: Trips}, deployment_model: {model_name: Central}}\n"
    assert load_facts(written(tmp_path, text)) == {
        "tier": 2,
        "deployment": {"basic": {"name": "Trips"}, "deployment_model": {"model_name": "Central"}},
    }
    text = "deployment:\n  basic: {publication_date: 2027-01-01}\n  privacy_loss: {}\n  other: {}\n"
    with pytest.raises(SpecError) as raised:
        load_facts(written(tmp_path, text))
    assert [(p.line, p.path) for p in raised.value.problems] == [
        (2, "deployment.basic.publication_date"),
        (3, "deployment.privacy_loss"),
        (4, "deployment.other"),
    ]
