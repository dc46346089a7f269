"""Limits of one audit in a worker process: its time, its memory, its parent."""

from __future__ import annotations

import ctypes
import faulthandler
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from multiprocessing.connection import wait
from types import FrameType

from semiaudit.process import raise_after_imports

GRACE = 2.0
"""Seconds after its limit at which a process that cannot be interrupted is ended."""


class TimeUp(BaseException):
    """An audit reached its wall-clock limit; handlers of ordinary errors may not swallow it."""


@contextmanager
def deadline(seconds: float, *, own_process: bool) -> Iterator[None]:
    """Raise TimeUp in this thread when the time is up.

    Args:
        own_process: this process serves nothing else: where code without a check for signals keeps
            it busy, it is ended some seconds later.
    """
    if threading.current_thread() is not threading.main_thread():
        with _asynchronous(seconds):
            yield
        return
    if not hasattr(signal, "setitimer"):  # not on this platform
        yield
        return

    ended = False

    def strike(number: int, frame: FrameType | None) -> None:
        nonlocal ended
        ended = True
        raise_after_imports(TimeUp, frame)

    before = signal.signal(signal.SIGALRM, strike)
    with ExitStack() as stack:
        if own_process:
            nowhere = stack.enter_context(open(os.devnull, "w"))
            faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=nowhere)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        except KeyboardInterrupt:  # what TimeUp becomes in a library that swallows it
            if ended:
                raise TimeUp from None
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if own_process:
                faulthandler.cancel_dump_traceback_later()
            signal.signal(signal.SIGALRM, before)


@contextmanager
def _asynchronous(seconds: float) -> Iterator[None]:
    thread = ctypes.c_ulong(threading.get_ident())
    lock = threading.Lock()
    over = False

    def strike() -> None:
        with lock:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(TimeUp))

    timer = threading.Timer(seconds, strike)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            over = True
        timer.cancel()


def prepare_worker(memory: int | None) -> None:
    """Make this process a worker: deaf to Ctrl-C, bounded in memory, gone with its parent.

    Args:
        memory: bytes of address space that it may use; None for no limit.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if memory is not None:
        bound_memory(memory)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def bound_memory(memory: int) -> None:
    """Let this process use so many bytes of address space at most, where the platform can."""
    if not find_spec("resource"):
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
