"""The bounds on what swapping loses, against every way to perform it."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import exp, factorial, log, sqrt
from random import Random

import pytest

from semiaudit.mechanisms.swapping.stratum_loss import (
    LARGEST_OWN,
    decisive_sizes,
    derangement_ratio,
    derangements,
    last_ratio,
    odds,
    published_bound,
    sizes_up_to,
    unit_loss,
    weight,
    worst_ratios,
)
from semiaudit.model.randomizers import SwapVariant
from tests.golden.published import golden
from tests.oracles import swapping as oracle
from tests.oracles.swapped_universe import Law, Swap, distances, universe_of

Variant = tuple[SwapVariant, bool]

VARIANTS: list[Variant] = [
    ("derangement", True),
    ("derangement", False),
    ("uniform", True),
    ("uniform", False),
]
RATES = [Fraction(rate, 100) for rate in (1, 5, 10, 25, 40, 50, 60, 70, 80, 90, 95, 99)]
FEW_RATES = [Fraction(rate, 100) for rate in (1, 50, 70, 99)]
ROUNDING = Decimal("1e-35")
"""Of logarithms to 40 digits."""

EVERY = pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: f"{v[0]}-{v[1]}")


def loss_of(worst: oracle.Worst) -> Decimal:
    """ln(ratio) / distance of the worst, to 40 digits; 0 where nothing can change."""
    with localcontext() as context:
        context.prec = 40
        return max(
            (
                (Decimal(r.numerator) / Decimal(r.denominator)).ln() / apart
                for apart, r in worst.items()
            ),
            default=Decimal(0),
        )


def decimal_of(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(value.numerator) / Decimal(value.denominator)


def bound(rate: Fraction, size: int, variant: Variant) -> Fraction:
    return unit_loss(rate, sizes_up_to(size), variant[0], reselection=variant[1]).epsilon


def _never_below_the_law(size: int, rates: list[Fraction], variant: Variant) -> None:
    labels = oracle.label_patterns(size)
    for rate in rates:
        law = oracle.law(size, rate, *variant)
        own = decimal_of(bound(rate, size, variant))
        published = decimal_of(published_bound(rate, size))
        for rest, swap in product(labels, labels):
            found = loss_of(oracle.worst_of_labels(rest, swap, law))
            assert found - own <= ROUNDING, (rate, rest, swap)
            if variant[0] == "derangement":
                assert found - published <= ROUNDING, (rate, rest, swap)


def _attained_where_it_says_so(size: int, rates: list[Fraction], variant: Variant) -> int:
    exact = 0
    for rate in rates:
        found = loss_of(oracle.worst_all_distinct(oracle.law(size, rate, *variant)))
        known = unit_loss(rate, (size,), variant[0], reselection=variant[1])
        assert known.attained
        assert abs(found - decimal_of(known.epsilon)) <= ROUNDING
        smaller = unit_loss(rate, sizes_up_to(size), variant[0], reselection=variant[1])
        assert smaller.epsilon >= known.epsilon
        assert smaller.attained == (smaller.epsilon == known.epsilon)
        exact += smaller.attained
    return exact


@EVERY
@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_bound_is_never_below_the_law_of_any_labels(size: int, variant: Variant) -> None:
    _never_below_the_law(size, FEW_RATES, variant)


@pytest.mark.slow
@EVERY
def test_nor_with_five_records_at_any_rate(variant: Variant) -> None:
    for size in (2, 3, 4):
        _never_below_the_law(size, RATES, variant)
    _never_below_the_law(5, [*FEW_RATES, Fraction(9, 10), Fraction(1, 20)], variant)


@EVERY
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_what_is_called_attained_is_the_loss_of_records_that_all_differ(
    size: int, variant: Variant
) -> None:
    exact = _attained_where_it_says_so(size, RATES, variant)
    if variant != ("derangement", False):
        assert exact == len(RATES)


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize("size", [6, 7])
def test_likewise_of_six_and_seven(size: int, variant: Variant) -> None:
    assert _attained_where_it_says_so(size, RATES, variant)


@EVERY
def test_no_two_permutations_of_a_larger_stratum_are_further_apart(variant: Variant) -> None:
    """All numbers of moved records against each other, at the least distance that allows them."""
    for size in (4, 5, 9, 16, 30):
        for o in map(Fraction, ("1/99", "1/3", "1", "5/2", "4", "7", "40", "10000")):
            moved = [0, *range(2, size + 1)]
            q = [weight(m, o, size, variant[0], reselection=variant[1]) for m in moved]
            logs = [log(w.numerator) - log(w.denominator) for w in q]
            worst = max(
                (logs[i] - logs[j]) / max(2, abs(moved[i] - moved[j]))
                for i, j in product(range(size), repeat=2)
            )
            own = unit_loss(o / (1 + o), (size,), variant[0], reselection=variant[1]).epsilon
            assert worst == pytest.approx(float(own), abs=1e-12)


@EVERY
def test_a_weight_is_the_probability_of_one_permutation(variant: Variant) -> None:
    for size, rate in product((2, 3, 4, 5), FEW_RATES):
        law = oracle.law(size, rate, *variant)
        shares = {}
        for sigma, chance in law.items():
            moved = sum(place != source for place, source in enumerate(sigma))
            q = weight(moved, odds(rate), size, variant[0], reselection=variant[1])
            shares[sigma] = chance / q
        assert len(set(shares.values())) == 1


def test_larger_strata_lose_no_less() -> None:
    for (variant, reselection), rate in product(VARIANTS, RATES):
        found = [
            bound(rate, size, (variant, reselection))
            for size in (0, 1, 2, 3, 4, 5, 6, 7, 8, 59, 60, 61, 62, 63, 1000)
        ]
        assert found == sorted(found)
        assert found[:2] == [0, 0]


def test_derangements_are_those_of_permutations_without_a_fixed_place() -> None:
    assert [derangements(n) for n in range(8)] == [1, 0, 1, 2, 9, 44, 265, 1854]
    for size in (4, 5, 60, 61, 62, 63, 100, 101):
        counts = [derangements(n) for n in (size, size - 2)]
        exact = Fraction(*counts)
        assert exact <= derangement_ratio(size) <= exact * (1 + Fraction(1, 10**70))
        assert (derangement_ratio(size) == exact) == (size <= 60)
        last = Fraction(derangements(size), derangements(size - 1))
        assert last <= last_ratio(size) <= last * (1 + Fraction(1, 10**70))


def test_the_published_bound_is_that_of_the_slides() -> None:
    """b = 264331, the two-person households of Massachusetts in 1940."""
    rates = ["0.01", "0.05", "0.1", "0.5"]
    found = [float(published_bound(Fraction(rate), 264331)) for rate in rates]
    for rate, epsilon in zip(rates, found, strict=True):
        assert epsilon == golden(f"swap_epsilon_at_{rate}")
    own = [bound(Fraction(rate), 264331, ("derangement", True)) for rate in rates]
    assert [float(epsilon) for epsilon in own] == found
    assert LARGEST_OWN < 264331


def test_the_published_bound_at_high_rates_is_that_of_two_records() -> None:
    assert float(published_bound(Fraction(99, 100), 5)) == pytest.approx(log(99))
    assert float(published_bound(Fraction(9, 10), 2)) == pytest.approx(log(9))
    assert published_bound(Fraction(1, 2), 1) == 0


@pytest.mark.parametrize(
    ("size", "rate", "exact", "published"),
    [
        (2, "0.5", 0.0, 1.0986),
        (3, "0.5", 0.3466, 1.3863),
        (3, "0.01", 4.826169, 5.981414),
        (4, "0.5", 1.098612, 1.609438),
        (4, "0.9", 2.197225, 2.197225),
    ],
)
def test_erratum_13(size: int, rate: str, exact: float, published: float) -> None:
    p = Fraction(rate)
    assert float(bound(p, size, ("derangement", True))) == pytest.approx(exact, abs=5e-5)
    assert float(published_bound(p, size)) == pytest.approx(published, abs=5e-5)


@pytest.mark.parametrize(
    ("size", "slack"), [(4, 0.511), (5, 0.246), (6, 0.255), (7, 0.209), (10, 0.148), (100, 0.015)]
)
def test_what_the_published_bound_gives_away(size: int, slack: float) -> None:
    p = Fraction(1, 100)
    gap = published_bound(p, size) - bound(p, size, ("derangement", True))
    assert float(gap) == pytest.approx(slack, abs=5e-4)


def exact_loss(o: Fraction, size: int, variant: Variant) -> float:
    """All numbers of moved records against each other, in doubles."""
    moved = [0, *range(2, size + 1)]
    weights = [weight(m, o, size, variant[0], reselection=variant[1]) for m in moved]
    logs = [log(q.numerator) - log(q.denominator) for q in weights]
    return float(
        max(
            (logs[i] - logs[j]) / max(2, abs(moved[i] - moved[j]))
            for i, j in product(range(size), repeat=2)
        )
    )


@EVERY
def test_several_strata_lose_as_much_as_the_worst_of_their_sizes(variant: Variant) -> None:
    rng = Random(37)
    for _ in range(40):
        sizes = [rng.randint(1, 14) for _ in range(rng.randint(1, 6))]
        o = Fraction(round(exp(rng.uniform(-3, 6)), 4))
        worst = max((exact_loss(o, size, variant) for size in sizes if size > 1), default=0.0)
        rate = o / (1 + o)
        found = unit_loss(rate, decisive_sizes(sizes), variant[0], reselection=variant[1])
        assert float(found.epsilon) == pytest.approx(max(worst, 0.0), abs=1e-12), (sizes, o)
        every = max((exact_loss(o, n, variant) for n in range(2, max(sizes) + 1)), default=0.0)
        assert float(bound(rate, max(sizes), variant)) == pytest.approx(every, abs=1e-12)


@pytest.mark.parametrize(
    ("rate", "reselection", "exact"),
    [
        ("0.7", False, 0.3284),
        ("0.99", False, 3.4966),
        ("0.7", True, 0.8473),
        ("0.99", True, 4.5952),
    ],
)
def test_four_records_without_reselection_lose_less_at_high_rates(
    rate: str, reselection: bool, exact: float
) -> None:
    """Figures of an independent enumeration: the bound for reselection was 2.6 times too large."""
    found = unit_loss(Fraction(rate), (4,), "derangement", reselection=reselection)
    assert float(found.epsilon) == pytest.approx(exact, abs=1e-4)
    assert found.attained


def test_in_large_strata_the_published_bound_gives_away_next_to_nothing() -> None:
    p = Fraction(1, 100)
    for size in (1_000, LARGEST_OWN):
        gap = published_bound(p, size) - bound(p, size, ("derangement", True))
        assert 0 < gap < Fraction(3, 2) / size
    larger = LARGEST_OWN + 1
    assert published_bound(p, larger) == bound(p, larger, ("derangement", True))
    for size in (larger, 10**9):
        gap = published_bound(p, size) - bound(p, size, ("derangement", False))
        assert 0 < gap < Fraction(3, 2) / size


@pytest.mark.parametrize(
    ("size", "rate", "deranged", "uniform"),
    [(4, "0.9", 2.197, 0.356), (4, "0.5", 1.099, 1.522), (3, "0.01", 4.826, 5.202)],
)
def test_erratum_14(size: int, rate: str, deranged: float, uniform: float) -> None:
    p = Fraction(rate)
    assert float(bound(p, size, ("derangement", True))) == pytest.approx(deranged, abs=5e-4)
    assert float(bound(p, size, ("uniform", False))) == pytest.approx(uniform, abs=5e-4)


def test_the_published_bound_is_none_for_uniform_permutations() -> None:
    p = Fraction(7, 10)
    for reselection in (True, False):
        law = oracle.law(4, p, "uniform", reselection)
        found = loss_of(oracle.worst_all_distinct(law))
        assert float(found) == golden("swap_uniform_of_four")
        assert found > decimal_of(published_bound(p, 4))
        assert found <= decimal_of(bound(p, 4, ("uniform", reselection)))
    assert float(published_bound(p, 4)) == pytest.approx(0.8473, abs=5e-5)


def test_uniform_permutations_lose_less_than_one_record_at_a_time_would_tell() -> None:
    """ln(1 + b / o), the bound by single steps, is above the bound by pairs of them."""
    for size, rate in product((4, 10, 1000), RATES):
        single = log(1 + size / float(odds(rate)))
        assert float(bound(rate, size, ("uniform", True))) < single


def test_the_law_of_three_records_is_that_of_the_listing() -> None:
    p = Fraction(1, 5)
    law = oracle.law(3, p, "derangement", True)
    whole = 1 - 3 * p * (1 - p) ** 2
    assert law[0, 1, 2] == (1 - p) ** 3 / whole
    assert law[1, 0, 2] == p**2 * (1 - p) / whole
    assert law[1, 2, 0] == p**3 / 2 / whole


def test_reselection_changes_how_many_records_are_selected() -> None:
    assert float(oracle.effective_rate(2, Fraction(1, 10))) == pytest.approx(0.0122, abs=5e-5)
    assert oracle.effective_rate(3, Fraction(1, 2)) == Fraction(6, 10)
    for n, p in product((2, 3, 4), FEW_RATES):
        stated = (p - p * (1 - p) ** (n - 1)) / (1 - n * p * (1 - p) ** (n - 1))
        assert oracle.effective_rate(n, p) == stated


def test_the_least_of_the_published_bound_is_where_both_of_its_ends_meet() -> None:
    root = sqrt(264332)
    p = Fraction(root / (1 + root))
    assert float(p) == golden("swap_least_rate")
    assert float(published_bound(p, 264331)) == golden("swap_least_epsilon")


def test_factorials_bound_the_derangements_that_the_proof_needs() -> None:
    """D_m <= m! / 2 <= m^(m-2), from 4 on; docs/swapping.md."""
    for m in range(4, 60):
        assert derangements(m) <= factorial(m) / 2 <= m ** (m - 2)


def _of_six_or_fewer(size: int, variant: Variant, rates: list[Fraction]) -> int:
    """How many ways to agree were held against the law; those of more than 200 datasets are not."""
    labels, held = oracle.label_patterns(size), 0
    for rest, swap in product(labels, labels):
        records = tuple(sorted(zip(rest, swap, strict=True)))
        given = [Swap((), (1,), rate, variant[0] == "derangement", variant[1]) for rate in rates]
        universe = universe_of(records, given[0], lambda _: True, 200)
        if universe is None or len(universe) < 2:
            continue
        held += 1
        apart = distances(universe)
        for one in given:
            losses = Law(one, universe).losses()
            found = (losses[apart > 0] / apart[apart > 0]).max()
            assert found <= float(bound(one.rate, size, variant)) + 1e-12, (rest, swap, one)
            if variant[0] == "derangement":
                assert found <= float(published_bound(one.rate, size)) + 1e-12
    return held


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize(("size", "number"), [(5, 36), (6, 97)])
def test_row_128_no_way_to_agree_loses_more(size: int, number: int, variant: Variant) -> None:
    """theory.md, row 128: five and six records, at all rates, by a second enumeration."""
    assert _of_six_or_fewer(size, variant, RATES) == number


@pytest.mark.parametrize("reselection", [False, True])
@pytest.mark.parametrize("variant", ["derangement", "uniform"])
@pytest.mark.parametrize("size", [2, 3])
def test_a_ratio_of_few_records_grows_with_the_rate_if_it_says_so(
    size: int, variant: SwapVariant, reselection: bool
) -> None:
    """Of every two ratios of a pair of permutations one grows; their product is 1."""
    few, more = (
        list(worst_ratios(Fraction(odds), size, variant, reselection=reselection))
        for odds in (2, 3)
    )
    for one, other in zip(few, more, strict=True):
        assert one.growing == other.growing == (one.value < other.value)
    assert [ratio.growing for ratio in few] == [False, True] * (len(few) // 2)
