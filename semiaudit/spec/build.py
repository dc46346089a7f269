"""From validated sections to a release: names are looked up, and everything must make sense."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from pathlib import Path

from semiaudit.errors import Problem, SpecError
from semiaudit.model.adjacency import Adjacency
from semiaudit.model.audit import Budget, BudgetMeasure, Release, ReportOptions
from semiaudit.model.dataspace import (
    EXPLICIT_ATTRIBUTE,
    Attribute,
    Dataspace,
    ExplicitSpace,
    ListedSpace,
    ProductSpace,
    TableSpace,
    value_label,
)
from semiaudit.model.invariant import (
    Count,
    Invariant,
    Keys,
    Linear,
    Margin,
    Partition,
    PublicBound,
    Statistic,
    Total,
)
from semiaudit.model.mechanism import Composition
from semiaudit.model.published import MarginCounts
from semiaudit.model.source import Mark
from semiaudit.resources import shipped
from semiaudit.spec.mechanism import mechanism_of
from semiaudit.spec.partition import partition_blocks
from semiaudit.spec.published import check_counts, published_values
from semiaudit.spec.scalars import record_value
from semiaudit.spec.schema import BudgetSection, DataspaceSection, InvariantSection, ReportSection
from semiaudit.spec.sections import Sections
from semiaudit.spec.yaml12 import Document, Path_, parse_document, read_file, text_of

DEFAULT_DELTAS = (Fraction(1, 10**6), Fraction(1, 10**10))
DEFAULT_ALPHAS = (Fraction(1, 100), Fraction(1, 20))
LARGEST_EXPLICIT_SIZE = 1000
MOST_PROBLEMS = 500
SHOWN_NAMES = 8


def load_release(path: str | Path) -> Release:
    """Read a spec file; ``configs/NAME`` is found among the shipped ones if it is not here.

    Raises:
        SpecError: with every problem of the spec and its data, each with its line and column.
    """
    file = str(path)
    found = None if os.path.exists(path) else shipped(Path(path).as_posix())
    data = read_file(found or path)
    document = parse_document(text_of(data, file), file)
    release = _Builder(document, (found or Path(path)).parent).build()
    if release is None or document.problems:
        problems = list(dict.fromkeys(document.problems))
        if len(problems) > MOST_PROBLEMS:
            more = f"{len(problems) - MOST_PROBLEMS} more problems"
            problems.sort(key=lambda problem: (problem.file, problem.line, problem.column))
            last = problems[MOST_PROBLEMS - 1]
            told = Problem(last.file, last.line, last.column, "", more, "mend the others first")
            problems = [*problems[:MOST_PROBLEMS], told]
        raise SpecError(problems, partial=release)
    return replace(release, path=Path(path).as_posix(), sha256=_digest(data, document, release))


def _digest(data: bytes, document: Document, release: Release) -> str:
    """The SHA-256 of the file, or of what it makes public where it holds confidential data.

    A digest of a small confidential table would give the table away to whoever tries them all.
    """
    root = document.root
    assert isinstance(root, dict)
    section = root.get("data")
    if isinstance(section, dict) and {"counts", "dataset"} & section.keys():
        counts = release.published if isinstance(release.published, MarginCounts) else None
        public = {key: value for key, value in root.items() if key != "data"}
        told = [counts.size, counts.margins] if counts else None
        data = json.dumps([public, told], sort_keys=True, ensure_ascii=True).encode()
    return hashlib.sha256(data).hexdigest()


class _Builder:
    def __init__(self, document: Document, folder: Path) -> None:
        self.document = document
        self.folder = folder
        self.sections = Sections(document)

    def build(self) -> Release | None:
        """The release as far as it could be read, or None; problems are in the document."""
        sections = self.sections
        space = self._dataspace(sections.dataspace) if sections.dataspace else None
        invariants = [self._invariant(i, item, space) for i, item in sections.invariants]
        found = tuple(invariant for invariant in invariants if invariant is not None)
        published = None
        if sections.data is not None and space is not None:
            published = published_values(self.document, sections.data, space, found)
        elif sections.data is not None:
            check_counts(self.document)
        mechanism = None
        if sections.mechanism is not None:
            mechanism = mechanism_of(self.document, sections.mechanism, ("mechanism",))
        if space is None or not sections.adjacency:
            return None
        adjacency = sections.adjacency
        report = sections.report or ReportSection()
        return Release(
            path="",
            sha256="",
            title=sections.title,
            references=sections.reference,
            leaves_out=sections.leaves_out,
            dataspace=space,
            invariants=found,
            published=published,
            adjacency=Adjacency(
                adjacency.metric, adjacency.reading, adjacency.distance, self._mark(("adjacency",))
            ),
            mechanism=mechanism or Composition((), self._mark(("mechanism",))),
            options=ReportOptions(
                tuple(sorted(set(report.deltas))) or DEFAULT_DELTAS[::-1],
                tuple(sorted(set(report.alphas))) or DEFAULT_ALPHAS,
            ),
            budgets=tuple(self._budget(i, item) for i, item in sections.budgets),
        )

    def _mark(self, path: Path_) -> Mark:
        return self.document.mark(path)

    def _dataspace(self, section: DataspaceSection) -> Dataspace | None:
        path: Path_ = ("dataspace",)
        kinds = [
            k for k in ("attributes", "product", "datasets") if getattr(section, k) is not None
        ]
        if len(kinds) > 1:
            what = f"has {' and '.join(kinds)}"
            self.document.report(path, what, "describe the dataspace in one way")
            return None
        if section.size is not None and kinds in (["product"], ["datasets"]):
            what = f"goes with attributes, not with {kinds[0]}"
            self.document.report((*path, "size"), what, "remove it")
            return None
        if section.product is not None:
            return self._product(section)
        if section.datasets is not None:
            return self._listed(section)
        attributes = tuple(
            Attribute(name, levels, self._mark((*path, "attributes", name)))
            for name, levels in (section.attributes or {}).items()
        )
        for name in section.attributes or {}:
            if not name.strip() or not name.isprintable() or any(mark in name for mark in "*,"):
                where = (*path, "attributes", name)
                what = "is no name for an attribute"
                self.document.report(where, what, "leave out * , and control characters", key=True)
        return TableSpace(section.unit, section.size, attributes)

    def _product(self, section: DataspaceSection) -> ProductSpace | None:
        assert section.product is not None
        values = tuple(section.product.values)
        path: Path_ = ("dataspace", "product")
        if len({str(value_label(value)) for value in values}) != len(values):
            self.document.report((*path, "values"), "repeats a value", "list each value once")
            return None
        if section.product.size > LARGEST_EXPLICIT_SIZE:
            what = f"{section.product.size} records are too many to enumerate"
            self.document.report((*path, "size"), what, "describe the dataspace by attributes")
            return None
        return ProductSpace(section.unit, section.product.size, values, self._mark(path))

    def _listed(self, section: DataspaceSection) -> ListedSpace | None:
        assert section.datasets is not None
        datasets = tuple(tuple(dataset) for dataset in section.datasets)
        seen: set[object] = set()
        good = True
        for index, dataset in enumerate(datasets):
            where: Path_ = ("dataspace", "datasets", index)
            if len(dataset) != len(datasets[0]) or not dataset:
                what = f"has {len(dataset)} records and the first dataset {len(datasets[0])}"
                what = what if dataset else "has no records"
                self.document.report(where, what, "list datasets of one length, at least 1")
                good = False
            elif dataset in seen:
                self.document.report(where, "is listed twice", "list each dataset once")
                good = False
            seen.add(dataset)
        values = {value for dataset in datasets for value in dataset}
        if len({str(value_label(value)) for value in values}) < len(values):
            what = "has a number and a word with the same text"
            self.document.report(("dataspace", "datasets"), what, "write them in one way")
            good = False
        mark = self._mark(("dataspace", "datasets"))
        return ListedSpace(section.unit, datasets, mark) if good else None

    def _invariant(
        self, index: int, section: InvariantSection, space: Dataspace | None
    ) -> Invariant | None:
        path: Path_ = ("invariants", index)
        mark, kind = self._mark(path), section.kind
        inner: Path_ = (*path, kind)
        if kind == "total":
            return Total(mark)
        if kind in ("margin", "keys"):
            names = getattr(section, kind)
            if not names or not self._known(names, space, inner):
                return self._nothing(inner, names)
            return Margin(tuple(names), mark) if kind == "margin" else Keys(tuple(names), mark)
        if kind in ("count", "bound"):
            item = section.count if kind == "count" else section.bound
            if item is None or not self._condition(item.where, space, inner):
                return self._nothing(inner, item)
            where = tuple(item.where.items())
            if space is not None and not isinstance(space, TableSpace):
                found = self._explicit_condition(item.where, space, (*inner, "where"))
                if found is None:
                    return None
                where = found
            if section.bound is None:
                return Count(where, mark)
            return PublicBound(where, section.bound.at_least, section.bound.at_most, mark)
        if kind == "statistic":
            if section.statistic is None or not self._known([section.statistic.of], space, inner):
                return self._nothing(inner, section.statistic)
            return Statistic(section.statistic.name, section.statistic.of, mark)
        if kind == "linear":
            return Linear(section.linear, mark) if section.linear else self._nothing(inner, None)
        blocks = partition_blocks(self.document, self.folder, inner, space)
        return Partition(blocks, mark) if blocks is not None else None

    def _nothing(self, path: Path_, value: object) -> Invariant | None:
        """No invariant; reported if there is nothing at the path, else it already was."""
        if value is None:
            self.document.report(path, "is empty", "say what is published")
        return None

    def _known(self, names: Sequence[str], space: Dataspace | None, path: Path_) -> bool:
        """Every name is an attribute, once; reported otherwise."""
        known = self._attribute_names(space)
        good = True
        for place, name in enumerate(names):
            where = (*path, place) if (*path, place) in self.document.marks else path
            if known is not None and name not in known:
                shown = ", ".join(known[:SHOWN_NAMES]) + (", ..." if known[SHOWN_NAMES:] else "")
                has = f"it has {shown}" if known else "it has none"
                what = f"{name} is not an attribute of the dataspace"
                self.document.report(where, what, has)
                good = False
            elif name in names[:place]:
                self.document.report(where, f"names {name} twice", "name it once")
                good = False
        return good

    def _condition(
        self, where: dict[str, tuple[int | str, ...]], space: Dataspace | None, path: Path_
    ) -> bool:
        inner = (*path, "where")
        good = self._known(list(where), space, inner)
        if isinstance(space, TableSpace) and good:
            for name, levels in where.items():
                attribute = space.attributes[space.position(name)]
                for level in levels:
                    if attribute.index(level) is None:
                        what = f"{level} is not a level of {name}"
                        self.document.report((*inner, name), what, "name one of its levels")
                        good = False
        return good

    def _explicit_condition(
        self, where: dict[str, tuple[int | str, ...]], space: ExplicitSpace, path: Path_
    ) -> tuple[tuple[str, tuple[int | str, ...]], ...] | None:
        """Levels as values of the dataspace, read as numbers where those are."""
        inside = space.values if isinstance(space, ProductSpace) else chain(*space.datasets)
        known = {str(value_label(value)): value_label(value) for value in inside}
        good = True
        found = []
        for name in where:
            node = self.document.at((*path, name))
            labels = []
            for item in node if isinstance(node, list) else [node]:
                label = value_label(record_value(item))
                labels.append(known.get(str(label), label))
                if str(label) not in known:
                    what = f"{label} is not a value of the dataspace"
                    self.document.report((*path, name), what, "name one of its values")
                    good = False
            found.append((name, tuple(labels)))
        return tuple(found) if good else None

    def _attribute_names(self, space: Dataspace | None) -> list[str] | None:
        """The known names; from the raw document where the dataspace is not valid."""
        if isinstance(space, TableSpace):
            return [attribute.name for attribute in space.attributes]
        if space is not None:
            return [EXPLICIT_ATTRIBUTE]
        raw = self.document.at(("dataspace", "attributes"))
        return list(raw) if isinstance(raw, dict) else None

    def _budget(self, index: int, section: BudgetSection) -> Budget:
        limits: tuple[BudgetMeasure, ...] = ("epsilon", "rho", "mu", "advantage", "tpr")
        name = next(limit for limit in limits if getattr(section, limit) is not None)
        at = section.fpr if name == "tpr" else None
        if name == "epsilon":
            at = section.delta or Fraction(0)
        mark = self._mark(("budgets", index))
        limit = getattr(section, name)
        return Budget(section.framework, name, limit, at, section.distance, mark)
