"""Requests from outside to end a run over many specs, passed on to the audits in progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Stop:
    """A request to end a run with what is finished.

    Attributes:
        asked: whether there was one.
    """

    def __init__(self) -> None:
        self.asked = False
        self._interruptible = False

    def __call__(self) -> bool:
        """Return whether the run must end."""
        return self.asked

    def ask(self) -> None:
        """Ask to end; what handlers of signals call.

        Raises:
            KeyboardInterrupt: an audit is under way in this process, or the run was asked before.
        """
        again, self.asked = self.asked, True
        if again or self._interruptible:
            raise KeyboardInterrupt

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Let a request interrupt what is done meanwhile, and one that came before as well.

        Raises:
            KeyboardInterrupt: the run is to end.
        """
        self._interruptible = True
        try:
            if self.asked:
                raise KeyboardInterrupt
            yield
        finally:
            self._interruptible = False
