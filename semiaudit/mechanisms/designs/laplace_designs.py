"""Laplace designs: Algorithm 4, and the projected and extended ones of Gao, Gong and Yu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from semiaudit.mechanisms.designs import lengths
from semiaudit.mechanisms.designs.design_draft import (
    MAX_BASIS,
    DesignDraft,
    Facts,
    NullSpace,
    Rows,
    finite,
    product,
    rounded_rows,
)
from semiaudit.mechanisms.designs.intensity import laplace_shift_of, up
from semiaudit.model.results.design import Cost, Named, Target

MAX_UNASKED = 16
"""The most coordinates of a query whose noise has a basis, unless it is asked for by name."""

_DRAWS = 40_000
"""The number of samples for moments without a closed form."""

_BATCH = 4_000_000
"""Numbers that are sampled at a time."""

_PLACES = 12
"""Decimals of a basis."""


def naive(facts: Facts, target: Target) -> DesignDraft:
    """Design independent noise for the sensitivity in D, times the steps.

    Source: Algorithm 4 and section 5.2.
    """
    return _independent(facts, target, _group_l1(facts), sharp=False)


def algorithm_4(facts: Facts, target: Target) -> DesignDraft:
    """Design independent noise for the sensitivity inside D_t (Algorithm 4 on S_Semi)."""
    sensitivity_l1 = finite(facts.moved.l1.value, "l1 sensitivity inside Dₜ")
    return _independent(facts, target, sensitivity_l1, sharp=True)


def _group_l1(facts: Facts) -> Fraction:
    return finite(facts.unit.l1.value, "l1 sensitivity in D") * facts.steps


def _independent(
    facts: Facts, target: Target, sensitivity_l1: Fraction, *, sharp: bool
) -> DesignDraft:
    number = facts.coordinates
    draft = _draft(target, sensitivity_l1, number, lambda b: lengths.of_laplace(b, number))
    return replace(draft, sharp=sharp)


def _draft(
    target: Target,
    sensitivity_l1: Fraction,
    rank: int,
    length: Callable[[float], Cost | float],
    share: float = 1.0,
) -> DesignDraft:
    """Design Laplace noise whose scale meets a target for changes of an l1 norm.

    Args:
        length: the mean Euclidean length at a scale.
        share: the largest part of the noise's standard deviation that a coordinate has.
    """
    shift = laplace_shift_of(target)
    scale = up(sensitivity_l1 / shift)
    size = float(scale)
    mean = length(size)
    return DesignDraft(
        kind="laplace",
        parameter="scale",
        value=scale,
        strength="pure_dp",
        wanted=shift,
        rank=rank,
        length=mean if isinstance(mean, Cost) else Cost(mean),
        deviation=Cost(size * 2**0.5 * share),
        total=Cost(2 * size * size * rank),
        sharp=False,
    )


def projected(facts: Facts, target: Target) -> DesignDraft:
    """Project the naive noise on the null space of the invariants (Corollary 3.8)."""
    space = facts.null_space()
    draft = _draft(
        target,
        _group_l1(facts),
        space.rank,
        lambda size: _mean_of_projection(space, size),
        space.largest_share,
    )
    return replace(draft, more=(("support", "null_space"),))


def extended(facts: Facts, target: Target) -> DesignDraft:
    """Design independent noise along an orthonormal basis of the null space (Corollary 3.9; E20).

    The basis is rounded in coordinates of an integer basis, so it is exactly in the null space.
    """
    space = facts.null_space().basis
    if facts.coordinates > MAX_UNASKED:
        facts.leave_out("extended_laplace", f"its basis is proven over {facts.coordinates} numbers")
    orthonormal = space.orthonormal
    turn = orthonormal @ np.linalg.pinv(np.array(space.rows, dtype=float))
    rows = product(rounded_rows(turn, _PLACES), space.rows)
    draft = _draft(
        target,
        _basis_l1(facts, rows),
        space.rank,
        lambda size: lengths.of_laplace(size, space.rank),
        space.largest_share,
    )
    return replace(
        draft,
        sharp=True,
        matrix=Named("basis", rows),
        notes=("it depends on the basis, and may be worse than the projected one (E20)",),
    )


def _basis_l1(facts: Facts, rows: Rows) -> Fraction:
    """Estimate the largest l1 norm of a change in an orthonormal basis; the audit corrects it."""
    if facts.vectors is not None and len(facts.vectors):
        inside = facts.vectors @ np.array([[float(x) for x in row] for row in rows]).T
        return Fraction(float(np.abs(inside).sum(axis=1).max()))
    return finite(facts.moved.l1.value, "l1 sensitivity inside Dₜ")


def _mean_of_projection(space: NullSpace, scale: float) -> Cost:
    """Return E |P e|, e independent Laplace noise of a scale: sampled unless the rank is full.

    In large spaces, the root of the mean square bounds it. The variance of |e|^2 is 20 b^4 for each
    coordinate, so that the two differ by a share of about 1 / rank.
    """
    if not space.null.rows:
        return Cost(lengths.of_laplace(scale, space.rank))
    if space.null.width > MAX_BASIS:
        return Cost(scale * (2 * space.rank) ** 0.5, "upper")
    basis = space.basis.orthonormal
    coordinates = basis.shape[1]
    generator = np.random.default_rng(0)
    batches = []
    remaining = _DRAWS
    while remaining:
        size = min(remaining, max(_BATCH // coordinates, 1))
        noise = generator.laplace(size=(size, coordinates)) @ basis.T
        batches.append(np.sqrt((noise**2).sum(axis=1)))
        remaining -= size
    lengths_drawn = np.concatenate(batches)
    error = float(lengths_drawn.std() / len(lengths_drawn) ** 0.5)
    return Cost(scale * float(lengths_drawn.mean()), "estimate", scale * error)
