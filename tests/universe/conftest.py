"""What lets small instances take the ways that are kept for large ones."""

from __future__ import annotations

import pytest

from semiaudit.universe import problem
from semiaudit.universe.system import listing


@pytest.fixture
def programs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is listed, and no closed form is used."""
    monkeypatch.setattr(problem, "tables_of", lambda system: None)
    monkeypatch.setattr(listing, "tables_of", lambda system: None)
    monkeypatch.setattr(problem, "grouped_table", lambda *args, **options: None)
