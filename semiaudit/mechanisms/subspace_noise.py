"""Noise in its own subspace: with a covariance, a basis, or a hull of D_t.

The loss of a change depends on the whole vector, not on its norms: it is computed for the listed
changes of the query. Let N be the null space of the invariants, and P the projector on N if the
noise covers N, else the projector on the span of the noise. Inside D_t, the output is a function of
t and of M' = P phi + e. M' is private on all of D, with the loss of projected steps.

The laws of noise in a subspace: which changes of an answer they cover, and the loss of these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any, Generic, TypeVar

from semiaudit.frozen import dataclass
from semiaudit.mechanisms import supports
from semiaudit.mechanisms.kind import NO_SUBSPACE, Asked, Deferred, KnownLoss, Measures
from semiaudit.mechanisms.noise import (
    SAMPLERS,
    NoiseKind,
    gaussian_moved_by,
    k_norm,
    k_norm_moved_by,
    laplace,
)
from semiaudit.mechanisms.spread import spread_of_covariance
from semiaudit.model.bound import Bound, Side
from semiaudit.model.frameworks import FRAMEWORKS, UniverseName
from semiaudit.model.measure import ZCDP
from semiaudit.model.mechanism import BasisLaplace, CorrelatedGaussian, KNorm, Laplace, Noise
from semiaudit.model.query import DominatingMoves, Query, Sensitivity, Spread
from semiaudit.numeric.semidefinite import RowsOf, Semidefinite, Vectors
from semiaudit.privacy.group import group
from semiaudit.privacy.measures.zcdp import rho_of_laplace
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.universe.connected import connected
from semiaudit.universe.per_unit import unit_changes
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace
from semiaudit.universe.sensitivity.dominating_moves import (
    MAX_PATTERNS,
    best_moves,
    dominating,
    runs,
)
from semiaudit.universe.sensitivity.gauge import MAX_ENTRIES, MAX_PROGRAMS, gauge
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

Rows = tuple[tuple[int | Fraction, ...], ...]

METHOD = "exact_algebra"
SOURCE = "Cho and Awan, Definition 5, over a listed sensitivity space"


class SubspaceLaw(ABC):
    """The law of noise in the span of some rows."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def covers(self, vectors: Vectors) -> bool:
        """Return whether the span contains all given changes.

        Any other change is always visible.
        """
        return _basis(self.rows).span(vectors)

    def of_length(self, square: Fraction, *, exact: bool) -> Measures:
        """Return the loss of covered changes with a known squared length only, or empty."""
        return ()

    def project(self, vectors: Vectors) -> Vectors:
        """Project changes on the span."""
        return _basis(self.rows).project_all(vectors)

    def covariance(self) -> tuple[int, list[Fraction]] | None:
        """Return the rank and the diagonal of the covariance.

        None if they are not known as rationals.
        """
        return None

    @abstractmethod
    def loss(self, vectors: Vectors, *, exact: bool) -> Measures:
        """Return an upper bound on the loss of covered changes; empty if unknown.

        Args:
            exact: whether each of them is a change of the relevant datasets.
        """

    @abstractmethod
    def on(self, null: AnswerNullSpace) -> SubspaceLaw:
        """Return the law of the noise's projection on a null space."""


class GaussianLaw(SubspaceLaw):
    """Gaussian noise with a covariance: mu^2 = u' Sigma+ u.

    Whitening is one to one on the range of the covariance, and turns the noise into independent
    standard normal variables shifted by a vector of that squared length.
    """

    def covers(self, vectors: Vectors) -> bool:
        """Return whether the range of the covariance contains the vectors."""
        return _semidefinite(self.rows).outside(vectors) is None

    def of_length(self, square: Fraction, *, exact: bool) -> Measures:
        """Return mu^2 = u'u / c for a covariance that is c times a projector."""
        factor = _semidefinite(self.rows).factor
        return () if factor is None else gaussian_moved_by(square, factor, exact=exact)

    def loss(self, vectors: Vectors, *, exact: bool) -> Measures:
        """Return mu^2 of the longest change, exactly."""
        square = _semidefinite(self.rows).largest(vectors)
        return gaussian_moved_by(square, Fraction(1), exact=exact)

    def covariance(self) -> tuple[int, list[Fraction]]:
        """Return the entries of the covariance matrix itself."""
        diagonal = [Fraction(row[at]) for at, row in enumerate(self.rows)]
        return _semidefinite(self.rows).rank, diagonal

    def on(self, null: AnswerNullSpace) -> GaussianLaw:
        """Return the law with the covariance P Sigma P."""
        half_projected = [null.project(row) for row in self.rows]
        projected = [null.project([row[at] for row in half_projected]) for at in range(null.width)]
        return GaussianLaw(tuple(projected))


