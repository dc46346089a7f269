"""Both swap rates that meet a target, against the formulas and the audits of their specs."""

from __future__ import annotations

import csv
import io
import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import semiaudit
from semiaudit import audit
from semiaudit.commands.calibrate.auditor import CalibrationQuestion
from semiaudit.commands.calibrate.run import calibrate
from semiaudit.commands.calibrate.written import demand_one, files_of_design
from semiaudit.errors import SpecError
from semiaudit.mechanisms.swapping.rates import rate_of_log_odds, short_rate
from semiaudit.model.data_source import CONFINED
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.measure import ZCDP, ApproxDP, PureDP
from semiaudit.model.results.design import AnyDesign, Calibration, Target
from tests.golden.published import golden

BARE = "semiaudit: 1\ndataspace: {unit: home}\n"
TABLE = (
    "semiaudit: 1\ndataspace: {attributes: {s: 2, w: 3, r: 3}}\n"
    "data: {counts: [[[1, 2, 0], [0, 1, 0], [1, 0, 0]], [[0, 1, 0], [2, 0, 0], [0, 0, 0]]]}\n"
)
INSIDE = "stratify_by: [s], swap: [w]"
B = 264331


def answer(
    folder: Path,
    text: str,
    target: Target,
    framework: FrameworkName = "invariant_dp",
    names: tuple[AnyDesign, ...] = (),
) -> Any:
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    return calibrate(CalibrationQuestion(str(path), target, framework, names), 60, 1e-6, CONFINED)


def calibrated(folder: Path, section: str, target: Target, head: str = BARE) -> Calibration:
    text = f"{head}mechanism:\n  swapping: {{{section}}}\n"
    found: Calibration = answer(folder, text, target)
    return found


def rates(found: Calibration) -> tuple[Fraction, Fraction]:
    smaller, larger = (design.scale for design in found.designs)
    assert smaller is not None
    assert larger is not None
    return smaller, larger


def odds(rate: Fraction) -> float:
    return float(rate / (1 - rate))


def test_row_117_both_rates_of_epsilon_12(tmp_path: Path) -> None:
    found = calibrated(tmp_path, f"largest_stratum: {B}", PureDP(Fraction(12)))
    smaller, larger = rates(found)
    assert float(smaller) == golden("swap_smaller_rate_of_12")
    assert float(larger) == golden("swap_larger_rate_of_12")
    for design, rate in zip(found.designs, (smaller, larger), strict=True):
        assert design.meets
        assert design.tight
        assert design.met is not None
        assert Fraction(12) * (1 - Fraction(1, 10**6)) <= design.met.value <= 12
        o = odds(rate)
        loss = max(math.log(B + 1) - math.log(o), math.log(o))
        assert float(design.met.value) == pytest.approx(loss, rel=1e-12)


def test_a_target_below_the_least_is_told_the_least(tmp_path: Path) -> None:
    found = calibrated(tmp_path, f"largest_stratum: {B}", PureDP(Fraction(6)))
    with pytest.raises(SpecError) as caught:
        demand_one(found)
    (problem,) = caught.value.problems
    assert "smaller_swap_rate, larger_swap_rate" in problem.message
    assert "the smallest number of any swap rate is 6.242481, at 0.998058" in problem.message
    near = calibrated(tmp_path, f"largest_stratum: {B}", PureDP(Fraction("6.242482")))
    smaller, larger = rates(near)
    assert smaller < Fraction("0.99805875104") < larger


@pytest.mark.parametrize("size", [2, 3, 4, 50])
@pytest.mark.parametrize("reselection", ["true", "false"])
def test_both_ends_are_where_the_loss_is_the_target(
    size: int, reselection: str, tmp_path: Path
) -> None:
    """A rate a little outside is audited above the target, and one inside below it."""
    section = f"strata: [{size}], reselection: {reselection}"
    found = calibrated(tmp_path, section, PureDP(Fraction(4)))
    smaller, larger = rates(found)
    assert 0 < smaller < larger < 1
    nudge = Fraction(1, 10**6)
    for rate, outwards in ((smaller, smaller * -nudge), (larger, (1 - larger) * nudge)):
        for moved, above in ((rate + outwards, True), (rate - outwards, False)):
            text = f"{BARE}mechanism: {{swapping: {{rate: {moved}, {section}}}}}\n"
            path = tmp_path / "moved.yaml"
            path.write_text(text, encoding="utf-8")
            (loss,) = [
                row["pure_dp"]["epsilon"]
                for row in audit(path).as_dict()["guarantees"]
                if row["framework"] == "invariant_dp"
            ]
            assert (loss > 4) == above


