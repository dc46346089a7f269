"""Noise that lives in a subspace: what its support shows, and why a notion then states nothing.

Inside D_t the plain noise M0 = phi + e tells all: what lies outside the support is a function of t
there, so that phi + P e is post-processing of M0 and t (docs/theory/queries.md, "Noise that keeps
the invariants").
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.model.frameworks import FRAMEWORKS, FrameworkName
from semiaudit.model.measure import GDP, ZCDP, Measure, PureDP
from semiaudit.model.mechanism import Noise
from semiaudit.model.query import Query
from semiaudit.model.wording import Wording
from semiaudit.universe.connected import connected
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.sensitivity.subspaces import Subspaces

KEEPS = Wording(
    "its noise keeps the invariants: datasets that disagree on them are told apart with certainty "
    "by the output alone, so that no number is finite",
    "keeps",
)
MADE_INSIDE = Wording(
    "its noise is made for datasets that agree on the invariants: of others no number is proven",
    "made_inside",
)
NOT_LINEAR = Wording(
    "the invariants are not linear in the query: there is no null space for its noise",
    "no_null_space",
)
NO_DISTANCE = Wording(
    "no distance is known that the support of its noise is made for",
    "no_distance",
)
PARTS = Wording(
    "D_t is not connected at the distance: the support of its noise publishes which of the parts a "
    "dataset is in, which no number here covers (erratum E9); support: null_space does not",
    "parts",
)
MAYBE_PARTS = Wording(
    "D_t is not shown to be connected at the distance, without which the support of its noise "
    "publishes which of the parts a dataset is in (erratum E9); support: null_space does not",
    "maybe_parts",
)
LEAVES = Wording(
    "the change of one record, projected on the null space of the invariants, leaves the support "
    "of its noise: such neighbours are told apart with certainty",
    "leaves",
)
PROJECTED = (
    "an upper bound of the supremum over k of the loss at distance k by k: what one record "
    "changes, projected on the null space of the invariants"
)
UNPROJECTED = (
    "an upper bound of the supremum over k of the loss at distance k by k: what the noise without "
    "its support loses to one record"
)
ALL_PAIRS = (
    "an upper bound of the supremum over k of the loss at distance k by k, from all pairs of D_t"
)
COMPOSED = (
    "an upper bound of the supremum over k of the loss at distance k by k: every part is set "
    "against its own worst pair, or its own bound"
)
STILL = "a query that cannot move inside D_t up to this distance costs nothing (E15)"
UNLISTED = Wording(
    "what its query can change by is too much to be listed, so that no number follows",
    "unlisted",
)


EXACT = GDP, PureDP, ZCDP
NUMBERS = {GDP: "mu", PureDP: "epsilon at delta 0", ZCDP: "rho"}
"""The numbers that a supremum may be of, the one first from which the others follow."""


def supremum(measures: Sequence[Measure], *, attained: bool = False) -> str:
    """Which number is the supremum over all pairs of D_t of what they lose by their distance.

    Args:
        measures: of one unit of distance, of whose exact numbers some pair loses all.
        attained: some pair does of every number.
    """
    known = [type(m) for m in measures if attained or (isinstance(m, EXACT) and m.exact)]
    number = next((name for kind, name in NUMBERS.items() if kind in known), "")
    if not number:
        return ALL_PAIRS
    return f"{number} is the supremum over k of the loss at distance k by k, over all pairs of D_t"


def shows(query: Query, spaces: SensitivitySpaces) -> str:
    """Why noise in a subspace that is made for D_t says nothing of pairs outside of it."""
    return KEEPS if spaces.subspaces.is_linear(query) else MADE_INSIDE


def refusal(part: Noise, query: Query, notion: FrameworkName, spaces: SensitivitySpaces) -> str:
    """Why a privacy definition refuses noise with a support; empty if it need not."""
    subspaces = spaces.subspaces
    if part.support == "null_space" and not subspaces.is_linear(query):
        return NOT_LINEAR
    if FRAMEWORKS[notion].of_the_output:
        return parts_told(part, query, spaces) if part.support == "sensitivity_space" else ""
    if not subspaces.is_linear(query):
        return ""
    if part.support == "sensitivity_space":
        left = leaves_span(part, query, spaces)
        if left:
            return left
    return _leaves_lattice(part, query, subspaces)


def parts_told(part: Noise, query: Query, spaces: SensitivitySpaces) -> str:
    """Why the span of S inside D_t may publish a part of D_t; empty where it does not.

    It does not where it is all of N, nor where steps of the distance join all of D_t: then the
    differences of all datasets of D_t lie in it.
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
    """Why projected steps may leave the span of S inside D_t; empty where they do not."""
    if part.made_for is None:
        return NO_DISTANCE
    if spaces.subspaces.fills(query, part.made_for):
        return ""
    steps = spaces.subspaces.projected_steps(query)
    span = spaces.subspaces.span(query, part.made_for)
    if steps is None or span is None:
        return UNLISTED
    from semiaudit.numeric.semidefinite import RowsOf

    return LEAVES if RowsOf(span).all_weights(steps) is None else ""


def _leaves_lattice(part: Noise, query: Query, subspaces: Subspaces) -> str:
    """Why projected steps may leave the whole vectors of the support."""
    if not part.whole:
        return ""
    steps = subspaces.projected_steps(query)
    if steps is None:
        return UNLISTED
    whole = all(Fraction(value).denominator == 1 for step in steps for value in step)
    return "" if whole else LEAVES
