"""What a hierarchical release says of one kind of secret: a pair of datasets, and what it costs.

Source: the attribute and geography semantics that the US Census Bureau's production code prints
(budget.py), here in D and inside D_t, with what the noise itself loses; Kifer et al. 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.guarantee import ApproxPoint

Sizes = tuple[int, ...]
"""The sizes by which the moved cells of one query move."""

Move = tuple[Sizes, ...]
"""For every noisy query of a mechanism, in its order, what moves."""


@dataclass(frozen=True, slots=True)
class SecretPair:
    """A kind of pair of datasets that an attacker tries to distinguish.

    Attributes:
        name: ``attribute:NAME``, ``geography:Block within LEVEL``, ``within_state``, ...
        universe: whether the pairs lie anywhere in D, or in one D_t.
        pair: in words, what the datasets differ by.
        distance: how many records differ.
        where: the places that it speaks of, where places differ; empty for all.
        moves: of whatever pair of the kind, the queries move no more than by one of these; none
            where the universe has no such pair.
        attained: each of the moves is that of a pair.
    """

    name: str
    universe: UniverseName
    pair: str
    distance: int
    where: str
    moves: tuple[Move, ...]
    attained: bool


@dataclass(frozen=True, slots=True)
class Semantic:
    """A kind of pair with its numbers.

    Attributes:
        zcdp: rho; None if there is no such pair, or no rho of the whole mechanism is known.
        approx_dp: epsilon at every delta, by the tightest conversion.
        factor: rho over that of the whole mechanism at distance 1 in D; None without a rho.
        posterior_odds: at every delta, by how much the logarithm of the odds of the truth against
            another value of the secret grows at most, but with that probability.
        best_guess: at every prior probability of the less likely of two values, the probability
            that the best guess between the two is right.
        has_pair: False where the universe is known to have no such pair.
    """

    name: str
    universe: UniverseName
    pair: str
    distance: int
    where: str
    zcdp: Bound | None
    approx_dp: tuple[ApproxPoint, ...]
    factor: Fraction | None
    posterior_odds: tuple[tuple[Fraction, Bound], ...] = ()
    best_guess: tuple[tuple[Fraction, Bound], ...] = ()
    has_pair: bool = True
