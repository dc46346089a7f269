"""The pages of rules, from the row of each rule and its text, which is read on demand."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from semiaudit.errors import SemiauditError
from semiaudit.model import rules
from semiaudit.model.rules import Rule, WaivedBy
from semiaudit.version import with_addresses

TEXTS = Path(rules.__file__).parent
"""The folder of the texts; each is the file ID.md."""


_WAIVER = "A [waiver](../../../docs/policy.md#waivers)"
_WAIVED: dict[WaivedBy, str] = {
    "nothing": "No waiver can accept it.",
    "a file": f"{_WAIVER} in a file can accept it.",
    "a file, up to a number": f"{_WAIVER} in a file can accept it, up to a number.",
    "a spec or a file": f"{_WAIVER} in the spec or in a file can accept it.",
    "a spec or a file, up to a number": f"{_WAIVER} in the spec or in a file can accept it, up to "
    "a number.",
}


def page_of(rule: Rule) -> str:
    """Return the page of a rule, in Markdown, with the addresses of the pages that it links to."""
    head = f"# {rule.id}: {rule.name}\n\n{rule.title} Level: {level_of(rule)}.\n\n"
    waived = f"{_WAIVED[rule.waived_by]}\n\n" if rule.family != "registry" else ""
    return with_addresses(head + waived + _text(rule.id), f"semiaudit/model/rules/{rule.id}.md")


def level_of(rule: Rule) -> str:
    """Return the level of a rule's findings, and the other level that they can have, if any."""
    return f"{rule.level}; {rule.varies}" if rule.varies else rule.level


def meaning_of(rule: Rule) -> str:
    """Return the meaning of a finding of a rule and why it matters, as plain text."""
    return _plain(_section(rule, "What it means"))


def advice_of(rule: Rule) -> str:
    """Return the advice on a finding of a rule, as plain text."""
    return _plain(_section(rule, "What to do"))


@cache
def _text(rule: str) -> str:
    return (TEXTS / f"{rule}.md").read_text(encoding="utf-8")


def _section(rule: Rule, heading: str) -> str:
    section = re.search(
        rf"^## {heading}\n\n(.+?)\n\n^## ", _text(rule.id), re.MULTILINE | re.DOTALL
    )
    if section is None:
        raise SemiauditError(f"the page of {rule.id} has no section {heading!r}")
    return section[1]


def _plain(markdown: str) -> str:
    """Return a section without marks: code and links as words, a paragraph on one line."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", markdown).replace("`", "")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
