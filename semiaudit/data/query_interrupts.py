"""Interrupts of queries: signals and deadlines end them in the engine, and errors give the cause.

The handler of a signal asks the engine to end a query (``semiaudit.process``). A query returns to
Python only when it is done, so a thread asks the engine to end it at the deadline.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from semiaudit import deadline, process
from semiaudit.errors import is_interrupt

PAUSE = 0.1
"""Seconds between two requests to end a query after the deadline: one can come between queries."""


@contextmanager
def interruptible(interrupt: Callable[[], object]) -> Iterator[None]:
    """Let signals, and the deadline in force, end the engine's work.

    Args:
        interrupt: ends the running query, if there is one; can be called from any thread.
    """
    process.queries.append(interrupt)
    try:
        with _interrupted_at_the_deadline(interrupt):
            yield
    finally:
        process.queries.remove(interrupt)


@contextmanager
def _interrupted_at_the_deadline(interrupt: Callable[[], object]) -> Iterator[None]:
    limit = deadline.current()
    if math.isinf(limit.left):
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while seconds := limit.left:
            if over.wait(seconds):
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


def raise_interrupt(error: BaseException) -> None:
    """Raise the cause if an error of an engine says that a query was interrupted.

    Raises:
        OutOfTimeError: the deadline in force ended it.
        KeyboardInterrupt: a signal ended it.
    """
    if type(error).__name__ == "QueryCanceled":  # of PostgreSQL, maybe by its own time limit
        deadline.check()
        if process.was_interrupted():
            raise KeyboardInterrupt from None
    if is_interrupt(error):
        deadline.check()
        raise KeyboardInterrupt from None
