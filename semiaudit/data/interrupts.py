"""Signals and engines: a query is ended by one, and what stands behind a library's error is told.

A library may swallow what the handler of a signal raises and go on with its query, so the handler
asks the engine itself to end it.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_under_way: list[Callable[[], object]] = []
"""How to end each query that may be under way, the last one last."""


@contextmanager
def interruptible(interrupt: Callable[[], object]) -> Iterator[None]:
    """Let ``interrupt_queries`` end what an engine does meanwhile.

    Args:
        interrupt: ends the query that is under way, and nothing where there is none.
    """
    _under_way.append(interrupt)
    try:
        yield
    finally:
        _under_way.remove(interrupt)


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
    """Raise KeyboardInterrupt where an error of DuckDB or SQLite means that a signal ended a query.

    They swallow what the handler of the signal raised, and say so in their own ways.
    """
    said = type(error) is RuntimeError or type(error).__name__ == "OperationalError"
    interrupted = said and "interrupted" in str(error).lower()
    if interrupted or type(error).__name__ == "InterruptException":
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
