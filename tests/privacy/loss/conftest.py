"""What lets small instances take the ways that the engine keeps for large ones."""

from __future__ import annotations

from typing import Any

import pytest

from semiaudit.privacy.loss.laws import folded
from semiaudit.privacy.loss.laws.folded import FewFrequencies, few_frequencies


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> list[FewFrequencies]:
    """Few frequencies are taken wherever they are certified to be enough, in short windows too.

    Returns:
        the laws that were found so, a longer list after each use.
    """
    monkeypatch.setattr(folded, "_SHORTEST", 64)
    monkeypatch.setattr(folded, "_POINTS", 2)
    laws: list[FewFrequencies] = []

    def asked(*arguments: Any) -> FewFrequencies | None:
        law = few_frequencies(*arguments)
        laws.extend([] if law is None else [law])
        return law

    monkeypatch.setattr(folded, "few_frequencies", asked)
    return laws
