"""What a mechanism's loss is at a distance, by its kind.

``DECLARED`` maps a kind to all that follows from the measure that it declares; ``NOISE`` maps a
kind of noise to what it loses where the answer of its query moves as far as a sensitivity says;
``RANDOMIZERS`` maps a mechanism that acts on records to what it loses at a distance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from semiaudit.mechanisms import declared, noise, randomizers
from semiaudit.model.measure import Measure
from semiaudit.model.mechanism import Noise
from semiaudit.model.sensitivity import Sensitivity

Measures = tuple[Measure, ...]

DECLARED: dict[str, Callable[[Measure], Measures]] = {
    "pure_dp": declared.pure_dp,
    "approx_dp": declared.approx_dp,
    "zcdp": declared.zcdp,
    "gdp": declared.gdp,
    "tradeoff": declared.tradeoff_points,
}
NOISE: dict[str, Callable[[Noise, Sensitivity, Sensitivity], Measures]] = {
    "gaussian": noise.gaussian,
    "discrete_gaussian": noise.discrete_gaussian,
    "laplace": noise.laplace,
    "discrete_laplace": noise.discrete_laplace,
    "k_norm": noise.k_norm,
}
RANDOMIZERS: dict[str, Callable[[Any, int], Measures]] = {
    "randomized_response": randomizers.randomized_response,
    "subsampled_gaussian": randomizers.subsampled_gaussian,
    "shuffled": randomizers.shuffled,
}
MECHANISMS: dict[str, Callable[..., Measures]] = {**DECLARED, **NOISE, **RANDOMIZERS}
"""Every kind that a spec can name."""
