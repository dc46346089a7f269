"""What moves of a hierarchy cost: rho by hand, delta against a sum over outcomes, refusals."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from semiaudit.errors import SpecError
from semiaudit.mechanisms.topdown.topdown_kind import measures_of_move
from semiaudit.model.loss import DiscreteGaussianLoss, PrivacyLoss
from semiaudit.model.measure import ZCDP
from semiaudit.model.topdown import NoisyQuery, Recode, SpineLevel, TopDown, TopDownQuery
from semiaudit.privacy.evaluate import delta_at
from semiaudit.spec.drafts.mechanism_text import mechanism_of_text
from tests.oracles.joint_noise import delta

SEX = Recode("sex", ("sex",))
NOISY = tuple(
    NoisyQuery(level, query, Fraction(rho, 4))
    for level, query, rho in ((0, 0, 1), (1, 0, 2), (1, 1, 1))
)
PART = TopDown(
    (SpineLevel("nation"), SpineLevel("town")),
    (TopDownQuery("sex", (SEX,)), TopDownQuery("total")),
    NOISY,
)
MOVE = ((1, 1), (2, 2), ())


def test_rho_is_half_the_squares_over_sigma_squared_and_equal_counts_are_one_pair() -> None:
    loss, zcdp = measures_of_move(PART, MOVE, attained=True)
    assert zcdp == ZCDP(Fraction(1, 4) + 4 * Fraction(1, 2))
    assert isinstance(loss, PrivacyLoss)
    assert loss.attained
    told = Counter(dict(loss.parts))
    assert told == {
        DiscreteGaussianLoss(1, Fraction(4)): 2,
        DiscreteGaussianLoss(2, Fraction(2)): 2,
    }


def test_delta_is_the_sum_over_outcomes() -> None:
    measures = measures_of_move(PART, MOVE, attained=True)
    parts = [("discrete_gaussian", noisy.sigma_squared, 1) for noisy in NOISY]
    for epsilon in (1, 3):
        found = float(delta_at(measures, Fraction(epsilon)))
        truth = float(delta(parts, MOVE, epsilon))
        assert truth * (1 - 1e-9) <= found <= truth * (1 + 1e-5)


def test_what_moves_nothing_loses_nothing() -> None:
    measures = measures_of_move(PART, ((), (), ()), attained=True)
    assert ZCDP(Fraction(0)) in measures


def test_without_a_dataspace_there_is_nothing_to_look_up() -> None:
    table = "[[level, query, rho], [US, a, 1]]"
    section = f"topdown: {{spine: [{{level: US}}], queries: {{a: a}}, allocation: {table}}}"
    with pytest.raises(SpecError, match="and so the dataspace of a spec"):
        mechanism_of_text(section, "hamming")


ONE = Fraction(1)


@pytest.mark.parametrize(
    ("noisy", "told"),
    [
        ((), "something is measured"),
        ((NoisyQuery(2, 0, ONE),), "one of the spine"),
        ((NoisyQuery(0, 5, ONE),), "one of the list"),
        ((NoisyQuery(0, 0, Fraction(0)),), "above 0"),
        ((NOISY[0], NOISY[0]), "measured once"),
    ],
)
def test_what_makes_no_sense_cannot_be_described(noisy: tuple[NoisyQuery, ...], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        TopDown(PART.spine, PART.queries, noisy)
