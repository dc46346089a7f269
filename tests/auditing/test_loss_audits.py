"""Losses of real noise from a spec: published numbers, and products added up by outcome.

Nothing here is computed with the program's own calculus: pairs are listed with 50 digits, or are
known in closed form.
"""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from semiaudit.auditing.run import audit_release
from semiaudit.model.mechanism import Composition, DiscreteGaussian, Noise
from semiaudit.spec.build import load_release
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.audits import rows
from tests.oracles.calculus import gaussian_delta
from tests.oracles.domination import (
    Pair,
    discrete_gaussian_pair,
    discrete_laplace_pair,
    hockey_stick,
    type_ii,
)
from tests.places import CONFIGS
from tests.samples import sampled

RECORDS = "semiaudit: 1\ndataspace: {unit: person}\n"
SIZED = "semiaudit: 1\ndataspace: {size: 1000, attributes: {a: 2}}\n"


def told(
    folder: Path, text: str, deltas: Sequence[str] = ("1e-6",), alphas: str = "[0.01, 0.3]"
) -> dict[str, dict[str, Any]]:
    asked = f"{text}report: {{deltas: [{', '.join(deltas)}], alphas: {alphas}}}\n"
    found = rows(folder, asked)
    for row in found.values():
        assert_ends_agree(row)
    return found


def assert_ends_agree(row: dict[str, Any]) -> None:
    """A lower end of the truth lies above no upper one; the Gaussian's own is no such end."""
    lower = [p for p in row["approx_dp"] if p["conversion"] == "loss_distribution"]
    for below in (p for p in lower if p["epsilon_lower"] is not None):
        for above in row["approx_dp"]:
            if above["delta"] == below["delta"] and above["epsilon"] != "inf":
                assert below["epsilon_lower"] <= above["epsilon"], (below, above)


def point(row: dict[str, Any], conversion: str = "loss_distribution") -> dict[str, Any]:
    """The one point of a row with one delta by a conversion."""
    (found,) = [p for p in row["approx_dp"] if p["conversion"] == conversion]
    return dict(found)


def swapped(pair: Pair) -> Pair:
    return [(q, p) for p, q in pair]


def assert_safe(row: dict[str, Any], pair: Pair, *, attained: bool = False) -> None:
    """No number of a row is better than what the pair loses, in either order."""
    with mpmath.workdps(50):
        for found in row["approx_dp"]:
            if found["epsilon"] == "inf":
                continue
            above = mpmath.exp(mpmath.mpf(found["epsilon"]))
            delta = mpmath.mpf(found["delta"])
            for order in (pair, swapped(pair)):
                assert hockey_stick(order, above) <= delta, found
            if found["epsilon_lower"] and attained:
                below = mpmath.exp(mpmath.mpf(found["epsilon_lower"]))
                assert max(hockey_stick(order, below) for order in (pair, swapped(pair))) >= (
                    delta * (1 - mpmath.mpf("1e-25"))
                ), found
        for found in row["tradeoff"]:
            for order in (pair, swapped(pair)):
                assert type_ii(order, mpmath.mpf(found["type_i"])) >= found["type_ii"], found
        assert hockey_stick(pair, 1) <= row["advantage"]


# --- what needs no engine ---------------------------------------------------------------


PLAIN = (
    "{gaussian: {sigma: 2, shifts: [1, -1]}, repeat: 3}",
    "{zcdp: {rho: 1}}",
    "{compose: [{pure_dp: {epsilon: 1}}, {approx_dp: {epsilon: 1, delta: 1e-6}}]}",
    "{compose: [{zcdp: {rho: 1}}, {zcdp: {rho: 2}}]}",
    "{shuffled: {epsilon0: 1, reports: 100}}",
)


