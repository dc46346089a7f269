"""Exact guarantees of whole releases of small tables, by enumeration.

D_t is listed table by table, a(t) is looped over as it is defined, and every pair of tables of D_t
within the distance gives the pair of laws of the whole output. What is true of a release is the
worst of these pairs. A mechanism of which only a measure is declared is replaced by one that has
no more privacy than it declares, so that its numbers are lower bounds of what may be certified.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from tests.oracles import pair_laws as laws
from tests.oracles import semi_adjacency, tables
from tests.oracles.pair_laws import Floats, Pair
from tests.oracles.tables import HAMMING, SYMMETRIC, Instance, Row, Table

Counts = NDArray[np.int64]
Move = tuple[int, ...]
MOST_MOVES, MOST_ORDERED, MOST_UNITS, KEPT = 600, 25, 3, 500
NEARLY = 1e-9


@dataclass(frozen=True)
class Part:
    """A mechanism that runs once or several times.

    Attributes:
        kind: as the spec names it.
        scale: sigma, sigma squared, scale, epsilon, rho, or mu.
        query: a row of coefficients for each coordinate; empty without a query.
        repeat: number of independent runs.
        points: the tradeoff function of ``approx_dp`` and ``tradeoff``.
        law: of ``finite_noise``.
        norm: of ``k_norm``: 1, 2, or infinity.
        levels: of ``randomized_response``.
        kept: whether the noise is projected so that the output has the invariants.
    """

    kind: str
    scale: float
    query: tuple[Row, ...] = ()
    repeat: int = 1
    points: tuple[tuple[float, float], ...] = ()
    law: tuple[float, ...] = ()
    norm: float = 1
    levels: int = 0
    kept: bool = False


@dataclass(frozen=True)
class Release:
    """A release of a table.

    Attributes:
        table: the data; None if none are given, which stands for the worst t.
        definition_13: whether guarantees use that definition of a(t).
        distance: in place of a(t).
        total: whether the size is published, and not only known.
    """

    instance: Instance
    table: Table | None
    metric: str
    definition_13: bool
    distance: int | None
    parts: tuple[Part, ...]
    total: bool = False


@dataclass(frozen=True)
class Explicit:
    """A release of one of listed ordered datasets, by a law of the output for each of them.

    Attributes:
        told: what is published exactly of each dataset.
        place: of the data among the datasets; None if none are given.
        laws: of all runs together.
    """

    datasets: tuple[tuple[int, ...], ...]
    told: tuple[Hashable, ...]
    place: int | None
    definition_13: bool
    distance: int | None
    laws: tuple[tuple[float, ...], ...]
    repeat: int


@dataclass(frozen=True)
class Numbers:
    """What the worst pairs show; a number is -inf if it is not computed."""

    pure: float = -math.inf
    rho: float = -math.inf
    mu: float = -math.inf
    epsilons: tuple[float, ...] = ()
    advantage: float = -math.inf
    rates: tuple[float, ...] = ()


@dataclass(frozen=True)
class Truth:
    """The exact guarantees of a release.

    Attributes:
        covering, definition_13: a(t), by both definitions.
        rows: numbers by the name of a framework.
        binned: whether a law is binned, so that numbers can be a little below the truth.
    """

    covering: int
    definition_13: int
    rows: dict[str, Numbers]
    binned: bool = False


# --- universes ------------------------------------------------------------------------


@lru_cache(maxsize=KEPT)
def _all_tables(shape: tuple[int, ...], zeros: frozenset[int], sizes: tuple[int, ...]) -> Counts:
    listed = [
        table for size in sizes for table in tables.tables(Instance(shape, size, zeros))
    ]  # fmt: skip
    return np.array(listed, dtype=np.int64)


def universes(instance: Instance, table: Table | None) -> list[Counts]:
    """D_t of a table, or of every t."""
    sizes = tuple(range(instance.largest + 1)) if instance.size is None else (instance.size,)
    every = _all_tables(instance.shape, instance.impossible, sizes)
    for row, least, most in instance.bounds:
        held = every @ np.array(row)
        every = every[(held >= least) & (held <= (math.inf if most is None else most))]
    told = [every @ np.array(row) for row in instance.rows]
    cells = tables.cells(instance.shape)
    for key in instance.keys:
        for levels in product(*(range(instance.shape[a]) for a in key)):
            own = [p for p, cell in enumerate(cells) if tuple(cell[a] for a in key) == levels]
            told.append((every[:, own] > 0).any(axis=1).astype(np.int64))
    published = np.column_stack([np.zeros(len(every), dtype=np.int64), *told])
    if table is not None:
        (place,) = np.flatnonzero((every == np.array(table)).all(axis=1))
        return [every[(published == published[place]).all(axis=1)]]
    _, groups = np.unique(published, axis=0, return_inverse=True)
    return [every[groups.ravel() == group] for group in range(int(groups.max()) + 1)]


def moves_within(universe: Counts, metric: str) -> tuple[Counts, Counts]:
    """All differences of tables of D_t, each once, and the distances of the tables."""
    change = (universe[:, None, :] - universe[None, :, :]).reshape(-1, universe.shape[1])
    base = 2 * int(universe.max(initial=0)) + 1
    keys = change @ (base ** np.arange(universe.shape[1], dtype=np.int64))
    _, first = np.unique(keys, return_index=True)
    change = change[first]
    total = np.abs(change).sum(axis=1)
    return change, total if metric == SYMMETRIC else total // 2


@lru_cache(maxsize=KEPT)
def moves_of_steps(cells: tuple[int, ...], count: int, steps: int, free: bool) -> Counts:
    """Differences of tables of D at most so many steps apart; only the longest ones if many."""
    units = np.eye(count, dtype=np.int64)[list(cells)]
    zero = np.zeros((1, count), dtype=np.int64)
    ends = np.vstack((units, zero)) if free else units
    single = [one - other for one, other in product(ends, ends)]
    if free:
        single = [*units, *-units]
    chosen = math.comb(len(single) + steps - 1, steps)
    if chosen > MOST_MOVES:
        return np.array([steps * move for move in single])
    sums = [sum(some) for some in combinations_with_replacement(single, steps)]
    return np.unique(np.array(sums, dtype=np.int64), axis=0)


# --- laws -----------------------------------------------------------------------------


def _answers(part: Part, move: Move) -> list[int]:
    return [sum(k * change for k, change in zip(row, move, strict=True)) for row in part.query]


def _coordinate(part: Part, shift: int) -> Pair:
    match part.kind:
        case "gaussian":
            return laws.gaussian(abs(shift) / part.scale)
        case "discrete_gaussian":
            return laws.discrete_gaussian(abs(shift), part.scale)
        case "laplace":
            return laws.laplace(abs(shift), part.scale)
        case "discrete_laplace":
            return laws.discrete_laplace(abs(shift), part.scale)
        case "finite_noise":
            return laws.shifted_law(part.law, shift)
        case _:
            raise ValueError(part.kind)


def _shifts(part: Part, move: Move, distance: int) -> tuple[int, ...]:
    """All that a part's law depends on: what its coordinates move by, or the distance."""
    if not part.query:
        return (distance,)
    found = _answers(part, move)
    if part.kind == "gaussian":
        return (sum(k * k for k in found),)
    if part.kind == "finite_noise":
        return tuple(sorted(k for k in found if k))
    return tuple(sorted(abs(k) for k in found if k))