class LaplaceLaw(SubspaceLaw):
    """Laplace noise B'z with independent Laplace variables z.

    With independent rows, u = B'w has a unique w, and distinguishing B'z + u from B'z is
    distinguishing z + w from z: a product of Laplace pairs. Otherwise, any w gives a bound, because
    B' is post-processing.
    """

    def __init__(self, rows: Rows, scale: Fraction) -> None:
        super().__init__(rows)
        self.scale = scale

    def loss(self, vectors: Vectors, *, exact: bool) -> Measures:
        """Return the loss of Laplace noise on the weights of the changes."""
        basis = _basis(self.rows)
        weights = basis.all_weights(vectors)
        if weights is None:
            return ()
        moved_loss = _of_weights(weights, exact=exact and basis.independent)
        known = laplace(Laplace(self.scale), moved_loss, moved_loss)
        return strongest(known, (self._rho(weights),)) if known else ()

    def _rho(self, weights: Sequence[tuple[Fraction, ...]]) -> ZCDP:
        """Return the largest sum over the variables of rho(s) = s + e^-s - 1.

        s is the shift over the scale.

        The divergence of every order over the order is largest at order 1 for each variable, so for
        their product too: with independent rows some change attains it (docs/theory/losses.md).
        """
        shares = {abs(weight) for row in weights for weight in row if weight}
        rhos = {share: rho_of_laplace(share / self.scale) for share in shares}
        sums = (
            sum((rhos[abs(weight)] for weight in row if weight), Fraction(0)) for row in weights
        )
        return ZCDP(max(sums, default=Fraction(0)), exact=False)

    def covariance(self) -> tuple[int, list[Fraction]]:
        """Return the entries of 2 scale^2 B'B: a Laplace variable has the variance 2 scale^2."""
        twice = 2 * self.scale * self.scale
        columns = zip(*self.rows, strict=True)
        return _basis(self.rows).rank, [twice * sum(k * k for k in column) for column in columns]

    def on(self, null: AnswerNullSpace) -> LaplaceLaw:
        """Return the law with every row projected."""
        return LaplaceLaw(tuple(null.project(row) for row in self.rows), self.scale)


class HullLaw(SubspaceLaw):
    """The K-norm mechanism in the span of K, K being the hull of some rows and their opposites.

    Args:
        rows: vectors that span K, independent.
        corners: the vectors whose hull it is.
        epsilon: the loss of a vector of norm 1.
    """

    def __init__(self, rows: Rows, corners: Sequence[tuple[int, ...]], epsilon: Fraction) -> None:
        super().__init__(rows)
        self.corners = corners
        self.epsilon = epsilon

    def loss(self, vectors: Vectors, *, exact: bool) -> Measures:
        """Return epsilon times the largest gauge norm (Cho and Awan, Lemma 29)."""
        if not any(map(any, vectors)):
            return k_norm_moved_by(Fraction(0), exact=exact, on_a_line=False)
        width = len(self.rows[0]) if self.rows else 0
        if len(vectors) > MAX_PROGRAMS or len(self.corners) * width > MAX_ENTRIES:
            return ()
        low = high = Fraction(0)
        for vector in vectors:
            scale = lcm(*(Fraction(value).denominator for value in vector))
            norm = gauge(self.corners, [int(value * scale) for value in vector])
            if norm is None:
                return ()
            low, high = max(low, norm.low / scale), max(high, norm.high / scale)
        sure = exact and low == high
        return k_norm_moved_by(
            self.epsilon * high, exact=sure, on_a_line=sure and len(self.rows) == 1
        )

    def on(self, null: AnswerNullSpace) -> HullLaw:
        """Return this law unchanged: K is in the null space."""
        return self


