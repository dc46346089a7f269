"""What every shape of the census's spine costs, where a lone child leaves its noise to its parent.

``python -m tests.benchmarks.lone_children`` prints a Markdown table a product: for every secret
rho and epsilon at delta 1e-10 as the allocation states them, and the largest over all shapes;
``--pairs`` certifies in addition, for all pairs of shapes, the bound that it prints. See
docs/census_production.md.
"""

from __future__ import annotations

import math
import sys
import time
from fractions import Fraction
from itertools import combinations_with_replacement

from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.engine import delta_bracket, epsilon_bracket
from tests.privacy.loss.lone_children import UNSPLIT, WHOLE, Release, Shape, releases

DELTA = Fraction(1, 10**10)
EVERY = Accuracy(tolerance=4e-7)
PAIRS = Accuracy(tolerance=1e-4)


def epsilon(release: Release, shape: Shape, secret: str, shift: int = 1) -> float:
    """The upper end of a certified bracket, for a record that keeps the shape."""
    return epsilon_bracket(release.loss(shape, shape, secret, shift), DELTA, EVERY).upper


def covers_all_pairs(release: Release, bound: Fraction) -> bool:
    """Whether epsilon at delta 1e-10 is certified to be at most the bound for all pairs."""
    return all(
        delta_bracket(release.loss(*pair, WHOLE), bound, PAIRS).upper <= DELTA
        for pair in combinations_with_replacement(release.shapes(), 2)
    )


def table(release: Release) -> list[str]:
    """One row of Markdown a secret."""
    shapes = release.shapes()
    secrets = [(secret, 1) for secret in release.secrets()]
    alike = [(secret, 2) for secret, _ in secrets if secret in (WHOLE, UNSPLIT)]
    rows = []
    for secret, shift in (*secrets, *alike):
        costs = [release.cost(shape, secret) * shift**2 for shape in shapes]
        found = [
            epsilon(release, shape, secret, shift) if cost else 0.0
            for shape, cost in zip(shapes, costs, strict=True)
        ]
        told = secret if shift == 1 else f"{secret}, two who are alike"
        rows.append(
            f"| {told} | {float(costs[0]):.6f} | {float(max(costs)):.6f} "
            f"| {found[0]:.6f} | {max(found):.6f} |"
        )
    return rows


def print_table(release: Release) -> None:
    """The rows with their heading."""
    print(f"\n{release.name}: {len(release.shapes())} shapes\n")
    print("| secret | rho as stated | largest | epsilon as stated | largest |")
    print("| --- | ---: | ---: | ---: | ---: |")
    print("\n".join(table(release)))


def main() -> None:
    """Print the tables."""
    for release in releases():
        start = time.process_time()
        print_table(release)
        if "--pairs" in sys.argv:
            dearest = max(epsilon(release, shape, WHOLE) for shape in release.shapes())
            bound = Fraction(math.ceil(dearest * 1000) + 1, 1000)
            holds = covers_all_pairs(release, bound)
            print(f"\nepsilon is at most {float(bound):.3f} for all pairs of shapes: {holds}")
        print(f"\n{time.process_time() - start:.0f} s")


if __name__ == "__main__":
    main()
