"""`semiaudit rule`: what a rule means, and what to do."""

from __future__ import annotations

import click

from semiaudit.cli.output import write_stdout


@click.command(short_help="Print what a rule means and what to do.")
@click.argument("rule", metavar="RULE")
def rule(rule: str) -> int:
    """Print the page of RULE, such as SA013, in Markdown."""
    from semiaudit.model.registry_rules import REGISTRY_RULES
    from semiaudit.model.rules import RULES
    from semiaudit.report.rule_pages import page_of

    name = rule.upper()
    known = (*RULES, *REGISTRY_RULES)
    if name not in known:
        raise click.UsageError(f"there is no rule {rule}; there are {', '.join(known)}")
    write_stdout(page_of(name))
    return 0