def _of_weights(weights: Sequence[tuple[Fraction, ...]], *, exact: bool) -> Sensitivity:
    common = lcm(*(value.denominator for row in weights for value in row), 1)
    patterns = {
        tuple(sorted((abs(int(value * common)) for value in row if value), reverse=True))
        for row in weights
    }
    side: Side = "exact" if exact else "upper"
    norms = [
        max((norm(pattern) for pattern in patterns), default=0)
        for norm in (sum, lambda p: sum(k * k for k in p), lambda p: max(p, default=0))
    ]
    l1, l2_squared, linf = (
        Bound(Fraction(value, common**power), side, METHOD, SOURCE)
        for value, power in zip(norms, (1, 2, 1), strict=True)
    )
    moves = None
    if len(patterns) <= MAX_PATTERNS:
        square = Bound(Fraction(norms[1]), side, METHOD, SOURCE)
        best = best_moves([[(norms[0], 1)], runs(dominating(patterns))], square)
        sizes = tuple((size / common, number) for size, number in best.sizes)
        moves = DominatingMoves(sizes, best.attained)
    return Sensitivity(1, l1, l2_squared, linf, l1, None, None, METHOD, moves)


@lru_cache(maxsize=16)
def _semidefinite(rows: tuple[tuple[Fraction, ...], ...]) -> Semidefinite:
    return Semidefinite(rows)


@lru_cache(maxsize=16)
def _basis(rows: Rows) -> RowsOf:
    return RowsOf(rows)


N = TypeVar("N", bound=Noise)

MAX_PROJECTED_WIDTH = 64
"""For wider answers, the length of the longest projected step is used if it is enough."""

NOT_COVERED = (
    "its noise does not cover some change of one record: an attacker can always distinguish such "
    "neighboring datasets"
)
NOT_COVERED_INSIDE = (
    "its noise does not cover the difference of some two datasets of Dₜ within the distance: an "
    "attacker can always distinguish them"
)


def _nothing(*_: object) -> Measures:
    return ()


