"""The numbers of all rows of one audit, shared by rows with equal measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from semiaudit.model.audit import ReportOptions
from semiaudit.model.guarantee import Alternative, Numbers
from semiaudit.model.loss import PrivacyLoss, WorstLoss
from semiaudit.model.measure import Measure
from semiaudit.privacy.evaluate import CertifiedRow
from semiaudit.privacy.loss import Accuracy

_Claims = list[tuple[bool, ...]]


class RowNumbers:
    """The numbers of every row of an audit, computed once for all rows with the same measures.

    Rows whose measures differ in nothing but claims such as ``exact`` share all searches.

    Privacy definitions differ in their datasets and neighbors. Where these have one distance, the
    same measures hold. An audit has a few rows, so that a few numbers are kept, and only for it.

    Args:
        options: the deltas and type I errors that the report asks for.
        accuracy: of what is computed from a composed loss.
        in_full: with the regret of mu, which reports print and summaries do not.
    """

    def __init__(self, options: ReportOptions, accuracy: Accuracy, *, in_full: bool = True) -> None:
        self._options, self._accuracy, self._in_full = options, accuracy, in_full
        self._known: list[tuple[tuple[Measure, ...], _Claims, CertifiedRow]] = []

    def of(self, measures: tuple[Measure, ...]) -> Numbers:
        """Return every number of a row, from measures that all hold.

        Raises:
            OutOfTimeError: the time limit was reached before any number.
        """
        claims = [_not_compared(measure) for measure in measures]
        # Few rows are compared faster than the fractions of one are hashed.
        alike = [(known, row) for equal, known, row in self._known if equal == measures]
        row = next((row for known, row in alike if known == claims), None)
        if row is None:
            row = alike[0][1].claiming(measures) if alike else self._asked(measures)
            self._known.append((measures, claims, row))
        return row.numbers if self._in_full else row.leading

    def needed(self, alternatives: Sequence[Alternative]) -> list[Alternative]:
        """The alternatives whose numbers are needed: for reports all of them.

        A summary has none, but it says whether a number of the audit is incomplete, and why.
        """
        if self._in_full:
            return list(alternatives)
        return [alternative for alternative in alternatives if _is_composed(alternative)]

    def _asked(self, measures: tuple[Measure, ...]) -> CertifiedRow:
        deltas, rates = self._options.deltas, self._options.type_i
        return CertifiedRow(measures, deltas, rates, (), self._accuracy)


def _not_compared(measure: Measure) -> tuple[bool, ...]:
    """Return what equal measures may differ in, and their numbers with them: claims such as
    ``exact``.
    """
    return tuple(getattr(measure, field.name) for field in fields(measure) if not field.compare)


def _is_composed(alternative: Alternative) -> bool:
    return any(isinstance(m, PrivacyLoss | WorstLoss) for m in alternative.measures)