def test_plain_mechanisms_are_audited_without_numpy(tmp_path: Path) -> None:
    # One process for all: what any of them loads stays loaded.
    for number, mechanism in enumerate(PLAIN):
        path = tmp_path / f"{number}.yaml"
        path.write_text(RECORDS + f"mechanism: {mechanism}\n")
    code = (
        "import sys, semiaudit\n"
        "for path in sys.argv[1:]:\n"
        "    semiaudit.audit(path).render('json')\n"
        "    assert not {'numpy', 'scipy'} & set(sys.modules), path\n"
        "print(len(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    assert done.stdout == f"{len(PLAIN)}\n"


# --- row 84 ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("square", "delta", "epsilon"), [("1", "0.14135134", 1.0), ("4", "0.05400722", 0.5)]
)
def test_row_84_a_discrete_gaussian_by_its_own_loss(
    square: str, delta: str, epsilon: float, tmp_path: Path
) -> None:
    noise = f"mechanism: {{discrete_gaussian: {{sigma_squared: {square}, shifts: [1]}}}}\n"
    nominal = told(tmp_path, RECORDS + noise, [delta])["nominal_dp"]
    found = point(nominal)
    assert found["epsilon"] == pytest.approx(epsilon, abs=1e-7)
    assert found["epsilon_lower"] == pytest.approx(epsilon, abs=1e-7)
    assert nominal["approx_dp"][0]["conversion"] == "loss_distribution"
    # mu = sqrt(2 rho) = 1/sigma would be false (E5): the printed one has this delta.
    mu = nominal["gdp"]["mu"]
    rounded = float(delta) - 1e-8
    assert gaussian_delta(mu, epsilon) >= rounded > gaussian_delta(float(square) ** -0.5, epsilon)
    assert nominal["gdp"]["regret"] > 0


# --- noise without a query ------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "distance", "shifts"),
    sampled(
        itertools.product(
            ("discrete_gaussian", "discrete_laplace"), (1, 2), ((1,), (1, -1), (2, 1, -1), (3,))
        ),
        fast=(0, 2, 5, 7, 9, 11, 12),
    ),
)
def test_shifts_move_as_far_as_the_distance_says(
    kind: str, distance: int, shifts: tuple[int, ...], tmp_path: Path
) -> None:
    parameter, law = {
        "discrete_gaussian": ("sigma_squared: 9/4", discrete_gaussian_pair),
        "discrete_laplace": ("scale: 9/4", discrete_laplace_pair),
    }[kind]
    text = f"{RECORDS}adjacency: {{distance: {distance}}}\n"
    text += f"mechanism: {{{kind}: {{{parameter}, shifts: {list(shifts)}}}}}\n"
    found = told(tmp_path, text, ["1e-3", "1e-9"])["group_privacy"]
    pair = law([distance * shift for shift in shifts], Fraction(9, 4))
    assert_safe(found, pair, attained=True)
    for at in ("1e-3", "1e-9"):
        points = [p for p in found["approx_dp"] if p["delta"] == float(at)]
        (best,) = [p for p in points if p["conversion"] == "loss_distribution"]
        # One step of discrete Laplace noise is f_{epsilon,0} itself, which is as good.
        assert best["epsilon"] <= points[0]["epsilon"] * (1 + 1e-6)
        assert best["epsilon"] - best["epsilon_lower"] <= 2e-6 * best["epsilon"]


def test_a_laplace_product_is_sharper_than_its_epsilon(tmp_path: Path) -> None:
    # One coordinate: T(Lap, Lap + s) has delta(epsilon) = 1 - exp((epsilon - s) / 2) for s > 0.
    noise = "mechanism: {laplace: {scale: 2, shifts: [3]}}\n"
    nominal = told(tmp_path, RECORDS + noise, ["0.1"])["nominal_dp"]
    expected = 1.5 + 2 * math.log(0.9)
    assert point(nominal)["epsilon"] == pytest.approx(expected, rel=1e-6)
    assert point(nominal)["epsilon"] >= expected >= point(nominal)["epsilon_lower"]
    assert point(nominal, "pure")["epsilon"] == 1.5
    assert 1 - math.exp(-0.75) <= nominal["advantage"] < (1 - math.exp(-0.75)) * 1.0002


def test_row_62_in_d_t_no_lower_end_is_claimed_for_bare_shifts(tmp_path: Path) -> None:
    text = (
        "semiaudit: 1\ndataspace: {size: 6, attributes: {state: 2, voting: 2}}\n"
        "invariants: [{margin: [state]}]\n"
        "mechanism: {discrete_gaussian: {sigma_squared: 4, shifts: [1, 1]}}\n"
    )
    found = told(tmp_path, text)
    assert point(found["group_privacy"])["epsilon_lower"] is not None
    for name in ("semi_dp", "subspace_dp", "invariant_dp"):
        assert point(found[name])["epsilon_lower"] is None
    assert point(found["semi_dp"])["epsilon"] == point(found["group_privacy"])["epsilon"]


