"""One error tree, places in a file, and what the errors of libraries mean.

Everything a user can cause is a :class:`SemiauditError`.
"""

from __future__ import annotations

import copyreg
import dataclasses
import errno
import os
import re
from collections.abc import Sequence
from typing import Any, Never

from semiaudit.frozen import dataclass


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A 1-based position in the spec; line 0 if there is none."""

    line: int = 0
    column: int = 0


NOWHERE = Mark()

Quote = tuple[str, str]
"""A line of a spec with its number, and a caret below a column of it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, where it is, and what to do about it.

    Lines and columns are 1-based; 0 means that the problem concerns the file as a whole. Without a
    file, the message says the place itself.
    """

    file: str
    line: int
    column: int
    path: str
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        what = f"{self.path}: {self.message}" if self.path else self.message
        text = f"{where}: {what}" if where else what
        return one_line(text + (f"; {self.remedy}" if self.remedy else ""))


class SemiauditError(Exception):
    """Anything that keeps an audit from being made; ``exit_code`` is the process's."""

    exit_code = 2

    def __reduce__(self) -> tuple[Any, ...]:
        """Make the error anew in another process: by its text, whatever its class is made of."""
        state = {name: value for name, value in vars(self).items() if name != "partial"}
        return copyreg.__newobj__, (type(self), *self.args), state  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, SemiauditError):
            return NotImplemented
        return self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash((type(self), self.args))


class SpecError(SemiauditError):
    """A spec, or its data, that cannot be audited as written; carries every problem found.

    Attributes:
        partial: the part that could be read, in which a caller can find more problems. A copy of
            the error, or the error in another process, lacks it.
        file, lines: a spec, and its lines if they can be quoted: those of a page.
    """

    partial: object = None

    def __init__(
        self,
        problems: Sequence[Problem],
        partial: object = None,
        file: str = "",
        lines: Sequence[str] = (),
    ) -> None:
        self.partial = partial
        self.file, self.lines = file, tuple(lines)
        self.problems = tuple(sorted(problems, key=lambda p: (p.file, p.line, p.column)))
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def quote(self, problem: Problem) -> Quote | None:
        """Return the line of the spec with a problem, and a caret; None if it cannot be quoted."""
        known = problem.file == self.file and (problem.path or len(self.problems) == 1)
        return quote_of(self.lines, Mark(problem.line, problem.column)) if known else None


@dataclass(frozen=True, slots=True)
class Refusal:
    """One thing that this version cannot answer, with its 1-based place in the spec."""

    message: str
    remedy: str
    path: str = ""
    line: int = 0
    column: int = 0


class RefusedError(SemiauditError):
    """A well-formed question that this version cannot answer soundly.

    The analysis raises it without knowing any file; the audit turns it into a
    :class:`SpecError` that names one.
    """

    def __init__(self, *refusals: Refusal) -> None:
        self.refusals = refusals
        super().__init__("\n".join(f"{r.message}; {r.remedy}" for r in refusals))

    def in_file(self, file: str) -> SpecError:
        """Return the refusals as problems of a file."""
        return SpecError(
            [Problem(file, r.line, r.column, r.path, r.message, r.remedy) for r in self.refusals]
        )


class OutputError(SemiauditError):
    """A report that could not be written."""


class UnknownKindError(TypeError):
    """An object of a kind that a place of this program does not know: a fault of the program."""


def unknown_kind(value: Never, place: str) -> Never:
    """Refuse what no branch of a dispatch took; that mypy accepts the call proves it complete.

    Args:
        value: the object.
        place: where it arrived, as a reader of the message would call it.
    """
    raise UnknownKindError(f"{place}: {type(value).__name__} is a kind that is not known here")


def one_line(text: str) -> str:
    """A text without line breaks and control characters, which are written out."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


QUOTED = 50
"""The most places of a quoted line."""


def quote_of(lines: Sequence[str], mark: Mark) -> Quote | None:
    """Return a line of a spec with its number, and a caret below its column; None without it."""
    if not 0 < mark.line <= len(lines) or not mark.column:
        return None
    line, number = lines[mark.line - 1], f"{mark.line} | "
    text, at = one_line(line), len(one_line(line[: mark.column - 1]))
    if _places(text[:at]) >= QUOTED:
        text, at = f"...{text[at:]}", 3
    if _places(text) > QUOTED:
        while _places(text) > QUOTED - 3:
            text = text[:-1]
        text += "..."
    return number + text, f"{'|':>{len(number) - 1}} {' ' * _places(text[:at])}^"


_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60"
    "\U0001f300-\U0001faff]"
)
"""Characters that take two places on a terminal."""


def _places(text: str) -> int:
    return len(text) + len(_WIDE.findall(text))


MOST_NAMED = 3
"""The most names that a message lists; the others are counted."""


def listed(names: Sequence[str]) -> str:
    """Return the first names, and how many there are behind them: ``a, b, c and 2 more``."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def is_interrupt(error: BaseException) -> bool:
    """Return whether an error of DuckDB or SQLite says that a query was interrupted.

    They swallow what the handler of a signal raised, and report it in their own ways.
    """
    can_be_interrupt = type(error) is RuntimeError or type(error).__name__ == "OperationalError"
    interrupted = can_be_interrupt and "interrupted" in str(error).lower()
    return interrupted or type(error).__name__ == "InterruptException"


_NO_ROOM = (
    "failed to map segment",
    "cannot allocate memory",
    "cannot apply additional memory protection",
    "can't start new thread",
    "allocation failure",
)
"""Messages of the loader, the interpreter, and DuckDB if address space is short."""

_UNREAD = re.compile(r"could not convert string to float: '[+-]?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?'")
"""A text that is a number: Python says so, too, where it has no room to work the number out."""


class OutOfMemoryError(MemoryError):
    """The memory is full; its text says which data and which engine needed it."""


def system_fault(error: BaseException) -> tuple[str, str] | None:
    """Return what an error says is wrong with the process's surroundings, and what to do.

    None if it says something else.
    """
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return "too many files are open", "raise the limit (`ulimit -n`), or close other programs"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror}", "free some space, or set TMPDIR to another directory"
    if isinstance(error, FileNotFoundError):
        if "No usable temporary directory" in str(error):
            return "no temporary directory can be written to", "set TMPDIR to one that can"
        try:
            os.getcwd()
        except FileNotFoundError:
            return "the working directory was removed", "change to one that exists"
    try:
        raise_full_memory(error)
    except MemoryError as full:
        what = one_line(str(full)) if isinstance(full, OutOfMemoryError) else "out of memory"
        return what, "use a smaller spec, or raise --memory-limit if you set it"
    return None


def raise_full_memory(error: BaseException) -> None:
    """Raise MemoryError where another error means that the memory is full.

    A library that cannot be loaded for it is an ImportError, a thread that cannot be started a
    RuntimeError, and a long number that Python has no room to read a ValueError.
    """
    can_mean_full = isinstance(error, ImportError | RuntimeError | OSError)
    can_mean_full |= type(error).__name__ == "OutOfMemoryException"  # DuckDB's, while it starts
    means_full = can_mean_full and any(words in str(error).lower() for words in _NO_ROOM)
    full = isinstance(error, OSError) and error.errno == errno.ENOMEM
    unread = isinstance(error, ValueError) and _UNREAD.fullmatch(str(error))
    if isinstance(error, MemoryError):
        raise error from None
    if means_full or full or unread:
        raise MemoryError from None
