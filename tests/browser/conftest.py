"""A headless Chromium for the tests marked ``browser``, and the pages that they open."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Browser
from tests.browser.made import make_pages
from tests.places import ROOT


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = Browser.started(tmp_path_factory.mktemp("profile"))
    try:
        yield found
    finally:
        found.close()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages by their names."""
    return make_pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where pictures of the pages are left for people to look at; git does not know it."""
    folder = Path(os.environ.get("SEMIAUDIT_ARTIFACTS", ROOT / ".artifacts")) / "screenshots"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
