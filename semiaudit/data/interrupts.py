"""What stands behind a library's error: a signal that ended its work, or a memory that is full."""

from __future__ import annotations

import errno

_NO_ROOM = (
    "failed to map segment",
    "cannot allocate memory",
    "cannot apply additional memory protection",
    "can't start new thread",
)
"""What the loader and the interpreter say where address space is short."""


def raise_interrupt(error: BaseException) -> None:
    """Raise KeyboardInterrupt where an error of DuckDB means that a signal ended a query.

    DuckDB swallows what the handler of the signal raised, and says so in its own way.
    """
    interrupted = type(error) is RuntimeError and "interrupted" in str(error).lower()
    if interrupted or type(error).__name__ == "InterruptException":
        raise KeyboardInterrupt from None


def raise_full_memory(error: BaseException) -> None:
    """Raise MemoryError where another error means that the memory is full.

    A library that cannot be loaded for it is an ImportError, and a thread that cannot be started a
    RuntimeError.
    """
    said = isinstance(error, ImportError | RuntimeError | OSError) and any(
        words in str(error).lower() for words in _NO_ROOM
    )
    full = isinstance(error, OSError) and error.errno == errno.ENOMEM
    if said or full:
        raise MemoryError from None
