"""Group privacy inside D_t of outputs that show the invariants; Lipschitz constants of samples."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from semiaudit import Spec, deadline
from semiaudit.auditing.run import audit_release
from semiaudit.deadline import OutOfTimeError
from semiaudit.mechanisms.finite.finite_kind import FINITE
from semiaudit.mechanisms.finite.lipschitz import DatasetSample, lipschitz_constant, satisfies
from semiaudit.mechanisms.kind import DatasetPairs
from semiaudit.mechanisms.mechanism_loss import loss_at
from semiaudit.model.audit import Release
from semiaudit.model.measure import ZCDP, PureDP
from semiaudit.model.mechanism import Finite
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.clocks import Ticks

BITS = list(product((0, 1), repeat=3))


def law(dataset: tuple[int, ...]) -> list[Fraction]:
    """The dataset with weight 2, others with as many ones with weight 1, and no others."""
    weights = [0 if sum(other) != sum(dataset) else 2 if other == dataset else 1 for other in BITS]
    return [Fraction(weight, sum(weights)) for weight in weights]


def release_of(*others: dict[str, Any]) -> Release:
    part = {"finite": {"rows": "datasets", "probabilities": [law(x) for x in BITS]}}
    mapping = {
        "semiaudit": 1,
        "dataspace": {"product": {"size": 3, "values": [0, 1]}},
        "invariants": [{"count": {"where": {"value": 1}}}],
        "mechanism": {"compose": [part, *others]} if others else part,
    }
    return Spec.from_mapping(mapping)._release


@pytest.mark.parametrize("distance", [1, 2, 4])
def test_a_distance_loses_so_many_times_the_constant_of_one_record(distance: int) -> None:
    release = release_of()
    assert isinstance(release.mechanism, Finite)
    spaces = SensitivitySpaces(release)
    assert FINITE.refusal(release.mechanism, "disagreeing", spaces)
    found = FINITE.loss(release.mechanism, DatasetPairs("D_t", distance, "steps"), spaces).measures
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


EVEN = {"finite": {"rows": "datasets", "probabilities": [["1/2", "1/2"]] * 8}}
DECLARED = {"pure_dp": {"epsilon": 1}}


@pytest.mark.parametrize("others", [(), (EVEN,), (DECLARED,), (EVEN, DECLARED)])
def test_no_number_holds_in_d_if_any_part_shows_the_invariants(others: tuple[Any, ...]) -> None:
    """Parts with a law for each dataset are composed together; a refusal is not lost thereby."""
    release = release_of(*others)
    spaces = SensitivitySpaces(release)
    shown = loss_at(
        release.mechanism, 1, "D", spaces, steps=True, asked=("disagreeing", "nominal_dp")
    )
    assert shown.refused
    assert not shown.measures
    rows = {row.guarantee.framework: row.guarantee for row in audit_release(release).rows}
    assert not rows["nominal_dp"].measures
    assert not rows["group_privacy"].measures
    assert rows["semi_dp"].measures
    (unit,) = [m.epsilon for m in rows["invariant_dp"].measures if isinstance(m, PureDP)]
    declared = DECLARED in others
    assert float(unit) == pytest.approx(math.log(2) / 2 + declared, rel=1e-12)


def test_the_time_limit_is_checked_for_every_pair_of_distributions() -> None:
    """The clock is read once for each dataset, and then for each of six pairs; all take ln 8."""
    laws = [(share, 1 - share) for share in (Fraction(1, 2**k) for k in range(1, 5))]
    sample = DatasetSample(laws, list("abcd"), np.ones((4, 4), dtype=np.int64))
    found = lipschitz_constant(sample, "mult")
    assert found is not None
    assert float(found.upper.value) == pytest.approx(np.log(8), rel=1e-12)
    with deadline.running(10.5, Ticks(1.0)):
        assert lipschitz_constant(sample, "mult") == found
    for seconds in (0.5, 4.5, 9.5):
        with deadline.running(seconds, Ticks(1.0)), pytest.raises(OutOfTimeError):
            lipschitz_constant(sample, "mult")


def test_a_delta_without_an_epsilon_is_the_total_variation_distance() -> None:
    laws = [(Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4))]
    sample = DatasetSample(laws, ["one", "two"], np.ones((2, 2), dtype=np.int64))
    found = satisfies(sample, Fraction(0), Fraction(1, 4), 1)
    assert found.holds
    assert found.delta.value == Fraction(1, 4)
    assert not satisfies(sample, Fraction(0), Fraction(24, 100), 1).holds
