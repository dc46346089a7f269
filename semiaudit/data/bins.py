"""Numbers in bins: the level of a text, and texts with the same level."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction

from semiaudit.frozen import dataclass
from semiaudit.model.data_source import Bin
from semiaudit.model.dataspace import Attribute
from semiaudit.numeric.rationals import decimal_from_text

NUMBER = r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?"
"""The pattern of a number value, for both Python and SQL."""

MOST_SPANS = 500
_LEAST = -Fraction(10**700)
"""A number below every number that a text can name."""


@dataclass(frozen=True, slots=True)
class Span:
    """An interval of numbers with one level: any of them can represent the others in a count.

    Attributes:
        low: a strict lower bound; None if there is none.
        high: a strict upper bound.
        text: one of them.
    """

    low: Fraction | None
    high: Fraction | None
    text: str


class Binned:
    """An attribute whose levels are bins of numbers.

    Attributes:
        spans: the inner parts of the bins; empty if there are too many.
    """

    def __init__(self, attribute: Attribute, bins: Sequence[Bin]) -> None:
        self._attribute = attribute
        self._bins = sorted(bins, key=lambda one: _LEAST if one.low is None else one.low)
        self._lows = [_LEAST if one.low is None else one.low for one in self._bins]
        self._levels = {one.level for one in bins}
        spans = [_span(one) for one in self._bins[: MOST_SPANS + 1]]
        few = len(spans) <= MOST_SPANS
        self.spans = tuple(span for span in spans if span is not None and few)

    def indices(self, texts: Iterable[str]) -> list[int | None]:
        """Return the index of each text's level; levels without a bin are matched by text."""
        texts = list(texts)
        named = self._attribute.indices(texts)
        indices = []
        for text, by_name in zip(texts, named, strict=True):
            number = decimal_from_text(text)
            index = None if number is None else self._level(number)
            indices.append(by_name if index is None and by_name not in self._levels else index)
        return indices

    def _level(self, number: Fraction) -> int | None:
        place = bisect_right(self._lows, number) - 1
        if place < 0:
            return None
        one = self._bins[place]
        return one.level if one.high is None or number <= one.high else None


def _span(one: Bin) -> Span | None:
    """Return the inner part of a bin; None if it contains no double."""
    low = None if one.low is None else float(one.low)
    high = None if one.high is None else float(one.high)
    if low is not None and high is not None:
        middle = low / 2 + high / 2
    elif low is not None:
        middle = low + max(1.0, abs(low))
    else:
        middle = 0.0 if high is None else high - max(1.0, abs(high))
    exact = Fraction(middle)
    inside = (one.low is None or one.low < exact) and (one.high is None or exact < one.high)
    return Span(one.low, one.high, repr(middle)) if inside else None
