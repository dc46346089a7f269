"""A guarantee (universe, adjacency, measure): its numbers, its curve, and the worst pairs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar, Literal, Protocol

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric
from semiaudit.model.bound import Bound, CanBeIncomplete, Causes
from semiaudit.model.frameworks import FrameworkName, UniverseName
from semiaudit.model.measure import Measure


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another valid way to a guarantee of the same pairs; but for rounding, no better than the row.

    (``distance_k`` under invariant_dp is about pairs at that distance.)
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
        covers_joint_release: whether it covers the noisy output *and* the invariants.
        not_protected: one sentence on what it does not protect.
        note: what its number means.
        refused: why no guarantee is stated (empty if one is).
        specific: the part of the note that is about this release; the rest is the same for all.
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


NumberAt = tuple[Literal["epsilon", "delta", "type_ii"], Fraction]
"""A number, and the delta, epsilon, or type I error at which it is."""


@dataclass(frozen=True, slots=True)
class Numbers(CanBeIncomplete):
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
        cut_short: the numbers that the time limit cut short.
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
    cut_short: tuple[NumberAt, ...] = ()

    @property
    def is_zero(self) -> bool:
        """Return whether no two neighboring datasets can be distinguished at all."""
        losses = (self.pure_dp, self.zcdp, self.gdp, self.advantage)
        return any(loss is not None and not loss.value for loss in losses)

    @property
    def own_gdp(self) -> Bound | None:
        """mu, if its regret is 0: if it says all that is certified."""
        is_exact = self.gdp_regret is not None and not self.gdp_regret.value
        return self.gdp if is_exact else None

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
        """The part of the row that tables and later comparisons use."""
        guarantee, numbers = self.guarantee, self.numbers
        leading = Numbers(
            pure_dp=numbers.pure_dp,
            zcdp=numbers.zcdp,
            gdp=numbers.gdp,
            approx_dp=numbers.tightest,
            tradeoff=(),
            advantage=numbers.advantage,
            tpr_at_fpr=numbers.tpr_at_fpr,
        )
        return GuaranteeLine(guarantee.framework, guarantee.refused, guarantee.distance, leading)


@dataclass(frozen=True, slots=True)
class Order:
    """Definition 20: ``weaker`` is below ``stronger``; ``strict`` if it is not its equal."""

    stronger: FrameworkName
    weaker: FrameworkName
    strict: bool


@dataclass(frozen=True, slots=True)
class WorstPair:
    """Two datasets that are at least as easy to distinguish as any others within the distance.

    Attributes:
        first: in words; at an error rate the dataset that is assumed, at a delta the likelier one.
        second: the other one.
        distance: between the two; None if they are counts that stand for all tables with them.
        number: at an error rate the least type II error, exactly; at a delta epsilon, rounded up.
    """

    first: str
    second: str
    distance: int | None
    number: Bound


@dataclass(frozen=True, slots=True)
class WorstPairs:
    """The worst pairs behind one row of a report.

    Attributes:
        framework: whose row it is.
        tradeoff: by type I error. approx_dp: by delta. None if no two laws differ.
    """

    framework: FrameworkName
    tradeoff: tuple[tuple[Fraction, WorstPair | None], ...]
    approx_dp: tuple[tuple[Fraction, WorstPair | None], ...]


@dataclass(frozen=True, slots=True)
class GuaranteeCurve:
    """Points of one guarantee, for a format that draws them.

    Attributes:
        name: whose guarantee it is: a notion, a release of a comparison, or a part of the
            invariants.
        tradeoff: (type I error, lower bound of the type II error); errors ascend, and no bound is
            below that of a larger type I error.
        epsilons: (delta, upper bound of epsilon); deltas ascend, and no bound is above that of a
            smaller delta.
        complete: False where a time limit left points out.
        profile: (epsilon, upper bound of delta) at a few small epsilons, by which the corner of a
            tradeoff function is drawn; epsilons ascend.
    """

    name: str
    tradeoff: tuple[tuple[Fraction, Bound], ...]
    epsilons: tuple[tuple[Fraction, Bound], ...]
    complete: bool = True
    profile: tuple[tuple[Fraction, Bound], ...] = ()


class HasCurves(Protocol):
    """A record that has curves, once they are asked for."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def curves(self) -> tuple[GuaranteeCurve, ...]:
        """The curves of this result; empty unless they are to be drawn."""
        ...

    @property
    def drawn_rows(self) -> list[tuple[str, GuaranteeRow]]:
        """The rows that have a curve, with the names of their curves."""
        ...
