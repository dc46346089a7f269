"""The pages of the library for the site, one a section, written from the public names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

import semiaudit
from semiaudit.library.mechanisms import _CLASSES
from tests.public_surface import CONTAINER, attributes, members

SECTIONS = {
    "Audits": (
        "audit",
        "audit_many",
        "semi_adjacency",
        "SemiAdjacency",
        "Report",
        "Spec",
        "compare",
        "Comparison",
        "ablate",
        "Ablation",
        "calibrate",
        "Designs",
        "solve",
        "Solution",
        "sample",
        "Samples",
        "Table",
    ),
    "Guarantees": (
        "Guarantee",
        "Bound",
        "Curve",
        "GuaranteeCurve",
        "Profile",
        "Enclosure",
        "Enclosures",
        "Number",
        "Array",
    ),
    "Mechanisms": ("Mechanism", *(kind.__name__ for kind in _CLASSES.values())),
    "Specifications": ("lipschitz", "Lipschitz", "satisfies", "Satisfied"),
    "Tradeoff functions": (
        "TradeoffFunction",
        "GaussianTradeoff",
        "LaplaceTradeoff",
        "ApproxTradeoff",
        "PiecewiseTradeoff",
        "FiniteTradeoff",
        "MixtureTradeoff",
        "compose",
    ),
    "Approximations": ("Approximation", "CentralLimit", "Edgeworth", "DPSGD", "LastIterate"),
    "Sensitivity spaces": ("sensitivity", "SensitivitySpace", "KNorm"),
    "Noise": ("CanonicalNoise",),
    "Tests": (
        "PrivateOddsRatioTest",
        "NoncentralHypergeometric",
        "empirical_epsilon",
        "EmpiricalBounds",
    ),
    "Noise that keeps invariants": ("NullSpace",),
    "Errors": ("SemiauditError", "SpecError", "RefusedError", "Problem", "Refusal"),
}
"""The names of each section, in the order of the page."""

HEAD = """# The library, name by name

[Using it from Python](../library.md) shows how the names work together. All of them are in
`semiaudit`; nothing else is public.
"""

NUMBER = """A number as a spec would have it: `2`, `1e-10`, `"104/4099"`, a `Fraction` or a
`Decimal`, all exact. A float is read by the shortest decimal that names it, so that `0.1` is one
tenth. `Numbers` are several of them: a list, a tuple, or an `Array`."""

WIDTH = 88
"""Characters of a signature that stands on one line."""


def pages() -> dict[str, str]:
    """Return the text of each page, by its name below docs/api/."""
    return {
        "README.md": "\n".join([HEAD, *_index()]),
        **{
            _file(title): "\n".join([f"# {title}", "", *_joined(map(_entry, names))])
            for title, names in SECTIONS.items()
        },
    }


def _file(title: str) -> str:
    return title.lower().replace(" ", "-") + ".md"


def _joined(entries: Iterable[list[str]]) -> list[str]:
    return [line for entry in entries for line in entry]


def _index() -> list[str]:
    """The names of each section, with links."""
    rows = [
        f"| [{title}]({_file(title)}) "
        f"| {', '.join(f'[{name}]({_file(title)}#{name.lower()})' for name in names)} |"
        for title, names in SECTIONS.items()
    ]
    return ["| page | names |", "| --- | --- |", *rows, ""]


def _entry(name: str) -> list[str]:
    value = getattr(semiaudit, name)
    if name == "Number":
        return ["## Number", "", NUMBER, ""]
    if inspect.isfunction(value):
        return [f"## {name}", "", _code(name, value), "", *_doc(value)]
    found = [f"## {name}", "", *_doc(value)]
    for member, function in members(value):
        if member == "__init__":
            found[2:2] = [_code(name, function), ""]
        elif member not in CONTAINER:
            shown = f"{name}.{member}"
            is_property = isinstance(attributes(value)[member], property)
            found += [_code(shown, function, is_property=is_property), ""]
            found += _doc(function)
    if figures := getattr(value, "figures", ()):
        listed = ", ".join(f"`{figure}`" for figure in figures)
        found += [f"`{name}.figures` are the names of its figures: {listed}.", ""]
    return found


def _code(name: str, function: Callable[..., Any], *, is_property: bool = False) -> str:
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(annotation=_Unquoted(parameter.annotation))
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    returned = _Unquoted(signature.return_annotation)
    told = str(signature.replace(parameters=parameters, return_annotation=returned))
    if len(name + told) > WIDTH and parameters:
        told = "(\n" + "".join(f"    {part},\n" for part in _parts(parameters)) + f") -> {returned}"
    return f"```text\n{name}{f': {returned}' if is_property else told}\n```"


def _parts(parameters: list[inspect.Parameter]) -> list[str]:
    """What stands between the commas of a signature; none of ours has a ``/``."""
    found = []
    starred = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            found.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        found.append(str(parameter))
    return found


class _Unquoted(str):
    """An annotation that is shown as the source has it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


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