# --- noise on a query: every element of its sensitivity space -------------------------

QUERIES = [
    ("{a: 2, b: 2}", "[{margin: [a]}, {margin: [b]}]", "{a: [2, 2], b: [2, 2]}", "table"),
    ("{a: 2, b: 2}", "[{margin: [a]}]", "{a: [2, 2]}", "table"),
    ("{a: 2, b: 3}", "[{margin: [a]}]", "{a: [3, 1]}", "{margins: [[b], [a, b]]}"),
    ("{a: 3, b: 2}", "[{margin: [a]}, {margin: [b]}]", "{a: [1, 1, 2], b: [2, 2]}", "table"),
    ("{a: 2, b: 2}", "[{margin: [a]}]", "{a: [2, 1]}", "{matrix: [[2, 0, 1, 0], [1, 1, 0, 3]]}"),
]


ELEMENTS = [
    (kind, distance, *query)
    for kind in ("discrete_gaussian", "discrete_laplace")
    for distance in (1, 2, 3)
    for query in QUERIES
]


@pytest.mark.parametrize(
    ("kind", "distance", "attributes", "invariants", "margins", "query"),
    sampled(ELEMENTS, fast=(0, 3, 6, 9, 15, 17, 20, 24, 28)),
)
def test_no_element_of_a_sensitivity_space_loses_more_than_is_reported(
    kind: str,
    distance: int,
    attributes: str,
    invariants: str,
    margins: str,
    query: str,
    tmp_path: Path,
) -> None:
    parameter, law = {
        "discrete_gaussian": ("sigma_squared: 2", discrete_gaussian_pair),
        "discrete_laplace": ("scale: 2", discrete_laplace_pair),
    }[kind]
    text = (
        f"semiaudit: 1\ndataspace: {{attributes: {attributes}}}\ninvariants: {invariants}\n"
        f"data: {{margins: {margins}}}\nadjacency: {{distance: {distance}}}\n"
        f"mechanism: {{{kind}: {{{parameter}, query: {query}}}}}\n"
    )
    found = told(tmp_path, text, ["0.05", "1e-6"])
    release = load_release(tmp_path / "spec.yaml")
    assert isinstance(release.mechanism, Noise)
    assert release.mechanism.query is not None
    changes = SensitivitySpaces(release).subspaces.changes(release.mechanism.query, distance)
    assert changes is not None
    assert changes.whole
    patterns = {tuple(sorted(abs(k) for k in v if k)) for v in changes.vectors}
    lowest: dict[float, float] = {}
    for pattern in patterns:
        pair = law(pattern, Fraction(2))
        assert_safe(found["semi_dp"], pair)
        for p in found["semi_dp"]["approx_dp"]:
            if p["epsilon_lower"] is not None:
                below = mpmath.exp(mpmath.mpf(p["epsilon_lower"]))
                reached = max(hockey_stick(pair, below), hockey_stick(swapped(pair), below))
                lowest[p["delta"]] = max(lowest.get(p["delta"], 0.0), float(reached))
    # A lower end is claimed only where some pair of datasets reaches it.
    assert all(reached >= delta * (1 - 1e-12) for delta, reached in lowest.items())
    assert patterns or found["semi_dp"]["pure_dp"]["epsilon"] == 0


def test_erratum_15_at_distance_2_the_worst_pair_is_known(tmp_path: Path) -> None:
    text = (
        "semiaudit: 1\ndataspace: {size: 8, attributes: {state: 2, voting: 2}}\n"
        "invariants: [{margin: [state]}]\ndata: {margins: {state: [4, 4]}}\n"
        "mechanism: {discrete_gaussian: {sigma_squared: 4, query: table}}\n"
    )
    semi = told(tmp_path, text, ["1e-6"])["semi_dp"]
    pair = discrete_gaussian_pair((2, 2), Fraction(4))
    assert_safe(semi, pair, attained=True)
    assert point(semi)["epsilon_lower"] is not None
    assert "E15" not in semi["note"]


# --- compositions across families -----------------------------------------------------


