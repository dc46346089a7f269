"""The `topdown` section: the spine, recodes, queries, and allocation of a hierarchical release."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.dataspace import Attribute, Condition, Level, TableSpace
from semiaudit.model.topdown import MAIN, NoisyQuery, Recode, SpineLevel, TopDown, TopDownQuery
from semiaudit.numeric.rationals import rational_text
from semiaudit.spec.conditions import condition_of
from semiaudit.spec.matrix import RawRow, rows_at
from semiaudit.spec.mechanism.mechanism_reader import PartSection, SpecPlace
from semiaudit.spec.scalars import (
    LARGEST_LOSS,
    Levels,
    Number,
    Section,
    Text,
    kind_of,
    level,
    levels,
    rational,
    shown,
    within,
)
from semiaudit.spec.yaml12 import Path_, Scalar, YamlDocument

MOST_RECORDS = 20_000
"""Combinations of levels that a query is checked against; of more it is not asked."""

WHERE = "where"

LevelOfAttribute = dict[str, int]


def ancestors(space: TableSpace, attribute: Attribute) -> list[str]:
    """The attribute itself, the one that it lies within, and so on."""
    names = [attribute.name]
    while attribute.within is not None:
        attribute = space.attributes[space.position(attribute.within)]
        names.append(attribute.name)
    return names


def contradictions(
    space: TableSpace, spine: Sequence[SpineLevel]
) -> Iterator[tuple[int, str, str]]:
    """Units that are split although what they hold is one unit, which lies in one of the parts.

    A level refines the one above. So a unit that is split in several holds at least as many units
    of the next level below that has an attribute, each part of a split one counted.

    Returns:
        For each of them the place of its level in the spine, what is wrong, and what to do.
    """
    named = [at for at, unit in enumerate(spine) if unit.attribute is not None]
    for at, below in pairwise(named):
        upper, lower = spine[at], spine[below]
        parts = space.attributes[space.position(upper.attribute or "")]
        attribute = space.attributes[space.position(lower.attribute or "")]
        units: dict[int, list[int]] = {}
        for unit, above in enumerate(_above(space, attribute, parts.name)):
            units.setdefault(above, []).append(unit)
        for unit in sorted(upper.split):
            inside = units.get(unit, [])
            if len(inside) > 1 or any(one in lower.split for one in inside):
                continue
            label = parts.label(unit)
            keep = f"leave {label} out of the split of {upper.name}"
            if not inside:
                what = f"{label} is split, but {lower.name} has no unit in it"
                yield at, what, keep
                continue
            only = attribute.label(inside[0])
            what = f"{label} is split, but all of it is one unit of {lower.name}: {only}"
            yield at, what, f"{keep}, or add {only} to that of {lower.name}"


def _above(space: TableSpace, attribute: Attribute, name: str) -> list[int]:
    chosen = list(range(attribute.size))
    while attribute.name != name and attribute.within is not None:
        chosen = [attribute.parents[at] for at in chosen]
        attribute = space.attributes[space.position(attribute.within)]
    return chosen


def is_one_unit(space: TableSpace, spine: Sequence[SpineLevel], at: int) -> bool:
    """Whether a level has one unit, so that a total there is the number of records.

    False if the level below has an attribute that the dataspace lacks, which is an error elsewhere.
    """
    sizes = {attribute.name: attribute.size for attribute in space.attributes}
    for place, unit in enumerate(spine[at:], at):
        if unit.attribute is not None:
            return sizes.get(unit.attribute) == 1 and not unit.split
        if place == 0:
            return True
    return False


def distinguishes_nothing(
    space: TableSpace, query: TopDownQuery, geography: set[str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the parts of a query that distinguish no two records of the dataspace.

    Returns:
        For each the path below the query, and what is wrong.
    """
    for name, chosen in query.where:
        attribute = space.attributes[space.position(name)]
        if len(set(attribute.indices(chosen))) == attribute.size:
            yield (
                (WHERE, name),
                "does not distinguish any records: it names every level, so every record counts",
            )
            return
    records = _records(space, query, geography)
    if records is None:
        return
    counted = {_holds(space, query.where, record) for record in records}
    if query.where and counted == {False}:
        yield (WHERE,), "counts no record: everything that it names is impossible"
    elif query.where and counted == {True}:
        yield (WHERE,), "does not distinguish any records: every record of the dataspace counts"
    for recode in query.tells:
        if len({_shown(space, recode, record) for record in records}) < 2:
            what = (
                f"{recode.name} does not distinguish any records: all records of the dataspace "
                "are alike in it"
            )
            yield (), what


