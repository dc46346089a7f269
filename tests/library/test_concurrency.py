"""Audits in threads, beside an event loop, and in a process that is forked while others audit."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

import semiaudit

SPEC = """
semiaudit: 1
dataspace: {{attributes: {{a: 3, b: 2}}}}
invariants: [margin: [a]]
mechanism:
  compose:
    - laplace: {{scale: 2, shifts: [1, 1]}}
    - gaussian: {{sigma: {}, shifts: [1]}}
"""


def epsilon(sigma: int) -> float:
    """The audit of a composed loss, for which many objects compute properties."""
    audited = semiaudit.audit(semiaudit.Spec.from_text(SPEC.format(sigma)))
    return float(audited.semi_dp.epsilon(1e-6))


def test_threads_find_what_one_finds_alone() -> None:
    sigmas = [2, 3, 4]
    alone = [epsilon(sigma) for sigma in sigmas]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(epsilon, sigmas)) == alone
    assert alone == sorted(alone, reverse=True)


def test_an_event_loop_goes_on_during_an_audit_in_a_thread() -> None:
    async def both() -> tuple[float, int]:
        ticks = 0
        audit = asyncio.create_task(asyncio.to_thread(epsilon, 7))
        while not audit.done():
            await asyncio.sleep(0.005)
            ticks += 1
        return await audit, ticks

    found, ticks = asyncio.run(both())
    assert found == epsilon(7)
    assert ticks > 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_process_that_is_forked_while_a_thread_audits_can_audit() -> None:
    expected = epsilon(11)  # also loads all modules that it needs: an import holds a lock
    over = threading.Event()

    def keep_auditing() -> None:
        sigma = 100
        while not over.is_set():
            epsilon(sigma := sigma + 1)

    thread = threading.Thread(target=keep_auditing)
    thread.start()
    try:
        for _ in range(5):
            with warnings.catch_warnings(action="ignore"):  # newer versions warn of any fork
                child = os.fork()
            if not child:
                os._exit(0 if epsilon(11) == expected else 1)
            end = time.monotonic() + 60
            while (ended := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < end:
                time.sleep(0.01)
            if ended[0] == 0:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            assert ended == (child, 0)
    finally:
        over.set()
        thread.join()
