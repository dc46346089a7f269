"""Self-checks of the oracle of whole releases: closed forms and numbers of the sources."""

from __future__ import annotations

import math
import random
from itertools import permutations

import numpy as np
import pytest

from tests.oracles import pair_laws as laws
from tests.oracles.releases import (
    Explicit,
    Part,
    Release,
    distances_of_orders,
    explicit_truth,
    mixed_epsilon,
    moves_within,
    truth,
    universes,
)
from tests.oracles.tables import (
    HAMMING,
    METRICS,
    SYMMETRIC,
    Instance,
    differences,
    margin_rows,
    random_free_instance,
    random_instance,
    universe_of,
)
from tests.samples import sampled

NEAR = 1e-6


def test_row_7_three_steps_of_pure_dp() -> None:
    worst = math.e / (1 + math.e)
    pair = laws.along(((0, 1), (1 - worst, 1 - worst), (1, 0)), 3)
    assert laws.advantage(pair) == pytest.approx(0.802124, abs=NEAR)
    assert laws.epsilon(pair, 0.632121) == pytest.approx(1, abs=1e-5)
    assert laws.epsilon(pair, 0.462117) == pytest.approx(2, abs=1e-5)
    assert laws.pure(pair) == pytest.approx(3)


def test_rows_4_and_8_error_rates() -> None:
    pair = laws.responses(1, 1.0, 2)
    assert 1 - laws.true_positive_rate(pair, 0.05) == pytest.approx(0.864085909)
    twice = laws.product(pair, pair)
    assert 1 - laws.true_positive_rate(twice, 0.05) == pytest.approx(0.630547195)


def test_normal_noise_with_other_noise_is_not_binned() -> None:
    # Two Gaussians (sigma .7) and two discrete Laplace (scale 1) on two cells that change by 1:
    # delta(e) = sum of binom(4, k) q^k (1-q)^(4-k) delta_mu(e - 2k + 4),
    # q = 1/(1 + 1/e), in mpmath.
    pair = laws.NOTHING
    for _ in range(4):
        pair = laws.product(pair, laws.discrete_laplace(1, 1.0))
    assert mixed_epsilon(pair, 2 / 0.7, 0.05) == pytest.approx(10.58408522630007, rel=1e-9)
    assert mixed_epsilon(laws.NOTHING, 1.0, 1e-5) == pytest.approx(4.377178, abs=NEAR)


def test_row_6_normal_laws_binned_and_in_closed_form() -> None:
    binned = laws.gaussian(1.0)
    assert laws.gaussian_epsilon(1.0, 1e-5) == pytest.approx(4.377178, abs=NEAR)
    assert laws.gaussian_epsilon(1.0, 1e-10) == pytest.approx(6.547924, abs=NEAR)
    assert laws.gaussian_advantage(1.0) == pytest.approx(0.3829249225)
    assert 1 - laws.gaussian_rate(1.0, 0.05) == pytest.approx(0.740488977)
    assert laws.advantage(binned) == pytest.approx(0.3829249225)
    assert 0.999 < laws.epsilon(binned, 1e-5) / 4.377178 <= 1
    assert 0.999 < laws.mu(binned) < 1 + 1e-9
    assert 0.999 < laws.renyi(binned).max() / 0.5 <= 1


def test_rows_84_and_131_noise_on_counts() -> None:
    assert laws.epsilon(laws.discrete_gaussian(1, 1.0), 0.14135134) == pytest.approx(1, abs=NEAR)
    assert laws.epsilon(laws.discrete_gaussian(1, 4.0), 0.05400722) == pytest.approx(0.5, abs=NEAR)
    assert laws.renyi(laws.laplace(1, 1.0)).max() == pytest.approx(0.367879, abs=1e-4)
    assert laws.renyi(laws.discrete_laplace(1, 1.0)).max() == pytest.approx(0.462117, abs=NEAR)
    assert laws.advantage(laws.laplace(1, 1.0)) == pytest.approx(1 - math.exp(-0.5))


@pytest.mark.parametrize("shift", [1, 2, 5])
def test_bins_of_laplace_noise_forget_little(shift: int) -> None:
    for epsilon in (0.0, 0.3, 0.9):
        delta = 1 - math.exp((epsilon - shift) / 2)  # that of one coordinate
        if delta > 0:
            assert epsilon - 1e-3 < laws.epsilon(laws.laplace(shift, 1.0), delta) <= epsilon + 1e-12


def test_finite_noise_shows_its_ends() -> None:
    pair = laws.shifted_law((0.25, 0.5, 0.25), 1)
    assert math.isinf(laws.pure(pair))
    # 16 (P - Q) of two outputs is positive six times, 1 + 3 + 2 + 1 + 2 + 1 in all.
    assert laws.advantage(pair) == pytest.approx(0.5)
    assert laws.advantage(laws.product(pair, pair)) == pytest.approx(0.625)
    assert laws.epsilon(pair, 0.25) == pytest.approx(math.log(2))
    assert pair.p.sum() == pair.q.sum() == 1


