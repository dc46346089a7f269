"""What both sides of a comparison are asked: numbers without a program."""

from __future__ import annotations

import math

DELTA = "1e-6"
"""The delta at which a composition's epsilon is asked for."""

END = 2.5
"""The largest epsilon of a curve."""


def noise_scales(number: int) -> list[float]:
    """Different scales of noise, whose composition is about the same for any number."""
    root = math.sqrt(number)
    return [round(1000 * root * (1 + place / number)) / 1000 for place in range(number)]


def noise_multipliers(number: int) -> list[float]:
    """Different noise multipliers from 1 to 2."""
    return [round(1 + place / number, 6) for place in range(number)]
