"""The kernel of swapping against the law that enumeration gives."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest

from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping import swapped_table as kernel
from semiaudit.mechanisms.swapping.swapped_table import Exchange, coins, exchange, permuted
from tests.oracles.exchange_law import exchange_law
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


STRATA = 6_000


def drawn(size: int, rate: Fraction, deranged: bool, reselection: bool) -> Exchange:
    sizes = np.full(STRATA, size)
    return exchange(
        sizes, rate, deranged=deranged, reselection=reselection, source=Randomness(size)
    )


def orders(found: Exchange, size: int) -> list[tuple[int, ...]]:
    own = found.order.reshape(STRATA, size) - size * np.arange(STRATA)[:, None]
    return list(map(tuple, own.tolist()))


@pytest.mark.parametrize("deranged", [True, False])
@pytest.mark.parametrize("reselection", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(1)])
def test_orders_have_the_law_that_enumeration_gives(
    rate: Fraction, size: int, reselection: bool, deranged: bool
) -> None:
    law = exchange_law(size, rate, deranged=deranged, reselection=reselection)
    found = orders(drawn(size, rate, deranged, reselection), size)
    assert set(found) <= set(law)
    if len(law) > 1:
        assert chi_square_p(found, {order: float(p) for order, p in law.items()}) > LEVEL


def test_a_test_of_fit_tells_the_variants_apart() -> None:
    found = orders(drawn(3, Fraction(1, 2), True, True), 3)
    for deranged, reselection in ((False, True), (True, False), (False, False)):
        law = exchange_law(3, Fraction(1, 2), deranged=deranged, reselection=reselection)
        assert chi_square_p(found, {order: float(p) for order, p in law.items()}) < LEVEL


def test_row_119_the_weights_of_three_distinct_records() -> None:
    """theory.md, row 119: identity (1-p)^3, transpositions p^2(1-p), 3-cycles p^3/2."""
    p = Fraction(1, 3)
    law = exchange_law(3, p, deranged=True, reselection=True)
    whole = 1 - 3 * p * (1 - p) ** 2
    assert law[0, 1, 2] == (1 - p) ** 3 / whole
    assert law[1, 0, 2] == law[2, 1, 0] == law[0, 2, 1] == p**2 * (1 - p) / whole
    assert law[1, 2, 0] == law[2, 0, 1] == p**3 / 2 / whole


@pytest.mark.parametrize(("size", "rate", "effective"), [(2, "1/10", 0.0122), (3, "1/2", 0.6)])
def test_row_120_the_share_of_selected_records(size: int, rate: str, effective: float) -> None:
    """theory.md, row 120: (p - p(1-p)^(n-1)) / (1 - np(1-p)^(n-1)), printed to four digits."""
    p = Fraction(rate)
    formula = (p - p * (1 - p) ** (size - 1)) / (1 - size * p * (1 - p) ** (size - 1))
    assert round(float(formula), 4) == effective
    law = exchange_law(size, p, deranged=True, reselection=True)
    moved = sum(w * sum(a != b for a, b in enumerate(order)) for order, w in law.items())
    assert moved / size == formula
    share = drawn(size, p, True, True).selected.mean()
    assert abs(share - effective) < 4 * (effective / STRATA) ** 0.5


def test_strata_of_one_stay_and_the_others_keep_to_themselves() -> None:
    sizes = np.random.default_rng(1).integers(0, 7, 3_000)
    strata = np.repeat(np.arange(sizes.size), sizes)
    found = exchange(sizes, Fraction(2, 5), deranged=True, reselection=True, source=Randomness(2))
    assert (strata[found.order] == strata).all()
    assert not found.selected[sizes[strata] == 1].any()
    assert ((found.order != np.arange(strata.size)) == found.selected).all()
    chosen = np.bincount(strata[found.selected], minlength=sizes.size)
    assert 1 not in chosen
    assert found.alone == 0
    assert found.selections >= found.reselected > 0


def test_one_selected_record_moves_nothing_without_reselection() -> None:
    found = drawn(2, Fraction(1, 2), False, False)
    chosen = found.selected.reshape(STRATA, 2)
    lonely = chosen.sum(axis=1) == 1
    assert found.alone == lonely.sum() > 0
    assert (found.reselected, found.selections) == (0, 0)
    moved = (found.order.reshape(STRATA, 2) != np.arange(2 * STRATA).reshape(STRATA, 2)).any(axis=1)
    assert not moved[lonely].any()
    assert moved.any()


def test_how_often_strata_are_selected_again_is_counted() -> None:
    """Of two records one is selected with 2p(1-p) = 1/2 in every round, so 1 more on average."""
    found = drawn(2, Fraction(1, 2), True, True)
    again = [True] * found.reselected + [False] * (STRATA - found.reselected)
    assert chi_square_p(again, {True: 0.5, False: 0.5}) > LEVEL
    assert abs(found.selections / STRATA - 1) < 4 * (2 / STRATA) ** 0.5


def test_nothing_at_all_is_exchanged_without_records() -> None:
    none = np.array([], dtype=np.int64)
    found = exchange(none, Fraction(1, 2), deranged=True, reselection=True, source=Randomness(1))
    assert found.order.size == found.reselected == found.selections == found.alone == 0


Integers = npt.NDArray[np.int64]


class Short(Randomness):
    """Words of so few values that equal ones are common."""

    def words(self, number: int) -> npt.NDArray[np.uint64]:
        return super().words(number) >> np.uint64(61) << np.uint64(61)


class Wide(Randomness):
    """Words whose low bits alone differ, which a key that is shared with a group cuts off."""

    def words(self, number: int) -> npt.NDArray[np.uint64]:
        return super().words(number) >> np.uint64(20)


def orders_of(groups: Integers, order: Integers) -> list[tuple[int, ...]]:
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    return [tuple(part - s) for part, s in zip(np.split(order, starts[1:]), starts, strict=True)]


def expected_orders(size: int, deranged: bool) -> dict[tuple[int, ...], float]:
    every = permutations(range(size))
    return {o: 1.0 for o in every if not deranged or all(i != at for at, i in enumerate(o))}


def held(found: Sequence[tuple[int, ...]], size: int, deranged: bool) -> bool:
    law = expected_orders(size, deranged)
    return set(found) <= set(law) and (len(law) == 1 or chi_square_p(found, law) > LEVEL)


@pytest.mark.parametrize("deranged", [True, False])
@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("source", [Randomness(1), Short(2), Wide(3)])
def test_every_permutation_of_a_group_is_equally_likely(
    source: Randomness, size: int, deranged: bool
) -> None:
    groups = np.repeat(np.arange(3_000), size)
    assert held(orders_of(groups, permuted(groups, source, deranged=deranged)), size, deranged)


def test_groups_of_all_sizes_keep_to_themselves() -> None:
    sizes = np.random.default_rng(4).integers(2, 9, 2_000)
    groups = np.repeat(np.arange(2_000) * 3, sizes)
    order = permuted(groups, Randomness(5), deranged=True)
    assert (groups[order] == groups).all()
    assert (np.sort(order) == np.arange(groups.size)).all()
    assert (order != np.arange(groups.size)).all()
    pairs = [found for found in orders_of(groups, order) if len(found) == 4]
    assert held(pairs, 4, True)


@pytest.mark.parametrize("source", [Randomness(6), Short(7), Wide(8)])
def test_groups_and_words_that_share_no_key_are_sorted_by_two(
    source: Randomness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "KEY", 0)
    groups = np.repeat(np.arange(3_000) + (1 << 40), 3)
    order = permuted(groups, source, deranged=True)
    assert (groups[order] == groups).all()
    assert held(orders_of(groups, order), 3, True)


def test_one_member_has_no_derangement_and_one_permutation() -> None:
    with pytest.raises(ValueError, match="no derangement"):
        permuted(np.array([0, 1, 1]), Randomness(1), deranged=True)
    assert permuted(np.array([4]), Randomness(1)).tolist() == [0]
    assert permuted(np.array([], dtype=np.int64), Randomness(1), deranged=True).size == 0
