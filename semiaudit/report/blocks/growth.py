"""The advertised numbers compared with the effective ones, and their ratios."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeGuard

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import ApproxPoint, Numbers
from semiaudit.model.mechanism import Composition, Mechanism, NoisePart
from semiaudit.model.number_text import ordered_texts, sentence_text, short_text
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import exact_sqrt, rational_text

_ALIKE = Fraction(1, 100)
"""Two pairs of numbers with a smaller relative difference are shown once."""

_MEASURES: tuple[tuple[str, str, Callable[[Numbers], Bound | None]], ...] = (
    ("μ", "", lambda numbers: numbers.own_gdp),
    ("ε", " at δ = 0", lambda numbers: numbers.pure_dp),
    ("ρ", "", lambda numbers: numbers.zcdp),
)
"""Privacy measures, the most informative first."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The words for the guarantee of a mechanism that leaves the invariants out of account.

    Attributes:
        it: behind "less than". of_it: behind a number.
        none: that it has no number. the_same: behind "protects". has_no: before a privacy measure.
    """

    it: str
    of_it: str
    none: str
    the_same: str
    has_no: str

    def gives(self, number: str) -> str:
        """The number of this guarantee, as a clause."""
        if self is NOISE:
            return f"the noise alone gives {number}"
        return f"{number} is advertised"

    def only(self, number: str) -> str:
        """Return the number as a clause, for a release without an effective one."""
        return self.gives(number) if self is NOISE else f"only {self.gives(number)}"


ADVERTISED = Claim(
    "advertised",
    "advertised",
    "none is advertised",
    "as advertised",
    "advertises no",
)
NOISE = Claim(
    "its noise alone",
    "for the noise alone",
    "the noise alone gives none",
    "as its noise alone does",
    "has noise without a",
)


def claim_of(mechanism: Mechanism) -> Claim:
    """A spec that only describes noise advertises nothing."""
    return NOISE if _is_noise(mechanism) else ADVERTISED


def _is_noise(mechanism: Mechanism) -> bool:
    if isinstance(mechanism, Composition):
        has_allocation = mechanism.allocation is not None
        return not has_allocation and all(_is_noise(part) for part, _ in mechanism.parts)
    return isinstance(mechanism, NoisePart)


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of the advertised guarantee, with the same number of the effective one.

    Attributes:
        symbol: of the privacy measure.
        at: the δ of an ε, with a blank before it; else empty.
        before, after: advertised and effective; None if not known.
    """

    symbol: str
    at: str
    before: Bound | None
    after: Bound | None

    @property
    def texts(self) -> tuple[str, str]:
        """Return both numbers for the first screen; empty if there is none."""
        if self.before is not None and self.after is not None:
            return ordered_texts(self.before, self.after)
        before, after = (b and sentence_text(b) for b in (self.before, self.after))
        return before or "", after or ""

    @property
    def growth(self) -> Fraction | None:
        """Return the factor.

        None if a number is missing or infinite, or the advertised one is 0.
        """
        if not (is_finite(self.before) and is_finite(self.after)):
            return None
        return growth(self.before, self.after)

    @property
    def is_the_same(self) -> bool:
        """Return whether the effective number is the advertised one."""
        if self.before is None or self.after is None:
            return False
        return self.growth == 1 or self.before.value == self.after.value

    def sentence(self, claim: Claim = ADVERTISED, by: str = "") -> str:
        """Both numbers in a line of a list, with their factor.

        Args:
            claim: what the effective number is compared with.
            by: the conversion of an ε, with a comma before it.
        """
        at = f"{self.at}{by}"
        before, after = self.texts
        if self.is_the_same:
            return f"{after} effective{at}, {claim.the_same}"
        if before and after:
            return f"{before} {claim.of_it}, {after} effective{factor_text(self.growth)}{at}"
        if after:
            return f"{after} effective{at}; {claim.none}"
        return f"{before} {claim.of_it}{self.at}; no effective one is known"


def compared(nominal: Numbers, semi: Numbers, delta: Fraction | None) -> list[Compared]:
    """Return the leading measure, and ε at a δ unless it repeats nearly the same number.

    Args:
        nominal: the advertised numbers. semi: the effective ones.
        delta: the δ of the ε; None for no ε.

    Returns:
        Empty if no number is known of either.
    """
    leading = _leading(nominal, semi)
    before, after = (_at(numbers, delta) for numbers in (nominal, semi))
    other = None
    if delta and (before is not None or after is not None):
        other = Compared("ε", f" at δ = {rational_text(delta)}", before, after)
    if leading is None or other is None or not _repeats(leading, other):
        return [pair for pair in (leading, other) if pair is not None]
    return [leading]


def factor_text(factor: Fraction | None) -> str:
    """Return a factor in parentheses, to the nearest of four digits.

    Empty if there is none, or near 1.
    """
    text = "" if factor is None else short_text(factor, "nearest")
    return f" ({text}×)" if text not in ("", "1") else ""


def is_finite(bound: Bound | None) -> TypeGuard[Bound]:
    """Return whether there is a number, and it is finite."""
    return bound is not None and not isinstance(bound.value, float)


def _leading(nominal: Numbers, semi: Numbers) -> Compared | None:
    pairs = [Compared(name, at, of(nominal), of(semi)) for name, at, of in _MEASURES]
    finite = [pair for pair in pairs if is_finite(pair.before) and is_finite(pair.after)]
    either = [pair for pair in pairs if pair.before is not None or pair.after is not None]
    return next(iter(finite or either), None)


def _at(numbers: Numbers, delta: Fraction | None) -> Bound | None:
    points: tuple[ApproxPoint, ...] = numbers.tightest
    return next((point.epsilon for point in points if point.delta == delta), None)


def _repeats(first: Compared, second: Compared) -> bool:
    if first.symbol != second.symbol:
        return False
    return all(
        a is None if b is None else is_finite(a) and is_finite(b) and _near(a, b)
        for a, b in ((first.before, second.before), (first.after, second.after))
    )


def _near(bound: Bound, other: Bound) -> bool:
    first, second = Fraction(bound.value), Fraction(other.value)
    return abs(first - second) <= _ALIKE * max(abs(first), abs(second))


def growth(before: Bound, after: Bound) -> Fraction | None:
    """Return the ratio of the second of two finite certified numbers to the first, unrounded.

    Rounding: up; exact if both numbers, or their squares, are exact and the root is rational.

    Returns:
        None if the first is 0.
    """
    if before.squared is None and after.squared is None:
        first, second = Fraction(before.sharpest), Fraction(after.sharpest)
        return second / first if first else None
    first, second = _square(before), _square(after)
    if not first:
        return None
    root = exact_sqrt(second / first)
    if root is not None:
        return root
    high = Interval.of(second / first).sqrt().high
    return Fraction(high) if math.isfinite(high) else None


def _square(bound: Bound) -> Fraction:
    return bound.squared if bound.squared is not None else Fraction(bound.sharpest) ** 2