def test_two_records_have_rates_for_every_target(tmp_path: Path) -> None:
    """|ln o| is nothing at 1/2."""
    smaller, larger = rates(calibrated(tmp_path, "strata: [2]", PureDP(Fraction(1, 100))))
    assert odds(smaller) == pytest.approx(math.exp(-0.01), rel=1e-8)
    assert odds(larger) == pytest.approx(math.exp(0.01), rel=1e-8)


def test_of_uniform_permutations_every_larger_rate_meets_it_too(tmp_path: Path) -> None:
    found = calibrated(tmp_path, "strata: [4], variant: uniform", PureDP(Fraction(1)))
    smaller, larger = found.designs
    assert smaller.scale is not None
    o = odds(smaller.scale)
    assert math.log(1 + 8 / o + 12 / o**2) / 2 == pytest.approx(1, abs=1e-8)
    # Smaller rates than the one found do not meet it: only of larger ones is it said.
    assert smaller.description.startswith("the smallest swap rate")
    assert larger.description.startswith("a large swap rate: every larger one")
    assert (larger.meets, larger.tight, larger.scale) == (True, False, 1 - Fraction(1, 10**9))
    assert demand_one(found) == found
    tiny = calibrated(tmp_path, "strata: [4], variant: uniform", PureDP(Fraction("1e-50")))
    assert all(design.meets for design in tiny.designs)
    none = calibrated(tmp_path, "strata: [4], variant: uniform", PureDP(Fraction("1e-70")))
    with pytest.raises(SpecError, match="the smallest number of any swap rate"):
        demand_one(none)


@pytest.mark.parametrize("how", ["", ", variant: uniform", ", reselection: false"])
def test_a_target_that_every_rate_meets_is_met(how: str, tmp_path: Path) -> None:
    found = calibrated(tmp_path, f"strata: [4]{how}", PureDP(Fraction(300)))
    assert demand_one(found) == found
    for design, rate in zip(found.designs, (Fraction("1e-9"), 1 - Fraction("1e-9")), strict=True):
        assert (design.meets, design.refused, design.scale) == (True, "", rate)
        assert "meets the target too" in design.description
        assert not design.tight
        # What is met is the loss of that very rate.
        (loss,) = [
            row["pure_dp"]["epsilon"]
            for row in _report(tmp_path, f"rate: {design.scale}, strata: [4]{how}")
            if row["framework"] == "invariant_dp"
        ]
        assert design.met is not None
        assert float(design.met.value) == pytest.approx(loss, rel=1e-15)


def _report(folder: Path, section: str) -> list[dict[str, Any]]:
    path = folder / "rated.yaml"
    path.write_text(f"{BARE}mechanism: {{swapping: {{{section}}}}}\n", encoding="utf-8")
    rows: list[dict[str, Any]] = audit(path).as_dict()["guarantees"]
    return rows


def test_where_nothing_is_exchanged_no_rate_is_found(tmp_path: Path) -> None:
    """Nothing is left beside what tells the strata and what is exchanged."""
    with pytest.raises(
        SpecError, match="no record is ever exchanged, so the swap rate has no effect"
    ):
        calibrated(tmp_path, "stratify_by: [s], swap: [w, r]", PureDP(Fraction(1)), TABLE)


def test_other_targets_and_semi_dp(tmp_path: Path) -> None:
    text = f"{TABLE}mechanism:\n  swapping: {{{INSIDE}}}\n"
    targets: list[Target] = [
        PureDP(Fraction(6)),
        ZCDP(Fraction(5)),
        ApproxDP(Fraction(6), Fraction(1, 100)),
    ]
    for target in targets:
        found = answer(tmp_path, text, target, "semi_dp")
        assert found.distance == 3
        assert all(design.meets and design.tight for design in found.designs)
    pure = answer(tmp_path, text, targets[0], "semi_dp")
    smaller, larger = rates(pure)
    # Five records: D_5 / D_3 = 22; three units of distance.
    assert odds(smaller) == pytest.approx(math.sqrt(22) * math.exp(-2), rel=1e-8)
    assert odds(larger) == pytest.approx(math.exp(2), rel=1e-8)


