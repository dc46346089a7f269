"""What every shape of the census's spine costs, where a lone child leaves its noise to its parent.

``python -m tests.benchmarks.lone_children`` prints a Markdown table a product: for every secret
rho and epsilon at delta 1e-10 as the allocation states them, and the largest over all shapes, for
records that keep their shape. ``--pairs`` certifies in addition, for all pairs of shapes, the
bounds below. See docs/theory/census.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.engine import delta_bracket, epsilon_bracket
from tests.privacy.loss.lone_children import UNSPLIT, WHOLE, Release, Shape, releases

DELTA = Fraction(1, 10**10)
EVERY = Accuracy(tolerance=4e-7)
PAIRS = {6: Accuracy(tolerance=1e-4), 8: Accuracy(tolerance=1e-3)}
"""By the number of levels: how narrow a bracket of delta settles a bound below."""

BOUNDS = {
    ("P.L. 94-171, persons", WHOLE, 1): "16.468",
    ("P.L. 94-171, persons", WHOLE, 2): "38.376",
    ("P.L. 94-171, persons", UNSPLIT, 1): "13.127",
    ("P.L. 94-171, persons", UNSPLIT, 2): "29.997",
    ("DHC, persons", WHOLE, 1): "24.457",
    ("DHC, persons", WHOLE, 2): "59.240",
    ("DHC, housing units", WHOLE, 1): "32.073",
    ("DHC, housing units", WHOLE, 2): "80.001",
}
"""What epsilon at delta 1e-10 is at most, whatever the shapes are that a record leaves and enters.
The second of each is of two records that are alike and change together."""


def epsilon(release: Release, shape: Shape, secret: str, shift: int = 1) -> float:
    """The upper end of a certified bracket, for a record that keeps the shape."""
    return epsilon_bracket(release.loss(shape, shape, secret, shift), DELTA, EVERY).upper


def pairs(release: Release, secret: str) -> Iterator[tuple[Shape, Shape]]:
    """The shapes that a record can leave and enter. A state that is one unit has one county or
    several, so that inside it both shapes agree on whether the state took its county over."""
    for one, other in combinations_with_replacement(release.shapes(), 2):
        if secret != UNSPLIT or one[1] == other[1]:
            yield one, other


def covers_all_pairs(release: Release, secret: str, shift: int, bound: Fraction) -> bool:
    """Whether delta at the bound is certified to be at most 1e-10 for all pairs of shapes."""
    accuracy = PAIRS[len(release.levels)]
    return all(
        delta_bracket(release.loss(*pair, secret, shift), bound, accuracy).upper <= DELTA
        for pair in pairs(release, secret)
    )


def told(secret: str, shift: int) -> str:
    """The secret's name, with who changes."""
    return secret if shift == 1 else f"{secret}, two who are alike"


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
        rows.append(
            f"| {told(secret, shift)} | {float(costs[0]):.6f} | {float(max(costs)):.6f} "
            f"| {found[0]:.6f} | {max(found):.6f} |"
        )
    return rows


def bounds(release: Release) -> list[str]:
    """One row of Markdown a bound."""
    return [
        f"| {name} | {told(secret, shift)} | {bound} |"
        for (name, secret, shift), bound in BOUNDS.items()
        if name == release.name
    ]


def main() -> None:
    for release in releases():
        start = time.process_time()
        print(f"\n{release.name}, {len(release.shapes())} shapes:\n")
        print("| secret | rho as stated | largest | epsilon as stated | largest |")
        print("| --- | ---: | ---: | ---: | ---: |")
        print("\n".join(table(release)))
        if "--pairs" in sys.argv:
            print("\n| release | secret | epsilon at most |\n| --- | --- | ---: |")
            print("\n".join(bounds(release)))
            for (name, secret, shift), bound in BOUNDS.items():
                if name == release.name:
                    holds = covers_all_pairs(release, secret, shift, Fraction(bound))
                    print(f"{told(secret, shift)}, certified for all pairs: {holds}")
        print(f"\n{time.process_time() - start:.0f} s")


if __name__ == "__main__":
    main()
