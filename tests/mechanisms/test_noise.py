"""The laws of noise against their distributions, summed or integrated here without the program."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from semiaudit import Spec
from semiaudit.errors import RefusedError
from semiaudit.mechanisms import kind_of, noise
from semiaudit.mechanisms.kind import DatasetPairs
from semiaudit.mechanisms.noise import KINDS, NoiseKind, asked_query, sensitivity_of_shifts
from semiaudit.model.loss import LaplaceLoss, PrivacyLoss
from semiaudit.model.measure import GDP, ZCDP, Measure, PiecewiseLinear, PureDP
from semiaudit.model.mechanism import Gaussian, KNorm, Laplace, Norm
from semiaudit.model.query import Sensitivity, TableQuery
from semiaudit.numeric.limits import Limits
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.tradeoff.polygon import type_ii_at
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.mechanisms.fakes import NOISES
from tests.oracles import rho as oracle
from tests.oracles.curves import mp, real, renyi_of_lists
from tests.privacy.instances import zcdp_of
from tests.samples import sampled

SHIFTS = [(1,), (1, -1), (2, -1), (3,)]


def measures_of(kind: str, scale: str, shifts: tuple[int, ...]) -> tuple[Measure, ...]:
    moved = sensitivity_of_shifts([Fraction(s) for s in shifts], 1)
    part = NOISES[kind](Fraction(scale))
    return law_of(kind)(part, moved, moved)


def law_of(kind: str) -> Callable[[Any, Sensitivity, Sensitivity], tuple[Measure, ...]]:
    """The law in the record of a kind, wherever its module is."""
    record = kind_of(NOISES[kind](Fraction(1)))
    assert isinstance(record, NoiseKind)
    return record.against


def pairs(
    weight: Callable[[int], float], shifts: tuple[int, ...], reach: int
) -> list[tuple[float, float]]:
    """(P, Q) at every point of a box, for noise without and with the shift."""
    line = range(-reach, reach + 1)
    mass = {k: weight(k) for k in range(-2 * reach, 2 * reach + 1)}
    total = sum(mass.values())
    found = []
    for point in itertools.product(line, repeat=len(shifts)):
        p = math.prod(mass[x] / total for x in point)
        q = math.prod(mass[x - s] / total for x, s in zip(point, shifts, strict=True))
        found.append((p, q))
    return found


def type_ii(found: list[tuple[float, float]], type_i: float) -> float:
    """The least type II error at a type I error, by the likelihood-ratio test."""
    left, missed = type_i, 1.0
    for p, q in sorted(found, key=lambda pq: pq[0] / pq[1]):
        share = min(1.0, left / p)
        missed -= share * q
        left -= share * p
        if left <= 0:
            break
    return missed


def hockey_stick(found: list[tuple[float, float]], epsilon: float) -> float:
    return sum(max(0.0, q - math.exp(epsilon) * p) for p, q in found)


@pytest.mark.parametrize("shifts", SHIFTS)
@pytest.mark.parametrize("scale", ["1", "2"])
def test_discrete_laplace_noise_has_the_epsilon_it_is_given(
    shifts: tuple[int, ...], scale: str
) -> None:
    b = float(Fraction(scale))
    found = pairs(lambda k: math.exp(-abs(k) / b), shifts, 60)
    measures = measures_of("discrete_laplace", scale, shifts)
    (epsilon,) = [float(m.epsilon) for m in measures if isinstance(m, PureDP)]
    assert max(math.log(q / p) for p, q in found) == pytest.approx(epsilon)
    (f,) = [m for m in measures if isinstance(m, PiecewiseLinear)]
    for i in range(1, 40):
        assert type_ii(found, i / 40) >= float(type_ii_at(f, Fraction(i, 40))) - 1e-9


@pytest.mark.parametrize("shifts", SHIFTS)
@pytest.mark.parametrize("square", ["1/4", "1", "4"])
def test_discrete_gaussian_noise_is_zcdp_with_the_rho_it_is_given(
    shifts: tuple[int, ...], square: str
) -> None:
    variance = float(Fraction(square))
    reach = 18 if variance < 4 else 32
    found = pairs(lambda k: math.exp(-k * k / (2 * variance)), shifts, reach)
    (measure,) = [
        m for m in measures_of("discrete_gaussian", square, shifts) if isinstance(m, ZCDP)
    ]
    logs = [(math.log(p), math.log(q)) for p, q in found if p and q]
    for order in (1.01, 1.5, 2, 3, 4):
        moment = math.fsum(math.exp(order * q - (order - 1) * p) for p, q in logs)
        divergence = math.log(moment) / (order - 1)
        assert divergence <= float(measure.rho) * order + 1e-9
        if order in (2, 3, 4):
            assert divergence == pytest.approx(float(measure.rho) * order)
    sum_of_squares = sum(s * s for s in shifts)
    assert measure.rho == Fraction(sum_of_squares) / (2 * Fraction(square))


def test_erratum_5_the_gaussian_profile_would_be_too_small_for_discrete_noise() -> None:
    found = pairs(lambda k: math.exp(-k * k / 2), (1,), 30)
    assert hockey_stick(found, 1.0) == pytest.approx(0.14135134, abs=5e-9)
    measures = measures_of("discrete_gaussian", "1", (1,))
    numbers = numbers_of(measures, [Fraction("0.1413513")], [])
    best, *others = numbers.approx_dp
    assert best.conversion == "loss_distribution"
    assert 1 <= best.epsilon.value < Fraction("1.000001")
    assert best.epsilon_lower is not None
    assert best.epsilon_lower.value <= best.epsilon.value
    assert {point.conversion for point in others} == {"cks20", "bs16", "joint_range"}


def test_row_12_gaussian_noise_for_a_histogram() -> None:
    # Delta_2 = sqrt 2 and mu = 1 need sigma = sqrt 2.
    measures = measures_of("gaussian", "2", (1, -1))
    assert measures == (GDP(Fraction(1)), ZCDP(Fraction(1, 2)))
    (point, *_) = numbers_of(measures, [Fraction("1e-5")], []).approx_dp
    assert point.conversion == "gaussian_exact"
    assert float(point.epsilon.value) == pytest.approx(4.377178, abs=1e-6)


def test_row_15_the_l1_ball_is_laplace_noise() -> None:
    # S = {+-e1, +-e2}: the hull is the l1 ball, whose K-norm mechanism is Laplace(1/epsilon).
    laplace = measures_of("laplace", "5/2", (1,))
    moved = sensitivity_of_shifts((Fraction(1),), 1)
    k_norm = noise.k_norm(KNorm(Fraction(2, 5)), moved, moved)
    assert laplace[1:] == k_norm[1:]
    assert laplace[0] == PrivacyLoss(((LaplaceLoss(Fraction(2, 5)), 1),), attained=True)
    assert k_norm[0] == PrivacyLoss(((LaplaceLoss(Fraction(2, 5)), 1),), attained=False)


@pytest.mark.parametrize(
    ("norm", "ratio"), [("l1", 15 / 3), ("l2", math.sqrt(153 / 5)), ("linf", 12 / 2)]
)
def test_a_norm_mechanism_loses_epsilon_for_each_length_of_the_longest_step(
    norm: Norm, ratio: float
) -> None:
    # (12, 3) is so many times as long as (2, 1).
    unit = sensitivity_of_shifts((Fraction(2), Fraction(1)), 1)
    moved = sensitivity_of_shifts((Fraction(4), Fraction(1)), 3)
    (found,) = (
        one.epsilon
        for one in noise.k_norm(KNorm(Fraction(1, 2), norm), moved, unit)
        if isinstance(one, PureDP)
    )
    assert ratio / 2 * (1 - 1e-15) <= found <= ratio / 2 * (1 + 1e-12)


def test_bare_shifts_of_a_norm_mechanism_lose_epsilon_for_every_step() -> None:
    part = KNorm(Fraction(2, 5), "l1", shifts=(Fraction(2), Fraction(1)))
    release = Spec.from_text("semiaudit: 1\ndataspace: {size: 9}\nmechanism: {gdp: {mu: 1}}\n")
    spaces = SensitivitySpaces(release._release)
    found = kind_of(part).loss(part, DatasetPairs("D", 3), spaces).measures
    assert PureDP(Fraction(6, 5)) in found
    assert not any(isinstance(one, PureDP) and one.epsilon < Fraction(6, 5) for one in found)


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("move", [(1.0, 0.0), (0.5, 0.5), (1.0, 1.0), (0.3, -0.8)])
def test_no_move_of_a_norm_mechanism_loses_more_than_laplace_noise(
    norm: str, move: tuple[float, float]
) -> None:
    """delta(epsilon) = integral of (p - e^epsilon q)+, with p proportional to exp(-2 |x|_K)."""
    order: float = {"l1": 1.0, "l2": 2.0, "linf": np.inf}[norm]
    line = np.arange(-12, 12, 0.02) + 0.01
    plane = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1)
    here = np.exp(-2 * np.linalg.norm(plane, ord=order, axis=-1))
    there = np.exp(-2 * np.linalg.norm(plane - np.array(move), ord=order, axis=-1))
    shift = 2 * float(np.linalg.norm(move, ord=order))
    for epsilon in (0.0, 0.3, 1.0, 1.5):
        lost = float(np.maximum(here - np.exp(epsilon) * there, 0).sum() / here.sum())
        laplace = max(0.0, 1 - math.exp((epsilon - shift) / 2))
        assert lost <= laplace + 2e-4
        if norm == "l2" and laplace > 0.01:
            assert lost < laplace - 1e-3


@pytest.mark.parametrize("kind", list(NOISES))
def test_nothing_moves_nothing_is_lost(kind: str) -> None:
    for measure in measures_of(kind, "1", (0, 0)):
        if isinstance(measure, PureDP):
            assert measure.epsilon == 0
        elif isinstance(measure, ZCDP):
            assert measure.rho == 0
        elif isinstance(measure, GDP):
            assert measure.mu_squared == 0
        elif isinstance(measure, PrivacyLoss):
            assert measure.parts == ()
        else:
            assert isinstance(measure, PiecewiseLinear)
            assert all(x + y == 1 for x, y in measure.vertices)


@pytest.mark.parametrize(
    ("kind", "shifts"),
    sampled(product(("laplace", "discrete_laplace"), ((1,), (2, 1), (1, 1, 3))), fast=(0, 3, 4, 5)),
)
def test_rho_is_at_least_every_divergence_of_every_split_of_the_norm(
    kind: str, shifts: tuple[int, ...]
) -> None:
    """The divergences of independent coordinates add; D_a <= a rho at every order."""
    scale = Fraction(3, 2)
    moved = sensitivity_of_shifts([Fraction(s) for s in shifts], 1)
    own, norm_only = (
        zcdp_of(law_of(kind)(NOISES[kind](scale), sensitivity, sensitivity)).rho
        for sensitivity in (moved, replace(moved, moves=None))
    )
    assert own <= norm_only
    for order in ("1.001", "1.5", "3", "20"):
        a = mp.mpf(order)
        total = mp.fsum(divergence(kind, s, real(scale), a) for s in shifts)
        assert total <= a * real(own) * (1 + mp.mpf("1e-9"))
    near_one = 1 + mp.mpf("1e-9")
    limit = mp.fsum(divergence(kind, s, real(scale), near_one) for s in shifts)
    assert real(own) == pytest.approx(limit, rel=1e-7)


def divergence(kind: str, shift: int, scale: Any, order: Any) -> Any:
    if kind == "laplace":
        return oracle.laplace_divergence(shift / scale, order)
    return renyi_of_lists(*oracle.discrete_laplace(shift, scale), order)


@pytest.mark.parametrize("kind", ["laplace", "discrete_laplace"])
def test_of_noise_whose_moves_are_unknown_rho_is_that_of_one_coordinate_with_the_whole_norm(
    kind: str,
) -> None:
    """It is convex in the move, so no split loses more; epsilon^2 / 2 would be larger."""
    scale = Fraction(3, 2)
    unknown = replace(sensitivity_of_shifts([Fraction(2), Fraction(1)], 1), moves=None)
    rho = zcdp_of(law_of(kind)(NOISES[kind](scale), unknown, unknown)).rho
    limit = divergence(kind, 3, real(scale), 1 + mp.mpf("1e-9"))
    assert real(rho) == pytest.approx(limit, rel=1e-7)
    assert rho < (3 / scale) ** 2 / 2


def test_noise_with_shifts_has_no_query_to_be_sampled_for() -> None:
    assert asked_query(Laplace(scale=Fraction(1), query=TableQuery())) == TableQuery()
    with pytest.raises(RefusedError, match="add its query"):
        asked_query(Laplace(scale=Fraction(1), shifts=(Fraction(1),)))


def test_the_rho_of_bare_shifts_is_that_of_one_step() -> None:
    """|(3, -4)|^2 / (2 sigma^2) = 25 / 8."""
    noise = Gaussian(Fraction(4), shifts=(Fraction(3), Fraction(-4)))
    assert KINDS[Gaussian].specified_rho(noise) == Fraction(25, 8)
    assert KINDS[Gaussian].specified_rho(Gaussian(Fraction(4), query=TableQuery())) is None


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_the_loss_per_unit_of_projected_noise_grows_as_the_square_of_the_distance(
    distance: int,
) -> None:
    """In a table of 2 x 2 under its margins, a record's change has the projection
    (1, -1, -1, 1) / 2, of length 1, and sigma^2 is 4; the plain change has the squared length 2."""
    text = """\
semiaudit: 1
dataspace: {size: 40, attributes: {a: 2, b: 2}}
invariants: [{margin: [a]}, {margin: [b]}]
data: {counts: [[11, 9], [8, 12]]}
mechanism: {gaussian: {sigma: 2, query: table, support: null_space}}
"""
    release = Spec.from_text(text)._release
    assert isinstance(release.mechanism, Gaussian)
    spaces = SensitivitySpaces(release, Limits())
    measures = KINDS[Gaussian].by_units(release.mechanism, distance, spaces).measures
    squares = [one.mu_squared for one in measures if isinstance(one, GDP)]
    assert squares == [Fraction(distance**2, 4)]
