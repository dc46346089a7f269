"""Options and standard input, which several commands take: each has one form and one limit."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import click

from semiaudit.cli.output import spare_named
from semiaudit.errors import SemiauditError
from semiaudit.model.data_source import Access
from semiaudit.model.rules import RULES, no_rule
from semiaudit.numeric.rationals import rational_from_text

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

OUTPUT = "Also write a report to a file; repeatable."


def format_option(formats: Sequence[str]) -> Decorator:
    """``--format``, as ``form``: one of some formats, ``text`` by default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default="text",
        show_default=True,
        help="Format of the report on standard output.",
    )


def output_option(help_: str = OUTPUT) -> Decorator:
    """``-o FORMAT=FILE``, as ``outputs``; ``parse_outputs`` reads them."""
    return click.option(
        "-o", "--output", "outputs", multiple=True, metavar="FORMAT=FILE", help=help_
    )


Texts = tuple[str, ...]
ReadNumber = Callable[[click.Context, click.Parameter, str | None], Fraction | None]
ReadNumbers = Callable[[click.Context, click.Parameter, Texts], tuple[Fraction, ...]]


def number(least: str, inside: Callable[[Fraction], bool]) -> ReadNumber:
    """A callback that reads a number exactly, and says what is allowed.

    Args:
        least: the range in words, behind "give".
    """

    def read(ctx: click.Context, param: click.Parameter, text: str | None) -> Fraction | None:
        if text is None:
            return None
        try:
            value = rational_from_text(text)
        except ValueError as error:
            raise click.BadParameter(f"{text!r}: {error}", ctx, param) from None
        if not inside(value):
            raise click.BadParameter(f"{text} is out of range; give {least}", ctx, param)
        return value

    return read


def numbers(
    least: str, inside: Callable[[Fraction], bool], *, as_given: bool = False
) -> ReadNumbers:
    """Return the reader of an option that is given once for each number, without repeats.

    Args:
        as_given: keep the order of the options; else the numbers rise.
    """
    one = number(least, inside)

    def read(ctx: click.Context, param: click.Parameter, texts: Texts) -> tuple[Fraction, ...]:
        values = [one(ctx, param, text) for text in texts]
        distinct = dict.fromkeys(value for value in values if value is not None)
        return tuple(distinct) if as_given else tuple(sorted(distinct))

    return read


