"""Which of two privacy losses is the smaller one, pair by pair."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from semiaudit.model.loss import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
)

Family = tuple[object, ...]
"""Pairs of one family differ by a number only, and lose more where it is larger."""

Moves = dict[Fraction, int]
"""How often each move occurs."""

MOST_PACKED = 300

_LOG_CONCAVE = ("laplace", "discrete_gaussian", "discrete_laplace")


def loss_implies(strong: PrivacyLoss, weak: PrivacyLoss) -> bool:
    """Whether the weak loss is at least the strong one, as far as matching and packing tell.

    It is if every pair of the strong one has its own pair of the same family in the weak one
    that moves at least as far, since products rise in each factor. That is so if, in every family
    and for every distance, the weak one has as many pairs that move so far or farther. Moves of
    log-concave noise may also share a larger move (E15). Gaussian pairs are one pair with the sum
    of mu^2.
    """
    wanted, offered = _by_family(strong), _by_family(weak)
    return all(
        _matched(moves, offered.get(family, {}))
        or (family[0] in _LOG_CONCAVE and _packed(moves, offered.get(family, {})))
        for family, moves in wanted.items()
    )


def _matched(moves: Moves, larger: Moves) -> bool:
    return all(_number(moves, at) <= _number(larger, at) for at in moves)


def _packed(moves: Moves, bins: Moves) -> bool:
    """Whether the moves are seen to fit into the bins, the largest first."""
    if max(sum(moves.values()), sum(bins.values())) > MOST_PACKED:
        return False
    room = [size for size, number in bins.items() for _ in range(number)]
    for size in sorted(moves, reverse=True):
        for _ in range(moves[size]):
            place = min(
                (at for at, free in enumerate(room) if free >= size),
                key=lambda at: room[at],
                default=None,
            )
            if place is None:
                return False
            room[place] -= size
    return True


def _number(moves: Moves, least: Fraction) -> int:
    return sum(number for size, number in moves.items() if size >= least)


def _by_family(loss: PrivacyLoss) -> dict[Family, Moves]:
    found: dict[Family, Moves] = defaultdict(lambda: defaultdict(int))
    mu_squared = Fraction(0)
    for pair, repeat in loss.parts:
        if isinstance(pair, GaussianLoss):
            mu_squared += pair.mu_squared * repeat
            continue
        family, size = _place(pair)
        found[family][size] += repeat
    if mu_squared:
        found["gaussian",][mu_squared] = 1
    return found


def _place(pair: Loss) -> tuple[Family, Fraction]:
    if isinstance(pair, LaplaceLoss):
        return ("laplace",), abs(pair.shift)
    if isinstance(pair, DiscreteGaussianLoss):
        return ("discrete_gaussian", pair.sigma_squared), Fraction(abs(pair.shift))
    if isinstance(pair, DiscreteLaplaceLoss):
        return ("discrete_laplace", pair.scale), Fraction(abs(pair.shift))
    if isinstance(pair, RandomizedResponseLoss):
        return ("randomized_response", pair.levels), pair.epsilon
    return (pair,), Fraction(1)
