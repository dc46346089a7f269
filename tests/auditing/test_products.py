"""The products of one census together: what their settings add up to, and what a person is in."""

from __future__ import annotations

import csv
from fractions import Fraction

from semiaudit.library.report import audit_of
from tests.audits import shipped_report
from tests.places import CONFIGS

# Published totals: OpenDP deployments registry, commit 3e9c812.
PUBLISHED = {
    "Detailed DHC-A": (Fraction("19.776"), 4),
    "Detailed DHC-B": (Fraction("17.79"), 2),
    "S-DHC": (Fraction("2.515"), 2),
}


def settings() -> dict[str, Fraction]:
    """What the rows of each product add up to."""
    path = CONFIGS / "data" / "census2020_detailed_products_rho.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        product: sum((Fraction(r["rho"]) for r in rows if r["product"] == product), Fraction(0))
        for product in PUBLISHED
    }


def test_the_published_totals_are_four_times_and_twice_the_settings() -> None:
    found = settings()
    assert [str(found[product]) for product in PUBLISHED] == [
        "618/125",
        "4447651/500000",
        "1257281/1000000",
    ]
    for product, (total, times) in PUBLISHED.items():
        assert abs(times * found[product] - total) < Fraction(1, 1000)


def test_a_person_is_in_two_records_of_households_and_one_of_persons() -> None:
    # By hand: the persons' rho once; two housing units or households change, four times theirs.
    report = shipped_report(CONFIGS / "census2020_every_product.yaml")
    found = settings()
    persons = Fraction(542, 339) ** 2 + Fraction("4.9622")
    persons += 4 * found["Detailed DHC-A"] + 2 * found["S-DHC"]
    homes = Fraction("0.07") + Fraction("7.7005") + 2 * found["Detailed DHC-B"]
    guarantees = {one["framework"]: one for one in report.as_dict()["guarantees"]}
    one = persons + 4 * homes
    assert float(one) <= guarantees["nominal_dp"]["zcdp"]["rho"] <= float(one) * (1 + 1e-12)
    assert float(4 * one) <= guarantees["semi_dp"]["zcdp"]["rho"] <= float(4 * one) * (1 + 1e-12)
    assert round(float(4 * homes), 6) == 102.244416
    assert "reason of the factor is not stated here" in " ".join(
        audit_of(report).release.leaves_out
    )
