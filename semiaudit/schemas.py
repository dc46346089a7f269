"""What all JSON Schemas of this program have in common."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_NAMED = ("properties", "patternProperties", "$defs")
_ONE = ("items", "additionalProperties", "contains", "not")
_SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")


def described(schema: Schema, told: str = "") -> Schema:
    """A schema in which every node says what it is: a branch that does not, what stands above.

    Properties and definitions have to say it themselves.

    Args:
        told: what stands above.
    """
    told = schema.get("description", told)
    found = {"description": told, **schema} if told else dict(schema)
    for key in _NAMED:
        if key in found:
            found[key] = {name: described(node) for name, node in found[key].items()}
    for key in _ONE:
        if isinstance(found.get(key), dict):
            found[key] = described(found[key], told)
    for key in _SEVERAL:
        if key in found:
            found[key] = [described(node, told) for node in found[key]]
    return found
