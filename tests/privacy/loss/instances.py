"""Random products of privacy losses and questions about them, for the soundness campaign."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest

from semiaudit.model.loss import (
    ApproxLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    SubsampledGaussianLoss,
)

Part = tuple[Loss, int]


@dataclass(frozen=True)
class Case:
    """A product and what is asked about it."""

    loss: PrivacyLoss
    epsilon: Fraction
    delta: Fraction
    type_i: Fraction


def decimal(chance: random.Random, smallest: int, largest: int, digits: int = 4) -> Fraction:
    """A rational of a few digits between 10^smallest and 10^largest, even in its logarithm."""
    exponent = chance.uniform(smallest, largest)
    return Fraction(f"{10**exponent:.{digits - 1}e}")


def masses(chance: random.Random, outcomes: int) -> tuple[Fraction, ...]:
    """A distribution with zeros, repeated masses and masses near 0 now and then."""
    weights = []
    for _ in range(outcomes):
        shape = chance.random()
        if shape < 0.15:
            weights.append(Fraction(0))
        elif shape < 0.3:
            weights.append(Fraction(1, 10 ** chance.randint(3, 12)))
        elif shape < 0.6:
            weights.append(Fraction(chance.randint(1, 4)))
        else:
            weights.append(Fraction(chance.randint(1, 10**6), 10**6))
    if not any(weights):
        weights[chance.randrange(outcomes)] = Fraction(1)
    total = sum(weights, Fraction(0))
    return tuple(weight / total for weight in weights)


def finite(chance: random.Random) -> FiniteLoss:
    """Two to four outcomes; equal pairs, permuted pairs, near ones and disjoint supports."""
    outcomes = chance.randint(2, 4)
    first = masses(chance, outcomes)
    shape = chance.random()
    if shape < 0.08:
        return FiniteLoss(first, first)
    if shape < 0.3:
        second = list(first)
        chance.shuffle(second)
        return FiniteLoss(first, tuple(second))
    if shape < 0.4:
        share = Fraction(1, 10 ** chance.randint(2, 12))
        other = masses(chance, outcomes)
        mixed = tuple((1 - share) * p + share * q for p, q in zip(first, other, strict=True))
        return FiniteLoss(first, mixed)
    if shape < 0.45:
        nothing = (Fraction(0),) * outcomes
        return FiniteLoss(first + nothing, nothing + masses(chance, outcomes))
    return FiniteLoss(first, masses(chance, outcomes))


def randomized_response(chance: random.Random) -> RandomizedResponseLoss:
    """From nearly nothing told to an epsilon of 30."""
    levels = chance.choice([2, 2, 2, 3, 5, 1000])
    epsilon = chance.choice([Fraction(0), Fraction(1), decimal(chance, -6, 1), Fraction(30)])
    return RandomizedResponseLoss(epsilon, levels)


def approx(chance: random.Random) -> ApproxLoss:
    """A delta of 0 to 1/2, or almost 1."""
    delta = chance.choice(
        [Fraction(0), Fraction(1, 2), decimal(chance, -30, -1), Fraction(1, 10**10)]
    )
    return ApproxLoss(chance.choice([Fraction(0), decimal(chance, -4, 1)]), delta)


def small_discrete(chance: random.Random) -> Part:
    """A discrete part with few outcomes."""
    makers: list[Callable[[random.Random], Loss]] = [finite, randomized_response, approx]
    make = chance.choice(makers)
    return make(chance), chance.choice([1, 1, 2, 3])


def discrete_laplace(chance: random.Random) -> Part:
    """Moved by up to five; its loss has few values."""
    scale = chance.choice([Fraction(1), decimal(chance, -2, 1)])
    return DiscreteLaplaceLoss(chance.randint(1, 5), scale), chance.choice([1, 1, 2, 4])


def discrete_gaussian(chance: random.Random) -> Part:
    """Tiny and moderate sigma; moved by up to five."""
    repeat = chance.choice([1, 1, 1, 2, 3])
    sigma_squared = chance.choice(
        [Fraction(1), Fraction(10), Fraction(104, 4099) * 40, decimal(chance, -2, 1)]
    )
    if repeat == 1 and chance.random() < 0.3:
        sigma_squared = decimal(chance, 0, 3)
    return DiscreteGaussianLoss(chance.randint(1, 5), sigma_squared), repeat


def gaussian(chance: random.Random) -> Part:
    """From hardly any loss to nearly a disclosure."""
    return GaussianLoss(decimal(chance, -6, 3)), chance.choice([1, 1, 2, 10])


def laplace(chance: random.Random) -> LaplaceLoss:
    """Shifts of a thousandth to fifty scales."""
    return LaplaceLoss(chance.choice([Fraction(1), decimal(chance, -3, 1), decimal(chance, 0, 1)]))


def subsampled(chance: random.Random) -> SubsampledGaussianLoss:
    """Noise multipliers of 0.3 to 10, rates of 1e-4 to 1."""
    rate = chance.choice(
        [Fraction(0), Fraction(1), *[min(decimal(chance, -4, 0), Fraction(1))] * 6]
    )
    return SubsampledGaussianLoss(decimal(chance, -1, 2), rate)


def _only_finite(chance: random.Random) -> list[Part]:
    return [(finite(chance), chance.choice([1, 1, 2, 3])) for _ in range(chance.randint(1, 3))]


def _mixed_discrete(chance: random.Random) -> list[Part]:
    return [small_discrete(chance) for _ in range(chance.randint(1, 3))]


def _discrete_laplaces(chance: random.Random) -> list[Part]:
    parts = [discrete_laplace(chance) for _ in range(chance.randint(1, 2))]
    return [*parts, small_discrete(chance)] if chance.random() < 0.4 else parts


def _discrete_gaussians(chance: random.Random) -> list[Part]:
    part = discrete_gaussian(chance)
    other = chance.random()
    if other < 0.3:
        return [part, (randomized_response(chance), 1)]
    if other < 0.5 and part[1] == 1:
        # Commensurable or not: another sigma of the same size.
        sigma_squared = min(decimal(chance, -1, 0), Fraction(3))
        return [
            (DiscreteGaussianLoss(chance.randint(1, 3), sigma_squared * 2), 1),
            (DiscreteGaussianLoss(chance.randint(1, 3), sigma_squared), 1),
        ]
    return [part]


def _gaussians(chance: random.Random) -> list[Part]:
    return [gaussian(chance) for _ in range(chance.randint(1, 2))]


def _gaussian_and_discrete(chance: random.Random) -> list[Part]:
    return [gaussian(chance), small_discrete(chance)]


def _laplaces(chance: random.Random) -> list[Part]:
    shape = chance.random()
    if shape < 0.4:
        return [(laplace(chance), 1)]
    if shape < 0.6:
        return [(laplace(chance), chance.choice([2, 3]))]
    if shape < 0.8:
        return [(laplace(chance), 1), (laplace(chance), 1)]
    return [(laplace(chance), 1), small_discrete(chance)]


def _subsampled(chance: random.Random) -> list[Part]:
    parts: list[Part] = [(subsampled(chance), 1)]
    return [*parts, small_discrete(chance)] if chance.random() < 0.4 else parts


def _integrated(chance: random.Random) -> list[Part]:
    shape = chance.randrange(4)
    if shape == 0:
        return [gaussian(chance), (laplace(chance), 1)]
    if shape == 1:
        return [(subsampled(chance), 2)]
    return [(subsampled(chance), 1), (laplace(chance), 1) if shape == 2 else gaussian(chance)]


def _many(chance: random.Random) -> list[Part]:
    """So many small losses that few frequencies of the law of their sum matter."""
    makers: list[Callable[[], Loss]] = [
        lambda: RandomizedResponseLoss(decimal(chance, -2, 0), chance.choice([2, 3])),
        lambda: DiscreteLaplaceLoss(1, decimal(chance, 0, 2)),
        lambda: FiniteLoss(masses(chance, 2), masses(chance, 2)),
    ]
    parts = [(chance.choice(makers)(), chance.randint(40, 120))]
    return [*parts, small_discrete(chance)] if chance.random() < 0.3 else parts


APART = {"integrated": _integrated, "many": _many}
"""Families that are drawn only where they are named."""


def _nothing(chance: random.Random) -> list[Part]:
    return [(FiniteLoss((Fraction(1),), (Fraction(1),)), 1)] if chance.random() < 0.5 else []


FAMILIES: dict[str, tuple[int, Callable[[random.Random], list[Part]]]] = {
    "finite": (22, _only_finite),
    "mixed_discrete": (22, _mixed_discrete),
    "discrete_laplace": (14, _discrete_laplaces),
    "discrete_gaussian": (12, _discrete_gaussians),
    "gaussian": (8, _gaussians),
    "gaussian_and_discrete": (8, _gaussian_and_discrete),
    "laplace": (7, _laplaces),
    "subsampled": (6, _subsampled),
    "nothing": (1, _nothing),
}
"""How often a family is drawn, and what draws it."""

DELTAS = tuple(Fraction(1, 10**k) for k in (1, 3, 5, 6, 10, 15, 20, 30))
SHARES = (Fraction(1), Fraction(7, 9))
TYPES_I = tuple(Fraction(text) for text in ("0", "1", "0.05", "0.01", "1e-6", "1e-12", "0.5"))


def random_case(chance: random.Random, family: str | None = None) -> Case:
    """A product of one family, or of a random one, with an epsilon, a delta and a type I error."""
    if family is None:
        names = list(FAMILIES)
        family = chance.choices(names, [FAMILIES[name][0] for name in names])[0]
        parts = FAMILIES[family][1](chance)
    else:
        parts = (APART.get(family) or FAMILIES[family][1])(chance)
    return Case(
        PrivacyLoss(tuple(parts)),
        random_epsilon(chance, parts),
        random_delta_of_product(chance, parts),
        random_type_i(chance),
    )


def random_epsilon(chance: random.Random, parts: list[Part]) -> Fraction:
    """0 to 60; now and then exactly a loss that an outcome has."""
    ends = [
        part.epsilon * repeat
        for part, repeat in parts
        if isinstance(part, ApproxLoss | RandomizedResponseLoss)
    ] + [abs(p.shift) / p.scale for p, _ in parts if isinstance(p, DiscreteLaplaceLoss)]
    ends += [part.shift * repeat for part, repeat in parts if isinstance(part, LaplaceLoss)]
    choices = [
        Fraction(0),
        decimal(chance, -9, -1),
        decimal(chance, -1, 1),
        decimal(chance, 0, 1),
        Fraction(chance.randint(0, 60)),
        *[
            min(end * share, Fraction(60))
            for end in ends
            for share in (Fraction(1), Fraction(7, 9))
        ],
    ]
    return chance.choice(choices)


def once(*parts: Loss) -> PrivacyLoss:
    return PrivacyLoss(tuple((part, 1) for part in parts))


def repeated(part: Loss, times: int) -> PrivacyLoss:
    return PrivacyLoss(((part, times),))


def random_delta_of_product(chance: random.Random, parts: list[Part]) -> Fraction:
    """1/2 to 1e-30; now and then exactly the mass that an approximate part discloses."""
    disclosed = [part.delta for part, _ in parts if isinstance(part, ApproxLoss) and part.delta]
    choices = [chance.choice(DELTAS), decimal(chance, -30, -1), decimal(chance, -6, -1)]
    return chance.choice([*choices, Fraction(1, 2), *disclosed])


def random_type_i(chance: random.Random) -> Fraction:
    """Anywhere in [0, 1]."""
    return chance.choice(
        [chance.choice(TYPES_I), decimal(chance, -15, -1), Fraction(chance.randint(1, 999), 1000)]
    )


ONE, TEN = Fraction(1), Fraction(10)
DISJOINT = FiniteLoss((ONE, Fraction(0)), (Fraction(0), ONE))
LOPSIDED = FiniteLoss(
    (Fraction(1, 10**12), 1 - Fraction(1, 10**12)), (Fraction(1, 2), Fraction(1, 2))
)

HARD: dict[str, list[Part]] = {
    "nothing": [],
    "equal": [(FiniteLoss((ONE / 3, ONE * 2 / 3), (ONE / 3, ONE * 2 / 3)), 5)],
    "disjoint": [(DISJOINT, 1)],
    "disjoint_and_gaussian": [(DISJOINT, 1), (GaussianLoss(ONE), 1)],
    "lopsided": [(LOPSIDED, 2)],
    "half_disclosed_three_times": [(ApproxLoss(Fraction(0), Fraction(1, 2)), 3)],
    "approx": [(ApproxLoss(ONE, 1 / TEN**10), 1)],
    "approx_and_gaussian": [(ApproxLoss(ONE, 1 / TEN**30), 1), (GaussianLoss(ONE), 1)],
    "approx_of_delta_nearly_one": [(ApproxLoss(ONE, 1 - 1 / TEN**20), 2)],
    "tiny_gaussian": [(GaussianLoss(1 / TEN**30), 1)],
    "huge_gaussian": [(GaussianLoss(TEN**6), 1)],
    "gaussian_a_hundred_thousand_times": [(GaussianLoss(1 / TEN**4), 100_000)],
    "tiny_laplace": [(LaplaceLoss(1 / TEN**15), 2)],
    "huge_laplace": [(LaplaceLoss(Fraction(500)), 2)],
    "laplaces_of_unlike_size": [(LaplaceLoss(1 / TEN**6), 1), (LaplaceLoss(TEN), 1)],
    "sharp_discrete_gaussian": [(DiscreteGaussianLoss(1, 1 / TEN**3), 1)],
    "sharp_discrete_gaussians": [(DiscreteGaussianLoss(5, Fraction(1, 7)), 2)],
    "flat_discrete_gaussian": [(DiscreteGaussianLoss(1, TEN**4), 1)],
    "incommensurable_discrete_gaussians": [
        (DiscreteGaussianLoss(1, Fraction(104, 4099) * 100), 1),
        (DiscreteGaussianLoss(2, Fraction(17, 13)), 1),
    ],
    "sharp_discrete_laplace": [(DiscreteLaplaceLoss(2, 1 / TEN**2), 2)],
    "flat_discrete_laplace": [(DiscreteLaplaceLoss(3, TEN * 3), 3)],
    "certain_randomized_response": [(RandomizedResponseLoss(Fraction(700), 10**6), 1)],
    "strong_randomized_response": [(RandomizedResponseLoss(Fraction(60)), 3)],
    "vacuous_randomized_response": [(RandomizedResponseLoss(Fraction(0), 7), 4)],
    "rare_sampling": [(SubsampledGaussianLoss(ONE / 100, 1 / TEN**12), 1)],
    "half_sampling": [(SubsampledGaussianLoss(ONE, ONE / 2), 1), (RandomizedResponseLoss(ONE), 2)],
    "sampling_all": [(SubsampledGaussianLoss(TEN, ONE), 3)],
    "sampling_none": [(SubsampledGaussianLoss(TEN, Fraction(0)), 3)],
    "all_discrete_kinds": [
        (DiscreteGaussianLoss(1, ONE), 1),
        (DiscreteLaplaceLoss(1, ONE * 2), 1),
        (RandomizedResponseLoss(ONE / 3, 4), 1),
        (ApproxLoss(ONE / 7, 1 / TEN**9), 1),
        (LOPSIDED, 1),
    ],
}
"""Products at the edge of what a calculation in doubles can hold."""

HARD_EPSILONS = tuple(Fraction(e) for e in ("0", "1e-12", "1", "3", "60", "180", "1000"))
HARD_DELTAS = tuple(Fraction(d) for d in ("1/2", "7/8", "1e-5", "1e-10", "1e-30", "1e-60"))
HARD_TYPES_I = tuple(Fraction(a) for a in ("0", "1e-30", "1e-10", "0.05", "1/2", "0.999999", "1"))


def hard_cases(name: str) -> list[Case]:
    """One hard product, and every hard question about it."""
    loss = PrivacyLoss(tuple(HARD[name]))
    questions = zip_longest(HARD_EPSILONS, HARD_DELTAS, HARD_TYPES_I, fillvalue=Fraction(1, 4))
    return [Case(loss, *question) for question in questions]
