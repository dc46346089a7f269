"""What a readable report consists of: titled blocks of text and tables."""

from __future__ import annotations

from dataclasses import dataclass

LABEL_WIDTH = 14
"""Places that the labels of a list take at least."""


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
