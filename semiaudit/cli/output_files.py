"""Files that commands write: piece by piece, and whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO

from semiaudit.errors import OutputError
from semiaudit.private_folders import private_folder, temporary_file


@contextmanager
def whole_file(name: str) -> Iterator[str]:
    """The name of a temporary file that takes the place of another one if all goes well.

    Links are followed inside their own folder; a device is written to itself.

    Raises:
        OutputError: it cannot be written, or is a link to a file in another folder; then what was
            there stays, and nothing else is left.
    """
    target = os.path.realpath(name)
    if refusal := refusal_of(name):
        raise OutputError(f"{name}: {refusal}")
    try:
        if os.path.exists(name) and not os.path.isfile(name):
            yield name  # what a link to a pipe leads to has no name of its own
            return
        folder = os.path.dirname(target)
        if os.path.islink(name) and folder != os.path.realpath(os.path.dirname(name) or "."):
            raise OutputError(f"{name}: is a link to a file in another folder; name that file")
        mode = os.stat(target).st_mode & 0o777 if os.path.exists(target) else None
        with temporary_file(folder) as temporary:
            yield temporary
            with open(temporary, "rb") as stream:
                os.fsync(stream.fileno())
            os.chmod(temporary, 0o666 & ~_creation_mask() if mode is None else mode)
            os.replace(temporary, target)
    except OSError as error:
        raise OutputError(f"{name}: cannot be written ({error.strerror or error})") from None


def refusal_of(name: str) -> str:
    """Return why a file must not be written, and what to do, without opening it; empty if it may.

    Character devices such as /dev/null may be written, and so may the pipes that this process has
    open already, such as /dev/stdout.
    """
    try:
        mode = os.stat(name).st_mode
    except (OSError, ValueError):
        return ""  # the code that opens it reports why it cannot
    if stat.S_ISREG(mode):
        writable = mode & 0o222 and os.access(name, os.W_OK)  # root may write to any file
        return "" if writable else "is read-only; allow writing to it, or name another file"
    if stat.S_ISCHR(mode) or os.path.realpath(name).startswith("/proc/"):
        return ""
    return "is not a regular file, and nothing may ever read from it; name another file"


@contextmanager
def _stream(name: str) -> Iterator[IO[bytes]]:
    """Write a file; a pipe that nothing reads from is an error, and is not waited for."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NONBLOCK", 0)
    with whole_file(name) as temporary, open(os.open(temporary, flags, 0o666), "wb") as stream:
        os.set_blocking(stream.fileno(), True)
        yield stream


def write_lines(name: str, lines: Iterable[str]) -> None:
    """Write a file piece by piece.

    Raises:
        OutputError: it cannot be written.
    """
    with _stream(name) as stream:
        stream.writelines(line.encode(errors="backslashreplace") for line in lines)


def write_text(name: str, text: str) -> None:
    """Write a file from one text; a name in it that is no Unicode is written with escapes.

    Raises:
        OutputError: it cannot be written.
    """
    write_lines(name, [text])


def write_bytes(name: str, content: bytes) -> None:
    """Write a file that is no text.

    Raises:
        OutputError: it cannot be written.
    """
    with _stream(name) as stream:
        stream.write(content)


def write_parquet(name: str, csv_lines: Iterable[str], columns: Mapping[str, str]) -> None:
    """Write a Parquet file from the lines of a CSV file.

    Raises:
        OutputError: it cannot be written.
    """
    from semiaudit.data.parquet import parquet_from_csv

    with whole_file(name) as temporary, private_folder() as folder:
        between = os.path.join(folder, "rows.csv")
        write_lines(between, csv_lines)
        parquet_from_csv(between, temporary, columns)


def write_all(writers: Iterable[Callable[[], None]]) -> list[str]:
    """Write every file, whatever becomes of the others; returns what went wrong."""
    wrong = []
    for writer in writers:
        try:
            writer()
        except OutputError as error:
            wrong.append(str(error))
    return wrong


def _creation_mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class EarlierReports:
    """The files that ``-o`` names, as they are before a command runs.

    Whatever ends a command, and be it a wrong option, the names are among its arguments.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._before = {name: _state(name) for name in _named(arguments)}

    def forget(self, name: str) -> None:
        """Leave out a file that turned out to be no report, but an input."""
        self._before.pop(name, None)

    def left(self) -> list[str]:
        """Return the files that existed and were not written since."""
        return [name for name, state in self._before.items() if state and state == _state(name)]


def _named(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the file of every ``FORMAT=FILE``, however the option is written."""
    for option, following in zip(arguments, [*arguments[1:], ""], strict=False):
        value = following if option in ("-o", "--output") else ""
        if option.startswith(("-o", "--output=")):
            value = value or option.removeprefix("--output=").removeprefix("-o")
        yield value.partition("=")[2]


def _state(name: str) -> tuple[int, ...]:
    """Return what changes when a file is written; empty if there is no regular file."""
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return ()
    if not stat.S_ISREG(status.st_mode):
        return ()
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
