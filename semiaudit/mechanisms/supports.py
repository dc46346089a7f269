"""Noise with a support: what its output reveals, and which privacy definitions refuse it.

Inside D_t, the plain noise M0 = phi + e is enough: the part outside of the support is a function of
t there, so phi + P e is post-processing of M0 and t (docs/theory/queries.md, "Noise that keeps the
invariants").
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.model.frameworks import FRAMEWORKS, FrameworkName
from semiaudit.model.measure import GDP, ZCDP, Measure, PureDP
from semiaudit.model.mechanism import Noise
from semiaudit.model.query import Query
from semiaudit.numeric.semidefinite import RowsOf
from semiaudit.universe.connected import connected
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.subspaces import Subspaces

KEEPS = (
    "the noise keeps the invariants, so the output alone always distinguishes datasets whose "
    "invariants differ, and no number is finite"
)
MADE_INSIDE = (
    "its noise is designed for datasets that agree on the invariants; for others, no number is "
    "proven"
)
NO_DISTANCE = "the distance that the support of its noise is designed for is not known"
PARTS = (
    "Dₜ is not connected at the distance: the support of its noise reveals in which part a dataset "
    "is, which no number here covers (erratum E9); use support: null_space"
)
MAYBE_PARTS = (
    "Dₜ is not shown to be connected at the distance; if it is not, the support of its noise "
    "reveals in which part a dataset is (erratum E9); use support: null_space"
)
LEAVES = (
    "the change of one record, projected on the null space of the invariants, leaves the support "
    "of its noise: an attacker can always distinguish such neighboring datasets"
)
PROJECTED = (
    "an upper bound on the loss per unit of distance, from what one record changes, projected on "
    "the null space of the invariants"
)
UNPROJECTED = (
    "an upper bound on the loss per unit of distance: the loss of one record without the support "
    "of the noise"
)
ALL_PAIRS = "an upper bound on the loss per unit of distance, from all pairs of Dₜ"
UNLISTED = "the changes of its query are too many to list, so no number follows"


EXACT = GDP, PureDP, ZCDP
NUMBERS = {GDP: "μ", PureDP: "ε at δ = 0", ZCDP: "ρ"}
"""Numbers that can be a supremum, sorted so that each implies the ones after it."""


def supremum(measures: Sequence[Measure], *, attained: bool = False) -> str:
    """Name the number that is the supremum of loss over distance, over all pairs of D_t.

    Args:
        measures: measures of one unit of distance; some pair attains each exact number.
        attained: whether a pair attains every number.
    """
    known = [type(m) for m in measures if attained or (isinstance(m, EXACT) and m.exact)]
    number = next((name for kind, name in NUMBERS.items() if kind in known), "")
    if not number:
        return ALL_PAIRS
    return f"{number} is the exact loss per unit of distance, over all pairs of Dₜ"


def shows(query: Query, spaces: SensitivitySpaces) -> str:
    """Say why noise in a subspace for D_t gives no guarantee for pairs outside of it."""
    return KEEPS if spaces.subspaces.is_linear(query) else MADE_INSIDE


def refusal(part: Noise, query: Query, notion: FrameworkName, spaces: SensitivitySpaces) -> str:
    """Say why a privacy definition refuses noise with a support; empty if it does not."""
    subspaces = spaces.subspaces
    if part.support == "null_space" and not subspaces.is_linear(query):
        return f"{subspaces.nonlinearity(query)}, so there is no null space for its noise"
    if FRAMEWORKS[notion].of_the_output:
        return revealed_parts(part, query, spaces) if part.support == "sensitivity_space" else ""
    if not subspaces.is_linear(query):
        return ""
    if part.support == "sensitivity_space":
        leaving = leaves_span(part, query, spaces)
        if leaving:
            return leaving
    return _leaves_lattice(part, query, subspaces)


def no_subspace(query: Query, spaces: SensitivitySpaces) -> str:
    """Say why noise on a query is not projected on the null space of the invariants."""
    return f"{spaces.subspaces.nonlinearity(query)}, so there is no subspace to project on"


def revealed_parts(part: Noise, query: Query, spaces: SensitivitySpaces) -> str:
    """Say why the span of S inside D_t can publish a part of D_t; empty if it does not.

    It does not if it is all of N, or if D_t is connected at the distance: then it contains the
    differences of all datasets of D_t.
    """
    if part.made_for is None:
        return NO_DISTANCE
    if spaces.subspaces.fills(query, part.made_for):
        return ""
    joined = connected(spaces, part.made_for)
    if joined:
        return ""
    return MAYBE_PARTS if joined is None else PARTS


def leaves_span(part: Noise, query: Query, spaces: SensitivitySpaces) -> str:
    """Say why projected steps can leave the span of S inside D_t; empty if they do not."""
    if part.made_for is None:
        return NO_DISTANCE
    if spaces.subspaces.fills(query, part.made_for):
        return ""
    steps = spaces.subspaces.projected_steps(query)
    span = spaces.subspaces.span(query, part.made_for)
    if steps is None or span is None:
        return UNLISTED

    return "" if RowsOf(span).span(steps) else LEAVES


def _leaves_lattice(part: Noise, query: Query, subspaces: Subspaces) -> str:
    if not part.whole:
        return ""
    steps = subspaces.projected_steps(query)
    if steps is None:
        return UNLISTED
    integral = all(Fraction(value).denominator == 1 for step in steps for value in step)
    return "" if integral else LEAVES
