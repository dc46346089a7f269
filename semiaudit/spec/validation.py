"""Validating parts of a document against sections, each problem at its place."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

from pydantic import ValidationError

from semiaudit.spec.scalars import Section
from semiaudit.spec.schema import MOST_BUDGETS, MOST_WAIVERS
from semiaudit.spec.yaml12 import SPACE_COLONS, Node, Path_, Scalar, YamlDocument, path_text

Model = TypeVar("Model", bound=Section)

MOST = {"budgets": MOST_BUDGETS, "waivers": MOST_WAIVERS}
"""Items of a list, at most, by its key."""

_EXPECTED = {
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "model_attributes_type": "must be a mapping",
    "too_short": "has too few items",
    "too_long": "has too many items",
}


class Validation:
    """Sections of one document; what is wrong goes to the document's problems."""

    def __init__(self, document: YamlDocument) -> None:
        self.document = document
        self._meant: set[Path_] = set()

    def section(
        self,
        model: type[Model],
        key: str,
        root: dict[str, Node],
        path: Path_ = (),
        *,
        required: bool = False,
    ) -> Model | None:
        """The section of a key, or None if there is none or it is not valid."""
        where: Path_ = (*path, key)
        if key not in root and required:
            if where not in self._meant:
                self.document.report(path, f"{key} is missing", f"add a section `{key}:`")
            return None
        if root[key] is None:
            if all(problem.path != path_text(where) for problem in self.document.problems):
                self.document.report(where, "is empty", "fill it, or leave it out")
            return None
        return self._validated(model, root[key], where)

    def whole(self, model: type[Model], root: dict[str, Node]) -> Model | None:
        """The whole document as one section, or None if it is not valid."""
        return self._validated(model, root, ())

    def items(
        self, model: type[Model], key: str, root: dict[str, Node], path: Path_ = ()
    ) -> list[tuple[Path_, Model]]:
        """The valid items of a key's list, each with its place."""
        if key not in root:
            return []
        value, where = root[key], (*path, key)
        if not isinstance(value, list):
            what = "is empty" if value is None else "must be a list"
            self.document.report(where, what, "start each item with a dash, or leave it out")
            return []
        if len(value) > MOST.get(key, len(value)):
            what = f"has {len(value)} items"
            self.document.report(where, what, f"give at most {MOST[key]}")
            return []
        places: list[Path_] = [(*where, index) for index in range(len(value))]
        items = [
            (at, self._validated(model, item, at)) for at, item in zip(places, value, strict=True)
        ]
        return [(at, item) for at, item in items if item is not None]

    def _validated(self, model: type[Model], value: Any, path: Path_) -> Model | None:
        try:
            return model.model_validate(value)
        except ValidationError as error:
            # an unknown key first: it may be the key that is missing
            details = sorted(
                error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden"
            )
            for place, detail in enumerate(details):
                if self.document.problems.full:
                    self.document.problems.beyond += len(details) - place
                    break
                self._problem(path, detail, model)
            return None

    def _problem(self, prefix: Path_, detail: Any, model: type[Section]) -> None:
        location, kind = detail["loc"], detail["type"]
        path = _existing(self.document, prefix, location)
        if kind == "extra_forbidden":
            self.unknown((*prefix, *location), _keys_of(model, location[:-1]))
        elif kind == "missing":
            if (*prefix, *location) not in self._meant:
                self.document.report(path, f"{location[-1]} is missing", "add it")
        elif kind == "value_error":
            message, _, remedy = str(detail["ctx"]["error"]).partition("; ")
            self.document.report(path, message, remedy)
        else:
            expected = _EXPECTED.get(kind, detail["msg"].lower())
            remedy = self._as_list(path) if kind == "list_type" else "correct it"
            if kind == "too_short":
                remedy = f"give at least {detail['ctx']['min_length']}"
            elif kind == "too_long":
                remedy = f"give at most {detail['ctx']['max_length']}"
            self.document.report(path, expected, remedy)

    def _as_list(self, path: Path_) -> str:
        """Return the remedy for a text in the place of a list of names."""
        value = self.document.at(path)
        if not isinstance(value, Scalar) or not path or not 0 < len(value) <= 60:
            return "correct it"
        return f"write `{path[-1]}: [{value}]`" if value.isprintable() else "correct it"

    def _decimal_comma(self, path: Path_) -> str:
        """Return the remedy if a key of digits is the end of a number with a comma; else empty."""
        parent, key = self.document.at(path[:-1]), str(path[-1])
        if not isinstance(parent, dict) or not key.isdigit() or parent.get(key) is not None:
            return ""
        keys = list(parent)
        before = parent[keys[keys.index(key) - 1]]
        is_number = isinstance(before, Scalar) and before.lstrip("+-").isdigit()
        return f", or write {before}.{key} with a decimal point" if is_number else ""

    def unknown(self, path: Path_, known: list[str]) -> None:
        """Report a key that is not among the known ones, with the known one that is like it.

        That one is not reported as missing afterwards: the typo is the cause.
        """
        key = str(path[-1])
        from difflib import get_close_matches  # only a mistake needs it

        close = get_close_matches(key, known, n=1)
        self._meant |= {(*path[:-1], name) for name in close}
        remedy = f"known are {', '.join(known)}{self._decimal_comma(path)}"
        if key.partition(":")[0] in known:
            remedy = SPACE_COLONS
        elif close:
            remedy = f"did you mean {close[0]}?"
        self.document.report(path, f"{key} is not a known key", remedy, key=True)


def _existing(document: YamlDocument, prefix: Path_, location: tuple[str | int, ...]) -> Path_:
    path = prefix
    for key in location:
        if (*path, key) in document.marks:
            path = (*path, key)
    return path


def _keys_of(model: type[Section], location: tuple[str | int, ...]) -> list[str]:
    shape = tuple(0 if isinstance(key, int) else key for key in location)
    return _keys_of_shape(model, shape)


@lru_cache(maxsize=100)
def _keys_of_shape(model: type[Section], location: tuple[str | int, ...]) -> list[str]:
    schema = _schema_of(model)
    node, definitions = schema, schema.get("$defs", {})
    for key in location:
        node = _resolved(node, definitions)
        named = node.get("properties", {}).get(key, node.get("additionalProperties"))
        child = node.get("items") if isinstance(key, int) else named
        node = child if isinstance(child, dict) else {}
    return list(_resolved(node, definitions).get("properties", {}))


@lru_cache(maxsize=20)
def _schema_of(model: type[Section]) -> dict[str, Any]:
    return model.model_json_schema()


def _resolved(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    for option in [node, *node.get("anyOf", [])]:
        if "$ref" in option:
            target: dict[str, Any] = definitions[option["$ref"].split("/")[-1]]
            return target
        if option.get("type") in ("array", "object"):
            return dict(option)
    return node
