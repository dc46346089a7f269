"""What a curve costs: 200 numbers of one composition over one number of it.

    OMP_NUM_THREADS=1 python -m tests.benchmarks.curves [--peer-python PATH] [--only NAME] [--write]

With e = epsilon(1e-5): deltas at 200 epsilons from e / 20 to 1.5 e, epsilons at 200 deltas from
1e-12 to 0.1, and true positive rates at 200 rates between 0 and 1, each as one call of the library
at a tolerance of 1e-6. `one` is the mean of single calls at seven places of the same curve, in
seconds of the processor; `ratio` is the time of all 200 over it (the goal is 3).

With --peer-python, the interpreter of an environment that has dp_accounting, the same epsilons are
asked of its privacy-loss distribution, which bounds delta from above. Its grid is made finer until
its deltas are within the width of our brackets, or one takes longer than the patience; its time is
that of the last grid, with all 200 numbers. `--write` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semiaudit import (
    ZCDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    SubsampledGaussian,
)
from semiaudit.library.guarantee import Guarantee
from tests.benchmarks.growth.work import equal_steps
from tests.benchmarks.tables import write_table
from tests.privacy.loss.test_census import production_variances

DOCUMENT = Path(__file__).parents[2] / "docs" / "performance.md"
POINTS, SINGLES = 200, 7
TOLERANCE, PATIENCE = 1e-6, 60.0
LIMIT = 3600.0
"""Seconds of the clock for one call, so many that a busy machine does not cut it short."""

INTERVALS = (1e-3, 1e-4, 3e-5, 1e-5, 3e-6)

PEER = """
import json, sys, time
from dp_accounting.pld import privacy_loss_distribution as pld
asked = json.load(sys.stdin)
def composed(interval):
    whole = None
    for kind, arguments, repeat in asked["parts"]:
        make = getattr(pld, "from_" + kind + "_mechanism")
        one = make(**arguments, value_discretization_interval=interval).self_compose(repeat)
        whole = one if whole is None else whole.compose(one)
    return whole