@lru_cache(maxsize=KEPT)
def _law(part: Part, shifts: tuple[int, ...]) -> Pair:
    """The pair of laws of one part."""
    match part.kind:
        case "gaussian":
            once = laws.gaussian(math.sqrt(shifts[0]) / part.scale)
        case "zcdp":
            once = laws.gaussian(shifts[0] * math.sqrt(2 * part.scale))
        case "gdp":
            once = laws.gaussian(shifts[0] * part.scale)
        case "pure_dp":
            worst = math.exp(part.scale) / (1 + math.exp(part.scale))
            once = laws.along(((0, 1), (1 - worst, 1 - worst), (1, 0)), shifts[0])
        case "approx_dp" | "tradeoff":
            once = laws.along(part.points, shifts[0])
        case "randomized_response":
            once = laws.responses(shifts[0], part.scale, part.levels)
        case _:
            once = laws.NOTHING
            for shift in shifts:
                once = laws.product(once, _coordinate(part, shift))
    found = laws.NOTHING
    for _ in range(part.repeat):
        found = laws.product(found, once)
    return found


def _squared_mu(part: Part, shifts: tuple[int, ...]) -> float | None:
    """The squared mu of all runs of a part whose law is that of normal noise."""
    match part.kind:
        case "gaussian":
            return part.repeat * shifts[0] / part.scale**2
        case "gdp":
            return part.repeat * (shifts[0] * part.scale) ** 2
        case "zcdp":
            return part.repeat * 2 * part.scale * shifts[0] ** 2
        case _:
            return None


