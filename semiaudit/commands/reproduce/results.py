"""Our number for a row of published.csv: a spec or a call, and a path into its result.

``from`` is a spec (``configs/NAME.yaml``, ``specs/NAME.yaml``), or a call such as
``tables.sensitivity_space(row=2, column=2, distance=3)`` or ``GaussianTradeoff(1)``: of a function
in a module of ``procedures``, or of a class of ``semiaudit``. Each is computed once.

``path`` leads from the audit, or from what the call returns, to one number. Its steps:

- ``semi_dp.mu``: an attribute or a key, each after a dot but the first;
- ``epsilon(1e-6)``: the call of a method;
- ``[0]``, ``[universe=D_t, distance=2]``: of a list, the item at a place, or the only item of which
  all this is true.

The path reads the audit and not its JSON, whose doubles have neither their side nor their method.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

from semiaudit.commands.reproduce.model import Estimate, Ours, Published
from semiaudit.commands.reproduce.ours import NO, YES, answered, counted, report_of
from semiaudit.commands.reproduce.procedures import PROCEDURES
from semiaudit.library.report import Report, audit_of
from semiaudit.model.bound import Bound, exact
from semiaudit.model.semi_adjacency import Parameter
from semiaudit.numeric.rationals import rational_from_text

A_T = "Cho and Awan, Definition 13"

_NOTHING = object()
_CALL = re.compile(r"(?:(\w+)\.)?(\w+)\((.*)\)")
_STEP = re.compile(r"\.?(?P<name>\w+)|\[(?P<which>[^\]]*)\]|\((?P<arguments>[^)]*)\)")
_ARGUMENT = re.compile(r'(?:(\w+)=)?(\[.*\]|"[^"]*"|[^,"]+)(?:,\s*|$)')


def ours_of(row: Published) -> Ours:
    """Return our number for a published one.

    Raises:
        ValueError: ``from`` or ``path`` does not have the form of this module's docstring.
        LookupError: the path leads nowhere.
        TypeError: what it leads to is neither a number, nor a word, nor a truth.
    """
    return _ours(value_at(result_of(row.origin), row.path), row.method)


@cache
def result_of(origin: str) -> Any:
    """Return the audit of a spec, or the result of a call; computed once.

    Raises:
        ValueError: it is neither a spec nor a known call.
    """
    if origin.endswith(".yaml"):
        return report_of(origin)
    call = _CALL.fullmatch(origin)
    if call is None:
        raise ValueError(f"{origin!r} is neither a spec nor a call")
    module, name, arguments = call.groups()
    if module is not None and module not in PROCEDURES:
        raise ValueError(f"there is no module {module!r} of procedures")
    places, names = _arguments(arguments)
    home = import_module("semiaudit" if module is None else PROCEDURES[module])
    return _inside(home, name)(*places, **names)


def value_at(result: Any, path: str) -> Any:
    """Return the value at a path.

    Raises:
        ValueError: it has something that is not a step.
        LookupError: there is no such attribute, key or item.
    """
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise ValueError(f"{path!r} has no step at {path[at:]!r}")
        if step["name"] is not None:
            result = _inside(result, step["name"])
        elif step["which"] is not None:
            result = _item(result, step["which"])
        else:
            places, names = _arguments(step["arguments"])
            result = result(*places, **names)
        at = step.end()
    return result


def _arguments(text: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call: those by place, and those by name."""
    places: list[Any] = []
    names: dict[str, Any] = {}
    at = 0
    while at < len(text):
        argument = _ARGUMENT.match(text, at)
        if argument is None:
            raise ValueError(f"{text!r} has no argument at {text[at:]!r}")
        if argument[1] is None:
            places.append(_literal(argument[2]))
        else:
            names[argument[1]] = _literal(argument[2])
        at = argument.end()
    return places, names


def _literal(text: str) -> Any:
    """Parse an integer, an exact rational, a list, a quoted text, yes or no, or another word."""
    if text[0] in '["':
        return ast.literal_eval(text)
    if text in (YES, NO):
        return text == YES
    try:
        number = rational_from_text(text)
    except ValueError:
        return text
    return number.numerator if number.denominator == 1 else number


def _inside(result: Any, name: str) -> Any:
    """Return an attribute or a key; an audit provides what its report does not have."""
    if isinstance(result, Mapping):
        return result[name]
    value = _NOTHING if name.startswith("_") else getattr(result, name, _NOTHING)
    if value is _NOTHING and isinstance(result, Report):
        return _inside(audit_of(result), name)
    if value is _NOTHING:
        raise LookupError(f"{type(result).__name__} has no {name!r}")
    return value


def _item(items: Any, which: str) -> Any:
    """Return the item at an index, or the only one whose values have these texts."""
    if "=" not in which:
        return items[int(which)]
    wanted = dict(part.split("=", 1) for part in re.split(r",\s*", which))
    matching = [
        item for item in items if all(str(value_at(item, key)) == wanted[key] for key in wanted)
    ]
    if len(matching) != 1:
        raise LookupError(f"{len(matching)} items have {which}")
    return matching[0]


def _ours(value: Any, method: str) -> Ours:
    """Convert a result for comparison.

    Args:
        method: the method of a plain number, with its source.
    """
    match value:
        case Bound() | Estimate() | str():
            return value
        case None:
            return "none"
        case bool():
            return answered(value)
        case Parameter():
            closed = value.lower == value.upper
            return counted(value.upper if closed else None, value.method, A_T)
        case int() | Fraction() if method:
            way, _, source = method.partition("; ")
            return exact(value, way, source)
        case _:
            raise TypeError(f"{type(value).__name__} is not a number with a known method")
