"""The numbers of all rows of one audit: rows with the same measures share them."""

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

    Privacy definitions differ in their datasets and neighbors. Where these have one distance, the
    same measures hold. An audit has a few rows, so that a few numbers are kept, and only for it.

    Args:
        options: the deltas and type I errors that the report asks for.
        accuracy: of what is computed from a composed loss.
    """

    def __init__(self, options: ReportOptions, accuracy: Accuracy) -> None:
        self._options, self._accuracy = options, accuracy
        self._known: dict[_Key, Numbers] = {}

    def of(self, measures: tuple[Measure, ...]) -> Numbers:
        """Every number of a row, from measures that all hold at once.

        Raises:
            OutOfTimeError: the deadline came before any number.
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
