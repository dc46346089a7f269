from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest

from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping import exchange as orders
from semiaudit.mechanisms.swapping.exchange import permuted
from tests.oracles.sampling import LEVEL, chi_square_p

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


def expected(size: int, deranged: bool) -> dict[tuple[int, ...], float]:
    every = permutations(range(size))
    return {o: 1.0 for o in every if not deranged or all(i != at for at, i in enumerate(o))}


def held(found: Sequence[tuple[int, ...]], size: int, deranged: bool) -> bool:
    law = expected(size, deranged)
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
    monkeypatch.setattr(orders, "KEY", 0)
    groups = np.repeat(np.arange(3_000) + (1 << 40), 3)
    order = permuted(groups, source, deranged=True)
    assert (groups[order] == groups).all()
    assert held(orders_of(groups, order), 3, True)


def test_one_member_has_no_derangement_and_one_permutation() -> None:
    with pytest.raises(ValueError, match="no derangement"):
        permuted(np.array([0, 1, 1]), Randomness(1), deranged=True)
    assert permuted(np.array([4]), Randomness(1)).tolist() == [0]
    assert permuted(np.array([], dtype=np.int64), Randomness(1), deranged=True).size == 0
