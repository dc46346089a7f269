"""Laws that belong together: each is looked for only while there is time.

Sums against a law that is known by few frequencies, against exact convolutions of integers.

The limits that leave short windows to transforms are lifted, so that laws small enough for exact
arithmetic take this way too.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import accumulate
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.loss import DiscreteGaussianLoss, LaplaceLoss, PrivacyLoss
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.engine import delta_bracket, epsilon_bracket
from semiaudit.privacy.loss.laws import folded as module
from semiaudit.privacy.loss.laws.folded import (
    FewFrequencies,
    FoldedLaw,
    _side_by_side,
    _Sum,
    convolve,
    few_frequencies,
    folded_laws,
    joined,
    log_bound_of_moments,
    product_of_all,
)
from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.laws.spectrum import transformed, values_at
from tests.clocks import Ticks
from tests.oracles.powers import power, product
from tests.privacy.instances import seeds
from tests.privacy.loss.laws.instances import law
from tests.samples import slow_cases

mp: Any = mpmath.mp

BITS = 180
"""Binary digits of the sums that are taken for the truth."""

Exact = dict[int, Fraction]
Weighed = list[tuple[int, arb]]
"""Points and their masses, in many digits."""
Parts = list[tuple[Tilted, int]]


def counts_of(rng: random.Random, size: int) -> list[int]:
    """Random counts that sum to a power of two, the first and the last not 0."""
    found = [rng.randint(1, 40) if rng.random() < 0.7 else 0 for _ in range(size)]
    found[0], found[-1] = max(found[0], 1), max(found[-1], 1)
    found[size // 2] += (1 << sum(found).bit_length()) - sum(found)
    return found


def folded(exact: Exact, start: int, length: int) -> Weighed:
    found: Exact = {}
    for point, mass in exact.items():
        place = start + (point - start) % length
        found[place] = found.get(place, Fraction(0)) + mass
    with ctx.workprec(BITS):
        return [(at, arb(mass.numerator) / mass.denominator) for at, mass in found.items()]


def random_parts(rng: random.Random) -> tuple[Parts, Exact]:
    parts: Parts = []
    factors, low, total = [], 0, 1
    for _ in range(rng.randint(1, 2)):
        counts, first, repeat = counts_of(rng, rng.randint(2, 9)), rng.randint(-6, 3), 0
        repeat = rng.choice([12, 30, 60])
        parts.append((law(first, counts), repeat))
        factors.append(power(counts, repeat))
        low += first * repeat
        total *= sum(counts) ** repeat
    coefficients = product(factors)
    return parts, {
        low + place: Fraction(value, total) for place, value in enumerate(coefficients) if value
    }


def built(rng: random.Random, parts: Parts, exact: Exact, tilt: float, step: float) -> Any:
    """The law on a window around its mass that may be too short, so that some is folded."""
    mean = sum(repeat * tilted.mean for tilted, repeat in parts)
    spread = sum(repeat * tilted.variance for tilted, repeat in parts) ** 0.5
    length = 1 << int(np.log2(spread * rng.uniform(10, 60))) + 1
    start = round(mean) - length // 2 + rng.randint(-3, 3)
    precision = 10.0 ** rng.uniform(-14, -4)
    found = few_frequencies(parts, start, length, tilt * step, precision)
    return found, folded(exact, start, length)


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("seed", [*range(4), *slow_cases(range(4, 400))])
def test_sums_are_within_their_bound_of_the_exact_ones(seed: int) -> None:
    rng = random.Random(seed)
    taken = 0
    for _ in range(6):
        parts, exact = random_parts(rng)
        tilt = rng.choice([0.0, 1e-9, 10 ** rng.uniform(-3, 1.5), 10 ** rng.uniform(-3, 1.5)])
        step = 10 ** rng.uniform(-4, 0)
        found, truth = built(rng, parts, exact, tilt, step)
        if found is None:
            continue
        taken += 1
        for _ in range(4):
            check_discounted(rng, found, truth, tilt, step)
        check_tails(rng, found, truth, tilt, step)
        check_many(rng, found, truth, tilt, step)
    assert taken >= 1


def tail(truth: Weighed, first: int, x: float, step: float, tilt: float) -> tuple[arb, arb]:
    """Sums over the points from ``first`` on, where the loss is x: of exp(-tilt loss), and of that
    times 1 - exp(-loss)."""
    plain, discounted = arb(0), arb(0)
    start, length, rate = arb(float(x)), arb(float(step)), -arb(float(tilt))
    for point, weight in truth:
        if point >= first:
            loss = start + length * (point - first)
            term = weight * (rate * loss).exp()
            plain += term
            discounted -= term * (-loss).expm1()
    return plain, discounted


def within(found: float, truth: arb, error: float) -> bool:
    return bool(abs(arb(float(found)) - truth) <= arb(float(error)))


def check_discounted(
    rng: random.Random, found: FewFrequencies, truth: Weighed, tilt: float, step: float
) -> None:
    first = found.start + rng.randrange(found.length)
    x = step * rng.choice([rng.uniform(1e-6, 1), 1.0, rng.uniform(1, 30)])
    total, error = found.discounted(first, x, step, tilt)
    with ctx.workprec(BITS):
        assert within(total, tail(truth, first, x, step, tilt)[1], error)
    assert error <= 1e-3


def check_tails(
    rng: random.Random, found: FewFrequencies, truth: Weighed, tilt: float, step: float
) -> None:
    chosen = rng.sample(range(found.length), min(found.length, 5))
    firsts = np.array(sorted(found.start + place for place in chosen))
    x = rng.uniform(-3, 3) + step * (firsts - firsts[0])
    sums, errors = found.tails(firsts, x, step, tilt)
    with ctx.workprec(BITS):
        for first, at, total, error in zip(firsts.tolist(), x, sums, errors, strict=True):
            assert within(total, tail(truth, first, at, step, tilt)[0], error)
            assert error <= 1e-3 * np.exp(-tilt * at) + 1e-290


def check_many(
    rng: random.Random, found: FoldedLaw, truth: Weighed, tilt: float, step: float
) -> None:
    """What is summed for many points at once, against sums in many digits."""
    chosen = sorted(rng.randrange(found.length) for _ in range(6))
    firsts = np.array([found.start + place for place in chosen])
    x = np.array([step * rng.uniform(1e-6, 1) for _ in chosen])
    tails = zip(*found.tails_at(firsts, step, tilt), strict=True)
    sums = zip(*found.discounted_at(firsts, x, step, tilt), strict=True)
    with ctx.workprec(BITS):
        for first, at, (plain, plain_error), (total, error) in zip(
            firsts.tolist(), x, tails, sums, strict=True
        ):
            assert within(plain, tail(truth, first, 0.0, step, tilt)[0], plain_error)
            assert within(total, tail(truth, first, at, step, tilt)[1], error)
            assert max(plain_error, error) <= 1e-3


@pytest.mark.parametrize("seed", [*range(4), *slow_cases(range(4, 400))])
def test_sums_for_many_points_of_a_listed_law_are_within_their_bounds(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(4):
        parts, exact = random_parts(rng)
        tilt = rng.choice([0.0, 1e-9, 10 ** rng.uniform(-3, 1.5), 10 ** rng.uniform(-3, 1.5)])
        step = 10 ** rng.uniform(-4, 0)
        mean = sum(repeat * tilted.mean for tilted, repeat in parts)
        spread = sum(repeat * tilted.variance for tilted, repeat in parts) ** 0.5
        length = 1 << int(np.log2(spread * rng.uniform(10, 60) + 2)) + 1
        start = round(mean) - length // 2
        check_many(rng, convolve(parts, start, length), folded(exact, start, length), tilt, step)


@pytest.mark.parametrize("seed", range(30))
def test_no_value_between_two_samples_exceeds_its_bound(seed: int) -> None:
    rng = random.Random(seed)
    counts = counts_of(rng, rng.randint(2, 30))
    tilted, repeat = law(rng.randint(-5, 5), counts), rng.choice([1, 7, 300])
    count = 1 << rng.randint(2, 9)
    bounds = module._log_bounds([(tilted, repeat)], count)
    finer = 64
    weights = np.zeros(count * finer)
    np.add.at(weights, tilted.points % len(weights), tilted.weights)
    size = np.abs(np.fft.rfft(weights)) - 1e-15
    for cell, bound in enumerate(bounds):
        largest = float(size[cell * finer : (cell + 1) * finer + 1].max())
        assert repeat * np.log(max(largest, 1e-300)) <= bound + 1e-9
    assert bounds.max() <= 0


@pytest.mark.parametrize("seed", range(4))
def test_narrow_parts_on_circles_of_their_own_bound_the_product_between_all_samples(
    seed: int,
) -> None:
    """At frequencies inside the cells, as sums in 30 digits."""
    rng = random.Random(seed)
    wide, narrow = counts_of(rng, 120), [counts_of(rng, rng.randint(2, 6)) for _ in range(10)]
    parts = [(wide, 1), *((counts, rng.choice([1, 2, 40])) for counts in narrow)]
    count = 1 << rng.randint(10, 13)
    bounds = module._log_bounds([(law(-3, counts), repeat) for counts, repeat in parts], count)
    assert len(bounds) == count // 2
    # The narrow parts repeat what few samples say of them.
    assert module._log_bound(law(0, narrow[0]), 1, count)[1] > 1
    with mp.workdps(30):
        for _ in range(20):
            cell = int(count / 2 * rng.random() ** 4)
            angle = 2 * mp.pi * (cell + mp.mpf(rng.choice([0.0, 1.0, rng.random()]))) / count
            total = mp.mpf(0)
            for counts, repeat in parts:
                value = mp.fsum(k * mp.expj(angle * place) for place, k in enumerate(counts))
                total += repeat * mp.log(abs(value) / sum(counts))
            assert total <= float(bounds[cell]) + 1e-9


@pytest.mark.parametrize("count", [70, 1000, 1025, 33_000])
def test_values_at_some_frequencies_are_those_of_the_transform(count: int) -> None:
    rng = np.random.default_rng(count)
    weights = rng.random(count)
    tilted = Tilted(
        np.arange(count) - 7, weights / weights.sum(), np.zeros(count), 0.0, -np.inf, 0.0, 0.0, 1.0
    )
    length = 1 << 17
    frequencies = np.sort(rng.choice(length // 2, 30, replace=False))
    values, error = values_at(tilted, frequencies, length)
    whole, other = transformed(tilted, length)
    assert np.abs(values - whole[frequencies]).max() <= error + other
    assert error < 1e-12


def test_a_value_of_many_points_is_within_its_bound_of_the_sum_in_many_digits() -> None:
    rng = np.random.default_rng(5)
    weights = rng.random(3000) ** 6
    weights /= weights.sum()
    tilted = Tilted(np.arange(3000), weights, np.zeros(3000), 0.0, -np.inf, 0.0, 0.0, 1.0)
    frequencies = np.array([1, 17, 4095])
    values, error = values_at(tilted, frequencies, 8192)
    with mp.workdps(40):
        for frequency, value in zip(frequencies, values, strict=True):
            truth = mp.mpc(0)
            for place, weight in enumerate(weights):
                turn = mp.mpf(-2 * place * int(frequency)) / 8192
                truth += mp.mpf(float(weight)) * mp.expjpi(turn)
            assert abs(truth - mp.mpc(complex(value))) <= error


def test_points_far_apart_are_not_listed_between() -> None:
    points = np.arange(0, 100) * 10**7
    tilted = Tilted(points, np.full(100, 0.01), np.zeros(100), 0.0, -np.inf, 0.0, 0.0, 1.0)
    values, _ = values_at(tilted, np.array([0, 3]), 1 << 31)
    assert values[0] == pytest.approx(1.0)


def test_where_many_frequencies_matter_it_is_left_to_transforms() -> None:
    """A law on even points only comes back at the highest frequency, with all its weight."""
    assert few_frequencies([(law(0, [1, 0, 2, 0, 1]), 10**6)], -5000, 1 << 16, 0.01, 1e-9) is None
    assert few_frequencies([(law(0, [1, 2, 1]), 10**6)], 10**6 - (1 << 15), 1 << 16, 0.01, 1e-9)


def test_many_narrow_parts_leave_few_frequencies_where_the_wide_ones_come_back() -> None:
    """The points of eight wide parts are 16 apart, so at each 16th of the circle |phi| of them is 1
    again. There the product of 56 narrow parts, each even over 8 points, is next to nothing."""
    wide, narrow, flips, sums = law(0, [1, *[0] * 15, 1]), law(0, [1] * 8), 8 * 400, 56
    for turn in range(1, 9):
        size = abs(sum(np.exp(2j * math.pi * turn / 16 * place) for place in range(8)) / 8)
        assert size**sums < 1e-9
    mean, length = 16 * flips // 2 + 7 * sums // 2, 1 << 17
    parts = [*((wide, 400) for _ in range(8)), *((narrow, 1) for _ in range(sums))]
    found = few_frequencies(parts, mean - length // 2, length, 0.0, 1e-6)
    assert found is not None
    # P(sum >= mean + 1) with the wide parts as 16 times a binomial variable.
    at_least = list(accumulate(math.comb(flips, k) for k in range(flips, -1, -1)))[::-1]
    first = mean + 1
    total = sum(
        count * at_least[-((low - first) // 16)] for low, count in enumerate(power([1] * 8, sums))
    )
    truth = Fraction(total, 8**sums * 2**flips)
    tails, errors = found.tails(np.array([first]), np.zeros(1), 1e-3, 0.0)
    assert abs(float(tails[0]) - truth) <= errors[0] <= 1e-6


@pytest.mark.parametrize(
    "loss",
    [
        PrivacyLoss(((LaplaceLoss(Fraction(1, 25)), 1000),)),
        PrivacyLoss(((DiscreteGaussianLoss(1, Fraction(5000)), 4000),)),
        PrivacyLoss(
            ((DiscreteGaussianLoss(1, Fraction(3000)), 900), (LaplaceLoss(Fraction(1, 30)), 700))
        ),
    ],
    ids=["laplace", "discrete gaussian", "both"],
)
def test_both_ways_agree_on_what_is_left_in_between(
    loss: PrivacyLoss, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The brackets of either way hold the same number, so they meet."""
    accuracy = Accuracy(1e-7)
    monkeypatch.setattr(module, "_SHORTEST", 64)
    few = epsilon_bracket(loss, Fraction(1, 10**9), accuracy), delta_bracket(loss, 2, accuracy)
    monkeypatch.setattr(module, "LONGEST", 0)
    listed = epsilon_bracket(loss, Fraction(1, 10**9), accuracy), delta_bracket(loss, 2, accuracy)
    for one, other in zip(few, listed, strict=True):
        assert one.complete
        assert other.complete
        assert max(one.lower, other.lower) <= min(one.upper, other.upper)


