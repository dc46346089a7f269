"""Progress of a computation: its stage, and an interval as it narrows.

A long computation reports its stage to the watcher in the context, so that no formula passes the
watcher on. Only commands set a watcher, and no result depends on a report.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Watcher(Protocol):
    """Receives the progress of a computation, from the thread that computes."""

    def doing(self, what: str) -> None:
        """A stage begins; an interval of the one before is no longer of interest."""

    def reached(self, done: int, total: int) -> None:
        """Note that ``done`` of ``total`` things are done; later stages belong to the next one."""

    def found(self, what: str) -> None:
        """A part of the answer is known, before all of it is."""

    def narrowed(self, lower: int | None, upper: int | None) -> None:
        """Note new bounds of the number that is computed; None: the bound is not new."""


_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Tell a watcher what is done meanwhile."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def doing(what: str) -> None:
    """Say which stage begins."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.doing(what)


def reached(done: int, total: int) -> None:
    """Say how many of several things are done."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.reached(done, total)


def found(what: str) -> None:
    """Name a part of the answer that is known before all of it is."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.found(what)


def narrowed(lower: int | None = None, upper: int | None = None) -> None:
    """Say what is known of the number that is looked for."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.narrowed(lower, upper)
