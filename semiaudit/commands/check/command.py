"""`semiaudit check`: the gate for continuous integration."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from semiaudit.cli.interrupts import hard_limits, stopping
from semiaudit.cli.options import (
    STANDARD_INPUT,
    NumberRange,
    access_of,
    access_options,
    format_option,
    given_once,
    hard_limit_options,
    ignored_rules,
    output_option,
    pattern_option,
    policy_option,
    shown_options,
    spec_of_standard_input,
    time_limit_option,
)
from semiaudit.cli.output import (
    VERDICT_FORMATS,
    parse_outputs,
    repository,
    spare,
    terminal,
    write_stderr,
    write_stdout,
)
from semiaudit.cli.output_files import write_all, write_text
from semiaudit.cli.status_line import watching
from semiaudit.errors import OutputError
from semiaudit.model.verdict import exit_code_of_run
from semiaudit.report import VERDICT_RENDERERS, Layout

if TYPE_CHECKING:
    from semiaudit.model.policy import FailOn
    from semiaudit.model.verdict import Verdict


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(), metavar="PATH...")
@format_option(VERDICT_FORMATS)
@output_option()
@policy_option()
@click.option(
    "--waivers",
    type=click.Path(),
    multiple=True,
    metavar="FILE",
    help="File of accepted exceptions; repeatable.",
)
@click.option(
    "--baseline",
    type=click.Path(),
    multiple=True,
    callback=given_once,
    metavar="REPORT",
    help="Earlier JSON report. Fail if a guarantee is weaker than in this report.",
)
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "never")),
    default="error",
    show_default=True,
    help="Lowest level of a finding that fails. Failed budgets and gate rules always fail.",
)
@click.option(
    "--near-limit",
    type=NumberRange(min=0, max=100),
    default=5,
    show_default=True,
    metavar="PERCENT",
    help="Report budgets that pass this close to their limit.",
)
@pattern_option("Also audit files in a directory with these names.")
@click.option(
    "--staged",
    is_flag=True,
    help="For a git hook: audit the specs in PATH that git tracks, if a staged file affects one. "
    "Refuse those that differ from what is staged.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of processes. With 1, no other process is started.",
)
@time_limit_option("Time limit for each spec.")
@hard_limit_options(
    "Stop the run after this time with exit code 2, in every case. Default: no limit.",
    "Maximum address space of each process. Default: no limit.",
)
@click.option(
    "--today", envvar="SEMIAUDIT_TODAY", hidden=True, help="The day waivers are judged on."
)
@shown_options()
@access_options()
@click.pass_context
def check(
    context: click.Context,
    /,
    paths: tuple[str, ...],
    form: str,
    outputs: tuple[str, ...],
    policy: str | None,
    waivers: tuple[str, ...],
    baseline: str | None,
    fail_on: FailOn,
    near_limit: float,
    pattern: str | None,
    staged: bool,
    jobs: int,
    time_limit: float,
    kill_after: float | None,
    memory_limit: int | None,
    today: str | None,
    **given: Any,
) -> int:
    """Audit specs, and check each one against its budgets.

    PATH is a spec, or a directory that is searched for YAML files with the key `semiaudit`. Use -
    as the only PATH to read one spec from standard input. With --staged, the default PATH is the
    working directory.

    Exit codes: 0 all specs passed; 1 a spec failed; 2 error; 3 no budget, or nothing to audit.
    Ctrl-C prints the results so far, with exit code 2.
    """
    paths = paths or ((os.curdir,) if staged else ())
    if not paths:
        raise click.UsageError("Missing argument 'PATH...'.")
    if STANDARD_INPUT in paths and (len(paths) > 1 or staged):
        raise click.UsageError(
            "-: standard input cannot be combined with files or --staged; check the files in "
            "another run"
        )
    day = _day(today)
    read = (*waivers, *(name for name in (policy, baseline) if name is not None))
    files = parse_outputs(outputs, *paths, *read, formats=VERDICT_FORMATS)
    access, ignored = access_of(given), ignored_rules(given["ignore"])
    debug = bool(context.parent and context.parent.params.get("debug"))

    from semiaudit.checking.gate import check as checked
    from semiaudit.checking.gate import gate_options, refuse_other_baseline
    from semiaudit.commands.check.run import audits_of_run, no_specs_text, specs_of_run

    with stopping() as stop:
        with watching("starting") as line, hard_limits(kill_after, memory_limit):
            # No audit and exit code 0 is right only here: no staged file can change a result. Every
            # other run without a spec ends with exit code 3.
            discovery = specs_of_run(paths, pattern, access.root, read if staged else None)
            if discovery is None:
                write_stderr(
                    "nothing to check: no staged file is a spec, its data, a policy, waivers, or "
                    "a baseline"
                )
                return 0
            gate = gate_options(
                policy=policy,
                waivers=waivers,
                baseline=baseline,
                margin=Fraction(str(near_limit)) / 100,
                today=day,
                debug=debug,
                fail_on=fail_on,
            )
            if baseline is not None:
                refuse_other_baseline(discovery, gate, baseline)
            standard_input = None
            if paths == (STANDARD_INPUT,):
                with stop.interrupting():
                    standard_input = spec_of_standard_input(files)
            # Before any audit: a report that would replace a spec or its data is refused while both
            # are unchanged.
            spare(files, discovery.specs)
            reached: list[Verdict] = []

            def each(verdict: Verdict) -> None:
                reached.append(verdict)
                line.reached(len(reached), len(discovery.specs))

            line.doing("auditing")
            line.reached(0, len(discovery.specs))
            verdicts = checked(
                discovery,
                time_limit=time_limit,
                gate=gate,
                access=access,
                each=each,
                audits=audits_of_run(
                    min(jobs, len(discovery.specs)),
                    time_limit,
                    memory_limit,
                    access,
                    stop,
                    standard_input,
                ),
            )
            line.end()
            for verdict in verdicts:
                if verdict.outcome == "internal":
                    write_stderr(verdict.trace or str(verdict.problems[0]))
            width, color = terminal()
            plain = Layout(
                root=os.getcwd().replace(os.sep, "/"),
                repository=repository(),
                incomplete=len(reached) < len(discovery.specs),
                skipped=discovery.skipped,
                verbose=given["verbose"],
                ignored=ignored,
                only_failures=given["only_failures"],
                times=given["times"],
            )
            # Everything is rendered before anything is written, so that a failure leaves no output
            # of only some formats.
            rendered = [(path, VERDICT_RENDERERS[name](verdicts, plain)) for name, path in files]
            text = VERDICT_RENDERERS[form](verdicts, replace(plain, width=width, color=color))
        wrong = write_all(partial(write_text, path, content) for path, content in rendered)
        if wrong:
            raise OutputError("\n".join(wrong))
        write_stdout(text)
        if not verdicts:
            write_stderr(no_specs_text(paths, pattern, discovery, staged=staged))
        return exit_code_of_run(verdicts)


def _day(text: str | None) -> date:
    if text is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise click.UsageError(f"--today {text}: write a date such as 2027-01-31") from None
