"""Group privacy inside D_t of outputs that show the invariants."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from semiaudit import Spec
from semiaudit.mechanisms.finite.finite_kind import FINITE
from semiaudit.mechanisms.kind import DatasetPairs
from semiaudit.model.measure import ZCDP, PureDP
from semiaudit.model.mechanism import Finite
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

BITS = list(product((0, 1), repeat=3))


def law(dataset: tuple[int, ...]) -> list[Fraction]:
    """The dataset with weight 2, others with as many ones with weight 1, and no others."""
    weights = [0 if sum(other) != sum(dataset) else 2 if other == dataset else 1 for other in BITS]
    return [Fraction(weight, sum(weights)) for weight in weights]


@pytest.mark.parametrize("distance", [1, 2, 4])
def test_a_distance_loses_so_many_times_the_constant_of_one_record(distance: int) -> None:
    mapping = {
        "semiaudit": 1,
        "dataspace": {"product": {"size": 3, "values": [0, 1]}},
        "invariants": [{"count": {"where": {"value": 1}}}],
        "mechanism": {"finite": {"rows": "datasets", "probabilities": [law(x) for x in BITS]}},
    }
    release = Spec.from_mapping(mapping)._release
    assert isinstance(release.mechanism, Finite)
    spaces = SensitivitySpaces(release)
    assert FINITE.refusal(release.mechanism, "disagreeing", spaces)
    found = FINITE.loss(release.mechanism, DatasetPairs("D_t", distance, "steps"), spaces)
    # Two datasets with one 1, or with two, differ in two records: 1/2, 1/4, 1/4 and 1/4, 1/2, 1/4.
    (pure,) = [m.epsilon for m in found if isinstance(m, PureDP)]
    assert float(pure) == pytest.approx(distance * math.log(2) / 2, rel=1e-12)
    assert float(pure) >= distance * math.log(2) / 2 * (1 - 1e-15)
    # The divergence of order 1 is ln(2) / 4, and that of any other one is less than its order times
    # as much.
    orders = (1 + k / 100 for k in range(1, 2_000))
    sums = ((a, 2**-a * 4 ** (a - 1) + 4**-a * 2 ** (a - 1) + 0.25) for a in orders)
    renyi = math.log(2) / 4
    assert max(math.log(total) / (a - 1) / a for a, total in sums) < renyi
    (rho,) = [m.rho for m in found if isinstance(m, ZCDP)]
    assert float(rho) == pytest.approx((distance / 2) ** 2 * renyi, rel=1e-6)
    assert float(rho) >= (distance / 2) ** 2 * renyi * (1 - 1e-12)
