"""Parsing the text of a CSV file itself: its header, its faults, the lines of its rows.

Counting does not use this module; only the header and error messages do.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from semiaudit.data.data_faults import MOST_PROBLEMS, DataFault, data_error
from semiaudit.paths import opened

_LONGEST_HEADER = 1 << 20
_UTF8 = "save it as UTF-8"


def header_of(path: Path) -> list[str]:
    """Return the names of the columns in the first record of a CSV file.

    Raises:
        SpecError: the file has no such record, or cannot be read.
    """
    name = str(path)
    with _still_there(path) as file:
        start = file.read(_LONGEST_HEADER)
    if start.startswith(b"PAR1"):
        raise data_error(
            name, [DataFault("is a Parquet file", "rename it so that its name ends in .parquet")]
        )
    if b"\0" in start:
        raise data_error(
            name, [DataFault("contains NUL bytes, as UTF-16 and binary files do", _UTF8)]
        )
    try:
        text = start.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(start) - 3 or len(start) < _LONGEST_HEADER:
            line = start.count(b"\n", 0, error.start) + 1
            raise data_error(name, [DataFault("is not UTF-8", _UTF8, line=line)]) from None
        text = start[: error.start].decode("utf-8-sig")
    try:
        header = next(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (StopIteration, csv.Error):
        header = []
    if not header:
        what = "does not begin with the names of the columns"
        finding = DataFault(what, "write them in the first line, separated by commas", line=1)
        raise data_error(name, [finding])
    if len(header) == 1 and any(mark in header[0] for mark in ";\t|"):
        finding = DataFault("does not separate its columns by commas", "use commas", line=1)
        raise data_error(name, [finding])
    return header


@contextmanager
def _still_there(path: Path) -> Iterator[BufferedReader]:
    """Open the file for reading; it was checked before, and can have been replaced since."""
    try:
        stream = opened(path)
    except OSError as error:
        what = f"cannot be read ({error.strerror}), though it was there before"
        raise data_error(
            str(path), [DataFault(what, "wait until no program changes it, and audit again")]
        ) from None
    with stream:
        yield stream


def faults_of(path: Path, width: int) -> tuple[list[DataFault], int]:
    """Return the first faults in the form of a CSV file, and how many more there are.

    Args:
        path: a file that can be read and has a header.
        width: the number of columns in its header.
    """
    findings: list[DataFault] = []
    more = 0
    ends: set[str] = set()
    try:
        for line, row in _records(path, width, ends):
            fault = _fault(row, width)
            if fault and len(findings) < MOST_PROBLEMS:
                findings.append(DataFault(*fault, line=line))
            elif fault:
                more += 1
    except _BrokenRecordError as broken:
        message = f"is not a CSV record ({broken})"
        findings.append(
            DataFault(
                message,
                "put values that contain quotes in quotes, and double the quotes inside",
                line=broken.line,
            )
        )
    if not findings and len(ends) > 1:
        return [DataFault("mixes different line endings", "use the same line ending everywhere")], 0
    return findings, more


def lines_of_rows(path: Path, width: int, rows: Collection[int]) -> Mapping[int, int]:
    """Return the lines at which some data rows begin, as far as known.

    Args:
        path: a file that can be read and has a header.
        width: the number of columns in its header.
        rows: numbers of data rows, from 1.
    """
    lines: dict[int, int] = {}
    last = max(rows, default=0)
    try:
        for row, (line, _) in enumerate(_records(path, width, set()), start=1):
            if row > last:
                break
            if row in rows:
                lines[row] = line
    except _BrokenRecordError:
        pass
    return lines


class _BrokenRecordError(Exception):
    def __init__(self, error: csv.Error, line: int) -> None:
        self.line = line
        super().__init__(str(error))


def _fault(row: list[str], width: int) -> tuple[str, str] | None:
    if len(row) != width:
        what = f"has {len(row)} value{'' if len(row) == 1 else 's'} where the header has {width}"
        return what, "add or remove values; values with commas need quotes"
    if not "".join(row).isprintable() and any("\udc80" <= c <= "\udcff" for c in "".join(row)):
        return "is not UTF-8", _UTF8
    return None


def _records(path: Path, width: int, ends: set[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the data rows with the lines at which they begin; ``ends`` collects the line ends."""
    with (
        _still_there(path) as stream,
        io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="") as file,
    ):
        current = ""

        def lines() -> Iterator[str]:
            nonlocal current
            while current := file.readline():
                yield current

        reader = csv.reader(lines(), strict=True)
        line, header = 1, True
        try:
            for row in reader:
                end = current[len(current.rstrip("\r\n")) :]
                ends |= {end} if end else set()
                if (row or width == 1) and not header:
                    yield line, row or [""]
                line, header = reader.line_num + 1, False
        except csv.Error as error:
            raise _BrokenRecordError(error, line) from error
