"""What holds for several products of finite pairs, and which of them may be left out."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, permutations, product

import pytest

from semiaudit.model.loss import FiniteLoss, PrivacyLoss, WorstLoss
from semiaudit.model.measure import ZCDP, Measure, PiecewiseLinear, PureDP
from semiaudit.privacy import worst_pairs
from semiaudit.privacy.composition import compose
from semiaudit.privacy.epsilons import rho_of
from semiaudit.privacy.evaluate import advantage_of, delta_at
from semiaudit.privacy.finite_products import FiniteProduct
from semiaudit.privacy.tradeoff.polygon import lies_below
from semiaudit.privacy.worst_pairs import measures_of_products

F = Fraction
Law = tuple[Fraction, ...]

A: Law = (F(2, 5), F(1, 2), F(1, 10))
B: Law = (F(2, 5), F(1, 10), F(1, 2))
C: Law = (F(1, 8), F(3, 8), F(1, 2))

X: Law = (F(11, 100), F(1, 10), F(79, 100))
Y: Law = (F(1, 10), F(11, 100), F(79, 100))
Z: Law = (F(97889, 900000), F(1101, 10000), F(703021, 900000))
"""X and Y lose more in many runs, X and Z in one."""


def measures(*laws: Law) -> tuple[Measure, ...]:
    pairs = combinations(laws, 2)
    return measures_of_products(
        [FiniteProduct.of([FiniteLoss(*two)]) for two in pairs], attained=True
    )


def products_of(found: tuple[Measure, ...]) -> tuple[PrivacyLoss, ...]:
    (loss,) = [m for m in found if isinstance(m, PrivacyLoss | WorstLoss)]
    return loss.losses if isinstance(loss, WorstLoss) else (loss,)


def delta(first: list[Law], second: list[Law], epsilon: float) -> float:
    """The largest delta of independent laws, over both orders, by all tuples of outcomes."""
    growth, masses = math.exp(epsilon), []
    for outcome in product(*(range(len(law)) for law in first)):
        p = math.prod(float(law[at]) for law, at in zip(first, outcome, strict=True))
        q = math.prod(float(law[at]) for law, at in zip(second, outcome, strict=True))
        masses.append((p, q))
    return max(
        math.fsum(max(p - growth * q, 0) for p, q in masses),
        math.fsum(max(q - growth * p, 0) for p, q in masses),
    )


def test_a_symmetrized_function_that_lies_below_does_not_make_a_pair_the_worst() -> None:
    # Those of A and B, and of A and C, are one; yet the rho of A and B is the larger one.
    f, g = (m for two in ((A, B), (A, C)) for m in measures(*two) if isinstance(m, PiecewiseLinear))
    assert f == g
    rho = rho_of(measures(A, B, C))
    assert rho is not None
    assert float(rho.sharpest) == pytest.approx(0.4 * math.log(5), abs=1e-6)
    only = rho_of(measures(A, C))
    assert only is not None
    assert float(only.sharpest) == pytest.approx(0.556948, abs=1e-6)


def test_bounded_ratios_have_the_epsilon_of_the_largest_one() -> None:
    (pure,) = [m for m in measures(A, B, C) if isinstance(m, PureDP)]
    # 1/2 over 1/10, in A and B and in A and C.
    assert math.log(5) <= float(pure.epsilon) <= math.log(5) + 1e-9
    never: Law = (F(1, 2), F(1, 2), F(0))
    assert not [m for m in measures(A, B, never) if isinstance(m, PureDP)]


def test_two_runs_lose_what_the_worst_of_all_pairs_loses_in_two_runs() -> None:
    found = delta_at(compose([(measures(A, B, C), 2)]), F(1, 2))
    expected = max(delta([p, p], [q, q], 0.5) for p, q in combinations((A, B, C), 2))
    assert expected == pytest.approx(0.501616, abs=1e-6)
    assert expected <= float(found.sharpest) <= expected + 1e-6


@pytest.mark.parametrize("laws", list(permutations((A, B, C))))
def test_the_order_of_the_laws_changes_nothing(laws: tuple[Law, ...]) -> None:
    assert measures(*laws) == measures(A, B, C)


def test_names_of_outcomes_and_outcomes_of_one_ratio_change_nothing() -> None:
    split = tuple(tuple(share / 2 for share in law for _ in range(2)) for law in (A, B, C))
    turned = tuple(law[::-1] for law in (A, B, C))
    assert measures(*split) == measures(*turned) == measures(A, B, C)


def test_a_pair_is_left_out_only_for_one_that_loses_no_less_in_one_order() -> None:
    garbled = tuple((p + q) / 2 for p, q in zip(A, C, strict=True))
    for pairs in ([(A, C), (A, garbled)], [(A, C), (garbled, A)]):
        found = measures_of_products(
            [FiniteProduct.of([FiniteLoss(*two)]) for two in pairs], attained=True
        )
        assert len(products_of(found)) == 1
    # The symmetrized function of X and Z lies below that of X and Y, in no order T(X, Z) does.
    f, g = (m for two in ((X, Y), (X, Z)) for m in measures(*two) if isinstance(m, PiecewiseLinear))
    assert lies_below(g, f)
    kept = products_of(measures(X, Y, Z))
    assert len(kept) > 1


def test_the_order_of_one_factor_is_that_of_the_datasets() -> None:
    # A against C twice, and A against C beside C against A, are different products.
    same, mixed = delta([A, A], [C, C], 1), delta([A, C], [C, A], 1)
    assert (round(same, 4), round(mixed, 4)) == (0.326, 0.3141)
    pair = FiniteLoss(A, C)
    for pairs, expected in (([pair, pair], same), ([pair, FiniteLoss(C, A)], mixed)):
        found = measures_of_products([FiniteProduct.of(pairs)], attained=True)
        number = float(delta_at(found, F(1)).sharpest)
        assert expected <= number + 1e-12 <= expected + 1e-9


def test_releases_whose_orders_are_not_known_of_each_other_are_composed_in_both() -> None:
    one, other = (measures(A, laws) for laws in (C, B))
    worst = max(delta([A, *x], [C, *y], 1) for x, y in (([A], [B]), ([B], [A])))
    asymmetric = measures(A, C), measures(B, C)
    both = max(delta([A, B], [C, C], 1), delta([A, C], [C, B], 1))
    assert worst <= float(delta_at(compose([(one, 1), (other, 1)]), F(1)).sharpest) + 1e-12
    found = float(delta_at(compose([(one, 1) for one in asymmetric]), F(1)).sharpest)
    assert both <= found + 1e-12 <= both + 1e-9


def test_many_products_are_told_by_their_common_function(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = measures(X, Y, Z)
    monkeypatch.setattr(worst_pairs, "MAX_LISTED", 1)
    monkeypatch.setattr(worst_pairs, "MAX_COMPARED", 1)
    found = measures(X, Y, Z)
    assert not any(isinstance(m, PrivacyLoss | WorstLoss) for m in found)
    (f,) = [m for m in found if isinstance(m, PiecewiseLinear)]
    assert f in exact
    (rho,) = [m.rho for m in found if isinstance(m, ZCDP)]
    assert rho >= next(m.rho for m in exact if isinstance(m, ZCDP))
    # The hull bounds two runs as well.
    expected = max(delta([p, p], [q, q], 0.01) for p, q in combinations((X, Y, Z), 2))
    assert float(delta_at(compose([(found, 2)]), F(1, 100)).sharpest) >= expected - 1e-12


def test_the_total_variation_of_several_is_the_largest() -> None:
    found = float(advantage_of(compose([(measures(A, B, C), 2)])).sharpest)
    expected = max(delta([p, p], [q, q], 0) for p, q in combinations((A, B, C), 2))
    assert expected <= found + 1e-12 <= expected + 1e-6
