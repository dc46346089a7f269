"""What the printed numbers of one row say about each other, in mpmath, one implication at a time.

It knows nothing of the program: a row is a few lists of printed doubles. Each implication is an
elementary one on two numbers, so that what follows from three or more is not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from tests.oracles.curves import mp, quantile, upper_tail

CLOSE = mp.mpf("1e-9")
"""Of rounding to doubles."""
LOOSE = mp.mpf("3e-6")
"""Of a number of a composed loss, whose bracket is wider."""


@dataclass
class PrintedRow:
    """Printed numbers; an infinite one is ``mp.inf``, and what is not known is None.

    Attributes:
        epsilons: (delta, side, epsilon), with delta 0 for pure DP.
        deltas: (epsilon, delta). type_ii: (type I error, type II error).
        tpr: (FPR, TPR). guesses: (prior, success).
    """

    epsilons: list[tuple[Any, str, Any]] = field(default_factory=list)
    deltas: list[tuple[Any, Any]] = field(default_factory=list)
    type_ii: list[tuple[Any, Any]] = field(default_factory=list)
    tpr: list[tuple[Any, Any]] = field(default_factory=list)
    guesses: list[tuple[Any, Any]] = field(default_factory=list)
    advantage: Any = None
    mu: Any = None
    regret: Any = None
    rho: Any = None

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        """Every (epsilon, delta) that is certified."""
        found = [(e, d) for d, side, e in self.epsilons if side != "lower" and e < mp.inf]
        found += self.deltas
        found += [] if self.advantage is None else [(mp.mpf(0), self.advantage)]
        return [(e, d) for e, d in found if d < 1]

    def least(self, delta: Any) -> Any:
        """The least epsilon from above that is printed at a delta."""
        ends = [e for d, side, e in self.epsilons if d == delta and side != "lower"]
        return min(ends, default=mp.inf)


def gaussian_delta(mu: Any, epsilon: Any) -> Any:
    """The hockey-stick divergence of N(mu, 1) from N(0, 1)."""
    if not mu:
        return mp.mpf(0)
    shift = epsilon / mu
    return upper_tail(shift - mu / 2) - mp.exp(epsilon) * upper_tail(shift + mu / 2)


def contradictions(row: PrintedRow) -> Iterator[str]:
    """Sentences on numbers that are worse than what follows from another number of the row."""
    yield from _sides(row)
    yield from _by_pairs(row)
    yield from _by_points(row)
    yield from _by_mu(row)
    yield from _guesses(row)


def _exceeds(number: Any, bound: Any, tolerance: Any = CLOSE) -> bool:
    return bool(number > bound * (1 + tolerance) + mp.mpf("1e-300"))


def _sides(row: PrintedRow) -> Iterator[str]:
    """No lower number above an upper one; an exact number is both; no infinity next to a number."""
    for delta in {d for d, _, _ in row.epsilons}:
        at = [(side, e) for d, side, e in row.epsilons if d == delta]
        for (one, low), (other, high) in product(at, at):
            if one != "upper" and other != "lower" and low > high:
                yield f"epsilon at {delta}: {one} {low} above {other} {high}"
        uppers = [e for side, e in at if side != "lower"]
        if mp.inf in uppers and min(uppers) < mp.inf:
            yield f"epsilon at {delta}: inf next to {min(uppers)}"


def _by_pairs(row: PrintedRow) -> Iterator[str]:
    for (epsilon, delta), (at, printed) in product(row.pairs, row.deltas):
        if epsilon <= at and _exceeds(printed, delta):
            yield f"delta at {at} is {printed}, but ({epsilon}, {delta})-DP holds"
    for (epsilon, delta), (at, _, _) in product(row.pairs, row.epsilons):
        if delta <= at and _exceeds(row.least(at), epsilon):
            yield f"epsilon at {at} is {row.least(at)}, but ({epsilon}, {delta})-DP holds"
    for epsilon, delta in row.pairs:
        if row.advantage is not None:
            most = delta + (1 - delta) * mp.tanh(epsilon / 2)
            if _exceeds(row.advantage, most):
                yield f"advantage {row.advantage}, but ({epsilon}, {delta})-DP holds"
        for a, b in row.type_ii:
            line = 1 - delta - mp.exp(epsilon) * a
            flat = mp.exp(-epsilon) * (1 - delta - a)
            if _exceeds(max(line, flat), b):
                yield f"type II error {b} at {a}, but ({epsilon}, {delta})-DP holds"


def _by_points(row: PrintedRow) -> Iterator[str]:
    """A convex function that falls from at most 1 to 0 and is at least b at a."""
    for a, b in row.type_ii:
        for at, power in row.tpr:
            if at == a and abs(power - (1 - b)) > CLOSE:
                yield f"TPR {power} and type II error {b} at {a}"
        if b >= 1 - a or row.advantage is None:
            continue
        most = max(1 - b / (1 - a), 1 - a / (1 - b))
        if _exceeds(row.advantage, most):
            yield f"advantage {row.advantage}, but the type II error at {a} is {b}"


def _by_mu(row: PrintedRow) -> Iterator[str]:
    if row.rho is not None:
        pure = row.least(mp.mpf(0))
        if pure < mp.inf and _exceeds(row.rho, pure * mp.tanh(pure / 2)):
            yield f"rho {row.rho}, but epsilon at delta 0 is {pure}"
        if row.mu is not None and _exceeds(row.rho, row.mu**2 / 2):
            yield f"rho {row.rho}, but mu is {row.mu}"
    if row.mu is None or row.mu > 300:
        return
    total = gaussian_delta(row.mu, mp.mpf(0))
    if row.advantage is not None and _exceeds(row.advantage, total, LOOSE):
        yield f"advantage {row.advantage}, but mu is {row.mu}"
    for a, b in row.type_ii:
        if row.mu and _exceeds(upper_tail(row.mu + quantile(a)), b, LOOSE):
            yield f"type II error {b} at {a}, but mu is {row.mu}"
    for epsilon, delta in row.deltas:
        if _exceeds(delta, gaussian_delta(row.mu, epsilon), LOOSE):
            yield f"delta {delta} at {epsilon}, but mu is {row.mu}"
    # The known function has delta at most this, so that G_mu lies so far below it.
    for epsilon, delta in row.pairs:
        needed = (gaussian_delta(row.mu, epsilon) - delta) / (1 + mp.exp(epsilon))
        if _exceeds(needed - mp.mpf("1e-15"), row.regret):
            yield f"regret {row.regret} of mu {row.mu}, but ({epsilon}, {delta})-DP holds"


def _guesses(row: PrintedRow) -> Iterator[str]:
    for prior, success in row.guesses:
        if row.advantage is not None and _exceeds(success, prior + (1 - prior) * row.advantage):
            yield f"a guess of prior {prior} succeeds with {success}, by {row.advantage}"
