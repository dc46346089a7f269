"""Commands that are run in this process, which saves each of them the start of another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import pytest

from semiaudit.cli import main


@contextmanager
def _caught(number: int) -> Iterator[IO[str]]:
    """All that is written to a descriptor, by the workers of a batch too."""
    with TemporaryFile("w+", encoding="utf-8", errors="backslashreplace") as stream:
        known = os.dup(number)
        os.dup2(stream.fileno(), number)
        try:
            yield stream
        finally:
            os.dup2(known, number)
            os.close(known)


def completed(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The exit code of ``semiaudit`` with some arguments, and all that was printed meanwhile."""
    sys.stdout.flush()
    sys.stderr.flush()
    with _caught(1) as out, _caught(2) as err:
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"):
                patch.delenv(name, raising=False)
            patch.chdir(cwd)
            code = main(arguments)
        texts = []
        for stream in (out, err):
            stream.flush()
            stream.seek(0)
            texts.append(stream.read())
    return subprocess.CompletedProcess(arguments, code, *texts)
