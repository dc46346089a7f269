"""The pictures of docs/gallery.md: ``python -m tests.gallery`` draws them again."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from semiaudit.cli import main
from tests.places import CONFIGS, ROOT

FOLDER = ROOT / "docs" / "_static" / "gallery"
NAMES = re.findall(r"gallery/(\w+)\.svg", (ROOT / "docs" / "gallery.md").read_text("utf-8"))


def draw(name: str, folder: Path) -> bytes:
    """Draw the picture of a config into a folder, and return it."""
    file = folder / f"{name}.svg"
    with redirect_stdout(StringIO()):
        main(["analyze", str(CONFIGS / f"{name}.yaml"), "--figure", "attack", "-o", f"svg={file}"])
    return file.read_bytes()


if __name__ == "__main__":
    for config in NAMES:
        draw(config, FOLDER)