class NumberRange(click.FloatRange):
    """A range of numbers: no comparison with NaN holds, so that it would be inside any range."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return a number in the range; infinity is not in any."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


MEGABYTE = 1 << 20

LEAST_MEMORY = 512
"""Megabytes of address space: the smallest audit needs 350, most of them for libraries."""


def time_limit_option(help_: str) -> Decorator:
    """``--time-limit SECONDS`` of all that an audit computes: soft, it ends by itself."""
    return click.option(
        "--time-limit",
        type=NumberRange(min=0, min_open=True, max=1e6),
        default=60,
        show_default=True,
        metavar="SECONDS",
        help=help_,
    )


def tolerance_option() -> Decorator:
    """``--tolerance`` of composed losses."""
    return click.option(
        "--tolerance",
        type=NumberRange(min=1e-12, max=0.1),
        metavar="NUMBER",
        default=1e-6,
        show_default=True,
        help="Largest relative gap between the lower and upper bounds on ε of a composed loss.",
    )


def audit_options(time_limit: str) -> Decorator:
    """The limits, the tolerance, and the permissions of a command that audits.

    Args:
        time_limit: the help of ``--time-limit``.
    """
    limits = hard_limit_options(
        "Stop after this time with exit code 2, in every case. Default: no limit.",
        "Maximum address space of the process. Default: no limit.",
    )
    return together((time_limit_option(time_limit), limits, tolerance_option(), access_options()))


def hard_limit_options(kill_after: str, memory_limit: str) -> Decorator:
    """``--kill-after SECONDS`` and ``--memory-limit MB``, with their help."""
    options = (
        click.option(
            "--kill-after",
            type=NumberRange(min=0, min_open=True, max=1e7),
            metavar="SECONDS",
            help=kill_after,
        ),
        click.option(
            "--memory-limit", type=click.IntRange(min=LEAST_MEMORY), metavar="MB", help=memory_limit
        ),
    )
    return together(options)


ACCESS = ("root", "allow_engines", "show_values")
"""The parameters of ``access_options``."""


def access_options() -> Decorator:
    """``--root``, ``--allow-engine`` and ``--show-values``; ``access_of`` makes them one value."""
    options = (
        click.option(
            "--root",
            type=click.Path(exists=True, file_okay=False),
            metavar="DIR",
            help="Directory that a spec may also read files from, in addition to its own.",
        ),
        click.option(
            "--allow-engine",
            "allow_engines",
            multiple=True,
            metavar="NAME",
            help="Allow specs to read from this kind of database, such as duckdb; repeatable.",
        ),
        click.option(
            "--show-values",
            is_flag=True,
            help="Quote values of data files in messages, and print errors that are computed "
            "from them. Without it, messages give only the place.",
        ),
    )

    return together(options)


def together(options: Sequence[Decorator]) -> Decorator:
    """Return several options as one."""

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def access_of(given: Mapping[str, Any]) -> Access:
    """Return the access that the options of ``access_options`` allow.

    Raises:
        click.UsageError: an engine that this program does not know.
    """
    root = os.path.abspath(given["root"]) if given["root"] else ""
    try:
        return Access(root, given["allow_engines"], given["show_values"])
    except ValueError as error:
        raise click.UsageError(f"--allow-engine: {error}") from None


def shown_options() -> Decorator:
    """``--only-failures``, ``--ignore`` (see ``ignored_rules``), ``--verbose`` and ``--times``."""
    options = (
        click.option("--verbose", is_flag=True, help="List the skipped files by name."),
        click.option(
            "--only-failures",
            is_flag=True,
            help="Show only failures in text, Markdown, and annotations. The exit code does not "
            "change.",
        ),
        click.option(
            "--ignore",
            "ignore",
            multiple=True,
            metavar="RULE",
            help="Count the findings of this rule, but do not show them; repeatable. The exit "
            "code does not change.",
        ),
        click.option(
            "--times",
            is_flag=True,
            help="Add the run time of each spec to CSV, Parquet, and JUnit.",
        ),
    )
    return together(options)


def ignored_rules(rules: Sequence[str]) -> frozenset[str]:
    """The rules that ``--ignore`` names.

    Raises:
        click.UsageError: there is no rule of a name.
    """
    ids = [rule.upper() for rule in rules]
    for rule in ids:
        if rule not in RULES:
            why = no_rule(rule, "`semiaudit rule` lists the rules")
            raise click.UsageError(f"--ignore: {why}")
    return frozenset(ids)


def given_once(ctx: click.Context, param: click.Parameter, paths: Texts) -> str | None:
    """The file of an option that may be given once: of two, the last one would win unnoticed."""
    if len(paths) > 1:
        raise click.BadParameter("is given twice; use one file", ctx, param)
    return paths[0] if paths else None


def policy_option() -> Decorator:
    """``--policy FILE``."""
    return click.option(
        "--policy",
        type=click.Path(),
        multiple=True,
        callback=given_once,
        metavar="FILE",
        help="Check every spec against the budgets and minimum requirements in this file. A spec "
        "can only tighten them.",
    )


def pattern_option(help_: str) -> Decorator:
    """``--pattern GLOB``: a pattern that can match a name."""

    def read(ctx: click.Context, param: click.Parameter, glob: str | None) -> str | None:
        if glob == "" or "[" in re.sub(r"\[(?:!.|[^!])[^\]]*\]", "", glob or ""):
            what = "is empty" if not glob else "has a [ without ]; write [[] for the character ["
            raise click.BadParameter(f"{glob!r} {what}", ctx, param)
        return glob

    return click.option("--pattern", metavar="GLOB", callback=read, help=help_)


STANDARD_INPUT = "-"
"""The name of standard input, as a SPEC or a PATH, and in reports and messages."""


def spec_of_standard_input(files: Sequence[tuple[str, str]] = ()) -> bytes:
    """Return the bytes of standard input, up to one byte more than a spec may have.

    Args:
        files: (format, path) pairs that are written; no file that the spec names may be one.

    Raises:
        SemiauditError: it is closed, or cannot be read.
        click.UsageError: the spec names a file that would be overwritten.
    """
    from semiaudit.spec.yaml12 import MAX_BYTES

    if sys.stdin is None:
        raise SemiauditError(f"{STANDARD_INPUT}: standard input is closed; name a file")
    try:
        text = sys.stdin.buffer.read(MAX_BYTES + 1)
    except OSError as error:
        why = error.strerror or error
        raise SemiauditError(f"{STANDARD_INPUT}: standard input cannot be read ({why})") from None
    spare_named(files, (STANDARD_INPUT,), text)
    return text
