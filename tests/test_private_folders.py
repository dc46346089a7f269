"""Private folders: what another run sweeps away before it is locked is made anew."""

from __future__ import annotations

import os
import tempfile

import pytest

from semiaudit.private_folders import private_folder


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
