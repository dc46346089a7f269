"""The pair of clones, which dominates shuffled reports."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from semiaudit.frozen import dataclass
from semiaudit.model.loss import RandomizedResponseLoss, ShuffledLoss
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.pairs.finite import source_of_outcomes
from semiaudit.privacy.loss.pairs.pair_kind import Ends, Family, PairKind, unknown_steps
from semiaudit.privacy.measures.clones import (
    delta_ends,
    epsilon_ends,
    size_of_clones,
    type_ii_ends,
)
from semiaudit.privacy.tradeoff.clone_polygons import tradeoff_of_clones
from semiaudit.privacy.tradeoff.polygon import LARGEST_EPSILON

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source

_TERMS = 40_000
"""Terms of all sums: lines of the composed polygon times the square root of the reports."""

_FEWEST_LINES, _MOST_LINES = 64, 1000
"""The fewest lines (for many reports, where a point of the profile takes a second), and the
most."""


@dataclass(frozen=True, slots=True)
class SingleShuffle:
    """A single pair of shuffled reports: fixed-point sums of binomial probabilities."""

    reports: int
    epsilon0: Fraction

    def delta(self, epsilon: Fraction) -> Ends:
        """See ``SinglePair``."""
        delta = delta_ends(self.reports, self.epsilon0, epsilon)
        return _ends(delta.lower_rational, delta.upper_rational)

    def epsilon(self, delta: Fraction) -> Ends:
        """See ``SinglePair``. At delta 0, shuffling does not amplify privacy."""
        if not delta:
            return _ends(self.epsilon0, self.epsilon0)
        return _ends(*epsilon_ends(self.reports, self.epsilon0, delta))

    def type_ii(self, type_i: Fraction) -> Interval:
        """See ``SinglePair``."""
        if not type_i:
            return Interval.of(1)
        below, above = type_ii_ends(self.reports, self.epsilon0, type_i)
        return Interval.hull(Interval.of(below), Interval.of(above))


def shuffled(pair: ShuffledLoss) -> PairKind:
    """Define the kind: both directions are equal; a polygon below it is composed.

    A mu is fitted to its polygon, which is a separate measure.

    One report, or a huge epsilon0, gives only epsilon0-DP.
    """
    reports, epsilon0 = pair.reports, pair.epsilon0
    alone = reports == 1 or epsilon0 > LARGEST_EPSILON

    def source(_side: int) -> Source | None:
        lines = min(max(_TERMS // math.isqrt(reports), _FEWEST_LINES), _MOST_LINES)
        pieces = list(pairwise(tradeoff_of_clones(reports, epsilon0, lines).vertices))
        falls = [before[1] - after[1] for before, after in pieces]
        lengths = [after[0] - before[0] for before, after in pieces]
        # The jump at 0 is revealed, like the flat end in the other direction.
        start = pieces[0][0][1]
        return source_of_outcomes([Fraction(0), *lengths], [1 - start, *falls])

    return PairKind(
        symmetric=True,
        gaussian_size=epsilon0**2 if alone else min(size_of_clones(reports, epsilon0), epsilon0**2),
        listable=True,
        mu_fitted=False,
        family=Family((pair,), "alone"),
        size=Fraction(1),
        rho=lambda: None,
        simplified=(RandomizedResponseLoss(epsilon0) if alone else pair) if epsilon0 else None,
        moved_further=unknown_steps,
        closed_form=lambda: SingleShuffle(reports, epsilon0),
        source=source,
    )


def _ends(below: Fraction, above: Fraction) -> Ends:
    return max(float_down(below), 0.0), float_up(above)
