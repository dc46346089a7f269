"""What a record of a kind leaves open is refused, and never allowed."""

from __future__ import annotations

from typing import Any

import pytest

from semiaudit.errors import Mark, RefusedError
from semiaudit.mechanisms.kind import NEIGHBORS, DatasetPairs, Deferred, Measures, MechanismKind
from semiaudit.model.frameworks import NAMES
from semiaudit.model.mechanism import Randomizer
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.mechanisms.fakes import ToldSpaces
from tests.mechanisms.strangers import StrangeRandomizer

PART = StrangeRandomizer(mark=Mark(6, 3))
SPACES = ToldSpaces()


class Silent(MechanismKind[Randomizer]):
    """A record that says no more than it must."""

    standard = "none"

    def loss(self, part: Randomizer, pairs: DatasetPairs, spaces: SensitivitySpaces) -> Measures:
        return ()


def test_a_record_without_a_loss_cannot_be_made() -> None:
    without_loss: Any = type("WithoutLoss", (MechanismKind,), {"standard": "none"})
    with pytest.raises(TypeError, match="loss"):
        without_loss()


@pytest.mark.parametrize("asked", [*NAMES, "disagreeing"])
def test_every_privacy_definition_is_refused(asked: Any) -> None:
    assert "no guarantee of strange is proven" in Silent().refusal(PART, asked, SPACES)


def test_nothing_else_is_known() -> None:
    kind = Silent()
    assert kind.projected(PART, SPACES) is None
    assert kind.needs_steps(PART)
    assert kind.specified_rho(PART) is None
    assert kind.spread(PART, SPACES) is None
    assert kind.remark(PART, NEIGHBORS, SPACES) == ""


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
