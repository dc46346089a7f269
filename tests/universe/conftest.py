"""What lets small instances take the ways that are kept for large ones."""

from __future__ import annotations

import pytest

from semiaudit.universe.distance import integer_programs, table_universe
from semiaudit.universe.system import listing


@pytest.fixture
def programs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is listed, and no closed form is used."""
    monkeypatch.setattr(integer_programs, "tables_of", lambda system: None)
    monkeypatch.setattr(listing, "tables_of", lambda system: None)
    monkeypatch.setattr(table_universe, "grouped_table", lambda *args, **options: None)
