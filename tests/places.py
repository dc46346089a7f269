"""Where the tree stands that the tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFIGS = ROOT / "configs"
LENGTHY = frozenset(
    {
        "census2020_dhc_persons",
        "census2020_dhc_units",
        "census2020_persons_and_units",
        "census2020_pl94_persons",
        "census2020_pl94_production",
        "census2020_pl94_without_aian_areas",
    }
)
"""Shipped configs whose audits take several seconds each."""
SPECS = ROOT / "tests" / "specs"
