from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest

from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping.coins import coins
from tests.oracles.sampling import LEVEL, chi_square_p

NUMBER = 20_000


class EveryWord(Randomness):
    """Every first byte once, then one second byte, and the largest digits after it."""

    def __init__(self, second: int) -> None:
        super().__init__(0)
        self._rounds = [np.arange(256), np.array([second])]

    def words(self, number: int) -> npt.NDArray[np.uint64]:
        bytes_of = self._rounds.pop(0) if self._rounds else np.array([255])
        assert bytes_of.size == number
        return bytes_of.astype(np.uint64) << np.uint64(56)


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(1, 100), Fraction(999, 1000)])
def test_coins_of_all_digits_fall_as_often_as_the_rational_probability_says(rate: Fraction) -> None:
    fell = sum(int(coins(rate, 256, EveryWord(k), word=8).sum()) for k in range(256))
    assert fell == rate * 256**2 // 1


def test_no_second_digit_is_asked_for_where_the_first_one_is_the_last() -> None:
    source = EveryWord(0)
    assert int(coins(Fraction(3, 4), 256, source, word=8).sum()) == 192
    assert int(coins(Fraction(1), 7, source).sum()) == 7


@pytest.mark.parametrize("word", [1, 5, 64])
@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(3, 5), Fraction(1, 50)])
def test_coins_have_their_law_whatever_the_length_of_a_word(rate: Fraction, word: int) -> None:
    fell = coins(rate, NUMBER, Randomness(1), word).tolist()
    assert chi_square_p(fell, {True: float(rate), False: float(1 - rate)}) > LEVEL
    pairs = list(zip(fell[::2], fell[1::2], strict=True))
    law = {True: float(rate), False: float(1 - rate)}
    assert chi_square_p(pairs, {(a, b): law[a] * law[b] for a in law for b in law}) > LEVEL


def test_the_operating_system_is_asked_without_a_seed() -> None:
    first, second = (coins(Fraction(1, 2), 200, Randomness()) for _ in range(2))
    assert (first != second).any()
