"""A hierarchical release against pairs of datasets: which queries move, and what that costs.

All pairs of a universe within a distance are covered by a few moves of the queries, so that nothing
has to be composed by steps. A query that is a function of the invariants does not move inside D_t
and costs nothing there (E15).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from semiaudit.mechanisms.kind import Kind, Measures
from semiaudit.mechanisms.noise import PERFECT
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.loss import DiscreteGaussianLoss, PrivacyLoss
from semiaudit.model.measure import ZCDP
from semiaudit.model.semantics import Move, SecretPair
from semiaudit.model.topdown import TopDown
from semiaudit.privacy.weakest import weakest
from semiaudit.universe.hierarchy.pairs import Pairs, pairs_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces


def measures_of_pair(part: TopDown, pair: SecretPair) -> Measures:
    """What holds for every pair of datasets of a kind: rho exactly, and the loss of the noise.

    Empty where the universe has no such pair.
    """
    found = [measures_of_move(part, move, attained=pair.attained) for move in pair.moves]
    return weakest(found) if found else ()


def measures_of_move(part: TopDown, move: Move, *, attained: bool) -> Measures:
    """What discrete Gaussian noise loses where every query's cells move by so much.

    rho is half the sum of squares, each over its sigma squared. It holds on the integers, and so
    does the noise's own loss; the Gaussian's profile does not (E5).

    Args:
        attained: two datasets differ by that move.

    Source: Canonne, Kamath and Steinke 2020, section 2; docs/topdown.md, Why it holds.
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
class TopDownKind(Kind[TopDown]):
    """Pairs of datasets by what they move."""

    standard: str

    def needs_steps(self, part: TopDown) -> bool:
        """Every distance has its own worst pair."""
        return False

    def nominal(self, part: TopDown, spaces: SensitivitySpaces) -> Measures:
        """The worst change of one record, anywhere in D."""
        return self.directly(part, 1, "D", spaces)

    def by_steps(self, part: TopDown, distance: int, spaces: SensitivitySpaces) -> Measures:
        """Identical records that change together: no steps in D lead further."""
        return self.directly(part, distance, "D", spaces)

    def directly(
        self, part: TopDown, distance: int, universe: UniverseName, spaces: SensitivitySpaces
    ) -> Measures:
        """The worst pair of the universe up to the distance; without any nothing is lost."""
        return measures_of_pair(part, pairs(part, spaces).worst(universe, distance)) or PERFECT

    def by_units(self, part: TopDown, distance: int, spaces: SensitivitySpaces) -> Measures:
        """The worst pair inside D_t so many units apart."""
        return self.directly(part, distance, "D_t", spaces)

    def projected(self, part: TopDown, spaces: SensitivitySpaces) -> Measures | None:
        """The nominal loss; None where some margin is not linear in the queries."""
        return self.nominal(part, spaces) if pairs(part, spaces).tell_margins else None

    def unmoved(self, part: TopDown, distance: int, spaces: SensitivitySpaces) -> bool:
        """Whether some query at some level is a function of the invariants wherever it is asked."""
        found = pairs(part, spaces)
        return any(
            all(
                found.geography.is_function(noisy.level, noisy.query, places)
                for places in found.geography.places
            )
            for noisy in part.noisy
        )

    def stated_rho(self, part: TopDown) -> Fraction | None:
        """The sum of the allocation."""
        return part.rho


def pairs(part: TopDown, spaces: SensitivitySpaces) -> Pairs:
    """The pairs of datasets of the part, under the invariants of the release."""
    return pairs_of(part, spaces.release)


TOPDOWN = TopDownKind(
    "zero-concentrated differential privacy (Renyi divergences); the noise of every query at every "
    "level is discrete Gaussian, so its own loss applies and the Gaussian profile does not apply"
)
