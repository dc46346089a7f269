"""``statistic``: a statistic of an attribute that need not be a count."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from semiaudit.errors import NOWHERE, Mark, Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.invariants.constraint import Constraint
from semiaudit.model.invariants.records import Records


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic of an attribute that need not be a count: min, max, sum, median, range."""

    name: str
    of: str
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        return f"statistic {self.name} of {self.of}"

    def __str__(self) -> str:
        return self.key

    @property
    def constraint(self) -> Constraint | None:
        """Return None: a statistic is not a count of a table."""
        return None

    def value(self, records: Records) -> Hashable:
        """The statistic; of no records it is the empty text.

        Raises:
            RefusedError: a value is a word, or the records are a table's.
        """
        values = records.ordered
        numbers = sorted(value for value in values or () if isinstance(value, Fraction))
        if values is None or len(numbers) != len(values):
            mark = self.mark
            why = f"{self} needs numbers, and a value is a word"
            raise RefusedError(
                Refusal(why, "use count or margin", "invariants", mark.line, mark.column)
            )
        if not numbers:
            return ""
        middle = len(numbers) // 2
        statistics = {
            "min": numbers[0],
            "max": numbers[-1],
            "sum": sum(numbers, Fraction(0)),
            "mean": sum(numbers, Fraction(0)) / len(numbers),
            "range": numbers[-1] - numbers[0],
            "median": (numbers[middle] + numbers[-middle - 1]) / 2,
        }
        return statistics[self.name]
