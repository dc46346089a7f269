"""Public values are equal by their parts, and survive copies and other processes."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

import pytest

import semiaudit
from semiaudit import (
    ApproxTradeoff,
    CanonicalNoise,
    GaussianTradeoff,
    NullSpace,
    SemiauditError,
    SpecError,
    audit,
)
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import OutputError
from tests.library.public_values import EXAMPLES, TEXT
from tests.public_surface import public_names

CLASSES = [
    name
    for name in public_names()
    if inspect.isclass(value := getattr(semiaudit, name)) and not getattr(value, "_is_protocol", 0)
]


def example(name: str) -> Any:
    return EXAMPLES[name]()


def same(value: Any) -> Any:
    return value


@pytest.mark.parametrize("name", CLASSES)
def test_copies_of_a_public_value_are_equal_to_it(name: str) -> None:
    value = example(name)
    assert type(value).__name__ == name
    again = example(name)
    copies = [copy.copy(value), copy.deepcopy(value)]
    copies += [pickle.loads(pickle.dumps(value, p)) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    for other in (again, *copies):
        assert type(other) is type(value)
        assert other == value
        assert hash(other) == hash(value)
        assert repr(other) == repr(value)
        assert str(other) == str(value)


def test_values_go_to_a_spawned_process_and_come_back() -> None:
    values = {name: example(name) for name in CLASSES}
    with get_context("spawn").Pool(1) as pool:
        back = dict(zip(values, pool.map(same, values.values()), strict=True))
        made = dict(zip(values, pool.map(example, values), strict=True))
    assert back == values
    assert made == values


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (GaussianTradeoff(1), GaussianTradeoff(2)),
        (GaussianTradeoff(1) @ ApproxTradeoff(1), GaussianTradeoff(1) @ ApproxTradeoff(2)),
        (CanonicalNoise(ApproxTradeoff(1)), CanonicalNoise(ApproxTradeoff(2))),
        (NullSpace([[1, 1]]), NullSpace([[1, 2]])),
        (GaussianTradeoff(1).tradeoff(3), GaussianTradeoff(1).tradeoff(5)),
        (GaussianTradeoff(1), 1),
    ],
)
def test_values_with_other_parts_differ(one: object, other: object) -> None:
    assert one != other


def test_numbers_are_equal_however_they_are_written() -> None:
    assert GaussianTradeoff(1) == GaussianTradeoff("1")
    assert len({GaussianTradeoff(0.5), GaussianTradeoff("1/2")}) == 1
    assert GaussianTradeoff(1).repeat(2) == GaussianTradeoff("1.0").repeat(2)


@pytest.mark.parametrize("make", [OutOfTimeError, lambda: OutputError("disk", "is full")])
def test_errors_without_a_public_name_survive_too(make: Callable[[], SemiauditError]) -> None:
    error = make()
    error.add_note("while it was read")
    again = pickle.loads(pickle.dumps(error))
    assert again == error
    assert (str(again), again.__notes__) == (str(error), error.__notes__)


def test_a_spec_that_is_not_valid_fails_in_a_pool_and_does_not_hang_it() -> None:
    with get_context("spawn").Pool(1) as pool:
        bad = pool.apply_async(audit, (TEXT.replace("pure_dp", "pure_pd"),))
        good = pool.apply_async(audit, (TEXT,))
        with pytest.raises(SpecError, match="pure_pd") as raised:
            bad.get(timeout=60)
        assert raised.value.problems[0].line == 5
        assert good.get(timeout=60) == audit(TEXT)