def _records(
    space: TableSpace, query: TopDownQuery, geography: set[str]
) -> list[LevelOfAttribute] | None:
    """The levels that records have in what a query looks at, and in what zeros or nesting tie to
    it; None if every combination occurs, or there are too many."""
    zeros = [where for where in space.impossible if not geography & dict(where).keys()]
    names = {name for recode in query.tells for name in recode.of} | dict(query.where).keys()
    tied = [set(dict(where)) for where in zeros]
    tied += [set(ancestors(space, a)) for a in space.attributes if a.within is not None]
    tied = [group for group in tied if not group & geography]
    if not any(group & names for group in tied):
        return None
    before = 0
    while len(names) > before:
        before = len(names)
        for group in tied:
            if group & names:
                names |= group
    attributes = [a for a in space.attributes if a.name in names]
    if prod(a.size for a in attributes) > MOST_RECORDS:
        return None
    records = []
    for chosen in product(*(range(a.size) for a in attributes)):
        one = {a.name: unit for a, unit in zip(attributes, chosen, strict=True)}
        nested = all(
            a.within is None or a.parents[one[a.name]] == one[a.within] for a in attributes
        )
        if nested and not any(
            dict(where).keys() <= names and _holds(space, where, one) for where in zeros
        ):
            records.append(one)
    return records


def _holds(space: TableSpace, where: Condition, record: LevelOfAttribute) -> bool:
    return all(
        record[name] in space.attributes[space.position(name)].indices(chosen)
        for name, chosen in where
    )


def _shown(space: TableSpace, recode: Recode, record: LevelOfAttribute) -> object:
    """Return the group of a record; without groups, its levels of the recode's attributes."""
    if not recode.groups:
        return tuple(record[name] for name in recode.of)
    groups = enumerate(recode.groups)
    return next((at for at, group in groups if _holds(space, group, record)), None)


ALLOCATION = "allocation"
AMOUNTS = (("level_share", "query_share"), ("share",), ("rho",))
_FORMS = "level, query, and level_share and query_share, or share, or rho"


def noisy_of(
    section: TopDownSection,
    place: SpecPlace,
    spine: Sequence[SpineLevel],
    queries: Sequence[TopDownQuery],
) -> tuple[NoisyQuery, ...] | None:
    """Return the noisy queries with their rho; None with the problems in the document."""
    document = place.setting.document
    before = len(document.problems)
    path = (*place.path, ALLOCATION)
    rows = rows_at(document, place.setting.queries.files, path, _FORMS, "a list of them")
    table = _Table(place, spine, queries)
    for row in rows:
        table.add(row)
    if not table.entries and len(document.problems) == before:
        place.report((ALLOCATION,), "has no rows", f"give a heading with {_FORMS}, and rows")
    if len(document.problems) > before:
        return None
    return table.noisy(section)


@dataclasses.dataclass
class _Entry:
    level: int
    query: int
    amounts: tuple[Fraction, ...]
    row: RawRow


