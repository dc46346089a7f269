"""Where the tree stands that the tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFIGS = ROOT / "configs"
SPECS = ROOT / "tests" / "specs"
