"""A guarantee with certified numbers for any argument, each a bound with its side."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.library.arguments import (
    Number,
    Numbers,
    nonnegative,
    require_type,
    share,
    share_inside,
)
from semiaudit.library.curves import (
    POINTS,
    Curve,
    Enclosure,
    Enclosures,
    Profile,
    asked,
    curve_of,
    enclosed,
    profile_of,
)
from semiaudit.model.adjacency import Metric
from semiaudit.model.bound import Bound
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.privacy.epsilons import epsilon_lower_at, pure_epsilon
from semiaudit.privacy.evaluate import (
    CertifiedRow,
    advantage_of,
    delta_at,
    epsilon_at,
    numbers_of,
    tpr_at,
    type_ii_at,
)
from semiaudit.report.notebook import html_table, markdown_table

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes as MatplotlibAxes
    from numpy.typing import NDArray

    from semiaudit.library.tradeoff import PiecewiseTradeoff
    from semiaudit.model.guarantee import FrameworkGuarantee
    from semiaudit.model.measure import Measure
    from semiaudit.privacy.loss import Accuracy

NumberAt: TypeAlias = "Callable[[tuple[Measure, ...], Fraction, Accuracy], Bound]"
"""A function from measures and a place to a certified number."""

SHOWN_DELTAS = (Fraction(1, 10**6), Fraction(1, 10**10))
"""The deltas at which a notebook shows epsilon."""


def _delta(value: Number) -> Fraction:
    return share(value, "delta", below_one=True)


def _epsilon(value: Number) -> Fraction:
    return nonnegative(value, "epsilon")


class Guarantee:
    """A certified guarantee (D, A, f) for datasets of a universe up to a distance.

    The numbers are computed by the same code as those of a report, so they are equal. A refused
    guarantee has no numbers: its methods raise ``RefusedError``.
    """

    __slots__ = ("_accuracy", "_seconds", "_stated")

    def __init__(
        self, stated: FrameworkGuarantee, accuracy: Accuracy, time_limit: float = math.inf
    ) -> None:
        self._stated = stated
        self._accuracy = accuracy
        self._seconds = time_limit

    @property
    def name(self) -> str:
        """Return the privacy definition: ``semi_dp``, ``nominal_dp``, ..."""
        return self._stated.framework

    @property
    def universe(self) -> Literal["D", "D_t"]:
        """Return the universe: all datasets, or only those that agree on published invariants."""
        return self._stated.universe

    @property
    def metric(self) -> Metric:
        """Return the metric of distances."""
        return self._stated.metric

    @property
    def distance(self) -> int | None:
        """Return the largest distance of the covered pairs of datasets; None if refused."""
        return self._stated.distance

    @property
    def covers_joint_release(self) -> bool:
        """Return whether it covers the noisy output *and* the invariants."""
        return self._stated.covers_joint_release

    @property
    def note(self) -> str:
        """Return the meaning of its numbers."""
        return self._stated.note

    @property
    def not_protected(self) -> str:
        """Return one sentence on what it does not protect."""
        return self._stated.not_protected

    @property
    def refused(self) -> str:
        """Return why there is no guarantee; empty if there is one."""
        return str(self._stated.refused)

    @overload
    def epsilon(self, delta: Number, *, tolerance: float | None = None) -> Bound: ...

    @overload
    def epsilon(self, delta: Numbers, *, tolerance: float | None = None) -> NDArray[np.float64]: ...

    def epsilon(
        self, delta: Number | Numbers, *, tolerance: float | None = None
    ) -> Bound | NDArray[np.float64]:
        """Return an upper bound on the smallest epsilon at a delta in [0, 1).

        Infinite if none is known.

        Args:
            delta: a number; or a list, an array, or a series, for an array of doubles on the safe
                side. Several share compositions: each one more takes less than one by itself.
            tolerance: how wide the bracket of a composed loss may be, relative to its upper bound;
                None for that of the audit.
        """
        return self._asked(delta, _delta, epsilon_at, tolerance)

    @overload
    def epsilon_enclosure(self, delta: Number, *, tolerance: float | None = None) -> Enclosure: ...

    @overload
    def epsilon_enclosure(
        self, delta: Numbers, *, tolerance: float | None = None
    ) -> Enclosures: ...

    def epsilon_enclosure(
        self, delta: Number | Numbers, *, tolerance: float | None = None
    ) -> Enclosure | Enclosures:
        """Return certified lower and upper bounds on the smallest epsilon at a delta in (0, 1).

        Args:
            delta: a number, or several for arrays, as of ``epsilon``.
            tolerance: as of ``epsilon``.

        Returns:
            ``lower`` is a loss that two datasets of this guarantee are known to have: at this
            delta, no smaller epsilon holds. It is 0 if no such datasets are known, as for a
            declared guarantee. ``upper`` is ``epsilon(delta)``.

        Rounding: outward, to doubles. Source: that of each bound, in its ``source``.
        """
        low = self._asked(
            delta, lambda value: share_inside(value, "delta"), epsilon_lower_at, tolerance
        )
        return enclosed(low, self._asked(delta, _delta, epsilon_at, tolerance))

    def conversions(self, delta: Number) -> dict[str, Bound]:
        """Return every certified epsilon at a delta in (0, 1), by the name of its conversion.

        zCDP has ``cks20`` (Canonne, Kamath and Steinke 2020) and ``bs16`` (Bun and Steinke 2016,
        which is Cho and Awan's Lemma 40). ``epsilon`` is the smallest certified number.
        """
        at = share_inside(delta, "delta")
        with deadline.running(self._seconds):
            points = numbers_of(self._measures, [at], (), self._accuracy).approx_dp
        return {point.conversion: point.epsilon for point in points}

    @overload
    def delta(self, epsilon: Number, *, tolerance: float | None = None) -> Bound: ...

    @overload
    def delta(self, epsilon: Numbers, *, tolerance: float | None = None) -> NDArray[np.float64]: ...

    def delta(
        self, epsilon: Number | Numbers, *, tolerance: float | None = None
    ) -> Bound | NDArray[np.float64]:
        """Return an upper bound on the smallest delta at an epsilon of 0 or more.

        Args:
            epsilon: a number, or several for an array, as of ``epsilon``.
            tolerance: as of ``epsilon``.
        """
        return self._asked(epsilon, _epsilon, delta_at, tolerance)

    @overload
    def type_ii(self, type_i: Number, *, tolerance: float | None = None) -> Bound: ...

    @overload
    def type_ii(
        self, type_i: Numbers, *, tolerance: float | None = None
    ) -> NDArray[np.float64]: ...

    def type_ii(
        self, type_i: Number | Numbers, *, tolerance: float | None = None
    ) -> Bound | NDArray[np.float64]:
        """Return a lower bound on the type II error at a type I error in [0, 1]: f in Su's form.

        Args:
            type_i: a number, or several for an array, as of ``epsilon``.
            tolerance: as of ``epsilon``.
        """
        return self._asked(type_i, lambda value: share(value, "type_i"), type_ii_at, tolerance)

    @overload
    def tpr(self, fpr: Number, *, tolerance: float | None = None) -> Bound: ...

    @overload
    def tpr(self, fpr: Numbers, *, tolerance: float | None = None) -> NDArray[np.float64]: ...

    def tpr(
        self, fpr: Number | Numbers, *, tolerance: float | None = None
    ) -> Bound | NDArray[np.float64]:
        """Return an upper bound on the true positive rate at a false positive rate in [0, 1].

        Args:
            fpr: a number, or several for an array, as of ``epsilon``.
            tolerance: as of ``epsilon``.
        """
        return self._asked(fpr, lambda value: share(value, "fpr"), tpr_at, tolerance)

    def tradeoff(
        self, points: int | Numbers = POINTS, *, tolerance: float | None = None
    ) -> GuaranteeCurve:
        """Return the tradeoff function as arrays of type I errors and certified type II errors.

        Args:
            points: the type I errors, or how many of them, evenly spaced from 0 to 1.
                They are sorted, and each is in the curve once.
            tolerance: as of ``epsilon``.
        """
        below = curve_of(lambda places: self._at(places, type_ii_at, tolerance), points)
        return GuaranteeCurve(below.type_i, below.type_ii, self)

    def tradeoff_function(self, points: int | Numbers = POINTS) -> PiecewiseTradeoff:
        """Return a tradeoff function that is certified to hold, to be composed or ordered.

        It is the largest convex polygon below every function with the points of ``tradeoff``, and
        so no larger than the guarantee; more points come nearer.
        """
        from semiaudit.library.tradeoff import PiecewiseTradeoff

        return PiecewiseTradeoff(self.tradeoff(points))

    def order(
        self, other: Guarantee
    ) -> Literal["equal", "stronger", "weaker", "incomparable", "undecided"]:
        """Compare this guarantee with another one for the datasets of one dataspace D.

        Returns:
            ``stronger`` if everything that the other one guarantees is proven to follow from this
            one, and not the reverse; ``weaker``, ``equal``; ``incomparable`` if each is proven to
            guarantee less somewhere; ``undecided`` if nothing is proven. The numbers can be bounds,
            so a mechanism can protect more than its guarantee.

        Raises:
            ValueError: universe, metric, or distance differ, or the universe is not D: a guarantee
                does not hold its invariants, so use ``compare``.
            RefusedError: one of them is refused.

        Source:
            Cho and Awan, Definition 20. Of two scales, discrete Laplace noise of the larger one is
            that of the smaller one with independent noise added: the quotient of their generating
            functions has nonnegative coefficients.
        """
        from semiaudit.privacy.ordering.bundle_order import order_of_bundles

        require_type(other, Guarantee, "give one such as Gaussian(1).guarantee()")
        pairs = [(one.universe, one.metric, one.distance) for one in (self, other)]
        if pairs[0] != pairs[1] or self.universe != "D":
            what = "the guarantees are not for the same pairs in D"
            raise ValueError(f"other: {what}; give releases or mechanisms to `compare`")
        with deadline.running(self._seconds):
            return order_of_bundles(self._measures, other._measures).order

    def plot(self, *, ax: MatplotlibAxes | None = None) -> MatplotlibAxes:
        """Draw the curve of ``tradeoff(101)``; its arguments and errors are those of ``plot``."""
        return self.tradeoff(101).plot(ax=ax)

    def profile(self, epsilons: Numbers, *, tolerance: float | None = None) -> Profile:
        """Return the privacy profile as arrays of epsilons and certified deltas.

        Args:
            epsilons: 0 or more; they are sorted, and each is in the profile once.
            tolerance: as of ``epsilon``.
        """
        return profile_of(lambda places: self._at(places, delta_at, tolerance), epsilons)

    @property
    def advantage(self) -> Bound:
        """Return an upper bound on the total variation distance, the largest TPR - FPR."""
        with deadline.running(self._seconds):
            return advantage_of(self._measures, self._accuracy)

    @property
    def pure_epsilon(self) -> Bound | None:
        """Return epsilon at delta 0; None if there is no finite one."""
        return pure_epsilon(self._measures)

    @property
    def rho(self) -> Bound | None:
        """Return rho of zero-concentrated DP; None if none is known."""
        return self._of_row(lambda row: row.rho)

    @property
    def mu(self) -> Bound | None:
        """mu of Gaussian DP: its own, or the smallest that is certified to hold; None: none is."""
        return self._of_row(lambda row: row.mu)

    @property
    def mu_regret(self) -> Bound | None:
        """Return an upper bound on the distance of G_mu below the certified tradeoff function.

        It is exact, and 0, if two datasets attain G_mu; otherwise it is an upper bound, even if it
        is 0.
        """
        return self._of_row(lambda row: row.mu_regret)

    @property
    def _measures(self) -> tuple[Measure, ...]:
        if self.refused or not self._stated.measures:
            why = f"{self.name}: no guarantee is proven: {self.refused or 'nothing is known'}"
            raise RefusedError(Refusal(why, "see its `refused`, and the findings of the report"))
        return self._stated.measures

    def _of_row(self, number: Callable[[CertifiedRow], Bound | None]) -> Bound | None:
        with deadline.running(self._seconds):
            return number(CertifiedRow(self._measures, (), (), (), self._accuracy, attack=False))

    def _at(
        self, places: Sequence[Fraction], number_at: NumberAt, tolerance: float | None
    ) -> list[Bound]:
        accuracy = self._accuracy
        if tolerance is not None:
            accuracy = replace(accuracy, tolerance=float(tolerance))
        accuracy, measures = accuracy.at(places), self._measures
        easy_first = sorted(set(places), reverse=number_at is not delta_at)
        with deadline.running(self._seconds):
            bounds, late = deadline.in_turn(
                easy_first,
                lambda place: number_at(measures, place, accuracy),
                lambda place: number_at((), place, accuracy),
                together=accuracy.curve is not None,
            )
        if late:
            shown = ", ".join(map(rational_text, late))
            what = f"the time limit cut short the numbers at {shown}; they hold, and can be loose"
            warnings.warn(f"{what}: raise time_limit", RuntimeWarning, stacklevel=5)
        return [bounds[place] for place in places]

    def _asked(
        self,
        values: Number | Numbers,
        read: Callable[[Number], Fraction],
        number_at: NumberAt,
        tolerance: float | None,
    ) -> Bound | NDArray[np.float64]:
        return asked(lambda places: self._at(places, number_at, tolerance), values, read)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Guarantee):
            return NotImplemented
        return (self._stated, self._accuracy) == (other._stated, other._accuracy)

    def __hash__(self) -> int:
        return hash((self._stated, self._accuracy))

    def __repr__(self) -> str:
        return f"<{self.name}: {self._text()}>"

    def _repr_html_(self) -> str:
        return html_table(self.name, ("number", "value", "side", "method"), self._rows(), self.note)

    def _repr_markdown_(self) -> str:
        rows = self._rows()
        return markdown_table(self.name, ("number", "value", "side", "method"), rows, self.note)

    def _text(self) -> str:
        if self.refused:
            return f"refused: {self.refused}"
        where = f"{self.universe} up to {self.metric} distance {self.distance}"
        delta = SHOWN_DELTAS[0]
        try:
            known = str(self.epsilon(delta))
        except deadline.OutOfTimeError:
            known = "not known within the time limit"
        return f"{where}, epsilon {known} at delta {float(delta):g}"

    def _rows(self) -> list[tuple[str, ...]]:
        if self.refused:
            return [("refused", self.refused, "", "")]
        epsilons = {f"epsilon at delta {float(d):g}": self.epsilon(d) for d in SHOWN_DELTAS}
        known = {
            "epsilon at delta 0": self.pure_epsilon,
            "rho": self.rho,
            **epsilons,
            "advantage": self.advantage,
        }

        return [
            (name, bound_text(bound), bound.side, bound.method)
            for name, bound in known.items()
            if bound is not None
        ]


@dataclass(frozen=True, eq=False)
class GuaranteeCurve(Curve):
    """Operating points of a guarantee, which are a guarantee for the same datasets.

    Attributes:
        origin: the guarantee whose curve it is.
    """

    origin: Guarantee = field(repr=False)

    def guarantee(self) -> Guarantee:
        """Return what the points alone certify, for the universe and distance of their guarantee.

        Its tradeoff function joins ``vertices``; its (epsilon, delta) pairs are those of it.

        Raises:
            ValueError: as of ``vertices``.
        """
        row = self.origin._stated
        changed = replace(row, measures=(self._polygon,), alternatives=(), note="points certify it")
        return Guarantee(changed, self.origin._accuracy, self.origin._seconds)
