"""Joint moves of several queries."""

from __future__ import annotations

from typing import Any, cast

from semiaudit.universe.sensitivity.joint_moves import _holds_all


def test_of_several_corners_none_is_known_to_dominate_every_sum_of_steps() -> None:
    corners = cast(Any, [((2, 1),), ((1, 2),)])
    assert not _holds_all(cast(Any, "no question is asked"), corners)
