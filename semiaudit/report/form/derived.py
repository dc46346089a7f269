"""Keys of JSON objects from the annotated fields of dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from semiaudit.model.bound import Bound
from semiaudit.report.form.forms import (
    NUMBER,
    REAL,
    TEXT,
    TRUTH,
    WHOLE,
    JsonForm,
    Keys,
    list_of,
    object_of,
    one_of,
    or_null,
)

Forms = Mapping[Any, JsonForm]

_SIMPLE: Forms = {str: TEXT, bool: TRUTH, int: WHOLE, float: REAL, Bound: NUMBER}


def keys_of(record: type, names: str, forms: Forms = MappingProxyType({})) -> Keys:
    """Return keys of an object whose values are fields of a dataclass.

    ``Annotated[type, "text"]`` gives the description of a key. ``Literal`` is one of its words, a
    tuple is a list of items of its first type, and ``None`` is null.

    Args:
        names: the keys in their order, with spaces between them: the name of a field, or
            ``key=field``.
        forms: the forms of further types.
    """
    hints = get_type_hints(record, include_extras=True)
    fields = {name.partition("=")[0]: name.rpartition("=")[2] for name in names.split()}
    known = {**_SIMPLE, **forms}
    return {key: (_form(hints[field], known), field) for key, field in fields.items()}


def _form(hint: Any, forms: Forms) -> JsonForm:
    if hint in forms:
        return forms[hint]
    inner = get_args(hint)
    match get_origin(hint):
        case origin if origin is Annotated:
            return _form(inner[0], forms).described(inner[1])
        case origin if origin is Literal:
            return one_of(*inner)
        case origin if origin in (Union, UnionType) and inner[1] is NoneType:
            return or_null(_form(inner[0], forms))
        case origin if origin is tuple:
            return list_of(_form(inner[0], forms))
    return object_of(keys_of(hint, " ".join(hint.__dataclass_fields__), forms))