begun = time.process_time()
whole = composed(asked["interval"])
deltas = [float(x) for x in whole.get_delta_for_epsilon(asked["epsilons"])]
print(json.dumps([time.process_time() - begun, deltas]))
"""

Peer = list[tuple[str, dict[str, object], int]]


def _gaussian(sigma: float, rate: float | None = None) -> dict[str, object]:
    own: dict[str, object] = {"standard_deviation": sigma}
    return own if rate is None else {**own, "sampling_prob": rate}


def _sampled_and_plain() -> Guarantee:
    both = SubsampledGaussian(1, "0.01", 500) + Gaussian(3)
    return both.guarantee(metric="symmetric_difference", time_limit=LIMIT)


def _scales() -> Guarantee:
    scales = [Fraction(3) + Fraction(37, 1000) * k for k in range(999)]
    parts = [{"laplace": {"scale": str(scale), "shifts": [1]}} for scale in scales]
    return Mechanism({"compose": parts}).guarantee(time_limit=LIMIT)


def _census() -> Guarantee:
    counted = Counter(production_variances(state_total=True))
    parts = [
        {"discrete_gaussian": {"sigma_squared": str(variance), "shifts": [1]}, "repeat": 2 * times}
        for variance, times in counted.items()
    ]
    return Mechanism({"compose": parts}).guarantee(time_limit=LIMIT)


def _census_peer() -> Peer:
    counted = Counter(production_variances(state_total=True))
    return [
        ("discrete_gaussian", {"sigma": float(variance) ** 0.5}, 2 * times)
        for variance, times in counted.items()
    ]


CASES: dict[str, tuple[Callable[[], Guarantee], Callable[[], Peer]]] = {
    "sampled Gaussian, 1,000 steps": (
        lambda: equal_steps(1000),
        lambda: [("gaussian", _gaussian(1.0, 0.01), 1000)],
    ),
    "sampled Gaussian, 500 steps, and Gaussian(3)": (
        _sampled_and_plain,
        lambda: [("gaussian", _gaussian(1.0, 0.01), 500), ("gaussian", _gaussian(3.0), 1)],
    ),
    "Gaussian(5) x 20 and Laplace(3) x 20": (
        lambda: (Gaussian(5) * 20 + Laplace(3) * 20).guarantee(time_limit=LIMIT),
        lambda: [("gaussian", _gaussian(5.0), 20), ("laplace", {"parameter": 3.0}, 20)],
    ),
    "999 Laplace scales": (
        _scales,
        lambda: [("laplace", {"parameter": 3 + 0.037 * k}, 1) for k in range(999)],
    ),
    "the census allocation, 65 queries": (_census, _census_peer),
    "discrete Gaussian x 5 and Laplace x 10": (
        lambda: (DiscreteGaussian(sigma_squared=4) * 5 + Laplace(3) * 10).guarantee(
            time_limit=LIMIT
        ),
        lambda: [("discrete_gaussian", {"sigma": 2.0}, 5), ("laplace", {"parameter": 3.0}, 10)],
    ),
    "Laplace x 30": (
        lambda: (Laplace(10) * 30).guarantee(time_limit=LIMIT),
        lambda: [("laplace", {"parameter": 10.0}, 30)],
    ),
    "discrete Laplace x 10": (
        lambda: (DiscreteLaplace(scale=10) * 10).guarantee(time_limit=LIMIT),
        lambda: [("discrete_laplace", {"parameter": 0.1}, 10)],
    ),
    "ZCDP(0.3)": (lambda: ZCDP("0.3").guarantee(time_limit=LIMIT), list),
}


def seconds_of(call: Callable[[], object]) -> float:
    begun = time.process_time()
    call()
    return time.process_time() - begun


def curves(guarantee: Guarantee) -> Iterator[tuple[str, float, float]]:
    """The name of a number, seconds for one, and seconds for all."""
    end = float(guarantee.epsilon("1e-5"))
    asked: list[tuple[str, Callable[..., object], NDArray[np.float64]]] = [
        ("delta", guarantee.delta, np.linspace(end / 20, 1.5 * end, POINTS)),
        ("epsilon", guarantee.epsilon, np.geomspace(1e-12, 0.1, POINTS)),
        ("tpr", guarantee.tpr, np.linspace(0, 1, POINTS + 2)[1:-1]),
    ]
    for name, number, places in asked:
        together = seconds_of(partial(number, places))
        # Next to the places of the curve, so that no number is known already.
        singles = places[:: POINTS // SINGLES][:SINGLES] * (1 + 1e-9)
        alone = [seconds_of(partial(number, float(at))) for at in singles]
        yield name, sum(alone) / len(alone), together


def peer_of(python: str, guarantee: Guarantee, parts: Peer, patience: float) -> str:
    """Seconds of the peer for the curve of delta, and the relative width that it reached."""
    end = float(guarantee.epsilon("1e-5"))
    epsilons = np.linspace(end / 20, 1.5 * end, POINTS)
    ours = guarantee.delta(epsilons)
    last = "-"
    for interval in INTERVALS:
        asked = {"parts": parts, "interval": interval, "epsilons": epsilons.tolist()}
        command = [python, "-c", PEER]
        try:
            done = subprocess.run(
                command, input=json.dumps(asked), capture_output=True, text=True, timeout=patience
            )
        except subprocess.TimeoutExpired:
            return f"{last}; {interval:g}: over {patience:.0f} s"
        if done.returncode:
            return f"{last}; {interval:g}: failed"
        seconds, deltas = json.loads(done.stdout)
        off = float(np.max(np.abs(np.array(deltas) / ours - 1)))
        last = f"{seconds:.1f} s within {off:.0e} at {interval:g}"
        if off <= TOLERANCE:
            break
    return last


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-python", help="an interpreter that has dp_accounting")
    parser.add_argument("--only", help="a part of the name of one mechanism")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds for the peer")
    parser.add_argument("--write", action="store_true", help=f"put the table into {DOCUMENT.name}")
    options = parser.parse_args()
    lines = [
        "| mechanism | number | one | 200 | ratio | dp_accounting, 200 deltas |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    print(*lines, sep="\n", flush=True)
    for name, (guaranteed, parts) in CASES.items():
        if options.only and options.only not in name:
            continue
        guarantee = guaranteed()
        for number, one, many in curves(guarantee):
            theirs = ""
            if number == "delta" and options.peer_python:
                theirs = peer_of(options.peer_python, guarantee, parts(), options.patience)
            row = (
                f"| {name} | {number} | {one:.4f} s | {many:.3f} s | {many / one:.1f} | {theirs} |"
            )
            print(row, flush=True)
            lines.append(row)
    if options.write and not options.only:
        write_table(DOCUMENT, "curves", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