def test_what_is_possible_stays_possible_below_all_doubles() -> None:
    small = laws.Pair(np.array([1 - 1e-200, 1e-200]), np.array([1e-200, 1 - 1e-200]))
    twice = laws.product(small, small)
    assert twice.q.min() > 0
    assert twice.p.min() > 0
    assert laws.renyi(twice).max() < math.inf


def test_distances_of_orders_are_those_of_all_orders() -> None:
    chance = random.Random(38)
    for _ in range(60):
        size = chance.randint(1, 5)
        one, other = ([chance.randrange(3) for _ in range(size)] for _ in range(2))
        found = {
            sum(x != y for x, y in zip(one, order, strict=True)) for order in permutations(other)
        }
        counts = (tuple(records.count(cell) for cell in range(3)) for records in (one, other))
        assert distances_of_orders(*counts) == found


@pytest.mark.parametrize("seed", sampled(range(60), range(4)))
def test_universes_and_moves_are_those_of_the_table_oracle(seed: int) -> None:
    chance = random.Random(seed)
    free = seed % 3 == 0
    instance, table = (random_free_instance if free else random_instance)(chance)
    (found,) = universes(instance, table)
    listed = universe_of(instance, table)
    assert sorted(map(tuple, found.tolist())) == sorted(listed)
    for metric in (SYMMETRIC,) if free else METRICS:
        moves, distances = moves_within(found, metric)
        near = {tuple(move) for move in moves[distances <= 2].tolist()}
        assert near == differences(listed, 2, metric)


def table_of_two(records: int, metric: str = HAMMING) -> Release:
    """2 x 2 with both margins, the first data of Example 5."""
    rows = margin_rows((2, 2), (0,)) + margin_rows((2, 2), (1,))
    instance = Instance((2, 2), records, rows=rows)
    cells = tuple(tuple(int(c == k) for c in range(4)) for k in range(4))
    return Release(instance, (1, 1, 1, 0), metric, False, None, (Part("gaussian", 2.0, cells),))


def test_example_5_and_erratum_10() -> None:
    found = truth(table_of_two(3), (1e-6,), (0.05,))
    assert (found.covering, found.definition_13) == (3, 2)
    assert found.rows["nominal_dp"].mu == pytest.approx(math.sqrt(2) / 2)
    assert found.rows["semi_dp"].mu == pytest.approx(2 / 2)
    assert found.rows["group_privacy"].mu == pytest.approx(3 * math.sqrt(2) / 2)
    # The two tables are two records apart.
    assert found.rows["invariant_dp"].mu == pytest.approx(2 / 2 / 2)
    assert found.rows["invariant_dp"].rho == pytest.approx((2 / 2) ** 2 / 2 / 2**2)


def test_erratum_15_two_people_of_one_state_move_together() -> None:
    rows = margin_rows((2, 2), (0,))
    cells = tuple(tuple(int(c == k) for c in range(4)) for k in range(4))
    part = Part("discrete_gaussian", 4.0, cells)
    release = Release(Instance((2, 2), 4, rows=rows), (2, 0, 1, 1), HAMMING, False, None, (part,))
    found = truth(release, (1e-6,), (0.05,))
    assert found.covering == 2
    assert found.rows["semi_dp"].rho == pytest.approx(4 * found.rows["nominal_dp"].rho)
    totals = Release(
        release.instance, release.table, HAMMING, False, None,
        (Part("discrete_gaussian", 4.0, rows),),
    )  # fmt: skip
    assert truth(totals, (1e-6,), (0.05,)).rows["semi_dp"].rho == 0


def test_listed_datasets_are_compared_within_their_universe() -> None:
    # The output names the zero with probability 2/3: ln 4 between any two.
    laws_of_zero = ((4 / 6, 1 / 6, 1 / 6), (1 / 6, 4 / 6, 1 / 6), (1 / 6, 1 / 6, 4 / 6))
    datasets = ((0, 1, 1), (1, 0, 1), (1, 1, 0))
    release = Explicit(datasets, (1, 1, 2), 0, False, None, laws_of_zero, 2)
    found = explicit_truth(release, (1e-6,), (0.05,))
    assert (found.covering, found.definition_13) == (2, 2)
    assert found.rows["semi_dp"].pure == pytest.approx(2 * math.log(4))
    assert found.rows["nominal_dp"].pure == 0
    assert found.rows["invariant_dp"].pure == pytest.approx(2 * math.log(4) / 2)
    alone = explicit_truth(
        Explicit(datasets, (1, 2, 3), 0, False, None, laws_of_zero, 1), (1e-6,), (0.05,)
    )
    assert (alone.covering, alone.rows["semi_dp"].pure) == (0, 0)


@pytest.mark.parametrize(("distance", "variance"), [(15, 0.5), (30, 0.4), (5, 10.0)])
def test_discrete_gaussian_noise_reveals_nothing_however_far_it_is_moved(
    distance: int, variance: float
) -> None:
    pair = laws.discrete_gaussian(distance, variance)
    assert (pair.p > 0).tolist() == (pair.q > 0).tolist()
    # No divergence is above k^2 / (2 variance) times its order, and that of order 2 reaches it.
    found = laws.renyi(pair)
    assert found.max() <= distance**2 / (2 * variance) * (1 + 1e-12)
