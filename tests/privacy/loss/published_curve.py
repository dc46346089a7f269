"""The DHC's persons as others account for them, and the loss that they speak of.

``tests/golden/dhc_persons_curve.csv`` has points that Su, Su and Wang publish with "A
Sieve-Accelerated Quadrature Method for Exact Privacy Accounting in the 2020 U.S. Decennial Census"
(arXiv 2606.29835): repository BuxinSu/Exact-Privacy-Accounting-for-2020-U.S.-Census at commit
9b8ff71, file eps_delta_curve_path_13_to_13.csv. Epsilon is as they print it, delta the first 25
digits of their delta_fdp. ``stated_delta`` is the delta at which their epsilon is a conversion of
rho; it is not a delta of the noise. Their path 13 is the production code's allocation, query by
query; one record changes, so that two cells of every query move by 1.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fractions import Fraction

from semiaudit.model.loss import DiscreteGaussianLoss, PrivacyLoss
from tests.places import CONFIGS, ROOT

ALLOCATION = CONFIGS / "data" / "census2020_dhc_us_persons_allocation.csv"
CURVE = ROOT / "tests" / "golden" / "dhc_persons_curve.csv"


@dataclass(frozen=True)
class Point:
    """One point of their curve."""

    stated_delta: str
    epsilon: Fraction
    delta: Fraction


def published_curve() -> list[Point]:
    """Their points, the largest delta first."""
    with CURVE.open(newline="") as file:
        return [
            Point(row["stated_delta"], Fraction(row["epsilon"]), Fraction(row["delta"]))
            for row in csv.DictReader(file)
        ]


def dhc_variances() -> list[Fraction]:
    """sigma squared of every query of the DHC's persons."""
    with ALLOCATION.open(newline="") as file:
        return [1 / Fraction(row["rho"]) for row in csv.DictReader(file)]


def dhc_persons() -> PrivacyLoss:
    """One record changes: two cells of every query move by 1."""
    return PrivacyLoss(tuple((DiscreteGaussianLoss(1, v), 2) for v in dhc_variances()))
