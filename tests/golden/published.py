"""The published numbers, by their names in published.csv."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Published:
    """`text`: the value with all its digits; `tolerance`: how far off it may be."""

    text: str
    tolerance: float
    what: str
    source: str

    @property
    def value(self) -> float:
        return float(self.text)


def _read() -> dict[str, Published]:
    found: dict[str, Published] = {}
    with Path(__file__).with_name("published.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            assert row["name"] not in found, row["name"]
            name, text, tolerance = row["name"], row["value"], float(row["tolerance"])
            found[name] = Published(text, tolerance, row["what"], row["source"])
    return found


PUBLISHED = _read()


def golden(name: str) -> Any:
    """What equals a published number within its tolerance; 0 asks for the number itself."""
    published = PUBLISHED[name]
    if published.tolerance == 0:
        return published.value
    return pytest.approx(published.value, abs=published.tolerance)
