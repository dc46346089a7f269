"""JSON held to a schema: what the reference implementation refuses is refused, and no more."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from semiaudit import audit
from semiaudit.report.form.valid import fault_of
from tests.places import CONFIGS, ROOT

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text("utf-8"))
VALUES: list[Any] = [None, True, 0, -1, 1.5, 2.0, "inf", "x", [], {}, [1], {"a": 1}]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(inner, (*path, key))
    return found


def changed(report: Any, at: random.Random) -> Any:
    """A report in which one place holds something else, lacks a key or has another one."""
    found = copy.deepcopy(report)
    path = at.choice(places(found)[1:])
    holder = found
    for key in path[:-1]:
        holder = holder[key]
    what = at.randrange(3)
    if what == 0:
        del holder[path[-1]]
    elif what == 1 and isinstance(holder, dict):
        holder["no_such_key"] = 1
    else:
        holder[path[-1]] = at.choice(VALUES)
    return found


@pytest.mark.parametrize("config", ["example5_table", "census2020_pl94"])
def test_it_agrees_with_the_reference_on_changed_reports(config: str) -> None:
    report = json.loads(json.dumps(audit(CONFIGS / f"{config}.yaml").as_dict()))
    assert fault_of(report, SCHEMA) == ""
    reference = Draft202012Validator(SCHEMA)
    at = random.Random(2)
    refused = 0
    for _ in range(25):
        other = changed(report, at)
        fault = fault_of(other, SCHEMA)
        assert (fault == "") == reference.is_valid(other), fault
        refused += fault != ""
    assert refused > 8


def test_a_fault_names_its_place() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "integer", "minimum": 0}}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert fault_of({"a": [0, -1]}, schema) == "a[1] lies outside of what it may be"
    assert fault_of({}, schema) == "the whole lacks a"
    assert fault_of({"a": [], "b": 1}, schema) == "the whole has a key that is not known"
    assert fault_of({"a": [True]}, schema) == "a[0] is no integer"


@pytest.mark.parametrize("schema", [{"maxLength": 3}, {"additionalProperties": {"type": "string"}}])
def test_a_rule_that_is_not_known_is_never_passed_over(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"known|false"):
        fault_of({}, schema)