def test_the_spec_of_a_rate_is_audited_as_it_was_found(tmp_path: Path) -> None:
    text = (
        f"{TABLE}# what is done\nmechanism:\n"
        f"  swapping: {{{INSIDE}, variant: uniform, reselection: false}}\n"
    )
    target = PureDP(Fraction(5))
    found = answer(tmp_path, text, target, "semi_dp", ("smaller_swap_rate",))
    (design,) = found.designs
    ((path, written),) = files_of_design(found, "smaller_swap_rate", str(tmp_path / "new.yaml"))
    Path(path).write_text(written, encoding="utf-8")
    for words in ("stratify_by: [s]", "variant: uniform", "reselection: false", "# what is done"):
        assert words in written
    met = audit(path).semi_dp.pure_epsilon
    assert met is not None
    assert design.met is not None
    assert met.value == design.met.value <= 5


def test_a_rate_of_the_spec_is_replaced(tmp_path: Path) -> None:
    target = PureDP(Fraction(12))
    given = calibrated(tmp_path, f"rate: 0.5, largest_stratum: {B}", target)
    assert rates(given) == rates(calibrated(tmp_path, f"largest_stratum: {B}", target))


@pytest.mark.parametrize(
    ("mechanism", "names", "told"),
    [
        ("{compose: [{swapping: {strata: [3]}}, {pure_dp: {epsilon: 1}}]}", (), "more than one"),
        ("{swapping: {strata: [3]}, repeat: 2}", (), "more than one swapping"),
        (
            "{swapping: {strata: [3]}}",
            ("algorithm_1",),
            "algorithm_1 is not a design for the mechanism of this",
        ),
        ("{pure_dp: {epsilon: 1}}", ("larger_swap_rate",), "names no query|larger_swap_rate is no"),
    ],
)
def test_what_is_no_question_of_a_rate_is_refused(
    mechanism: str, names: tuple[AnyDesign, ...], told: str, tmp_path: Path
) -> None:
    text = f"{BARE}mechanism: {mechanism}\n"
    with pytest.raises(SpecError, match=told):
        answer(tmp_path, text, PureDP(Fraction(1)), names=names)


def test_no_rate_meets_what_is_not_stated(tmp_path: Path) -> None:
    text = f"{BARE}mechanism:\n  swapping: {{strata: [3]}}\n"
    found = answer(tmp_path, text, PureDP(Fraction(1)), "nominal_dp")
    assert all("always distinguish" in design.refused for design in found.designs)
    with pytest.raises(SpecError, match="not met by smaller_swap_rate, larger_swap_rate"):
        demand_one(found)


def test_short_rates_lie_on_their_side() -> None:
    for text in ("0.1234567890123", "0.5", "0.9999938558253978", "1e-30", "1/3", "2/3"):
        rate = Fraction(text)
        low, high = short_rate(rate, up=False), short_rate(rate, up=True)
        assert 0 < low <= rate <= high < 1
        assert high - low <= min(rate, 1 - rate) / 10**8
    assert float(rate_of_log_odds(12)) == pytest.approx(1 / (1 + math.exp(-12)), rel=1e-15)
    assert 0 < 1 - rate_of_log_odds(138) < Fraction(1, 10**59)


def test_errors_of_a_rate_are_those_of_the_records_that_its_spec_writes() -> None:
    counts = [[[1 + (3 * a + 2 * b + c) % 5 for c in range(3)] for b in range(3)] for a in range(3)]
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"unit": "person", "attributes": {"a": 3, "b": 3, "c": 3}},
        "invariants": [{"margin": ["a", "b"]}, {"margin": ["a", "c"]}],
        "data": {"counts": counts},
        "mechanism": {"swapping": {"stratify_by": ["a"], "swap": ["b"]}},
    }
    found: Any = semiaudit.calibrate(
        spec, semiaudit.PureDP(20), runs=1, show_values=True
    ).as_dict()["designs"]
    design = next(one for one in found if one["meets"])
    swapped = semiaudit.sample({**spec, "mechanism": design["mechanism"]}, seed=0)
    after = dict.fromkeys(product("012", repeat=3), 0)
    for row in csv.DictReader(io.StringIO(swapped.to_csv())):
        after[row["a"], row["b"], row["c"]] = int(row["count"])
    errors = [n - counts[int(a)][int(b)][int(c)] for (a, b, c), n in after.items()]
    assert any(errors)
    (cells,) = design["errors"]
    assert cells["mean_absolute_error"] == pytest.approx(sum(map(abs, errors)) / 27)
