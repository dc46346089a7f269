"""From validated sections to a release: names are looked up, and everything must make sense.

Validating a document section by section, so that one bad section hides no other.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from semiaudit.errors import Mark, Problem, SpecError
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Adjacency, Metric, compares_sizes
from semiaudit.model.audit import UNTITLED, PublishedCounts, Release, ReportOptions
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.dataspace import Dataspace, TableSpace
from semiaudit.model.invariants import Invariant, fix_the_size, induced
from semiaudit.model.mechanism import (
    Composition,
    Mechanism,
    OtherRecords,
    Swapping,
    parts_of,
)
from semiaudit.model.query import Query
from semiaudit.resources import shipped
from semiaudit.spec.dataspace import DataspaceReader
from semiaudit.spec.invariants import InvariantReader
from semiaudit.spec.mechanism.mechanism_reader import Setting, mechanism_of
from semiaudit.spec.mechanism.mechanism_schema import MechanismSection
from semiaudit.spec.mechanism.query import QueryReader
from semiaudit.spec.schema import (
    AdjacencySection,
    DataspaceSection,
    DesignSection,
    InvariantSection,
    ReleaseSection,
    ReportSection,
    SpecSection,
    TouchesSection,
)
from semiaudit.spec.spec_files import SpecFiles
from semiaudit.spec.validation import Validation
from semiaudit.spec.yaml12 import (
    MOST_PRINTED,
    Node,
    Path_,
    Scalar,
    YamlDocument,
    lines_of,
    parse_document,
    path_text,
    read_file,
    text_of,
    within_size,
)

if TYPE_CHECKING:
    from semiaudit.spec.data.data_schema import DataSection
    from semiaudit.spec.policy.budget_schema import BudgetSection
    from semiaudit.spec.policy.waiver_schema import WaiverSection


PLACEHOLDER = "placeholder"
"""The word in ``leaves_out`` by which a spec says that it is not filled in."""

KEYS_OF_SPECS = frozenset(
    {"semiaudit", "dataspace", "invariants", "data", "adjacency", "mechanism", "design", "releases"}
)
"""Keys that no file of another program has by chance; one of them shows what was meant."""

Others = tuple[DataspaceSection | None, TouchesSection]
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
        self.mechanisms: list[tuple[Path_, MechanismSection | None]] = []
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
        if self.mechanisms and not any(section for _, section in self.mechanisms):
            what, remedy = "have no mechanism", "give one of them a mechanism"
            self.document.report(("releases",), what, remedy, key=True)

    def _release(self, root: dict[str, Node], path: Path_) -> None:
        before = len(self.invariants)
        designed = not path and "design" in root
        if designed and "mechanism" in root:
            what = "cannot be combined with mechanism"
            self.document.report(("design",), what, "keep one of them", key=True)
        if designed:
            self.design = self.section(DesignSection, "design", root)
        mechanism = None
        exact = bool(path and root.get("invariants")) and "mechanism" not in root
        if not (exact or (designed and "mechanism" not in root)):
            mechanism = self.section(MechanismSection, "mechanism", root, path, required=True)
        if mechanism is not None or exact:
            self.mechanisms.append(((*path, "mechanism"), mechanism))
        self.invariants += self.items(InvariantSection, "invariants", root, path)
        self.releases += [len(self.invariants) - before]

    def _head(self, root: dict[str, Node]) -> None:
        for key in root:
            if key not in SpecSection.model_fields:
                self.unknown((key,), list(SpecSection.model_fields))
        version = root.get("semiaudit")
        if "semiaudit" not in root and ("semiaudit",) not in self._meant:
            self.document.report((), "semiaudit is missing", "begin with `semiaudit: 1`")
        elif "semiaudit" in root and str(version).strip() != "1":
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
    """Return the path of a key with a whole spec below it, as if pasted there; empty if none."""
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


DEFAULT_DELTAS = (Fraction(1, 10**6), Fraction(1, 10**10))
DEFAULT_PRIORS = (Fraction(1, 10), Fraction(1, 2))
DEFAULT_TYPE_I = (Fraction(1, 100), Fraction(1, 20))
MOST_PROBLEMS = 500
HERE = Path()
"""The working directory: the folder of a spec that is no file."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A release, and the document that it was read from.

    Attributes:
        root: the document's nodes; a caller that changes a node copies it.
        document: itself, with the place of every node.
        folder: which the spec's names of files are relative to.
    """

    release: Release
    root: Node
    folder: Path
    document: YamlDocument


def load_release(
    path: str | Path,
    access: Access = CONFINED,
    *,
    text: bytes | None = None,
) -> Release:
    """Read a spec file; see ``loaded``."""
    return loaded(path, access, text=text).release


def loaded(
    path: str | Path,
    access: Access = CONFINED,
    *,
    text: bytes | None = None,
    designs: bool = False,
) -> Loaded:
    """Read a spec file.

    Args:
        path: of the file; what stands for it in reports and messages, where the text is given.
        access: what the caller allows the spec, such as files outside its folder.
        text: the spec itself; then its folder is the working directory.
        designs: a design may stand in place of the mechanism.

    Raises:
        SpecError: with every problem of the spec and its data, each with its line and column.
    """
    file = str(path)
    if text is None and not os.path.lexists(path) and shipped(Path(path).as_posix()):
        remedy = f"write the example with `semiaudit init --example {Path(path).stem}`"
        raise SpecError([Problem(file, 0, 0, "", "there is no such file", remedy)])
    data = within_size(text, file) if text is not None else read_file(path)
    document = parse_document(text_of(data, file), file)
    folder = HERE if text is not None else Path(path).parent
    name = file if text is not None else Path(path).as_posix()
    release = release_of(document, data, SpecFiles(folder, access), name, designs=designs)
    return Loaded(release, document.root, folder, document)


def release_of(
    document: YamlDocument, data: bytes, files: SpecFiles, name: str, *, designs: bool = False
) -> Release:
    """The release of a document.

    Args:
        data: all that the document holds, to be digested.
        files: the files that it may name.
        name: its path in reports.
        designs: a design may stand in place of the mechanism.

    Raises:
        SpecError: with every problem.
    """
    builder = _ReleaseBuilder(document, files, designs=designs)
    if builder.sections.design is not None and not designs:
        what = "does not specify noise that can be audited"
        remedy = "run `semiaudit mechanism calibrate`, or give a mechanism instead"
        document.report(("design",), what, remedy, key=True)
    release = builder.build()
    if release is None or document.problems:
        problems = list(dict.fromkeys(document.problems))
        if len(problems) > MOST_PROBLEMS:
            beyond = len(problems) - MOST_PROBLEMS + document.problems.beyond
            more = f"{beyond} more problems"
            problems.sort(key=lambda problem: (problem.file, problem.line, problem.column))
            last = problems[MOST_PROBLEMS - 1]
            overflow = Problem(last.file, last.line, last.column, "", more, "fix the others first")
            problems = [*problems[:MOST_PROBLEMS], overflow]
        raise SpecError(problems, release, document.file, _lines(data, document))
    return replace(
        release,
        path=name,
        sha256=_digest(data, document, release),
        file_sha256=hashlib.sha256(data).hexdigest(),
        lines=_lines(data, document),
    )


def _lines(data: bytes, document: YamlDocument) -> tuple[str, ...]:
    """The lines of a spec that a report may quote, and its page contain.

    None of a file that is not a spec; of one with a section of data, which may hold confidential
    counts or name a server; of one without lines; and of one that is too large for a page.
    """
    root = document.root
    if not isinstance(root, dict) or "data" in root or "semiaudit" not in root:
        return ()
    if len(data) > MOST_PRINTED or not document.mark(()).line:
        return ()
    return tuple(lines_of(text_of(data, document.file)))


def _digest(data: bytes, document: YamlDocument, release: Release) -> str:
    """Return the SHA-256 of the file, or of its public part if it contains confidential data.

    With the digest of a small confidential table, a search over all tables would find the table.
    """
    root = document.root if isinstance(document.root, dict) else {}
    section = root.get("data")
    if isinstance(section, dict) and {"counts", "dataset"} & section.keys():
        counts = release.published if isinstance(release.published, PublishedCounts) else None
        public = {key: value for key, value in root.items() if key != "data"}
        counts_of_spec = [counts.size, counts.margins, counts.others] if counts else None
        data = json.dumps([public, counts_of_spec], sort_keys=True, ensure_ascii=True).encode()
    return hashlib.sha256(data).hexdigest()


class _ReleaseBuilder:
    def __init__(self, document: YamlDocument, files: SpecFiles, *, designs: bool) -> None:
        self.document = document
        self.files = files
        self.designs = designs
        self.sections = Sections(document)

    def build(self) -> Release | None:
        """The release as far as it could be read, or None; problems are in the document."""
        sections = self.sections
        space = None
        if sections.dataspace is not None:
            space = DataspaceReader(self.document, self.files).dataspace(sections.dataspace)
        reader = InvariantReader(self.document, self.files, space)
        own_invariants = [(p, item) for p, item in sections.invariants if self._other(p) is None]
        invariants = [reader.invariant(path, item) for path, item in own_invariants]
        stated_invariants = tuple(invariant for invariant in invariants if invariant is not None)
        mechanism = self._mechanism(space)
        added: tuple[Invariant, ...] = ()
        if mechanism is not None and space is not None:
            added = induced(space, parts_of(mechanism, Swapping), stated_invariants)
        stated_invariants += added
        published = source = None
        if sections.data is not None:
            from semiaudit.spec.data.counted_data import data_source
            from semiaudit.spec.data.published import check_counts, published_values
        if sections.data is not None and space is not None:
            source = data_source(self.document, self.files, sections.data, space)
            if source is None:
                published = published_values(self.document, sections.data, space, stated_invariants)
        elif sections.data is not None:
            check_counts(self.document)
        design = self._design(space)
        # Not earlier: the sections above are read even without these two, so that their problems
        # are reported in the same run.
        if space is None or not sections.adjacency:
            return None
        adjacency = sections.adjacency
        size = published.size if isinstance(published, PublishedCounts) else None
        self._check_distances(space.size or size, adjacency)
        report = sections.report or ReportSection.model_construct()
        return Release(
            path="",
            sha256="",
            title=sections.title,
            references=sections.reference,
            leaves_out=sections.leaves_out,
            placeholder=self._placeholder(sections.placeholder),
            dataspace=space,
            invariants=stated_invariants,
            published=published,
            adjacency=Adjacency(
                adjacency.metric,
                adjacency.reading,
                adjacency.distance,
                self.document.mark(("adjacency",)),
            ),
            mechanism=mechanism or Composition((), self.document.mark(("mechanism",))),
            options=ReportOptions(
                tuple(sorted(set(report.deltas))) or DEFAULT_DELTAS[::-1],
                tuple(sorted(set(report.alphas))) or DEFAULT_TYPE_I,
                tuple(sorted(set(report.priors))) or DEFAULT_PRIORS,
            ),
            budgets=tuple(
                budget
                for index, item in sections.budgets
                if (budget := item.budget(self.document.mark(("budgets", index)))) is not None
            ),
            verifications=tuple(
                asked
                for index, item in sections.budgets
                if (asked := item.requirement(self.document.mark(("budgets", index)))) is not None
            ),
            source=source,
            parts=tuple(
                0 if index in sections.others else number
                for index, number in enumerate(sections.releases)
            ),
            waivers=tuple(
                item.waiver(self.document.file, self.document.mark(path), inside=True)
                for path, item in sections.waivers
            ),
            design=design,
            induced=len(added),
        )

    def _placeholder(self, place: Path_ | None) -> Mark | None:
        """The mechanism that is to be replaced, or without one what says that there is one."""
        if place is None:
            return None
        mechanism = self.document.key_marks.get(("mechanism",))
        return mechanism or self.document.mark(place)

    def _design(self, space: Dataspace | None) -> Query | None:
        if self.sections.design is None:
            return None
        queries = QueryReader(self.document, self.files, space)
        return queries.query_of(self.sections.design.query, ("design", "query"))

    def _mechanism(self, space: Dataspace | None) -> Mechanism | None:
        queries = QueryReader(self.document, self.files, space)
        adjacency = self.sections.adjacency
        metric = adjacency.metric if adjacency else "hamming"
        size = None if space is None else space.size
        setting = Setting(self.document, queries, metric, size, self.designs)
        kinds = [
            self._on_others(section, path)
            if section is None or self._other(path) is not None
            else mechanism_of(setting, section, path)
            for path, section in self.sections.mechanisms
            if section is not None or self._other(path) is not None
        ]
        parts = [part for part in kinds if part is not None]
        if len(parts) < len(kinds) or not parts:
            return None
        if len(parts) == 1:
            return parts[0]
        mark = self.document.mark(("releases",))
        return Composition(tuple((part, 1) for part in parts), mark)

    def _other(self, path: Path_) -> int | None:
        place = path[1] if path[0] == "releases" else None
        return place if isinstance(place, int) and place in self.sections.others else None

    def _on_others(self, section: MechanismSection | None, path: Path_) -> OtherRecords | None:
        place = path[1]
        if not isinstance(place, int):
            raise TypeError("a release has a number")
        at: Path_ = ("releases", place)
        dataspace, touches = self.sections.others[place]
        space = None
        if dataspace is not None:
            reader = DataspaceReader(self.document, self.files, (*at, "dataspace"))
            space = reader.dataspace(dataspace)
        if space is not None and not isinstance(space, TableSpace):
            what = "lists its datasets, but other records need a table over attributes"
            self.document.report((*at, "dataspace"), what, "describe it by attributes")
            space = None
        invariants = InvariantReader(self.document, self.files, space)
        items = [(p, item) for p, item in self.sections.invariants if self._other(p) == place]
        invariants_of_others = [invariants.invariant(p, item) for p, item in items]
        adjacency = self.sections.adjacency
        metric = adjacency.metric if adjacency else "hamming"
        queries = QueryReader(self.document, self.files, space)
        size = None if space is None else space.size
        mechanism: Mechanism | None = Composition((), self.document.mark(at))
        if section is not None:
            mechanism = mechanism_of(Setting(self.document, queries, metric, size), section, path)
        if mechanism is None or space is None or None in invariants_of_others:
            return None
        known = tuple(invariant for invariant in invariants_of_others if invariant is not None)
        known += induced(space, parts_of(mechanism, Swapping), known)
        other = OtherRecords(mechanism, space, known, touches.touched(), self.document.mark(at))
        if section is not None:
            self._check_touched(other, metric, at)
        return other

    def _check_touched(self, other: OtherRecords, metric: Metric, at: Path_) -> None:
        if compares_sizes(metric):
            if other.touched.presence is None:
                what = f"has no number for a {self._unit()} that enters or leaves"
                remedy = (
                    f"add presence, the most {other.dataspace.unit} records that then change, "
                    "enter, or leave"
                )
                self.document.report((*at, "touches"), what, remedy)
            return
        fixed = other.dataspace.size is not None or fix_the_size(other.invariants)
        if other.touched.most and not fixed:
            what = (
                f"does not fix the number of {other.dataspace.unit} records, but {metric} compares "
                "datasets of equal size"
            )
            remedy = "add size, add total to the invariants, or use symmetric_difference"
            self.document.report((*at, "dataspace"), what, remedy)

    def _unit(self) -> str:
        dataspace = self.sections.dataspace
        return "unit" if dataspace is None else dataspace.unit

    def _check_distances(self, size: int | None, adjacency: AdjacencySection) -> None:
        if size is None:
            return
        most = size * (2 if adjacency.metric == "symmetric_difference" else 1)
        remedy = f"the largest {adjacency.metric} distance of {size} records is {most}"
        if adjacency.distance is not None and adjacency.distance > most:
            what = f"{adjacency.distance} is larger than every distance"
            self.document.report(("adjacency", "distance"), what, remedy)
        for index, budget in self.sections.budgets:
            if budget.distance is not None and budget.distance > most:
                what = f"{budget.distance} is larger than every distance"
                self.document.report(("budgets", index, "distance"), what, remedy)
