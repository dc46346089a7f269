"""The pictures of docs/gallery.md: ``python -m tests.gallery`` draws them again."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from semiaudit.cli import main
from tests.places import CONFIGS, ROOT

FOLDER = ROOT / "docs" / "_static" / "gallery"
PAGE = (ROOT / "docs" / "gallery.md").read_text("utf-8")
VERDICTS = {
    name: " ".join(verdict.replace("> ", "").split())
    for verdict, name in re.findall(r"^(> .*?)\n\n!.*?/(\w+)\.svg", PAGE, re.M | re.S)
}
"""What the page quotes, by the name of the config."""


def draw(name: str, folder: Path) -> tuple[bytes, str]:
    """Draw the picture of a config into a folder; return it, and the report's first lines."""
    file = folder / f"{name}.svg"
    with redirect_stdout(StringIO()) as printed:
        main(["analyze", str(CONFIGS / f"{name}.yaml"), "--figure", "attack", "-o", f"svg={file}"])
    return file.read_bytes(), " ".join(printed.getvalue().split())


if __name__ == "__main__":
    for config in VERDICTS:
        draw(config, FOLDER)
