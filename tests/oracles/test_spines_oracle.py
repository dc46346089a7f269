"""The enumeration of pairs against datasets that are listed one by one, and against hand counts."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from tests.oracles.spine_pairs import Country, Invariant, Level, Query, Toy, country, geographies
from tests.oracles.spine_secrets import Kind, Rest, delta, law_of, losses, secrets

ATTRIBUTES = {"state": ("s", "t"), "a": ("x", "y")}
SPINE = [Level("Country"), Level("State", "state", frozenset({"s"}))]
QUERIES = {"all": Query(()), "a": Query(("a",)), "some": Query((), where={"a": frozenset("x")})}
WEIGHTS = {
    ("Country", "a"): Fraction(1, 2),
    ("State", "all"): Fraction(1, 3),
    ("State", "some"): Fraction(1, 5),
}


def toy(*invariants: Invariant, zeros: tuple[dict[str, frozenset[str]], ...] = ()) -> Toy:
    return Toy(ATTRIBUTES, {}, zeros, SPINE, {}, QUERIES, WEIGHTS, invariants, 2)


def only(some: Toy) -> Country:
    (geography,) = geographies(some, 10, random.Random(0))
    return country(some, geography)


def listed(land: Country) -> dict[tuple[Kind, bool], Fraction]:
    """The worst pair of all ordered datasets up to each distance, and of the states' kinds."""
    worst: dict[tuple[Kind, bool], Fraction] = {}
    everything = range(len(land.records))
    for one, two in product(product(everything, repeat=2), repeat=2):
        changed = [at for at in (0, 1) if one[at] != two[at]]
        if Counter(one) == Counter(two):
            continue
        told = [Counter(x for at in data for x in land.records[at].exact) for data in (one, two)]
        states = [[land.records[data[at]].cell["state"] for at in changed] for data in (one, two)]
        kinds: list[Kind] = [("any", len(changed))]
        if states[0] == states[1] and len(set(states[0])) == 1:
            kinds.append(("within", "state", states[0][0], len(changed)))
        if len(changed) == 2 and states[0] == states[1][::-1] and len(set(states[0])) == 2:
            kinds.append(("across", "state", frozenset(states[0]), 2))
        for kind in kinds:
            for inside in (False, True) if told[0] == told[1] else (False,):
                if inside or kind[0] == "any":
                    rho = land.rho(one, two)
                    worst[kind, inside] = max(worst.get((kind, inside), rho), rho)
    return worst


@pytest.mark.parametrize(
    "some",
    [
        toy(),
        toy(Invariant("margin", ("state",))),
        toy(Invariant("margin", ("state",)), Invariant("margin", ("a",))),
        toy(Invariant("margin", ("a",)), zeros=({"state": frozenset("t"), "a": frozenset("x")},)),
        toy(Invariant("margin", ("state",)), Invariant("count", (), {"a": frozenset("y")})),
    ],
)
def test_the_worst_pairs_are_those_of_all_datasets(some: Toy) -> None:
    land = only(some)
    found = secrets(land, Rest(some), ["state"])
    brute = listed(land)
    compared = {kind for kind in found if kind[0][0] in ("any", "within")}
    compared |= {kind for kind in found if kind[0][0] == "across" and kind[0][-1] == 2}
    compared = {key for key in compared if key[1] or key[0][0] == "any"}
    assert compared == set(brute)
    # Two records that stay where they are, but one, are at distance 1 of another pair of places.
    for key in compared:
        assert found[key].rho == brute[key]


def test_by_hand() -> None:
    """In s, whose level is split: a changes, and the piece; in t only a changes."""
    some = toy(Invariant("margin", ("state",)))
    land = only(some)
    assert len(land.records) == 6
    found = secrets(land, Rest(some), ["state"])
    everything = Fraction(1, 2) + Fraction(1, 3) + Fraction(1, 10)
    # From x to x in the other piece both counts of "some" move, from x to y one of them.
    assert found[("within", "state", "s", 1), True].rho == everything
    assert found[("within", "state", "t", 1), True].rho == Fraction(1, 2) + Fraction(1, 10)
    assert found[("within", "state", "t", 2), True].rho == 4 * Fraction(6, 10)
    assert found[("attribute", "a"), False].rho == Fraction(6, 10)
    assert found[("geography", "Country"), False].rho == Fraction(1, 3) + Fraction(1, 5)
    assert (("across", "state", 1), True) not in found


def test_a_split_without_a_place_for_two_pieces_has_no_geography() -> None:
    places = {"state": ("s",), "county": ("c",)}
    spine = [Level("State", "state", frozenset("s")), Level("County", "county")]
    some = Toy(
        places,
        {"county": ("state", {"c": "s"})},
        (),
        spine,
        {},
        {"all": Query(())},
        {("County", "all"): Fraction(1)},
        (),
        2,
    )
    assert geographies(some, 10, random.Random(0)) == []


def test_losses_are_those_of_the_noise_itself() -> None:
    """Of one shift: the sums over the noise; and the ratio of two laws has mean 1."""
    rho = Fraction(1, 3)
    unit, law = losses([(rho, 2)])
    mass = {x: math.exp(-float(rho) * x * x / 2) for x in range(-60, 61)}
    total = math.fsum(mass.values())
    for epsilon in (0.1, 0.7, 2.0):
        expected = math.fsum(
            max(mass[x] - math.exp(epsilon) * mass.get(x - 2, 0.0), 0.0) for x in mass
        )
        assert delta((unit, law), epsilon) == pytest.approx(expected / total, rel=1e-9)
    land = only(toy())
    unit, law = law_of(land, ((0, 0), (5, 4))) or (0, {})
    mean = math.fsum(part * math.exp(-loss / (2 * unit)) for loss, part in law.items())
    assert mean == pytest.approx(1, abs=1e-9)  # Of the tails that are left out one is heavier.
