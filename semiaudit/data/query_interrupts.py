"""Ends of queries: signals and deadlines end them in the engine, and errors say what happened.

A library may swallow what the handler of a signal raises and continue its query, so the handler
asks the engine itself to end it. A query returns to Python only when it is done, so a thread asks
the engine to end it at the deadline.
"""

from __future__ import annotations

import errno
import math
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from semiaudit import deadline

_under_way: list[Callable[[], object]] = []
"""How to end each query that may be under way, the last one last."""


PAUSE = 0.1
"""Seconds between two requests to end a query after the deadline: one may come between queries."""


@contextmanager
def interruptible(interrupt: Callable[[], object]) -> Iterator[None]:
    """Let ``interrupt_queries``, and the deadline in force, end what an engine does meanwhile.

    Args:
        interrupt: ends the query that is under way, if there is one; may be called from any thread.
    """
    _under_way.append(interrupt)
    try:
        with _interrupted_at_the_deadline(interrupt):
            yield
    finally:
        _under_way.remove(interrupt)


@contextmanager
def _interrupted_at_the_deadline(interrupt: Callable[[], object]) -> Iterator[None]:
    """End every query that is under way after the deadline; nothing once the context is left."""
    limit = deadline.current()
    if math.isinf(limit.left):
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while left := limit.left:
            if over.wait(left):
                return
        while not over.wait(PAUSE):
            interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()  # a connection that is closed cannot be interrupted


def interrupt_queries() -> None:
    """End every query that is under way; what handlers of signals call."""
    for interrupt in reversed(_under_way):
        interrupt()


_NO_ROOM = (
    "failed to map segment",
    "cannot allocate memory",
    "cannot apply additional memory protection",
    "can't start new thread",
    "allocation failure",
)
"""What the loader, the interpreter, and DuckDB say where address space is short."""

_UNREAD = re.compile(r"could not convert string to float: '[+-]?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?'")
"""A text that is a number: Python says so, too, where it has no room to work the number out."""


def raise_interrupt(error: BaseException) -> None:
    """Raise what ended a query if an error of DuckDB or SQLite says that it was interrupted.

    They swallow what the handler of a signal raised, and report it in their own ways.

    Raises:
        OutOfTimeError: the deadline in force ended it.
        KeyboardInterrupt: a signal ended it.
    """
    said = type(error) is RuntimeError or type(error).__name__ == "OperationalError"
    interrupted = said and "interrupted" in str(error).lower()
    if interrupted or type(error).__name__ == "InterruptException":
        deadline.check()
        raise KeyboardInterrupt from None


def raise_full_memory(error: BaseException) -> None:
    """Raise MemoryError where another error means that the memory is full.

    A library that cannot be loaded for it is an ImportError, a thread that cannot be started a
    RuntimeError, and a long number that Python has no room to read a ValueError.
    """
    speaks = isinstance(error, ImportError | RuntimeError | OSError)
    speaks |= type(error).__name__ == "OutOfMemoryException"  # DuckDB's, while it starts
    said = speaks and any(words in str(error).lower() for words in _NO_ROOM)
    full = isinstance(error, OSError) and error.errno == errno.ENOMEM
    unread = isinstance(error, ValueError) and _UNREAD.fullmatch(str(error))
    if said or full or unread:
        raise MemoryError from None
