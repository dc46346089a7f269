"""The part of the geography of a hierarchical release that the invariants leave open.

The units that the invariants fix (states, if each state's total is published) follow from the
margins; inside one of them, every level has either one unit, so that a move of a record inside the
fixed unit does not show at that level, or several. Fixed units that agree on this are equivalent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.topdown import SpineLevel, TopDown

Several = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Equivalent fixed units; all of D if nothing is fixed.

    Attributes:
        several: for every level, whether such a unit spans several units of the level.
        units: the number of such units.
        description: in words, such as "a state that State splits".
        example: the index of one of them.
    """

    several: Several
    units: int
    description: str
    example: int = 0


MAX_UNITS = 1_000_000
"""The most fixed units that are listed if all are equivalent."""


@dataclass(frozen=True)
class Geography:
    """The spine of a mechanism together with the invariants of a release.

    Attributes:
        space: the dataspace. margins: the attributes of every published margin.
        others: whether there are invariants or bounds that are not margins; they are ignored, which
            only adds pairs of datasets.
    """

    part: TopDown
    space: TableSpace
    margins: tuple[tuple[str, ...], ...]
    others: bool

    @property
    def spine(self) -> tuple[SpineLevel, ...]:
        """Return the levels from the top down."""
        return self.part.spine

    @cached_property
    def attributes(self) -> frozenset[str]:
        """Return the attributes of the spine and all attributes that they are nested in."""
        names = (level.attribute for level in self.spine if level.attribute is not None)
        return frozenset(above for name in names for above in self.chain(name))

    @cached_property
    def nested_attributes(self) -> frozenset[str]:
        """Return the attributes that are nested in one of the spine, and are not in it."""
        others = (a.name for a in self.space.attributes if a.name not in self.attributes)
        return frozenset(name for name in others if self.attributes & set(self.chain(name)))

    def chain(self, name: str) -> tuple[str, ...]:
        """Return an attribute, its parent, the parent's parent, and so on."""
        chain = [name]
        while (parent := self.attribute(chain[-1]).within) is not None:
            chain.append(parent)
        return tuple(chain)

    def attribute(self, name: str) -> Attribute:
        """Return the attribute of that name."""
        return self.space.attributes[self.space.position(name)]

    def determined_by(self, margin: Sequence[str]) -> frozenset[str]:
        """Return the attributes that are functions of those of a margin."""
        return frozenset(above for name in margin for above in self.chain(name))

    @cached_property
    def fixed(self) -> str | None:
        """Return the attribute whose levels are the fixed units; None if no margin has one."""
        named = {name for m in self.margins for name in self.determined_by(m)} & self.attributes
        return max(named, key=lambda name: len(self.chain(name)), default=None)

    @cached_property
    def frozen(self) -> frozenset[str]:
        """Return the attributes outside the geography that no record can change alone."""
        determined = (self.determined_by(margin) for margin in self.margins)
        return frozenset(name for names in determined for name in names) - self.attributes

    def depth(self, margin: Sequence[str]) -> int:
        """Return how deep in the geography a margin reaches; 0 if it has none."""
        determined = self.determined_by(margin) & self.attributes
        return max((len(self.chain(name)) for name in determined), default=0)

    def frozen_below(self, depth: int) -> frozenset[str]:
        """Return the frozen attributes that a margin has together with geography below a depth."""
        determined = (self.determined_by(m) for m in self.margins if self.depth(m) > depth)
        return frozenset(name for names in determined for name in names) - self.attributes

    def between(self) -> tuple[tuple[int, Places], ...]:
        """Return the units that margins show above the fixed units: depth, and spanned levels. The
        levels can be too many, never too few."""
        depths = {self.depth(m) for m in self.margins} - {0, self.depth((self.fixed or "",))}
        units = {
            d: max(
                (
                    place
                    for place, level in enumerate(self.spine)
                    if level.attribute and len(self.chain(level.attribute)) <= d and not level.split
                ),
                default=-1,
            )
            for d in depths
        }
        return tuple(
            (
                d,
                Places(
                    tuple(s and p > units[d] for p, s in enumerate(self.everywhere.several)), 1, ""
                ),
            )
            for d in sorted(depths)
        )

    @cached_property
    def lowest_fixed(self) -> int:
        """Return the topmost level whose units are within the fixed units. After the last if there
        is none."""
        if self.fixed is None:
            return len(self.spine)
        for place, level in enumerate(self.spine):
            if level.attribute is not None and self.fixed in self.chain(level.attribute):
                return place
        raise ValueError("the fixed attribute is one of the spine")

    @cached_property
    def sure(self) -> bool:
        """Return whether the higher and the lower units of each fixed unit are known."""
        if not self.certain:
            return False
        if self.fixed is None:
            return True
        if self.frozen & self.nested_attributes and any(
            level.split or (level.attribute is None and p) for p, level in enumerate(self.spine)
        ):
            return False
        living = self.living(self.fixed)
        if self.is_level or all(self._is_one(unit) for unit in living):
            return True
        above = self.spine[: self.lowest_fixed]
        return not any(
            level.split or (level.attribute is None and p) for p, level in enumerate(above)
        )

    @property
    def is_level(self) -> bool:
        """Return whether the fixed units are those of a level."""
        first = self.spine[self.lowest_fixed]
        return first.attribute == self.fixed and not first.split

    def _is_one(self, unit: int) -> bool:
        return self.is_level or not self._holds(self.spine[self.lowest_fixed], unit)

    def _straddles(self, unit: int, place: int) -> bool:
        """Return whether a fixed unit can span several units of a level above it. It is in one of
        them if it is, or is in, one unit of a lower level, which refines that level."""
        level, between = self.spine[place], self.spine[place + 1 : self.lowest_fixed]
        if self._is_one(unit) or any(self._in_one(unit, below) for below in between):
            return False
        if level.attribute is None:
            return place > 0
        return bool(level.split) and self._held(unit, level.attribute) in level.split

    def _in_one(self, unit: int, level: SpineLevel) -> bool:
        name = level.attribute
        return name is not None and self._held(unit, name) not in level.split

    def _held(self, unit: int, above: str) -> int:
        chain = self.chain(self.fixed or "")
        for step in chain[: chain.index(above)]:
            unit = self.attribute(step).parents[unit]
        return unit

    @cached_property
    def everywhere(self) -> Places:
        """Return all of D as places."""
        several_at: list[bool] = []
        for place, level in enumerate(self.spine):
            if level.attribute is None:
                several = place > 0 and self._holds(self._next_named(place))
            else:
                several = self._holds(level)
            several_at.append(several or (bool(several_at) and several_at[-1]))
        return Places(tuple(several_at), 1, "")

    @cached_property
    def places(self) -> tuple[Places, ...]:
        """Return the fixed units, grouped by equivalence, the most divided ones first."""
        if self.fixed is None:
            return (self.everywhere,)
        living = self.living(self.fixed)
        divided = [
            level
            for level in self.spine[self.lowest_fixed :]
            if level.attribute is not None and (level.attribute != self.fixed or level.split)
        ]
        units = living if divided else living[:1]
        several = [self._several(unit) for unit in units]
        counts = Counter(several)
        order = sorted(counts, key=lambda one: (-sum(one), one))
        return tuple(
            Places(
                one,
                counts[one] if divided else len(living),
                self._description(one, order),
                units[several.index(one)],
            )
            for one in order
        )

    def _description(self, one: Several, all_: Sequence[Several]) -> str:
        """Describe places by the topmost level that splits them, if they are not all equivalent. A
        level splits what a level above splits, so the topmost one determines the rest."""
        names = [level.name for level in self.spine]
        first, *others = sorted(
            (several.index(True) if any(several) else len(names)) for several in all_
        )
        own = one.index(True) if any(one) else len(names)
        if not others:
            return f"one {self.fixed}"
        if own == first:
            return f"one {self.fixed} that {names[own]} splits"
        if own == others[-1]:
            return f"one {self.fixed} that {names[own - 1]} does not split"
        return f"one {self.fixed} that {names[own]} splits and {names[own - 1]} does not"

    def _several(self, unit: int) -> Several:
        several_at: list[bool] = []
        for place, level in enumerate(self.spine):
            if place < self.lowest_fixed:
                several = self._straddles(unit, place)
            elif level.attribute is None:
                several = self._holds(self._next_named(place), unit)
            else:
                several = self._holds(level, unit)
            several_at.append(several or (bool(several_at) and several_at[-1]))
        return tuple(several_at)

    def _next_named(self, place: int) -> SpineLevel | None:
        return next((level for level in self.spine[place:] if level.attribute), None)

    def _holds(self, level: SpineLevel | None, unit: int | None = None) -> bool:
        """Return whether all of D, or one fixed unit, has several units of a named level. Without
        such a level, it can have several."""
        if level is None or level.attribute is None:
            return True
        if unit is None:
            living = self.living(level.attribute)
            return len(living) > 1 or any(at in level.split for at in living)
        inside = self._below(unit, level.attribute)
        return len(inside) > 1 or bool(inside & level.split)

    def _below(self, unit: int, name: str) -> frozenset[int]:
        chain = self.chain(name)
        inside = frozenset({unit})
        for step in reversed(chain[: chain.index(self.fixed or "")]):
            parents = self.attribute(step).parents
            inside = frozenset(at for at, parent in enumerate(parents) if parent in inside)
        living = self.living(name)
        return inside if len(living) == self.attribute(name).size else inside & frozenset(living)

    def ancestors(self, name: str, above: str) -> tuple[int, ...]:
        """For each level of an attribute, return its ancestor in an enclosing attribute."""
        chain = self.chain(name)
        ancestors = list(range(self.attribute(name).size))
        for step in chain[: chain.index(above)]:
            parents = self.attribute(step).parents
            ancestors = [parents[at] for at in ancestors]
        return tuple(ancestors)

    def inside(self, places: Places) -> frozenset[int]:
        """Return the fixed units of one kind, or all of them if all are equivalent."""
        if self.fixed is None:
            return frozenset({0})
        living = self.living(self.fixed)
        if len(self.places) == 1:
            return frozenset(living[:MAX_UNITS])
        return frozenset(u for u in living if self._several(u) == places.several)

    @cached_property
    def named_throughout(self) -> bool:
        """Return whether the dataspace has all units of all levels down to the last attribute. No
        unit is split then."""
        last = max((at for at, a in enumerate(self.spine) if a.attribute), default=0)
        return all(a.attribute and not a.split for a in self.spine[1 : last + 1]) and not (
            self.spine[0].split
        )

    @cached_property
    def certain(self) -> bool:
        """Return whether it is known which levels have several units with records. A unit without
        possible records can be a part of a split unit, or one of several."""
        return self.whole or self.named_throughout

    @cached_property
    def whole(self) -> bool:
        """Return whether every unit of the dataspace has records."""
        return all(len(self.living(name)) == self.attribute(name).size for name in self.attributes)

    def living(self, name: str) -> Sequence[int]:
        """Return the levels of an attribute that some record has. A level counts only if the
        attributes within it, and those within these, have a level there."""
        attribute = self.attribute(name)
        below = [a.name for a in self.space.attributes if a.within == name]
        if attribute.within is None and not below:
            return range(attribute.size)
        return self._living[name]

    @cached_property
    def _living(self) -> dict[str, list[int]]:
        attributes = sorted(self.space.attributes, key=lambda a: len(self.chain(a.name)))
        living = {a.name: set(range(a.size)) for a in attributes}
        for a in reversed(attributes):
            if a.within is not None:
                living[a.within] &= {a.parents[at] for at in living[a.name]}
        for a in attributes:
            if a.within is not None:
                outer = living[a.within]
                living[a.name] = {at for at in living[a.name] if a.parents[at] in outer}
        return {name: sorted(levels) for name, levels in living.items()}

    def is_function(self, level: int, query: int, places: Places) -> bool:
        """Return whether a query at a level is a function of one margin, in units of one kind.

        It is, if the fixed unit has one unit of the level, and the margin contains the unit and all
        attributes of the query: every count is a sum of published ones (E15).
        """
        topdown_query = self.part.queries[query]
        recoded = {name for recode in topdown_query.tells for name in recode.of}
        recoded |= {name for name, _ in topdown_query.where}
        recoded = {name for name in recoded if self.attribute(name).size > 1}
        for margin in (*self.margins, ()):
            determined = self.determined_by(margin)
            is_fixed = self.fixed in determined if self.fixed is not None else False
            known = not places.several[level] if is_fixed else not self.everywhere.several[level]
            if recoded <= determined and known:
                return True
        return False
