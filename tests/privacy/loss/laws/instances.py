"""Laws whose weights are exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semiaudit.privacy.loss.laws.rounding import Tilted


def law(first: int, counts: Sequence[int]) -> Tilted:
    """Exact weights: the counts over a power of two that is their sum."""
    points = np.arange(first, first + len(counts))
    weights = np.array(counts, dtype=np.float64) / sum(counts)
    mean = float(weights @ points)
    variance = float(weights @ (points - mean) ** 2)
    return Tilted(points, weights, np.zeros(len(counts)), 0.0, -np.inf, 0.0, mean, variance)
