"""Options for any command: drawn from what the command line itself declares."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import click

from semiaudit.cli import cli
from semiaudit.report import PLOT_FORMS
from tests.fuzz.chance import Chance

Line = tuple[str, ...]

CHOSEN = frozenset({"--help", "--time-limit", "--output", "--format", "--memory-limit"})
"""Options that every case gives on purpose, or that would end it early."""

NOT_HERE = {
    "--executor": "needs a cluster, which tests/checking/test_dask.py starts",
    "--debug": "prints the traceback that is looked for",
    "--version": "does nothing else",
}
"""Options that no case has, and why."""

WORDS: dict[str, tuple[str, ...]] = {
    "policy": ("policy.yaml", "none.yaml"),
    "waivers": ("waivers.yaml", "none.yaml"),
    "baseline": ("earlier.json", "none.json"),
    "facts": ("facts.yaml",),
    "data": ("table.csv",),
    "spec": ("release.semiaudit.yaml",),
    "reports": ("reports",),
    "resume": ("journal", "reports"),
    "root": (".", ".."),
    "allow_engines": ("sqlite", "duckdb", "postgres", "none"),
    "pattern": ("*.txt", "*", "deep/*.yaml"),
    "sort": ("failures", "-rho", "path", "a", "none"),
    "ignore": ("SA001", "sa013", "SA999"),
    "today": ("2027-01-31", "2001-01-01"),
    "margins": ("sex", '"a b",sex', "none"),
    "count_column": ("count", "Freq", "none"),
    "example": ("starter", "example5_table", "none"),
    "target": ("mu=1", "epsilon=1", "rho=1/2", "epsilon=1,delta=1e-6", "mu=0"),
    "table": ("3,1,2,4", "1,2,3", "0,0,0,0"),
    "noisy_count": ("8.25", "-3", "1e9"),
    "margin": ("0", "5", "a,b"),
    "rates": ("0.1", "2"),
    "utility": ("sex", "region"),
}
"""Values of options that take a text, by their names; others take a number."""

GOES_WITH = {"utility": "--utility", "spec": "--design"}
"""Formats that are refused without an option."""

SPECIAL = ("nan", "-nan", "NaN", "inf", "-inf", "Infinity", "1e400", "-1e400", "-1")
"""Numbers that no option takes, but for negative noisy counts."""

NUMBERS = ("0.1", "1", "1e-6", "0.5", "3", "1/3", "0", "x", *SPECIAL)


@cache
def commands() -> dict[Line, click.Command]:
    """Every command by its words."""
    return dict(_commands(cli, ()))


def _commands(group: click.Group, words: Line) -> Iterator[tuple[Line, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _commands(command, (*words, name))
        elif command is not None:
            yield (*words, name), command


def flags(command: click.Command) -> dict[str, click.Option]:
    return {
        max(param.opts, key=len): param
        for param in command.params
        if isinstance(param, click.Option) and max(param.opts, key=len) not in NOT_HERE
    }


def choices(command: click.Command, flag: str) -> tuple[str, ...]:
    option = flags(command).get(flag)
    kind = option.type if option else None
    return tuple(map(str, kind.choices)) if isinstance(kind, click.Choice) else ()


def written_as(words: Line) -> tuple[str, ...]:
    """The formats that ``-o FORMAT=FILE`` of a command takes."""
    command = commands()[words]
    if "--output" not in flags(command) or flags(command)["--output"].metavar != "FORMAT=FILE":
        return ()
    found = choices(command, "--format")
    match words[-1]:
        case "analyze" | "compare" | "ablate":
            return (*found, *PLOT_FORMS)
        case "batch":
            return (*found, "parquet")
        case "calibrate":
            return (*found, "spec")
        case "sample":
            return ("csv", "parquet", "utility")
        case _:
            return found


def some_options(chance: Chance, words: Line, avoided: frozenset[str] = frozenset()) -> Line:
    """Some options of a command, with values that mostly fit."""
    known = flags(commands()[words])
    free = [flag for flag in known if flag not in CHOSEN | avoided]
    most = 1 if chance.often() else 3
    found: Line = ()
    for flag in chance.some(free, 0, most):
        found += (flag, *values(chance, known[flag]))
    return found


def values(chance: Chance, option: click.Option) -> Line:
    if option.is_flag:
        return ()
    return tuple(_value(chance, option) for _ in range(option.nargs))


def _value(chance: Chance, option: click.Option) -> str:
    kind = option.type
    if isinstance(kind, click.Choice):
        return str(chance.choice(kind.choices))
    if isinstance(kind, click.IntRange | click.FloatRange):
        if chance.rarely(10):
            return chance.choice(SPECIAL)
        low, high = kind.min or 0, kind.max
        numbers = [low, low + 1, low + 7, *([] if high is None else [high, high + 1])]
        if option.name in ("jobs", "kill_after"):
            numbers = [60, 100] if option.name == "kill_after" else [1]
        if option.name in ("tolerance",):
            numbers = [1e-9, 1e-3, 0.1]
        if option.name in ("draws", "runs"):
            numbers = [1, 3]
        return f"{chance.choice(numbers):g}"
    return chance.choice(WORDS.get(option.name or "", NUMBERS))


def outputs(chance: Chance, words: Line) -> Line:
    dear = GOES_WITH.keys() | set(PLOT_FORMS)
    forms = [form for form in written_as(words) if form not in dear or chance.rarely(6)]
    least = int("csv" in forms and "json" not in forms)  # samples go to files alone
    found: Line = ()
    for number, form in enumerate(chance.some(forms, least, 2)):
        found += ("-o", f"{form}=out{number}.{form}")
    return found


def printed_as(chance: Chance, words: Line) -> Line:
    """What goes to standard output; JSON more often than others."""
    forms = choices(commands()[words], "--format")
    if not forms or chance.rarely(8):
        return ()
    return ("--format", "json" if "json" in forms and chance.rarely(3) else chance.choice(forms))
