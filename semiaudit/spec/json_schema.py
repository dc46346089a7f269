"""The JSON Schema of specs, for editors."""

from __future__ import annotations

from typing import Any

from semiaudit.spec.mechanism_schema import BESIDE, MechanismSection
from semiaudit.spec.schema import SpecSection


def spec_json_schema() -> dict[str, Any]:
    """The JSON Schema of specs, for editors."""
    schema = SpecSection.model_json_schema()
    definitions = schema["$defs"]
    kinds = [name for name in MechanismSection.model_fields if name not in BESIDE]
    definitions["MechanismSection"]["oneOf"] = [{"required": [name]} for name in kinds]
    definitions["MechanismSection"]["dependentRequired"] = {"total_rho": ["compose"]}
    for name, definition in definitions.items():
        if {"query", "shifts"} <= definition.get("properties", {}).keys():
            definitions[name]["oneOf"] = [{"required": ["query"]}, {"required": ["shifts"]}]
    query = definitions["QuerySection"]
    query["properties"].pop("table")
    definitions["QuerySection"] = {
        "anyOf": [{"const": "table"}, query | {"minProperties": 1, "maxProperties": 1}]
    }
    invariant = definitions["InvariantSection"]
    invariant["properties"].pop("total")
    definitions["InvariantSection"] = {
        "anyOf": [{"const": "total"}, invariant | {"minProperties": 1, "maxProperties": 1}]
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema
