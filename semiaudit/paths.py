"""The files that may be read: those in reach of a spec, and no pipes, devices or sockets."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

REMEDY = "keep it there, or name a folder that holds both with --root"


WRITE_IT = "write its output to a file, and name that"
"""The remedy for naming a pipe, as ``<(command)`` in a shell does."""

_KINDS = {
    stat.S_IFIFO: ("is a pipe, which may never end", WRITE_IT),
    stat.S_IFCHR: ("is a device, which may never end", "name a file"),
    stat.S_IFBLK: ("is a device", "name a file"),
    stat.S_IFSOCK: ("is a socket", "name a file"),
}
"""The fault of a file of a kind, and its remedy, by the kind in its mode."""

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Should a pipe take the place of a file just now, it is not waited for."""


class KindError(OSError):
    """A path names a pipe, a device or a socket.

    Attributes:
        strerror: what it is; an OSError of the system has its own there.
        remedy: what to do about it.
    """

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(None, what)
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.strerror}; {self.remedy}"


class OutsideError(ValueError):
    """A path that leads out of where it may lead; its text says so without naming the target."""


def path_inside(folder: str | Path, name: str, root: str = "") -> Path:
    """The path of a file that a spec names.

    Args:
        folder: the spec's own, which relative names are relative to.
        name: as the spec writes it.
        root: another folder in which the file may lie; empty for none.

    Returns:
        ``folder / name``, as people name it; resolved where it goes upwards, so that whether it
        can be opened tells nothing about folders on the way.

    Raises:
        OutsideError: with all links resolved, it lies in neither folder.
    """
    path = Path(folder) / name
    if not is_inside(path, folder) and not (root and is_inside(path, root)):
        raise OutsideError("leads out of the spec's folder" + (" and out of the root" * bool(root)))
    return Path(os.path.realpath(path)) if ".." in Path(name).parts else path


def is_inside(path: str | Path, folder: str | Path) -> bool:
    """Return whether a path lies in a folder, or is it, once all links of both are resolved.

    A path that cannot exist, with a NUL in it, lies nowhere.
    """
    try:
        real, inside = os.path.realpath(path), os.path.realpath(folder)
        return os.path.commonpath([real, inside]) == inside
    except ValueError:  # a NUL, or another drive
        return False


def wrong_kind(path: str | Path) -> KindError | None:
    """Return the error that a path names a pipe, a device, or a socket, without opening it.

    None for files and directories, and where nothing can be looked at.
    """
    try:
        return _wrong(os.stat(path).st_mode)
    except (OSError, ValueError):
        return None


def opened(path: str | Path) -> BufferedReader:
    """A file, open for reading its bytes.

    Raises:
        KindError: it is a pipe, a device or a socket, which is not opened.
        OSError, ValueError: it cannot be opened.
    """
    wrong = wrong_kind(path)
    if wrong is not None:
        raise wrong
    stream = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115 - the caller closes it
    wrong = _wrong(os.fstat(stream.fileno()).st_mode)
    if wrong is not None:  # it took the place of a file meanwhile
        stream.close()
        raise wrong
    return stream


def _wrong(mode: int) -> KindError | None:
    kind = _KINDS.get(stat.S_IFMT(mode))
    return None if kind is None else KindError(*kind)


def _open_without_waiting(name: str, flags: int) -> int:
    return os.open(name, flags | _NO_WAIT)
