"""`semiaudit schema`: the JSON Schemas of specs and reports."""

from __future__ import annotations

import json

import click

from semiaudit.cli.output import write_stdout


@click.command(short_help="Print the JSON Schema of specs or of reports.")
@click.option("--output", "of_output", is_flag=True, help="The schema of the JSON report instead.")
@click.option("--check", "of_check", is_flag=True, help="The schema of `check --format json`.")
def schema(of_output: bool, of_check: bool) -> int:
    """Print the JSON Schema of specs, for editors; with --output, that of the JSON report."""
    if of_check:
        from semiaudit.report.verdict_json import check_json_schema as found
    elif of_output:
        from semiaudit.report.to_json import report_json_schema as found
    else:
        from semiaudit.spec.json_schema import spec_json_schema as found

    write_stdout(json.dumps(found(), indent=2, sort_keys=True) + "\n")
    return 0
