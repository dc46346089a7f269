"""Threads of the numerical libraries: one in each process of the program."""

from __future__ import annotations

import os

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
