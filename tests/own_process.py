"""Code that Python runs in a process of its own, with the program of this tree."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.places import ROOT


def run_python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a process printed that ran some code with some arguments, and ended well."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
