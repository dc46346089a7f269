"""Private folders and temporary files: nothing is left, whenever a signal comes."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from semiaudit.private_folders import private_folder, temporary_file
from semiaudit.process import forget_interrupts, interrupt


def test_a_folder_that_is_swept_before_it_is_opened_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, make = [], tempfile.mkdtemp

    def swept(*, prefix: str) -> str:
        made.append(make(prefix=prefix))
        if len(made) == 1:
            os.rmdir(made[0])
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", swept)
    with private_folder() as folder:
        assert os.path.isdir(folder)
    assert len(made) == 2


@pytest.fixture
def interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, interrupt)
    yield
    signal.signal(signal.SIGTERM, before)
    forget_interrupts()


@pytest.mark.usefixtures("interruptible")
def test_a_signal_while_a_temporary_file_is_made_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = tempfile.mkstemp

    def disturbed(**options: Any) -> tuple[int, str]:
        made: tuple[int, str] = make(**options)
        signal.raise_signal(signal.SIGTERM)
        return made

    def write() -> None:
        with temporary_file(str(tmp_path)):
            pytest.fail("the signal came before")

    monkeypatch.setattr(tempfile, "mkstemp", disturbed)
    with pytest.raises(KeyboardInterrupt):
        write()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("interruptible")
def test_a_signal_after_a_file_has_its_new_name_is_still_a_signal(tmp_path: Path) -> None:
    def write() -> None:
        with temporary_file(str(tmp_path)) as name:
            os.replace(name, tmp_path / "report")
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt):
        write()
    assert [path.name for path in tmp_path.iterdir()] == ["report"]
