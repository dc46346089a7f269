"""What an incomplete report says: the true cause, in every format."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from semiaudit.library.report import Report, audit
from semiaudit.model.bound import CAUSES, REMEDIES, SENTENCES, joined
from semiaudit.model.rules import INCOMPLETE, RULES
from semiaudit.privacy.loss import refinement, tilted_product
from semiaudit.report.rule_pages import meaning_of
from tests.places import ROOT

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text("utf-8"))
LATTICE = {"discrete_laplace": {"scale": 3, "shifts": [1] * 40}}
GRID = {"compose": [{"laplace": {"scale": 1, "shifts": [1]}}, {"gdp": {"mu": 1.0625}}]}
NARROW = 1e-13
"""Of the size of the rounding of doubles."""


def report_of(mechanism: dict[str, Any], **options: Any) -> Report:
    spec = {
        "semiaudit": 1,
        "dataspace": {"unit": "person"},
        "mechanism": mechanism,
        "report": {"deltas": ["1e-3"], "alphas": ["0.05"]},
    }
    return audit(spec, **options)


@pytest.fixture
def short_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of the work on a grid is reached early."""
    for module in (refinement, tilted_product):
        monkeypatch.setattr(module, "GRID_POINTS", 1 << 15)


@pytest.mark.usefixtures("short_grids")
@pytest.mark.parametrize(
    ("mechanism", "options", "cause"),
    [
        (LATTICE, {"tolerance": NARROW}, "precision"),
        (GRID, {"tolerance": 1e-10}, "work limit"),
        (GRID, {"time_limit": 1e-9}, "time"),
    ],
)
def test_the_cause_is_named_as_text_and_as_json(
    mechanism: dict[str, Any], options: dict[str, float], cause: Any
) -> None:
    found = report_of(mechanism, **options)
    plain = found.as_dict()
    Draft202012Validator(SCHEMA).validate(plain)
    assert plain["complete"] is False
    assert plain["incomplete_because"] == [cause]
    text = found.render("text")
    assert f"INCOMPLETE: {SENTENCES[cause]}" in " ".join(text.split())
    (finding,) = [f for f in plain["findings"] if f["rule"] == "SA023"] or [None]
    assert finding is None or SENTENCES[cause] in finding["message"]


def test_a_complete_report_names_no_cause() -> None:
    plain = report_of(LATTICE).as_dict()
    Draft202012Validator(SCHEMA).validate(plain)
    assert plain["complete"] is True
    assert "incomplete_because" not in plain
    assert "INCOMPLETE" not in report_of(LATTICE).render("text")


def test_every_cause_has_a_sentence_and_a_remedy() -> None:
    assert set(SENTENCES) == set(REMEDIES) == set(CAUSES)


def test_causes_of_several_parts_are_named_once_in_one_order() -> None:
    assert joined(["precision"], [], ["time", "precision"]) == ("time", "precision")


def test_the_page_of_the_rule_has_every_cause() -> None:
    meaning = meaning_of(RULES[INCOMPLETE])
    assert all(sentence in meaning for sentence in SENTENCES.values())
