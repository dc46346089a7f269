"""Validating a document section by section, so that one bad section hides no other."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

from pydantic import ValidationError

from semiaudit.spec.future import FUTURE
from semiaudit.spec.grammar import Section
from semiaudit.spec.mechanism_schema import MechanismSection
from semiaudit.spec.schema import (
    MOST_BUDGETS,
    AdjacencySection,
    BudgetSection,
    DataSection,
    DataspaceSection,
    InvariantSection,
    ReleaseSection,
    ReportSection,
    SpecSection,
)
from semiaudit.spec.yaml12 import Document, Node, Path_, Scalar, path_text

Model = TypeVar("Model", bound=Section)

_EXPECTED = {
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "model_attributes_type": "must be a mapping",
    "too_short": "has too few items",
    "too_long": "has too many items",
}


class Sections:
    """The validated sections of a document; None (or absent from a list) where invalid."""

    def __init__(self, document: Document) -> None:
        self.document = document
        root = document.root
        self.title = "untitled"
        self.reference: tuple[str, ...] = ()
        self.leaves_out: tuple[str, ...] = ()
        self.dataspace: DataspaceSection | None = None
        self.invariants: list[tuple[Path_, InvariantSection]] = []
        self.data: DataSection | None = None
        self.adjacency: AdjacencySection | None = AdjacencySection()
        self.mechanisms: list[tuple[Path_, MechanismSection]] = []
        self.releases: list[int] = []
        self.report: ReportSection | None = ReportSection()
        self.budgets: list[tuple[int, BudgetSection]] = []
        if not isinstance(root, dict):
            document.report((), "is no mapping", "begin with `semiaudit: 1`")
            return
        self._head(root)
        self.dataspace = self._section(DataspaceSection, "dataspace", root, required=True)
        if self.dataspace is None:
            self.dataspace = self._usable_dataspace(root.get("dataspace"))
        if "data" in root:
            self.data = self._section(DataSection, "data", root)
        if "adjacency" in root:
            self.adjacency = self._section(AdjacencySection, "adjacency", root)
        if "report" in root:
            self.report = self._section(ReportSection, "report", root)
        if "releases" in root:
            self._releases(root)
        else:
            self._release(root, ())
        found = self._items(BudgetSection, "budgets", root)
        self.budgets = [(index, item) for (_, index), item in found if isinstance(index, int)]

    def _releases(self, root: dict[str, Node]) -> None:
        """Every release's invariants and mechanism, one after another."""
        for key in ("invariants", "mechanism"):
            if key in root:
                what = "stands beside releases"
                self.document.report((key,), what, "move it into a release", key=True)
        value = root["releases"]
        if not isinstance(value, list) or not value:
            remedy = "list the releases, each with invariants and mechanism"
            self.document.report(("releases",), "is no list of releases", remedy)
            return
        for index, release in enumerate(value):
            path: Path_ = ("releases", index)
            if not isinstance(release, dict):
                self.document.report(path, "is no mapping", "give invariants and mechanism")
                continue
            for key in release:
                if key not in ReleaseSection.model_fields:
                    self._unknown((*path, key), "", list(ReleaseSection.model_fields))
            self._release(release, path)

    def _release(self, root: dict[str, Node], path: Path_) -> None:
        before = len(self.invariants)
        mechanism = self._section(MechanismSection, "mechanism", root, path, required=True)
        if mechanism is not None:
            self.mechanisms.append(((*path, "mechanism"), mechanism))
        self.invariants += self._items(InvariantSection, "invariants", root, path)
        self.releases += [len(self.invariants) - before]

    def _head(self, root: dict[str, Node]) -> None:
        for key in root:
            if key not in SpecSection.model_fields:
                self._unknown((key,), "", list(SpecSection.model_fields))
        version = root.get("semiaudit")
        if "semiaudit" not in root:
            self.document.report((), "semiaudit is missing", "begin with `semiaudit: 1`")
        elif not isinstance(version, Scalar) or version.strip() != "1":
            self.document.report(("semiaudit",), "is no known version", "write `semiaudit: 1`")
        head = {key: root[key] for key in ("title", "reference", "leaves_out") if key in root}
        for key, value in head.items():
            items = value if isinstance(value, list) else [value]
            texts = tuple(" ".join(str(i).split()) for i in items if isinstance(i, Scalar))
            if not all(text and text.isprintable() for text in texts):
                self.document.report((key,), "is empty or holds control characters", "mend it")
            if len(texts) != len(items) or (key == "title" and isinstance(value, list)):
                self.document.report((key,), "must be text", "write a sentence")
            elif key == "title":
                self.title = texts[0]
            elif key == "reference":
                self.reference = texts
            else:
                self.leaves_out = texts

    def _section(
        self,
        model: type[Model],
        key: str,
        root: dict[str, Node],
        path: Path_ = (),
        *,
        required: bool = False,
    ) -> Model | None:
        where: Path_ = (*path, key)
        if key not in root and required:
            self.document.report(path, f"{key} is missing", f"add a section `{key}:`")
            return None
        if root[key] is None:
            if all(problem.path != path_text(where) for problem in self.document.problems):
                self.document.report(where, "is empty", "fill it, or leave it out")
            return None
        return self._validated(model, root[key], where)

    def _usable_dataspace(self, value: Node) -> DataspaceSection | None:
        """The dataspace without its faulty keys, so that what names its parts can be checked."""
        if not isinstance(value, dict):
            return None
        faulty = set()
        try:
            DataspaceSection.model_validate(value)
        except ValidationError as error:
            faulty = {detail["loc"][0] for detail in error.errors() if detail["loc"]}
        if "attributes" in faulty or not value.keys() & {"attributes", "product", "datasets"}:
            return None
        try:
            return DataspaceSection.model_validate(
                {key: part for key, part in value.items() if key not in faulty}
            )
        except ValidationError:
            return None

    def _items(
        self, model: type[Model], key: str, root: dict[str, Node], path: Path_ = ()
    ) -> list[tuple[Path_, Model]]:
        if key not in root:
            return []
        value, where = root[key], (*path, key)
        if not isinstance(value, list):
            what = "is empty" if value is None else "must be a list"
            self.document.report(where, what, "start each item with a dash, or leave it out")
            return []
        if key == "budgets" and len(value) > MOST_BUDGETS:
            what = f"has {len(value)} items"
            self.document.report(where, what, f"give at most {MOST_BUDGETS}")
            return []
        places: list[Path_] = [(*where, index) for index in range(len(value))]
        found = [
            (at, self._validated(model, item, at)) for at, item in zip(places, value, strict=True)
        ]
        return [(at, item) for at, item in found if item is not None]

    def _validated(self, model: type[Model], value: Any, path: Path_) -> Model | None:
        try:
            return model.model_validate(value)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                self._problem(path, detail, model)
            return None

    def _problem(self, prefix: Path_, detail: Any, model: type[Section]) -> None:
        location, kind = detail["loc"], detail["type"]
        path = _existing(self.document, prefix, location)
        if kind == "extra_forbidden":
            section = next(str(key) for key in reversed(prefix) if isinstance(key, str))
            self._unknown((*prefix, *location), section, _keys_of(model, location[:-1]))
        elif kind == "missing":
            self.document.report(path, f"{location[-1]} is missing", "add it")
        elif kind == "value_error":
            message, _, remedy = str(detail["ctx"]["error"]).partition("; ")
            self.document.report(path, message, remedy)
        else:
            expected = _EXPECTED.get(kind, detail["msg"].lower())
            self.document.report(path, expected, "correct it")

    def _unknown(self, path: Path_, section: str, known: list[str]) -> None:
        key = str(path[-1])
        later = FUTURE.get(section, {}).get(key)
        if later:
            message = f"{key} ({later}) is not supported yet"
            self.document.report(path, message, "see the limits in the documentation", key=True)
            return
        from difflib import get_close_matches  # only a mistake needs it

        close = get_close_matches(key, known, n=1)
        remedy = f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}"
        self.document.report(path, f"{key} is not a known key", remedy, key=True)


def _existing(document: Document, prefix: Path_, location: tuple[str | int, ...]) -> Path_:
    """The part of an error's location that is a path in the document."""
    path = prefix
    for key in location:
        if (*path, key) in document.marks:
            path = (*path, key)
    return path


def _keys_of(model: type[Section], location: tuple[str | int, ...]) -> list[str]:
    """The keys that the section at a location knows."""
    shape = tuple(0 if isinstance(key, int) else key for key in location)
    return _keys_of_shape(model, shape)


@lru_cache(maxsize=100)
def _keys_of_shape(model: type[Section], location: tuple[str | int, ...]) -> list[str]:
    schema = _schema_of(model)
    node, definitions = schema, schema.get("$defs", {})
    for key in location:
        node = _resolved(node, definitions)
        child = node.get("items") if isinstance(key, int) else node.get("properties", {}).get(key)
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
