"""The command line: the only code that prints, exits, or looks at the terminal."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click

from semiaudit.cli.help import HelpfulCommand
from semiaudit.cli.interrupts import cleaning_up
from semiaudit.cli.output import OverwriteError, spell_on, write_stderr
from semiaudit.cli.output_files import EarlierReports
from semiaudit.errors import (
    SemiauditError,
    SpecError,
    is_interrupt,
    one_line,
    system_fault,
)
from semiaudit.frozen import dataclass
from semiaudit.process import forget_interrupts, was_interrupted
from semiaudit.version import __version__

AUDIT, MECHANISMS, PUBLISH, TRUST, HELP = "Audit", "Mechanisms", "Publish", "Trust", "Help"
"""The sections of the help, in their order."""


@dataclass(frozen=True, slots=True)
class CommandLocation:
    """The location of a command.

    Attributes:
        section: of the help.
        summary: its line in the help, which is shown without the command being loaded.
        module: has the function of the command, itself or in its module ``command``; empty if it
            has the name of the command.
    """

    section: str
    summary: str
    module: str = ""


class LazyGroup(click.Group):
    """Commands that are names until they are asked for.

    Attributes:
        places: every command by its name, in the order of the help.
    """

    def __init__(self, *, places: Mapping[str, CommandLocation], **attributes: Any) -> None:
        self.places = places
        names = {name: click.Command(name) for name in places}
        super().__init__(commands=names, **attributes)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name; None if there is none.

        Raises:
            click.UsageError: another word has to come before the name, which is that of a spec, or
                of a command of a group.
        """
        if cmd_name in self.places:
            return self.loaded(cmd_name)
        if cmd_name.endswith((".yaml", ".yml")) and self is cli:
            what = f"{cmd_name} is not a command; run `semiaudit analyze {cmd_name}`"
            raise click.UsageError(what, ctx)
        if self is cli:
            for name, _ in _every_command(self):
                if name.endswith(f" {cmd_name}"):
                    what = f"{cmd_name} is not a command; run `semiaudit {name}`"
                    raise click.UsageError(what, ctx)
        return None

    def loaded(self, name: str) -> click.Command:
        """The command of a name in ``places``."""
        function = name.replace("-", "_")
        module = import_module(self.places[name].module or f"semiaudit.commands.{function}")
        if hasattr(module, "__path__"):
            module = import_module(f"{module.__name__}.command")
        command: click.Command = getattr(module, function)
        if type(command) is click.Command:
            command.__class__ = HelpfulCommand
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their short help, a list for each section."""
        for section in dict.fromkeys(place.section for place in self.places.values()):
            with formatter.section(section):
                formatter.write_dl(
                    [
                        (name, place.summary)
                        for name, place in self.places.items()
                        if place.section == section
                    ]
                )


GROUPS = "semiaudit.cli.groups"
"""The module of the groups of commands."""

NO_AUDIT = "No such command 'audit'"
"""The beginning of click's message that there is no command of the name that people try first."""

INTERNAL_ERROR = 4
INTERRUPTED = 130
NOT_AUDITED = {"batch": SemiauditError.exit_code, "check": SemiauditError.exit_code}
"""Commands that end otherwise when they are interrupted: what they did not reach is unaudited."""


COMMANDS: dict[str, CommandLocation] = {
    "analyze": CommandLocation(AUDIT, "Audit one spec, in full."),
    "check": CommandLocation(
        AUDIT, "Check specs against their budgets, for continuous integration."
    ),
    "batch": CommandLocation(AUDIT, "Audit every spec under a directory."),
    "compare": CommandLocation(AUDIT, "Compare releases: which guarantee is stronger."),
    "ablate": CommandLocation(AUDIT, "Compare a spec with and without each of its invariants."),
    "convert": CommandLocation(
        AUDIT, "Show the guarantee of a mechanism in every privacy measure."
    ),
    "mechanism": CommandLocation(MECHANISMS, "Design noise, sample from it, test with it.", GROUPS),
    "registry": CommandLocation(
        PUBLISH, "Write and review entries of the OpenDP registry.", GROUPS
    ),
    "reproduce": CommandLocation(
        PUBLISH, "Recompute published numbers and figures, and compare them."
    ),
    "verify": CommandLocation(TRUST, "Test whether code does what a spec says, by running it."),
    "init": CommandLocation(
        HELP, "Write a commented spec: a starter, for your data, or an example."
    ),
    "glossary": CommandLocation(HELP, "Explain a term, with an example, or list the terms."),
    "rule": CommandLocation(HELP, "Print what a rule means and what to do, or list the rules."),
    "schema": CommandLocation(HELP, "Print the JSON Schema of specs, reports, and other files."),
}
"""Every command by its name, in the order of the help; a module is loaded when it is asked for."""


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "--version", prog_name="semiaudit")
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
def cli(debug: bool) -> None:
    """Audit the privacy guarantee of a release that publishes noisy statistics and exact counts.

    Start with `semiaudit init`, then `semiaudit analyze spec.yaml`.

    Exit codes: 0 passed; 1 failed (a budget or a finding); 2 error (there is no audit); 3 no
    budget, or nothing to audit; 4 internal error; 130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; nothing but the report goes to stdout."""
    # no plugin of another package reads along, nor is every package searched for one at a start
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    arguments = sys.argv[1:] if arguments is None else arguments
    spell_on(sys.stdout, sys.stderr)
    reports = EarlierReports(arguments)
    code = _code(arguments, reports)
    for name in reports.left():
        write_stderr(f"{one_line(name)}: was not written; it is from an earlier run")
    return code


