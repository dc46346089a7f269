"""A guarantee that answers for any argument, each number a certified bound with its side."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from semiaudit.errors import Refusal, RefusedError
from semiaudit.library.arguments import Number, nonnegative, share, share_inside
from semiaudit.library.curves import POINTS, Curve, Profile, curve_of, profile_of
from semiaudit.model.bound import Bound
from semiaudit.model.number_text import bound_text
from semiaudit.privacy.epsilons import pure_epsilon
from semiaudit.privacy.evaluate import (
    CertifiedRow,
    advantage_of,
    delta_at,
    epsilon_at,
    numbers_of,
    tpr_at,
    type_ii_at,
)

if TYPE_CHECKING:
    from semiaudit.model.guarantee import FrameworkGuarantee
    from semiaudit.model.measure import Measure
    from semiaudit.privacy.loss import Accuracy

SHOWN_DELTAS = (Fraction(1, 10**6), Fraction(1, 10**10))
"""At which deltas a notebook is shown an epsilon."""


class Guarantee:
    """What datasets of a universe, up to a distance apart, are told apart by: (D, A, f).

    Every number goes through the code that a report's numbers go through, so that it is the same
    number. A guarantee that is refused has no numbers: asking for one raises ``RefusedError``.
    """

    __slots__ = ("_accuracy", "_stated")

    def __init__(self, stated: FrameworkGuarantee, accuracy: Accuracy) -> None:
        self._stated = stated
        self._accuracy = accuracy

    @property
    def name(self) -> str:
        """The notion: ``semi_dp``, ``nominal_dp``, ..."""
        return self._stated.framework

    @property
    def universe(self) -> Literal["D", "D_t"]:
        """All datasets, or only those that agree with the published invariants."""
        return self._stated.universe

    @property
    def metric(self) -> Literal["hamming", "multiset_hamming", "symmetric_difference"]:
        """In which distances are measured."""
        return self._stated.metric

    @property
    def distance(self) -> int | None:
        """Pairs of datasets up to this far apart are covered; None if refused."""
        return self._stated.distance

    @property
    def covers_joint_release(self) -> bool:
        """Whether it speaks of the noisy output *and* the invariants."""
        return self._stated.covers_joint_release

    @property
    def note(self) -> str:
        """What its number means."""
        return self._stated.note

    @property
    def not_protected(self) -> str:
        """One sentence on what it does not protect."""
        return self._stated.not_protected

    @property
    def refused(self) -> str:
        """Why no guarantee is stated; empty if one is."""
        return str(self._stated.refused)

    def epsilon(self, delta: Number) -> Bound:
        """The smallest epsilon at a delta in [0, 1), from above; infinite where none is known."""
        at = share(delta, "delta", below_one=True)
        return epsilon_at(self._measures, at, self._accuracy)

    def conversions(self, delta: Number) -> dict[str, Bound]:
        """Every certified epsilon at a delta in (0, 1), by the name of its conversion.

        zCDP has ``cks20`` (Canonne, Kamath and Steinke 2020) and ``bs16`` (Bun and Steinke 2016,
        which is Cho and Awan's Lemma 40). ``epsilon`` is the smallest number that is certified.
        """
        at = share_inside(delta, "delta")
        points = numbers_of(self._measures, [at], (), self._accuracy).approx_dp
        return {point.conversion: point.epsilon for point in points}

    def delta(self, epsilon: Number) -> Bound:
        """The smallest delta at an epsilon of 0 or more, from above."""
        return delta_at(self._measures, nonnegative(epsilon, "epsilon"), self._accuracy)

    def type_ii(self, type_i: Number) -> Bound:
        """The smallest type II error at a type I error in [0, 1], from below: f in Su's form."""
        return self._type_ii(share(type_i, "type_i"))

    def tpr(self, fpr: Number) -> Bound:
        """The largest true positive rate at a false positive rate in [0, 1], from above."""
        return tpr_at(self._measures, share(fpr, "fpr"), self._accuracy)

    def tradeoff(self, points: int | Sequence[Number] = POINTS) -> Curve:
        """The tradeoff function as arrays of type I errors and certified type II errors.

        Args:
            points: the type I errors, or how many of them, evenly spaced from 0 to 1.
                They are sorted, and each is in the curve once.
        """
        return curve_of(self._type_ii, points)

    def profile(self, epsilons: Sequence[Number]) -> Profile:
        """The privacy profile as arrays of epsilons and certified deltas.

        Args:
            epsilons: 0 or more; they are sorted, and each is in the profile once.
        """
        return profile_of(self.delta, epsilons)

    @property
    def advantage(self) -> Bound:
        """The total variation distance, from above: the most that TPR exceeds FPR by."""
        return advantage_of(self._measures, self._accuracy)

    @property
    def pure_epsilon(self) -> Bound | None:
        """epsilon at delta 0; None where there is no finite one."""
        return pure_epsilon(self._measures)

    @property
    def rho(self) -> Bound | None:
        """rho of zero-concentrated DP; None where none is known."""
        return self._row().rho

    @property
    def mu(self) -> Bound | None:
        """mu of Gaussian DP: its own, or the smallest that is certified to hold; None: none is."""
        return self._row().mu[0]

    @property
    def mu_regret(self) -> Bound | None:
        """How far G_mu lies below the tradeoff function that is certified, at most.

        Exact, and 0, if two datasets attain G_mu; else an upper bound, also of 0.
        """
        return self._row().mu[1]

    @property
    def _measures(self) -> tuple[Measure, ...]:
        if self.refused or not self._stated.measures:
            why = f"{self.name} is not stated: {self.refused or 'nothing is known'}"
            raise RefusedError(Refusal(why, "see its `refused`, and the findings of the report"))
        return self._stated.measures

    def _row(self) -> CertifiedRow:
        return CertifiedRow(self._measures, (), (), (), self._accuracy, attack=False)

    def _type_ii(self, type_i: Fraction) -> Bound:
        return type_ii_at(self._measures, type_i, self._accuracy)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Guarantee):
            return NotImplemented
        return (self._stated, self._accuracy) == (other._stated, other._accuracy)

    def __hash__(self) -> int:
        return hash((self._stated, self._accuracy))

    def __repr__(self) -> str:
        return f"<{self.name}: {self._text()}>"

    def _repr_html_(self) -> str:
        from semiaudit.report.notebook import html_table

        return html_table(self.name, ("number", "value", "side", "method"), self._rows(), self.note)

    def _repr_markdown_(self) -> str:
        from semiaudit.report.notebook import markdown_table

        rows = self._rows()
        return markdown_table(self.name, ("number", "value", "side", "method"), rows, self.note)

    def _text(self) -> str:
        if self.refused:
            return f"refused: {self.refused}"
        where = f"{self.universe} up to {self.metric} distance {self.distance}"
        delta = SHOWN_DELTAS[0]
        return f"{where}, epsilon {self.epsilon(delta)} at delta {float(delta):g}"

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