def _renyi(part: Part, shifts: tuple[int, ...]) -> Floats:
    """The divergences of a part's law, over their orders."""
    found = laws.renyi(_law(part, shifts))
    if part.kind == "discrete_gaussian":
        # The sum of p^2 / q is exp(k^2 / variance) for every whole shift k.
        exact = part.repeat * sum(k * k for k in shifts) / (2 * part.scale)
        found[laws.ORDERS.index(2)] = max(exact, found[laws.ORDERS.index(2)])
    return found


def _pure(part: Part, shifts: tuple[int, ...]) -> float:
    """The pure epsilon of all runs of a part; infinite if there is none."""
    match part.kind:
        case "gaussian" | "gdp" | "zcdp" | "discrete_gaussian":
            return part.repeat * (math.inf if any(shifts) else 0.0)
        case "laplace" | "discrete_laplace":
            return part.repeat * sum(shifts) / part.scale
        case "pure_dp" | "randomized_response":
            return part.repeat * shifts[0] * part.scale
        case "k_norm":
            return part.repeat * part.scale * float(np.linalg.norm((0, *shifts), part.norm))
        case _:
            return laws.pure(_law(part, shifts))


def numbers(
    parts: tuple[Part, ...],
    changes: Iterable[tuple[Move, int]],
    deltas: tuple[float, ...],
    type_i: tuple[float, ...],
) -> Numbers:
    """The worst numbers of all changes of a table, each with its distance."""
    seen = {tuple(_shifts(part, *change) for part in parts) for change in changes}
    return _worst([_of_pair(parts, shifts, deltas, type_i) for shifts in seen])


def _worst(found: Sequence[Numbers]) -> Numbers:
    return Numbers(
        max(one.pure for one in found),
        max(one.rho for one in found),
        max(one.mu for one in found),
        tuple(max(those) for those in zip(*(one.epsilons for one in found), strict=True)),
        max(one.advantage for one in found),
        tuple(max(those) for those in zip(*(one.rates for one in found), strict=True)),
    )


@lru_cache(maxsize=KEPT)
def _of_pair(
    parts: tuple[Part, ...],
    shifts: tuple[tuple[int, ...], ...],
    deltas: tuple[float, ...],
    type_i: tuple[float, ...],
) -> Numbers:
    known = list(zip(parts, shifts, strict=True))
    pure = sum(_pure(part, own) for part, own in known)
    if any(part.kind == "k_norm" for part in parts):
        return Numbers(pure)
    squares = [_squared_mu(part, own) for part, own in known]
    renyi: Floats = np.zeros(len(laws.ORDERS))
    for (part, own), square in zip(known, squares, strict=True):
        renyi = renyi + (_renyi(part, own) if square is None else square / 2)
    normal = [square for square in squares if square is not None]
    if len(normal) == len(parts):
        mu = math.sqrt(sum(normal))
        return Numbers(
            pure,
            float(renyi.max()),
            mu,
            tuple(laws.gaussian_epsilon(mu, delta) for delta in deltas),
            laws.gaussian_advantage(mu),
            tuple(laws.gaussian_rate(mu, rate) for rate in type_i),
        )
    pair = others = laws.NOTHING
    for (part, own), square in zip(known, squares, strict=True):
        pair = laws.product(pair, _law(part, own))
        others = laws.product(others, _law(part, own)) if square is None else others
    found = replace(_of_one(pair, deltas, type_i), pure=pure, rho=float(renyi.max()))
    if not any(normal):
        return found
    mu = math.sqrt(sum(normal))  # normal noise is binned in ``pair``, but not here
    return replace(found, epsilons=tuple(mixed_epsilon(others, mu, delta) for delta in deltas))


def mixed_epsilon(pair: Pair, mu: float, delta: float) -> float:
    """The least epsilon of a pair of laws together with normal noise, in both orders.

    The delta at epsilon is the mean, over the losses of the pair, of that of N(0, 1) and N(mu, 1).
    """
    return max(_mixed(p, q, mu, delta) for p, q in ((pair.p, pair.q), (pair.q, pair.p)))


def _mixed(p: Floats, q: Floats, mu: float, delta: float) -> float:
    known = (p > 0) & (q > 0)
    masses, losses = p[known], np.log(p[known]) - np.log(q[known])
    revealed = float(p[q <= 0].sum())
    if revealed >= delta:
        return math.inf

    def above(epsilon: float) -> bool:
        x = epsilon - losses
        normal = ndtr(mu / 2 - x / mu) - np.exp(x + log_ndtr(-mu / 2 - x / mu))
        return revealed + float(masses @ normal) > delta

    low, high = 0.0, 1000.0
    for _ in range(100 if above(0.0) else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) else (low, middle)
    return low


