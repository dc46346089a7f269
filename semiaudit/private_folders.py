"""Private folders for what does not fit the memory: locked while in use, and never left behind.

A run that is killed cannot clean up after itself. Its folders keep no lock then, and the next run
removes them.
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

NAME = re.compile(r"semiaudit-spill-[a-z0-9_]{8}")
PREFIX = "semiaudit-spill-"


@contextmanager
def private_folder() -> Iterator[str]:
    """A new folder that only this user can read, removed with all it holds at the end.

    What killed runs left is removed first.
    """
    import shutil
    import tempfile

    remove_abandoned(tempfile.gettempdir())
    name, lock = "", None
    try:
        with _undisturbed():
            name, lock = _locked_folder()
        yield name
    finally:
        if name:
            shutil.rmtree(name, ignore_errors=True)
        if lock is not None:
            os.close(lock)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Signals that come meanwhile come afterwards, so that no folder is made and not known of."""
    noted: list[int] = []
    before = {}
    with suppress(ValueError):  # signals are the main thread's alone
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


def _locked_folder() -> tuple[str, int | None]:
    """A new folder and the descriptor whose lock says that it is in use; None without locks."""
    import tempfile

    while True:
        name = tempfile.mkdtemp(prefix=PREFIX)
        lock = _lock(name, wait=True)
        if os.path.isdir(name):
            return name, lock
        if lock is not None:  # another run took it for abandoned before it was locked
            os.close(lock)


def remove_abandoned(folder: str) -> None:
    """Remove the private folders of this user that no process holds a lock of."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.path for entry in entries if NAME.fullmatch(entry.name)]
    except OSError:
        return
    for name in names:
        lock = _lock(name, wait=False) if _is_own(name) else None
        if lock is not None:
            import shutil

            shutil.rmtree(name, ignore_errors=True)
            os.close(lock)


def _is_own(name: str) -> bool:
    """Whether a name is that of a real directory that only this user may enter."""
    if not hasattr(os, "getuid"):  # not on this platform: folders are not swept there
        return False
    with suppress(OSError):
        status = os.lstat(name)
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return False


def _lock(name: str, *, wait: bool) -> int | None:
    """An open descriptor with the lock of a folder; None if it is taken or cannot be had."""
    try:
        import fcntl
    except ModuleNotFoundError:  # nor here
        return None
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
