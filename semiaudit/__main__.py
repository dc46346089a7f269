"""``python -m semiaudit`` and the ``semiaudit`` command."""

from __future__ import annotations

import gc
import sys

from semiaudit.cli import main as run


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(20_000)  # what a start imports stays, and is not looked through for garbage
    sys.exit(run())


if __name__ == "__main__":
    main()
