"""Which signed moves are kept: those whose moves are not among those of another one."""

from __future__ import annotations

import pytest

from semiaudit.universe.sensitivity import signed_moves
from semiaudit.universe.sensitivity.signed_moves import _kept


def test_an_element_is_kept_if_no_other_one_and_no_opposite_has_its_moves() -> None:
    found = _kept([(1,), (-2, 1), (-1, 2), (2,), (3, 3), (3,), (-3,)], attained=True)
    assert found is not None
    assert {min(one, tuple(sorted(-k for k in one))) for one in found.elements} == {
        (-2, 1), (-3, -3),
    }  # fmt: skip
    assert found.attained


def test_fifty_times_as_many_elements_are_looked_at_as_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signed_moves, "MAX_ELEMENTS", 1)
    whole = tuple(range(1, 60))
    elements = [whole, *((k,) for k in range(1, 50))]
    found = _kept(elements, attained=False)
    assert found is not None
    assert len(found.elements) == 1
    assert _kept([*elements, (50,)], attained=False) is None
    assert _kept([(1, 1), (2, 2)], attained=False) is None
