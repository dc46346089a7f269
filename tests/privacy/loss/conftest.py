"""What lets small instances take the ways that the engine keeps for large ones."""

from __future__ import annotations

import pytest

from semiaudit.privacy.loss.laws import few_frequencies


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few frequencies are taken wherever they are certified to be enough, in short windows too."""
    monkeypatch.setattr(few_frequencies, "_SHORTEST", 64)
    monkeypatch.setattr(few_frequencies, "_POINTS", 2)
    monkeypatch.setattr(few_frequencies, "_FEWEST_SAMPLES", 6)
