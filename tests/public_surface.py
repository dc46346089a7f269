"""The public names of the library with their members, as the API page and its tests read them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import semiaudit

MADE_INSIDE = (
    "Ablation",
    "Approximation",
    "Array",
    "Bound",
    "Comparison",
    "Curve",
    "Designs",
    "Enclosure",
    "Enclosures",
    "Guarantee",
    "Lipschitz",
    "Profile",
    "Report",
    "Samples",
    "Satisfied",
    "SemiAdjacency",
    "Spec",
    "Table",
    "TradeoffFunction",
)
"""Classes whose values other functions make: their constructors are no part of the surface."""

OPERATORS = ("__add__", "__mul__", "__rmul__", "__matmul__", "__call__", "__float__")
CONTAINER = ("__getitem__", "__iter__", "__len__")
"""Methods without a name of their own that users call."""


def public_names() -> list[str]:
    """Every public name but the version."""
    return [name for name in semiaudit.__all__ if name != "__version__"]


def attributes(cls: type) -> dict[str, Any]:
    """What a class defines, and then what classes above it do that are not public themselves."""
    public = [getattr(semiaudit, name) for name in public_names()]
    own = [c for c in cls.__mro__ if c.__module__.startswith("semiaudit.")]
    own = [cls, *(c for c in own if c is not cls and c not in public)]
    found: dict[str, Any] = {}
    for above in own:
        for name, value in tuple(vars(above).items()):
            compiled = name in ("__init__", "__eq__", "__hash__", "__repr__")  # at the first use
            found.setdefault(name, getattr(above, name) if compiled else value)
    return found


def members(cls: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions behind the public methods and properties that a class has, in order."""
    for name, value in attributes(cls).items():
        if name == "__init__" and cls.__name__ not in MADE_INSIDE:
            yield name, value
        elif not name.startswith("_") or name in (*OPERATORS, *CONTAINER):
            found = inspect.unwrap(getattr(value, "__func__", value))
            if isinstance(value, property) and value.fget is not None:
                yield name, value.fget
            elif inspect.isfunction(found):
                yield name, found
