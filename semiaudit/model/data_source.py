"""Where the confidential data lie from which t is counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from semiaudit.model.source import NOWHERE, Mark

SourceKind = Literal["table", "records"]


@dataclass(frozen=True, slots=True)
class DataSource:
    """A table of counts or microdata, in a file or in an engine.

    Attributes:
        kind: ``table`` has a row a cell and a column ``count``, ``records`` a row a record.
        place: the path of a file as the spec writes it, or the table's name in the engine.
        engine: the connection URL of an engine, or None where ``place`` is a file.
        mark: where the spec says so.
        folder: the spec's own, which paths are relative to.
    """

    kind: SourceKind
    place: str
    engine: str | None = None
    mark: Mark = NOWHERE
    folder: str = ""
