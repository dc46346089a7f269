"""Rules of reviews: each has its place in the order, and a check that finds it."""

from __future__ import annotations

import re

from semiaudit.model.rules import registry_rules
from semiaudit.model.rules.registry_rules import REGISTRY_RULES
from tests.places import ROOT


def test_every_rule_of_a_review_is_found_by_a_check() -> None:
    ids = [f"SR{number:03}" for number in range(1, len(REGISTRY_RULES) + 1)]
    assert list(REGISTRY_RULES) == ids
    names = {value: name for name, value in vars(registry_rules).items() if value in ids}
    source = (ROOT / "semiaudit/commands/registry/review.py").read_text("utf-8")
    for rule in ids:
        assert len(re.findall(rf"\b{names[rule]}\b", source)) >= 2
