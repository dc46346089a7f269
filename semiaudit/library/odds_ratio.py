"""The semi-private test of the odds ratio of a 2x2 table, and the distribution behind it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, get_args, overload

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import cached_property
from semiaudit.library.arguments import Number, Numbers, number, require_type, share, whole
from semiaudit.library.canonical import CanonicalNoise
from semiaudit.library.curves import Enclosure, Enclosures, enclosed_at, enclosure
from semiaudit.library.value import Value
from semiaudit.model.bound import Bound, exact, lower, upper
from semiaudit.model.results.odds_ratio import ALTERNATIVES, Alternative, Margins
from semiaudit.numeric.intervals import ZERO, Interval
from semiaudit.privacy.odds_ratio.hypergeometric import law_of
from semiaudit.privacy.odds_ratio.umpu import p_value, power, region

if TYPE_CHECKING:
    from semiaudit.privacy.odds_ratio.hypergeometric import HypergeometricLaw
    from semiaudit.privacy.odds_ratio.umpu import Region

METHOD = "canonical_noise", "Cho and Awan, Theorem 37; docs/errata.md, E3"
FISHER = "hypergeometric", "Cho and Awan, section 5.3; docs/errata.md, E3"

LARGEST_SIZE = 100_000
"""The most records of a table."""


class NoncentralHypergeometric(Value):
    """Fisher's noncentral hypergeometric distribution of x21, given all margins of a 2x2 table.

    Args:
        first_row: x11 + x12. second_row: x21 + x22. first_column: x11 + x21.
        odds_ratio: of the second row against the first one, above 0; 1 is independence.

    Raises:
        ValueError: the margins are not those of a table, or an argument is out of range.

    Source:
        Cho and Awan, section 5.3. x11 has the distribution with the inverse odds ratio
        (docs/errata.md, E3).
    """

    __slots__ = ("__dict__", "_margins", "_odds")

    def __init__(
        self, first_row: int, second_row: int, first_column: int, odds_ratio: Number = 1
    ) -> None:
        self._margins = _margins(first_row, second_row, first_column)
        self._odds = number(odds_ratio, "odds_ratio")
        if self._odds <= 0:
            raise ValueError(f"odds_ratio: {odds_ratio} is out of range; give a number above 0")

    @property
    def support(self) -> range:
        """Return the counts x21 that the margins allow."""
        return range(self._margins.least, self._margins.most + 1)

    @overload
    def pmf(self, count: int) -> Enclosure: ...

    @overload
    def pmf(self, count: Numbers) -> Enclosures: ...

    def pmf(self, count: int | Numbers) -> Enclosure | Enclosures:
        """Return P(x21 = count), or that of each of several; 0 outside of the support."""
        return enclosed_at(self._pmf, count)

    def _pmf(self, count: Number) -> Enclosure:
        law, at = self._law, int(number(count, "count"))
        if at != number(count, "count"):
            raise ValueError(f"count: {count} is not a whole number; give one")
        place = at - law.first
        if at not in self.support:
            mass = ZERO
        elif 0 <= place < len(law.chances):
            mass = law.chances[place]
        else:  # far out in a tail, whose whole mass is bounded
            mass = Interval(ZERO.low, law.below if place < 0 else law.above)
        return enclosure(mass, *FISHER)

    @cached_property
    def _law(self) -> HypergeometricLaw:
        return law_of(self._margins, self._odds)

    def __repr__(self) -> str:
        margins = self._margins
        numbers = margins.first_row, margins.second_row, margins.first_column
        return f"NoncentralHypergeometric({', '.join(map(str, numbers))}, {str(self._odds)!r})"


class PrivateOddsRatioTest(Value):
    """The semi-private test of independence from x21 + N, with canonical noise N.

    The one-sided tests are uniformly most powerful among the unbiased ones.

    Args:
        noise: the canonical noise N that is added to x21; it determines the guarantee.
        first_row: x11 + x12. second_row: x21 + x22. first_column: x11 + x21; all are public.
        level: the probability in (0, 1) to reject independence if it holds.
        alternative: ``greater``, ``less``, or ``two-sided``: the odds ratio of the second row
            against the first one, if independence does not hold.

    Raises:
        TypeError: the noise is not a ``CanonicalNoise``.
        ValueError: the margins are not those of a table, or an argument is out of range.
        RefusedError: the margins determine the whole table.

    Source:
        Cho and Awan, Theorem 37, in the direction of its hypotheses (docs/errata.md, E3).
    """

    __slots__ = ("__dict__", "_alternative", "_level", "_margins", "_noise")

    def __init__(
        self,
        noise: CanonicalNoise,
        first_row: int,
        second_row: int,
        first_column: int,
        *,
        level: Number = "0.05",
        alternative: Alternative = "greater",
    ) -> None:
        remedy = "write CanonicalNoise(ApproxTradeoff(1))"
        require_type(noise, CanonicalNoise, remedy, name="noise")
        self._noise = noise
        self._margins = _margins(first_row, second_row, first_column)
        self._level = share(level, "level", below_one=True)
        self._alternative = alternative
        if not self._level:
            raise ValueError("level: 0 is out of range; give a number above 0 and below 1")
        if alternative not in ALTERNATIVES:
            known = ", ".join(get_args(Alternative))
            raise ValueError(f"alternative: there is no {alternative}; known are {known}")
        if self._margins.least == self._margins.most:
            raise RefusedError(
                Refusal("the margins determine the whole table", "give other margins")
            )

    @property
    def at_least(self) -> Bound | None:
        """Return the least noisy count that rejects for a large odds ratio, rounded up.

        None if there is none.
        """
        region = self._region.at_least
        return None if region is None else upper(region, *METHOD)

    @property
    def at_most(self) -> Bound | None:
        """Return the largest noisy count that rejects for a small odds ratio, rounded down.

        None if there is none.
        """
        region = self._region.at_most
        return None if region is None else lower(region, *METHOD)

    def p_value(self, noisy_count: Number) -> Bound:
        """Return the p-value of a noisy count x21 + N, rounded up."""
        at = number(noisy_count, "noisy_count")
        return upper(p_value(self._noise._noise, self._at_one, at, self._alternative), *METHOD)

    def power(self, odds_ratio: Number) -> Bound:
        """Return the probability to reject independence at an odds ratio above 0, rounded down."""
        at = number(odds_ratio, "odds_ratio")
        if at <= 0:
            raise ValueError(f"odds_ratio: {odds_ratio} is out of range; give a number above 0")
        if at == 1:
            return exact(self._level, *METHOD)
        return lower(power(self._noise._noise, law_of(self._margins, at), self._region), *METHOD)

    @cached_property
    def _at_one(self) -> HypergeometricLaw:
        return law_of(self._margins, Fraction(1))

    @cached_property
    def _region(self) -> Region:
        return region(self._noise._noise, self._at_one, self._level, self._alternative)

    def __repr__(self) -> str:
        margins = self._margins
        numbers = margins.first_row, margins.second_row, margins.first_column
        arguments = f"{self._noise!r}, {', '.join(map(str, numbers))}"
        options = f"level={str(self._level)!r}, alternative={self._alternative!r}"
        return f"PrivateOddsRatioTest({arguments}, {options})"


def _margins(first_row: int, second_row: int, first_column: int) -> Margins:
    margins = Margins(
        whole(first_row, "first_row", 0),
        whole(second_row, "second_row", 0),
        whole(first_column, "first_column", 0),
    )
    if margins.size > LARGEST_SIZE:
        raise ValueError(f"first_row: the table has {margins.size} records; at most {LARGEST_SIZE}")
    return margins
