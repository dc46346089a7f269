"""Where reports go: standard output, and files that are written whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from semiaudit.errors import OutputError

FORMATS = ("text", "json", "markdown")


def parse_outputs(values: Sequence[str], spec: str | None = None) -> list[tuple[str, Path]]:
    """``FORMAT=FILE`` options, checked before any work is done.

    Raises:
        click.UsageError: an unknown format, a file named twice, the spec itself, or a place that
            cannot be written to.
    """
    outputs: list[tuple[str, Path]] = []
    for value in values:
        form, separator, name = value.partition("=")
        if not separator or not name or form not in FORMATS:
            formats = ", ".join(FORMATS)
            raise click.UsageError(f"-o {value}: write FORMAT=FILE, with a format of {formats}")
        path = Path(name)
        if path.is_dir() or not path.parent.is_dir():
            what = "is a directory" if path.is_dir() else "lies in no existing directory"
            raise click.UsageError(f"-o {value}: {name} {what}")
        if spec is not None and path.exists() and Path(spec).exists() and path.samefile(spec):
            raise click.UsageError(f"-o {value}: would overwrite the spec")
        if any(path.resolve() == other.resolve() for _, other in outputs):
            raise click.UsageError(f"-o {value}: {name} is named twice")
        outputs.append((form, path))
    return outputs


def write_atomically(path: Path, text: str) -> None:
    """Write a file whole, or leave what was there.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from None


def terminal() -> tuple[int, bool]:
    """The width to lay out for, and whether to use colours (NO_COLOR, FORCE_COLOR, TERM)."""
    interactive = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    color = bool(os.environ.get("FORCE_COLOR")) or interactive
    if os.environ.get("NO_COLOR"):
        color = False
    return shutil.get_terminal_size((80, 24)).columns, color
