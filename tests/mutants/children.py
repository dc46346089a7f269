"""A child process with limits, which answers with a mapping."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable
from typing import Any

MOST_SECONDS, MOST_SECONDS_OF_THE_CLOCK = 60, 1_200
MOST_BYTES = 8 << 30
"""What a child may take of the machine."""


def forked(work: Callable[[], dict[str, Any]], seconds: int) -> tuple[int, dict[str, Any], float]:
    """Work in a child, which may use so many seconds of the processor.

    Returns:
        How the child ended, what the work returned, and the seconds of the processor that it used.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        end = 3
        try:
            os.close(reading)
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
            os.write(writing, json.dumps(work()).encode())
            end = 0
        finally:
            if end:
                traceback.print_exc()
            os._exit(end)
    os.close(writing)
    said, until = b"", time.monotonic() + MOST_SECONDS_OF_THE_CLOCK
    while select.select([reading], [], [], max(0.0, until - time.monotonic()))[0]:
        part = os.read(reading, 1 << 16)
        if not part:
            break
        said += part
    else:
        os.killpg(child, signal.SIGKILL)
    os.close(reading)
    _, status, used = os.wait4(child, 0)
    answer: dict[str, Any] = json.loads(said) if said else {}
    return status, answer, used.ru_utime + used.ru_stime
