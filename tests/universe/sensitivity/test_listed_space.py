"""How much room a move has below the largest counts, and the span of what was listed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from semiaudit.universe.sensitivity import listed_space
from semiaudit.universe.sensitivity.differences import Collector
from semiaudit.universe.sensitivity.elements import orthonormal


def test_the_room_of_a_move_is_that_of_its_tightest_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of at most 5, 5 and 1 records; the last move needs 3 records of the third."""
    monkeypatch.setattr(listed_space, "upper_ends", lambda *_: [5, 5, 1])
    system: Any = SimpleNamespace(size=9)
    moves = np.array([[1, -1, 0], [2, -4, 0], [0, -3, 3]])
    assert listed_space._room(system, moves).tolist() == [4, 1, -2]


def test_vectors_that_are_nearly_parallel_span_a_plane() -> None:
    """Their determinant is 1: only the second singular value is too small for a double."""
    k = 1 << 27
    collector = Collector(2)
    collector.add(np.array([[k, k + 1], [k - 1, k]], dtype=np.int64))
    basis = orthonormal(listed_space._whole(collector.result(), "moves"))
    assert basis is not None
    assert basis.shape == (2, 2)
    assert np.allclose(basis @ basis.T, np.eye(2))
