"""`semiaudit rule`: what a rule means and what to do, or the list of all rules."""

from __future__ import annotations

import click

from semiaudit.cli.output import write_markdown, write_stdout
from semiaudit.model.rules import RULES, no_rule
from semiaudit.model.rules.registry_rules import REGISTRY_RULES
from semiaudit.report.rule_pages import page_of


@click.command()
@click.argument("rule", metavar="[RULE]", required=False)
def rule(rule: str | None) -> int:
    """Print the page of RULE, such as SA013 or budget-exceeded; in a pipe, as Markdown.

    Without RULE, list the rules.
    """
    known = RULES | REGISTRY_RULES
    if rule is None:
        lines = (f"{one.id}  {one.level:7}  {one.title}\n" for one in known.values())
        write_stdout("".join(lines))
        return 0
    names = {one.name: one.id for one in known.values()}
    wanted = names.get(rule.lower(), rule.upper())
    if wanted not in known:
        raise click.UsageError(no_rule(rule, "`semiaudit rule` lists the rules", known.values()))
    write_markdown(page_of(known[wanted]))
    return 0
