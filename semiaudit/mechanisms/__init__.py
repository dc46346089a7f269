"""What a mechanism's loss is at a distance. ``MECHANISMS`` maps a kind to what it declares."""

from __future__ import annotations

from collections.abc import Callable

from semiaudit.mechanisms.declared import (
    approx_dp,
    gdp,
    pure_dp,
    tradeoff_points,
    zcdp,
)
from semiaudit.model.measure import Measure

MECHANISMS: dict[str, Callable[[Measure], tuple[Measure, ...]]] = {
    "pure_dp": pure_dp,
    "approx_dp": approx_dp,
    "zcdp": zcdp,
    "gdp": gdp,
    "tradeoff": tradeoff_points,
}
