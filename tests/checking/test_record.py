"""Records come back from their text as they were, and nothing else comes back at all."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

from semiaudit.checking.record import record_of_text, text_of_record
from semiaudit.checking.verdict import verdict_of
from semiaudit.errors import Problem
from semiaudit.model.bound import Bound
from semiaudit.model.verdict import Verdict
from tests.places import SPECS


@pytest.mark.parametrize("folder", ["holds", "exceeds", "invalid"])
def test_every_verdict_on_the_example_specs_comes_back_equal(folder: str) -> None:
    for path in sorted((SPECS / folder).glob("*.yaml"))[:12]:
        verdict = verdict_of(path, time_limit=600)
        text = text_of_record(verdict)
        assert "\n" not in text
        assert record_of_text(Verdict, text) == verdict


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(10**400, 7), math.inf, -math.inf])
def test_a_bound_keeps_its_exact_value(value: Fraction | float) -> None:
    bound = Bound(value, "upper", "method", "source")
    assert record_of_text(Bound, text_of_record(bound)).value == value


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", '["a"]', '["a", 1, 1, "", "", "", 7]', "[" * 100_000],
)
def test_other_text_is_no_record(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        record_of_text(Problem, text)


def test_an_outcome_that_does_not_exist_is_refused() -> None:
    plain = json.loads(text_of_record(Verdict("a", "holds")))
    plain[1] = "green"
    with pytest.raises(ValueError, match="green"):
        record_of_text(Verdict, json.dumps(plain))
