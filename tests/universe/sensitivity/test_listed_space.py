"""How much room a move has below the largest counts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from semiaudit.universe.sensitivity import listed_space


def test_the_room_of_a_move_is_that_of_its_tightest_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of at most 5, 5 and 1 records; the last move needs 3 records of the third."""
    monkeypatch.setattr(listed_space, "upper_ends", lambda *_: [5, 5, 1])
    system: Any = SimpleNamespace(size=9)
    moves = np.array([[1, -1, 0], [2, -4, 0], [0, -3, 3]])
    assert listed_space._room(system, moves).tolist() == [4, 1, -2]
