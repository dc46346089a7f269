"""The activity of a command and its duration, in a line of the terminal that goes away."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from semiaudit import progress

PAUSE = 0.1
"""Seconds between two looks at what is under way."""

PATIENCE = 0.3
"""Seconds before anything is shown: what is done by then needs no telling."""

_CLEAR = "\r\x1b[K"


class StatusLine:
    """One line on standard error, drawn by a thread of its own while another one computes."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.counted = ""
        self.lower: int | None = None
        self.upper: int | None = None
        self._begun = time.monotonic()
        self._ended = threading.Event()
        self._drawing = threading.Lock()
        self._shown = False
        self._thread = threading.Thread(target=self._draw, daemon=True)

    def reached(self, done: int, total: int) -> None:
        """Say before every stage how many of several things are done."""
        self.counted = f"{done} of {total} done · " if total > 1 else ""

    def doing(self, what: str) -> None:
        """Show another stage."""
        self.what, self.lower, self.upper = what, None, None

    def found(self, what: str) -> None:
        """Print what is known, above the line."""
        with self.hidden():
            _write(f"{what}\n")

    def narrowed(self, lower: int | None, upper: int | None) -> None:
        """Show an end of the interval, where it is a better one."""
        if lower is not None:
            self.lower = max(lower, self.lower or 0)
        if upper is not None:
            self.upper = upper if self.upper is None else min(upper, self.upper)

    def text(self) -> str:
        """The line as it stands."""
        seconds = int(time.monotonic() - self._begun)
        return f"{self.counted}{self.what}{self._interval()} · {seconds} s"

    def _interval(self) -> str:
        lower, upper = self.lower, self.upper
        if lower is None and upper is None:
            return ""
        if upper is None:
            return f": at least {lower}"
        return f": {lower or 0} to {upper}"

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Take the line away while something else is printed."""
        with self._drawing:
            if self._shown:
                _write(_CLEAR)
            yield

    def start(self) -> None:
        """Begin to draw."""
        self._thread.start()

    def end(self) -> None:
        """Take the line away."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _draw(self) -> None:
        wait = PATIENCE
        while not self._ended.wait(wait):
            wait = PAUSE
            with self._drawing:
                self._shown = _write(_CLEAR + self.text()[: _columns() - 1])
            if not self._shown:
                return
        if self._shown:
            _write(_CLEAR)


def _columns() -> int:
    with contextlib.suppress(ValueError, OSError):
        return max(os.get_terminal_size(sys.stderr.fileno()).columns or 80, 2)
    return 80


def _write(text: str) -> bool:
    """Write at once; False where there is nobody to read it any more."""
    try:
        sys.stderr.write(text.encode(sys.stderr.encoding, "replace").decode(sys.stderr.encoding))
        sys.stderr.flush()
    except (OSError, ValueError):
        return False
    return True


def on_a_terminal() -> bool:
    """Return whether standard error is a terminal that a person may read."""
    with contextlib.suppress(ValueError):
        return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return False


@contextmanager
def watching(what: str) -> Iterator[StatusLine]:
    """Show on a terminal what is under way, from now on; elsewhere nothing at all."""
    line = StatusLine(what)
    if not on_a_terminal():
        yield line
        return
    line.start()
    try:
        with progress.watched(line):
            yield line
    finally:
        line.end()