def test_a_part_that_is_too_wide_for_samples_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three points over 2^29: samples as dense as its width asks for would fill the memory."""
    counts: list[int] = []

    def counted(tilted: Tilted, count: int) -> tuple[Any, float]:
        counts.append(count)
        return transformed(tilted, count)

    monkeypatch.setattr(module, "transformed", counted)
    for exponent in (20, 29):
        points = np.array([0, 1 << exponent - 3, 1 << exponent])
        mean, variance = float(points.mean()), float(points.var())
        wide = Tilted(points, np.full(3, 1 / 3), np.zeros(3), 0.0, -np.inf, 0.0, mean, variance)
        assert few_frequencies([(wide, 300)], 0, 1 << 32, 1e-9, 1e-3) is None
    assert all(count <= 1 << 22 for count in counts)


@pytest.mark.parametrize(
    ("far", "repeat"), [(1 << 40, 10**7), (1 << 45, 300_000), (1 << 45, 10**7)]
)
def test_sums_stay_exact_where_the_smallest_one_is_beyond_64_bits(far: int, repeat: int) -> None:
    """A point so rare that it never occurs, and so far off that all of them make 10^19 and more.

    The others are 0, 1 and 2 like two tosses of a coin, so that the sum is normal to 1 / (8 k).
    """
    points, weights = np.array([-far, 0, 1, 2]), np.array([1e-44, 0.25, 0.5, 0.25])
    rare = Tilted(
        points, weights, np.zeros(4), 0.0, -np.inf, 0.0, 1.0, float(weights @ (points - 1.0) ** 2)
    )
    found = few_frequencies([(rare, repeat)], repeat - (1 << 15), 1 << 16, 0.0, 1e-6)
    assert found is not None
    total, error = found.discounted(repeat + 1, 1e-3, 1e-3, 0.0)
    spread = 1e-3 * (repeat / 2) ** 0.5
    # E (1 - exp(-spread Z))+ of a standard normal Z.
    truth = 0.5 - float(mp.exp(spread**2 / 2) * mp.ncdf(-spread))
    assert abs(total - truth) <= error + 1e-6
    sums, errors = found.tails(np.array([repeat + 1]), np.array([1e-3]), 1e-3, 0.0)
    half = 0.5 - 0.5 / (np.pi * repeat) ** 0.5
    assert abs(sums[0] - half) <= errors[0] + 1e-6


def test_a_window_beyond_64_bits_is_that_of_the_law_moved_there() -> None:
    far, repeat = 1 << 45, 300_000
    near, moved = law(0, [1, 2, 1]), law(far, [1, 2, 1])
    start, ends = repeat - (1 << 15), []
    for part, by in ((near, 0), (moved, far * repeat)):
        found = few_frequencies([(part, repeat)], start + by, 1 << 16, 1e-6, 1e-6)
        assert found is not None
        ends.append(found.discounted(repeat + 1 + by, 1e-3, 1e-3, 1e-3))
    (one, error), (other, other_error) = ends
    assert abs(one - other) <= error + other_error


@pytest.mark.parametrize(("reach", "repeat"), [(50, 1), (50, 4), (400, 9), (3, 1)])
def test_a_part_is_sampled_as_often_as_its_spread_asks_for(reach: int, repeat: int) -> None:
    """Of two points 2 r apart with equal masses the standard deviation is r; times the root of the
    repeats it is that of all of them."""
    counts = [1, *[0] * (2 * reach - 1), 1]
    count = 1 << 20
    tilted = law(-reach, counts)
    asked = max(module._SAMPLES * reach * math.sqrt(repeat), module._LEAST_OWN)
    bounds, each = module._log_bound(tilted, repeat, count)
    samples = count // each
    assert asked <= samples < 2 * asked
    assert len(bounds) == samples // 2
    assert bounds.max() <= 0


@pytest.mark.parametrize("seed", range(10))
def test_the_frequencies_left_out_are_those_with_the_smallest_shares(seed: int) -> None:
    """As many of them as their shares, from the smallest on, stay below what is allowed."""
    generator = np.random.default_rng(seed)
    ratio, length, count = 4, 1 << 20, 1 << 12
    bounds = -np.sort(generator.exponential(200.0, count))
    allowed = 10.0 ** generator.uniform(-9, -3)
    cells = np.arange(1, count)
    shares = np.exp(bounds[1:]) / np.sin(math.pi / (length // ratio) * cells)
    shares *= 2.02 * (ratio + 1) / length
    ranked = sorted(shares.tolist())
    totals = accumulate(map(Fraction, ranked))
    fewest = next(n for n, total in enumerate(totals) if total >= allowed)
    found = module._chosen(bounds, ratio, length, allowed)
    assert found is not None
    frequencies, omitted = found
    assert len(frequencies) == ratio * (count - fewest)
    assert omitted == pytest.approx(math.fsum(ranked[:fewest]), rel=1e-9)


@pytest.mark.parametrize("ratio", [1, 4])
def test_frequencies_of_negligible_bounds_are_left_out(ratio: int) -> None:
    """Of a thousand cells two have a bound that matters; the others add up to 1e-15 at most."""
    bounds = np.full(1001, math.log(1e-18))
    bounds[[0, 3, 5]] = 0.0, math.log(0.5), math.log(0.1)
    found = module._chosen(bounds, ratio, 1 << 20, 1e-12)
    assert found is not None
    frequencies, error = found
    assert frequencies.tolist() == [
        cell * ratio + place for cell in (0, 3, 5) for place in range(ratio)
    ]
    assert 0 < error <= 1e-12


def test_no_law_is_begun_once_the_time_is_up() -> None:
    """Two looks at the clock are left for five laws, and each takes one at least."""
    family = ([(law(-1, [1, 2, 1]), 30)], -64)
    assert len(folded_laws([family] * 5, 128, decay=0.1, precision=1e-9, most=1 << 10)) == 5
    clock = Ticks(1.0)
    with deadline.running(2.5, clock), pytest.raises(OutOfTimeError):
        folded_laws([family] * 5, 128, decay=0.1, precision=1e-9, most=1 << 10)
    assert clock.time <= 5


def random_counts(chance: random.Random) -> list[int]:
    found = [chance.randint(0, 40) for _ in range(chance.randint(1, 30))]
    found[0], found[-1] = max(found[0], 1), max(found[-1], 1)
    found[len(found) // 2] += (1 << sum(found).bit_length()) - sum(found)
    return found


def random_laws(chance: random.Random) -> list[tuple[Tilted, int, list[int]]]:
    """Twenty laws or so, with their repeats and counts."""
    found = []
    for _ in range(chance.randint(18, 24)):
        counts = random_counts(chance)
        found.append((law(chance.randint(-50, 50), counts), chance.choice((1, 1, 1, 2)), counts))
    return found


def characteristic(counts: list[int], angle: Any) -> Any:
    """The mean of exp(-i angle p) for points counted from 0."""
    terms = (count * mp.expj(-angle * place) for place, count in enumerate(counts))
    return mp.fsum(terms) / sum(counts)


@pytest.mark.parametrize("seed", seeds(1, 40))
def test_the_product_of_all_is_within_its_bound_of_the_products_in_many_digits(seed: int) -> None:
    chance = random.Random(seed)
    laws, length = random_laws(chance), 1 << 14
    # Next to 0 the product is of the size of 1, further away of that of its errors.
    near, far = chance.sample(range(60), 6), chance.sample(range(60, length // 2), 6)
    frequencies = np.array(sorted(near + far))
    found = product_of_all([(t, k) for t, k, _ in laws], frequencies, length)
    assert found.frequencies.tolist() == frequencies.tolist()
    bounds = found.bound()
    times = sum(k for _, k, _ in laws)
    with mp.workdps(40):
        for frequency, value, bound in zip(frequencies, found.values, bounds, strict=True):
            angle = 2 * mp.pi * int(frequency) / length
            truth = mp.fprod(characteristic(counts, angle) ** k for _, k, counts in laws)
            assert abs(truth - mp.mpc(complex(value))) <= bound
            assert bound < times * 1e-12


@pytest.mark.parametrize("seed", seeds(4, 40))
def test_each_part_side_by_side_is_within_its_bound_of_its_sums_in_many_digits(seed: int) -> None:
    chance = random.Random(seed)
    laws, length = random_laws(chance), 1 << 14
    frequencies = np.array(sorted(chance.sample(range(length // 2), 12)))
    together, errors = _side_by_side([tilted for tilted, _, _ in laws], frequencies, length)
    with mp.workdps(40):
        for column, (tilted, _, counts) in enumerate(laws):
            alone, error = values_at(tilted, frequencies, length)
            assert max(error, errors[column]) < 1e-12
            for row, frequency in enumerate(frequencies):
                truth = characteristic(counts, 2 * mp.pi * int(frequency) / length)
                assert abs(truth - mp.mpc(complex(together[row, column]))) <= errors[column]
                assert abs(truth - mp.mpc(complex(alone[row]))) <= error


@pytest.mark.parametrize("seed", seeds(2, 40))
def test_moments_bound_the_size_of_the_product_between_all_angles(seed: int) -> None:
    chance = random.Random(seed)
    laws = random_laws(chance)
    angles = np.linspace(0.0, np.pi, 65)
    bounds = log_bound_of_moments([(t, k) for t, k, _ in laws], angles)
    assert bounds.min() < -1
    with mp.workdps(40):
        for cell, bound in enumerate(bounds):
            for share in (0.0, chance.random(), 1.0):
                angle = mp.mpf(float(angles[cell] + share * (angles[cell + 1] - angles[cell])))
                sizes = (abs(characteristic(counts, angle)) ** k for _, k, counts in laws)
                assert mp.fprod(sizes) <= mp.exp(mp.mpf(float(bound))) * (1 + mp.mpf(10) ** -12)


@pytest.mark.parametrize("seed", seeds(3, 200))
def test_joined_parts_have_the_weights_of_the_exact_product(seed: int) -> None:
    chance = random.Random(seed)
    laws = random_laws(chance)
    found = joined([(tilted, repeat) for tilted, repeat, _ in laws])
    assert sorted(repeat for _, repeat in found) == sorted({repeat for _, repeat, _ in laws})
    for tilted, repeat in found:
        run = [(t, counts) for t, k, counts in laws if k == repeat]
        exact = product(counts for _, counts in run)
        total = sum(exact)
        assert tilted.first == sum(t.first for t, _ in run)
        with mp.workdps(40):
            for weight, error, mass in zip(tilted.weights, tilted.errors, exact, strict=True):
                assert abs(mp.mpf(mass) / total - mp.mpf(float(weight))) <= float(error)
        assert float(tilted.errors.sum()) < 1e-12


def test_few_parts_stay_as_they_are() -> None:
    parts = [(law(0, [1, 2, 1]), 3), (law(5, [3, 5]), 1)]
    assert joined(parts) is parts


def test_absolute_errors_of_two_sums_add_up() -> None:
    """Weights that are all wrong by e make an entry of the convolution wrong by 2 e and more."""
    first, second = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    one, other = (_Sum(weights, 0, 0.0, 1e-3, 0.25) for weights in (first, second))
    both = one.plus(other)
    wrong = np.convolve(first - 1e-3, second - 1e-3) - np.convolve(first, second)
    assert both.weights == pytest.approx(np.convolve(first, second))
    assert (np.abs(wrong) <= both.absolute * (1 + 1e-2)).all()
    assert (both.first, both.variance) == (0, 0.5)
