"""The mean absolute percentage error of a table, from the records, cell by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction


def percentage_error(before: Sequence[Hashable], after: Sequence[Hashable]) -> Fraction:
    """100 times the mean of |after - before| / before, over the cells that held a record.

    Args:
        before, after: the cell of every record.
    """
    old, new = Counter(before), Counter(after)
    errors = [Fraction(abs(new[cell] - count), count) for cell, count in old.items()]
    return 100 * sum(errors, Fraction(0)) / len(errors)
