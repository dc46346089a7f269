"""The options that several commands take, so that each has one form and one limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

OUTPUT = "Write a report to a file too; may be given several times."


def format_option(formats: Sequence[str]) -> Decorator:
    """``--format``, as ``form``: one of some formats, ``text`` unless told."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default="text",
        show_default=True,
        help="What to print on standard output.",
    )


def output_option(help_: str = OUTPUT) -> Decorator:
    """``-o FORMAT=FILE``, as ``outputs``; ``parse_outputs`` reads them."""
    return click.option(
        "-o", "--output", "outputs", multiple=True, metavar="FORMAT=FILE", help=help_
    )


def time_limit_option(help_: str) -> Decorator:
    """``--time-limit SECONDS`` of integer programs."""
    return click.option(
        "--time-limit",
        type=click.FloatRange(min=0, min_open=True, max=1e6),
        default=60,
        show_default=True,
        metavar="SECONDS",
        help=help_,
    )


def policy_option() -> Decorator:
    """``--policy FILE``."""
    return click.option(
        "--policy",
        type=click.Path(),
        metavar="FILE",
        help="Budgets and least demands that every spec is held to; a spec may only tighten them.",
    )
