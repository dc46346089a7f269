"""Hierarchical releases: names are looked up, levels have parents, and queries tell something."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.dataspace import Attribute, Condition, Level, TableSpace
from semiaudit.model.topdown import Recode, SpineLevel, TopDown, TopDownQuery
from semiaudit.spec.conditions import condition_of
from semiaudit.spec.mechanism.mechanism_reader import SpecPlace
from semiaudit.spec.mechanism.topdown.allocation import noisy_of
from semiaudit.spec.mechanism.topdown.checks import ancestors, contradictions, distinguishes_nothing
from semiaudit.spec.scalars import level, levels, shown
from semiaudit.spec.yaml12 import Path_, YamlDocument

if TYPE_CHECKING:
    from semiaudit.spec.mechanism.topdown.topdown_schema import (
        RecodeSection,
        SpineLevelSection,
        TopDownSection,
    )

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
            for one, other in combinations(range(len(masks)), 2):
                if all(a & b for a, b in zip(masks[one], masks[other], strict=True)):
                    what = f"overlaps with group {one + 1}"
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
            asked = TopDownQuery(name, tuple(distinguished), query.histogram, condition or (), mark)
            queries.append(asked)
            if len(distinguished) == len(query.tells) and not geography & set(where):
                self._check_query(asked, geography, below)
        return tuple(queries)

    def _check_query(self, asked: TopDownQuery, geography: set[str], below: Path_) -> None:
        for inside, what in distinguishes_nothing(self.space, asked, geography):
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
