"""The search for a Lipschitz constant ends at the time limit; a guarantee is checked by pairs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.mechanisms.finite.lipschitz import DatasetSample, lipschitz_constant, satisfies
from tests.clocks import Ticks


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