@dataclasses.dataclass
class _Table:
    place: SpecPlace
    spine: Sequence[SpineLevel]
    queries: Sequence[TopDownQuery]
    columns: tuple[str, ...] = ()
    amounts: tuple[str, ...] = ()
    entries: list[_Entry] = dataclasses.field(default_factory=list)
    seen: set[tuple[int, int]] = dataclasses.field(default_factory=set)

    def add(self, row: RawRow) -> None:
        if not self.columns:
            self._heading(row)
            return
        if not self.amounts:
            return
        if len(row.cells) != len(self.columns):
            what = f"has {len(row.cells)} entries, but the heading has {len(self.columns)}"
            row.report(what, "give one entry for each column", what)
            return
        entry = dict(zip(self.columns, row.cells, strict=True))
        reporters = dict(zip(self.columns, row.entries, strict=True))
        level = _place_of([spine_level.name for spine_level in self.spine], str(entry["level"]))
        query = _place_of([spine_level.name for spine_level in self.queries], str(entry["query"]))
        for key, at, known in (("level", level, "spine"), ("query", query, "queries")):
            if at is None:
                what = f"is not in {known}"
                reporters[key](
                    f"the {key} {what}", f"add it to {known}", f"{shown(entry[key])} {what}"
                )
        read = [self._amount(entry[key], reporters[key]) for key in self.amounts]
        if level is None or query is None or None in read:
            return
        if (level, query) in self.seen:
            what = "repeats the level and query of an earlier row"
            row.report(what, "give one row for each level and query", what)
            return
        self.seen.add((level, query))
        histogram = self.queries[query].histogram
        if "histogram" in entry and str(entry["histogram"]) != histogram:
            what = f"the histogram is not that of the query, {histogram}"
            reporters["histogram"](what, "correct one of them", what)
        if self._is_size(level, query):
            shares = (
                "the top level" if level == 0 else f"{self.spine[level].name}, which is one unit,"
            )
            what = (
                f"does not distinguish any records: the total of {shares} is the number of records"
            )
            row.report(what, "remove it: it has no privacy loss", what)
        amounts = tuple(amount for amount in read if amount is not None)
        self.entries.append(_Entry(level, query, amounts, row))

    def _is_size(self, level: int, query: int) -> bool:
        entry, space = self.queries[query], self.place.setting.queries.space
        if entry.tells or entry.where or not isinstance(space, TableSpace):
            return False
        return is_one_unit(space, self.spine, level)

    def _heading(self, row: RawRow) -> None:
        self.columns = tuple(str(cell) for cell in row.cells)
        known = {"level", "query", "histogram", *(name for form in AMOUNTS for name in form)}
        forms = [form for form in AMOUNTS if set(form) & set(self.columns)]
        good = {"level", "query"} <= set(self.columns) <= known
        good = good and len(set(self.columns)) == len(self.columns)
        if not good or len(forms) != 1 or not set(forms[0]) <= set(self.columns):
            row.report("is not a heading of an allocation", f"name {_FORMS}", "is not a heading")
            return
        self.amounts = forms[0]

    def _amount(self, cell: object, report: Callable[[str, str, str], None]) -> Fraction | None:
        most = LARGEST_LOSS if self.amounts == ("rho",) else 1
        try:
            value = rational(cell)
        except ValueError as error:
            quoted, _, remedy = str(error).partition("; ")
            report("is not a number", remedy, quoted)
            return None
        if not 0 < value <= most:
            what = f"is not above 0 and at most {most}"
            report(what, "leave rows of 0 out", f"{shown(rational_text(value))} {what}")
            return None
        return value

    def noisy(self, section: TopDownSection) -> tuple[NoisyQuery, ...] | None:
        """Shares become rho, and must sum to 1; amounts of rho sum to what is stated."""
        before = len(self.place.setting.document.problems)
        if self.amounts == ("rho",):
            factor: Fraction | None = Fraction(1)
            self._check_rho(section)
        else:
            factor = self._factor(section)
            self._check_shares()
        if len(self.place.setting.document.problems) > before or factor is None:
            return None
        noisy = []
        for entry in self.entries:
            rho = factor
            for amount in entry.amounts:
                rho *= amount
            noisy.append(NoisyQuery(entry.level, entry.query, rho))
        return tuple(noisy)

    def _factor(self, section: TopDownSection) -> Fraction | None:
        if section.global_scale is not None:
            return 1 / section.global_scale**2
        if section.rho is None:
            what = "has shares, but the total is missing"
            self.place.report((ALLOCATION,), what, "add global_scale or rho")
        return section.rho

    def _check_rho(self, section: TopDownSection) -> None:
        if section.global_scale is not None:
            what = "is only for shares, but the allocation gives rho"
            self.place.report(("global_scale",), what, "leave it out")
        total = sum((entry.amounts[0] for entry in self.entries), Fraction(0))
        if section.rho is not None and total != section.rho:
            what = f"is not the sum of the allocation, {rational_text(total)}"
            self.place.report(("rho",), what, "correct one of them")

    def _check_shares(self) -> None:
        if self.amounts == ("share",):
            self._sums_to_one(self.entries, 0, "the shares sum")
            return
        for at, unit in enumerate(self.spine):
            of_level = [entry for entry in self.entries if entry.level == at]
            for entry in of_level:
                if entry.amounts[0] != of_level[0].amounts[0]:
                    what = f"the level_share of {unit.name} differs from that of its first row"
                    entry.row.report(
                        "differs from the level_share in the first row of its level", "", what
                    )
            self._sums_to_one(of_level, 1, f"the query_shares of {unit.name} sum")
        firsts = {entry.level: entry for entry in reversed(self.entries)}
        self._sums_to_one(list(firsts.values())[::-1], 0, "the level_shares sum")

    def _sums_to_one(self, entries: Sequence[_Entry], amount: int, sentence: str) -> None:
        """A problem at the last row of those that should sum to 1."""
        total = sum((entry.amounts[amount] for entry in entries), Fraction(0))
        if entries and total != 1:
            what = f"{sentence} to {rational_text(total)}, not to 1"
            remedy = "correct them; fractions such as 1/3 are exact"
            entries[-1].row.report(what, remedy, what)


