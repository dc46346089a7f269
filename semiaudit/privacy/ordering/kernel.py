"""Construct the kernel of Blackwell's order, by cutting one polygon down to another.

A pair (P, Q) is a path of steps (p, q), one for each outcome, sorted by falling q/p: it descends
from (0, 1) to (1, 0), and its corners are those of T(P, Q). Two operations on a path do not need
the hidden dataset: splitting one step in two (a coin decides), and joining neighboring steps (their
outcomes are merged). Let f = T(P, Q) lie nowhere above g = T(P', Q'). For each piece of g, the part
of the path that lies below the line through it is cut off: the two steps that cross the line are
split there, and all between are joined to one step along the line. What is left is max{f, line};
after all lines it is max{f, g} = g, and every outcome has the likelihood ratio of a piece of g, on
which the outcomes of (P', Q') are sampled in proportion.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.frozen import dataclass
from semiaudit.model.loss import FiniteLoss

Kernel = tuple[tuple[Fraction, ...], ...]
"""Row i: the distribution of the processed outcome if outcome i was observed."""

_NONE = Fraction(0)


@dataclass(frozen=True, slots=True)
class _Step:
    """An outcome under construction: its masses, and the first outcomes from which it is sampled.

    Attributes:
        shares: for each of the first outcomes, the probability that it becomes this one.
    """

    p: Fraction
    q: Fraction
    shares: tuple[Fraction, ...]

    def part(self, share: Fraction) -> _Step:
        shares = tuple(share * part_ for part_ in self.shares)
        return _Step(share * self.p, share * self.q, shares)


def cut_to(informative: FiniteLoss, processed: FiniteLoss) -> Kernel:
    """Build the kernel that turns one pair into the other; an arbitrary matrix if the order fails.

    Args:
        informative: (P, Q), m outcomes, with T(P, Q) nowhere above that of the other one.
        processed: (P', Q'), n outcomes.

    Returns:
        m rows of n numbers; a kernel if the order holds.

    Source: docs/theory/finite.md, *Blackwell's order*.
    """
    first, size = informative.first, len(informative.first)
    masses = zip(first, informative.second, strict=True)
    steps = [_Step(p, q, _unit(place, size)) for place, (p, q) in enumerate(masses) if p or q]
    steps = _by_ratio(steps)
    kept = [(p, q) for p, q in zip(processed.first, processed.second, strict=True) if p or q]
    for direction, start in _pieces(kept):
        steps = _cut(steps, direction, start)
    columns = [
        _drawn(steps, p, q, size) for p, q in zip(processed.first, processed.second, strict=True)
    ]
    rows = [tuple(column[place] for column in columns) for place in range(size)]
    occurring = zip(processed.first, processed.second, strict=True)
    idle = _unit(next(at for at, (p, q) in enumerate(occurring) if p or q), len(columns))
    # An outcome with probability 0 can become any other one.
    return tuple(
        row if p or q else idle for row, p, q in zip(rows, first, informative.second, strict=True)
    )


def _unit(place: int, size: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(int(at == place)) for at in range(size))


def _ratio(p: Fraction, q: Fraction) -> tuple[bool, Fraction]:
    """Return a sort key: decreasing q / p, those with p = 0 first."""
    return (True, -q / p) if p else (False, _NONE)


def _by_ratio(steps: Sequence[_Step]) -> list[_Step]:
    """Sort the steps to the path of a tradeoff function: convex, from (0, 1)."""
    return sorted(steps, key=lambda step: _ratio(step.p, step.q))


def _pieces(
    masses: Sequence[tuple[Fraction, Fraction]],
) -> list[tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]]:
    """Return (direction, start) of every piece of a function, one for each likelihood ratio."""
    pieces, x, y = [], _NONE, Fraction(1)
    for p, q in sorted(masses, key=lambda mass: _ratio(*mass)):
        pieces.append(((p, q), (x, y)))
        x, y = x + p, y - q
    return pieces


def _cut(
    steps: Sequence[_Step],
    direction: tuple[Fraction, Fraction],
    start: tuple[Fraction, Fraction],
) -> list[_Step]:
    """Replace the part of the path below a line by one step along the line."""
    (p, q), (x0, y0) = direction, start
    x, y = _NONE, Fraction(1)
    before: list[_Step] = []
    below: list[_Step] = []
    after: list[_Step] = []
    # Above the line the cross product is positive: p (y - y0) + q (x - x0).
    height = p * (y - y0) + q * (x - x0)
    for step in steps:
        change = q * step.p - p * step.q
        next_height = height + change
        if height >= 0 and next_height >= 0:
            (after if below else before).append(step)
        elif height <= 0 and next_height <= 0:
            below.append(step)
        else:
            share = height / (height - next_height)
            inner, other = step.part(share), step.part(1 - share)
            if height > 0:
                before.append(inner)
                below.append(other)
            else:
                below.append(inner)
                after.append(other)
        height = next_height
    return [*before, *([_joined(below)] if below else []), *after]


def _joined(steps: Sequence[_Step]) -> _Step:
    shares = tuple(sum(column, _NONE) for column in zip(*(s.shares for s in steps), strict=True))
    return _Step(
        sum((step.p for step in steps), _NONE), sum((step.q for step in steps), _NONE), shares
    )


def _drawn(steps: Sequence[_Step], p: Fraction, q: Fraction, size: int) -> tuple[Fraction, ...]:
    if not (p or q):
        return (_NONE,) * size
    parallel = [step for step in steps if step.p * q == step.q * p]
    if not parallel:
        return (_NONE,) * size
    total = _joined(parallel)
    share = p / total.p if p else q / total.q
    return tuple(share * part for part in total.shares)
