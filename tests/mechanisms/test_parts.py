"""What the parts of a release have in common."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.mechanisms.parts import have_common_pairs
from semiaudit.model.loss import GaussianLoss, PrivacyLoss
from semiaudit.model.measure import ZCDP, Measure, PureDP
from semiaudit.model.mechanism import Declared, Gaussian, Part
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
