"""The Gaussian limit of many small losses, from moments that are put in."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.privacy.approximations.clt import berry_esseen_gap, clt_mu


def test_mu_and_the_gap_are_the_quotients_of_the_theorem() -> None:
    """25 parts: mu is 2 * 25 * 3 / 10 and the gap 0.56 * 25 * 10 / 10^3, as the variance is 100."""
    moments: Any = SimpleNamespace(null=SimpleNamespace(mean=-3.0, variance=4.0, absolute=10.0))
    assert clt_mu([(moments, 25)]).estimate == pytest.approx(15)
    assert berry_esseen_gap([(moments, 25)]).estimate == pytest.approx(0.14)
    assert berry_esseen_gap([(moments, 16), (moments, 9)]).estimate == pytest.approx(0.14)
