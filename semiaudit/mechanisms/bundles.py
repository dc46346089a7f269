"""What is known of the parts of a mechanism: composed, and the better one of two bundles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from semiaudit.mechanisms.kind import Measures
from semiaudit.mechanisms.parts import query_of
from semiaudit.model.loss import PrivacyLoss, WorstLoss
from semiaudit.model.measure import ZCDP
from semiaudit.model.mechanism import Part
from semiaudit.privacy.ordering.strongest import is_perfect, strongest

Bundles = list[tuple[Measures, int]]
"""(the measures of a part, how often it runs)."""

Known = tuple[Part, Measures, int]
"""A part, what is known of it by itself, and how often it runs."""


def composed(parts: Iterable[tuple[Measures, int]], *, polygon: bool = False) -> Measures:
    """Parts that lose nothing add nothing, whatever kinds of measure they have.

    Args:
        polygon: see ``composition.compose``.
    """
    known = list(parts)
    losing = [(measures, times) for measures, times in known if not is_perfect(measures)] or known
    if len(losing) == 1 and losing[0][1] == 1:
        return losing[0][0]
    from semiaudit.privacy.composition import compose  # one release needs no composition

    return compose(losing, polygon=polygon)


def have_common_pairs(parts: Sequence[Known]) -> bool:
    """Whether one pair of datasets for all parts may lose less than each part's own worst pair."""
    losing = [known for known in parts if not is_perfect(known[1])]
    noisy = [known for part, known, _ in losing if query_of(part) is not None]
    if not noisy:
        return False
    if len(losing) > 1:
        return True
    losses = [measure for measure in noisy[0] if isinstance(measure, PrivacyLoss)]
    return any(not loss.attained for loss in losses)


def _rho(measures: Measures) -> Fraction | float:
    return min((m.rho for m in measures if isinstance(m, ZCDP)), default=math.inf)


def best_of(one: Measures, other: Measures) -> Measures:
    """Both, with the products of only that one whose rho is the smaller one."""
    if not has_loss(one):
        return strongest(other, one)
    if _rho(one) <= _rho(other) or not has_loss(other):
        return strongest(one, without_losses(other))
    return strongest(without_losses(one), other)


def has_loss(measures: Measures) -> bool:
    """Whether some measure is a product of pairs."""
    return any(isinstance(measure, PrivacyLoss | WorstLoss) for measure in measures)


def without_losses(measures: Measures) -> Measures:
    """The measures that are no product of pairs."""
    return tuple(m for m in measures if not isinstance(m, PrivacyLoss | WorstLoss))
