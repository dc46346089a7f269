"""The page of first screens shows what the program prints."""

from __future__ import annotations

import pytest

from tests.first_screens import PAGE, config_of, screen_of, sections, shown_today
from tests.places import ROOT
from tests.samples import sampled

SECTIONS = {config_of(text).stem: text for text in sections(PAGE.read_text("utf-8"))}


def test_every_config_has_its_screens() -> None:
    assert set(SECTIONS) == {path.stem for path in (ROOT / "configs").glob("*.yaml")}


@pytest.mark.parametrize("name", sampled(sorted(SECTIONS), (1, 8, 16)))
def test_the_screen_is_today_s(name: str) -> None:
    section = SECTIONS[name]
    assert shown_today(section) == screen_of(config_of(section))