def _place_of(names: Sequence[str], name: str) -> int | None:
    return names.index(name) if name in names else None


ALL = "all"
RANGE = ".."


def topdown_of(section: TopDownSection, place: SpecPlace) -> TopDown | None:
    """The mechanism, or None with its problems in the document."""
    space = place.setting.queries.space
    if not isinstance(space, TableSpace):
        if space is not None:
            what = "needs the levels of attributes, but the dataspace lists its datasets"
            place.report((), what, "describe the dataspace by attributes")
        elif place.setting.document.at(("dataspace",)) is None:
            what = "needs the levels of attributes, and so the dataspace of a spec"
            place.report((), what, "write the section into a spec")
        return None
    if compares_sizes(place.setting.metric):
        what = "is for records that change, but this metric adds and removes records"
        place.report((), what, "use the metric hamming or multiset_hamming")
        return None
    before = len(place.setting.document.problems)
    reader = _Reader(place.setting.document, place.path, space)
    spine = reader.spine(section.spine)
    if len(place.setting.document.problems) == before:
        reader.contradictions(spine)
    recodes = reader.recodes(section.recodes)
    queries = reader.queries(section, recodes)
    reader.unused(section)
    noisy = noisy_of(section, place, spine, queries)
    if len(place.setting.document.problems) > before or noisy is None:
        return None
    return TopDown(spine, queries, noisy, mark=place.mark)


