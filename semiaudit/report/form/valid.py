"""Validation of parsed JSON against one of the program's schemas, with the place of each fault.

It supports the keywords that ``report.forms`` writes and refuses all others, so no rule of a schema
is silently ignored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

_ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "title", "description", "examples"})
"""Keywords that require nothing."""

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def fault_of(value: Any, schema: Schema) -> str:
    """Return the first fault of a value under a schema, with its path; empty if it fits.

    Args:
        value: as ``json.loads`` gives it.
        schema: a whole document's, with its ``$defs``.

    Raises:
        ValueError: the schema has an unknown keyword.
    """
    return next(_faults(value, schema, schema.get("$defs", {}), ""), "")


def _faults(value: Any, schema: Schema, defined: dict[str, Schema], path: str) -> Iterator[str]:
    where = path or "the whole"
    for keyword, asked in schema.items():
        match keyword:
            case "$ref":
                yield from _faults(value, defined[asked.removeprefix("#/$defs/")], defined, path)
            case "const":
                if not _equal(value, asked):
                    yield f"{where} is not {asked!r}"
            case "enum":
                if not any(_equal(value, word) for word in asked):
                    yield f"{where} is none of {', '.join(map(str, asked))}"
            case "type":
                kinds = [asked] if isinstance(asked, str) else asked
                if not any(_is_of(value, kind) for kind in kinds):
                    yield f"{where} is no {' or '.join(kinds)}"
            case "anyOf":
                if all(next(_faults(value, one, defined, path), "") for one in asked):
                    yield f"{where} has none of the forms that it may have"
            case "minimum" | "maximum":
                if _is_of(value, "number"):
                    low, high = (asked, math.inf) if keyword == "minimum" else (-math.inf, asked)
                    if not low <= value <= high:
                        yield f"{where} lies outside of what it may be"
            case "pattern":
                if isinstance(value, str) and not re.search(asked, value):
                    yield f"{where} has no form that it may have"
            case "items":
                for place, item in enumerate(value if isinstance(value, list) else ()):
                    yield from _faults(item, asked, defined, f"{path}[{place}]")
            case "properties":
                for key in asked.keys() & (value.keys() if isinstance(value, dict) else ()):
                    inner = f"{path}.{key}" if path else key
                    yield from _faults(value[key], asked[key], defined, inner)
            case "required":
                missing = [key for key in asked if isinstance(value, dict) and key not in value]
                if missing:
                    yield f"{where} lacks {', '.join(missing)}"
            case "additionalProperties":
                known = schema.get("properties", {}).keys()
                if asked is not False:
                    raise ValueError("additionalProperties is false in this program's schemas")
                if isinstance(value, dict) and not value.keys() <= known:
                    yield f"{where} has a key that is not known"
            case _:
                if keyword not in _ANNOTATIONS:
                    raise ValueError(f"{keyword} is a keyword that is not known")


def _is_of(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def _equal(value: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON: true is not 1."""
    return isinstance(value, bool) == isinstance(other, bool) and value == other
