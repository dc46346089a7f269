"""Gaussian designs: Proposition 6, Algorithm 1, and the designs of Gao, Gong and Yu.

Between answers that differ by v, all are mu-GDP with mu^2 = v^T C^+ v; C is the covariance.

The constants c of (epsilon, delta)-Gaussian noise of standard deviation c Delta_2.

Lemma 3.4 of Gao, Gong and Yu prints (1 + sqrt(1 + ln(1/delta))) / epsilon for all epsilon and
delta. It grows as sqrt(ln(1/delta)), but sqrt(2 ln(1/delta)) is needed. So it fails for small delta
and for large epsilon (E4). It is checked against the exact profile before it is returned.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.designs import lengths
from semiaudit.mechanisms.designs.design_draft import (
    DesignDraft,
    Facts,
    Floats,
    Rows,
    Subspace,
    check_size,
    finite,
    product,
    rounded_rows,
    wanted,
)
from semiaudit.mechanisms.designs.intensity import NoDesignError, mu_squared_of, rho_of, root_up, up
from semiaudit.mechanisms.designs.optimal_gaussian import Goal
from semiaudit.model.measure import GDP, ApproxDP
from semiaudit.model.results.design import Cost, CostSide, Named, Target
from semiaudit.numeric.intervals import ONE, TWO, Interval
from semiaudit.numeric.rationals import rational_text
from semiaudit.privacy.measures import gdp

_ONLY_ZCDP = (
    "noise on a lattice is known to be zCDP, and zCDP implies no GDP and no epsilon at delta 0 (E5)"
)


def discrete_gaussian(facts: Facts, target: Target) -> DesignDraft:
    """Design independent noise on every coordinate: rho = max |v|^2 / (2 sigma^2) over changes v.

    Its variance is at most sigma^2 (Canonne, Kamath and Steinke 2020, Corollary 9).
    """
    return _lattice_noise(facts, target, facts.coordinates, 1.0)


def integer_lattice(facts: Facts, target: Target) -> DesignDraft:
    """Design noise on a lattice: rho = max |v|^2 / (2 sigma^2) over changes v (arXiv 2212.00936).

    The formula holds on every lattice. A centered discrete Gaussian of parameter sigma has no
    direction of variance above sigma^2 (Micciancio and Peikert 2012, Lemma 2.8), so its length is
    bounded from above.
    """
    wanted(rho_of(target), _ONLY_ZCDP)
    space = facts.null_space()
    draft = _lattice_noise(facts, target, space.rank, space.largest_share)
    more = (("support", "null_space"),)
    return replace(draft, more=more, notes=("the table stays whole",))


def _lattice_noise(facts: Facts, target: Target, rank: int, share: float) -> DesignDraft:
    rho = wanted(rho_of(target), _ONLY_ZCDP)
    square = finite(facts.moved.l2_squared.value, "l2 sensitivity inside Dₜ")
    sigma_squared = up(square / (2 * rho))
    sigma = float(sigma_squared) ** 0.5
    return DesignDraft(
        kind="discrete_gaussian",
        parameter="sigma_squared",
        value=sigma_squared,
        strength="zcdp",
        wanted=rho,
        rank=rank,
        length=Cost(sigma * rank**0.5, "upper"),
        deviation=Cost(sigma * share, "upper"),
        total=Cost(float(sigma_squared) * rank, "upper"),
        sharp=True,
    )


def printed_constant(target: ApproxDP) -> Interval:
    """Return Lemma 3.4's own constant, if it is valid.

    Raises:
        RefusedError: the noise realises a larger delta; the message says which.

    Source: Gao, Gong and Yu, Lemma 3.4; Balle and Wang 2018, Theorem 8, for the check.
    """
    constant = unchecked_constant(target)
    realised = realised_delta(constant, target.epsilon)
    if realised.upper_rational > target.delta:
        what = (
            f"Lemma 3.4's printed constant realises delta {rational_text(realised.upper_rational)} "
            f"at epsilon {rational_text(target.epsilon)}, above {rational_text(target.delta)}"
        )
        raise RefusedError(Refusal(what, "use the exact mu (E4)", "mechanism"))
    return constant


def unchecked_constant(target: ApproxDP) -> Interval:
    """Return (1 + sqrt(1 + ln(1/delta))) / epsilon, even if its noise has a larger delta (E4).

    Source: Gao, Gong and Yu, Lemma 3.4, as printed.
    """
    log_inverse = -Interval.of(target.delta).ln()
    return (ONE + (ONE + log_inverse).sqrt()) / Interval.of(target.epsilon)


def concentrated_constant(target: ApproxDP) -> Interval:
    """Return (sqrt(L + epsilon) + sqrt(L)) / (sqrt(2) epsilon), which always holds.

    L = ln(1/delta).

    It is the root of epsilon = rho + 2 sqrt(rho L) with rho = 1 / (2 c^2).

    Source: Bun and Steinke 2016, Proposition 1.3 (Cho and Awan, Lemma 40).
    """
    log_inverse = -Interval.of(target.delta).ln()
    epsilon = Interval.of(target.epsilon)
    return ((log_inverse + epsilon).sqrt() + log_inverse.sqrt()) / (TWO.sqrt() * epsilon)


def realised_delta(constant: Interval, epsilon: Fraction) -> Interval:
    """Return delta at an epsilon of Gaussian noise of that many sensitivities, enclosed.

    Source: Balle and Wang 2018, Theorem 8.
    """
    measure = GDP((ONE / (constant * constant)).upper_rational)
    return gdp.delta_at(measure, Interval.of(epsilon))


_PLACES = 12
"""Decimals of the covariance in the basis of its space."""

_UNBOUNDED = "Gaussian noise has unbounded likelihood ratios: it meets no epsilon at delta 0"


def naive(facts: Facts, target: Target) -> DesignDraft:
    """Design independent noise for the sensitivity in D, times the steps.

    Source: Proposition 6 and section 5.2.
    """
    return _independent(facts, target, _group_l2_squared(facts), sharp=False, support=None)


def algorithm_1(facts: Facts, target: Target) -> DesignDraft:
    """Design noise for the sensitivity inside D_t, in the span of the changes (Algorithm 1, E2)."""
    square = finite(facts.moved.l2_squared.value, "l2 sensitivity inside Dₜ")
    return _independent(facts, target, square, sharp=True, support="sensitivity_space")


def projected(facts: Facts, target: Target) -> DesignDraft:
    """Project the naive noise on the null space of the invariants (Corollary 3.5)."""
    facts.null_space()
    square = _group_l2_squared(facts)
    return _independent(facts, target, square, sharp=False, support="null_space")


def extended(facts: Facts, target: Target) -> DesignDraft:
    """Design noise for the sensitivity of the projected query, in null(C) (Corollary 3.6)."""
    facts.null_space()
    square = finite(facts.moved.l2_squared.value, "l2 sensitivity inside Dₜ")
    return _independent(facts, target, square, sharp=True, support="null_space")


def sized(facts: Facts, target: Target) -> DesignDraft:
    """Design noise as in Corollary 3.6, in null([C; 1']): the known size is one more row of C."""
    facts.null_space()
    mu_squared = wanted(mu_squared_of(target), _UNBOUNDED)
    if facts.sized is None:
        raise NoDesignError(facts.no_sized)
    if not facts.sized.dimension:
        raise NoDesignError(
            "the invariants and the size determine the whole answer: no noise is left to add"
        )
    check_size("a covariance", facts.coordinates)
    rows = facts.sized.units
    scale = up(finite(facts.moved.l2_squared.value, "l2 sensitivity inside Dₜ") / mu_squared)
    sigma_squared, rank = float(scale), facts.sized.dimension
    largest = float(max(row[at] for at, row in enumerate(rows)))
    return DesignDraft(
        kind="gaussian",
        parameter="",
        value=scale,
        strength="gdp",
        wanted=mu_squared,
        rank=rank,
        length=Cost(lengths.of_gaussian([sigma_squared] * rank)),
        deviation=Cost((sigma_squared * largest) ** 0.5),
        total=Cost(sigma_squared * rank),
        sharp=True,
        matrix=Named("covariance", rows),
        sized_step=facts.sized_step(),
    )


def _group_l2_squared(facts: Facts) -> Fraction:
    return finite(facts.unit.l2_squared.value, "l2 sensitivity in D") * facts.steps**2


def _independent(
    facts: Facts, target: Target, l2_squared: Fraction, *, sharp: bool, support: str | None
) -> DesignDraft:
    mu_squared = wanted(mu_squared_of(target), _UNBOUNDED)
    sigma = root_up(l2_squared / mu_squared)
    rank, share, side = _extent(facts, support)
    size = float(sigma)
    length = lengths.of_gaussian([size * size] * rank)
    return DesignDraft(
        kind="gaussian",
        parameter="sigma",
        value=sigma,
        strength="gdp",
        wanted=mu_squared,
        rank=rank,
        length=Cost(length, side),
        deviation=Cost(size * share, side),
        total=Cost(size * size * rank, side),
        sharp=sharp,
        more=(("support", support),) if support else (),
        notes=_constants(facts, target) if support == "null_space" else (),
    )


def _extent(facts: Facts, support: str | None) -> tuple[int, float, CostSide]:
    if support is None:
        return facts.coordinates, 1.0, "exact"
    space = facts.span if support == "sensitivity_space" else facts.null
    if space is not None:
        return space.rank, space.largest_share, "exact"
    if facts.null is not None and facts.moved.rank == facts.null.rank:
        return facts.null.rank, facts.null.largest_share, "exact"  # the span is inside
    if facts.enclosing is not None:
        return facts.enclosing.rank, facts.enclosing.largest_share, "upper"
    return facts.moved.rank or facts.coordinates, 1.0, "upper"


def correlated(facts: Facts, target: Target) -> DesignDraft:
    """Design Gaussian noise of the least total variance (Theorem 3.11, improved)."""
    return _optimal(facts, target, "total")


def minimax(facts: Facts, target: Target) -> DesignDraft:
    """Design Gaussian noise with the least maximum variance of a coordinate."""
    return _optimal(facts, target, "largest")


def _optimal(facts: Facts, target: Target, goal: Goal) -> DesignDraft:
    mu_squared = wanted(mu_squared_of(target), _UNBOUNDED)
    optimum = facts.optimum(goal)
    inner = _in_whole_basis(optimum.covariance, facts.span_of_changes())
    space = facts.span_of_changes()
    rows = product(_transposed(space), product(inner, space.rows))
    covariance = np.array([[float(x) for x in row] for row in rows])
    scale = 1 / mu_squared
    variances = np.linalg.eigvalsh(covariance)[-space.rank :] * float(scale)
    return DesignDraft(
        kind="gaussian",
        parameter="",
        value=scale,
        strength="gdp",
        wanted=mu_squared,
        rank=space.rank,
        length=Cost(lengths.of_gaussian(variances)),
        deviation=Cost(float(np.sqrt(np.diag(covariance).max() * float(scale)))),
        total=Cost(float(np.trace(covariance) * float(scale))),
        sharp=True,
        matrix=Named("covariance", rows),
    )


def _in_whole_basis(covariance: Floats, space: Subspace) -> Rows:
    """Return a covariance in the basis of its space: the covariance is B^T R B, with R rounded."""
    turn = space.orthonormal @ np.linalg.pinv(np.array(space.rows, dtype=float))
    inner = turn.T @ covariance @ turn
    return rounded_rows((inner + inner.T) / 2, _PLACES)


def _transposed(space: Subspace) -> Rows:
    return tuple(tuple(Fraction(k) for k in column) for column in zip(*space.rows, strict=True))


def _constants(facts: Facts, target: Target) -> tuple[str, ...]:
    """Describe Lemma 3.4's constant for comparison (E4)."""
    if not isinstance(target, ApproxDP):
        return ()
    try:
        printed = printed_constant(target)
    except RefusedError as refused:
        return (f"{refused.refusals[0].message}: the exact mu is used (E4)",)
    mu_squared = mu_squared_of(target)
    if mu_squared is None:
        return ()
    exact = ONE / Interval.of(mu_squared).sqrt()
    share = float((printed / exact).low) - 1
    return (f"Lemma 3.4's printed constant would make the noise longer by {share:.1%} (E4)",)
