"""Draws from exact probabilities: every stretch of random bits leads where it should."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.finite.finite_draws import Chances, FiniteNoiseDrawing
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.model.mechanism import FiniteNoise
from tests.oracles.finite import random_law
from tests.oracles.sampling import LEVEL, chi_square_p


class Counted(Randomness):
    """A source that gives one number after another, so that all of them can be gone through."""

    def __init__(self) -> None:
        super().__init__(0)
        self.asked = self.given = 0

    def below(self, end: int) -> int:
        self.asked, given = end, self.given
        self.given += 1
        return given


@pytest.mark.parametrize("seed", range(20))
def test_of_all_numbers_below_the_common_denominator_each_place_gets_its_share(seed: int) -> None:
    chance = random.Random(seed)
    law = random_law(chance, chance.randint(1, 6))
    source, chances = Counted(), Chances(law)
    found = Counter([chances.draw(source)])
    found.update(chances.draw(source) for _ in range(source.asked - 1))
    assert {at: Fraction(k, source.asked) for at, k in found.items()} == {
        at: share for at, share in enumerate(law) if share
    }


def test_each_count_is_drawn_by_its_own_law() -> None:
    laws = (
        (Fraction(0), Fraction(1)),
        (Fraction(1, 4), Fraction(3, 4)),
        (Fraction(1), Fraction(0)),
    )
    part = FiniteNoise((Fraction(-1), Fraction("0.5")), laws, 2)
    drawing = FiniteNoiseDrawing(part, 4)
    assert (drawing.of_answers, drawing.whole) == (True, False)
    rows = list(drawing.outputs((0, 1, 2, 3), 4_000, Randomness(5)))
    # Beyond the last row the last two repeat: the count 3 has the law of the count 1.
    assert {row[0] for row in rows} == {Fraction("0.5")}
    assert {row[2] for row in rows} == {1}
    for at, count in ((1, 1), (3, 3)):
        seen = [float(row[at]) for row in rows]
        assert chi_square_p(seen, {count - 1.0: 0.25, count + 0.5: 0.75}) > LEVEL
    assert list(drawing.outputs(None, 1, Randomness(0))) == [[Fraction("0.5")] * 4]


def test_values_without_a_finite_decimal_are_refused() -> None:
    part = FiniteNoise((Fraction(0), Fraction(1, 3)), ((Fraction(1, 2), Fraction(1, 2)),))
    with pytest.raises(RefusedError, match="no finite decimal expansion"):
        FiniteNoiseDrawing(part, 1)
