"""Numbers of a product of pairs, from the engine: certified ends, asked for once each.

The engine loads numpy, so it is imported only where a measure is a loss.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from semiaudit.errors import RefusedError
from semiaudit.model.loss import PrivacyLoss

if TYPE_CHECKING:
    from semiaudit.privacy.loss import Accuracy, Bracket

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
def epsilon_at(loss: PrivacyLoss, delta: Fraction, precision: Precision) -> Bracket | None:
    """epsilon at a delta in (0, 1): the smallest for which both orders of the pair satisfy it.

    None where the loss is more than the engine can take; other measures still hold then.
    """
    from semiaudit.privacy.loss import epsilon_bracket

    with suppress(RefusedError):
        return epsilon_bracket(loss, delta, _accuracy(precision))
    return None


@lru_cache(maxsize=256)
def type_ii_at(loss: PrivacyLoss, type_i: Fraction, precision: Precision) -> Bracket | None:
    """The least type II error at a type I error in (0, 1), over both orders of the pair."""
    from semiaudit.privacy.loss import type_ii_bracket

    with suppress(RefusedError):
        return type_ii_bracket(loss, type_i, _accuracy(precision))
    return None


@lru_cache(maxsize=64)
def advantage(loss: PrivacyLoss, precision: Precision) -> Bracket | None:
    """The total variation distance of the pair."""
    from semiaudit.privacy.loss import advantage_bracket

    with suppress(RefusedError):
        return advantage_bracket(loss, _accuracy(precision))
    return None


def _accuracy(precision: Precision) -> Accuracy:
    from semiaudit.privacy.loss import Accuracy

    return Accuracy(precision.tolerance, precision.time_limit)
