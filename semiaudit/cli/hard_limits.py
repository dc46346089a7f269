"""Hard limits of a command, set in its own process: what it may take is no matter of goodwill."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module

from semiaudit.cli.options import MEGABYTE
from semiaudit.errors import SemiauditError


@contextmanager
def hard_limits(kill_after: float | None, memory_limit: int | None) -> Iterator[None]:
    """Bound the time of what is done meanwhile, and the memory of this process from now on.

    Args:
        kill_after: seconds of wall-clock time; None for no limit.
        memory_limit: megabytes of address space; None for no limit. Beyond it there is a
            MemoryError, which ``main`` tells.

    Raises:
        SemiauditError: the time is up. Where code in C keeps the process from noticing, the
            process is ended with the same message and exit code.
    """
    if kill_after is None and memory_limit is None:
        yield
        return
    from semiaudit.checking.confinement import (
        GRACE,
        ONE_THREAD,
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
