"""Numbers of a product of pairs, from the engine: certified ends, asked for once each.

The engine loads numpy, so it is imported only where a measure is a loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from semiaudit.model.loss import PrivacyLoss

if TYPE_CHECKING:
    from semiaudit.privacy.loss import Bracket

TIME_LIMIT = 20.0
"""Seconds that one number may take; what is known by then is certified all the same."""


@dataclass(frozen=True, slots=True)
class Precision:
    """How narrow the ends should be.

    Attributes:
        tolerance: the width asked for, relative to the upper end.
        time_limit: seconds for one number.
    """

    tolerance: float = 1e-6
    time_limit: float | None = TIME_LIMIT


DEFAULT = Precision()


@lru_cache(maxsize=256)
def epsilon_at(loss: PrivacyLoss, delta: Fraction, precision: Precision) -> Bracket:
    """epsilon at a delta in (0, 1): the smallest for which both orders of the pair satisfy it."""
    from semiaudit.privacy.loss import Accuracy, epsilon_bracket

    accuracy = Accuracy(precision.tolerance, precision.time_limit)
    return epsilon_bracket(loss, delta, accuracy)


@lru_cache(maxsize=256)
def type_ii_at(loss: PrivacyLoss, type_i: Fraction, precision: Precision) -> Bracket:
    """The least type II error at a type I error in (0, 1), over both orders of the pair."""
    from semiaudit.privacy.loss import Accuracy, type_ii_bracket

    accuracy = Accuracy(precision.tolerance, precision.time_limit)
    return type_ii_bracket(loss, type_i, accuracy)


@lru_cache(maxsize=64)
def advantage(loss: PrivacyLoss, precision: Precision) -> Bracket:
    """The total variation distance of the pair."""
    from semiaudit.privacy.loss import Accuracy, advantage_bracket

    accuracy = Accuracy(precision.tolerance, precision.time_limit)
    return advantage_bracket(loss, accuracy)
