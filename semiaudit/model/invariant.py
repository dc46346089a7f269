"""What is published exactly. Each invariant remembers where the spec says so."""

from __future__ import annotations

from dataclasses import dataclass

from semiaudit.model.dataspace import Condition, Dataset
from semiaudit.model.source import NOWHERE, Mark


@dataclass(frozen=True, slots=True)
class Total:
    """The number of records."""

    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return "total"


@dataclass(frozen=True, slots=True)
class Margin:
    """The counts of every combination of levels of some attributes."""

    attributes: tuple[str, ...]
    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return f"margin [{', '.join(self.attributes)}]"


@dataclass(frozen=True, slots=True)
class Count:
    """The number of records that satisfy a condition: attribute -> the levels it allows."""

    where: Condition
    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return f"count where {_condition(self.where)}"


@dataclass(frozen=True, slots=True)
class Keys:
    """Which combinations of levels occur at all."""

    attributes: tuple[str, ...]
    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return f"keys [{', '.join(self.attributes)}]"


@dataclass(frozen=True, slots=True)
class PublicBound:
    """Public knowledge on a count: ``at_least`` and ``at_most`` may be None."""

    where: Condition
    at_least: int | None
    at_most: int | None
    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return f"bound where {_condition(self.where)}"


@dataclass(frozen=True, slots=True)
class Linear:
    """Integer rows over the cells of the table, row-major in the order of the attributes."""

    name: str
    rows: tuple[tuple[int, ...], ...]
    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return f"linear {self.name}"


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic of an attribute that need not be a count: min, max, sum, median, range."""

    name: str
    of: str
    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return f"statistic {self.name} of {self.of}"


@dataclass(frozen=True, slots=True)
class Partition:
    """The universes themselves: blocks of datasets; unlisted datasets form one block more."""

    blocks: tuple[tuple[Dataset, ...], ...]
    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return "partition"


Invariant = Total | Margin | Count | Keys | PublicBound | Linear | Statistic | Partition


def _condition(where: Condition) -> str:
    return ", ".join(f"{name}={'|'.join(map(str, levels))}" for name, levels in where)
