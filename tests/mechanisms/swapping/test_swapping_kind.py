"""Audits of swapped releases: against the law of their swapping, and what they refuse."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from semiaudit import Spec, audit
from semiaudit.errors import RefusedError, SpecError
from semiaudit.frameworks import FRAMEWORKS
from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.swapping.strata import strata_of
from semiaudit.mechanisms.swapping.stratum_loss import unit_loss
from semiaudit.model.audit import Release
from semiaudit.model.randomizers import Swapping
from semiaudit.spec.build import load_release
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.audits import audit_of, by_framework, report, rows
from tests.golden.published import golden
from tests.oracles import swapping as oracle

Counts = list[list[list[int]]]
"""By stratum, by what is exchanged, by the rest."""

SPACE = "dataspace: {unit: home, attributes: {s: 2, w: 3, r: 3}}\n"
COUNTS: Counts = [[[1, 2, 0], [0, 1, 0], [1, 0, 0]], [[0, 1, 0], [2, 0, 0], [0, 0, 0]]]
KEPT = "invariants: [{margin: [s, w]}, {margin: [s, r]}]\n"
UNCOUNTED = "dataspace: {unit: household}\n"


def swapped(
    counts: Counts | None = None, section: str = "rate: 0.4", *, space: str = SPACE, more: str = ""
) -> str:
    data = f"data: {{counts: {counts}}}\n" if counts else ""
    where = "stratify_by: [s], swap: [w]"
    return (
        f"semiaudit: 1\n{space}{data}{more}mechanism:\n  swapping: {{{section}, {where}}}\n"
        "report: {deltas: [0.01], alphas: [0.05]}\n"
    )


def bare(section: str, more: str = "") -> str:
    return f"semiaudit: 1\n{UNCOUNTED}mechanism: {{swapping: {{{section}}}}}\n{more}"


def epsilon(found: dict[str, Any], framework: str = "invariant_dp") -> float:
    return float(by_framework(found)[framework]["pure_dp"]["epsilon"])


def per_record(counts: Counts, rate: Fraction, variant: str, reselection: bool) -> float:
    """The loss per record that differs, from the law of every stratum."""
    worst = 0.0
    for stratum in counts:
        labels = [
            (r, w) for w, line in enumerate(stratum) for r, n in enumerate(line) for _ in range(n)
        ]
        law = oracle.law(len(labels), rate, variant, reselection)
        found = oracle.worst_of_labels([r for r, _ in labels], [w for _, w in labels], law)
        worst = max([worst, *(math.log(ratio) / apart for apart, ratio in found.items())])
    return worst


def _drawn(chance: random.Random) -> Counts:
    """A table of two strata of up to five records."""
    counts = [[[0] * 3 for _ in range(3)] for _ in range(2)]
    for stratum in counts:
        for _ in range(chance.randint(0, 5)):
            stratum[chance.randrange(3)][chance.randrange(3)] += 1
    counts[0][0][0] += 1 if not any(map(any, counts[0])) else 0
    return counts


@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=pytest.mark.slow if s > 3 else ()) for s in range(64)]
)
def test_the_loss_per_unit_is_never_below_the_law_of_a_table(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    for variant, reselection in product(("derangement", "uniform"), (True, False)):
        counts, rate = _drawn(chance), Fraction(chance.choice([2, 10, 35, 50, 80, 97]), 100)
        told = f"variant: {variant}, reselection: {str(reselection).lower()}"
        found = report(tmp_path, swapped(counts, f"rate: {float(rate)}, {told}"))
        law = per_record(counts, rate, variant, reselection)
        row = by_framework(found)["invariant_dp"]
        if row["pure_dp"] is None:
            assert found["semi_adjacency"]["value"] == 0
            continue
        assert law <= row["pure_dp"]["epsilon"] + 1e-12
        if "attained where" in row["note"]:
            assert law == pytest.approx(row["pure_dp"]["epsilon"], abs=1e-12)
        if "ever exchanged" in row["note"]:
            assert law == row["pure_dp"]["epsilon"] == 0


def test_the_worst_case_is_named_where_all_records_of_a_stratum_differ(tmp_path: Path) -> None:
    """Three records, in a stratum of 3x3 values; the other stratum has a pair."""
    diagonal = [[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]]
    agreeing = [[[1, 1, 0], [0, 0, 0], [0, 0, 1]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]]
    for counts, words in ((diagonal, "the worst case of"), (agreeing, "a bound for")):
        row = rows(tmp_path, swapped(counts))["invariant_dp"]
        assert words in row["note"]
        law = per_record(counts, Fraction(2, 5), "derangement", True)
        own = row["pure_dp"]["epsilon"]
        assert law == pytest.approx(own, abs=1e-12) if counts is diagonal else law < own - 0.01


def test_what_else_is_published_leaves_the_worst_case_open(tmp_path: Path) -> None:
    """All records of a stratum differ, and one of its cells is published besides."""
    diagonal = [[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]]
    count = "invariants: [count: {where: {s: 0, w: 0, r: 0}}]\n"
    whole = "invariants: [margin: [s]]\n"
    for more, words in ((count, "a bound for"), (whole, "the worst case of")):
        row = rows(tmp_path, swapped(diagonal, more=more))["invariant_dp"]
        assert words in row["note"]


def test_without_t_values_as_many_as_records_make_the_worst_case(tmp_path: Path) -> None:
    few = "dataspace: {size: 4, attributes: {s: 2, w: 4, r: 3}}\n"
    enough = few.replace("r: 3", "r: 4")
    other = "invariants: [count: {where: {w: 0, r: 0}}]\n"
    for space, more, words in (
        (few, "", "attained only if"),
        (enough, "", "the worst case of strata of up to 4 records, attained if"),
        (enough, other, "attained only if"),
    ):
        row = rows(tmp_path, swapped(None, "rate: 0.5", space=space, more=more))["invariant_dp"]
        assert words in row["note"]
        assert row["pure_dp"]["epsilon"] == pytest.approx(math.log(3), abs=1e-12)


def test_only_strata_count_in_which_two_records_can_differ_in_both(tmp_path: Path) -> None:
    """A stratum of nine homes that all have one value is none; nor are strata of one."""
    one_value = [[[9, 0, 0], [0, 0, 0], [0, 0, 0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]]
    one_rest = [[[3, 0, 0], [2, 0, 0], [4, 0, 0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]]
    for counts in (one_value, one_rest):
        found = report(tmp_path, swapped(counts, "rate: 0.9"))
        assert epsilon(found) == pytest.approx(math.log(9), abs=1e-12)
    single = [[[1, 0, 0], [0, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0], [0, 0, 0]]]
    row = rows(tmp_path, swapped(single, "rate: 0.9"))["invariant_dp"]
    assert row["pure_dp"]["epsilon"] == 0
    assert "nothing is ever exchanged" in row["note"]
    alone = "dataspace: {size: 9, attributes: {s: 2, w: 3}}\n"
    assert epsilon(report(tmp_path, swapped(None, "rate: 0.9", space=alone))) == 0


def test_semi_dp_is_so_many_times_the_loss_of_a_unit(tmp_path: Path) -> None:
    found = report(tmp_path, swapped(COUNTS))
    assert found["semi_adjacency"]["value"] == 3
    assert epsilon(found, "semi_dp") == pytest.approx(3 * epsilon(found), rel=1e-12)
    semi = by_framework(found)["semi_dp"]
    # f_{3 epsilon, 0}, and not f_{epsilon, 0} composed three times.
    assert semi["advantage"] == pytest.approx(math.tanh(1.5 * epsilon(found)), abs=1e-6)


def test_datasets_that_disagree_on_what_is_kept_have_no_finite_number(tmp_path: Path) -> None:
    found = rows(tmp_path, swapped(COUNTS))
    for framework in ("nominal_dp", "group_privacy", "subspace_dp"):
        assert found[framework]["refused"]
        assert "always distinguishes datasets whose counts differ" in found[framework]["note"]
    assert "there is no tradeoff function at distance k" in found["invariant_dp"]["not_protected"]


def test_what_is_kept_is_added_to_the_invariants(tmp_path: Path) -> None:
    added = report(tmp_path, swapped(COUNTS))
    stated = report(tmp_path, swapped(COUNTS, more=KEPT))
    assert added["guarantees"] == stated["guarantees"]
    assert added["semi_adjacency"] == stated["semi_adjacency"]
    assert "margin [s, w] and margin [s, r] were added" in added["statement"]["scope"]
    assert "added" not in stated["statement"]["scope"]
    one = report(tmp_path, swapped(COUNTS, more="invariants: [{margin: [w, s]}]\n"))
    assert "margin [s, r] was added" in one["statement"]["scope"]
    whole = load_release_of(tmp_path, swapped(COUNTS, more="invariants: [{margin: [s, w, r]}]\n"))
    assert whole.induced == 0


def load_release_of(folder: Path, text: str) -> Release:
    path = folder / "release.yaml"
    path.write_text(text, encoding="utf-8")
    return load_release(path)


def test_margins_that_are_added_need_their_counts(tmp_path: Path) -> None:
    margins = "data: {margins: {'s * w': [[4, 1, 1], [1, 2, 0]]}}\n"
    with pytest.raises(SpecError, match=r"the counts of margin s \* r are missing"):
        audit_of(tmp_path, swapped(more=margins))


def test_a_universe_without_what_is_kept_states_nothing(tmp_path: Path) -> None:
    sized = SPACE.replace("unit: home", "unit: home, size: 8")
    release = load_release_of(tmp_path, swapped(COUNTS, space=sized))
    for kept in ((), release.invariants[:1], release.invariants[1:]):
        short = replace(release, invariants=kept, published=None)
        spaces = SensitivitySpaces(short)
        context = Context(universe_of(short), short.adjacency, short.mechanism, spaces)
        for framework in ("semi_dp", "invariant_dp"):
            found = FRAMEWORKS[framework](context)
            assert not found.measures
            assert "do not include all counts that swapping keeps" in found.refused


def test_a_unit_of_symmetric_difference_is_half_a_record(tmp_path: Path) -> None:
    found = report(tmp_path, swapped(COUNTS))
    metric = "adjacency: {metric: symmetric_difference}\n"
    half = report(tmp_path, swapped(COUNTS, more=metric))
    assert half["semi_adjacency"]["value"] == 4
    assert 2 * epsilon(half) == pytest.approx(epsilon(found), rel=1e-12)
    assert epsilon(half, "semi_dp") == pytest.approx(2 * epsilon(found), rel=1e-12)


def test_swapping_composes_with_noise_and_with_itself(tmp_path: Path) -> None:
    alone = report(tmp_path, swapped(COUNTS))
    twice = report(tmp_path, swapped(COUNTS).replace("report:", "  repeat: 2\nreport:"))
    assert epsilon(twice) == pytest.approx(2 * epsilon(alone), rel=1e-12)
    head, _ = swapped(COUNTS).split("mechanism:")
    swapping = "swapping: {rate: 0.4, stratify_by: [s], swap: [w]}"
    noise = "k_norm: {epsilon: 1/2, norm: l1, query: {margins: [[w, r]]}}"
    found = report(tmp_path, head + f"mechanism: {{compose: [{{{swapping}}}, {{{noise}}}]}}\n")
    noisy = report(tmp_path, head + KEPT + f"mechanism: {{{noise}}}\n")
    for framework in ("semi_dp", "invariant_dp"):
        parts = epsilon(alone, framework) + epsilon(noisy, framework)
        assert epsilon(alone, framework) < epsilon(found, framework) <= parts + 1e-9
    assert "margin [s, w] and margin [s, r] were added" in found["statement"]["scope"]
    assert by_framework(found)["nominal_dp"]["refused"]


@pytest.mark.parametrize("rate", ["0.01", "0.05", "0.1", "0.5"])
def test_row_116_by_the_largest_stratum_alone(rate: str, tmp_path: Path) -> None:
    found = report(tmp_path, bare(f"rate: {rate}, largest_stratum: 264331"))
    assert epsilon(found) == golden(f"swap_epsilon_at_{rate}")
    assert "the published bound for strata of up to 264,331" in str(found["guarantees"])
    semi = found["semi_adjacency"]
    assert (semi["covering"]["lower"], semi["covering"]["upper"]) == (2, None)
    assert by_framework(found)["semi_dp"]["refused"]


@pytest.mark.parametrize(("distance", "loss"), [(2, 24.9699), (3, 37.4549)])
def test_row_122_at_a_distance(distance: int, loss: float, tmp_path: Path) -> None:
    more = f"adjacency: {{distance: {distance}}}\n"
    found = report(tmp_path, bare("rate: 0.5, largest_stratum: 264331", more))
    assert epsilon(found, "semi_dp") == pytest.approx(loss, abs=5e-5)


def test_the_published_bound_stands_beside_a_better_one(tmp_path: Path) -> None:
    found = rows(tmp_path, bare("rate: 0.5, strata: [4, 1, 2]", "adjacency: {distance: 2}\n"))
    for framework, units in (("invariant_dp", 1), ("semi_dp", 2)):
        row = found[framework]
        assert row["pure_dp"]["epsilon"] / units == golden("swap_worst_of_four")
        (beside,) = row["alternatives"]
        assert beside["name"] == "published_bound"
        assert beside["pure_dp"]["epsilon"] / units == golden("swap_published_of_four")
    uniform = rows(tmp_path, bare("rate: 0.7, strata: [4], variant: uniform"))["invariant_dp"]
    assert uniform["pure_dp"]["epsilon"] == golden("swap_uniform_of_four")
    assert uniform["alternatives"] == []
    assert "erratum E14" in uniform["note"]


def test_the_largest_stratum_may_be_told_beside_attributes(tmp_path: Path) -> None:
    known = swapped(None, "rate: 0.5, largest_stratum: 4", space=SPACE)
    assert epsilon(report(tmp_path, known)) == pytest.approx(math.log(3), abs=1e-12)
    open_end = rows(tmp_path, swapped(None, "rate: 0.5", space=SPACE))["invariant_dp"]
    assert open_end["refused"]
    assert "the largest stratum is not known" in open_end["note"]
    with pytest.raises(SpecError, match="largest_stratum is 4, but the data have a larger stratum"):
        audit_of(tmp_path, swapped(COUNTS, "rate: 0.5, largest_stratum: 4"))
    with pytest.raises(
        SpecError, match="the sizes in strata differ from those of the data, which have 2"
    ):
        audit_of(tmp_path, swapped(COUNTS, "rate: 0.5, strata: [5, 4]"))
    agreeing = report(tmp_path, swapped(COUNTS, "rate: 0.5, strata: [3, 5]"))
    assert epsilon(agreeing) == epsilon(report(tmp_path, swapped(COUNTS, "rate: 0.5")))


def test_by_itself_a_swapping_has_no_number_in_all_of_d() -> None:
    from semiaudit import Mechanism

    swapping = Mechanism({"swapping": {"rate": "0.1", "largest_stratum": 5}})
    with pytest.raises(RefusedError, match="always distinguishes datasets whose counts differ"):
        swapping.guarantee()
    spec = Spec.from_mapping({"semiaudit": 1, "dataspace": {"unit": "home"}, "mechanism": swapping})
    found = float(audit(spec).invariant_dp.pure_epsilon or 0)
    assert found == pytest.approx(float(unit_loss(Fraction(1, 10), (5,), "derangement",
                                                  reselection=True).epsilon))  # fmt: skip


def test_the_strata_are_those_of_t(tmp_path: Path) -> None:
    release = load_release_of(tmp_path, swapped(COUNTS))
    part = release.mechanism
    assert isinstance(part, Swapping)
    assert strata_of(part, release).largest == 5
    # A margin of everything tells as much.
    whole = load_release_of(tmp_path, swapped(COUNTS, more="invariants: [{margin: [r, w, s]}]\n"))
    assert strata_of(part, whole).largest == 5


NESTED = (
    "dataspace: {unit: home, attributes: {state: [A, B], county: {within: state, levels: "
    "{A: [a1, a2], B: [b1]}}, tenure: 2%s}}\n"
)


OF_EIGHT = math.log(14833 / 265) / 2
"""By the derangements of eight and of six; the odds are 1."""


def _nested(by: str, invariants: str, extra: int) -> str:
    """Homes of three counties of two states, which differ in a last attribute too where asked."""
    cell = [[2, 1], [0, 1]] if extra else [2, 1]
    none = [[0, 0], [0, 0]] if extra else [0, 0]
    counts = [[cell, cell, none], [none, none, cell]]
    space = NESTED % (", size: 2" if extra else "")
    section = f"rate: 0.5, stratify_by: [{by}], swap: [tenure]"
    told = f"invariants: [{invariants}]\n" if invariants else ""
    return (
        f"semiaudit: 1\n{space}{told}data: {{counts: {counts}}}\n"
        f"mechanism:\n  swapping: {{{section}}}\nreport: {{deltas: [0.01]}}\n"
    )


def test_a_margin_by_county_tells_that_by_state(tmp_path: Path) -> None:
    """Counts by county tell the state of each: what is kept is not missed for want of the name."""
    disclosed = report(tmp_path, _nested("county", "", 0))
    assert epsilon(disclosed) == 0
    assert "SA002" in [finding["rule"] for finding in disclosed["findings"]]
    # The strata are the states, of eight and of four homes, and a margin by county tells them.
    finer = "{margin: [county, tenure]}, {margin: [county, size]}"
    for invariants in ("", finer):
        found = report(tmp_path, _nested("state", invariants, 1))
        assert epsilon(found) == pytest.approx(OF_EIGHT, abs=1e-12)
    for by in ("county", "state, county"):
        assert epsilon(report(tmp_path, _nested(by, "", 1))) == pytest.approx(math.log(3))


@pytest.mark.parametrize("section", ["largest_stratum: 1", "strata: [1, 1, 1]"])
def test_strata_that_are_said_to_hold_one_record_each_protect_nothing(
    section: str, tmp_path: Path
) -> None:
    """The output is the data: no 0 is stated, and no budget holds."""
    limits = "{framework: semi_dp, epsilon: 1}, {framework: invariant_dp, epsilon: 1, distance: 2}"
    budget = f"budgets: [{limits}]\n"
    one = section.replace("[1, 1, 1]", "[1, 1]")
    for text in (
        bare(f"rate: 0.5, {section}", "adjacency: {distance: 2}\n" + budget),
        swapped(None, f"rate: 0.5, {one}", space=SPACE) + budget,
        swapped(None, "rate: 0.5", space=SPACE.replace("unit: home", "size: 1")),
    ):
        found = report(tmp_path, text)
        for framework in ("semi_dp", "invariant_dp"):
            row = by_framework(found)[framework]
            assert row["refused"]
            assert "reveals every record completely" in row["note"] or "one dataset" in row["note"]
        assert not any(limit["holds"] for limit in found["budgets"])


def test_a_distance_is_not_told_to_lie_below_what_is_unknown(tmp_path: Path) -> None:
    for distance, words in ((1, "is below covering a(t) (at least 2)"), (5, "may be below")):
        found = report(
            tmp_path, bare("rate: 0.5, strata: [5]", f"adjacency: {{distance: {distance}}}")
        )
        (told,) = [f["message"] for f in found["findings"] if f["rule"] == "SA006"]
        assert words in told
        assert "that swapping keeps were added" in found["statement"]["scope"]
