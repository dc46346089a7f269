"""Noise that keeps the invariants against all pairs of tables of D_t, on random small releases.

The whole campaign: python -m pytest -m slow tests/mechanisms/test_subspace_noise.py

Noise in a subspace against its own divergences, integrated numerically.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semiaudit.frameworks import AT_DISTANCE, FRAMEWORKS
from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.subspace_noise import HullLaw, LaplaceLaw
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.guarantee import FrameworkGuarantee
from semiaudit.model.measure import GDP, ZCDP, Measure, PureDP
from semiaudit.numeric.limits import Limits
from semiaudit.spec.build import load_release
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.gauge import MAX_PROGRAMS
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles import subspace_noise as oracle
from tests.oracles.subspace_noise import Matrix, SmallCase, SymmetricCase
from tests.samples import sampled

ORDERS = (1.0, 1.5, 2.0, 4.0, 16.0)


@cache
def divergence_over_order(move: float, order: float) -> float:
    """The Renyi divergence of Laplace(0, 1) from Laplace(move, 1), over its order, by a sum over a
    grid; at order 1 the Kullback-Leibler divergence."""
    x = np.linspace(-50.0, 50.0 + move, 200_001)
    p, q = -np.abs(x), -np.abs(x - move)
    step = (x[1] - x[0]) / 2
    if order == 1:
        return float((np.exp(p) * (p - q)).sum() * step)
    divergence = math.log(float(np.exp(order * p + (1 - order) * q).sum() * step)) / (order - 1)
    return divergence / order


def product_rho(weights: Sequence[Sequence[int]], scale: float) -> float:
    """The largest divergence over its order of the worst row, over a grid of orders from 1."""
    return max(
        sum(divergence_over_order(abs(weight) / scale, order) for weight in row)
        for row in weights
        for order in ORDERS
    )


def numbers_of(law: LaplaceLaw, changes: list[tuple[int, ...]]) -> tuple[float, float]:
    measures = law.loss(changes, exact=True)
    rho = min(m.rho for m in measures if isinstance(m, ZCDP))
    epsilon = min(m.epsilon for m in measures if isinstance(m, PureDP))
    return float(rho), float(epsilon)


@pytest.mark.parametrize("seed", range(40))
def test_rho_of_laplace_noise_with_independent_rows_is_that_of_the_worst_change(seed: int) -> None:
    rng = random.Random(seed)
    rank, width = rng.choice([(1, 3), (3, 3), (5, 5), (6, 7)])
    while True:
        rows = [[rng.randint(-2, 2) for _ in range(width)] for _ in range(rank)]
        if np.linalg.matrix_rank(np.array(rows)) == rank:
            break
    scale = Fraction(rng.randint(2, 12), rng.randint(1, 3))
    weights = [
        [rng.choice((0, 0, -3, -2, -1, 1, 2, 3)) for _ in range(rank)]
        for _ in range(rng.randint(1, 9))
    ]
    changes = [tuple(int(v) for v in np.array(w) @ np.array(rows)) for w in weights]
    rho, epsilon = numbers_of(LaplaceLaw(tuple(map(tuple, rows)), scale), changes)
    worst = product_rho(weights, float(scale))
    assert rho == pytest.approx(worst, rel=1e-5, abs=1e-6)  # the width of the grid
    norm = max(sum(map(abs, row)) for row in weights)
    assert epsilon == pytest.approx(norm / float(scale), rel=1e-12)


def test_a_sum_over_two_variables_is_below_one_variable_that_moves_as_far() -> None:
    """By hand: two variables moved by 1/2 each lose 2 (1/2 + e^-1/2 - 1); one moved by 1, e^-1."""
    law = LaplaceLaw(((1, 0), (0, 1)), Fraction(2))
    rho, _ = numbers_of(law, [(1, 1)])
    assert rho == pytest.approx(2 * (0.5 + math.exp(-0.5) - 1), rel=1e-12)
    both, _ = numbers_of(law, [(1, 1), (2, 0)])
    assert both == pytest.approx(math.exp(-1), rel=1e-12)
    mixed, _ = numbers_of(law, [(1, 1), (1, 0)])
    assert mixed == rho


def test_noise_of_a_hull_on_a_line_loses_epsilon_times_the_norm() -> None:
    law = HullLaw(((1, -1),), [(2, -2), (-2, 2)], Fraction(3))
    pure = [one for one in law.loss([(1, -1), (3, -3)], exact=True) if isinstance(one, PureDP)]
    assert [one.epsilon for one in pure] == [Fraction(9, 2)]
    assert [one.exact for one in pure] == [True]


SHAPES = [(2, 2), (2, 3), (3, 2), (3, 3), (4, 1), (2, 2)]
NUMBER = 30
CHUNK = 8
MOST_TABLES = 60


@dataclass(frozen=True)
class Drawn:
    """A release without its mechanism, as text and as matrices."""

    text: str
    query: str
    case: SmallCase


def drawn(rng: random.Random) -> Drawn:
    rows, columns = rng.choice(SHAPES)
    cells = list(product(range(rows), range(columns)))
    able = [at for at, _ in enumerate(cells)]
    lines = [f"  attributes: {{a: {rows}, b: {columns}}}"]
    if rng.random() < 0.25 and len(able) > 2:
        gone = rng.choice(able)
        able.remove(gone)
        lines.append(f"  impossible: [{{a: {cells[gone][0]}, b: {cells[gone][1]}}}]")
    n = rng.randint(1, 5)
    table = [0] * len(cells)
    for _ in range(n):
        table[rng.choice(able)] += 1
    kinds = rng.choice(["ab", "ab", "ab", "a", "t", "c", "ac", "l"])
    told: list[list[int]] = []
    said = []
    if "a" in kinds:
        told += [[int(cell[0] == level) for cell in cells] for level in range(rows)]
        said.append("{margin: [a]}")
    if "b" in kinds:
        told += [[int(cell[1] == level) for cell in cells] for level in range(columns)]
        said.append("{margin: [b]}")
    if "t" in kinds:
        told.append([1] * len(cells))
        said.append("total")
    if "c" in kinds:
        told.append([int(cell == (0, 0)) for cell in cells])
        said.append("{count: {where: {a: 0, b: 0}}}")
    if "l" in kinds:
        row = [rng.randint(0, 2) for _ in cells]
        told += [row, [1] * len(cells)]
        said += [f"{{linear: [{row}]}}", "total"]
    least = 0
    if table[0] and rng.random() < 0.3:
        least = rng.randint(1, table[0])
        said.append(f"{{bound: {{where: {{a: 0, b: 0}}, at_least: {least}}}}}")
    asked: list[list[int]]
    form = rng.choice(["table", "table", "margins", "matrix"])
    if form == "table":
        asked, query = np.eye(len(cells), dtype=int).tolist(), "table"
    elif form == "margins":
        asked = [[int(cell[0] == level) for cell in cells] for level in range(rows)]
        asked += [[int(cell[1] == level) for cell in cells] for level in range(columns)]
        query = "{margins: [[a], [b]]}"
    else:
        asked = [[rng.randint(-1, 2) for _ in cells] for _ in range(rng.randint(1, 4))]
        query = f"{{matrix: {asked}}}"
    counts = [table[at : at + columns] for at in range(0, len(cells), columns)]
    text = (
        f"semiaudit: 1\ndataspace:\n  size: {n}\n" + "\n".join(lines) + "\n"
        f"invariants: [{', '.join(said)}]\ndata: {{counts: {counts}}}\n"
    )
    matrices = (np.array(told, float), np.array(asked, float))
    return Drawn(text, query, SmallCase(n, len(cells), tuple(able), *matrices, tuple(table), least))


def stated(
    release: Drawn, mechanism: str, folder: Path
) -> tuple[Context, dict[FrameworkName, FrameworkGuarantee]]:
    path = folder / "spec.yaml"
    path.write_text(f"{release.text}mechanism: {mechanism}\n")
    read = load_release(path)
    limits = Limits(60.0)
    universe = universe_of(read, limits)
    context = Context(universe, read.adjacency, read.mechanism, SensitivitySpaces(read, limits))
    return context, {name: of(context) for name, of in FRAMEWORKS.items()}


def number(measures: tuple[Measure, ...], kind: type[Measure]) -> tuple[Fraction, bool] | None:
    for measure in measures:
        if isinstance(measure, GDP) and kind is GDP:
            return measure.mu_squared, measure.exact
        if isinstance(measure, PureDP) and kind is PureDP:
            return measure.epsilon, measure.exact
        if isinstance(measure, ZCDP) and kind is ZCDP:
            return measure.rho, measure.exact
    return None


def at_units(context: Context, k: int, kind: type[Measure]) -> Fraction | None:
    read: Any = AT_DISTANCE["invariant_dp"](context, k)
    found = None if read is None else number(read.measures, kind)
    return None if found is None else found[0]


def check_unit(
    context: Context,
    found: dict[FrameworkName, FrameworkGuarantee],
    kind: type[Measure],
    truth: float,
    *,
    case: SmallCase,
    listed: bool = True,
) -> None:
    """The loss per unit inside D_t is the supremum over all pairs where their changes are few
    enough to be looked at one by one, else a bound of it; the note says which."""
    shown = context.loss_at(1, "D", "disagreeing").refused
    if not shown or not found["invariant_dp"].measures:
        return
    told = number(found["invariant_dp"].measures, kind)
    assert told is not None
    note = found["invariant_dp"].note
    bound = "an upper bound on the loss per unit of distance" in note
    if case.several_sizes and bound:
        listed = False
    if not listed:
        assert float(told[0]) >= truth * (1 - 1e-9)
        assert bound
        return
    assert float(told[0]) == pytest.approx(truth, rel=1e-6, abs=1e-9)
    assert "is the exact loss per unit of distance" in note


def squared(vectors: Matrix) -> float:
    return max((float(u @ u) for u in vectors), default=0.0)


def no_number_across(found: dict[FrameworkName, FrameworkGuarantee], context: Context) -> None:
    """Between datasets that disagree on the invariants no number is finite."""
    if context.universe.restricts:
        assert not found["nominal_dp"].measures
        assert not found["group_privacy"].measures


def without_neighbors(case: SmallCase) -> bool:
    """Whether D has no two datasets a step apart: nothing is said of them, not even 0."""
    return isinstance(case, SymmetricCase) and case.fixed


def check_support(rng: random.Random, release: Drawn, folder: Path) -> None:
    """Gaussian and discrete Gaussian noise with a support: exact inside D_t."""
    case, support = release.case, rng.choice(["null_space", "sensitivity_space"])
    kind = rng.choice(["gaussian: {sigma: 1/2", "discrete_gaussian: {sigma_squared: 1/4"])
    discrete = kind.startswith("discrete")
    mechanism = f"{{{kind}, support: {support}, query: {release.query}}}}}"
    context, found = stated(release, mechanism, folder)
    no_number_across(found, context)
    semi, subspace = found["semi_dp"], found["subspace_dp"]
    distance = context.distance
    measure, factor = (ZCDP, 2) if discrete else (GDP, 4)
    if not distance:
        assert not semi.measures
        return
    if support == "null_space":
        assert bool(semi.measures) == case.linear, semi.refused
    span = case.changes(distance) if support == "sensitivity_space" else case.kept
    if semi.measures:
        told = number(semi.measures, measure)
        assert told is not None
        assert (float(told[0]), told[1]) == (factor * squared(case.changes(distance)), True)
        # What lies outside the support is the same for all of D_t (E9).
        assert oracle.inside(case.changes(case.records), span)
    elif support == "sensitivity_space":
        # Refused only where a part of D_t may show, or the list was too long.
        assert not case.joined(distance)
    for k in range(1, case.records + 1):
        unit = at_units(context, k, measure)
        if unit is not None:
            assert float(unit) >= factor * squared(case.changes(k)) - 1e-9
    check_unit(context, found, measure, factor * squared(case.per_unit()), case=case)
    if not case.linear:
        assert not subspace.measures
        return
    projected = case.steps() @ case.kept
    covered = oracle.inside(projected, span)
    if discrete:
        covered = covered and np.allclose(projected, np.round(projected))
    assert bool(subspace.measures) == (covered and not without_neighbors(case))
    if subspace.measures:
        told = number(subspace.measures, measure)
        assert told is not None
        assert float(told[0]) >= factor * squared(projected) - 1e-9


def rational_rows(rng: random.Random, rows: int, columns: int) -> list[list[Fraction]]:
    return [
        [Fraction(rng.randint(-3, 3), rng.randint(1, 2)) for _ in range(columns)]
        for _ in range(rows)
    ]


def text_of(rows: list[list[Fraction]]) -> str:
    return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows) + "]"


def rows_for(rng: random.Random, case: SmallCase) -> list[list[Fraction]]:
    """Rows that may span what the query changes by, less, or more."""
    width, way = len(case.asked), rng.random()
    changes = case.changes(case.records)
    if way < 0.6 and len(changes):
        chosen = changes[: rng.choice([1, len(changes), len(changes)])]
        basis: list[list[Fraction]] = []
        for u in chosen.astype(int).tolist():
            rows = np.array([*basis, u], float)
            if np.linalg.matrix_rank(rows) == len(rows):
                basis.append([Fraction(k) for k in u])
        mix = rational_rows(rng, len(basis), len(basis))
        rows_ = [
            [sum((a * row[at] for a, row in zip(m, basis, strict=True)), Fraction(0))
             for at in range(width)] for m in mix
        ]  # fmt: skip
        return [*basis, *rows_][: len(basis)] if rng.random() < 0.5 else rows_
    if way < 0.8:
        return [[Fraction(at == other) for other in range(width)] for at in range(width)]
    return rational_rows(rng, rng.randint(1, width), width)


def check_covariance(rng: random.Random, release: Drawn, folder: Path) -> None:
    case = release.case
    rows = rows_for(rng, case)
    width = len(case.asked)
    covariance = [
        [sum((row[i] * row[j] for row in rows), Fraction(0)) for j in range(width)]
        for i in range(width)
    ]
    mechanism = f"{{gaussian: {{covariance: {text_of(covariance)}, query: {release.query}}}}}"
    context, found = stated(release, mechanism, folder)
    sigma = np.array([[float(value) for value in row] for row in covariance])

    def close(name: FrameworkName, truth: float) -> None:
        told = number(found[name].measures, GDP)
        assert told is not None
        assert float(told[0]) == pytest.approx(truth, rel=1e-6, abs=1e-9), name

    distance = context.distance
    if not distance:
        return
    inside = oracle.mu_squared(case.changes(distance), sigma)
    if found["semi_dp"].measures:
        close("semi_dp", inside)
        assert oracle.inside(case.changes(case.records), sigma)
    else:
        assert inside == inf or not case.joined(distance)
    everywhere = oracle.mu_squared(case.steps(), sigma)
    if found["nominal_dp"].measures:
        close("nominal_dp", everywhere)
    elif not without_neighbors(case):
        assert everywhere == inf or (case.linear and oracle.inside(sigma, case.kept))
    for k in range(1, case.records + 1):
        unit = at_units(context, k, GDP)
        if unit is not None:
            assert float(unit) >= oracle.mu_squared(case.changes(k), sigma) - 1e-7
    check_unit(context, found, GDP, oracle.mu_squared(case.per_unit(), sigma), case=case)
    if case.linear:
        shown = case.kept @ sigma @ case.kept
        truth = oracle.mu_squared(case.steps() @ case.kept, shown)
        shows = truth < inf and not without_neighbors(case)
        assert bool(found["subspace_dp"].measures) == shows
        if shows:
            told = number(found["subspace_dp"].measures, GDP)
            assert told is not None
            # The nominal loss holds for the projection too, and may be the smaller number.
            assert float(told[0]) == pytest.approx(min(truth, everywhere), rel=1e-6, abs=1e-9)
    else:
        assert not found["subspace_dp"].measures


def check_basis(rng: random.Random, release: Drawn, folder: Path) -> None:
    case = release.case
    rows = rows_for(rng, case)
    mechanism = f"{{laplace: {{scale: 2, basis: {text_of(rows)}, query: {release.query}}}}}"
    context, found = stated(release, mechanism, folder)
    basis = np.array([[float(value) for value in row] for row in rows])
    independent = np.linalg.matrix_rank(basis) == len(basis)
    distance = context.distance
    if not distance:
        return
    told = number(found["semi_dp"].measures, PureDP)
    if told is None:
        covered = oracle.inside(case.changes(distance), basis)
        assert not (covered and case.joined(distance))
    elif independent:
        truth = oracle.weights(case.changes(distance), basis)
        assert truth is not None
        epsilon = max((float(np.abs(w).sum()) / 2 for w in truth), default=0.0)
        assert float(told[0]) == pytest.approx(epsilon)
        assert told[1]
        assert oracle.inside(case.changes(case.records), basis)
    for k in range(1, case.records + 1):
        unit = at_units(context, k, PureDP)
        if unit is not None and independent:
            truth = oracle.weights(case.changes(k), basis)
            assert truth is not None
            assert all(float(unit) >= np.abs(w).sum() / 2 - 1e-9 for w in truth)
    units = oracle.weights(case.per_unit(), basis) if independent else None
    if units is not None:
        worst = max((float(np.abs(w).sum()) / 2 for w in units), default=0.0)
        check_unit(context, found, PureDP, worst, case=case)
    unit_told = number(found["nominal_dp"].measures, PureDP)
    if unit_told is not None and independent:
        truth = oracle.weights(case.steps(), basis)
        assert truth is not None
        worst = max((float(np.abs(w).sum()) / 2 for w in truth), default=0.0)
        assert float(unit_told[0]) == pytest.approx(worst)


def check_hull(rng: random.Random, release: Drawn, folder: Path) -> None:
    case = release.case
    mechanism = f"{{k_norm: {{epsilon: 3/2, norm: {{hull: D_t}}, query: {release.query}}}}}"
    context, found = stated(release, mechanism, folder)
    no_number_across(found, context)
    distance = context.distance
    if not distance:
        return
    corners = case.changes(distance)
    told = number(found["semi_dp"].measures, PureDP)
    if told is None:
        assert not case.joined(distance)
        return
    assert told == (Fraction(3, 2) if len(corners) else Fraction(0), bool(len(corners)))
    assert oracle.inside(case.changes(case.records), corners)
    for k in range(1, case.records + 1):
        unit = at_units(context, k, PureDP)
        if unit is not None and len(corners):
            truth = max((oracle.gauge(corners, u) for u in case.changes(k)), default=0.0)
            assert float(unit) >= 1.5 * truth - 1e-6
    if len(corners):
        units = case.per_unit()
        worst = max(oracle.gauge(corners, u) for u in units)
        # Each is a linear program of its own, and stands for its opposite too.
        different = {max(tuple(u), tuple(-u)) for u in np.round(units, 9) + 0.0 if u.any()}
        listed = len(different) <= MAX_PROGRAMS
        check_unit(context, found, PureDP, 1.5 * worst, case=case, listed=listed)
    if found["subspace_dp"].measures and len(corners):
        projected = case.steps() @ case.kept
        assert oracle.inside(projected, corners)
        part = number(found["subspace_dp"].measures, PureDP)
        assert part is not None
        truth = max((oracle.gauge(corners, u) for u in projected), default=0.0)
        assert float(part[0]) == pytest.approx(1.5 * truth, rel=1e-6)


def check_projected(rng: random.Random, release: Drawn, folder: Path) -> None:
    """Projected Laplace and K-norm noise lose no more inside D_t than the plain noise."""
    kind = rng.choice(
        ["laplace: {scale: 2", "k_norm: {epsilon: 1, norm: l1", "k_norm: {epsilon: 1"]
    )
    mechanism = f"{{{kind}, query: {release.query}"
    context, plain = stated(release, f"{mechanism}}}}}", folder)
    _, found = stated(release, f"{mechanism}, support: null_space}}}}", folder)
    no_number_across(found, context)
    if context.distance and release.case.linear and plain["semi_dp"].measures:
        one, other = (number(g["semi_dp"].measures, PureDP) for g in (found, plain))
        assert one is not None
        assert other is not None
        assert one[0] == other[0]
        assert not one[1]
    else:
        assert not found["semi_dp"].measures


CHECKS = [check_support, check_covariance, check_basis, check_hull, check_projected]


@pytest.mark.parametrize("seed", sampled(range(NUMBER), range(1)))
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_random_releases_agree_with_all_pairs_of_tables(
    check: Any, seed: int, tmp_path: Path
) -> None:
    rng = random.Random(f"{check.__name__}-{seed}")
    for _ in range(CHUNK):
        release = drawn(rng)
        while len(release.case.tables) > MOST_TABLES:
            release = drawn(rng)
        check(rng, release, tmp_path)


def test_a_query_that_the_invariants_are_no_function_of_is_set_against_the_noise_itself(
    tmp_path: Path,
) -> None:
    """Inside D_t a record moves the margin of b by v = (0, 1, -1), and v'C^+ v is 1/3 for
    C = 3 v v'. Other records are projected on v."""
    text = (
        "semiaudit: 1\ndataspace: {size: 5000000013, attributes: {a: 2, b: 3}}\n"
        "invariants: [{margin: [a]}, {count: {where: {b: 0}}}]\n"
        "data: {counts: [[1200000000, 1300000000, 4], [1000000000, 1500000000, 9]]}\n"
    )
    case = SmallCase(5000, 6, (), np.zeros((0, 6)), np.zeros((0, 6)), (), 0)
    release = Drawn(text, "{margins: [[b]]}", case)
    rows = "[[0, 0, 0], [0, 3, -3], [0, -3, 3]]"
    noise = f"{{gaussian: {{covariance: {rows}, query: {release.query}}}}}"
    _, found = stated(release, noise, tmp_path)
    assert not found["nominal_dp"].measures
    assert number(found["invariant_dp"].measures, GDP) == (Fraction(1, 3), False)


def test_noise_on_a_hull_inside_states_its_loss_per_unit_and_against_projected_steps(
    tmp_path: Path,
) -> None:
    told = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], float)
    case = SmallCase(3, 4, (0, 1, 2, 3), told, np.eye(4), (1, 1, 0, 1), 0)
    text = (
        "semiaudit: 1\ndataspace: {size: 3, attributes: {a: 2, b: 2}}\n"
        "invariants: [{margin: [a]}]\ndata: {counts: [[1, 1], [0, 1]]}\n"
    )
    mechanism = "{k_norm: {epsilon: 3/2, norm: {hull: D_t}, query: table}}"
    context, found = stated(Drawn(text, "table", case), mechanism, tmp_path)
    assert context.distance
    corners = case.changes(context.distance)
    against: dict[FrameworkName, Matrix] = {
        "invariant_dp": case.per_unit(),
        "subspace_dp": case.steps() @ case.kept,
    }
    for name, pairs in against.items():
        truth = max(oracle.gauge(corners, u) for u in pairs)
        loss = number(found[name].measures, PureDP)
        assert loss is not None
        assert float(loss[0]) == pytest.approx(1.5 * truth, rel=1e-6)
