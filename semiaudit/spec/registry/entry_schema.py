"""The JSON Schema of entries: the registry's keys, types and enumerations, in our words."""

from __future__ import annotations

from semiaudit.model.results.registry import SCHEMA_COMMIT
from semiaudit.schemas import DIALECT, Schema, described
from semiaudit.spec.registry.entry_grammar import EntrySection
from semiaudit.version import schema_address

_PARAMETERS = {"epsilon": 39.83, "delta": "1e-10", "rho": 10.24}
_EXAMPLE = {
    "url_slug": "commuters-example-agency-2027",
    "status": "Draft",
    "tier": 1,
    "deployment": {
        "basic": {
            "name": "Commuters",
            "data_curators": ["Example Agency"],
            "intended_use": "Planning of timetables",
            "data_product_type": "Summary statistics",
            "data_product_region": "Exampleland",
            "description": "Commuters by county and age",
            "publication_date": "2027-01-01",
        },
        "privacy_loss": {"privacy_unit": "person", "privacy_parameters": _PARAMETERS},
    },
}


def entry_json_schema() -> Schema:
    """The JSON Schema of entries, as they are read and written."""
    schema = EntrySection.model_json_schema()
    definitions = schema["$defs"]
    for section in (schema, *definitions.values()):
        for value in section["properties"].values():
            value.pop("title", None)
            value.pop("default", None)
            target = definitions.get(value.get("$ref", "").rpartition("/")[2], {})
            value.setdefault("description", target.get("description", ""))
    definitions["ParametersSection"]["examples"] = [_PARAMETERS]
    schema["examples"] = [_EXAMPLE]
    schema["description"] += f" Keys, types and enumerations are those of commit {SCHEMA_COMMIT}."
    return described(
        {"$schema": DIALECT, "$id": schema_address("registry_entry")} | schema,
    )
