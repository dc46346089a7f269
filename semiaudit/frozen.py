"""Frozen dataclasses whose methods are compiled when they are first needed; cached properties.

``dataclasses`` compiles six methods of a frozen class when the class is made, which takes half a
millisecond. A start makes two hundred classes, and instances of a few. So the methods that can be
the same for all classes are, and each of the others stays the one that ``dataclasses`` compiles,
but is compiled at its first call (docs/decisions/0027).
"""

from __future__ import annotations

import dataclasses
from dataclasses import FrozenInstanceError, fields

TYPE_CHECKING = False  # as in ``semiaudit``
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass
    from functools import cached_property as cached_property
    from typing import Any, NoReturn
else:

    class cached_property:  # noqa: N801 - as in functools
        """A property that is computed once, and without a lock.

        On Python 3.11, ``functools.cached_property`` has one lock for all instances of a class:
        threads that audit would wait for each other, and a process that is forked meanwhile would
        wait forever. Without it, two threads may compute the same value; the first one stays.
        """

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return instance.__dict__.setdefault(self._name, self._compute(instance))

    def dataclass(
        *, frozen: bool, slots: bool = False, kw_only: bool = False, **options: bool
    ) -> Callable[[type], type]:
        """Make a dataclass of a class that is frozen, like ``dataclasses.dataclass``.

        Raises:
            TypeError: the class is not to be frozen, or is to be ordered.
        """
        if not frozen or options.keys() - {"repr"}:
            raise TypeError("use dataclasses.dataclass for a class that is not frozen, or ordered")
        unwanted = {"__repr__"} if options.get("repr") is False else set()
        shared = _SHARED if slots else _FROZEN

        def decorated(cls: type) -> type:
            unchanged = cls.__dict__.keys() | unwanted
            inherits = any(map(dataclasses.is_dataclass, cls.__bases__))
            fields_only = {**_NONE, "slots": slots, "kw_only": kw_only, "frozen": inherits}
            record = dataclasses.dataclass(**fields_only)(cls)
            record.__dataclass_params__.frozen = True  # for classes that inherit from it
            for name in shared:
                setattr(record, name, _Shared.__dict__[name])
            for name in _COMPILED.keys() - unchanged:
                setattr(record, name, _Uncompiled(record, name))
            return record

        return decorated


_NONE = {"init": False, "repr": False, "eq": False}
_COMPILED = {"__init__": "init", "__repr__": "repr", "__eq__": "eq", "__hash__": "eq"}
"""The option of ``dataclasses.dataclass`` for each method."""


class _Uncompiled:
    """A method of a class until its first call."""

    __slots__ = ("_name", "_record")

    def __init__(self, record: type, name: str) -> None:
        self._record = record
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        method = _compiled(self._record, self._name)
        setattr(self._record, self._name, method)
        return method if instance is None else method.__get__(instance)


def _compiled(record: Any, name: str) -> Any:
    """Return what ``dataclasses`` compiles for a frozen class with the same fields."""
    fields_by_name = {field.name: field for field in fields(record)}
    body: dict[str, Any] = {
        **fields_by_name,
        "__annotations__": {name: field.type for name, field in fields_by_name.items()},
        "__module__": record.__module__,
    }
    if hasattr(record, "__post_init__"):
        body["__post_init__"] = None  # it is called by its name
    options = {**_NONE, _COMPILED[name]: True}
    same: Any = dataclasses.dataclass(**options, frozen=True)(type(record.__name__, (), body))
    method = same.__dict__[name]
    method.__qualname__ = f"{record.__qualname__}.{name}"
    return method


class _Shared:
    """The methods that are the same for all classes."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self: Any) -> list[Any]:
        return [getattr(self, field.name) for field in fields(self)]

    def __setstate__(self: Any, state: list[Any]) -> None:
        for field, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, field.name, value)


_FROZEN = ("__setattr__", "__delattr__")
_SHARED = (*_FROZEN, "__getstate__", "__setstate__")
