"""The numbers of all rows of one audit, shared by rows with equal measures."""

from __future__ import annotations

from dataclasses import fields

from semiaudit.model.audit import ReportOptions
from semiaudit.model.guarantee import Numbers
from semiaudit.model.measure import Measure
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.loss import Accuracy

_Key = tuple[tuple[Measure, tuple[bool, ...]], ...]


class RowNumbers:
    """The numbers of every row of an audit, computed once for all rows with the same measures.

    Privacy definitions differ in their datasets and neighbors. At the same distance, the same
    measures hold. An audit has few rows, so the cache is small, and it is used for this audit only.

    Args:
        options: the requested deltas and type I errors of the report.
        accuracy: of numbers that are computed from a composed loss.
    """

    def __init__(self, options: ReportOptions, accuracy: Accuracy) -> None:
        self._options, self._accuracy = options, accuracy
        self._known: dict[_Key, Numbers] = {}

    def of(self, measures: tuple[Measure, ...]) -> Numbers:
        """Return every number of a row, from measures that all hold.

        Raises:
            OutOfTimeError: the time limit was reached before any number.
        """
        key = tuple((measure, _not_compared(measure)) for measure in measures)
        if key not in self._known:
            deltas, rates = self._options.deltas, self._options.type_i
            self._known[key] = numbers_of(measures, deltas, rates, self._accuracy)
        return self._known[key]


def _not_compared(measure: Measure) -> tuple[bool, ...]:
    """Return what equal measures may differ in, and their numbers with them: claims such as
    ``exact``.
    """
    return tuple(getattr(measure, field.name) for field in fields(measure) if not field.compare)
