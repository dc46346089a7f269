"""The option ``--target``: a guarantee that noise has to meet."""

from __future__ import annotations

from collections.abc import Callable

import click

from semiaudit.cli.options import Decorator
from semiaudit.library.mechanisms import GDP, ZCDP, ApproxDP, Mechanism, PureDP
from semiaudit.library.targets import target_of

_TARGETS: dict[tuple[str, ...], Callable[..., Mechanism]] = {
    ("epsilon", "delta"): ApproxDP,
    ("epsilon",): PureDP,
    ("rho",): ZCDP,
    ("mu",): GDP,
}


def read_target(ctx: click.Context, param: click.Parameter, text: str | None) -> Mechanism | None:
    """A guarantee such as ``epsilon=2,delta=1e-5``; its numbers are read exactly."""
    if text is None:
        return None
    parts = text.split(",")
    given = dict(part.strip().partition("=")[::2] for part in parts)
    made = _TARGETS.get(tuple(given)) or _TARGETS.get(tuple(reversed(given)))
    if made is None or len(parts) > len(given):
        raise click.BadParameter(f"{text!r} is not such as epsilon=2,delta=1e-5, rho=1, or mu=1")
    try:
        goal = made(**{key: value.strip() for key, value in given.items()})
        target_of(goal)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return goal


def target_option(name: str, help_: str, *, required: bool = False) -> Decorator:
    """``--target NUMBERS``, under some name."""
    return click.option(
        "--target",
        name,
        metavar="NUMBERS",
        callback=read_target,
        required=required,
        help=f"{help_}: epsilon=2,delta=1e-5, epsilon=2, rho=1, or mu=1.",
    )
