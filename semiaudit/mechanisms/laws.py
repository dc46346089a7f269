"""The laws of noise in a subspace: which changes of an answer they cover, and the loss of these."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm

from semiaudit.mechanisms.kind import Measures
from semiaudit.mechanisms.noise import gaussian_moved_by, k_norm_moved_by, laplace
from semiaudit.model.bound import Bound, Side
from semiaudit.model.measure import ZCDP
from semiaudit.model.mechanism import Laplace
from semiaudit.model.query import DominatingMoves, Sensitivity
from semiaudit.numeric.semidefinite import RowsOf, Semidefinite, Vectors
from semiaudit.privacy.measures.zcdp import rho_of_laplace
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace
from semiaudit.universe.sensitivity.dominating_moves import (
    MAX_PATTERNS,
    best_moves,
    dominating,
    runs,
)
from semiaudit.universe.sensitivity.gauge import MAX_ENTRIES, MAX_PROGRAMS, gauge

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
        left = [null.project(row) for row in self.rows]
        both = [null.project([row[at] for row in left]) for at in range(null.width)]
        return GaussianLaw(tuple(both))


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
        moved = _of_weights(weights, exact=exact and basis.independent)
        known = laplace(Laplace(self.scale), moved, moved)
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
