"""K-norm designs: Algorithms 2 and 3, and the l2 and l-infinity mechanisms (Algorithms 5 and 6).

A K-norm mechanism of norm N loses epsilon between answers at a distance of one sensitivity; its
noise is a uniform point of the ball of N times a Gamma(d + 1) length (E23).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.designs import lengths
from semiaudit.mechanisms.designs.design_draft import DesignDraft, Facts, finite
from semiaudit.mechanisms.designs.intensity import down, laplace_shift_of
from semiaudit.mechanisms.designs.polytope import hull_of
from semiaudit.mechanisms.designs.sampled_directions import NoiseMoments, sampled_moments, times
from semiaudit.model.results.design import Cost, Target
from semiaudit.numeric.intervals import Interval


def algorithm_2(facts: Facts, target: Target) -> DesignDraft:
    """Use the norm of the hull of the changes inside D_t, the optimal one (Algorithms 2 and 3)."""
    finite(facts.moved.l2_squared.value, "l2 sensitivity inside D_t")
    shift = laplace_shift_of(target)
    moments = _moments_of_hull(facts)
    size = 1 / float(shift)
    space = facts.span or facts.enclosing
    return DesignDraft(
        kind="k_norm",
        parameter="epsilon",
        value=shift,
        strength="pure_dp",
        wanted=shift,
        rank=space.rank if space else facts.moved.rank,
        length=times(moments.length, size),
        deviation=times(moments.deviation, size),
        total=times(moments.total, size * size),
        sharp=True,
        more=(("norm", {"hull": "D_t"}),),
    )


def _moments_of_hull(facts: Facts) -> NoiseMoments:
    """Return moments at epsilon 1: exact if the hull is cut into simplices, else from samples."""
    hull = hull_of(facts.vectors) if facts.vectors is not None else None
    length = hull.mean_length() if hull is not None else None
    if hull is not None and length is not None:
        s = hull.rank
        moments = (s + 1) * (s + 2) * np.diag(hull.second_moments())
        deviation = float(moments.max()) ** 0.5
        return NoiseMoments(Cost((s + 1) * length), Cost(deviation), Cost(float(moments.sum())))
    try:
        return sampled_moments(facts.hull_noise())
    except RefusedError:
        return _moments_of_ball(facts)


def _moments_of_ball(facts: Facts) -> NoiseMoments:
    """Return moments of the l2 ball around the hull: upper bounds if the hull is not sampled."""
    space = facts.span or facts.enclosing
    rank = space.rank if space else facts.moved.rank or facts.coordinates
    share = space.largest_share if space else 1.0
    farthest = float(finite(facts.moved.l2_squared.value, "l2 sensitivity inside D_t")) ** 0.5
    return NoiseMoments(
        Cost(farthest * rank, "upper"),
        Cost(farthest * share * (rank + 1) ** 0.5, "upper"),
        Cost(farthest**2 * rank * (rank + 1), "upper"),
    )


def naive_l2(facts: Facts, target: Target) -> DesignDraft:
    """Use the l2 norm for the sensitivity in D, times the steps (Algorithm 5, section 5.2)."""
    return _of_l2(facts, target, Fraction(1, facts.steps), sharp=False)


def naive_linf(facts: Facts, target: Target) -> DesignDraft:
    """Use the largest coordinate for the sensitivity in D, times the steps (Algorithm 6)."""
    return _of_linf(facts, target, Fraction(1, facts.steps), sharp=False)


def algorithm_5(facts: Facts, target: Target) -> DesignDraft:
    """Use the l2 norm for the sensitivity inside D_t (Algorithm 5 on S_Semi)."""
    top = finite(facts.unit.l2_squared.value, "l2 sensitivity in D")
    bottom = finite(facts.moved.l2_squared.value, "l2 sensitivity inside D_t")
    ratio = Interval.of(top / bottom).sqrt().lower_rational
    return _of_l2(facts, target, ratio, sharp=True)


def algorithm_6(facts: Facts, target: Target) -> DesignDraft:
    """Use the largest coordinate for the sensitivity inside D_t (Algorithm 6 on S_Semi)."""
    top = finite(facts.unit.linf.value, "l-infinity sensitivity in D")
    bottom = finite(facts.moved.linf.value, "l-infinity sensitivity inside D_t")
    return _of_linf(facts, target, top / bottom, sharp=True)


def _of_l2(facts: Facts, target: Target, share: Fraction, *, sharp: bool) -> DesignDraft:
    epsilon = down(laplace_shift_of(target) * share)
    unit = float(finite(facts.unit.l2_squared.value, "l2 sensitivity in D")) ** 0.5
    scale, d = unit / float(epsilon), facts.coordinates
    length, deviation = lengths.of_l2_ball(scale, d), lengths.sd_of_l2_ball(scale, d)
    return _ball(facts, target, "l2", epsilon, length, deviation, sharp=sharp)


def _of_linf(facts: Facts, target: Target, share: Fraction, *, sharp: bool) -> DesignDraft:
    epsilon = down(laplace_shift_of(target) * share)
    unit = float(finite(facts.unit.linf.value, "l-infinity sensitivity in D"))
    scale, d = unit / float(epsilon), facts.coordinates
    length, deviation = lengths.of_cube(scale, d), lengths.sd_of_cube(scale, d)
    return _ball(facts, target, "linf", epsilon, length, deviation, sharp=sharp)


def _ball(
    facts: Facts,
    target: Target,
    norm: str,
    epsilon: Fraction,
    length: float,
    deviation: float,
    *,
    sharp: bool,
) -> DesignDraft:
    return DesignDraft(
        kind="k_norm",
        parameter="epsilon",
        value=epsilon,
        strength="pure_dp",
        wanted=laplace_shift_of(target),
        rank=facts.coordinates,
        length=Cost(length),
        deviation=Cost(deviation),
        total=Cost(facts.coordinates * deviation**2),
        sharp=sharp,
        more=(("norm", norm),),
    )
