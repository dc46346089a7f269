"""The layout of a report, and the parts of a readable one: a head, blocks and tables."""

from __future__ import annotations

from typing import Literal

from semiaudit.errors import one_line
from semiaudit.frozen import dataclass
from semiaudit.model.bound import Causes, describe
from semiaudit.model.verdict import ERROR, FAILED, NO_BUDGET, PASSED

LABEL_WIDTH = 14
"""The least width of the labels of a list."""


HEAD_LABELS = 11
"""The width before the texts of a head: its labels and two blanks."""


INCOMPLETE = "INCOMPLETE"
"""The word in the subtitle of a report whose audit was cut short by a time limit."""


Tone = Literal["number", "plain", "bad", "warning", "good"]
_TONES_OF_WORDS: dict[str, Tone] = {
    PASSED: "good",
    FAILED: "bad",
    ERROR: "bad",
    NO_BUDGET: "warning",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a report: columns, styles, and which parts are shown.

    Attributes:
        verbose: whether text has the remarks that are in every report, as Markdown and HTML always
            have; then all of them have references to theory, and list the skipped files by name.
        root: the directory to which absolute paths are made relative, if a format needs it.
        repository: the root of the repository that ``root`` is in, to which paths in SARIF and
            annotations are relative; empty if it is in none.
        incomplete: whether a run over many specs ended before all of them were audited.
        skipped: why files of directories are not specs, and their names for each reason.
        ignored: rules whose findings readable formats count without showing them.
        only_failures: whether readable formats omit the specs that do not fail.
        times: whether CSV, Parquet, and JUnit have the run time of each spec.
        folder: the absolute folder of an index of pages, to which its links are relative; their
            names are relative to ``root``. None for no such links.
        survey: whether findings do not decide about the exit code of the run.
    """

    width: int = 80
    color: bool = False
    root: str = ""
    repository: str = ""
    incomplete: bool = False
    skipped: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ignored: frozenset[str] = frozenset()
    only_failures: bool = False
    times: bool = False
    verbose: bool = False
    folder: str | None = None
    survey: bool = False


def skipped_lines(layout: Layout) -> list[str]:
    """Return the skipped files, counted by the reason; in a verbose report each by its name."""
    lines = []
    for why, names in layout.skipped:
        if layout.verbose:
            lines += [f"{one_line(name)}: {why}" for name in names]
        else:
            lines.append(f"{len(names)} file{'s' * (len(names) != 1)}: {why}")
    return lines


def tone_of(cell: str) -> Tone | None:
    """Return the tone of a cell that begins with a verdict; None for any other cell."""
    for word, tone in _TONES_OF_WORDS.items():
        if cell == word or cell.startswith((f"{word}:", f"{word} (")):
            return tone
    return None


@dataclass(frozen=True, slots=True)
class Lines:
    """A titled list of (label, sentence); a label may be empty.

    Attributes:
        quotes: below some items, by index, the line of the spec and a caret; only text shows them.
    """

    title: str
    items: tuple[tuple[str, str], ...]
    quotes: tuple[tuple[int, tuple[str, str]], ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """One labeled line of the head of a report.

    Attributes:
        tone: its severity.
    """

    label: str
    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Head:
    """The answer of a report, directly below its title.

    Attributes:
        items: entries that follow each other under one label belong together.
        path: the path of the spec, at the start of the subtitle.
    """

    items: tuple[Said, ...]
    path: str

    def labelled(self) -> list[tuple[str, Said]]:
        """Return the entries with their labels, each label only at the first of its entries."""
        labels = [said.label for said in self.items]
        return [
            ("" if label == before else label, said)
            for before, label, said in zip(["", *labels], labels, self.items, strict=False)
        ]


@dataclass(frozen=True, slots=True)
class Grid:
    """A titled table; ``numeric`` marks the columns of numbers; notes appear below.

    Attributes:
        glued: columns, by index, that stay with the previous one if a wide table is split.
        breaks: whether words that are longer than a number can be broken to fit the width; if not,
            they stay whole (as for paths that a reader copies), and the table grows.
        decisive: columns, by index, that a page has directly after the first one, so that a narrow
            screen shows them.
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
        verdict: the answer in a sentence, which is first on a page; empty if a block has it.
        paths: the files that it names; a page shows no folder above them.
    """

    title: str
    subtitle: str
    blocks: tuple[Block, ...]
    verdict: str = ""
    paths: tuple[str, ...] = ()


def heading(causes: Causes) -> str:
    """Return the end of a heading; empty if the report is complete."""
    return f" · {INCOMPLETE}: {describe(causes)}" if causes else ""
