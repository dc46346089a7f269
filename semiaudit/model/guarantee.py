"""The triple (universe, adjacency, measure), and the numbers that a report prints of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from semiaudit.model.adjacency import Metric
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import FrameworkName, UniverseName
from semiaudit.model.incomplete import Causes
from semiaudit.model.measure import Measure


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another valid way to a guarantee of the same pairs; but for rounding, no better than the row.

    (``distance_k`` under invariant_dp speaks of pairs at that distance.)
    """

    name: str
    measures: tuple[Measure, ...]


def name_at_distance(distance: int) -> str:
    """The name of the alternative that is a guarantee read at a distance, for budgets."""
    return f"distance_{distance}"


@dataclass(frozen=True, slots=True)
class FrameworkGuarantee:
    """One notion's statement about one release.

    Attributes:
        universe: all of D, or only the datasets D_t that agree with the published invariants.
        distance: pairs of datasets up to this far apart are covered; None if refused.
        measures: every one of them holds; empty if no guarantee can be stated.
        covers_joint_release: whether it speaks of the noisy output *and* the invariants.
        not_protected: one sentence on what it does not protect.
        note: what its number means.
        refused: why no guarantee is stated (empty if one is).
        specific: what of the note speaks of this release; the rest is the same for all of them.
    """

    framework: FrameworkName
    universe: UniverseName
    metric: Metric
    distance: int | None
    measures: tuple[Measure, ...]
    covers_joint_release: bool
    not_protected: str
    note: str = ""
    alternatives: tuple[Alternative, ...] = ()
    refused: str = ""
    specific: str = ""


@dataclass(frozen=True, slots=True)
class ApproxPoint:
    """epsilon at delta, through one named conversion."""

    delta: Fraction
    epsilon: Bound
    conversion: str
    epsilon_lower: Bound | None = None


@dataclass(frozen=True, slots=True)
class Numbers:
    """Everything a report prints of one set of measures. Upper bounds, but ``tradeoff``: lower.

    Attributes:
        pure_dp: epsilon at delta 0. zcdp: rho. None if none is known.
        gdp: mu; a measure's own, or the smallest that is certified to hold. None if none is.
        approx_dp: every valid conversion at every delta; by delta, the tightest first.
        tradeoff: (type_i, lower bound of type_ii). advantage: total variation distance.
        tpr_at_fpr: (type_i, upper bound of the power, which is 1 - type_ii).
        operating_points_from: which result the last three rest on.
        gdp_regret: how far G_mu lies from the tradeoff function that all measures certify, at most;
            0 if it is that function.
        incomplete_because: why some numbers are less narrow than was asked for; empty if
            none is.
    """

    pure_dp: Bound | None
    zcdp: Bound | None
    gdp: Bound | None
    approx_dp: tuple[ApproxPoint, ...]
    tradeoff: tuple[tuple[Fraction, Bound], ...]
    advantage: Bound | None
    tpr_at_fpr: tuple[tuple[Fraction, Bound], ...]
    operating_points_from: str = ""
    gdp_regret: Bound | None = None
    incomplete_because: Causes = ()

    @property
    def complete(self) -> bool:
        """Whether every number is as narrow as was asked for."""
        return not self.incomplete_because

    @property
    def own_gdp(self) -> Bound | None:
        """mu, if its regret is 0: if it says all that is certified."""
        known = self.gdp_regret is not None and not self.gdp_regret.value
        return self.gdp if known else None

    @property
    def tightest(self) -> tuple[ApproxPoint, ...]:
        """The smallest epsilon at every delta, in the order of the deltas."""
        points: dict[Fraction, ApproxPoint] = {}
        for point in self.approx_dp:
            best = points.setdefault(point.delta, point)
            if point.epsilon.sharpest < best.epsilon.sharpest:
                points[point.delta] = point
        return tuple(points.values())


NO_NUMBERS = Numbers(None, None, None, (), (), None, ())


@dataclass(frozen=True, slots=True)
class GuaranteeLine:
    """A row without its guarantee, for tables over many specs and for later comparisons.

    Attributes:
        distance: pairs up to this far apart are covered.
        numbers: the leading ones, with the tightest epsilon at every delta only.
    """

    framework: FrameworkName
    refused: str
    distance: int | None
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class GuaranteeRow:
    """A guarantee with its numbers; the alternatives' numbers are in the same order."""

    guarantee: FrameworkGuarantee
    numbers: Numbers
    alternatives: tuple[tuple[str, Numbers], ...] = ()

    @property
    def line(self) -> GuaranteeLine:
        """What tables and later comparisons need of the row."""
        guarantee, known = self.guarantee, self.numbers
        leading = Numbers(
            pure_dp=known.pure_dp,
            zcdp=known.zcdp,
            gdp=known.gdp,
            approx_dp=known.tightest,
            tradeoff=(),
            advantage=known.advantage,
            tpr_at_fpr=known.tpr_at_fpr,
        )
        return GuaranteeLine(guarantee.framework, guarantee.refused, guarantee.distance, leading)


@dataclass(frozen=True, slots=True)
class Order:
    """Definition 20: ``weaker`` is below ``stronger``; ``strict`` if it is not its equal."""

    stronger: FrameworkName
    weaker: FrameworkName
    strict: bool
