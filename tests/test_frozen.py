"""Records do what frozen dataclasses do: each class here is made by both."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, field, fields, is_dataclass, replace
from itertools import product
from typing import Any, ClassVar, get_type_hints

import pytest

from semiaudit import frozen

Maker = Callable[..., Any]


def _classes(dataclass: Maker) -> dict[str, Any]:
    """A class for every option that the program uses."""

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    @dataclass(frozen=True, slots=True)
    class Plain:
        first: float
        second: tuple[int, ...] = ()
        kind: ClassVar[str] = "plain"

        def total(self) -> float:
            return self.first + sum(self.second)

    @dataclass(frozen=True, slots=True)
    class Derived(Plain):
        third: str = "3"
        kind: ClassVar[str] = "derived"

    @dataclass(frozen=True, slots=True, kw_only=True)
    class OnlyKeys:
        mark: int = 0
        name: str

    @dataclass(frozen=True, slots=True, repr=False)
    class Terse:
        value: int

    @dataclass(frozen=True, slots=True)
    class Computed:
        value: int
        note: str = field(default="", compare=False)
        hidden: int = field(default=7, repr=False)
        found: dict[str, int] = field(default_factory=dict, compare=False)
        square: int = field(init=False, repr=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "square", self.value**2)

    @dataclass(frozen=True, slots=True)
    class Worded:
        text: str

        def __repr__(self) -> str:
            return self.text

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Worded) and self.text.lower() == other.text.lower()

        def __hash__(self) -> int:
            return hash(self.text.lower())

    @dataclass(frozen=True)
    class Remembering(Plain):
        @frozen.cached_property
        def twice(self) -> float:
            return 2 * self.first

    return {
        made.__name__: made
        for made in (Empty, Plain, Derived, OnlyKeys, Terse, Computed, Remembering, Worded)
    }


RECORDS, PLAIN = _classes(frozen.dataclass), _classes(dataclasses.dataclass)

NAN = float("nan")
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Empty", (), {}),
    ("Plain", (1,), {}),
    ("Plain", (1, (2, 3)), {}),
    ("Plain", (), {"second": (2, 3), "first": 1.0}),
    ("Plain", (NAN,), {}),
    ("Derived", (1, (2, 3)), {}),
    ("Derived", (1, (2, 3), "4"), {}),
    ("OnlyKeys", (), {"name": "a"}),
    ("OnlyKeys", (), {"name": "a", "mark": 1}),
    ("Computed", (3,), {}),
    ("Computed", (3, "note"), {}),
    ("Computed", (3,), {"hidden": 8}),
    ("Computed", (3,), {"found": {"a": 1}}),
    ("Remembering", (1, (2, 3)), {}),
    ("Worded", ("A",), {}),
    ("Worded", ("a",), {}),
]
MADE, EXPECTED = (
    [classes[name](*args, **keys) for name, args, keys in CALLS] for classes in (RECORDS, PLAIN)
)


@pytest.mark.parametrize("place", range(len(CALLS)))
def test_instances_have_the_same_values_text_and_hash(place: int) -> None:
    made, expected = MADE[place], EXPECTED[place]
    assert [f.name for f in fields(made)] == [f.name for f in fields(expected)]
    for name in (f.name for f in fields(expected)):
        assert getattr(made, name) is getattr(expected, name) or getattr(made, name) == getattr(
            expected, name
        )
    assert repr(made) == repr(expected)
    assert hash(made) == hash(expected)
    assert is_dataclass(made)
    assert hasattr(made, "__dict__") == hasattr(expected, "__dict__")


def test_instances_are_equal_where_those_of_dataclasses_are() -> None:
    for one, two in product(range(len(CALLS)), repeat=2):
        assert (MADE[one] == MADE[two]) == (EXPECTED[one] == EXPECTED[two]), (one, two)
    assert MADE[0] != EXPECTED[0]


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_classes_are_described_alike(name: str) -> None:
    record, plain = RECORDS[name], PLAIN[name]
    assert inspect.signature(record) == inspect.signature(plain)
    assert record.__match_args__ == plain.__match_args__
    assert record.__dict__.get("__slots__") == plain.__dict__.get("__slots__")
    assert get_type_hints(record) == get_type_hints(plain)
    assert record.__init__.__qualname__ == plain.__init__.__qualname__


@pytest.mark.parametrize("made", [one for one in MADE[:-2] if "nan" not in repr(one)], ids=repr)
def test_instances_are_copied_replaced_and_never_changed(made: Any) -> None:
    assert copy.copy(made) == made
    assert repr(copy.deepcopy(made)) == repr(made)
    assert replace(made) == made
    for name in [f.name for f in fields(made)] or ["new"]:
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
            setattr(made, name, 1)
        with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
            delattr(made, name)


def test_a_wrong_call_has_the_message_of_a_dataclass() -> None:
    for arguments in ((), (1, 2, 3)):
        with pytest.raises(TypeError) as made:
            _classes(frozen.dataclass)["Plain"](*arguments)
        with pytest.raises(TypeError) as expected:
            PLAIN["Plain"](*arguments)
        assert str(made.value) == str(expected.value)


def test_classes_inherit_in_any_order() -> None:
    makers: tuple[Maker, ...] = (frozen.dataclass, dataclasses.dataclass)
    for first, second, slots in product(makers, makers, (False, True)):
        above = type("Above", (), {"__annotations__": {"one": int}})
        above = first(frozen=True, slots=slots)(above)
        below: Any = type("Below", (above,), {"__annotations__": {"two": int}, "two": 2})
        below = second(frozen=True, slots=slots)(below)
        assert (below(1).one, below(1).two, below(1) == below(1, 2)) == (1, 2, True)
        with pytest.raises(FrozenInstanceError):
            below(1).one = 3


@frozen.dataclass(frozen=True, slots=True)
class Sent:
    """What goes to another process."""

    value: int
    computed: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "computed", self.value + 1)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_instances_are_sent_between_processes(protocol: int) -> None:
    sent = pickle.loads(pickle.dumps(Sent(4), protocol))
    assert (sent, sent.computed) == (Sent(4), 5)


@frozen.dataclass(frozen=True, slots=True)
class Chain:
    """What may hold itself."""

    links: list[Chain]


def test_a_record_that_holds_itself_has_a_text() -> None:
    chain = Chain([])
    chain.links.append(chain)
    assert repr(chain) == "Chain(links=[...])"


@pytest.mark.parametrize("options", [{"frozen": False}, {"order": True}])
def test_other_dataclasses_are_refused(options: dict[str, bool]) -> None:
    with pytest.raises(TypeError, match="use dataclasses"):
        frozen.dataclass(**{"frozen": True, "slots": True, **options})


def test_a_frozen_class_without_slots_remembers_a_cached_property() -> None:
    made = RECORDS["Remembering"](4)
    assert (made.twice, made.__dict__) == (8, {"twice": 8})


class Waiting:
    """An object whose property may wait."""

    def __init__(self, computed: Callable[[], int]) -> None:
        self.computed = computed

    @frozen.cached_property
    def value(self) -> int:
        return self.computed()


def test_no_property_waits_for_that_of_another_object() -> None:
    """On Python 3.11, those of functools have one lock for all objects of a class."""
    begun, over = threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        over.wait(60)
        return 1

    first = Waiting(slow)
    with ThreadPoolExecutor(2) as threads:
        late = threads.submit(lambda: first.value)
        assert begun.wait(60)
        assert threads.submit(lambda: Waiting(lambda: 2).value).result(timeout=30) == 2
        over.set()
        assert late.result(timeout=60) == 1
