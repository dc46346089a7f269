"""Whether noise in the span of the changes can publish a part of D_t."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.mechanisms import supports


@pytest.mark.parametrize(
    ("fills", "joined", "reason"),
    [
        (True, False, ""),
        (True, None, ""),
        (False, True, ""),
        (False, None, supports.MAYBE_PARTS),
        (False, False, supports.PARTS),
    ],
)
def test_a_part_is_published_unless_the_span_is_all_or_d_t_is_connected(
    fills: bool, joined: bool | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spaces: Any = SimpleNamespace(subspaces=SimpleNamespace(fills=lambda *_: fills))
    part: Any = SimpleNamespace(made_for=2)
    query: Any = None
    monkeypatch.setattr(supports, "connected", lambda *_: joined)
    assert supports.revealed_parts(part, query, spaces) == reason
    undesigned: Any = SimpleNamespace(made_for=None)
    assert supports.revealed_parts(undesigned, query, spaces) == supports.NO_DISTANCE
