"""``python -m semiaudit`` and the ``semiaudit`` command."""

from __future__ import annotations

import gc
import signal
import sys

from semiaudit.cli import interrupted
from semiaudit.cli import main as run
from semiaudit.private_folders import ENDING
from semiaudit.process import interrupt, use_one_thread


def main() -> None:
    """Run the command line and exit with its code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)  # before anything that takes long to import
    use_one_thread()
    gc.set_threshold(20_000)  # what a start imports stays, and is not looked through for garbage
    try:
        code = run()
    except KeyboardInterrupt:  # before or after what ``run`` catches itself
        code = interrupted(sys.argv[1:])

    for number in (signal.SIGINT, *ENDING):  # all is written: what comes now changes no code
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


if __name__ == "__main__":
    main()