@dataclass(frozen=True)
class SubspaceKind(NoiseKind[N], Generic[N]):
    """Noise with a law on a subspace.

    Attributes:
        law: the law of the noise on its query; None if unknown.
    """

    law: Callable[[N, Query, SensitivitySpaces], SubspaceLaw | None] = lambda *_: None

    def unit(self, part: N, spaces: SensitivitySpaces) -> Measures:
        """Return the loss for the steps of one record, if the noise covers them."""
        law, query = self._law(part, spaces), part.query
        if law is None or query is None:
            return ()
        return _of(law, spaces.subspaces.steps(query), exact=True)

    def by_change(
        self, part: N, distance: int, universe: UniverseName, spaces: SensitivitySpaces
    ) -> Measures:
        """Return the loss for the changes of the query inside D_t; in D, the steps determine it."""
        law, query = self._law(part, spaces), part.query
        if universe == "D" or law is None or query is None:
            return ()
        length = spaces.within(query, distance).l2_squared
        if isinstance(length.value, Fraction) and _covers_null(law, query, spaces):
            measures = law.of_length(length.value, exact=length.side == "exact")
            if measures:
                return measures
        changes = spaces.subspaces.changes(query, distance)
        return () if changes is None else _of(law, changes.vectors, exact=changes.whole)

    def by_units(self, part: N, distance: int, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss by all changes per unit if D_t is listed; else by group privacy of M'.

        The loss of M' at distance 1 in D is that of projected steps. The remark says which it is,
        and whether it is exact.
        """
        listed = self._listed_unit(part, spaces)
        unit = listed or self._projected_unit(part, spaces)
        remark = supports.supremum(listed) if listed else supports.PROJECTED
        return KnownLoss(group(unit, distance) if unit else (), remark)

    def _listed_unit(self, part: N, spaces: SensitivitySpaces) -> Measures:
        """Return the loss of a change over its distance; empty if unknown.

        It is the loss of a mechanism on all of R^d, where k equal steps link two datasets of D_t at
        distance k.
        """
        law, query = self._law(part, spaces), part.query
        if law is None or query is None:
            return ()
        return _of(law, unit_changes(spaces.release, query), exact=True)

    def _projected_unit(self, part: N, spaces: SensitivitySpaces) -> Measures:
        law, query = self._law(part, spaces), part.query
        if law is None or query is None:
            return ()
        if _covers_null(law, query, spaces):
            square = spaces.projected_l2_squared(query)
            unit = () if square is None else law.of_length(square, exact=False)
            if unit:
                return unit
            steps: Vectors | None = spaces.subspaces.projected_steps(query)
        else:
            unit_steps = spaces.subspaces.steps(query)
            steps = None if unit_steps is None else law.project(unit_steps)
        return _of(law, steps, exact=False)

    def projected(self, part: N, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss of the projected noise for the projected steps."""
        law, query = self._law(part, spaces), part.query
        if query is None or not spaces.subspaces.is_linear(query):
            return KnownLoss(
                refused=NO_SUBSPACE if query is None else supports.no_subspace(query, spaces)
            )
        null = spaces.subspaces.null_space(query)
        if law is None or null is None or not null.projects:
            return KnownLoss()
        square = spaces.projected_l2_squared(query)
        if square is not None and _is_null(law, query, spaces):
            measures = law.of_length(square, exact=False)
            # For answers with linear relations, the length is only an upper bound.
            if measures and null.width > MAX_PROJECTED_WIDTH:
                return KnownLoss(measures)
        steps = spaces.subspaces.projected_steps(query)
        return KnownLoss(_of(law.on(null), steps, exact=False))

    def refusal(self, part: N, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Say what the noise does not cover, publishes, or leaves unknown.

        Noise inside N leaves the invariants unchanged.
        """
        law, query = self._law(part, spaces), part.query
        if asked == "disagreeing":
            null = None if query is None else spaces.subspaces.null_space(query)
            if law is None or null is None:
                return ""
            return supports.KEEPS if all(map(null.holds, law.rows)) else ""
        if law is None or query is None:
            return supports.UNLISTED
        framework = FRAMEWORKS[asked]
        if framework.universe == "D_t":
            return _inside(part, law, query, spaces)
        if framework.of_the_output:
            return _refused(law, spaces.subspaces.steps(query), NOT_COVERED)
        null = spaces.subspaces.null_space(query)
        if null is None or not null.projects:
            return supports.UNLISTED if spaces.subspaces.is_linear(query) else ""
        if _is_null(law, query, spaces):
            return ""
        return _refused(law.on(null), spaces.subspaces.projected_steps(query), supports.LEAVES)

    def spread(self, part: N, spaces: SensitivitySpaces) -> Spread | None:
        """Return the spread of the law's covariance, if it is a matrix of rationals."""
        law = self._law(part, spaces)
        known = None if law is None else law.covariance()
        return None if known is None else spread_of_covariance(part, *known)

    def _law(self, part: N, spaces: SensitivitySpaces) -> SubspaceLaw | None:
        return None if part.query is None else self.law(part, part.query, spaces)


def _of(law: SubspaceLaw, vectors: Vectors | None, *, exact: bool) -> Measures:
    if vectors is None or not law.covers(vectors):
        return ()
    return law.loss(vectors, exact=exact)


def _refused(law: SubspaceLaw, vectors: Vectors | None, why: str) -> str:
    if vectors is None:
        return supports.UNLISTED
    return "" if law.covers(vectors) else why


def _covers_null(law: SubspaceLaw, query: Query, spaces: SensitivitySpaces) -> bool:
    null = spaces.subspaces.null_space(query)
    if null is None or not null.projects:
        return False
    return law.covers(null.units)


def _is_null(law: SubspaceLaw, query: Query, spaces: SensitivitySpaces) -> bool:
    """Return whether the noise is known to span exactly N: projecting leaves it unchanged."""
    null = spaces.subspaces.null_space(query)
    return null is not None and all(map(null.holds, law.rows)) and _covers_null(law, query, spaces)


def _inside(part: Noise, law: SubspaceLaw, query: Query, spaces: SensitivitySpaces) -> str:
    """Return why the output can always distinguish some datasets of D_t; empty if it cannot.

    If the noise covers N, it covers all differences inside D_t. Otherwise, it must cover those up
    to the semi-adjacent distance, and D_t must be connected at this distance (erratum E9).
    """
    if _covers_null(law, query, spaces):
        return ""
    if part.made_for is None:
        return supports.NO_DISTANCE
    changes = spaces.subspaces.changes(query, part.made_for)
    if changes is None:
        return supports.UNLISTED
    if not law.covers(changes.vectors):
        return NOT_COVERED_INSIDE if changes.whole else supports.UNLISTED
    joined = connected(spaces, part.made_for)
    if joined:
        return ""
    return supports.MAYBE_PARTS if joined is None else supports.PARTS


@dataclass(frozen=True)
class KNormKind(NoiseKind[KNorm]):
    """K-norm noise; for a hull of D_t, the noise is in the span of S inside D_t."""

    def unit(self, part: KNorm, spaces: SensitivitySpaces) -> Measures:
        """Return nothing for a hull of D_t, whose loss in D is unknown."""
        return () if _of_d_t(part) else super().unit(part, spaces)

    def by_change(
        self, part: KNorm, distance: int, universe: UniverseName, spaces: SensitivitySpaces
    ) -> Measures:
        """Return epsilon at the distance for which a hull of D_t is designed, by definition.

        Else gauges.

        If nothing can change, nothing is lost: then K is {0}.
        """
        if not _of_d_t(part) or part.query is None:
            return super().by_change(part, distance, universe, spaces)
        if universe == "D" or part.made_for is None:
            return ()
        if distance == part.made_for:
            space = spaces.within(part.query, distance)
            if space.l1.value == 0:
                return k_norm_moved_by(Fraction(0), exact=False, on_a_line=False)
            sure = space.l1.side == "exact"
            return k_norm_moved_by(part.epsilon, exact=sure, on_a_line=sure and space.rank == 1)
        measures = OF_HULL.by_change(part, distance, universe, spaces)
        if not measures and distance < part.made_for:
            return k_norm_moved_by(part.epsilon, exact=False, on_a_line=False)
        return measures

    def by_steps(self, part: KNorm, distance: int, spaces: SensitivitySpaces) -> Measures:
        """Return nothing for a hull of D_t, whose loss in D is unknown."""
        return () if _of_d_t(part) else super().by_steps(part, distance, spaces)

    def by_units(self, part: KNorm, distance: int, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss of a hull of D_t by projected steps, with gauges from linear programs."""
        if _of_d_t(part):
            return OF_HULL.by_units(part, distance, spaces)
        return super().by_units(part, distance, spaces)

    def projected(self, part: KNorm, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss of the projected steps, by the hull."""
        if _of_d_t(part):
            return OF_HULL.projected(part, spaces)
        return super().projected(part, spaces)

    def refusal(self, part: KNorm, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Refuse the same as noise on the sensitivity space: K is its hull."""
        if not _of_d_t(part) or part.query is None:
            return super().refusal(part, asked, spaces)
        if asked == "disagreeing":
            return supports.shows(part.query, spaces)
        framework = FRAMEWORKS[asked]
        if framework.universe == "D_t":
            refusal = supports.revealed_parts(part, part.query, spaces)
            if not framework.per_distance:
                return refusal
        elif framework.of_the_output:
            return supports.MADE_INSIDE
        elif not spaces.subspaces.is_linear(part.query):
            return ""
        else:
            refusal = supports.leaves_span(part, part.query, spaces)
        known = refusal or OF_HULL.by_units(part, 1, spaces).measures
        return refusal if known else supports.UNLISTED


def _of_d_t(part: KNorm) -> bool:
    return part.hull_of == "D_t"


def _hull(part: KNorm, query: Query, spaces: SensitivitySpaces) -> HullLaw | None:
    if part.made_for is None:
        return None
    changes = spaces.subspaces.changes(query, part.made_for)
    span = spaces.subspaces.span(query, part.made_for)
    if changes is None or span is None:
        return None
    return HullLaw(span, changes.vectors, part.epsilon)


OF_HULL: SubspaceKind[KNorm] = SubspaceKind(_nothing, "", law=_hull)
KINDS: Mapping[type[Noise], NoiseKind[Any]] = {
    CorrelatedGaussian: SubspaceKind(
        _nothing,
        "Gaussian differential privacy (Gaussian noise with a covariance matrix; ε is computed "
        "from its exact tradeoff function)",
        drawing=Deferred(SAMPLERS, "correlated_gaussian"),
        law=lambda noise, _query, _spaces: GaussianLaw(noise.covariance),
    ),
    BasisLaplace: SubspaceKind(
        _nothing,
        "pure differential privacy (multiplicative distance); the noise is a matrix times "
        "independent Laplace noise",
        drawing=Deferred(SAMPLERS, "basis_laplace"),
        law=lambda noise, _query, _spaces: LaplaceLaw(noise.basis, noise.scale),
    ),
    KNorm: KNormKind(
        k_norm,
        "pure differential privacy (multiplicative distance); the noise is that of a K-norm "
        "mechanism",
        corners="all",
        drawing=Deferred(SAMPLERS, "k_norm"),
    ),
}
"""The record of every kind of noise that depends on the whole change of an answer."""
