"""Our number for a row of published.csv: a spec or a call, and a path into its result.

``from`` is a spec (``configs/NAME.yaml``, ``specs/NAME.yaml``), or a call such as
``tables.sensitivity_space(row=2, column=2, distance=3)`` or ``GaussianTradeoff(1)``: of a function
in a module of ``procedures``, or of a class of ``semiaudit``, whose arguments can be such calls
too. Each is computed once.

``path`` leads from the audit, or from what the call returns, to one number. Its steps:

- ``semi_dp.mu``: an attribute or a key, each after a dot but the first;
- ``epsilon(1e-6)``: the call of a method;
- ``[0]``, ``[universe=D_t, distance=2]``: of a list, the item at a place, or the only item of which
  all this is true.

The path reads the audit and not its JSON, whose doubles have neither their side nor their method.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from semiaudit import deadline, progress
from semiaudit.commands.reproduce.model import (
    Estimate,
    Ours,
    Published,
    Reproduction,
    ReproductionEntry,
)
from semiaudit.commands.reproduce.published_results import (
    ReproductionTask,
    names_of,
    published_results,
    reproduced,
    tasks,
)
from semiaudit.library.report import Report, audit, audit_of
from semiaudit.model.bound import Bound, exact
from semiaudit.model.semi_adjacency import Parameter
from semiaudit.numeric.rationals import rational_from_text
from semiaudit.privacy.approximations.approximation import Approximation
from semiaudit.resources import shipped

YES, NO = "yes", "no"
FOLDER = Path(__file__).parent
"""The folder of ``specs/``, the specs that are not among the examples of ``configs/``."""


@cache
def report_of(spec: str) -> Report:
    """Return the audit of a spec, computed once.

    Args:
        spec: ``configs/NAME.yaml``, an example of the program; or ``specs/NAME.yaml`` of this
            folder.

    Raises:
        FileNotFoundError: there is no such file.
    """
    return audit(spec_path(spec))


def spec_path(spec: str) -> Path:
    """Return the file of a spec.

    Raises:
        FileNotFoundError: there is no such file.
    """
    path = FOLDER / spec if spec.startswith("specs/") else shipped(spec)
    if path is None or not path.is_file():
        raise FileNotFoundError(f"{spec} does not ship with this program")
    return path


def floating(value: float, method: str) -> Estimate:
    """Convert a formula that was evaluated in floating point."""
    return Estimate(float(value), "floating", method)


def simulated(value: float, method: str) -> Estimate:
    """Convert the mean, or a quantile, of a simulation with a fixed seed."""
    return Estimate(float(value), "simulated", method)


def counted(value: Fraction | int | None, method: str, source: str) -> Ours:
    """Convert an exact number; "not known" for None."""
    return "not known" if value is None else exact(value, method, source)


def answered(holds: bool) -> str:
    """Return "yes" for a claim that holds, else "no"."""
    return YES if holds else NO


A_T = "Cho and Awan, Definition 13"

PROCEDURES = "semiaudit.commands.reproduce.procedures"
"""The package of the modules that calls name."""

_NOTHING = object()
_CALL = re.compile(r"(?:(\w+)\.)?(\w+)\((.*)\)")
_STEP = re.compile(r"\.?(?P<name>\w+)|\[(?P<which>[^\]]*)\]|\((?P<arguments>[^)]*)\)")
_ARGUMENT = re.compile(r'(?:(\w+)=)?(\[.*\]|"[^"]*"|[A-Z]\w*\(.*\)|[^,"]+)(?:,\s*|$)')
_NESTED = re.compile(r"([A-Z]\w*\([^()]*(?:\([^()]*\)[^()]*)*\))(.*)")


def ours_of(row: Published, package: str = PROCEDURES) -> Ours:
    """Return our number for a published one.

    Args:
        package: of the modules that the row's call can name.

    Raises:
        ValueError: ``from`` or ``path`` does not have the form of this module's docstring.
        LookupError: the path leads nowhere.
        TypeError: what it leads to is neither a number, nor a word, nor a truth.
    """
    return _ours(value_at(result_of(row.origin, package), row.path), row.method)


@cache
def result_of(origin: str, package: str = PROCEDURES) -> Any:
    """Return the audit of a spec, or the result of a call; computed once.

    Raises:
        ValueError: it is neither a spec nor a call.
        LookupError: there is no such function, or no such module (ImportError).
    """
    if origin.endswith(".yaml"):
        return report_of(origin)
    call = _CALL.fullmatch(origin)
    if call is None:
        raise ValueError(f"{origin!r} is neither a spec nor a call")
    module, name, arguments = call.groups()
    places, names = _arguments(arguments)
    home = import_module("semiaudit" if module is None else f"{package}.{module}")
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
    if text[0] in '["':
        return ast.literal_eval(text)
    if nested := _NESTED.fullmatch(text):
        return value_at(result_of(nested[1]), nested[2])
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
        case Approximation():
            return Estimate(value.estimate, "approximation", f"{value.method}: {value.caveat}")
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


def reproduction(
    asked: Iterable[str],
    time_limit: float = math.inf,
    each: Callable[[ReproductionEntry], None] | None = None,
) -> Reproduction:
    """Compute the requested entries, and compare.

    Args:
        asked: names or beginnings of names; empty for all.
        time_limit: seconds for everything; entries that are not computed by then are omitted.
        each: is called with every entry as soon as it is done.

    Raises:
        RefusedError: there is no such entry.
    """
    rows: dict[str, list[Published]] = {}
    for row in published_results():
        rows.setdefault(row.entry, []).append(row)
    names = names_of(asked)
    entries: list[ReproductionEntry] = []
    with suppress(deadline.OutOfTimeError), deadline.running(time_limit):
        for name in names:
            progress.reached(len(entries), len(names))
            entries.append(_entry(name, tasks()[name], rows[name]))
            if each is not None:
                each(entries[-1])
    return Reproduction(tuple(entries), complete=len(entries) == len(names))


def _entry(name: str, task: ReproductionTask, rows: list[Published]) -> ReproductionEntry:
    progress.doing(name)
    deadline.check()
    results = tuple(reproduced(row, ours_of(row)) for row in rows)
    figures = result_of(task.figures) if task.figures else ()
    return ReproductionEntry(name, task.title, task.source, results, figures, task.notes)
