"""Validating a document section by section, so that one bad section hides no other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from pydantic import ValidationError

from semiaudit.model.audit import UNTITLED
from semiaudit.spec.mechanism.mechanism_schema import MechanismSection
from semiaudit.spec.schema import (
    AdjacencySection,
    DataspaceSection,
    DesignSection,
    InvariantSection,
    ReleaseSection,
    ReportSection,
    SpecSection,
)
from semiaudit.spec.validation import Validation
from semiaudit.spec.yaml12 import Node, Path_, Scalar, YamlDocument, path_text

if TYPE_CHECKING:
    from semiaudit.spec.data.data_schema import DataSection
    from semiaudit.spec.policy.budget_schema import BudgetSection
    from semiaudit.spec.policy.waiver_schema import WaiverSection
    from semiaudit.spec.touches_schema import TouchesSection

PLACEHOLDER = "placeholder"
"""The word in ``leaves_out`` by which a spec says that it is not filled in."""

KEYS_OF_SPECS = frozenset(
    {"semiaudit", "dataspace", "invariants", "data", "adjacency", "mechanism", "design", "releases"}
)
"""Keys that no file of another program has by chance; one of them shows what was meant."""

Others = tuple[DataspaceSection | None, "TouchesSection"]
"""The dataspace of a release that has its own (None if it is not valid), and what of it one
protected unit touches."""


@cache
def _no_adjacency() -> AdjacencySection:
    """The section of a spec that has none; made once, since pydantic looks at every default."""
    return AdjacencySection.model_construct()


@cache
def _no_report() -> ReportSection:
    return ReportSection.model_construct()


class Sections(Validation):
    """The validated sections of a document; None (or absent from a list) where invalid."""

    def __init__(self, document: YamlDocument) -> None:
        super().__init__(document)
        root = document.root
        self.title = UNTITLED
        self.reference: tuple[str, ...] = ()
        self.leaves_out: tuple[str, ...] = ()
        self.placeholder: Path_ | None = None
        self.dataspace: DataspaceSection | None = None
        self.invariants: list[tuple[Path_, InvariantSection]] = []
        self.data: DataSection | None = None
        self.adjacency: AdjacencySection | None = _no_adjacency()
        self.mechanisms: list[tuple[Path_, MechanismSection]] = []
        self.design: DesignSection | None = None
        self.releases: list[int] = []
        self.others: dict[int, Others] = {}
        self.report: ReportSection | None = _no_report()
        self.budgets: list[tuple[int, BudgetSection]] = []
        self.waivers: list[tuple[Path_, WaiverSection]] = []
        # Each early return follows a reported problem. A spec with a problem is refused, so none
        # of the defaults above is audited as if the spec had given it.
        if not isinstance(root, dict):
            remedy = "begin with `semiaudit: 1`"
            if document.file.lower().endswith(".csv"):
                name = document.file
                remedy = f"write a spec for this CSV file with `semiaudit init --from {name}`"
            document.report((), "is not a mapping", remedy)
            return
        below = _path_of_nested(root)
        if below:
            what, key = "looks like a spec below another key", path_text(below)
            document.report(below, what, f"move what is below {key} to the top", key=True)
            return
        if not KEYS_OF_SPECS.intersection(root) and self._is_something_else(root):
            return
        self._head(root)
        self.dataspace = self.section(DataspaceSection, "dataspace", root, required=True)
        # The problem of the dataspace is reported by now: the rest of it only helps to find more
        # problems in the same run, and no report comes from it.
        if self.dataspace is None:
            self.dataspace = self._usable_dataspace(root.get("dataspace"))
        if "data" in root:
            from semiaudit.spec.data.data_schema import DataSection

            self.data = self.section(DataSection, "data", root)
        if "adjacency" in root:
            self.adjacency = self.section(AdjacencySection, "adjacency", root)
        if "report" in root:
            self.report = self.section(ReportSection, "report", root)
        if "releases" in root:
            self._releases(root)
        else:
            self._release(root, ())
        if "budgets" in root:
            from semiaudit.spec.policy.budget_schema import BudgetSection

            items = self.items(BudgetSection, "budgets", root)
            self.budgets = [(index, item) for (_, index), item in items if isinstance(index, int)]
        if "waivers" in root:
            from semiaudit.spec.policy.waiver_schema import WaiverSection

            self.waivers = self.items(WaiverSection, "waivers", root)
        for path, waiver in self.waivers:
            for key in ("spec", "sha256"):
                if getattr(waiver, key) is not None:
                    what = "is for files of waivers, and this waiver is in a spec"
                    self.document.report((*path, key), what, "remove it", key=True)

    def _is_something_else(self, root: dict[str, Node]) -> bool:
        """Report that a document without any key of a spec is something else, unless one is near.

        Such as a policy, or a file of another program.
        """
        for key, option in (("semiaudit_policy", "policy"), ("semiaudit_waivers", "waivers")):
            if key in root:
                name = "a policy" if option == "policy" else "a file of waivers"
                what = f"is {name}, not a spec"
                self.document.report((), what, f"use --{option} FILE of `semiaudit check`")
                return True
        from semiaudit.spec.recognition import is_near  # only a mistake needs it

        if any(map(is_near, root)) or root.keys() <= SpecSection.model_fields.keys():
            return False
        what = "is not a semiaudit spec: it has none of the keys of one"
        self.document.report((), what, "name a spec, or begin with `semiaudit: 1`")
        return True

    def _releases(self, root: dict[str, Node]) -> None:
        for key in ("invariants", "mechanism", "design"):
            if key in root:
                what = "cannot be combined with releases"
                self.document.report((key,), what, "move it into a release", key=True)
        value = root["releases"]
        if not isinstance(value, list) or not value:
            remedy = "list the releases, each with invariants and mechanism"
            self.document.report(("releases",), "is not a list of releases", remedy)
            return
        for index, release in enumerate(value):
            path: Path_ = ("releases", index)
            if not isinstance(release, dict):
                self.document.report(path, "is not a mapping", "give invariants and mechanism")
                continue
            for key in release:
                if key not in ReleaseSection.model_fields:
                    self.unknown((*path, key), list(ReleaseSection.model_fields))
            if "dataspace" in release:
                from semiaudit.spec.touches_schema import TouchesSection

                space = self.section(DataspaceSection, "dataspace", release, path)
                touches: TouchesSection | None = TouchesSection()
                if "touches" in release:
                    touches = self.section(TouchesSection, "touches", release, path)
                self.others[index] = space, touches or TouchesSection()
            elif "touches" in release:
                what = "needs a dataspace of the release"
                remedy = "give the dataspace of its records, or leave it out"
                self.document.report((*path, "touches"), what, remedy, key=True)
            self._release(release, path)

    def _release(self, root: dict[str, Node], path: Path_) -> None:
        before = len(self.invariants)
        designed = not path and "design" in root
        if designed and "mechanism" in root:
            what = "cannot be combined with mechanism"
            self.document.report(("design",), what, "keep one of them", key=True)
        if designed:
            self.design = self.section(DesignSection, "design", root)
        mechanism = None
        if "mechanism" in root or not designed:
            mechanism = self.section(MechanismSection, "mechanism", root, path, required=True)
        if mechanism is not None:
            self.mechanisms.append(((*path, "mechanism"), mechanism))
        self.invariants += self.items(InvariantSection, "invariants", root, path)
        self.releases += [len(self.invariants) - before]

    def _head(self, root: dict[str, Node]) -> None:
        for key in root:
            if key not in SpecSection.model_fields:
                self.unknown((key,), list(SpecSection.model_fields))
        version = root.get("semiaudit")
        if "semiaudit" not in root:
            self.document.report((), "semiaudit is missing", "begin with `semiaudit: 1`")
        elif not isinstance(version, Scalar) or version.strip() != "1":
            self.document.report(("semiaudit",), "is not a known version", "write `semiaudit: 1`")
        head = {key: root[key] for key in ("title", "reference", "leaves_out") if key in root}
        for key, value in head.items():
            items = value if isinstance(value, list) else [value]
            texts = tuple(" ".join(str(i).split()) for i in items if isinstance(i, Scalar))
            if not all(text and text.isprintable() for text in texts):
                self.document.report(
                    (key,), "is empty or contains control characters", "write plain text"
                )
            if len(texts) != len(items) or (key == "title" and isinstance(value, list)):
                self.document.report((key,), "must be text", "write a sentence")
            elif key == "title":
                self.title = texts[0]
            elif key == "reference":
                self.reference = texts
            else:
                self.leaves_out = texts
                self.placeholder = _placeholder(texts, listed=isinstance(value, list))

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


def _path_of_nested(root: dict[str, Node]) -> Path_:
    """Where a whole spec is below a key, as if it had been pasted from another file, or empty."""
    if "semiaudit" in root:
        return ()
    waiting: list[tuple[Path_, dict[str, Node] | list[Node]]] = [((), root)]
    for path, node in waiting:
        items: Iterable[tuple[str | int, Node]]
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in items:
            if isinstance(value, dict) and "semiaudit" in value:
                return (*path, key)
            if isinstance(value, dict | list):
                waiting.append(((*path, key), value))
    return ()


def _placeholder(texts: Sequence[str], *, listed: bool) -> Path_ | None:
    """The place of the first entry of ``leaves_out`` that says that there is a placeholder."""
    for index, text in enumerate(texts):
        if PLACEHOLDER in text.casefold():
            return ("leaves_out", index) if listed else ("leaves_out",)
    return None