# --- whole releases -------------------------------------------------------------------


def truth(release: Release, deltas: tuple[float, ...], type_i: tuple[float, ...]) -> Truth:
    """Every number of a release that can be enumerated."""
    found = universes(release.instance, release.table)
    # Without a given size and without data, D_t of one t may have one size, and D has several.
    free = release.metric == SYMMETRIC and release.instance.size is None
    lists = [list(map(tuple, universe.tolist())) for universe in found]
    sizes = None if release.table is not None or not free else free
    covering = max(tables.covering(one, release.metric, sizes) for one in lists)
    literal = max(tables.definition_13(one, release.metric, sizes) for one in lists)
    a = literal if release.definition_13 else covering
    within = release.distance or a
    near = [change for universe in found for change in _near(universe, release, within)]
    if release.metric == HAMMING:
        # a(t) is the distance of two orders of tables, whatever their difference is.
        reached = max(k for k in (0, covering, literal) if k <= within)
        near.append(((0,) * found[0].shape[1], reached))
    parts = tuple(_of_longest(part, release) for part in release.parts)
    rows = {"semi_dp": numbers(parts, near, deltas, type_i)}
    changes = [change for universe in found for change in _unequal(universe, release.metric)]
    if changes:
        rows["invariant_dp"] = _per_unit(
            (numbers(parts, [change for change in changes if change[1] == k], deltas, type_i), k)
            for k in {distance for _, distance in changes}
        )
    if not any(part.kept for part in parts):
        rows["nominal_dp"] = numbers(parts, _of_d(release, 1), deltas, type_i)
        if within:
            rows["group_privacy"] = numbers(parts, _of_d(release, within), deltas, type_i)
    if _projects(release):
        rows["subspace_dp"] = _projected(release, deltas, type_i)
    return Truth(covering, literal, rows, any(part.kind == "laplace" for part in parts))


def _projects(release: Release) -> bool:
    """Whether the projection on null(C) is a matrix here: Gaussian counts of every cell."""
    instance, (first, *others) = release.instance, release.parts
    linear = not (instance.impossible or instance.keys or instance.bounds)
    counts = first.kind == "gaussian" and not first.kept and not others
    return linear and counts and np.array_equal(first.query, np.eye(len(first.query)))


def _projected(release: Release, deltas: tuple[float, ...], type_i: tuple[float, ...]) -> Numbers:
    """Normal noise on the projection of the counts: of a move d, P d is left (Definition 10)."""
    (part,) = release.parts
    count = len(part.query)
    published = [*release.instance.rows, *[(1,) * count] * release.total, (0,) * count]
    matrix = np.array(published, dtype=np.float64)
    projector = np.eye(count) - np.linalg.pinv(matrix) @ matrix
    longest = max(float(np.linalg.norm(projector @ move)) for move, _ in _of_d(release, 1))
    mu = longest * math.sqrt(part.repeat) / part.scale
    return Numbers(
        math.inf if mu > NEARLY else 0.0,
        mu**2 / 2,
        mu,
        tuple(laws.gaussian_epsilon(mu, delta) for delta in deltas),
        laws.gaussian_advantage(mu),
        tuple(laws.gaussian_rate(mu, rate) for rate in type_i),
    )


def _near(universe: Counts, release: Release, within: int) -> Iterator[tuple[Move, int]]:
    """Differences of tables of D_t within a distance, each with that distance.

    Where a part's law depends on the distance, orders of tables are farther apart than the tables.
    """
    ordered = release.metric == HAMMING and not all(part.query for part in release.parts)
    if ordered and len(universe) <= MOST_ORDERED:
        listed = list(map(tuple, universe.tolist()))
        for one, other in product(listed, listed):
            move = tuple(x - y for x, y in zip(one, other, strict=True))
            yield from ((move, k) for k in distances_of_orders(one, other) if k <= within)
        return
    moves, distances = moves_within(universe, release.metric)
    for move, distance in zip(moves.tolist(), distances.tolist(), strict=True):
        if distance <= within:
            yield tuple(move), distance


@lru_cache(maxsize=KEPT)
def distances_of_orders(one: Table, other: Table) -> frozenset[int]:
    """How many places can differ between an order of a table and one of another.

    Records that agree are taken out of both; those that are left can all differ if and only if no
    value has more than all places, in both together (Hall's theorem).
    """
    size, found = sum(one), set()
    for same in product(*(range(min(x, y) + 1) for x, y in zip(one, other, strict=True))):
        left = size - sum(same)
        if all(x + y - 2 * k <= left for x, y, k in zip(one, other, same, strict=True)):
            found.add(left)
    return frozenset(found)


