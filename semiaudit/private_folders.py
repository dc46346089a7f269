"""Private folders for data that do not fit in memory: locked while in use, and always removed.

Files that are to take the place of others are locked and removed likewise.

A run that is killed cannot clean up after itself. Its folders and files are then not locked, and
the next run that uses their directory removes them.
"""

from __future__ import annotations

import os
import re
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

ENDING = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)
)
"""Signals that end a process which does not handle them; Ctrl-C raises by itself."""

PREFIX = "semiaudit-spill-"
FILE_PREFIX = ".semiaudit-partial-"
NAME = re.compile(f"({re.escape(PREFIX)}|{re.escape(FILE_PREFIX)})[a-z0-9_]{{8}}")


@contextmanager
def private_folder() -> Iterator[str]:
    """Make a folder that only this user can read; at the end, it is removed with its content.

    Folders of killed runs are removed first.
    """
    import shutil
    import tempfile

    remove_abandoned(tempfile.gettempdir())
    name, lock = "", None
    try:
        with _undisturbed():
            name, lock = _locked()
        yield name
    finally:
        if name:
            shutil.rmtree(name, ignore_errors=True)
        if lock is not None:
            os.close(lock)


@contextmanager
def temporary_file(folder: str) -> Iterator[str]:
    """Make a file in a folder, to be renamed at the end; it is removed if that is not reached.

    Files that killed runs left there are removed first, once for each folder and process.

    Yields: its name.
    """
    folder = os.path.realpath(folder)
    if folder not in _swept:
        _swept.add(folder)
        remove_abandoned(folder)
    name, lock = "", None
    try:
        with _undisturbed():
            name, lock = _locked(folder)
        yield name
    except BaseException:
        if name:
            with suppress(FileNotFoundError):  # it has its new name already
                os.unlink(name)
        raise
    finally:
        if lock is not None:
            os.close(lock)


_swept: set[str] = set()
"""The folders from which this process removed what killed runs left."""


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Delay signals, so that no folder and no file is made without being recorded."""
    noted: list[int] = []
    before = {}
    with suppress(ValueError):  # only the main thread handles signals
        for number in (signal.SIGINT, *ENDING):
            if callable(signal.getsignal(number)):
                before[number] = signal.signal(number, lambda number, _: noted.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in noted:
            signal.raise_signal(number)


def _locked(folder: str | None = None) -> tuple[str, int | None]:
    """Return a new private folder, or a new file in ``folder``, and the descriptor of its lock.

    None without locks.
    """
    import tempfile  # costs milliseconds at every start, and is seldom needed

    while True:
        if folder is None:
            name = tempfile.mkdtemp(prefix=PREFIX)
        else:
            handle, name = tempfile.mkstemp(dir=folder, prefix=FILE_PREFIX)
            os.close(handle)
        lock = _lock(name, wait=True)
        if os.path.lexists(name):
            return name, lock
        if lock is not None:  # another run removed it as abandoned before it was locked
            os.close(lock)


def remove_abandoned(folder: str) -> None:
    """Remove the private folders and files of this user that no process has locked."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.path for entry in entries if NAME.fullmatch(entry.name)]
    except OSError:
        return
    for name in names:
        lock = _lock(name, wait=False) if _is_own(name) else None
        if lock is None:
            continue
        if os.path.isdir(name):
            import shutil

            shutil.rmtree(name, ignore_errors=True)
        else:
            with suppress(OSError):
                os.unlink(name)
        os.close(lock)


def _is_own(name: str) -> bool:
    """Return whether a name is a directory or a file of this user, and no link."""
    if not hasattr(os, "getuid"):  # not on this platform: nothing is swept there
        return False
    with suppress(OSError):
        status = os.lstat(name)
        kind = stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)
        return kind and status.st_uid == os.getuid()
    return False


def _lock(name: str, *, wait: bool) -> int | None:
    """Return an open descriptor with the lock of a folder or file; None if there is no lock."""
    try:
        import fcntl
    except ModuleNotFoundError:  # nor here
        return None
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
