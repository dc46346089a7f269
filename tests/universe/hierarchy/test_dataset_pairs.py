"""Moves of hierarchies against all pairs of datasets of toys, one by one."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.model.topdown import SecretPair, TopDown
from semiaudit.universe.hierarchy import changes
from semiaudit.universe.hierarchy.dataset_pairs import Pairs, pairs_of
from semiaudit.universe.hierarchy.secrets import secrets_of
from tests.oracles.hierarchies import Toy, random_toy
from tests.samples import sampled
from tests.universe.hierarchy.toys import release_of

LEVELS = {"nation": 0, "part": 1, "county": 2}
Record = tuple[int, int, int]


def pairs(toy: Toy, *, named: bool) -> Pairs:
    release = release_of(toy, named=named)
    assert isinstance(release.mechanism, TopDown)
    return pairs_of(release.mechanism, release)


def twice_rho(toy: Toy, pair: SecretPair) -> int:
    """Of the worst move; -1 where there is no pair."""
    found = [
        sum(a.weight * sum(k * k for k in sizes) for a, sizes in zip(toy.asked, move, strict=True))
        for move in pair.moves
    ]
    return max(found, default=-1)


def topmost(found: Pairs, secret: SecretPair) -> int:
    """The topmost level that splits the states of which a secret speaks."""
    several = next(p.several for p in found.geography.places if p.description == secret.where)
    return several.index(True) if any(several) else 4


def moves_of_kind(toy: Toy, found: Pairs, secret: SecretPair) -> Callable[[Any, Any], bool]:
    """Which moves of one record are of a kind."""
    name, _, rest = secret.name.partition(":")
    level_of_states = topmost(found, secret) if secret.where else 0

    def in_places(r: Record, s: Record) -> bool:
        if not secret.where:
            return True
        return toy.state(r) == toy.state(s) and toy.topmost(toy.state(r)) == level_of_states

    def is_wanted(r: Record, s: Record) -> bool:
        if name == "attribute":
            kept = 2 if rest == "first" else 1
            return r[0] == s[0] and r[kept] == s[kept]
        if name == "geography":
            level = LEVELS[rest.removeprefix("block within ")]
            near = toy.blocks[r[0]][level] == toy.blocks[s[0]][level]
            return r[1:] == s[1:] and near and in_places(r, s)
        return name != "within_state" or (toy.state(r) == toy.state(s) and in_places(r, s))

    return is_wanted


def oracle(toy: Toy, found: Pairs, secret: SecretPair) -> int:
    inside = secret.universe == "D_t"
    if secret.name.startswith("exchange"):
        return toy.exchanges("within" in secret.name, inside=inside)
    wanted = moves_of_kind(toy, found, secret)
    if secret.name == "across_states" and inside:

        def crosses(r: Record, s: Record) -> bool:
            return toy.state(r) != toy.state(s)

        return toy.one(crosses, inside=True) if secret.distance == 1 else toy.compensated()
    if secret.distance == 1:
        return toy.one(wanted, inside=inside)
    return toy.two(wanted, inside=inside)


CASES = sampled([(seed, named) for seed in range(150) for named in (True, False)], range(6))


@pytest.mark.parametrize(("seed", "named"), CASES)
def test_state_totals_fixed_every_secret_costs_what_the_worst_of_all_its_pairs_does(
    seed: int, named: bool
) -> None:
    toy = random_toy(random.Random(seed), plain=True)
    found = pairs(toy, named=named)
    secrets = secrets_of(found)
    for secret in secrets:
        if secret.where and secret.name in ("across_states", "exchange_within_state"):
            continue
        told = twice_rho(toy, secret)
        truth = oracle(toy, found, secret)
        assert told >= truth, secret
        if (named or toy.full) and secret.attained:
            assert told == truth, secret
    compensated = [s for s in secrets if s.name == "across_states" and s.universe == "D_t"]
    assert max(twice_rho(toy, s) for s in compensated) >= toy.compensated()
    if named or toy.full:
        assert max(twice_rho(toy, s) for s in compensated) == toy.compensated()
    for universe in ("D", "D_t"):
        for distance, worst in ((1, toy.one), (2, toy.two)):
            pair = found.worst("D" if universe == "D" else "D_t", distance)
            told = twice_rho(toy, pair)
            assert told >= worst(lambda r, s: True, inside=universe == "D_t")
            if pair.attained and (named or toy.full):
                assert told == worst(lambda r, s: True, inside=universe == "D_t")


GENERAL = sampled([(seed, named) for seed in range(300) for named in (True, False)], range(6))


@pytest.mark.parametrize(("seed", "named"), GENERAL)
def test_whatever_the_margins_no_pair_costs_more_and_what_is_attained_costs_no_less(
    seed: int, named: bool
) -> None:
    toy = random_toy(random.Random(seed), plain=False)
    found = pairs(toy, named=named)
    for distance, worst in ((1, toy.one), (2, toy.two)):
        for universe in ("D", "D_t"):
            pair = found.worst("D" if universe == "D" else "D_t", distance)
            told, truth = twice_rho(toy, pair), worst(lambda r, s: True, inside=universe == "D_t")
            assert told >= truth, (universe, distance)
            if pair.attained and (named or toy.full):
                assert told == truth, (universe, distance)
    for secret in secrets_of(found):
        if secret.where and secret.name in ("across_states", "exchange_within_state"):
            continue
        told, truth = twice_rho(toy, secret), oracle(toy, found, secret)
        assert told >= truth, secret
        if secret.attained and (named or toy.full):
            assert told == truth, secret


FEW_MOVES = 300
SMALL = [
    seed
    for seed in range(5000, 5250)
    if len(random_toy(random.Random(seed), plain=seed % 3 == 0).moves) <= FEW_MOVES
]


@pytest.mark.parametrize("seed", sampled(SMALL[:40], range(2)))
def test_at_distance_3_no_three_moves_cost_more(seed: int) -> None:
    toy = random_toy(random.Random(seed), plain=seed % 3 == 0)
    for universe in ("D", "D_t"):
        truth = toy.three(inside=universe == "D_t")
        for named in (True, False):
            pair = pairs(toy, named=named).worst("D" if universe == "D" else "D_t", 3)
            told = twice_rho(toy, pair)
            assert told >= truth
            if pair.attained and (named or toy.full):
                assert told == truth


def test_exchanges_are_attained_only_if_their_changes_are_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def attained(seed: int) -> set[bool]:
        changes.changes.cache_clear()
        found = secrets_of(pairs(random_toy(random.Random(seed), plain=True), named=True))
        exchanges = [one for one in found if one.moves and one.name.startswith("exchange")]
        return {secret.attained for secret in exchanges}

    seeds = [seed for seed in range(10) if True in attained(seed)]
    assert seeds
    monkeypatch.setattr(changes, "MAX_CHANGES", 0)
    assert [True in attained(seed) for seed in seeds] == [False] * len(seeds)
    changes.changes.cache_clear()


def test_most_answers_are_attained() -> None:
    seeds = range(40)
    found = [
        pairs(random_toy(random.Random(s), plain=True), named=True).worst("D_t", 2) for s in seeds
    ]
    assert sum(pair.attained for pair in found) > 30


@pytest.mark.parametrize("goes_known", [False, True])
@pytest.mark.parametrize("stays_known", [False, True])
def test_ways_are_known_to_exist_if_those_to_go_and_those_to_stay_are(
    goes_known: bool, stays_known: bool
) -> None:
    def found(*, none: bool, goes: tuple[str, ...] = ("a way",)) -> Any:
        zones = SimpleNamespace(none=none, stays=lambda _: (("to stay",), stays_known))
        pairs: Any = SimpleNamespace(goes=lambda *_: (goes, goes_known), zones=zones)
        places: Any = None
        return Pairs._ways(pairs, "D_t", places)

    both = goes_known and stays_known
    assert found(none=False) == (("a way", "to stay"), both)
    assert found(none=True) == (("a way",), goes_known)
    assert found(none=True, goes=()) == (("to stay",), both)


@pytest.mark.parametrize(("seed", "kinds"), [(0, 1), (2, 2), (7, 3)])
def test_moves_across_states_name_the_kinds_of_states_if_there_are_several(
    seed: int, kinds: int
) -> None:
    found = pairs(random_toy(random.Random(seed), plain=True), named=True)
    names = [place.description for place in found.geography.places]
    assert len(names) == kinds
    across = [
        secret.where
        for secret in secrets_of(found)
        if (secret.name, secret.universe, secret.distance) == ("across_states", "D_t", 2)
    ]
    assert across
    for where in across:
        assert (where == "") if kinds == 1 else set(where.split("; ")) <= set(names)
