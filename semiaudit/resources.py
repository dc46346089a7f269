"""Files that ship with the program: example specs and JSON Schemas."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

_PACKAGE = Path(__file__).resolve().parent


def shipped_configs() -> list[str]:
    """The names of the shipped specs, without folder and ending, in order."""
    folders = (_PACKAGE / "shipped" / "configs", _PACKAGE.parent / "configs")
    configs = next((folder for folder in folders if folder.is_dir()), None)
    return sorted(path.stem for path in configs.glob("*.yaml")) if configs else []


def shipped(name: str) -> Path | None:
    """A shipped file by its name in the source tree, or None if there is none.

    Args:
        name: ``configs/NAME.yaml``, or ``NAME.schema.json`` (as ``semiaudit schema NAME`` prints
            it).

    In an installed wheel the files lie inside the package; in a source tree at their own places.
    """
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts:
        return None
    folder = "docs" if relative.suffix == ".json" else ""
    places = (_PACKAGE / "shipped" / relative, _PACKAGE.parent / folder / relative)
    is_shipped = relative.parts[:1] == ("configs",) or folder
    return next((place for place in places if is_shipped and place.is_file()), None)
