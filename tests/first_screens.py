"""The first screen of every shipped config, at commit 3cfefce and today.

python -m tests.first_screens          write today's screens into docs/first_screens.md
"""

from __future__ import annotations

import re
from pathlib import Path

from semiaudit.library.report import audit
from tests.places import ROOT

PAGE = ROOT / "docs" / "first_screens.md"
_TODAY = re.compile(r"(?<=\nToday:\n\n```text\n).*?(?=```)", re.DOTALL)


def sections(page: str) -> list[str]:
    """The sections of the page, one for each config, each with its heading."""
    return re.split(r"(?m)^(?=## )", page)[1:]


def config_of(section: str) -> Path:
    """The config that a section shows."""
    return ROOT / "configs" / f"{section.removeprefix('## ').partition(chr(10))[0]}.yaml"


def screen_of(config: Path) -> str:
    """What `analyze` prints up to the first empty line after its head, at 80 columns."""
    name = config.relative_to(ROOT).as_posix()
    text = audit(config).render("text").replace(str(config), name)
    title, head, *_ = text.split("\n\n")
    return f"{title}\n\n{head.rstrip()}\n"


def shown_today(section: str) -> str:
    """The screen that the page shows as today's."""
    found = _TODAY.search(section)
    assert found is not None
    return found[0]


def write() -> None:
    """Write today's screens into the page."""
    page = PAGE.read_text("utf-8")
    for section in sections(page):
        today = screen_of(config_of(section))
        page = page.replace(section, section.replace(shown_today(section), today))
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    write()
