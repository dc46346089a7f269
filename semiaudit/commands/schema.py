"""`semiaudit schema`: the JSON Schemas of what is read and what is printed."""

from __future__ import annotations

import json
from importlib import import_module
from operator import attrgetter
from typing import Any

import click

from semiaudit.cli.output import write_stdout

DOCUMENT = "DOCUMENT.schema"
SCHEMAS = {
    "spec": ("semiaudit.spec.json_schema", "spec_json_schema"),
    "policy": ("semiaudit.spec.json_schema", "policy_json_schema"),
    "waivers": ("semiaudit.spec.json_schema", "waivers_json_schema"),
    "report": ("semiaudit.report.form.to_json", DOCUMENT),
    "check": ("semiaudit.report.form.verdict_json", DOCUMENT),
    "batch": ("semiaudit.report.form.verdict_json", DOCUMENT),
    "convert": ("semiaudit.commands.convert.document", DOCUMENT),
    "compare": ("semiaudit.commands.compare.document", DOCUMENT),
    "ablate": ("semiaudit.commands.ablate.document", DOCUMENT),
    "verify": ("semiaudit.commands.verify.document", DOCUMENT),
    "odds_ratio": ("semiaudit.commands.odds_ratio.document", DOCUMENT),
    "sample": ("semiaudit.commands.sample.document", DOCUMENT),
    "calibrate": ("semiaudit.commands.calibrate.document", DOCUMENT),
    "review": ("semiaudit.commands.registry.document", DOCUMENT),
    "registry_entry": ("semiaudit.spec.registry.entry_schema", "entry_json_schema"),
    "reproduce": ("semiaudit.commands.reproduce.document", DOCUMENT),
}
"""The module and the function of every schema, by its name; ``batch --format json`` prints what
``check`` does."""


def schema_named(name: str) -> dict[str, Any]:
    """A JSON Schema by its name."""
    module, function = SCHEMAS[name]
    document: dict[str, Any] = attrgetter(function)(import_module(module))()
    return document


@click.command()
@click.argument("name", type=click.Choice(list(SCHEMAS)), metavar="[NAME]", default="spec")
def schema(name: str) -> int:
    """Print the JSON Schema of NAME.

    Editors use the schemas of a spec (the default), policy, and waivers. `report` is the JSON
    report of `analyze`; the others are the JSON output of the command of that name:

    batch, check, compare, ablate, convert, verify, odds_ratio, sample, calibrate, review,
    registry_entry, reproduce.
    """
    document = schema_named(name)
    write_stdout(json.dumps(document, indent=2, sort_keys=True) + "\n")
    return 0
