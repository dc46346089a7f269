"""The dataspace: the tables of records over attributes, or a small explicit set of datasets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from fractions import Fraction
from math import prod
from typing import assert_never

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass

Level = int | str
Value = Fraction | str
Dataset = tuple[Value, ...]


MOST_ATTRIBUTES = 200
"""The most attributes of a table."""

_WHOLE = re.compile(r"[-+]?[0-9]{1,99}")


def _number(level: Level) -> int | None:
    return int(level) if _WHOLE.fullmatch(str(level)) else None


@dataclass(frozen=True, slots=True)
class Attribute:
    """A feature of a record. ``levels`` is a number of levels, or their names in order.

    Attributes:
        within: the attribute that this one refines (a county lies within a state), if any.
        parents: with ``within``, the index of each level's parent, in the order of the levels.
    """

    name: str
    levels: int | tuple[Level, ...]
    mark: Mark = NOWHERE
    within: str | None = None
    parents: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError("an attribute has at least one level")

    @property
    def size(self) -> int:
        """The number of levels."""
        return self.levels if isinstance(self.levels, int) else len(self.levels)

    def label(self, index: int) -> Level:
        """The level at a 0-based index, as the spec names it (the index itself for a number)."""
        return index if isinstance(self.levels, int) else self.levels[index]

    def index(self, level: Level) -> int | None:
        """The index of a level, or None if there is no such level; for many, see ``indices``."""
        return self.indices((level,))[0]

    def indices(self, levels: Iterable[Level]) -> list[int | None]:
        """The index of each level, compared by its text; 01 finds the level 1 if none is 01."""
        if isinstance(self.levels, int):
            numbers = [_number(level) for level in levels]
            return [n if n is not None and 0 <= n < self.levels else None for n in numbers]
        known = {str(name): index for index, name in enumerate(self.levels)}
        indices = []
        for level in levels:
            number = _number(level)
            indices.append(known.get(str(level), known.get(str(number))))
        return indices


Condition = tuple[tuple[str, tuple[Level, ...]], ...]
"""A set of cells: (attribute, the levels it allows) pairs, all of which must hold."""


def condition_text(where: Condition) -> str:
    """A condition in words."""
    return condition_key(where)


def condition_key(where: Condition) -> str:
    """A condition inside the key of an invariant, which stays when its words change."""
    return ", ".join(f"{name}={'|'.join(map(str, levels))}" for name, levels in where)


@dataclass(frozen=True, slots=True)
class TableSpace:
    """All ordered datasets of ``size`` records, a record being one level of every attribute.

    Without attributes the records are left unspecified (enough for an ordinary DP audit).

    Attributes:
        impossible: structural zeros: no record satisfies any of these conditions.
    """

    unit: str
    size: int | None
    attributes: tuple[Attribute, ...]
    impossible: tuple[Condition, ...] = ()
    mark: Mark = NOWHERE
    _places: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {attribute.name: place for place, attribute in enumerate(self.attributes)}
        object.__setattr__(self, "_places", places)

    def position(self, name: str) -> int:
        """The place of an attribute in the order of the spec."""
        return self._places[name]

    def determined_by(self, names: Iterable[str]) -> frozenset[str]:
        """Some attributes, and all those that they lie within: a county tells its state."""
        parents = {attribute.name: attribute.within for attribute in self.attributes}
        determined: set[str] = set()
        for name in names:
            at: str | None = name
            while at is not None:
                determined.add(at)
                at = parents[at]
        return frozenset(determined)

    @property
    def cells(self) -> int:
        """Return the number of combinations of levels, structural zeros included."""
        return prod(attribute.size for attribute in self.attributes)

    @property
    def product_cells(self) -> bool:
        """True if every combination of levels can occur."""
        return not self.impossible and all(a.within is None for a in self.attributes)


@dataclass(frozen=True, slots=True)
class ProductSpace:
    """All ordered datasets of ``size`` records with values in ``values``."""

    unit: str
    size: int
    values: tuple[Value, ...]
    mark: Mark = NOWHERE

    @property
    def count(self) -> int:
        """Return the number of datasets."""
        return int(len(self.values) ** self.size)


@dataclass(frozen=True, slots=True)
class ListedSpace:
    """Exactly the listed ordered datasets, all of one length."""

    unit: str
    datasets: tuple[Dataset, ...]
    mark: Mark = NOWHERE

    def __post_init__(self) -> None:
        if not self.datasets or len({len(dataset) for dataset in self.datasets}) != 1:
            raise ValueError("an explicit dataspace lists datasets of one length")

    @property
    def size(self) -> int:
        """The number of records of each dataset."""
        return len(self.datasets[0])

    @property
    def count(self) -> int:
        """Return the number of datasets."""
        return len(self.datasets)


ExplicitSpace = ProductSpace | ListedSpace
Dataspace = TableSpace | ExplicitSpace


def holds(space: ExplicitSpace, dataset: Dataset) -> bool:
    """True if an explicit dataspace holds a dataset."""
    match space:
        case ProductSpace():
            return len(dataset) == space.size and set(dataset) <= set(space.values)
        case ListedSpace():
            return dataset in space.datasets
        case _:
            assert_never(space)


EXPLICIT_ATTRIBUTE = "value"
"""The name by which invariants speak of a record of an explicit dataspace."""


def value_label(value: Value) -> Level:
    """A value as a report writes it: an integer, or text (a ratio as ``1/3``)."""
    if isinstance(value, str):
        return value
    return value.numerator if value.denominator == 1 else str(value)
