"""Certified numbers of the DHC's persons beside a published curve, with time and memory.

``python -m tests.benchmarks.published_curve`` prints two Markdown tables.
"""

from __future__ import annotations

import resource
import time
from fractions import Fraction

from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.engine import delta_bracket, epsilon_bracket
from tests.privacy.loss.published_curve import dhc_persons, published_curve

ACCURACY = Accuracy(tolerance=1e-8)


def main() -> None:
    loss = dhc_persons()
    print("| epsilon | published delta | certified delta | published over certified | seconds |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for at in (0, 9, 19, 24, 29, 34, 36, 38, 40, 41):
        point = published_curve()[at]
        start = time.process_time()
        found = delta_bracket(loss, point.epsilon, ACCURACY)
        spent = time.process_time() - start
        off = float(point.delta) / found.upper - 1
        inside = found.lower <= point.delta <= found.upper
        told = "in the bracket" if inside else f"{off:+.1e}"
        print(
            f"| {float(point.epsilon):.6f} | {float(point.delta):.9e} | {found.lower:.9e} "
            f"to {found.upper:.9e} | {told} | {spent:.2f} |"
        )
    print("\n| delta | certified epsilon | seconds |\n| ---: | ---: | ---: |")
    for digits in (10, 15, 20, 25, 30, 35):
        start = time.process_time()
        epsilon = epsilon_bracket(loss, Fraction(1, 10**digits), ACCURACY)
        spent = time.process_time() - start
        print(f"| 1e-{digits} | {epsilon.lower:.9f} to {epsilon.upper:.9f} | {spent:.2f} |")
    print(f"\n{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at most")


if __name__ == "__main__":
    main()
