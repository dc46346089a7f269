"""How a report is laid out, and what a readable one consists of: a head, blocks and tables."""

from __future__ import annotations

from typing import Literal

from semiaudit.errors import one_line
from semiaudit.frozen import dataclass
from semiaudit.model.bound import Causes, describe
from semiaudit.model.verdict import ERROR, FAILED, NO_BUDGET, PASSED

LABEL_WIDTH = 14
"""Places that the labels of a list take at least."""


HEAD_LABELS = 11
"""Places before the texts of a head, which its labels and two blanks take."""


ELLIPSIS = "…"
"""Ends what is shortened on a first screen; nothing else is."""

INCOMPLETE = "INCOMPLETE"
"""Stands in the subtitle of a report whose audit a time limit cut short."""


Tone = Literal["number", "plain", "bad", "warning", "good"]
_TONES_OF_WORDS: dict[str, Tone] = {
    PASSED: "good",
    FAILED: "bad",
    ERROR: "bad",
    NO_BUDGET: "warning",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """How a report is laid out: columns, styles, and what of it is shown.

    Attributes:
        explain: the witness is shown record by record.
        verbose: text has what is the same in every report too, as Markdown and HTML always have;
            all of them have references to theory, and list the skipped files by name.
        root: the directory that absolute paths are made relative to, where a format asks for it.
        incomplete: a run over many specs was ended before all of them were audited.
        skipped: why files of directories are not specs, and their names for each reason.
        ignored: rules whose findings readable formats count and do not show.
        only_failures: readable formats leave out the specs that do not fail.
        times: CSV, Parquet, and JUnit have the run time of each spec.
        folder: where an index of pages will lie, absolute, from which its links lead to them; their
            names are seen from ``root``. None: there are no such links.
    """

    width: int = 80
    color: bool = False
    explain: bool = False
    root: str = ""
    incomplete: bool = False
    skipped: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ignored: frozenset[str] = frozenset()
    only_failures: bool = False
    times: bool = False
    verbose: bool = False
    folder: str | None = None


def skipped_lines(layout: Layout) -> list[str]:
    """Return the skipped files, counted by the reason; in a verbose report each by its name."""
    lines = []
    for why, names in layout.skipped:
        if layout.verbose:
            lines += [f"{one_line(name)}: {why}" for name in names]
        else:
            lines.append(f"{why}: {len(names)}")
    return lines


def tone_of(cell: str) -> Tone | None:
    """Return the tone of a cell that begins with a verdict; None for any other cell."""
    for word, tone in _TONES_OF_WORDS.items():
        if cell == word or cell.startswith((f"{word}:", f"{word} (")):
            return tone
    return None


@dataclass(frozen=True, slots=True)
class Lines:
    """A titled list of (label, sentence); a label may be empty."""

    title: str
    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Said:
    """One labeled line of the head of a report.

    Attributes:
        brief: the same with the names in it shortened, for where there is little room; empty
            if there are none.
        tone: how grave it is. A ``number`` is never shortened.
    """

    label: str
    text: str
    tone: Tone = "plain"
    brief: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """The answer of a report, which stands right below its title.

    Text shortens it to one screen, and the title and the path with it; other formats have it whole.

    Attributes:
        items: entries that follow each other under one label belong together.
        path: of the spec, with which the subtitle begins.
    """

    items: tuple[Said, ...]
    path: str

    def labelled(self) -> list[tuple[str, Said]]:
        """The entries with their labels, each label at the first of its entries only."""
        labels = [said.label for said in self.items]
        return [
            ("" if label == before else label, said)
            for before, label, said in zip(["", *labels], labels, self.items, strict=False)
        ]


@dataclass(frozen=True, slots=True)
class Grid:
    """A titled table; ``numeric`` tells the columns that are numbers; notes stand below.

    Attributes:
        glued: columns, by their places, that stay with the one before them if a table is too wide
            and is split.
        breaks: words that are longer than a number may be broken for the width; without it
            they stay whole, as paths must that somebody copies, and the table grows.
        decisive: columns, by their places, that a page has right behind the first one, so that a
            narrow screen shows them.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    notes: tuple[str, ...] = ()
    glued: frozenset[int] = frozenset()
    breaks: bool = False
    decisive: tuple[int, ...] = ()


Block = Head | Lines | Grid


@dataclass(frozen=True, slots=True)
class View:
    """A report's heading and blocks, in order.

    Attributes:
        verdict: the answer in a sentence, which a page has first; empty if a block has it.
        paths: the files that are named in it, of which a page shows no folder above them.
    """

    title: str
    subtitle: str
    blocks: tuple[Block, ...]
    verdict: str = ""
    paths: tuple[str, ...] = ()


def heading(causes: Causes) -> str:
    """The end of a heading; empty if the report is complete."""
    return f" · {INCOMPLETE}: {describe(causes)}" if causes else ""
