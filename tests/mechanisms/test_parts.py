"""What the parts of a release have in common."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.mechanisms.mechanism_loss import loss_at
from semiaudit.mechanisms.noise import NoiseKind
from semiaudit.mechanisms.parts import have_common_pairs
from semiaudit.model.loss import GaussianLoss, PrivacyLoss
from semiaudit.model.measure import ZCDP, Measure, PureDP
from semiaudit.model.mechanism import Composition, Declared, Gaussian, Laplace, Part
from semiaudit.model.query import TableQuery

NOISE = Gaussian(Fraction(1), query=TableQuery())


def known(part: Part, *measures: Measure) -> tuple[Part, tuple[Measure, ...], int]:
    return part, measures, 1


def loss(*, attained: bool) -> PrivacyLoss:
    return PrivacyLoss(((GaussianLoss(Fraction(1)), 1),), attained=attained)


def test_one_pair_may_lose_less_for_several_parts_or_where_a_loss_is_only_a_bound() -> None:
    attained, bound = known(NOISE, loss(attained=True)), known(NOISE, loss(attained=False))
    nothing = known(NOISE, PureDP(Fraction(0)))
    assert not have_common_pairs([attained])
    assert not have_common_pairs([attained, nothing])
    assert have_common_pairs([bound])
    assert have_common_pairs([attained, attained])
    stated = known(Declared(ZCDP(Fraction(1))), ZCDP(Fraction(1)))
    assert not have_common_pairs([stated, stated])
    assert have_common_pairs([attained, stated])


def test_the_loss_of_many_parts_ends_in_time_and_that_of_a_few_is_stated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts, loss_of_one = [], NoiseKind.loss

    def slow(*arguments: Any) -> Any:
        parts.append(arguments)
        return loss_of_one(*arguments)

    monkeypatch.setattr(NoiseKind, "loss", slow)
    spaces: Any = None  # not used for shifts

    def loss_of(number: int) -> Any:
        noises = (Laplace(Fraction(k + 1), shifts=(Fraction(1),)) for k in range(number))
        mechanism = Composition(tuple((noise, 1) for noise in noises))
        with deadline.running(10, clock=lambda: len(parts)):
            return loss_at(mechanism, 1, "D", spaces, steps=True)

    assert loss_of(20).measures
    parts.clear()
    with pytest.raises(OutOfTimeError):
        loss_of(1_000)
    assert len(parts) <= 200
