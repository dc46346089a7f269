"""What every section of one part of a mechanism can do: become the part that it describes."""

from __future__ import annotations

from abc import abstractmethod

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric
from semiaudit.model.mechanism import Part
from semiaudit.model.query import Query
from semiaudit.model.source import Mark
from semiaudit.spec.query import QueryReader, QuerySection
from semiaudit.spec.scalars import Section
from semiaudit.spec.yaml12 import Path_, YamlDocument


@dataclass(frozen=True, slots=True)
class Setting:
    """What the mechanisms of a spec are read against.

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
    """Where a part stands in a spec.

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


class PartSection(Section):
    """The parameters of one part of a mechanism."""

    @abstractmethod
    def part(self, place: SpecPlace) -> Part | None:
        """The part, or None with its problems in the document."""
