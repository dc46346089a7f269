"""One product that loses no less than several: place by place the largest pair of a family."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from semiaudit.model.loss import GaussianLoss, LaplaceLoss, PrivacyLoss
from semiaudit.privacy.ordering.joining import MOST_JOINED, gaussian_size, joined


def laplace(*shifts: int) -> PrivacyLoss:
    return PrivacyLoss(tuple((LaplaceLoss(Fraction(shift)), 1) for shift in shifts))


def parts(loss: PrivacyLoss | None) -> Counter[object]:
    assert loss is not None
    found: Counter[object] = Counter()
    for pair, repeat in loss.parts:
        found[pair] += repeat
    return found


def test_the_largest_pairs_of_a_family_are_taken_place_by_place() -> None:
    expected = Counter(LaplaceLoss(Fraction(shift)) for shift in (5, 4, 1))
    assert parts(joined([laplace(1, 5), laplace(4, 4, 1)])) == expected


def test_gaussian_pairs_are_one_pair_of_the_largest_sum() -> None:
    two = PrivacyLoss(((GaussianLoss(Fraction(2)), 2),))
    three = PrivacyLoss(((GaussianLoss(Fraction(3)), 1), (LaplaceLoss(Fraction(1)), 2)))
    expected = Counter({GaussianLoss(Fraction(4)): 1, LaplaceLoss(Fraction(1)): 2})
    assert parts(joined([two, three])) == expected


def test_more_pairs_than_can_be_put_in_order_are_not_joined() -> None:
    whole = PrivacyLoss(((LaplaceLoss(Fraction(1)), MOST_JOINED),))
    assert parts(joined([whole])) == {LaplaceLoss(Fraction(1)): MOST_JOINED}
    more = PrivacyLoss(((LaplaceLoss(Fraction(1)), MOST_JOINED + 1),))
    assert joined([whole, more]) is None


def test_gaussian_pairs_are_as_large_as_their_squared_mu() -> None:
    loss = PrivacyLoss(((GaussianLoss(Fraction(2)), 2), (GaussianLoss(Fraction(1, 3)), 1)))
    assert gaussian_size(loss) == Fraction(13, 3)
    assert gaussian_size(PrivacyLoss(())) == 0
