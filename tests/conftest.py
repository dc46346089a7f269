"""Signals that whoever runs the tests ignores are not ignored by the commands that they start."""

from __future__ import annotations

import signal

for _number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(_number) == signal.SIG_IGN:
        _interrupts = _number == signal.SIGINT
        signal.signal(_number, signal.default_int_handler if _interrupts else signal.SIG_DFL)