def product(*pairs: Pair) -> Pair:
    found: Pair = [(mpmath.mpf(1), mpmath.mpf(1))]
    for pair in pairs:
        found = [(p * r, q * s) for (p, q), (r, s) in itertools.product(found, pair)]
    return found


def approximate_pair(epsilon: str, delta: str) -> Pair:
    e, d = mpmath.exp(mpmath.mpf(epsilon)), mpmath.mpf(delta)
    rest = (1 - d) / (1 + e)
    return [(d, 0 * d), (rest * e, rest), (rest, rest * e), (0 * d, d)]


def response_pair(epsilon: str, levels: int) -> Pair:
    e = mpmath.exp(mpmath.mpf(epsilon))
    total = e + levels - 1
    others = [(mpmath.mpf(levels - 2) / total,) * 2] if levels > 2 else []
    return [(e / total, 1 / total), (1 / total, e / total), *others]


@pytest.mark.parametrize(
    ("deltas", "alphas"),
    sampled([(["0.05"], "[0.005, 0.3]"), (["1e-3", "0.05"], "[0.01, 0.3]")], fast=(0,)),
)
def test_a_composition_of_four_families_is_that_of_their_pairs(
    tmp_path: Path, deltas: list[str], alphas: str
) -> None:
    mechanism = (
        "mechanism:\n  compose:\n    - {approx_dp: {epsilon: 1/2, delta: 1e-4}}\n"
        "    - {randomized_response: {epsilon: 1, levels: 3}}\n"
        "    - {discrete_gaussian: {sigma_squared: 4, shifts: [1]}}\n"
        "    - {tradeoff: {points: [[0, 1], [1/4, 1/4], [1, 0]], orders: both}}\n"
    )
    nominal = told(tmp_path, RECORDS + mechanism, deltas, alphas)["nominal_dp"]
    with mpmath.workdps(50):
        quarter = mpmath.mpf(1) / 4
        polygon = [(quarter, 3 * quarter), (3 * quarter, quarter)]
        pair = product(
            approximate_pair("0.5", "0.0001"),
            response_pair("1", 3),
            discrete_gaussian_pair((1,), Fraction(4)),
            polygon,
        )
    assert_safe(nominal, pair)
    for at in map(float, deltas):
        found, *others = [p for p in nominal["approx_dp"] if p["delta"] == at]
        assert found["conversion"] == "loss_distribution"
        assert {p["conversion"] for p in others} <= {"cks20", "bs16", "joint_range"}
        assert found["epsilon_lower"] is None
        just_below = mpmath.exp(mpmath.mpf(found["epsilon"]) * (1 - mpmath.mpf("3e-6")))
        assert max(hockey_stick(o, just_below) for o in (pair, swapped(pair))) > at


def test_gaussian_and_declared_parts_compose_by_their_pairs(tmp_path: Path) -> None:
    # Randomized response beside N(0, 1): the profile is a mixture of two shifted ones.
    mechanism = "mechanism: {compose: [{gdp: {mu: 1}}, {pure_dp: {epsilon: 1/2}}]}\n"
    nominal = told(tmp_path, RECORDS + mechanism, ["0.01"])["nominal_dp"]
    epsilon = point(nominal)["epsilon"]
    assert epsilon < point(nominal, "cks20")["epsilon"]

    def profile(e: float) -> Any:
        low, high = -e + 0.5, -e - 0.5
        return mpmath.ncdf(low) - mpmath.exp(e) * mpmath.ncdf(high)

    share = math.exp(0.5) / (1 + math.exp(0.5))
    delta = share * profile(epsilon - 0.5) + (1 - share) * profile(epsilon + 0.5)
    assert float(delta) == pytest.approx(0.01, rel=1e-5)


def test_zcdp_with_a_delta_keeps_a_number_above_it(tmp_path: Path) -> None:
    mechanism = "mechanism: {compose: [{zcdp: {rho: 1}}, {approx_dp: {epsilon: 1, delta: 1e-8}}]}\n"
    nominal = told(tmp_path, RECORDS + mechanism, ["1e-6", "1e-9"])["nominal_dp"]
    assert [p["epsilon"] for p in nominal["approx_dp"] if p["delta"] == 1e-9] == ["inf"] * 3
    # epsilon 1 is tanh(1/2)-zCDP (docs/theory/conversions.md).
    declared = told(tmp_path, RECORDS + "mechanism: {zcdp: {rho: 1.46211715726}}\n")["nominal_dp"]
    for conversion in ("cks20", "bs16"):
        (above,) = [
            p["epsilon"]
            for p in nominal["approx_dp"]
            if (p["delta"], p["conversion"]) == (1e-6, conversion)
        ]
        assert above > point(declared, conversion)["epsilon"]
        assert above == pytest.approx(point(declared, conversion)["epsilon"], rel=2e-3)


