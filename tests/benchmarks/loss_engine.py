"""The loss engine beside dp_accounting, in one run; needs `pip install dp_accounting`.

    OMP_NUM_THREADS=1 python -m tests.benchmarks.loss_engine [--write] [--tolerance 1e-6]
        [--patience 1.5]

Gaussian, Laplace and discrete Gaussian noise, 1 to 100,000 times, with a total of about mu = 1,
and Gaussian noise of sigma 1 on samples of rate 1 / sqrt(times), at most 1/4; at delta 1e-5, 1e-10
and 1e-15. The peer gets finer and finer grids until its epsilon is as close to
our bracket as that is wide (or a relative 1e-12), or a grid takes longer than the patience. Times
are of the processor, not of the clock, for both sides: the best of the runs that fit into some
tenths of a second, three at least up to a second.

`ratio` is the peer's time at its last grid over ours. `>=` says that the peer had not reached our
error at any grid by then, so that the ratio is a lower bound. `wrong` says the same, and that its
last epsilon lies below our certified lower end, or is infinite. `--write` puts the table into
docs/theory/measurements.md between its markers.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from dp_accounting.pld import privacy_loss_distribution as peer

from semiaudit.model.loss import (
    DiscreteGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    SubsampledGaussianLoss,
)
from semiaudit.privacy.loss import Accuracy, Bracket
from semiaudit.privacy.loss.engine import epsilon_bracket
from semiaudit.privacy.measures import gdp
from tests.benchmarks.tables import write_table

DOCUMENT = Path(__file__).parents[2] / "docs" / "theory" / "measurements.md"
COUNTS = (1, 10, 1_000, 100_000)
DELTAS = (5, 10, 15)
LONG_ENOUGH = 0.3
MOST_RUNS = 500
INTERVALS = (1e-1, 1e-2, 1e-3, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6)


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    best, total, found = math.inf, 0.0, None
    for runs in range(1, MOST_RUNS + 1):
        gdp.epsilon_at.cache_clear()
        begun = time.process_time()
        found = action()
        spent = time.process_time() - begun
        best, total = min(best, spent), total + spent
        if total > 1 or (total > LONG_ENOUGH and runs >= 3):
            break
    return best, found


def cases(count: int) -> list[tuple[str, Loss, Callable[[float], Any]]]:
    root = math.sqrt(count)
    rate = min(0.25, 1 / root)
    # The double that the peer gets is the rational that we get.
    shift = Fraction(1.4142 / root)
    return [
        (
            "gaussian",
            GaussianLoss(Fraction(1) / Fraction(root) ** 2),
            lambda interval: peer.from_gaussian_mechanism(
                root, value_discretization_interval=interval, use_connect_dots=True
            ),
        ),
        (
            "laplace",
            LaplaceLoss(shift),
            lambda interval: peer.from_laplace_mechanism(
                1.0,
                sensitivity=float(shift),
                value_discretization_interval=interval,
                use_connect_dots=True,
            ),
        ),
        (
            "discrete gaussian",
            DiscreteGaussianLoss(1, Fraction(root) ** 2),
            lambda interval: peer.from_discrete_gaussian_mechanism(
                root, value_discretization_interval=interval, use_connect_dots=True
            ),
        ),
        (
            "subsampled gaussian",
            SubsampledGaussianLoss(Fraction(1), Fraction(rate)),
            lambda interval: peer.from_gaussian_mechanism(
                1.0,
                sampling_prob=rate,
                value_discretization_interval=interval,
                use_connect_dots=True,
            ),
        ),
    ]


def peer_run(
    make: Callable[[float], Any], count: int, delta: float, ours: Bracket, patience: float
) -> tuple[float, float, float, bool]:
    """(time, interval, epsilon, whether it came as close as our bracket is wide)."""
    width = max(ours.upper - ours.lower, 1e-12 * ours.upper)
    middle = (ours.upper + ours.lower) / 2
    found = (0.0, 0.0, math.nan, False)
    for interval in INTERVALS:
        if interval > ours.upper / 10 and interval > 1e-3:
            continue

        def run(interval: float = interval) -> float:
            single = make(interval)
            composed = single if count == 1 else single.self_compose(count)
            return float(composed.get_epsilon_for_delta(delta))

        begun = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            epsilon = run()
        seconds = time.process_time() - begun
        close = abs(epsilon - middle) <= width
        if close and seconds < 0.5:
            seconds, epsilon = timed(run)
        found = (seconds, interval, epsilon, close)
        if close or seconds > patience:
            break
    return found


def rows(tolerance: float, patience: float) -> Iterator[tuple[str, float]]:
    for count in COUNTS:
        for name, part, make in cases(count):
            if (name, count) == ("subsampled gaussian", 1):
                continue
            loss = PrivacyLoss(((part, count),))
            for digits in DELTAS:
                delta = Fraction(1, 10**digits)

                def ask(loss: PrivacyLoss = loss, delta: Fraction = delta) -> Bracket:
                    return epsilon_bracket(loss, delta, Accuracy(tolerance))

                ask()
                seconds, ours = timed(ask)
                theirs, grid, epsilon, close = peer_run(make, count, float(delta), ours, patience)
                wrong = epsilon < ours.lower * (1 - 1e-9) or math.isinf(epsilon)
                mark = "" if close else " wrong" if wrong else " >="
                error = abs(epsilon - (ours.lower + ours.upper) / 2)
                ratio = theirs / max(seconds, 1e-6)
                yield (
                    f"| {name} | {count:,} | 1e-{digits} | {ours.upper:.9g} "
                    f"| {(ours.upper - ours.lower) / ours.upper:.0e} | {seconds:.2g} "
                    f"| {grid:g} | {error:.0e} | {theirs:.2g} "
                    f"|{mark} {ratio:,.{0 if ratio >= 10 else 1}f} |",
                    ratio,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("--patience", type=float, default=1.5)
    options = parser.parse_args()
    table = [
        "| noise | times | delta | our epsilon | width | s | peer's grid | error | s | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    print("\n".join(table))
    ratios = []
    for row, ratio in rows(options.tolerance, options.patience):
        print(row, flush=True)
        table.append(row)
        ratios.append(ratio)
    print(f"\nThe smallest ratio is {min(ratios):.1f}.")
    if options.write:
        write_table(DOCUMENT, "peer", ["", *table, ""])


if __name__ == "__main__":
    main()
