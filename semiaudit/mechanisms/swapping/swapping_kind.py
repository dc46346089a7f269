"""Swapping: pure differential privacy inside D_t, per distance; no finite loss outside.

Source: Bailie, Gong and Meng, "Can Swapping Be Differentially Private?" (slides);
docs/theory/swapping.md lists the bounds of each variant, with the source of each proof.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from semiaudit.frozen import dataclass
from semiaudit.mechanisms import declared
from semiaudit.mechanisms.kind import (
    Asked,
    DatasetPairs,
    KnownLoss,
    Measures,
    MechanismKind,
    not_attained,
)
from semiaudit.mechanisms.swapping.strata import Strata, strata_of
from semiaudit.mechanisms.swapping.stratum_loss import (
    UnitLoss,
    has_published_bound,
    published_bound,
    unit_loss,
)
from semiaudit.model.adjacency import per_record
from semiaudit.model.frameworks import FRAMEWORKS
from semiaudit.model.invariants import is_kept_by_sizes, kept_margins
from semiaudit.model.measure import PureDP
from semiaudit.model.randomizers import Swapping
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

SHOWN = (
    "in every stratum, swapping keeps the counts of the exchanged attributes and those "
    "of the other attributes: its output always distinguishes datasets whose counts differ"
)
NOT_PUBLISHED = (
    "the invariants do not include all counts that swapping keeps, so its output always "
    "distinguishes datasets whose counts differ"
)
NO_LARGEST = (
    "the size of the largest stratum is not known; add largest_stratum, the data, or dataspace.size"
)
SINGLE = (
    "no stratum has two records: what swapping keeps reveals every record completely, and nothing "
    "is protected"
)
NO_RATE = "the swap rate is not calibrated yet"


@dataclass(frozen=True, slots=True)
class SwappingKind(MechanismKind[Swapping]):
    """Swapping: a loss per record that differs, proven between any two datasets of one universe."""

    standard: str
    has_steps: ClassVar[bool] = False
    not_sampled: ClassVar[tuple[str, str]] = (
        "swapping is not noise on the answer to a query",
        "use gaussian or laplace noise, their discrete kinds, or k_norm",
    )

    def loss(self, part: Swapping, pairs: DatasetPairs, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss inside D_t: that of one unit of distance times the distance.

        The remark says from which stratum it comes, and whether it is the worst case.

        In D there is none: neighbors there disagree on what is kept.

        No power of a tradeoff function is claimed: D_t need not contain datasets between two
        others. The published bound is that of derangements, if it is above the own one.
        """
        known = None if pairs.universe == "D" else _loss(part, spaces)
        if known is None:
            return KnownLoss()
        stratum_loss, strata = known
        if pairs.way != "published":
            remark = _remark(part, stratum_loss, strata) if pairs.way == "steps" else ""
            return KnownLoss(_measures(stratum_loss.epsilon, pairs.distance, spaces), remark)
        if part.rate is None or part.variant != "derangement":
            return KnownLoss()
        epsilon = published_bound(part.rate, strata.largest or 0)
        if epsilon <= stratum_loss.epsilon:
            return KnownLoss()
        return KnownLoss(_measures(epsilon, pairs.distance, spaces))

    def refusal(self, part: Swapping, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Say which counts swapping keeps, for pairs in D.

        Else why nothing is known of the strata.
        """
        if asked == "disagreeing" or FRAMEWORKS[asked].universe == "D":
            return SHOWN
        if part.rate is None:
            return NO_RATE
        if not _kept(part, spaces):
            return NOT_PUBLISHED
        strata = strata_of(part, spaces.release)
        if strata.single:
            return SINGLE
        return NO_LARGEST if strata.largest is None else ""


def _remark(part: Swapping, stratum_loss: UnitLoss, strata: Strata) -> str:
    if not strata.largest:
        return "no stratum has two records that can differ, so nothing is ever exchanged"
    description = f"strata of up to {strata.largest:,} records"
    if stratum_loss.attained:
        differ = "all records of a stratum differ in the exchanged attributes and in the others"
        worst = f"the worst case of {description}, attained if {differ}"
        description = (
            worst if strata.all_differ else f"a bound for {description}, attained only if {differ}"
        )
    elif has_published_bound(strata.largest, part.variant, reselection=part.reselection):
        description = f"the published bound for {description} (Bailie, Gong and Meng)"
    else:
        description = f"a bound for {description}"
    if part.variant == "uniform":
        description += "; the published bound does not hold for uniform permutations (erratum E14)"
    return description


def _kept(part: Swapping, spaces: SensitivitySpaces) -> bool:
    invariants = spaces.release.invariants
    if part.by_sizes:
        return is_kept_by_sizes(invariants)
    return not kept_margins(spaces.release.dataspace, part, invariants)


def _loss(part: Swapping, spaces: SensitivitySpaces) -> tuple[UnitLoss, Strata] | None:
    if part.rate is None or not _kept(part, spaces):
        return None
    strata = strata_of(part, spaces.release)
    if strata.largest is None or strata.single:
        return None
    loss = unit_loss(part.rate, strata.sizes, part.variant, reselection=part.reselection)
    return loss, strata


def _measures(epsilon: Fraction, distance: int, spaces: SensitivitySpaces) -> Measures:
    units = Fraction(distance, per_record(spaces.release.adjacency.metric))
    return not_attained(declared.pure_dp(PureDP(epsilon * units, exact=False)))


SWAPPING = SwappingKind(
    "pure differential privacy inside Dₜ (multiplicative distance); the privacy loss of swapping "
    "is per unit of distance"
)
KINDS = {Swapping: SWAPPING}
