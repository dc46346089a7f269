"""Random mechanisms without a query, and the same mechanisms written differently."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from semiaudit.mechanisms.parts import flattened
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.model.mechanism import (
    Composition,
    Declared,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    Part,
    RandomizedResponse,
    Shuffled,
    SubsampledGaussian,
)
from tests.privacy.instances import random_polygon, random_rational

Maker = Callable[[random.Random], Part]


def _shifts(chance: random.Random) -> tuple[Fraction, ...]:
    return tuple(Fraction(chance.choice((-2, -1, 1, 1, 1, 3))) for _ in range(chance.randint(1, 3)))


def _size(chance: random.Random) -> Fraction:
    """An epsilon or a mu."""
    return random_rational(chance, -3, 0.7) or Fraction(1, 1000)


def _approx(chance: random.Random) -> Part:
    delta = Fraction(chance.choice((0, 1, 3)), 10 ** chance.randint(4, 15))
    return Declared(ApproxDP(_size(chance), delta))


LOSSES: dict[str, Maker] = {
    "pure_dp": lambda chance: Declared(PureDP(_size(chance))),
    "approx_dp": _approx,
    "gdp": lambda chance: Declared(GDP(_size(chance) ** 2)),
    "tradeoff": lambda chance: Declared(random_polygon(chance, chance.randint(1, 3))),
    "randomized_response": lambda chance: RandomizedResponse(
        epsilon=_size(chance), levels=chance.choice((2, 2, 3, 10))
    ),
    "gaussian": lambda chance: Gaussian(
        sigma_squared=1 / _size(chance) ** 2, shifts=_shifts(chance)
    ),
    "laplace": lambda chance: Laplace(scale=1 / _size(chance), shifts=_shifts(chance)),
    "discrete_laplace": lambda chance: DiscreteLaplace(
        scale=1 / _size(chance), shifts=_shifts(chance)
    ),
    "discrete_gaussian": lambda chance: DiscreteGaussian(
        sigma_squared=Fraction(chance.choice((1, 4, 30, 500, 8000)), chance.choice((1, 3))),
        shifts=_shifts(chance),
    ),
}
"""Kinds with a dominating pair at every distance, or at distance 1."""

OTHERS: dict[str, Maker] = {
    "zcdp": lambda chance: Declared(ZCDP(_size(chance) ** 2 / 2)),
    "subsampled_gaussian": lambda chance: SubsampledGaussian(
        sigma_squared=Fraction(chance.randint(1, 9)),
        rate=Fraction(1, chance.randint(2, 500)),
        steps=chance.choice((1, 10, 300)),
        removals=chance.randint(1, 2),
    ),
    "shuffled": lambda chance: Shuffled(
        epsilon0=_size(chance), reports=chance.choice((*[10, 100, 1000] * 10, 10**4))
    ),
}
"""Kinds of which something else is known."""

SHARE_OF_OTHERS = 0.2
"""So many parts are of the other kinds: about two mechanisms in five have one."""

WEIGHTS_OF_OTHERS = {"zcdp": 3, "subsampled_gaussian": 2, "shuffled": 1}
"""Shuffled reports take ten times as long as the rest."""


def random_part(chance: random.Random) -> Part:
    """A part of either table."""
    if chance.random() < SHARE_OF_OTHERS:
        (kind,) = chance.choices(list(WEIGHTS_OF_OTHERS), list(WEIGHTS_OF_OTHERS.values()))
        return OTHERS[kind](chance)
    return LOSSES[chance.choice(sorted(LOSSES))](chance)


MOST_OF_OTHERS = 10
"""Repeats of what costs more the more often it occurs."""


def random_mechanism(chance: random.Random, most: int = 1000) -> Composition:
    """One to four parts, each repeated once or up to so many times; small repeats are as likely."""
    parts = []
    for _ in range(chance.choice((1, 1, 2, 3, 4))):
        part = random_part(chance)
        top = min(most, MOST_OF_OTHERS) if isinstance(part, Shuffled | SubsampledGaussian) else most
        repeat = 1 if chance.random() < 0.3 else round(top ** chance.random())
        parts.append((part, repeat))
    return Composition(tuple(parts))


def with_another(chance: random.Random, mechanism: Composition, part: Part) -> Composition:
    """The same and one part more, somewhere."""
    parts = list(mechanism.parts)
    parts.insert(chance.randint(0, len(parts)), (part, 1))
    return Composition(tuple(parts))


def with_another_repeat(chance: random.Random, mechanism: Composition) -> Composition:
    """The same with one of its parts once more."""
    parts = list(mechanism.parts)
    place = chance.randrange(len(parts))
    parts[place] = (parts[place][0], parts[place][1] + chance.choice((1, 1, 5)))
    return Composition(tuple(parts))


def written_differently(chance: random.Random, mechanism: Composition) -> Composition:
    """An equal mechanism: parts in another order, split, nested, or of a kind that says it too."""
    parts: list[tuple[Mechanism, int]] = []
    for part, repeat in flattened(mechanism):
        first = chance.randint(0, repeat)
        for times in (first, repeat - first):
            if times:
                parts.append(_renamed(chance, part, times))
    chance.shuffle(parts)
    while len(parts) > 1 and chance.random() < 0.5:
        cut = chance.randint(1, len(parts))
        parts = [(Composition(tuple(parts[:cut])), 1), *parts[cut:]]
    if len(parts) == 1 and parts[0][1] % 2 == 0:
        return Composition(((Composition(((parts[0][0], 2),)), parts[0][1] // 2),))
    return Composition(tuple(parts))


def _renamed(chance: random.Random, part: Part, times: int) -> tuple[Part, int]:
    """A part so many times, in other words."""
    match part:
        case Declared(PureDP(epsilon)) | Declared(ApproxDP(epsilon, Fraction(numerator=0))):
            same: tuple[Part, ...] = (
                Declared(PureDP(epsilon)),
                Declared(ApproxDP(epsilon, Fraction(0))),
                RandomizedResponse(epsilon=epsilon, levels=2),
            )
            return chance.choice(same), times
        case RandomizedResponse(epsilon=epsilon, levels=2):
            return Declared(PureDP(epsilon)), times
        case Gaussian(shifts=shifts, sigma_squared=sigma_squared):
            mu_squared = sum((s * s for s in shifts), Fraction(0)) / sigma_squared
            return Declared(GDP(mu_squared)), times
        case Declared(GDP(mu_squared)) if mu_squared:
            return Gaussian(sigma_squared=1 / mu_squared, shifts=(Fraction(1),)), times
        case Declared(ZCDP(rho)):
            return Declared(ZCDP(rho * times)), 1
        case SubsampledGaussian(steps=steps):
            whole = chance.choice((1, steps, steps * times))
            return replace(part, steps=whole), steps * times // whole
        case _:
            return part, times
