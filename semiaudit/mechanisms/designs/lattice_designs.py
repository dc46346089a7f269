"""Discrete Gaussian designs: on all integer vectors, or on those in the null space."""

from __future__ import annotations

from dataclasses import replace

from semiaudit.mechanisms.designs.design_draft import DesignDraft, Facts, finite, wanted
from semiaudit.mechanisms.designs.intensity import rho_of, up
from semiaudit.model.results.design import Cost, Target

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
    square = finite(facts.moved.l2_squared.value, "l2 sensitivity inside D_t")
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
