"""State of the whole process: signals that interrupt it, and threads of libraries.

A signal may come while the command imports modules or waits for a query. An exception that a
handler raises in the middle of an import may be swallowed, become an error of the library that is
imported, or abort the process: libraries in C do not expect it there. So it is raised as soon as
the import is done. In a destructor, Python ignores it, so it is raised after the destructor. A
library may also swallow it and continue its query, so the handler asks the engine itself to end the
query.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in ``semiaudit``
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_came: list[int] = []
"""The signals that interrupted the command, oldest first."""

queries: list[Callable[[], object]] = []
"""A function for each running query that ends it, the last query last."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """End queries, and raise KeyboardInterrupt; the handler of signals that interrupt a command."""
    interrupt_queries()
    _came.append(number)
    raise_after_imports(KeyboardInterrupt, frame)


def interrupt_queries() -> None:
    """End every query that is under way."""
    for end in reversed(queries):
        end()


def was_interrupted() -> bool:
    """Return whether a signal interrupted the command, whatever a library made of it."""
    return bool(_came)


def forget_interrupts() -> None:
    """Take no signal so far for one that interrupts what follows."""
    _came.clear()


def raise_after_imports(error: type[BaseException], frame: FrameType | None) -> None:
    """Raise an error in the main thread now or, during an import, when the import is done.

    Args:
        error: what to raise.
        frame: what the signal interrupted.
    """
    importing = _outermost_import(frame)
    if importing is not None:
        _raise_in(importing, error)
    else:
        _raise_again_if_ignored(error)
        raise error


def _raise_in(frame: FrameType, error: type[BaseException]) -> None:
    """Raise an error at the first line, return, or exception in a frame that waits now."""

    def raise_late(_: FrameType, event: str, argument: object) -> None:
        frame.f_trace = None
        sys.settrace(None)
        _raise_again_if_ignored(error)
        raise error

    frame.f_trace = raise_late
    sys.settrace(lambda frame, event, argument: None)


def _raise_again_if_ignored(error: type[BaseException]) -> None:
    """Raise an error once more if Python ignores it: after the destructor that it is raised in."""
    hook = sys.unraisablehook
    if not (isinstance(hook, _AfterDestructor) and hook.error is error):
        sys.unraisablehook = _AfterDestructor(error, hook)


class _AfterDestructor:
    """A hook that raises an ignored error later, and passes others on; a process keeps it."""

    def __init__(
        self, error: type[BaseException], before: Callable[[sys.UnraisableHookArgs], object]
    ) -> None:
        self.error, self.before = error, before

    def __call__(self, ignored: sys.UnraisableHookArgs) -> None:
        if ignored.exc_type is not self.error:
            self.before(ignored)
            return
        frame = sys._getframe(1)
        _raise_in(_outermost_import(frame) or frame, self.error)


def _outermost_import(frame: FrameType | None) -> FrameType | None:
    """The frame whose import is under way and that no other import waits for, if there is one."""
    outermost = None
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            outermost = frame.f_back
        frame = frame.f_back
    return outermost


ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""The environment in which numpy and scipy start no threads, set before they are loaded.

The matrices of an audit are small: more threads take up to twice the CPU time, and no audit ends
earlier. Their library also reserves address space for each thread as it loads, and tries for ever
where memory is bounded and there is too little.
"""


def use_one_thread() -> None:
    """Let numpy and scipy start no threads, unless the caller's environment sets how many."""
    for name, number in ONE_THREAD.items():
        os.environ.setdefault(name, number)


def exit_with(code: int) -> None:
    """Let this process end with a code, whatever code C gives to ``exit``; the last call counts.

    OpenBLAS ends the process with 1 if it has no memory, although nothing was audited. Where the
    C library cannot be asked, nothing changes.
    """
    import ctypes

    try:
        library = ctypes.CDLL(None)
        library["__cxa_atexit"](library["_exit"], ctypes.c_void_p(code), None)
    except (AttributeError, OSError, TypeError):
        return
