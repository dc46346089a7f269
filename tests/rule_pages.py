"""The pages of the rules for the site, and the messages in the texts of the rules.

    python -m tests.rule_pages

runs the example of every text, and writes the lines of the finding and the exit code into the text,
so that nobody copies a message by hand.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Iterable
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from semiaudit.cli import main
from semiaudit.model.rules import RULES, Rule
from semiaudit.model.rules.registry_rules import REGISTRY_RULES
from semiaudit.report.rule_pages import TEXTS, level_of, page_of
from tests.pages import steps

INDEX = """# The rules

Every finding names a rule. The ids are stable. `semiaudit rule` lists the rules, and
`semiaudit rule SA013` prints the page of one: what it means, what to do, and an example.

Every audit can find those of the audit. `semiaudit check --fail-on` sets the level from which they
fail, which is error by default. The others are rules of the [gate](../check.md). Those of level
error fail `semiaudit check` unless they are waived.

{rules}

## Of entries of the registry

`semiaudit registry review` finds these in an
[entry of the OpenDP deployments registry](../howto/publish-in-the-registry.md). `--fail-on` sets
the level from which they fail.

{registry_rules}
"""
_LAST = re.compile(r"(```console\n\$ [^\n]+\n)(?:(?!```).)*(```\n\nSee also)", re.DOTALL)


def pages() -> dict[str, str]:
    """Every page by the name of its file, the index among them."""
    found = {f"{rule.id}.md": page_of(rule) for rule in (RULES | REGISTRY_RULES).values()}
    rows = {"rules": _table(RULES.values()), "registry_rules": _table(REGISTRY_RULES.values())}
    return {"README.md": INDEX.format(**rows), **found}


def _table(rules: Iterable[Rule]) -> str:
    rows = [
        f"| [{rule.id}]({rule.id}.md) | {rule.name} | {level_of(rule)} | {rule.family} "
        f"| {rule.title} |"
        for rule in rules
    ]
    head = ["| rule | name | level | of the | says |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*head, *rows])


def run(line: str, *more: str) -> tuple[int, str]:
    """The exit code of a command line of a page, and what it prints on standard output."""
    program, *words = shlex.split(line)
    if program != "semiaudit":
        raise ValueError(f"{line} is not a command of this program")
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(StringIO()):
        code = main([*words, *more])
    return code, out.getvalue()


def _refresh(rule: Rule) -> None:
    """Write what the last command of the example prints of the rule into the rule's text."""
    path = TEXTS / f"{rule.id}.md"
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for step in steps(path, Path(folder)):
            code, printed = run(step.line)
    lines = [line.rstrip() for line in printed.splitlines()]
    starts = [n for n, line in enumerate(lines) if re.match(r" (error|warning|note|waived) ", line)]
    last_lines = [n for n, line in enumerate(lines) if line.endswith(f"{rule.id})")]
    ends = [n for n in last_lines if starts and n >= starts[0]]
    if not ends:
        raise ValueError(f"the example of {rule.id} does not print it:\n{printed}")
    first, last = max(n for n in starts if n <= ends[0]), ends[0] + 1
    shown = ["...", *lines[first:last], *["..."] * (last < len(lines))]
    shown += ["$ echo $?", str(code)] if code else []
    text = path.read_text("utf-8")
    found, number = _LAST.subn(lambda match: match[1] + "\n".join(shown) + "\n" + match[2], text)
    if number != 1:
        raise ValueError(f"{path.name} does not end with a command and its pages to see")
    path.write_text(found, "utf-8")


def refresh(rules: Iterable[str]) -> None:
    """Run the examples of some rules anew, and write what they print into the texts."""
    os.environ.pop("SEMIAUDIT_TODAY", None)
    for rule in rules:
        _refresh((RULES | REGISTRY_RULES)[rule])


if __name__ == "__main__":
    refresh(RULES | REGISTRY_RULES)
