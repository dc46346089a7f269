"""Where the paths lead that a spec names: no further than its own folder, or a root."""

from __future__ import annotations

import os
from pathlib import Path

REMEDY = "keep it there, or name a folder that holds both with --root"


class OutsideError(ValueError):
    """A path that leads out of where it may lead; its text says so without naming the target."""


def path_inside(folder: str | Path, name: str, root: str = "") -> Path:
    """The path of a file that a spec names.

    Args:
        folder: the spec's own, which relative names are relative to.
        name: as the spec writes it.
        root: another folder in which the file may lie; empty for none.

    Returns:
        ``folder / name``, as people name it; resolved where it goes upwards, so that whether it
        can be opened tells nothing about folders on the way.

    Raises:
        OutsideError: with all links resolved, it lies in neither folder.
    """
    path = Path(folder) / name
    if not is_inside(path, folder) and not (root and is_inside(path, root)):
        raise OutsideError("leads out of the spec's folder" + (" and out of the root" * bool(root)))
    return Path(os.path.realpath(path)) if ".." in Path(name).parts else path


def is_inside(path: str | Path, folder: str | Path) -> bool:
    """Whether a path lies in a folder, or is it, once all links of both are resolved.

    A path that cannot exist, with a NUL in it, lies nowhere.
    """
    try:
        real, inside = os.path.realpath(path), os.path.realpath(folder)
        return os.path.commonpath([real, inside]) == inside
    except ValueError:  # a NUL, or another drive
        return False
