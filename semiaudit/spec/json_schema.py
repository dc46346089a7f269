"""The JSON Schemas of specs, policies and files of waivers, for editors."""

from __future__ import annotations

from semiaudit.schemas import DIALECT, Schema, described
from semiaudit.spec.meanings import EXAMPLES, MEANINGS
from semiaudit.spec.mechanism.mechanism_schema import NOT_KINDS, MechanismSection
from semiaudit.spec.policy.policy_reader import PolicySection, WaiversSection
from semiaudit.spec.scalars import Section
from semiaudit.spec.schema import SpecSection
from semiaudit.version import schema_address

_NEED_A_QUERY = {"support", "covariance", "basis"}


def spec_json_schema() -> Schema:
    """The JSON Schema of specs."""
    schema = _document("spec", SpecSection)
    definitions = schema["$defs"]
    kinds = [name for name in MechanismSection.model_fields if name not in NOT_KINDS]
    definitions["MechanismSection"]["oneOf"] = [{"required": [name]} for name in kinds]
    definitions["MechanismSection"]["dependentRequired"] = {"total_rho": ["compose"]}
    for name, definition in definitions.items():
        if {"query", "shifts"} <= definition.get("properties", {}).keys():
            definitions[name]["oneOf"] = [{"required": ["query"]}, {"required": ["shifts"]}]
        on_query = definition.get("properties", {}).keys() & _NEED_A_QUERY
        if on_query and "shifts" in definition["properties"]:
            definitions[name]["dependentRequired"] = {key: ["query"] for key in sorted(on_query)}
    for name, one, other in (("Gaussian", "sigma", "covariance"), ("Laplace", "", "basis")):
        definitions[f"{name}Section"]["not"] = {"required": ["support", other]}
        if one:
            either = [{"required": [one]}, {"required": [other]}]
            definitions[f"{name}Section"]["allOf"] = [{"oneOf": either}]
    for name, word in (("QuerySection", "table"), ("InvariantSection", "total")):
        definitions[name] = _word_or_one_key(definitions[name], word)
    return described(schema)


def policy_json_schema() -> Schema:
    """The JSON Schema of policies."""
    return described(_document("policy", PolicySection))


def waivers_json_schema() -> Schema:
    """The JSON Schema of files of waivers, each of which names its spec."""
    schema = _document("waivers", WaiversSection)
    waiver = schema["$defs"]["WaiverSection"]
    waiver["required"] += ["spec", "sha256"]
    waiver["examples"] = schema["examples"][0]["waivers"]
    return described(schema)


def _document(name: str, model: type[Section]) -> Schema:
    schema_of_model = model.model_json_schema()
    definitions = schema_of_model.get("$defs", {})
    for section, schema in [*definitions.items(), (model.__name__, schema_of_model)]:
        for key, value in schema.get("properties", {}).items():
            value.pop("title", None)
            description = MEANINGS.get(f"{section}.{key}") or _section_description(
                value, definitions
            )
            if description:
                value.setdefault("description", description)
        if section in EXAMPLES:
            schema["examples"] = EXAMPLES[section]
    return {"$schema": DIALECT, "$id": schema_address(name)} | schema_of_model


def _section_description(value: Schema, definitions: Schema) -> str:
    items = value.get("items", {})
    for option in [value, items, *value.get("anyOf", [])]:
        target = definitions.get(option.get("$ref", "").rpartition("/")[2], {})
        if "description" in target:
            return str(target["description"])
    return ""


def _word_or_one_key(section: Schema, word: str) -> Schema:
    """A section that may be written as a word, and else has exactly one of its other keys."""
    section["properties"].pop(word)
    notes = {key: section.pop(key) for key in ("description", "examples") if key in section}
    mapping = section | {"minProperties": 1, "maxProperties": 1}
    return notes | {"anyOf": [{"const": word}, mapping]}