@dataclass(frozen=True, slots=True)
class _Reader:
    document: YamlDocument
    path: Path_
    space: TableSpace

    def _report(self, below: Path_, what: str, remedy: str, *, key: bool = False) -> None:
        self.document.report((*self.path, *below), what, remedy, key=key)

    def _attribute(self, name: str, below: Path_) -> Attribute | None:
        attribute = next((a for a in self.space.attributes if a.name == name), None)
        if attribute is None:
            known = ", ".join(a.name for a in self.space.attributes[:8]) or "none"
            what = f"{shown(name)} is not an attribute of the dataspace"
            self._report(below, what, f"it has {known}")
        return attribute

    def spine(self, sections: Sequence[SpineLevelSection]) -> tuple[SpineLevel, ...]:
        """The levels, each of which lies within the one above."""
        spine_levels: list[SpineLevel] = []
        above: str | None = None
        for index, section in enumerate(sections):
            below: Path_ = ("spine", index)
            if section.level in [other.name for other in spine_levels]:
                self._report((*below, "level"), "is named twice", "give every level its own name")
            split: frozenset[int] = frozenset()
            if section.attribute is not None:
                attribute = self._attribute(section.attribute, (*below, "attribute"))
                if attribute is not None:
                    self._check_parent(attribute, above, spine_levels, below)
                    above = attribute.name
                    split = self._split(section, attribute, (*below, "split"))
            mark = self.document.mark((*self.path, *below))
            spine_levels.append(SpineLevel(section.level, section.attribute, split, mark))
        return tuple(spine_levels)

    def contradictions(self, spine: Sequence[SpineLevel]) -> None:
        """Splits that no geography has."""
        for at, what, remedy in contradictions(self.space, spine):
            self._report(("spine", at, "split"), what, remedy)

    def _check_parent(
        self,
        attribute: Attribute,
        above: str | None,
        spine_levels: Sequence[SpineLevel],
        below: Path_,
    ) -> None:
        chain = ancestors(self.space, attribute)
        where = (*below, "attribute")
        if above is not None and above not in chain[1:]:
            what = f"{attribute.name} does not lie within {above}, the attribute of the level above"
            remedy = f"write {attribute.name}: {{within: {above}, levels: ...}} in the dataspace"
            self._report(where, what, remedy)
        elif above is None and len(chain) > 1 and not spine_levels:
            what = f"has no parent: {attribute.name} lies within {chain[1]}"
            self._report(where, what, "begin with a level above it, such as {level: US}")

    def _split(
        self, section: SpineLevelSection, attribute: Attribute, below: Path_
    ) -> frozenset[int]:
        if section.split is None:
            return frozenset()
        if section.split == (ALL,) and attribute.index(ALL) is None:
            return frozenset(range(attribute.size))
        places = attribute.indices(section.split)
        for name, at in zip(section.split, places, strict=True):
            if at is None:
                what = f"{shown(name)} is not a level of {attribute.name}"
                self._report(below, what, "name one of its levels")
        return frozenset(at for at in places if at is not None)

    def recodes(self, sections: dict[str, RecodeSection]) -> dict[str, Recode]:
        """Return the recodes of the section, and the attributes themselves."""
        recodes = {a.name: Recode(a.name, (a.name,), None, a.mark) for a in self.space.attributes}
        for name, section in sections.items():
            below: Path_ = ("recodes", name)
            if name in recodes:
                what = f"{shown(name)} is an attribute of the dataspace"
                self._report(below, what, "give the recode another name", key=True)
                continue
            attributes = [self._attribute(of, (*below, "of")) for of in section.of]
            if len(set(section.of)) < len(section.of):
                self._report((*below, "of"), "names an attribute twice", "name each once")
                continue
            mark = self.document.mark((*self.path, *below), key=True)
            known = tuple(a for a in attributes if a is not None)
            groups: tuple[Condition, ...] = ()
            if len(known) == len(attributes) and section.groups is not None:
                groups = self._groups(known, section.groups, (*below, "groups"))
                self._check_distinguishes(known, groups, below)
            recodes[name] = Recode(name, tuple(section.of), groups, mark)
        return recodes

    def _groups(
        self, of: tuple[Attribute, ...], items: Sequence[object], below: Path_
    ) -> tuple[Condition, ...]:
        conditions: list[Condition] = []
        before = len(self.document.problems)
        for index, item in enumerate(items):
            condition = self._group(of, item, (*below, index))
            if condition is not None:
                conditions.append(condition)
        if len(self.document.problems) == before:
            masks = [_masks(of, condition) for condition in conditions]
            for first, other in combinations(range(len(masks)), 2):
                if all(a & b for a, b in zip(masks[first], masks[other], strict=True)):
                    what = f"overlaps with group {first + 1}"
                    self._report((*below, other), what, "put each combination in one group")
                    break
        return tuple(conditions)

    def _group(self, of: tuple[Attribute, ...], item: object, below: Path_) -> Condition | None:
        where = (*self.path, *below)
        try:
            if not isinstance(item, dict):
                if len(of) > 1:
                    raise ValueError("is not a condition; give a mapping of attributes to levels")
                item = {of[0].name: item}
            levels_by_name = {name: _levels(value, of, name) for name, value in item.items()}
        except ValueError as error:
            what, _, remedy = str(error).partition("; ")
            self.document.report(where, what, remedy)
            return None
        foreign = [name for name in levels_by_name if name not in [a.name for a in of]]
        if foreign:
            what = f"{shown(foreign[0])} is not one of its attributes"
            self.document.report(where, what, "add it to `of`, or leave it out")
            return None
        return condition_of(self.document, self.space, levels_by_name, where)

    def _check_distinguishes(
        self, of: tuple[Attribute, ...], groups: tuple[Condition, ...], below: Path_
    ) -> None:
        if len(groups) != 1:
            return
        if all(
            mask == (1 << a.size) - 1 for a, mask in zip(of, _masks(of, groups[0]), strict=True)
        ):
            what = "does not distinguish any records: one group contains all of them"
            self._report((*below, "groups"), what, "remove something from it, or add a group")

    def queries(
        self, section: TopDownSection, recodes: dict[str, Recode]
    ) -> tuple[TopDownQuery, ...]:
        queries: list[TopDownQuery] = []
        geography = self._geography(section.spine)
        for name, query in section.queries.items():
            below: Path_ = ("queries", name)
            distinguished: list[Recode] = []
            for recode in query.tells:
                known = recodes.get(recode)
                if known is None:
                    what = f"{shown(recode)} is neither an attribute nor a recode"
                    self._report(below, what, "name an attribute of the dataspace, or add a recode")
                elif known in distinguished:
                    self._report(below, f"names {shown(recode)} twice", "name it once")
                elif set(known.of) & geography:
                    what = f"{shown(recode)} uses the geography, which the levels distinguish"
                    self._report(below, what, "leave it out")
                elif all(self._single(of) for of in known.of):
                    what = f"{shown(recode)} does not distinguish any records: it has one level"
                    self._report(below, what, "leave it out")
                else:
                    distinguished.append(known)
            where = query.where or {}
            for of in sorted(set(where) & geography):
                what = f"{of} is geography, which the levels distinguish"
                self._report((*below, "where", of), what, "count the records of every unit")
            condition = condition_of(
                self.document, self.space, where, (*self.path, *below, "where")
            )
            mark = self.document.mark((*self.path, *below), key=True)
            entry = TopDownQuery(name, tuple(distinguished), query.histogram, condition or (), mark)
            queries.append(entry)
            if len(distinguished) == len(query.tells) and not geography & set(where):
                self._check_query(entry, geography, below)
        return tuple(queries)

    def _check_query(self, entry: TopDownQuery, geography: set[str], below: Path_) -> None:
        for inside, what in distinguishes_nothing(self.space, entry, geography):
            self._report((*below, *inside), what, "leave it out, or correct it")

    def _single(self, name: str) -> bool:
        return any(a.name == name and a.size == 1 for a in self.space.attributes)

    def _geography(self, spine: Sequence[SpineLevelSection]) -> set[str]:
        named = {level.attribute for level in spine}
        chains = [ancestors(self.space, attribute) for attribute in self.space.attributes]
        above = {name for chain in chains if chain[0] in named for name in chain}
        return above | {chain[0] for chain in chains if named & set(chain)}

    def unused(self, section: TopDownSection) -> None:
        used = {name for query in section.queries.values() for name in query.tells}
        attributes = [attribute.name for attribute in self.space.attributes]
        for name in section.recodes:
            if name not in used and name not in attributes:
                what = "is used by no query"
                self._report(("recodes", name), what, "use it, or leave it out", key=True)


