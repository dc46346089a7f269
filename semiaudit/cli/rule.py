"""`semiaudit rule`: what a rule means, and what to do."""

from __future__ import annotations

import click

from semiaudit.cli.output import write_stdout


@click.command(short_help="Print what a rule means and what to do.")
@click.argument("rule", metavar="RULE")
def rule(rule: str) -> int:
    """Print the page of RULE, such as SA013, in Markdown."""
    from semiaudit.model.rules import RULES
    from semiaudit.report.rule_pages import page_of

    name = rule.upper()
    if name not in RULES:
        raise click.UsageError(f"there is no rule {rule}; there are {', '.join(RULES)}")
    write_stdout(page_of(name))
    return 0
