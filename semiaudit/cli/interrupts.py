"""Signals end a command as Ctrl-C does, so that it cleans up; what killed runs left is removed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

from semiaudit.data.private import ENDING, remove_abandoned

if TYPE_CHECKING:
    from semiaudit.workflow.checking.interruption import Stop


@contextmanager
def cleaning_up() -> Iterator[None]:
    """Raise KeyboardInterrupt at a signal that would end this process at once.

    What killed runs and workers left in the temporary folder is removed, before and after.
    """
    folder = next((os.environ[n] for n in ("TMPDIR", "TEMP", "TMP") if os.environ.get(n)), "/tmp")
    remove_abandoned(folder)
    before = {}
    with suppress(ValueError):  # signals are the main thread's alone
        for number in ENDING:
            if signal.getsignal(number) == signal.SIG_DFL:
                before[number] = signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        remove_abandoned(folder)  # also of workers that had to be killed


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextmanager
def stopping() -> Iterator[Stop]:
    """A run that a signal asks to end with what is finished; a second one ends the program.

    A hangup that is ignored, as below ``nohup``, stays ignored.
    """
    from semiaudit.workflow.checking.interruption import Stop

    stop = Stop()
    signals = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signals.append(signal.SIGHUP)
    before = {number: signal.signal(number, lambda *_: stop.ask()) for number in signals}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
