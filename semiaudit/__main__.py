"""``python -m semiaudit`` and the ``semiaudit`` command."""

from __future__ import annotations

import signal
import sys

from semiaudit.process import exit_with, interrupt, use_one_thread


def main() -> None:
    """Run the command line and exit with its code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)  # before anything that takes long to import
    use_one_thread()
    try:
        import gc

        from semiaudit.cli import main as run

        gc.set_threshold(20_000)  # what a start imports stays, and is not looked through
        exit_with(2)
        code = run()
    except SystemExit as end:  # the script of a completion
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:  # before or after what ``run`` catches itself
        from semiaudit.cli import interrupted

        code = interrupted(sys.argv[1:])
    except SystemExit as ended:  # of click, behind the script that completes words in a shell
        code = int(ended.code or 0)

    from semiaudit.private_folders import ENDING

    for number in (signal.SIGINT, *ENDING):  # all is written: what comes now changes no code
        signal.signal(number, signal.SIG_IGN)
    exit_with(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
