"""Noise designs for a query, invariants and a target, for comparison.

``DESIGNS`` lists them in the order of display. A design's function chooses the parameter for the
target; an audit decides whether the design meets the target.
"""

from __future__ import annotations

from collections.abc import Callable

from semiaudit.frozen import dataclass
from semiaudit.mechanisms.designs import gaussian_designs, k_norm, laplace_designs
from semiaudit.mechanisms.designs.design_draft import DesignDraft, Facts
from semiaudit.model.results.design import DesignName, Target


@dataclass(frozen=True, slots=True)
class Recipe:
    """The recipe of a design.

    Attributes:
        description: the description of the design, with its source.
        draft: a function of the facts and the target; raises ``NoDesignError`` with the reason if
            there is no such design.
        slow: whether it can take seconds: it is computed after the others, in a share of the time.
    """

    description: str
    draft: Callable[[Facts, Target], DesignDraft]
    slow: bool = False


DESIGNS: dict[DesignName, Recipe] = {
    "naive_gaussian": Recipe(
        "Gaussian for a(t) steps in D (Cho and Awan, Proposition 6, section 5.2)",
        gaussian_designs.naive,
    ),
    "algorithm_1": Recipe(
        "Gaussian in the span of what moves inside Dₜ (Cho and Awan, Algorithm 1; E2)",
        gaussian_designs.algorithm_1,
    ),
    "projected_gaussian": Recipe(
        "the naive Gaussian, projected on the null space (Gao et al., Corollary 3.5)",
        gaussian_designs.projected,
    ),
    "extended_gaussian": Recipe(
        "Gaussian in the null space of the invariants (Gao et al., Corollary 3.6)",
        gaussian_designs.extended,
    ),
    "sized_gaussian": Recipe(
        "Gaussian in the null space of the invariants and of the known size (Gao et al., "
        "Corollary 3.6)",
        gaussian_designs.sized,
    ),
    "correlated_gaussian": Recipe(
        "Gaussian of the least total variance (Gao et al., Theorem 3.11, improved)",
        gaussian_designs.correlated,
        slow=True,
    ),
    "minimax_gaussian": Recipe(
        "Gaussian whose largest variance of a coordinate is the least",
        gaussian_designs.minimax,
        slow=True,
    ),
    "discrete_gaussian": Recipe(
        "discrete Gaussian on every coordinate, for what moves inside Dₜ (Canonne, Kamath and "
        "Steinke 2020)",
        gaussian_designs.discrete_gaussian,
    ),
    "integer_lattice": Recipe(
        "discrete Gaussian on the whole vectors of the null space (Dharangutte et al.)",
        gaussian_designs.integer_lattice,
    ),
    "naive_l1": Recipe(
        "Laplace for a(t) steps in D (Cho and Awan, Algorithm 4, section 5.2)",
        laplace_designs.naive,
    ),
    "naive_l2": Recipe(
        "l2 mechanism for a(t) steps in D (Cho and Awan, Algorithm 5, section 5.2)",
        k_norm.naive_l2,
    ),
    "naive_linf": Recipe(
        "l-infinity mechanism for a(t) steps in D (Cho and Awan, Algorithm 6, section 5.2)",
        k_norm.naive_linf,
    ),
    "algorithm_2": Recipe(
        "K-norm of the hull of what moves inside Dₜ (Cho and Awan, Algorithms 2 and 3; E2)",
        k_norm.algorithm_2,
        slow=True,
    ),
    "algorithm_4": Recipe(
        "Laplace for what moves inside Dₜ (Cho and Awan, Algorithm 4)", laplace_designs.algorithm_4
    ),
    "algorithm_5": Recipe(
        "l2 mechanism for what moves inside Dₜ (Cho and Awan, Algorithm 5)", k_norm.algorithm_5
    ),
    "algorithm_6": Recipe(
        "l-infinity mechanism for what moves inside Dₜ (Cho and Awan, Algorithm 6)",
        k_norm.algorithm_6,
    ),
    "projected_laplace": Recipe(
        "the naive Laplace, projected on the null space (Gao et al., Corollary 3.8)",
        laplace_designs.projected,
    ),
    "extended_laplace": Recipe(
        "Laplace along a basis of the null space (Gao et al., Corollary 3.9; E20)",
        laplace_designs.extended,
        slow=True,
    ),
}
"""Every design by its name."""

NAIVE: tuple[DesignName, ...] = ("naive_gaussian", "naive_l1")
"""The baselines of the comparison: the first one that exists is used."""
