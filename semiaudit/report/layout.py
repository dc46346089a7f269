"""How a report is laid out, and what a readable one consists of: titled blocks and tables."""

from __future__ import annotations

from dataclasses import dataclass

LABEL_WIDTH = 14
"""Places that the labels of a list take at least."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a report is laid out: columns, styles, and what of it is shown.

    Attributes:
        explain: the witness is told in words.
        root: the directory that absolute paths are made relative to, where a format asks for it.
        incomplete: a run over many specs was ended before all of them were audited.
        passed_over: why files of directories are no specs, and how many for each reason.
        ignored: rules whose findings readable formats count and do not show.
        only_failures: readable formats leave out the specs that do not fail.
    """

    width: int = 80
    color: bool = False
    explain: bool = False
    root: str = ""
    incomplete: bool = False
    passed_over: tuple[tuple[str, int], ...] = ()
    ignored: frozenset[str] = frozenset()
    only_failures: bool = False


@dataclass(frozen=True, slots=True)
class Lines:
    """A titled list of (label, sentence); a label may be empty."""

    title: str
    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A titled table; ``numeric`` tells the columns that are numbers; notes stand below."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    notes: tuple[str, ...] = ()


Block = Lines | Grid


@dataclass(frozen=True, slots=True)
class View:
    """A report's heading and blocks, in order."""

    title: str
    subtitle: str
    blocks: tuple[Block, ...]