def _masks(of: tuple[Attribute, ...], condition: Condition) -> tuple[int, ...]:
    allowed = dict(condition)
    masks = []
    for attribute in of:
        if attribute.name not in allowed:
            masks.append((1 << attribute.size) - 1)
            continue
        places = attribute.indices(allowed[attribute.name])
        masks.append(sum({1 << at for at in places if at is not None}))
    return tuple(masks)


def _levels(value: object, of: tuple[Attribute, ...], name: str) -> tuple[Level, ...]:
    """Levels, where 0..17 stands for a range of those of an attribute with a number of levels."""
    attribute = next((a for a in of if a.name == name), None)
    items = value if isinstance(value, list) else [value]
    if attribute is None or not isinstance(attribute.levels, int):
        return levels(value)
    if not items:
        raise ValueError("is an empty list; name a level")
    listed_levels: list[Level] = []
    for item in items:
        low, dots, high = str(item).partition(RANGE)
        if dots and low.isdigit() and high.isdigit() and len(low) < 19 and len(high) < 19:
            if not int(low) <= int(high) < attribute.size:
                what = f"{shown(item)} is not a range of the levels 0 to {attribute.size - 1}"
                raise ValueError(f"{what}; write FROM..TO")
            listed_levels += range(int(low), int(high) + 1)
        else:
            listed_levels.append(level(item))
    return tuple(listed_levels)


MOST_LEVELS = 40
MOST_QUERIES = 500
MOST_RECODES = 500
MOST_GROUPS = 2_000

_PositiveRho = Annotated[Number, AfterValidator(within(0, LARGEST_LOSS, open_low=True))]
_PositiveScale = Annotated[Number, AfterValidator(within(0, 10**6, open_low=True))]
_LEVEL = {"type": ["string", "number", "boolean"]}
_CONDITION = {
    "type": "object",
    "additionalProperties": {"anyOf": [_LEVEL, {"type": "array", "items": _LEVEL}]},
}


