"""`semiaudit schema`: the JSON Schemas of what is read and what is printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from semiaudit.cli.output import write_stdout

Schema = dict[str, Any]


def _spec() -> Schema:
    from semiaudit.spec.json_schema import spec_json_schema

    return spec_json_schema()


def _policy() -> Schema:
    from semiaudit.spec.json_schema import policy_json_schema

    return policy_json_schema()


def _waivers() -> Schema:
    from semiaudit.spec.json_schema import waivers_json_schema

    return waivers_json_schema()


def _report() -> Schema:
    from semiaudit.report.to_json import report_json_schema

    return report_json_schema()


def _check() -> Schema:
    from semiaudit.report.verdict_json import check_json_schema

    return check_json_schema()


def _convert() -> Schema:
    from semiaudit.report.conversion_json import convert_json_schema

    return convert_json_schema()


def _compare() -> Schema:
    from semiaudit.report.comparison_json import compare_json_schema

    return compare_json_schema()


def _ablate() -> Schema:
    from semiaudit.report.ablation_json import ablate_json_schema

    return ablate_json_schema()


def _odds_ratio() -> Schema:
    from semiaudit.report.odds_ratio_json import odds_ratio_json_schema

    return odds_ratio_json_schema()


def _sample() -> Schema:
    from semiaudit.report.sample_json import sample_json_schema

    return sample_json_schema()


def _calibrate() -> Schema:
    from semiaudit.report.calibration_json import calibrate_json_schema

    return calibrate_json_schema()


def _review() -> Schema:
    from semiaudit.report.review_json import review_json_schema

    return review_json_schema()


def _registry_entry() -> Schema:
    from semiaudit.spec.registry.json_schema import entry_json_schema

    return entry_json_schema()


def _reproduce() -> Schema:
    from semiaudit.report.reproduction_json import reproduce_json_schema

    return reproduce_json_schema()


SCHEMAS: dict[str, Callable[[], Schema]] = {
    "spec": _spec,
    "policy": _policy,
    "waivers": _waivers,
    "report": _report,
    "check": _check,
    "batch": _check,
    "convert": _convert,
    "compare": _compare,
    "ablate": _ablate,
    "odds_ratio": _odds_ratio,
    "sample": _sample,
    "calibrate": _calibrate,
    "review": _review,
    "registry_entry": _registry_entry,
    "reproduce": _reproduce,
}
"""Every schema by its name; ``batch --format json`` prints what ``check`` does."""


@click.command(short_help="Print the JSON Schema of specs, reports and the like.")
@click.argument("name", type=click.Choice(list(SCHEMAS)), required=False)
@click.option("--output", "other", flag_value="report", help="The same as `schema report`.")
@click.option("--check", "other", flag_value="check", help="The same as `schema check`.")
def schema(name: str | None, other: str | None) -> int:
    """Print a JSON Schema: of a spec (the default), a policy or a file of waivers, for editors; of
    the JSON report of `analyze`, or of what `check` and `batch` print as JSON.
    """
    if name is not None and other is not None:
        raise click.UsageError(f"{name} and --{'output' if other == 'report' else other}: give one")
    found = SCHEMAS[name or other or "spec"]()
    write_stdout(json.dumps(found, indent=2, sort_keys=True) + "\n")
    return 0
