"""``python -m semiaudit`` and the ``semiaudit`` command."""

from __future__ import annotations

import gc
import signal
import sys

from semiaudit.cli import main as run
from semiaudit.data.private import ENDING


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(20_000)  # what a start imports stays, and is not looked through for garbage
    code = run()
    for number in (signal.SIGINT, *ENDING):  # all is written: what comes now changes no code
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


if __name__ == "__main__":
    main()
