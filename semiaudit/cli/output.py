"""Output of reports: standard output, laid out for the terminal, and the files that -o names."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from semiaudit.cli.output_files import refusal_of
from semiaudit.errors import OutputError
from semiaudit.report import RENDERERS, VERDICT_RENDERERS
from semiaudit.report.text.shield import shielded
from semiaudit.report.text.symbols import ASCII_WORDS, encodable

if TYPE_CHECKING:
    from semiaudit.checking.discovery import Discovered

SPELLED = "semiaudit.spelled"
"""The name of the error handler that spells out what an encoding cannot show."""

FORMATS = tuple(RENDERERS)
VERDICT_FORMATS = tuple(VERDICT_RENDERERS)


class OverwriteError(click.UsageError):
    """A command would replace a file that it reads.

    Attributes:
        name: the file, as an option names it.
    """

    def __init__(self, form: str, name: str, what: str) -> None:
        super().__init__(f"{_option(form, name)}: {what}")
        self.name = name


def _option(form: str, name: str) -> str:
    return f"{form} {name}" if form.startswith("--") else f"-o {form}={name}"


def parse_outputs(
    values: Sequence[str], *inputs: str, formats: Sequence[str] = FORMATS
) -> list[tuple[str, str]]:
    """``FORMAT=FILE`` options, checked before any work is done.

    Args:
        inputs: files that are read, and must not be written; if they are specs, neither must the
            files that they name.

    Raises:
        click.UsageError: an unknown format, a file named twice, an input, or a place that
            cannot be written to.
    """
    outputs: list[tuple[str, str]] = []
    for value in values:
        form, separator, name = value.partition("=")
        if not separator or not name or form not in formats:
            format_names = ", ".join(formats)
            remedy = f"write FORMAT=FILE, with a format of {format_names}"
            ending = os.path.splitext(value)[1].removeprefix(".").lower()
            if not separator and ending in formats:
                remedy = f"write {ending}={value}"
            raise click.UsageError(f"-o {value}: {remedy}")
        if name == "-":
            what = "- is not a file, and standard output is for the report of --format"
            raise click.UsageError(f"-o {value}: {what}; use --format {form}, or name a file")
        folder = os.path.dirname(os.path.abspath(name))
        if os.path.isdir(name) or not os.path.isdir(folder):
            what = "is a directory" if os.path.isdir(name) else "is not in an existing directory"
            raise click.UsageError(f"-o {value}: {name} {what}")
        if refusal := refusal_of(name):
            raise click.UsageError(f"-o {value}: {name} {refusal}")
        outputs.append((form, name))
    spare(outputs, inputs)
    return outputs


def _identity(path: str) -> object:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def spare(written: Sequence[tuple[str, str]], read: Sequence[str]) -> None:
    """No file that a command writes may be another one that it writes or reads.

    Args:
        written: (format, path) of the files of ``-o``; (option, path) of the others.
        read: specs, which also read the files that they name, and other inputs.

    Raises:
        click.UsageError: one is.
    """
    if not written:
        return
    inputs, others = {_identity(path) for path in read}, dict[object, str]()
    for form, name in written:
        place = _identity(name)
        if place in inputs:
            raise OverwriteError(form, name, "would overwrite a spec or another input")
        if place in others:
            what = f"would be written twice, also by {others[place]}; name another one"
            raise click.UsageError(f"{_option(form, name)}: {what}")
        others[place] = _option(form, name)
    spare_named(written, read)


def spare_named(
    files: Sequence[tuple[str, str]], specs: Sequence[str], text: bytes | None = None
) -> None:
    """No report may replace a file that a spec names, such as its confidential data.

    A file that does not exist yet cannot be one, so that specs are seldom read for this.

    Args:
        files: as ``spare`` has them.
        text: the spec itself, if it is not in a file.

    Raises:
        OverwriteError: one would.
    """
    present = {_identity(name): (form, name) for form, name in files if os.path.exists(name)}
    if not present:
        return
    from semiaudit.spec.spec_files import files_named_in  # with YAML, which few starts need

    for spec in specs:
        for file in files_named_in(spec, text):
            if output := present.get(_identity(str(file))):
                what = f"would overwrite {file}, which {spec} names; name another file"
                raise OverwriteError(*output, what)


def skipped_text(discovery: Discovered) -> str:
    """Return which files a search skipped, as the end of a sentence that no spec was found."""
    skipped = "; ".join(f"{reason}: {len(names)}" for reason, names in discovery.skipped)
    return f" (skipped: {skipped})" if skipped else ""


def spell_out(error: UnicodeError) -> tuple[str, int]:
    """Return the ASCII words for characters that an encoding lacks, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error

    lacking = error.object[error.start : error.end]
    return "".join(ASCII_WORDS.get(character, "?") for character in lacking), error.end


codecs.register_error(SPELLED, spell_out)


def spell_on(*streams: object) -> None:
    """Make text streams spell out the characters that their encoding lacks."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=SPELLED)


def write_stdout(text: str) -> None:
    """Print a report, with ASCII words for symbols if the encoding of the output lacks them.

    A reader that stops early (``| head``) is not an error.

    Raises:
        OutputError: standard output is closed or cannot be written.
    """
    stream = sys.stdout
    if stream is None:
        raise OutputError("standard output: is closed")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=SPELLED)
    try:
        stream.write(_encodable(text, stream.encoding or "utf-8"))
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise OutputError(f"standard output: cannot be written ({error.strerror})") from None


def _encodable(text: str, encoding: str) -> str:
    try:
        text.encode(encoding)
    except (LookupError, UnicodeError):
        return encodable(text, encoding)
    return text


def write_stderr(text: str) -> None:
    """Say something on standard error; names in it are no commands to a build's log."""
    click.echo(shielded(text), err=True)


def _columns() -> int:
    """COLUMNS, or the terminal's width, or 80."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and len(columns) <= 5 and int(columns):
        return int(columns)
    if sys.__stdout__ is None:
        return 80
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80
    except (ValueError, OSError):
        return 80


def repository() -> str:
    """Return the root of the git repository that the working directory is in; empty if none."""
    top = os.getcwd()
    while not os.path.lexists(os.path.join(top, ".git")):
        top, below = os.path.dirname(top), top
        if top == below:
            return ""
    return top.replace(os.sep, "/")


def is_interactive() -> bool:
    """Return whether standard output is a terminal that shows more than lines of text."""
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def terminal() -> tuple[int, bool]:
    """The width to lay out for, and whether to use colors (NO_COLOR, FORCE_COLOR, TERM)."""
    color = bool(os.environ.get("FORCE_COLOR")) or is_interactive()
    if os.environ.get("NO_COLOR"):
        color = False
    return _columns(), color


def write_markdown(text: str) -> None:
    """Print Markdown: laid out on a terminal, and unchanged in a pipe.

    Raises:
        OutputError: standard output is closed or cannot be written.
    """
    if is_interactive():
        from rich.console import Console  # few need it
        from rich.markdown import Markdown

        width, color = terminal()
        console = Console(
            width=min(width, 100),
            force_terminal=color,
            color_system="standard" if color else None,
            legacy_windows=False,
        )
        with console.capture() as capture:
            console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=False))
        text = capture.get()
    write_stdout(text)
