"""The swapping section: what is read of it, and what is wrong with others."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from semiaudit.errors import SpecError
from semiaudit.model.mechanism import Mechanism
from semiaudit.model.randomizers import Swapping
from semiaudit.spec.build import load_release, loaded

HOMES = "dataspace: {unit: home, size: 9, attributes: {s: 3, state: 2, county: COUNTY, own: 2}}\n"
COUNTY = "{within: state, levels: {0: [a, b], 1: [c]}}"
TABLE = HOMES.replace("COUNTY", COUNTY)
INSIDE = "rate: 0.1, stratify_by: [s, state], swap: [county]"


def text_of(section: str, space: str = TABLE) -> str:
    return f"semiaudit: 1\n{space}mechanism:\n  swapping: {{{section}}}\n"


def read(folder: Path, section: str, space: str = TABLE) -> Swapping:
    path = folder / "spec.yaml"
    path.write_text(text_of(section, space), encoding="utf-8")
    found: Mechanism = load_release(path).mechanism
    assert isinstance(found, Swapping)
    return found


def test_every_key_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, INSIDE)
    assert (found.rate, found.stratify_by, found.swap) == (
        Fraction(1, 10),
        ("s", "state"),
        ("county",),
    )
    assert (found.variant, found.reselection) == ("derangement", True)
    assert (found.strata, found.largest_stratum, found.by_sizes) == ((), None, False)
    other = read(tmp_path, f"{INSIDE}, variant: uniform, reselection: false, strata: [4, 3, 2]")
    assert (other.variant, other.reselection, other.strata) == ("uniform", False, (4, 3, 2))
    assert read(tmp_path, f"{INSIDE}, largest_stratum: 5").largest_stratum == 5
    one = read(tmp_path, "rate: 0.1, stratify_by: [], swap: [county, state]")
    assert (one.stratify_by, one.by_sizes) == ((), False)
    assert one.kept(["s", "state", "county", "own"]) == (("state", "county"), ("s", "own"))
    bare = read(tmp_path, "rate: 1/3, strata: [3, 1]", "dataspace: {unit: home}\n")
    assert (bare.rate, bare.by_sizes, bare.kept([])) == (Fraction(1, 3), True, ())


def test_a_rate_may_be_left_out_for_designs_only(tmp_path: Path) -> None:
    without = INSIDE.removeprefix("rate: 0.1, ")
    path = tmp_path / "spec.yaml"
    path.write_text(text_of(without), encoding="utf-8")
    (rate,) = [
        part.rate
        for part in [loaded(path, designs=True).release.mechanism]
        if isinstance(part, Swapping)
    ]
    assert rate is None
    with pytest.raises(SpecError, match="has no rate; give one, or let `semiaudit mechanism cal"):
        load_release(path)


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ("rate: 0, stratify_by: [s], swap: [own]", "rate: 0 is out of range; give above 0"),
        ("rate: 1, stratify_by: [s], swap: [own]", "rate: 1 is out of range; give above 0"),
        ("rate: , stratify_by: [s], swap: [own]", "rate is empty; fill it"),
        ("rate: 0.1, swap: [own]", "has no strata; give stratify_by, strata or largest_stratum"),
        ("rate: 0.1, stratify_by: [s]", "swapping exchanges the values of attributes, but names"),
        ("rate: 0.1, stratify_by: [t], swap: [own]", "t is not an attribute of the dataspace"),
        ("rate: 0.1, stratify_by: [s], swap: [won]", "won is not an attribute of the dataspace"),
        ("rate: 0.1, stratify_by: [s, s], swap: [own]", "names s twice"),
        ("rate: 0.1, stratify_by: [s], swap: [s]", "s defines the strata"),
        ("rate: 0.1, stratify_by: [s], swap: []", "swap: .* at least 1"),
        (
            "rate: 0.1, stratify_by: [], strata: [9], swap: [own]",
            "has one stratum with all records",
        ),
        (
            "rate: 0.1, stratify_by: [s], swap: [county]",
            "county between levels of state, which contains it",
        ),
        ("rate: 0.1, stratify_by: [s], swap: [state]", "exchanges state, but not county"),
        ("rate: 0.1, strata: [9], swap: [own]", "the strata are not attributes"),
        (f"{INSIDE}, strata: [4, 4]", "sum to 8, but dataspace.size is 9"),
        (f"{INSIDE}, largest_stratum: 10", "is more than the 9 records of the dataspace"),
        (f"{INSIDE}, largest_stratum: 1", "is too small for 9 records in 6 strata"),
        (f"{INSIDE}, strata: [2, 2, 1, 1, 1, 1, 1]", "names 7 strata, but stratify_by has 6"),
        (f"{INSIDE}, strata: [9], largest_stratum: 9", "has both strata and largest_stratum"),
        (f"{INSIDE}, strata: [9, 0]", "0 is out of range"),
        (f"{INSIDE}, variant: random", "random is not one of derangement, uniform"),
        (f"{INSIDE}, reselection: no", "no is neither true nor false"),
        (f"{INSIDE}, seed: 1", "seed"),
    ],
)
def test_what_makes_no_sense_is_told(section: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=told):
        read(tmp_path, section)


def test_without_attributes_only_sizes_tell_the_strata(tmp_path: Path) -> None:
    for space in ("dataspace: {unit: home}\n", "dataspace: {unit: home, size: 9}\n"):
        with pytest.raises(SpecError, match="stratify_by: names attributes, but the dataspace has"):
            read(tmp_path, INSIDE, space)
        assert read(tmp_path, "rate: 0.1, largest_stratum: 9, swap: [county]", space).by_sizes
    listed = "dataspace: {unit: home, product: {size: 2, values: [0, 1]}}\n"
    with pytest.raises(SpecError, match="exchanges the values of attributes, but the dataspace"):
        read(tmp_path, "rate: 0.1, strata: [2]", listed)


@pytest.mark.parametrize(
    "fields",
    [
        {"rate": Fraction(1)},
        {"strata": (1, 0)},
        {"strata": (2,), "largest_stratum": 2},
        {"stratify_by": ("a",), "swap": ("a",)},
    ],
)
def test_illegal_swappings_cannot_be_made(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"swap rate|stratum|strata"):
        Swapping(**{"rate": Fraction(1, 2), **fields})
