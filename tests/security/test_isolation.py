"""Nothing that lies in the working directory is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.places import ROOT
from tests.security.attacks import MARGIN, TABLE, run, spec

PLANTED = "open({marker!r}, 'w').close()\nraise SystemExit('planted')\n"


def planted(folder: Path, *names: str) -> Path:
    """Modules that leave a marker if anybody imports them."""
    marker = folder.parent / "marker"
    for name in names:
        (folder / f"{name}.py").write_text(PLANTED.format(marker=str(marker)))
    return marker


@pytest.mark.lengthy
def test_the_workers_of_a_batch_import_nothing_from_the_working_directory(
    tmp_path: Path, wheel: Path
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    marker = planted(
        folder, "multiprocessing", "concurrent", "yaml", "numpy", "pickle", "semiaudit"
    )
    for number in range(3):
        spec(folder, TABLE + MARGIN, f"x{number}.semiaudit.yaml")
    done = run(folder, "batch", ".", "--jobs", "2", tree=wheel)
    assert not marker.exists()
    assert done.returncode == 0, done.stderr


@pytest.mark.lengthy
def test_the_action_installs_with_the_pip_of_python_and_not_of_the_checkout(tmp_path: Path) -> None:
    folder = tmp_path / "checkout"
    folder.mkdir()
    marker = planted(folder, "pip", "venv", "subprocess")
    action = yaml.safe_load((ROOT / ".github/actions/semiaudit/action.yml").read_text("utf-8"))
    (step,) = (step for step in action["runs"]["steps"] if "pip" in step["run"])
    shims = tmp_path / "bin"
    shims.mkdir()
    (shims / "python3").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" "$@" --dry-run --no-deps --no-build-isolation\n'
    )
    (shims / "python3").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{shims}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(ROOT / ".github/actions/semiaudit"),
    }
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert not marker.exists()
    assert done.returncode == 0, done.stderr