@pytest.mark.parametrize("distance", [1, 3])
def test_declared_parts_compose_beyond_distance_1(distance: int, tmp_path: Path) -> None:
    # f_{1/2,0} composed k times, beside the responses of k records.
    mechanism = (
        "mechanism: {compose: [{pure_dp: {epsilon: 1/2}}, {gdp: {mu: 0}}, "
        "{randomized_response: {epsilon: 1/2, levels: 2}}]}\n"
    )
    text = SIZED + f"adjacency: {{distance: {distance}}}\n" + mechanism
    group = told(tmp_path, text, ["0.05"])["group_privacy"]
    with mpmath.workdps(50):
        one = response_pair("0.5", 2)
        steps = one if distance == 1 else composed_pair(mpmath.exp(mpmath.mpf("0.5")))
        assert_safe(group, product(steps, *[one] * distance))


def composed_pair(growth: Any) -> Pair:
    """f_{epsilon,0} composed three times, on chords of a fine grid: never below the function."""
    q = 1 / (1 + growth)

    def f(a: Any) -> Any:
        return max(1 - growth * a, (1 - a) / growth)

    def thrice(a: Any) -> Any:
        return f(1 - f(1 - f(a)))

    fine = sorted({mpmath.mpf(k) / 256 for k in range(257)} | {q, q / growth, q / growth**2})
    return [(b - a, thrice(a) - thrice(b)) for a, b in itertools.pairwise(fine)]


def test_a_k_norm_mechanism_on_one_row_is_laplace_noise(tmp_path: Path) -> None:
    head = "semiaudit: 1\ndataspace: {size: 9, attributes: {a: 2, b: 2}}\n"
    query = "query: {matrix: [[1, 0, 0, 3]]}"
    ball = told(tmp_path, head + f"mechanism: {{k_norm: {{epsilon: 3/2, {query}}}}}\n", ["0.1"])
    # The row moves by 3 at distance 1, so the noise along it has scale 3 / (3/2) = 2.
    line = told(tmp_path, head + f"mechanism: {{laplace: {{scale: 2, {query}}}}}\n", ["0.1"])
    for name in ("nominal_dp", "semi_dp"):
        assert ball[name]["approx_dp"] == line[name]["approx_dp"]
        assert point(ball[name])["epsilon"] == pytest.approx(1.5 + 2 * math.log(0.9), rel=1e-6)


# --- records --------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [2, 5])
def test_randomized_response_of_two_records_is_a_product_and_no_composition_of_steps(
    levels: int, tmp_path: Path
) -> None:
    text = (
        SIZED + "adjacency: {distance: 2}\n"
        f"mechanism: {{randomized_response: {{epsilon: 1, levels: {levels}}}}}\n"
    )
    group = told(tmp_path, text, ["0.05", "1e-3"])["group_privacy"]
    with mpmath.workdps(50):
        pair = product(response_pair("1", levels), response_pair("1", levels))
    assert_safe(group, pair, attained=True)
    assert group["pure_dp"]["epsilon"] == 2
    # docs/theory/conversions.md: epsilon (e^epsilon - 1) / (e^epsilon + levels - 1), for each
    # record.
    one = (math.e - 1) / (math.e + levels - 1)
    assert group["zcdp"]["rho"] == pytest.approx(2 * one, rel=1e-15)
    # By hand, f o f has total variation 1 - 1/e; two responses of two levels have tanh(1/2).
    truth = float(hockey_stick(pair, 1))
    assert group["advantage"] == pytest.approx(truth, rel=1e-5)
    assert truth < 1 - math.exp(-1)


