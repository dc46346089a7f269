"""What a record of a kind leaves open is refused, and never allowed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from semiaudit.errors import Mark, RefusedError, SpecError
from semiaudit.frameworks import AT_DISTANCE, FRAMEWORKS
from semiaudit.mechanisms.kind import DatasetPairs, Deferred, KnownLoss, MechanismKind
from semiaudit.model.audit import BUDGET_MEASURES, Level
from semiaudit.model.frameworks import FRAMEWORKS as NAMED
from semiaudit.model.frameworks import NAMES, PER_DISTANCE
from semiaudit.model.mechanism import Randomizer
from semiaudit.model.rules import RULES, WAIVABLE
from semiaudit.model.verdict import EXIT_CODES, NOTHING_TO_HOLD, PRECEDENCE, WORDS, Outcome
from semiaudit.report import FORMATS
from semiaudit.spec.policy.budget_schema import BudgetSection
from semiaudit.spec.policy.policy_reader import load_policy
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.gate.specs import spec
from tests.mechanisms.fakes import ToldSpaces
from tests.mechanisms.strangers import (
    MECHANISM_ARRIVALS,
    OTHER_ARRIVALS,
    STRANGERS,
    StrangeRandomizer,
    everything,
)
from tests.places import ROOT

PART = StrangeRandomizer(mark=Mark(6, 3))
SPACES = ToldSpaces()


class Silent(MechanismKind[Randomizer]):
    """A record that says no more than it must."""

    standard = "none"

    def loss(self, part: Randomizer, pairs: DatasetPairs, spaces: SensitivitySpaces) -> KnownLoss:
        return KnownLoss()


def test_a_record_without_a_loss_cannot_be_made() -> None:
    without_loss: Any = type("WithoutLoss", (MechanismKind,), {"standard": "none"})
    with pytest.raises(TypeError, match="loss"):
        without_loss()


@pytest.mark.parametrize("asked", [*NAMES, "disagreeing"])
def test_every_privacy_definition_is_refused(asked: Any) -> None:
    assert "no guarantee of strange is proven" in Silent().refusal(PART, asked, SPACES)


def test_nothing_else_is_known() -> None:
    kind = Silent()
    assert kind.has_steps
    assert kind.specified_rho(PART) is None
    assert kind.spread(PART, SPACES) is None


def test_a_part_is_not_sampled_and_the_refusal_has_its_place() -> None:
    with pytest.raises(RefusedError, match="strange is not noise") as refused:
        Silent().sampler(PART)
    (refusal,) = refused.value.refusals
    assert (refusal.line, refusal.column) == (6, 3)


def test_a_deferred_function_is_loaded_when_it_is_called() -> None:
    missing = Deferred("semiaudit.no_such_module", "function")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        missing()
    assert Deferred("math", "gcd")(12, 18) == 6


@pytest.mark.parametrize("place", list(MECHANISM_ARRIVALS))
@pytest.mark.parametrize("name", list(STRANGERS))
def test_a_mechanism_of_no_known_kind_is_refused_with_its_place(name: str, place: str) -> None:
    with pytest.raises(RefusedError) as caught:
        MECHANISM_ARRIVALS[place](STRANGERS[name])
    (refusal,) = caught.value.refusals
    assert refusal.message == f"{name} is not a known kind of mechanism"
    assert (refusal.path, refusal.line, refusal.column) == ("mechanism", 6, 3)


@pytest.mark.parametrize("place", [name for name in OTHER_ARRIVALS if name.endswith("framework")])
def test_a_budget_on_no_known_framework_is_refused_with_its_place(place: str) -> None:
    with pytest.raises(RefusedError, match="no guarantee of the name strange") as caught:
        OTHER_ARRIVALS[place]()
    (refusal,) = caught.value.refusals
    assert (refusal.path, refusal.line, refusal.column) == ("budgets", 6, 3)


@pytest.mark.parametrize(
    "place", [name for name in OTHER_ARRIVALS if not name.endswith("framework")]
)
def test_measures_formats_blocks_and_outcomes_of_no_known_kind_go_no_further(place: str) -> None:
    with pytest.raises((AssertionError, KeyError, ValueError), match=r"[sS]trange"):
        OTHER_ARRIVALS[place]()


def test_refusals_are_the_same_without_assertions() -> None:
    command = [sys.executable, "-O", "-m", "tests.mechanisms.strangers"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600
    )
    found = everything()
    assert json.loads(done.stdout) == found
    assert all(found.values())


def test_every_framework_is_named_once_and_states_something() -> None:
    assert tuple(NAMED) == NAMES == tuple(FRAMEWORKS)
    assert tuple(AT_DISTANCE) == PER_DISTANCE
    files = {path.stem for path in (ROOT / "semiaudit/frameworks").glob("*.py")}
    assert files - {"__init__", "context", "alternatives"} == set(NAMES)


def test_every_outcome_measure_and_level_has_its_entry_in_every_list() -> None:
    outcomes = set(get_args(Outcome))
    assert set(EXIT_CODES) == set(WORDS) == outcomes
    assert set(PRECEDENCE) == {*EXIT_CODES.values(), NOTHING_TO_HOLD}
    assert set(BUDGET_MEASURES) <= set(BudgetSection.model_fields)
    assert {rule.level for rule in RULES.values()} <= set(get_args(Level))
    assert set(WAIVABLE) <= set(RULES)


def test_every_format_renders_something() -> None:
    for name, form in FORMATS.items():
        assert form.audit or form.verdicts, name
        assert form.audit or not form.ending, name


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ("{framework: strange, rho: 1}", "strange is not one of nominal_dp, group_privacy"),
        ("{framework: semi_dp, strange: 1}", "strange is not a known key"),
    ],
)
def test_a_policy_that_names_what_is_not_known_is_refused_with_its_place(
    budget: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        load_policy(spec(tmp_path, f"semiaudit_policy: 1\nbudgets:\n  - {budget}\n"))
    assert caught.value.problems[-1].line == 3
