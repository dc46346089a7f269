"""Early ends of a command: signals, which act as Ctrl-C does, and hard limits of time and memory.

The command cleans up in every case; the next start removes the files that killed runs left.
"""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING

from semiaudit.cli.options import MEGABYTE
from semiaudit.errors import SemiauditError
from semiaudit.private_folders import ENDING, remove_abandoned
from semiaudit.process import ONE_THREAD, interrupt, interrupt_queries, raise_after_imports

if TYPE_CHECKING:
    from semiaudit.checking.interruption import Stop


PATIENCE = 2.0
"""Seconds after a second signal at which a process that code in C keeps busy is ended."""

INTERRUPTED = 2
"""The exit code of a run over specs that was ended by a signal."""


@contextmanager
def cleaning_up() -> Iterator[None]:
    """Raise KeyboardInterrupt at a signal that would end this process at once.

    What killed runs and workers left in the temporary folder is removed, before and after.
    """
    folder = next((os.environ[n] for n in ("TMPDIR", "TEMP", "TMP") if os.environ.get(n)), "/tmp")
    remove_abandoned(folder)
    before = {}
    with suppress(ValueError):  # signals are the main thread's alone
        for number in (signal.SIGINT, *ENDING):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler, interrupt):
                before[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        remove_abandoned(folder)  # also of workers that had to be killed


@contextmanager
def stopping() -> Iterator[Stop]:
    """A run that a signal asks to end with what is finished; a second one ends the program.

    It does so also where code in C, such as a solver, keeps Python from noticing. A hangup that is
    ignored, as below ``nohup``, stays ignored.
    """
    from semiaudit.checking.interruption import Stop

    stop = Stop()
    signals = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signals.append(signal.SIGHUP)

    def ask(number: int, frame: FrameType | None) -> None:
        try:
            stop.ask()
        except KeyboardInterrupt:
            interrupt_queries()
            raise_after_imports(KeyboardInterrupt, frame)

    before = {number: signal.signal(number, ask) for number in signals}
    try:
        with _ended_at_the_second(signals):
            yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _ended_at_the_second(signals: list[signal.Signals]) -> Iterator[None]:
    """End this process some seconds after a second signal, if it has not ended by then.

    Python runs handlers between its own instructions; a thread gets their numbers at once.
    """
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    over = threading.Event()

    def watch() -> None:
        seen = 0
        while seen < 2:
            numbers = os.read(receiver, 64)
            if not numbers:
                return
            seen += sum(number in signals for number in numbers)
        if not over.wait(PATIENCE):
            os.write(2, b"interrupted twice; nothing more is written\n")
            os._exit(INTERRUPTED)

    before = signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        over.set()
        os.close(sender)
        watcher.join()
        os.close(receiver)


@contextmanager
def hard_limits(kill_after: float | None, memory_limit: int | None) -> Iterator[None]:
    """Bound the time of what is done meanwhile, and the memory of this process from now on.

    Args:
        kill_after: seconds of wall-clock time; None for no limit.
        memory_limit: megabytes of address space; None for no limit. Beyond it there is a
            MemoryError, which ``main`` reports.

    Raises:
        SemiauditError: the time is up. Where code in C keeps the process from noticing, the
            process is ended with the same message and exit code.
    """
    if kill_after is None and memory_limit is None:
        yield
        return
    from semiaudit.checking.confinement import (
        GRACE,
        TimeUp,
        bound_memory,
        deadline,
    )

    message = f"took longer than {kill_after or 0:g} s and was given up; raise --kill-after"
    watch = threading.Timer((kill_after or math.inf) + GRACE, _end, (message,))
    watch.daemon = True
    try:
        with ExitStack() as stack:
            if kill_after is not None:
                watch.start()
                stack.enter_context(deadline(kill_after, own_process=False))
            if memory_limit is not None:
                os.environ.update(ONE_THREAD)
                import_module("scipy.optimize")
                bound_memory(memory_limit * MEGABYTE)
            yield
    except TimeUp:
        raise SemiauditError(message) from None
    finally:
        watch.cancel()


def _end(message: str) -> None:
    os.write(2, f"{message}\n".encode())
    os._exit(SemiauditError.exit_code)
