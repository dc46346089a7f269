"""`semiaudit analyze`: one audit, in full."""

from __future__ import annotations

import click

from semiaudit.cli.output import FORMATS, parse_outputs, terminal, write_atomically, write_stdout


@click.command(short_help="Audit one spec, in full.")
@click.argument("spec")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="What to print on standard output.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FORMAT=FILE",
    help="Write a report to a file too; may be given several times.",
)
def analyze(spec: str, form: str, outputs: tuple[str, ...]) -> int:
    """Audit SPEC: how far apart datasets with the same invariants are, and what the mechanism
    guarantees between them, beside the advertised and the other notions.

    Exits with 1 if a budget of the spec does not hold and with 2 if no guarantee can be stated.
    """
    files = parse_outputs(outputs, spec)
    from semiaudit.workflow.report import audit

    report = audit(spec)
    width, color = terminal()
    rendered = [(path, report.render(name)) for name, path in files]
    text = report.render(form, width=width, color=color)
    for path, content in rendered:
        write_atomically(path, content)
    write_stdout(text)
    if report.refusal:
        click.echo(f"{spec}: {report.refusal}; see the findings of the report", err=True)
    return report.exit_code
