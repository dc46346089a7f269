"""What lets small instances take the ways that are kept for large ones."""

from __future__ import annotations

import pytest

from semiaudit.universe.distance import of_system, of_table
from semiaudit.universe.system import listing


@pytest.fixture
def programs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is listed, and no closed form is used."""
    monkeypatch.setattr(of_system, "tables_of", lambda system: None)
    monkeypatch.setattr(listing, "tables_of", lambda system: None)
    monkeypatch.setattr(of_table, "grouped_table", lambda *args, **options: None)
