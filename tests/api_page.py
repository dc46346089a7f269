"""docs/api.md from the public names: ``python -m tests.api_page > docs/api.md``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import semiaudit
from tests.public_surface import CONTAINER, OPERATORS, members, public_names

SECTIONS = {
    "Audits": ("audit", "audit_many", "Report", "Spec"),
    "Guarantees": ("Guarantee", "Bound", "Curve", "Profile", "Number"),
    "Mechanisms": (
        "Mechanism",
        "PureDP",
        "ApproxDP",
        "ZCDP",
        "GDP",
        "FDP",
        "Gaussian",
        "DiscreteGaussian",
        "Laplace",
        "DiscreteLaplace",
        "RandomizedResponse",
        "SubsampledGaussian",
        "Shuffled",
    ),
    "Tradeoff functions": (
        "TradeoffFunction",
        "GaussianTradeoff",
        "LaplaceTradeoff",
        "ApproxTradeoff",
        "PiecewiseTradeoff",
        "compose",
    ),
    "Errors": ("SemiauditError", "SpecError", "RefusedError", "Problem", "Refusal"),
}
"""The names of each section, in the order of the page."""

HEAD = """# The library, name by name

`python -m tests.api_page > docs/api.md` writes this page from the code. [Using it from Python](library.md)
shows how the names work together. All of them are in `semiaudit`; nothing else is public.
"""

NUMBER = """A number as a spec would have it: `2`, `1e-10`, `"104/4099"`, a `Fraction` or a `Decimal`, all exact. A float is
read by the shortest decimal that names it, so that `0.1` is one tenth."""


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for title, names in SECTIONS.items():
        lines += [f"## {title}", ""]
        for name in names:
            lines += _entry(name)
    return "\n".join(lines).rstrip("\n") + "\n"


def _entry(name: str) -> list[str]:
    value = getattr(semiaudit, name)
    if name == "Number":
        return ["### Number", "", NUMBER, ""]
    if inspect.isfunction(value):
        return [f"### {name}", "", _code(name, value), "", *_doc(value)]
    found = [f"### {name}", "", *_doc(value)]
    for member, function in members(value):
        if member == "__init__":
            found[2:2] = [_code(name, function), ""]
        elif member not in CONTAINER:
            shown = f"{name}.{member}"
            is_property = isinstance(vars(value)[member], property)
            found += [_code(shown, function, is_property=is_property), ""]
            found += _doc(function) if member not in OPERATORS else _doc(function)
    return found


def _code(name: str, function: Callable[..., Any], *, is_property: bool = False) -> str:
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
    told = str(signature.replace(parameters=parameters)).replace("'", "")
    told = re.sub(r"TIME_LIMIT|TOLERANCE", lambda found: found[0], told)
    returned = f": {signature.return_annotation}".replace("'", "")
    return f"```text\n{name}{returned if is_property else told}\n```"


def _doc(value: Any) -> list[str]:
    """The docstring, its sections as lists; nothing where there is none."""
    text = inspect.getdoc(value) if value.__doc__ else None
    if not text:
        return []
    lines, inside = [], False
    for line in text.splitlines():
        if re.fullmatch(r"(Args|Returns|Raises|Rounding|Attributes|Source):", line):
            inside = True
            lines += [f"*{line}*", ""]
        elif inside and re.match(r"    (\w+(, \w+)*):", line):
            name, _, rest = line.strip().partition(": ")
            lines.append(f"- `{name}`: {rest}")
        elif inside and line.startswith("    "):
            lines.append(f"  {line.strip()}")
        else:
            inside = inside and not line
            lines.append(line)
    return [*[line.replace("``", "`") for line in lines], ""]


if __name__ == "__main__":
    print(page(), end="")
