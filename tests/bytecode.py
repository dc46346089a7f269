"""A temporary cache of bytecode, for processes that may write none beside the sources."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path


def bytecode_in(folder: Path) -> Path:
    """Return the cache in a folder, which begins with the bytecode of all that is imported here.

    With a cache, Python looks for bytecode nowhere else. To compile numpy, scipy, and all others
    anew would take as long as twenty starts of the program.
    """
    cache = folder / "bytecode"
    with suppress(FileExistsError):  # another worker of the same run fills it
        cache.mkdir()
        for module in list(sys.modules.values()):
            compiled = getattr(getattr(module, "__spec__", None), "cached", None)
            if compiled and os.path.isfile(compiled):
                place, name = os.path.split(compiled)
                home = f"{cache}{os.path.dirname(place)}"
                os.makedirs(home, exist_ok=True)
                with suppress(FileExistsError):
                    os.symlink(compiled, os.path.join(home, name))
    return cache
