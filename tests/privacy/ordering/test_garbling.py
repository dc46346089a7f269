"""Blackwell's order of experiments on several datasets, against elimination in exact rationals."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from semiaudit.model.loss import FiniteLoss
from semiaudit.privacy.ordering import garbling
from semiaudit.privacy.ordering.blackwell import kernel_between
from semiaudit.privacy.ordering.garbling import garbling_of, refutes, turns
from tests.oracles.garbling import has_kernel, multiplied, random_law
from tests.samples import repeated

F = Fraction


@repeated(fast=150, slow=3000)
def test_there_is_a_kernel_exactly_where_elimination_finds_room_for_one(times: int) -> None:
    chance = random.Random(20_1951)
    found = {True: 0, False: 0}
    for _ in range(times):
        datasets = chance.randint(1, 4)
        outcomes, answers = chance.choice([(2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (2, 4)])
        source = [random_law(chance, outcomes) for _ in range(datasets)]
        target = [random_law(chance, answers) for _ in range(datasets)]
        if chance.random() < 0.4:
            kernel = [random_law(chance, answers) for _ in range(outcomes)]
            target = [multiplied(law, kernel) for law in source]
        answer = garbling_of(source, target)
        assert answer is not None
        assert (answer.kernel is not None) == has_kernel(source, target)
        found[answer.kernel is not None] += 1
        if answer.kernel is not None:
            assert [multiplied(law, answer.kernel) for law in source] == target
            assert all(sum(row) == 1 and min(row) >= 0 for row in answer.kernel)
    assert min(found.values()) > times / 6


def test_on_two_datasets_it_agrees_with_the_polygons() -> None:
    chance = random.Random(7)
    kinds = set()
    for _ in range(60):
        one, other = ([random_law(chance, 3) for _ in range(2)] for _ in range(2))
        answer = garbling_of(one, other)
        assert answer is not None
        polygons = kernel_between(FiniteLoss(*one), FiniteLoss(*other))
        assert (answer.kernel is None) == (polygons is None)
        kinds.add(polygons is None)
    assert kinds == {True, False}


def test_a_kernel_on_every_pair_is_no_kernel_on_all() -> None:
    # Pairwise order does not suffice for three datasets: a search by the oracle finds such a case.
    chance = random.Random(3)
    for _ in range(400):
        one, other = ([random_law(chance, 3) for _ in range(3)] for _ in range(2))
        pairs = [(0, 1), (0, 2), (1, 2)]
        pairwise = all(has_kernel([one[a], one[b]], [other[a], other[b]]) for a, b in pairs)
        if pairwise and not has_kernel(one, other):
            break
    else:
        pytest.fail("no such case was drawn")
    answer = garbling_of(one, other)
    assert answer is not None
    assert answer.kernel is None
    assert answer.reward is not None
    assert refutes(answer.reward, one, other)


def test_what_is_claimed_is_checked() -> None:
    law, other = (F(3, 4), F(1, 4)), (F(1, 4), F(3, 4))
    assert turns(((F(1), F(0)), (F(0), F(1))), [law, other], [law, other])
    assert not turns(((F(2), F(-1)), (F(0), F(1))), [law], [(F(3, 2), F(-1, 2))])
    assert not turns(((F(1), F(0)), (F(1), F(0))), [law, other], [law, other])
    assert not refutes([(F(1), F(0)), (F(0), F(1))], [law, other], [law, other])


def test_what_is_too_large_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbling, "MAX_ENTRIES", 3)
    law = (F(1, 2), F(1, 2))
    assert garbling_of([law], [law]) is None
