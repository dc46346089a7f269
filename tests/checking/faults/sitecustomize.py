"""Faults on purpose: with this folder on PYTHONPATH, the name of a spec says what befalls it."""

import ctypes
import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Timer
from typing import Any

from semiaudit.checking import gate, job, verdict
from semiaudit.checking.verdict import verdict_of
from semiaudit.library import report
from semiaudit.model.audit import Audit
from semiaudit.model.verdict import Verdict


def _hold(library: ctypes.CDLL) -> None:
    """Wait for what nobody writes, in C, where no signal is seen; this takes no processor."""
    for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.siginterrupt(number, False)
    library.read(os.pipe()[0], ctypes.create_string_buffer(1), 1)


def _half_sent(pipe: Connection, buffer: bytes) -> None:
    os.write(pipe.fileno(), buffer[: len(buffer) // 2])
    os.kill(os.getpid(), signal.SIGKILL)


def _faulty(path: str, **options: Any) -> Verdict:
    name = os.path.basename(path)
    if name.startswith("kill"):
        os.kill(os.getpid(), signal.SIGKILL)
    if name.startswith("slow"):
        while True:
            time.sleep(0.01)
    if name.startswith("stuck"):
        _hold(ctypes.PyDLL(None))  # with the lock of the interpreter
    if name.startswith("nap"):
        time.sleep(0.4)
    if name.startswith("bug"):
        raise ZeroDivisionError("on purpose")
    if name.startswith("torn"):
        setattr(Connection, "_send", _half_sent)  # noqa: B010 - no name that mypy knows
    found = verdict_of(path, **options)
    if name.startswith("mute"):  # with a verdict, and before it tells
        os.kill(os.getpid(), signal.SIGKILL)
    if name.startswith("changing"):
        with open(os.path.join(os.path.dirname(path), "rows.csv"), "a") as stream:
            stream.write("1,0\n")
    return found


def _interrupted(path: str, *rest: Any, **options: Any) -> Audit:
    name = os.path.basename(path)
    if name.startswith("wait"):  # and tell that it does
        with open(f"{path}.started", "w"):
            pass
        while True:
            time.sleep(0.05)
    if name.startswith("busy"):
        library = ctypes.CDLL(None)
        # A signal that came before the code in C would end the command at once.
        Timer(0.5, Path(f"{path}.started").touch).start()
        _hold(library)  # without the lock of the interpreter: other threads run
    if name.startswith("hungry"):
        held = []
        while True:
            held.append(bytearray(1 << 27))
    if name.startswith("unmapped"):
        raise ImportError("libscipy_openblas.so: failed to map segment from shared object")
    found: Audit = audit_file(path, *rest, **options)
    return found


vars(job)["verdict_of"] = vars(gate)["verdict_of"] = _faulty
audit_file = vars(verdict)["audit_file"]
vars(verdict)["audit_file"] = vars(report)["audit_file"] = _interrupted
