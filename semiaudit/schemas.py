"""Common parts of all JSON Schemas of this program."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_NAMED = ("properties", "patternProperties", "$defs")
_ONE = ("items", "additionalProperties", "contains", "not")
_SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")


def described(schema: Schema, description: str = "") -> Schema:
    """A schema in which every node says what it is: a branch that does not, what stands above.

    Properties and definitions have to say it themselves.

    Args:
        description: what stands above.
    """
    description = schema.get("description", description)
    result = {"description": description, **schema} if description else dict(schema)
    for key in _NAMED:
        if key in result:
            result[key] = {name: described(node) for name, node in result[key].items()}
    for key in _ONE:
        if isinstance(result.get(key), dict):
            result[key] = described(result[key], description)
    for key in _SEVERAL:
        if key in result:
            result[key] = [described(node, description) for node in result[key]]
    return result
