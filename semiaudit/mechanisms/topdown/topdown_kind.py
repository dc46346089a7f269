"""A hierarchical release: which queries a pair of datasets changes, and the loss of this.

A few changes of the queries cover all pairs of a universe within a distance, so group privacy by
steps is not needed. A query that is a function of the invariants does not change inside D_t, and
has no privacy loss there (E15).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import ClassVar

from semiaudit.frozen import dataclass
from semiaudit.mechanisms.kind import NEIGHBORS, STILL, Asked, DatasetPairs, Measures, MechanismKind
from semiaudit.mechanisms.noise import PERFECT
from semiaudit.model.loss import DiscreteGaussianLoss, PrivacyLoss
from semiaudit.model.measure import ZCDP
from semiaudit.model.topdown import Move, SecretPair, TopDown
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.privacy.weakest import weakest
from semiaudit.universe.hierarchy.pairs import Pairs, pairs_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces


def measures_of_pair(part: TopDown, pair: SecretPair) -> Measures:
    """Return the measures of every pair of datasets of a kind: rho exactly, and the noise's loss.

    Empty if the universe has no such pair.
    """
    measures = [measures_of_move(part, move, attained=pair.attained) for move in pair.moves]
    return weakest(measures) if measures else ()


def measures_of_move(part: TopDown, move: Move, *, attained: bool) -> Measures:
    """Return the loss of discrete Gaussian noise if every query's cells change by given amounts.

    rho is half of the sum of squares, each over its sigma squared. It holds on the integers, and so
    does the noise's own loss; the Gaussian profile does not (E5).

    Args:
        attained: whether two datasets differ by that change.

    Source: Canonne, Kamath and Steinke 2020, section 2; docs/theory/topdown.md, One record.
    """
    parts: Counter[DiscreteGaussianLoss] = Counter()
    rho = Fraction(0)
    for noisy, sizes in zip(part.noisy, move, strict=True):
        for size in sizes:
            parts[DiscreteGaussianLoss(size, noisy.sigma_squared)] += 1
            rho += size * size * noisy.rho / 2
    if not parts:
        return PERFECT
    return PrivacyLoss(tuple(parts.items()), attained), ZCDP(rho, attained)


@dataclass(frozen=True, slots=True)
class TopDownKind(MechanismKind[TopDown]):
    """A hierarchical release: pairs of datasets by their changes."""

    standard: str
    not_sampled: ClassVar[tuple[str, str]] = (
        "topdown can be sampled only alone, and here it is a part of the mechanism",
        "use a spec with topdown alone",
    )

    def needs_steps(self, part: TopDown) -> bool:
        """Return False: every distance has its own worst pair."""
        return False

    def loss(self, part: TopDown, pairs: DatasetPairs, spaces: SensitivitySpaces) -> Measures:
        """Return the loss of the worst pair of the universe up to the distance.

        Without any, no loss.

        The worst pair is identical records that change together: no steps in D lead further. By
        steps inside D_t, queries that the invariants determine lose nothing (E15).
        """
        if pairs.way == "published":
            return ()
        moving = moving_pairs(part, spaces)
        worst = measures_of_pair(part, moving.worst(pairs.universe, pairs.distance)) or PERFECT
        if pairs.way != "steps" or pairs.universe == "D":
            return worst
        bounds = [measures_of_pair(part, one) for one in moving.steps_inside(pairs.distance)]
        steps = strongest(*(bound or PERFECT for bound in bounds))
        # Pairs at distance 1 say nothing about one unit of a longer distance.
        return steps if pairs.distance == 1 else strongest(worst, steps)

    def projected(self, part: TopDown, spaces: SensitivitySpaces) -> Measures | None:
        """Return the nominal loss; None if a margin is not linear in the queries."""
        linear = moving_pairs(part, spaces).determine_margins
        return self.loss(part, NEIGHBORS, spaces) if linear else None

    def refusal(self, part: TopDown, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Refuse nothing: the noise is on all counts of the hierarchy."""
        return ""

    def remark(self, part: TopDown, pairs: DatasetPairs, spaces: SensitivitySpaces) -> str:
        """Say whether a query at a level is a function of the invariants in all places."""
        if pairs.way != "change":
            return ""
        geography = moving_pairs(part, spaces).geography
        still = any(
            all(
                geography.is_function(noisy.level, noisy.query, places)
                for places in geography.places
            )
            for noisy in part.noisy
        )
        return STILL if still else ""

    def specified_rho(self, part: TopDown) -> Fraction | None:
        """Return the sum of the allocation."""
        return part.rho


def moving_pairs(part: TopDown, spaces: SensitivitySpaces) -> Pairs:
    """Return the pairs of datasets of the part, under the invariants of the release."""
    return pairs_of(part, spaces.release)


TOPDOWN = TopDownKind(
    "zero-concentrated differential privacy (Rényi divergences); the noise of every query at every "
    "level is discrete Gaussian, so its own loss applies and the Gaussian profile does not apply"
)
KINDS = {TopDown: TOPDOWN}
