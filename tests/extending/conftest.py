"""Copies of the tree that the tests of one example share: Python compiles each of them once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.extending.patches import Patched, applied


@pytest.fixture(scope="session")
def patched(tmp_path_factory: pytest.TempPathFactory) -> Patched:
    """Copies for tests that change nothing in them."""

    @cache
    def copy(patch_name: str) -> Path:
        return applied(patch_name, tmp_path_factory.mktemp("patched"))

    return copy
