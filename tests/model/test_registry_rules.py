"""Rules of reviews: each has a page, a line of the index, and a check that finds it."""

from __future__ import annotations

import re

from semiaudit.model import registry_rules
from semiaudit.model.registry_rules import REGISTRY_RULES
from tests.places import ROOT

PAGES = ROOT / "docs" / "rules"


def test_every_rule_of_a_review_has_its_page_its_line_and_its_check() -> None:
    ids = [f"SR{number:03}" for number in range(1, len(REGISTRY_RULES) + 1)]
    assert list(REGISTRY_RULES) == ids
    assert {path.stem for path in PAGES.glob("SR*.md")} == set(ids)
    index = (PAGES / "README.md").read_text("utf-8")
    assert re.findall(r"^\| \[(SR\d{3})\]", index, re.MULTILINE) == ids
    names = {value: name for name, value in vars(registry_rules).items() if value in ids}
    source = (ROOT / "semiaudit/commands/registry/review.py").read_text("utf-8")
    for rule in REGISTRY_RULES.values():
        text = (PAGES / f"{rule.id}.md").read_text("utf-8")
        assert text.startswith(f"# {rule.id}: {rule.name}\n\n{rule.text} Level: {rule.level}")
        assert len(re.findall(rf"\b{names[rule.id]}\b", source)) >= 2
