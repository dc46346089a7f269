"""Reading a mechanism: its parts and their places, how often each runs, and what they add up to."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, get_args

from pydantic import Field

from semiaudit.errors import Mark
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, Neighbors
from semiaudit.model.mechanism import Allocation, Composition, Mechanism, Part
from semiaudit.model.query import Query
from semiaudit.spec.mechanism.query import QueryReader, QuerySection
from semiaudit.spec.scalars import LARGEST_REPEAT, Section, choice
from semiaudit.spec.yaml12 import Path_, YamlDocument, path_text

if TYPE_CHECKING:
    from semiaudit.spec.mechanism.mechanism_schema import MechanismSection


@dataclass(frozen=True, slots=True)
class Setting:
    """The context in which the mechanisms of a spec are read.

    Attributes:
        metric: what one unit of distance does to the records.
        size: the number of records, where the spec fixes it.
        designs: a parameter that is to be calibrated may be missing.
        without_space: there is no dataspace by intention, and not because it is not valid.
    """

    document: YamlDocument
    queries: QueryReader
    metric: Metric
    size: int | None
    designs: bool = False
    without_space: bool = False


@dataclass(frozen=True, slots=True)
class SpecPlace:
    """The place of a part in a spec.

    Attributes:
        path: of the kind's own key.
    """

    setting: Setting
    path: Path_

    @property
    def mark(self) -> Mark:
        """The place of the mapping that has the kind's key."""
        return self.setting.document.mark(self.path[:-1])

    def report(self, below: Path_, message: str, remedy: str) -> None:
        """Add a problem at a path below the kind's key; at the key itself where it is empty."""
        self.setting.document.report((*self.path, *below), message, remedy, key=not below)

    def query_of(self, section: QuerySection) -> Query | None:
        """The query of the part, or None with its problems in the document."""
        return self.setting.queries.query_of(section, (*self.path, "query"))


OptionalNeighbors = Annotated[
    Neighbors | None,
    choice(*get_args(Neighbors)),
    Field(
        description="the neighboring datasets of the numbers: replace_one, one record is replaced; "
        "add_remove, one record enters or leaves; zero_out, one is replaced by an empty record"
    ),
]


class PartSection(Section):
    """The parameters of one part of a mechanism."""

    @abstractmethod
    def part(self, place: SpecPlace) -> Part | None:
        """The part, or None with its problems in the document."""


def mechanism_of(
    setting: Setting, section: MechanismSection, path: Path_, times: int = 1
) -> Mechanism | None:
    """The mechanism, or None with its problems in the document.

    Args:
        times: how often the mechanism runs that this one is a part of.
    """
    document = setting.document
    mark = document.mark(path)
    times *= section.repeat
    if times > LARGEST_REPEAT:
        what = f"repeats its parts more than {LARGEST_REPEAT} times in all"
        document.report((*path, "repeat"), what, "repeat less")
        return None
    part: Mechanism | None
    if section.compose is None:
        part = section.parameters.part(SpecPlace(setting, (*path, section.kind)))
    else:
        part = _composition(
            setting, section.compose, path, times, _allocation(setting, section, path)
        )
    if part is not None and section.repeat > 1:
        return Composition(((part, section.repeat),), mark)
    return part


def _composition(
    setting: Setting,
    sections: list[MechanismSection],
    path: Path_,
    times: int,
    allocation: Allocation | None,
) -> Composition | None:
    parts_read = [
        mechanism_of(setting, section, (*path, "compose", index), times)
        for index, section in enumerate(sections)
    ]
    parts = tuple((part, 1) for part in parts_read if part is not None)
    if len(parts) < len(parts_read):
        return None
    return Composition(parts, setting.document.mark(path), allocation)


def _allocation(setting: Setting, section: MechanismSection, path: Path_) -> Allocation | None:
    if section.total_rho is None:
        return None
    where = (*path, "total_rho")
    return Allocation(section.total_rho, path_text(where), setting.document.mark(where))