def test_one_subsampled_step_has_the_amplified_profile(tmp_path: Path) -> None:
    # delta(epsilon) = q delta_G(ln(1 + (e^epsilon - 1) / q)): the order with the mixture first.
    text = (
        "semiaudit: 1\ndataspace: {unit: person}\nadjacency: {metric: symmetric_difference}\n"
        "mechanism: {subsampled_gaussian: {noise_multiplier: 1, sampling_rate: 0.1, steps: 1}}\n"
    )
    nominal = told(tmp_path, text, ["0.001"])["nominal_dp"]
    epsilon = point(nominal)["epsilon"]
    inner = math.log1p(math.expm1(epsilon) / 0.1)
    delta = 0.1 * (mpmath.ncdf(-inner + 0.5) - mpmath.exp(inner) * mpmath.ncdf(-inner - 0.5))
    assert float(delta) == pytest.approx(0.001, rel=1e-4)
    assert nominal["gdp"]["mu"] == 1


def test_a_rate_next_to_1_costs_what_the_noise_does_without_sampling(tmp_path: Path) -> None:
    head = "semiaudit: 1\ndataspace: {}\nadjacency: {metric: symmetric_difference}\n"
    noise = "mechanism: {subsampled_gaussian: {noise_multiplier: 1, steps: 5, sampling_rate: "
    whole = told(tmp_path, f"{head}{noise}1}}}}\n")["nominal_dp"]
    nearly = told(tmp_path, f"{head}{noise}0.{'9' * 30}}}}}\n")["nominal_dp"]
    # The noise without sampling dominates, and is attained by itself alone.
    for point in whole["approx_dp"]:
        assert point.pop("epsilon_lower") is None or point["conversion"] == "gaussian_exact"
    assert not any(point.pop("epsilon_lower") for point in nearly["approx_dp"])
    assert nearly == whole
    assert nearly["advantage"] == pytest.approx(math.erf(math.sqrt(5 / 8)), rel=1e-12)


def test_a_replaced_record_costs_less_than_two_that_enter_or_leave(tmp_path: Path) -> None:
    mechanism = (
        "mechanism: {subsampled_gaussian: {noise_multiplier: 2, sampling_rate: 0.05, steps: 5}}\n"
    )
    head = "semiaudit: 1\ndataspace: {unit: person}\nadjacency: {metric: symmetric_difference"
    one = told(tmp_path, f"{head}}}\n{mechanism}", ["1e-3"], "[0.3]")["nominal_dp"]
    two = told(tmp_path, f"{head}, distance: 2}}\n{mechanism}", ["1e-3"], "[0.3]")["group_privacy"]
    replaced = told(tmp_path, SIZED + mechanism, ["1e-3"], "[0.3]")["nominal_dp"]
    assert point(one)["epsilon"] < point(replaced)["epsilon"] < point(two)["epsilon"]
    assert two["gdp"]["mu"] == replaced["gdp"]["mu"] == 2 * one["gdp"]["mu"]
    best = min(p["epsilon"] for p in two["approx_dp"])
    # Two steps of (epsilon, delta) pairs, as group privacy takes them, are no better.
    assert best > 2 * point(one)["epsilon"] * 0.9
    assert best < point(two, "gaussian_exact")["epsilon"]


def test_reports_that_tell_all_but_surely_are_shuffled_too(tmp_path: Path) -> None:
    # Alone with one other report, the probability of being told apart is 1 - 10^-73 or so.
    text = (
        "semiaudit: 1\ndataspace: {size: 2, attributes: {a: 2}}\n"
        "mechanism: {shuffled: {epsilon0: 170, reports: 2}}\n"
    )
    nominal = told(tmp_path, text)["nominal_dp"]
    assert nominal["pure_dp"]["epsilon"] == 170
    assert nominal["advantage"] == 1


@pytest.mark.parametrize(
    ("space", "framework"),
    [
        ("dataspace: {size: 5, attributes: {a: 1}}", "nominal_dp"),
        ("dataspace: {datasets: [[1, 2]]}", "nominal_dp"),
        ("dataspace: {product: {size: 2, values: [0]}}", "nominal_dp"),
        ("dataspace: {datasets: [[1, 2], [3, 4]]}", "nominal_dp"),
        ("dataspace: {datasets: [[1, 2], [1, 3]]}\nadjacency: {distance: 2}", "group_privacy"),
    ],
)
def test_where_no_two_datasets_are_so_far_apart_no_lower_end_is_claimed(
    space: str, framework: str, tmp_path: Path
) -> None:
    # What no pair of datasets loses is still an upper end.
    text = f"semiaudit: 1\n{space}\nmechanism: {{laplace: {{scale: 1, shifts: [1]}}}}\n"
    found = point(told(tmp_path, text, ["0.001"])[framework])
    assert found["epsilon"] > 0.99
    assert found["epsilon_lower"] is None


