"""The oracle of toy censuses: by hand, against another oracle, and what it finds at random."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import pytest

from tests.oracles.discrete_gaussian import delta_of_discrete_gaussian
from tests.oracles.topdown import (
    Block,
    Moves,
    Pair,
    Query,
    Spine,
    chosen,
    law_of,
    pairs,
    random_spine,
    rho_of,
    worst_epsilon,
    worst_rho,
)

DELTA = Fraction(1, 10**6)
ALONE = ((0, 0), (0, 0))
WHOLE = ((0, 1), (0, 1))


def toy(*queries: Query) -> Spine:
    """One block in state A, two in the two halves of state B."""
    blocks: tuple[Block, ...] = (
        ("us", "a", "a.0", "a.0.0"),
        ("us", "b1", "b1.0", "b1.0.0"),
        ("us", "b2", "b2.0", "b2.0.0"),
    )
    return Spine(blocks, {"a": "A", "b1": "B", "b2": "B"}, (2, 2), queries)


def histogram(level: str, rho: Fraction) -> Query:
    """All attributes; one changed record costs rho."""
    return Query(level, WHOLE, rho)


@cache
def seeded(seed: int) -> tuple[Spine, set[Pair]]:
    spine = random_spine(random.Random(seed))
    return spine, pairs(spine)


@pytest.mark.parametrize(
    ("state", "nation", "compensated", "exchanged"), [(1, 0, 2, 2), (0, 1, 4, 0), (1, 1, 6, 2)]
)
def test_moves_between_states_cost_what_the_published_factors_say(
    state: int, nation: int, compensated: int, exchanged: int
) -> None:
    """A state-level histogram 2, nation-level 4, half of each 3; exchanges 2, 0, 1."""
    levels = [("state", state), ("nation", nation)]
    spine = toy(*(histogram(level, Fraction(1)) for level, there in levels if there))
    blocks = (spine.blocks[0], spine.blocks[1])  # one area a state, so that no line is crossed
    spine = replace(spine, blocks=blocks)
    found = pairs(spine)
    assert worst_rho(spine, chosen(found, "D_t", kind="compensated")) == compensated
    assert worst_rho(spine, chosen(found, "D_t", kind="exchange")) == exchanged


def test_a_total_of_a_state_that_is_not_split_moves_in_d_alone() -> None:
    spine = toy(Query("state", ALONE, Fraction(1)))
    found = pairs(spine)
    assert worst_rho(spine, chosen(found, "D", states={"A"})) == 0
    assert worst_rho(spine, chosen(found, "D", furthest=1)) == 1
    assert worst_rho(spine, chosen(found, "D_t", states={"B"}, furthest=1)) == 1
    assert worst_rho(spine, chosen(found, "D_t", states={"B"})) == 4
    assert chosen(found, "D_t", kind="across_states") == set()


def test_one_count_is_one_discrete_gaussian() -> None:
    spine = toy(Query("nation", ((0, 1), (0, 0)), Fraction(3, 4)))
    # the two cells of one changed record have independent noise: 1 and 1, or 2 and 2
    assert {pair.moves for pair in pairs(spine)} == {((),), ((1, 1),), ((2, 2),)}
    for k in (1, 2):
        for epsilon in (Fraction(0), Fraction(1, 3), Fraction(5, 2)):
            low, high = law_of(spine, ((k,),)).delta(epsilon)
            truth = delta_of_discrete_gaussian(k, Fraction(4, 3), epsilon)
            assert float(low) <= float(truth) * (1 + 1e-12)
            assert float(truth) <= float(high) * (1 + 1e-12)
            assert high - low < Fraction(1, 10**25)


def test_a_sum_of_two_losses_is_the_double_sum_over_their_outcomes() -> None:
    spine = toy(Query("nation", WHOLE, Fraction(1, 2)), Query("block", WHOLE, Fraction(3, 4)))
    moves = ((1,), (2,))
    mp: Any = mpmath.mp
    with mp.workdps(40):
        first, second = mp.mpf(1) / 2, mp.mpf(3) / 4
        range_ = range(-40, 41)
        one = {y: mp.exp(-first * y * y / 2) for y in range_}
        two = {y: mp.exp(-second * y * y / 2) for y in range_}
        whole = sum(one.values()) * sum(two.values())
        total = sum(
            p * q * max(0, 1 - mp.exp(1 - (2 * y + 1) * first / 2 - 2 * (2 * z + 2) * second / 2))
            for y, p in one.items()
            for z, q in two.items()
        )
        truth = float(total / whole)
    low, high = law_of(spine, moves).delta(Fraction(1))
    assert float(low) == pytest.approx(truth, rel=1e-13)
    assert float(high) == pytest.approx(truth, rel=1e-13)


def test_a_third_record_shows_no_new_difference() -> None:
    spine = toy(histogram("state", Fraction(1)), Query("block", ((0, 1), (0, 0)), Fraction(1)))
    spine = replace(spine, sizes=(2, 1), blocks=spine.blocks)
    spine = replace(spine, queries=tuple(replace(q, groups=((0, 1), (0,))) for q in spine.queries))
    assert pairs(spine, records=3) == pairs(spine, records=2)


@pytest.mark.parametrize("seed", [1])
def test_two_equal_records_that_move_together_are_the_worst_of_distance_2(seed: int) -> None:
    """Erratum E15, for rho and for epsilon, in D and in D_t of either state."""
    spine, found = seeded(seed)
    for universe, states in (("D", None), ("D_t", {"A"}), ("D_t", {"B"})):
        everything = chosen(found, universe, states=states)
        together = chosen(found, universe, kind="identical", states=states)
        assert worst_rho(spine, everything) == worst_rho(spine, together)
        near = largest(spine, everything)
        _, high = worst_epsilon(spine, near, DELTA)
        low, _ = worst_epsilon(spine, largest(spine, together), DELTA)
        assert high <= low + Fraction(1, 10**8)


def largest(spine: Spine, moves: set[Moves], number: int = 2) -> list[Moves]:
    """Those of largest rho."""
    return sorted(moves, key=lambda m: (-rho_of(spine, m), m))[:number]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_factor_4_needs_a_pair_that_moves_every_query_twice(seed: int) -> None:
    spine, found = seeded(seed)
    once = worst_rho(spine, chosen(found, "D", furthest=1))
    assert worst_rho(spine, chosen(found, "D")) == 4 * once
    for state in "AB":
        single = worst_rho(spine, chosen(found, "D_t", furthest=1, states={state}))
        assert worst_rho(spine, chosen(found, "D_t", states={state})) == 4 * single
        assert single <= once


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 104))
def test_the_worst_epsilon_is_that_of_equal_records_among_all_pairs(seed: int) -> None:
    spine = random_spine(random.Random(seed))
    found = pairs(spine)
    for universe, states in (("D", None), ("D_t", {"A"}), ("D_t", {"B"}), ("D_t", None)):
        for distance in (1, 2):
            everything = chosen(found, universe, states=states, furthest=distance)
            _, high = worst_epsilon(spine, everything, DELTA)
            if distance == 1:
                low, _ = worst_epsilon(spine, largest(spine, everything, 1), DELTA)
            else:
                together = chosen(found, universe, kind="identical", states=states)
                low, _ = worst_epsilon(spine, largest(spine, together, 1), DELTA)
            assert high <= low + Fraction(1, 10**8)
