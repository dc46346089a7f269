"""The public names of the library with their members, as the API page and its tests read them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import semiaudit

MADE_INSIDE = (
    "Ablation",
    "Bound",
    "Comparison",
    "Curve",
    "Guarantee",
    "Lipschitz",
    "Profile",
    "Report",
    "Satisfied",
    "Spec",
    "TradeoffFunction",
)
"""Classes whose values other functions make: their constructors are no part of the surface."""

OPERATORS = ("__add__", "__mul__", "__rmul__", "__matmul__", "__call__", "__float__")
CONTAINER = ("__getitem__", "__iter__", "__len__")
"""Methods without a name of their own that users call."""


def public_names() -> list[str]:
    """Every public name but the version."""
    return [name for name in semiaudit.__all__ if name != "__version__"]


def members(cls: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions behind the public methods and properties that a class defines, in order."""
    for name, value in vars(cls).items():
        if name == "__init__" and cls.__name__ not in MADE_INSIDE:
            yield name, value
        elif not name.startswith("_") or name in (*OPERATORS, *CONTAINER):
            found = inspect.unwrap(getattr(value, "__func__", value))
            if isinstance(value, property) and value.fget is not None:
                yield name, value.fget
            elif inspect.isfunction(found):
                yield name, found
