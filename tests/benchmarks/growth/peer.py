"""The same questions of dp_accounting, by an interpreter that has it and nothing of semiaudit.

    PATH -m tests.benchmarks.growth.peer NAME SIZE

Prints the CPU seconds and what it found, as `work` does.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from dp_accounting.pld import privacy_loss_distribution as pld

from tests.benchmarks.growth.sizes import DELTA, END, noise_multipliers, noise_scales

GRID = 1e-4
"""The interval on which it discretizes losses, its default."""


def _gaussian(sigma: float, rate: float = 1.0) -> Any:
    return pld.from_gaussian_mechanism(
        sigma, sampling_prob=rate, value_discretization_interval=GRID
    )


def _laplace(scale: float) -> Any:
    return pld.from_laplace_mechanism(scale, value_discretization_interval=GRID)


def _composed(parts: Iterable[Any]) -> Any:
    whole = None
    for part in parts:
        whole = part if whole is None else whole.compose(part)
    return whole


def _epsilon(loss: Any) -> str:
    return f"{float(loss.get_epsilon_for_delta(float(DELTA))):.4g}"


def _curve(loss: Any, points: int) -> str:
    epsilons = [END / 20 + place * (END - END / 20) / max(1, points - 1) for place in range(points)]
    return f"{max(float(delta) for delta in loss.get_delta_for_epsilon(epsilons)):.3g}"


def _two_noises(times: int) -> Any:
    return _composed([_gaussian(5).self_compose(times), _laplace(3).self_compose(times)])


KINDS: dict[str, Callable[[int], str]] = {
    "gaussian": lambda size: _epsilon(_composed(map(_gaussian, noise_scales(size)))),
    "laplace": lambda size: _epsilon(_composed(map(_laplace, noise_scales(size)))),
    "sampled": lambda size: _epsilon(
        _composed(_gaussian(one, 0.01) for one in noise_multipliers(size))
    ),
    "sampled_steps": lambda size: _epsilon(_gaussian(1, 0.01).self_compose(size)),
    "curve_one_noise": lambda size: _curve(_gaussian(1, 0.01).self_compose(1000), size),
    "curve_two_noises": lambda size: _curve(_two_noises(20), size),
}


def main() -> None:
    name, size = sys.argv[1], int(sys.argv[2])
    KINDS[name](2)
    begun = time.process_time()
    answer = KINDS[name](size)
    print(json.dumps([time.process_time() - begun, answer]))


if __name__ == "__main__":
    main()
