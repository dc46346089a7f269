"""The number of threads of numpy and scipy, in processes of the program."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SHOW = "print(os.environ['OPENBLAS_NUM_THREADS'], os.environ['OMP_NUM_THREADS'])"


@pytest.mark.parametrize(("given", "expected"), [({}, "1 1"), ({"OMP_NUM_THREADS": "3"}, "1 3")])
def test_the_command_has_one_thread_unless_its_environment_sets_more(
    given: dict[str, str], expected: str
) -> None:
    code = (
        "import atexit, os, sys\n"
        f"atexit.register(lambda: {SHOW})\n"
        "sys.argv = ['semiaudit', '--version']\n"
        "from semiaudit.__main__ import main\n"
        "main()"
    )
    inherited = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**inherited, **given}, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == expected
