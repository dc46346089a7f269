"""Printed numbers rise with what is released, and do not depend on how it is written.

No number is known from elsewhere here: the properties themselves are the truth. A number that is
not known counts as infinite.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from semiaudit.mechanisms.mechanism_loss import loss_at
from semiaudit.mechanisms.parts import flattened
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import Numbers
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
from semiaudit.privacy.epsilons import epsilons_at
from semiaudit.privacy.evaluate import BestAttack, numbers_of
from semiaudit.privacy.loss import Accuracy
from tests.mechanisms.fakes import NoSpaces
from tests.privacy.instances import random_polygon, random_rational
from tests.samples import slow_cases

TOLERANCE = 1e-6
DELTAS = tuple(Fraction(1, 10**k) for k in (2, 4, 6, 9, 12))
RATES = (Fraction(1, 1000), Fraction(1, 20))
UNHURRIED = Accuracy(TOLERANCE, time_limit=600.0)
HARDLY_ANYTHING = GDP(Fraction(1, 10**12))
FAST = 5
CAMPAIGN = 1700
"""Seeds of three properties each: one mechanism a seed."""


Told = dict[str, float]
"""Upper numbers by name; infinite where none is known."""


@dataclass(frozen=True)
class Question:
    """What is asked of a mechanism.

    Attributes:
        deltas: falling. rates: type I errors.
        attack: whether the advantage is asked for, too.
        whole: whether all numbers are, as a report prints them, with a mu.
    """

    deltas: tuple[Fraction, ...] = ()
    rates: tuple[Fraction, ...] = ()
    attack: bool = False
    whole: bool = False

    @classmethod
    def some(cls, chance: random.Random) -> Question:
        """Many mechanisms and few numbers of each: mostly one epsilon, now and then two, the
        advantage or a TPR; of one in forty everything, which costs as much as twenty epsilons."""
        deltas = tuple(sorted(chance.sample(DELTAS, 2), reverse=True))
        one, rates = (chance.choice(deltas),), (chance.choice(RATES),)
        kinds = {
            cls(one): 30,
            cls(deltas): 3,
            cls(attack=True): 3,
            cls(rates=rates): 3,
            cls(one, rates, attack=True, whole=True): 1,
        }
        (found,) = chance.choices(list(kinds), list(kinds.values()))
        return found

    def of(self, mechanism: Mechanism, distance: int = 1) -> Answer:
        measures = loss_at(mechanism, distance, "D", NoSpaces(), steps=True).measures
        if self.whole:
            found = numbers_of(measures, self.deltas, self.rates, UNHURRIED)
            return Answer(dict(_all_told(found)), found)
        told: Told = {}
        for delta in self.deltas:
            points, _ = epsilons_at(measures, delta, UNHURRIED)
            least = min((float(point.epsilon.value) for point in points), default=math.inf)
            told[f"epsilon at {float(delta)}"] = least
        attack = BestAttack(measures, UNHURRIED)
        if self.attack:
            told["advantage"] = float(attack.advantage())
        told |= {f"TPR at {float(a)}": float(1 - attack.type_ii(a)) for a in self.rates}
        return Answer(told)


@dataclass(frozen=True)
class Answer:
    """The upper numbers that do not fit a mu, and all of them where all were asked for."""

    told: Told
    whole: Numbers | None = None


def _all_told(found: Numbers) -> Iterator[tuple[str, float]]:
    yield "pure epsilon", _float(found.pure_dp)
    yield "rho", _float(found.zcdp)
    yield "advantage", _float(found.advantage)
    yield from ((f"TPR at {float(fpr)}", _float(power)) for fpr, power in found.tpr_at_fpr)
    yield from ((f"epsilon at {float(p.delta)}", _float(p.epsilon)) for p in found.tightest)


def _float(bound: Bound | None) -> float:
    return math.inf if bound is None else float(bound.value)


def falls(before: Answer, after: Answer) -> list[str]:
    """What is smaller after than before, by more than the tolerance."""
    assert before.told.keys() == after.told.keys()
    found = [
        f"{name}: {first!r} falls to {after.told[name]!r}"
        for name, first in before.told.items()
        if after.told[name] < first * (1 - TOLERANCE)
    ]
    if before.whole is None or after.whole is None:
        return found
    return found + _mu_falls(before.whole, after.whole)


def _mu_falls(before: Numbers, after: Numbers) -> list[str]:
    """A fitted mu hides a distance of at most its regret from the curve, on each axis."""
    if before.gdp is None or after.gdp is None or before.gdp_regret is None:
        return []
    first, second = (math.erf(_float(n.gdp) / math.sqrt(8)) for n in (before, after))
    if first - second <= 2 * _float(before.gdp_regret) + TOLERANCE * first:
        return []
    return [f"mu: {_float(before.gdp)!r} falls to {_float(after.gdp)!r}"]


def with_seeds(first: int) -> pytest.MarkDecorator:
    """Some seeds of the fast suite, and those of the campaign."""
    later = range(1000 * first, 1000 * first + CAMPAIGN)
    return pytest.mark.parametrize("seed", [*range(first, first + FAST), *slow_cases(later)])


@with_seeds(100)
def test_adding_a_mechanism_or_a_repeat_lowers_no_number(seed: int) -> None:
    chance = random.Random(seed)
    mechanism, question = random_mechanism(chance), Question.some(chance)
    part = Declared(HARDLY_ANYTHING) if chance.random() < 0.1 else random_part(chance)
    if chance.random() < 0.5:
        more = with_another(chance, mechanism, part)
    else:
        more = with_another_repeat(chance, mechanism)
    before, after = question.of(mechanism), question.of(more)
    assert not falls(before, after), (mechanism, more)
    for found in (before, after):
        epsilons = [value for name, value in found.told.items() if name.startswith("epsilon")]
        assert epsilons == sorted(epsilons)


@with_seeds(4000)
def test_a_longer_distance_lowers_no_number(seed: int) -> None:
    chance = random.Random(seed)
    mechanism, question = random_mechanism(chance, most=100), Question.some(chance)
    distance = chance.choice((1, 1, 1, 2, 3, 7))
    before, after = question.of(mechanism, distance), question.of(mechanism, distance + 1)
    assert not falls(before, after), (mechanism, distance)


@with_seeds(7000)
def test_equal_mechanisms_have_equal_numbers(seed: int) -> None:
    chance = random.Random(seed)
    mechanism, question = random_mechanism(chance), Question.some(chance)
    other = written_differently(chance, mechanism)
    first, second = question.of(mechanism), question.of(other)
    assert not falls(first, second), (mechanism, other)
    assert not falls(second, first), (mechanism, other)


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