def _unequal(universe: Counts, metric: str) -> Iterator[tuple[Move, int]]:
    """Differences of tables of D_t that are up to three units apart, each with the distance."""
    moves, distances = moves_within(universe, metric)
    near = (distances > 0) & (distances <= MOST_UNITS)
    for move, distance in zip(moves[near].tolist(), distances[near].tolist(), strict=True):
        yield tuple(move), distance


def _per_unit(found: Iterable[tuple[Numbers, int]]) -> Numbers:
    """The loss for each unit of distance: at k units, epsilon and mu are k times it, rho k^2."""
    return _worst(
        [Numbers(one.pure / k, one.rho / k**2, one.mu / k, (), -math.inf, ()) for one, k in found]
    )


def _of_longest(part: Part, release: Release) -> Part:
    """A K-norm mechanism loses its epsilon at the longest step of D."""
    if part.kind != "k_norm":
        return part
    steps = [_shifts(part, *change) for change in _of_d(release, 1)]
    longest = max(float(np.linalg.norm((0, *shifts), part.norm)) for shifts in steps)
    return replace(part, scale=part.scale / longest)


def _of_d(release: Release, steps: int) -> Iterator[tuple[Move, int]]:
    """Differences of tables of all of D, each with the number of steps."""
    instance = release.instance
    count = len(tables.cells(instance.shape))
    possible = tuple(c for c in range(count) if c not in instance.impossible)
    free = release.metric == SYMMETRIC
    most = instance.size if instance.size is not None else instance.largest
    yield (0,) * count, 0
    for move in moves_of_steps(possible, count, steps, free).tolist():
        if sum(k for k in move if k > 0) <= most and -sum(k for k in move if k < 0) <= most:
            yield tuple(move), steps


# --- listed datasets ------------------------------------------------------------------


def explicit_truth(
    release: Explicit, deltas: tuple[float, ...], type_i: tuple[float, ...]
) -> Truth:
    """Every number of a release of listed datasets."""
    values = set(release.told) if release.place is None else {release.told[release.place]}
    found = [
        [place for place, told in enumerate(release.told) if told == value] for value in values
    ]
    listed = [[release.datasets[place] for place in places] for places in found]
    covering = max(semi_adjacency.covering(one) for one in listed)
    literal = max(semi_adjacency.definition_13(one) for one in listed)
    within = release.distance or (literal if release.definition_13 else covering)
    everything = [list(range(len(release.datasets)))]
    rows = {
        "semi_dp": _of_laws(release, found, within, deltas, type_i),
        "nominal_dp": _of_laws(release, everything, 1, deltas, type_i),
    }
    if within:
        rows["group_privacy"] = _of_laws(release, everything, within, deltas, type_i)
    pairs = [pair for places in found for pair in product(places, places) if pair[0] != pair[1]]
    if pairs:
        rows["invariant_dp"] = _per_unit(
            (
                _of_one(_law_of_pair(release, *pair), deltas, type_i),
                semi_adjacency.hamming(*(release.datasets[place] for place in pair)),
            )
            for pair in pairs
        )
    return Truth(covering, literal, rows)


def _law_of_pair(release: Explicit, one: int, other: int) -> Pair:
    """The laws of all runs on two datasets."""
    once = laws.pair_of(release.laws[one], release.laws[other])
    pair = laws.NOTHING
    for _ in range(release.repeat):
        pair = laws.product(pair, once)
    return pair


def _of_laws(
    release: Explicit,
    groups: Sequence[Sequence[int]],
    within: int,
    deltas: tuple[float, ...],
    type_i: tuple[float, ...],
) -> Numbers:
    found = [_of_one(laws.NOTHING, deltas, type_i)]
    for places in groups:
        for one, other in product(places, places):
            x, y = release.datasets[one], release.datasets[other]
            if one != other and semi_adjacency.hamming(x, y) <= within:
                found.append(_of_one(_law_of_pair(release, one, other), deltas, type_i))
    return _worst(found)


def _of_one(pair: Pair, deltas: tuple[float, ...], type_i: tuple[float, ...]) -> Numbers:
    return Numbers(
        laws.pure(pair),
        float(laws.renyi(pair).max()),
        laws.mu(pair),
        tuple(laws.epsilon(pair, delta) for delta in deltas),
        laws.advantage(pair),
        tuple(laws.true_positive_rate(pair, rate) for rate in type_i),
    )
