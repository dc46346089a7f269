"""The JSON Schemas: each node is described, each example valid, and editors find them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from semiaudit.cli import main
from semiaudit.commands.schema import SCHEMAS
from semiaudit.errors import SpecError
from semiaudit.resources import shipped
from semiaudit.spec.build import load_release
from semiaudit.spec.drafts.modeline import with_modeline
from semiaudit.spec.policy.policy_reader import load_policy, load_waivers
from semiaudit.version import REPOSITORY, __version__
from tests.gate.specs import spec
from tests.places import CONFIGS, ROOT

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MODELINE = "# yaml-language-server: $schema="
FILES = [name for name in SCHEMAS if name != "batch"]
INSIDE = ("items", "additionalProperties", "not", "contains")
SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")


def committed(name: str) -> Any:
    return json.loads((ROOT / "docs" / f"{name}.schema.json").read_text("utf-8"))


def nodes(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a schema, at every depth, with its path."""
    yield path, schema
    for group in ("properties", "$defs", "patternProperties"):
        for key, value in schema.get(group, {}).items():
            yield from nodes(value, f"{path}/{group}/{key}")
    for key in INSIDE:
        if isinstance(schema.get(key), dict):
            yield from nodes(schema[key], f"{path}/{key}")
    for key in SEVERAL:
        for place, value in enumerate(schema.get(key, [])):
            yield from nodes(value, f"{path}/{key}/{place}")


@pytest.mark.parametrize("name", FILES)
def test_what_the_command_prints_is_committed_shipped_and_a_schema(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", name]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / f"{name}.schema.json").read_text("utf-8")
    schema = committed(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == DIALECT
    assert schema["$id"] == f"{REPOSITORY}/raw/v{__version__}/docs/{name}.schema.json"
    assert shipped(f"{name}.schema.json") == ROOT / "docs" / f"{name}.schema.json"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    source = f"docs/{name}.schema.json"
    assert wheel[source] == f"semiaudit/shipped/{name}.schema.json"


def test_no_schema_is_left_out_and_all_addresses_differ() -> None:
    files = {path.name.removesuffix(".schema.json") for path in ROOT.glob("docs/*.schema.json")}
    assert files == set(FILES)
    assert len({committed(name)["$id"] for name in FILES}) == len(FILES)


@pytest.mark.parametrize(
    ("arguments", "same"),
    [([], "spec"), (["report"], "report"), (["check"], "check"), (["batch"], "check")],
)
def test_other_ways_to_ask_for_a_schema(
    arguments: list[str], same: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", *arguments]) == 0
    assert json.loads(capsys.readouterr().out) == committed(same)


@pytest.mark.parametrize("arguments", [["nothing"], ["spec", "report"]])
def test_a_schema_that_is_not_there_is_a_usage_error(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", *arguments]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", FILES)
def test_every_node_at_every_depth_says_what_it_is(name: str) -> None:
    silent = [
        path
        for path, node in nodes(committed(name))
        if not str(node.get("description", "")).strip()
    ]
    assert silent == []


@pytest.mark.parametrize("name", FILES)
def test_every_example_is_valid_where_it_stands(name: str) -> None:
    schema = committed(name)
    found = [(path, node) for path, node in nodes(schema) if "examples" in node]
    assert len(found) >= 2
    for path, node in found:
        inside = {**node, "$defs": schema.get("$defs", {})}
        for example in node["examples"]:
            errors = [error.message for error in Draft202012Validator(inside).iter_errors(example)]
            assert errors == [], (path, example)


def test_the_examples_of_whole_files_are_read(tmp_path: Path) -> None:
    (example,) = committed("spec")["examples"]
    assert load_release(spec(tmp_path, yaml.safe_dump(example))).budgets
    (example,) = committed("policy")["examples"]
    assert load_policy(spec(tmp_path, yaml.safe_dump(example))).require_budgets
    (example,) = committed("waivers")["examples"]
    assert load_waivers(spec(tmp_path, yaml.safe_dump(example)))[0].rule == "SA013"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("policy", {"semiaudit_policy": 2}),
        ("policy", {"semiaudit_policy": 1, "budget": []}),
        ("policy", {"semiaudit_policy": 1, "require_budgets": "maybe"}),
        ("waivers", {"semiaudit_waivers": 1}),
        ("waivers", {"semiaudit_waivers": 1, "waivers": [{"rule": "SA013"}]}),
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(
    name: str, wrong: dict[str, Any], tmp_path: Path
) -> None:
    assert not Draft202012Validator(committed(name)).is_valid(wrong)
    load = load_policy if name == "policy" else load_waivers
    with pytest.raises(SpecError):
        load(spec(tmp_path, yaml.safe_dump(wrong)))


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_config_leads_an_editor_to_the_schema_of_specs(path: Path) -> None:
    first = path.read_text("utf-8").splitlines()[0]
    assert first.startswith(MODELINE)
    target = path.parent / first.removeprefix(MODELINE)
    assert target.resolve() == (ROOT / "docs" / "spec.schema.json").resolve()


def test_init_writes_the_address_of_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    assert main(["init", str(path)]) == 0
    first, *rest = path.read_text("utf-8").splitlines()
    assert first == MODELINE + committed("spec")["$id"]
    assert not any(line.startswith(MODELINE) for line in rest)


def test_a_modeline_takes_the_place_of_another_one() -> None:
    once = with_modeline("semiaudit: 1\n")
    assert once.splitlines() == [MODELINE + committed("spec")["$id"], "semiaudit: 1"]
    assert with_modeline(once) == once
    assert with_modeline("a: 1\n", "policy").startswith(MODELINE + committed("policy")["$id"])
