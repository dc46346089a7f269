"""From validated sections to a release: names are looked up, and everything must make sense."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from semiaudit.errors import Problem, SpecError
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Adjacency, Metric, compares_sizes
from semiaudit.model.audit import Release, ReportOptions
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.dataspace import Dataspace, TableSpace
from semiaudit.model.invariants import Invariant, fix_the_size
from semiaudit.model.invariants.kept import induced
from semiaudit.model.mechanism import (
    Composition,
    Mechanism,
    OtherRecords,
    Swapping,
    parts_of,
)
from semiaudit.model.published_invariants import PublishedCounts
from semiaudit.model.query import Query
from semiaudit.spec.dataspace import DataspaceReader
from semiaudit.spec.invariants import InvariantReader
from semiaudit.spec.mechanism.mechanism_reader import Setting, mechanism_of
from semiaudit.spec.mechanism.mechanism_schema import MechanismSection
from semiaudit.spec.mechanism.query import QueryReader
from semiaudit.spec.schema import AdjacencySection, ReportSection
from semiaudit.spec.sections import Sections
from semiaudit.spec.spec_files import SpecFiles
from semiaudit.spec.yaml12 import (
    Node,
    Path_,
    YamlDocument,
    parse_document,
    read_file,
    text_of,
    within_size,
)

DEFAULT_DELTAS = (Fraction(1, 10**6), Fraction(1, 10**10))
DEFAULT_PRIORS = (Fraction(1, 10), Fraction(1, 2))
DEFAULT_TYPE_I = (Fraction(1, 100), Fraction(1, 20))
MOST_PROBLEMS = 500
MOST_PRINTED = 50_000
"""Bytes of a spec that a page contains."""

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""The line breaks of YAML."""

HERE = Path()
"""The working directory: the folder of a spec that is no file."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A release, and the document that it was read from.

    Attributes:
        root: the document's nodes; whoever changes one makes a new one.
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
    examples: bool = False,
    text: bytes | None = None,
) -> Release:
    """Read a spec file; see ``loaded``."""
    return loaded(path, access, examples=examples, text=text).release


def loaded(
    path: str | Path,
    access: Access = CONFINED,
    *,
    examples: bool = False,
    text: bytes | None = None,
    designs: bool = False,
) -> Loaded:
    """Read a spec file.

    Args:
        path: of the file; what stands for it in reports and messages, where the text is given.
        access: what the caller allows the spec, such as files outside its folder.
        examples: ``configs/NAME`` is found among the shipped specs if it is not here.
        text: the spec itself; then its folder is the working directory.
        designs: a design may stand in place of the mechanism.

    Raises:
        SpecError: with every problem of the spec and its data, each with its line and column.
    """
    file = str(path)
    wanted = examples and text is None and not os.path.lexists(path)
    example = None
    if wanted:
        from semiaudit.resources import shipped

        example = shipped(Path(path).as_posix())
    data = within_size(text, file) if text is not None else read_file(example or path)
    document = parse_document(text_of(data, file), file)
    folder = HERE if text is not None else (example or Path(path)).parent
    name = file if text is not None else Path(path).as_posix()
    release = release_of(document, data, SpecFiles(folder, access), name, designs=designs)
    release = replace(release, example=example is not None)
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
            rest = Problem(last.file, last.line, last.column, "", more, "fix the others first")
            problems = [*problems[:MOST_PROBLEMS], rest]
        raise SpecError(problems, partial=release)
    return replace(
        release,
        path=name,
        sha256=_digest(data, document, release),
        file_sha256=hashlib.sha256(data).hexdigest(),
        lines=_lines(data, document),
    )


def _lines(data: bytes, document: YamlDocument) -> tuple[str, ...]:
    """The lines of a spec that its page may contain.

    None of a spec with a section of data, which may hold confidential counts or name a server; of
    one that is no text, and so has no lines; and of one that is too large for a page.
    """
    root = document.root
    if not isinstance(root, dict) or "data" in root or len(data) > MOST_PRINTED:
        return ()
    if not document.mark(()).line:
        return ()
    *lines, last = _BREAK.split(text_of(data, document.file))
    return (*lines, last) if last else tuple(lines)


def _digest(data: bytes, document: YamlDocument, release: Release) -> str:
    """The SHA-256 of the file, or of what it makes public where it holds confidential data.

    A digest of a small confidential table would give the table away to whoever tries them all.
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
        own = [(p, item) for p, item in sections.invariants if self._other(p) is None]
        invariants = [reader.invariant(path, item) for path, item in own]
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
        place = sections.placeholder
        return Release(
            path="",
            sha256="",
            title=sections.title,
            references=sections.reference,
            leaves_out=sections.leaves_out,
            placeholder=place if place is None else self.document.mark(place),
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
                item.budget(self.document.mark(("budgets", index)))
                for index, item in sections.budgets
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
            mechanism_of(setting, section, path)
            if self._other(path) is None
            else self._on_others(section, path)
            for path, section in self.sections.mechanisms
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

    def _on_others(self, section: MechanismSection, path: Path_) -> OtherRecords | None:
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
        made = mechanism_of(Setting(self.document, queries, metric, size), section, path)
        if made is None or space is None or None in invariants_of_others:
            return None
        known = tuple(invariant for invariant in invariants_of_others if invariant is not None)
        known += induced(space, parts_of(made, Swapping), known)
        other = OtherRecords(made, space, known, touches.touched(), self.document.mark(at))
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
