"""Laws that belong together: each is looked for only while there is time."""

from __future__ import annotations

import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.privacy.loss.laws.folded import folded_laws
from tests.clocks import Ticks
from tests.privacy.loss.laws.instances import law


def test_no_law_is_begun_once_the_time_is_up() -> None:
    """Two looks at the clock are left for five laws, and each takes one at least."""
    family = ([(law(-1, [1, 2, 1]), 30)], -64)
    assert len(folded_laws([family] * 5, 128, decay=0.1, precision=1e-9, most=1 << 10)) == 5
    clock = Ticks(1.0)
    with deadline.running(2.5, clock), pytest.raises(OutOfTimeError):
        folded_laws([family] * 5, 128, decay=0.1, precision=1e-9, most=1 << 10)
    assert clock.time <= 5