def _names(value: object) -> list[object]:
    if isinstance(value, Scalar):
        return [value]
    if isinstance(value, list):
        return value
    raise ValueError(f"{kind_of(value)} is not a list of names; give names of attributes")


Names = Annotated[
    list[Text],
    BeforeValidator(_names),
    WithJsonSchema({"anyOf": [_LEVEL, {"type": "array", "items": _LEVEL}]}),
]


class SpineLevelSection(Section):
    """A level of geography, from the top down."""

    level: Annotated[Text, Field(description="its name, as the allocation writes it")]
    attribute: Annotated[
        Text | None,
        Field(
            description="the attribute of the dataspace whose levels are its units; without it "
            "every unit of the level above holds several units of this one"
        ),
    ] = None
    split: Annotated[
        Levels | None,
        Field(
            description="levels of the attribute whose unit is split in several that the "
            "dataspace does not distinguish; `all` for all of them"
        ),
    ] = None

    @model_validator(mode="after")
    def _of_an_attribute(self) -> SpineLevelSection:
        if self.split is not None and self.attribute is None:
            raise ValueError("split names levels of an attribute, and there is none; give it")
        return self


class RecodeSection(Section):
    """A partition of the levels of one attribute, or of the combinations of several."""

    of: Annotated[Names, Field(min_length=1, description="the attributes that it uses")]
    groups: Annotated[
        list[Any] | None,
        Field(
            min_length=1,
            max_length=MOST_GROUPS,
            description="its groups: lists of levels, with 0..17 for a range of numbered ones, or "
            "conditions on several attributes; the rest is one more group. Leave it out "
            "if the groups are unknown",
        ),
        WithJsonSchema(
            {
                "type": "array",
                "items": {"anyOf": [_LEVEL, {"type": "array", "items": _LEVEL}, _CONDITION]},
            }
        ),
    ] = None


class TopDownQuerySection(Section):
    """A query: what it distinguishes, in which histogram, of which records."""

    tells: Annotated[
        Names,
        Field(description="the attributes and recodes that it distinguishes; [] for the total"),
    ]
    histogram: Annotated[Text, Field(description="the table that it belongs to")] = MAIN
    where: Annotated[
        dict[str, Levels] | None,
        Field(min_length=1, description="which records it counts, instead of all"),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return {"tells": value} if isinstance(value, list | Scalar) else value


class _OrNames:
    """Says in the JSON Schema what ``TopDownQuerySection`` takes besides: names alone."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        description = "the attributes and recodes that it distinguishes; [] for the total"
        name = {"type": ["string", "number", "boolean"], "description": description}
        names = {"type": "array", "items": name, "description": description}
        return {"anyOf": [handler(schema), name, names], "description": "a query, or its names"}


class TopDownSection(PartSection):
    """Discrete Gaussian noise on queries at every level of a spine of geography."""

    spine: Annotated[
        list[SpineLevelSection],
        Field(min_length=1, max_length=MOST_LEVELS, description="the levels from the top down"),
    ]
    recodes: Annotated[
        dict[str, RecodeSection],
        Field(
            max_length=MOST_RECODES, description="the recodes by name, which queries distinguish"
        ),
    ] = Field(default_factory=dict)
    queries: Annotated[
        dict[str, Annotated[TopDownQuerySection, _OrNames]],
        Field(
            min_length=1,
            max_length=MOST_QUERIES,
            description="by the name that the allocation writes: the attributes and recodes that "
            "each distinguishes",
        ),
    ]
    allocation: Annotated[
        Any,
        Field(
            description="a CSV file, or rows with the heading first: level, query, and "
            "level_share and query_share, or share, or rho; histogram is an optional column"
        ),
        WithJsonSchema(
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "array"}}]}
        ),
    ]
    global_scale: Annotated[
        _PositiveScale | None,
        Field(description="with shares: the scale of the noise, so that rho is 1 over its square"),
    ] = None
    rho: Annotated[
        _PositiveRho | None,
        Field(description="of the whole: divided by the shares, or what the rhos add up to"),
    ] = None

    @model_validator(mode="after")
    def _one_scale(self) -> TopDownSection:
        if self.global_scale is not None and self.rho is not None:
            raise ValueError("has both global_scale and rho; leave one out")
        return self

    def part(self, place: SpecPlace) -> TopDown | None:
        """The mechanism, whose names and shares are checked against the dataspace."""
        return topdown_of(self, place)
