"""Pictures of the pages and figures of configs, for people to look at.

``python -m tests.browser.screenshots FOLDER`` writes, for each config, its page, pictures of it at
1280 and 390 pixels, light and dark, and its figures. Add names of configs for others.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import semiaudit
from tests.browser.chromium import Browser, Medium
from tests.places import CONFIGS

SHOWN = (
    "census2020_pl94",
    "swapping_1940_households",
    "israel_live_births_2014",
    "three_level_geography",
    "example5_table",
    "cell_key_census",
    "census2020_pl94_persons",
    "example3_all_zero",
)
"""Configs whose pages differ the most: hierarchies, swapping, tables, refusals, a disclosure."""

SCREENS: tuple[tuple[int, Medium], ...] = tuple(
    (width, medium) for width in (1280, 390) for medium in ("light", "dark")
)


def photograph(folder: Path, names: tuple[str, ...]) -> None:
    """Write the page, the pictures of the page, and the figures of each config."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        report = semiaudit.audit(CONFIGS / f"{name}.yaml")
        (folder / f"{name}.html").write_text(report.render("html"), "utf-8")
        (folder / f"{name}_figures.png").write_bytes(report.plotted("png"))
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser.started(Path(profile))
        try:
            for name in names:
                for width, medium in SCREENS:
                    browser.show(folder / f"{name}.html", width, medium)
                    browser.picture(folder / f"{name}_{width}_{medium}.png")
        finally:
            browser.close()


if __name__ == "__main__":
    photograph(Path(sys.argv[1]), tuple(sys.argv[2:]) or SHOWN)