def _code(arguments: Sequence[str], reports: EarlierReports) -> int:
    try:
        with cleaning_up():
            result = cli.main(list(arguments), prog_name="semiaudit", standalone_mode=False)
        code = result if isinstance(result, int) else 0
    except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001 - the last line of defence
        if isinstance(error, OverwriteError):
            reports.forget(error.name)
        if not was_interrupted():
            return _failed(error, arguments)
    return interrupted(arguments) if was_interrupted() else code


def _failed(error: BaseException, arguments: Sequence[str]) -> int:
    match error:
        case SpecError():
            write_stderr(_problems(error))
            return error.exit_code
        case SemiauditError():
            write_stderr(str(error))
            return error.exit_code
        case click.exceptions.Exit():
            return error.exit_code
        case click.ClickException():
            shown = io.StringIO()
            error.show(shown)
            write_stderr(_in_words(shown.getvalue().rstrip("\n")) + _elsewhere(error))
            return 2
        case click.Abort() | KeyboardInterrupt():
            return interrupted(arguments)
    if is_interrupt(error):
        return interrupted(arguments)
    if fault := system_fault(error):
        write_stderr("; ".join(fault))
        return SemiauditError.exit_code
    if "--debug" in arguments:
        traceback.print_exception(error)
    kind = type(error).__name__
    write_stderr(f"internal error: {kind}: {error} (see `semiaudit --debug ...`; please report it)")
    return INTERNAL_ERROR


def _problems(error: SpecError) -> str:
    """Return the problems of a spec with the lines at which they are, and their number."""
    texts = []
    for problem in error.problems:
        texts.append(f"error: {problem}")
        texts += [f"  {line}" for line in error.quote(problem) or ()]
    number = len(error.problems)
    if number > 1:
        texts.append(f"{number} errors. Fix them, and run the command again.")
    return "\n".join(texts)


def _in_words(text: str) -> str:
    text = text.replace("is not a valid float range.", "is not a number.")
    return text.replace("is not a valid integer range.", "is not a whole number.")


def _elsewhere(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption):
        context = click.Context(cli)
        having = [
            f"`{name}`"
            for name, load in _every_command(cli)
            if any(error.option_name in option.opts for option in load().get_params(context))
        ]
        stop = "" if error.format_message().endswith((".", "?", ")")) else "."
        return f"{stop} It is an option of {', '.join(having[:3])}." if having else ""
    if isinstance(error, click.UsageError) and error.message.startswith(NO_AUDIT):
        return " Use `analyze` for one spec, or `check` to compare specs with their budgets."
    return ""


def _every_command(
    group: LazyGroup, before: str = ""
) -> Iterator[tuple[str, Callable[[], click.Command]]]:
    """The name of every command that is not a group, after those of its groups; what loads it."""
    for name, place in group.places.items():
        load = partial(group.loaded, name)
        if place.module != GROUPS:
            yield f"{before}{name}", load
        elif isinstance(inner := load(), LazyGroup):
            yield from _every_command(inner, f"{before}{name} ")


def interrupted(arguments: Sequence[str]) -> int:
    """Say that a command was interrupted, and return its exit code."""
    forget_interrupts()
    click.echo("interrupted", err=True)
    command = next((word for word in arguments if not word.startswith("-")), "")
    return NOT_AUDITED.get(command, INTERRUPTED)
