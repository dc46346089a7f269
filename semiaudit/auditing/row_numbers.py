"""The numbers of all rows of one audit: rows with the same measures share them."""

from __future__ import annotations

from dataclasses import fields

from semiaudit.model.audit import ReportOptions
from semiaudit.model.guarantee import Numbers
from semiaudit.model.measure import Measure
from semiaudit.privacy.evaluate import CertifiedRow
from semiaudit.privacy.loss import Accuracy

_Key = tuple[tuple[Measure, tuple[bool, ...]], ...]


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
        self._rows: dict[tuple[Measure, ...], CertifiedRow] = {}
        self._known: dict[_Key, Numbers] = {}

    def of(self, measures: tuple[Measure, ...]) -> Numbers:
        """Every number of a row, from measures that all hold at once.

        Raises:
            OutOfTimeError: the deadline came before any number.
        """
        key = tuple((measure, _not_compared(measure)) for measure in measures)
        if key not in self._known:
            alike = self._rows.get(measures)
            row = self._asked(measures) if alike is None else alike.claiming(measures)
            self._rows[measures] = row
            self._known[key] = row.numbers if self._in_full else row.leading
        return self._known[key]

    def _asked(self, measures: tuple[Measure, ...]) -> CertifiedRow:
        deltas, rates = self._options.deltas, self._options.type_i
        return CertifiedRow(measures, deltas, rates, (), self._accuracy)


def _not_compared(measure: Measure) -> tuple[bool, ...]:
    """Return what equal measures may differ in, and their numbers with them: claims such as
    ``exact``.
    """
    return tuple(getattr(measure, field.name) for field in fields(measure) if not field.compare)
