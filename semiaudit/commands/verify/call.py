"""Call a function of the path of a dataset, and write what it returns as JSON.

A program for a process of its own, which imports nothing of this package: ``python -P call.py
IMPORT_PATH MODULE:NAME INPUT OUTPUT``.
"""

import json
import sys
from importlib import import_module
from typing import Any


def plain(result: Any) -> Any:
    """Return arrays and their numbers as plain lists and numbers."""
    return result.tolist() if hasattr(result, "tolist") else str(result)


if __name__ == "__main__":
    folder, target, source, output = sys.argv[1:]
    sys.path.insert(0, folder)
    module, _, name = target.partition(":")
    answer = getattr(import_module(module), name)(source)
    if isinstance(answer, float | int | str) or hasattr(answer, "tolist"):
        answer = [answer]
    with open(output, "w", encoding="utf-8") as file:
        json.dump(answer, file, default=plain)