def test_two_neighbours_alone_lose_all_of_the_pair(tmp_path: Path) -> None:
    text = "semiaudit: 1\ndataspace: {datasets: [[1, 2], [1, 3]]}\n"
    text += "mechanism: {laplace: {scale: 1, shifts: [1]}}\n"
    found = point(told(tmp_path, text, ["0.001"])["nominal_dp"])
    # delta(epsilon) = 1 - e^((epsilon - 1) / 2)
    truth = 1 + 2 * math.log1p(-0.001)
    assert found["epsilon_lower"] <= truth * (1 + 1e-15)
    assert found["epsilon_lower"] == pytest.approx(truth, rel=1e-12)


def test_row_82_a_thousand_shuffled_reports(tmp_path: Path) -> None:
    text = SIZED + "mechanism: {shuffled: {epsilon0: 1, reports: 1000}}\n"
    nominal = told(tmp_path, text)["nominal_dp"]
    assert nominal["approx_dp"][0]["epsilon"] == pytest.approx(0.148671, abs=1e-6)
    assert nominal["pure_dp"]["epsilon"] == 1
    assert nominal["advantage"] == pytest.approx(0.015897, abs=1e-6)
    further = told(tmp_path, text + "adjacency: {distance: 2}\n")["group_privacy"]
    assert further["approx_dp"][0]["epsilon"] > 0.148671


def test_the_production_allocation_by_plain_convolution_on_a_grid() -> None:
    # Losses rounded up and down to a grid of 1e-3, 130 times: the truth lies between.
    path = CONFIGS / "census2020_pl94_production.yaml"
    release = load_release(path)
    found = audit_release(replace(release, options=replace(release.options, type_i=())))
    assert isinstance(release.mechanism, Composition)
    parts = [part for part, _ in release.mechanism.parts if isinstance(part, DiscreteGaussian)]
    scales = [part.sigma_squared for part in parts]
    assert len(scales) == 65
    for name, distance in (("nominal_dp", 1), ("group_privacy", 2)):
        (row,) = [row for row in found.rows if row.guarantee.framework == name]
        points = row.numbers.approx_dp
        (epsilon,) = [float(p.epsilon) for p in points if p.conversion == "loss_distribution"]
        step = 1e-3
        ends = [_delta_on_a_grid(scales, distance, step, epsilon, up) for up in (False, True)]
        assert ends[0] <= 1e-10 <= ends[1]
        assert ends[1] < 2 * ends[0]


def _delta_on_a_grid(
    scales: Sequence[Fraction], shift: int, step: float, epsilon: float, up: bool
) -> float:
    """delta at epsilon of all parts twice, tilted by e^(t loss) so that tails do not drown."""
    tilt, size = 2.7 / shift, 1 << 18
    log_total, spectrum = 0.0, np.ones(size // 2 + 1, dtype=complex)
    for scale, number in Counter(scales).items():
        square = float(scale)
        reach = int(14 * math.sqrt(square)) + 2 * shift + 2
        k = np.arange(-reach, reach + 1, dtype=float)
        mass = np.exp(-k * k / (2 * square))
        mass /= mass.sum()
        loss = (shift * shift - 2 * shift * k) / (2 * square) / step
        cells = np.ceil(loss) if up else np.floor(loss)
        weight = mass * np.exp(tilt * cells * step)
        total = weight.sum()
        line = np.zeros(size)
        np.add.at(line, cells.astype(int) % size, weight / total)
        spectrum *= np.fft.rfft(line) ** (2 * number)
        log_total += 2 * number * math.log(total)
    tilted = np.fft.irfft(spectrum, size)
    places = np.arange(size)
    at = np.where(places > size // 2, places - size, places) * step
    above = at > epsilon
    plain = tilted[above].clip(0) * np.exp(log_total - tilt * at[above])
    return float((plain * -np.expm1(epsilon - at[above])).sum())
