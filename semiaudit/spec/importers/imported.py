"""What an importer makes of a document, and the parts that importers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import NoReturn

from semiaudit.errors import SpecError
from semiaudit.frozen import dataclass
from semiaudit.spec.scalars import rational, whole
from semiaudit.spec.yaml12 import Node, Path_, YamlDocument

Value = Mapping[str, "Value"] | Sequence["Value"] | str
"""A section of a spec; numbers are their texts, so that nothing is rounded."""

Mechanism = Mapping[str, Value]
"""A mechanism: its kind with its parameters, or `compose`; with `repeat`."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The spec of a release that another tool has accounted for.

    Attributes:
        source: what was read, such as ``events of dp_accounting``.
        sections: the spec's sections but ``semiaudit`` and ``title``, in order.
        notes: what could not be determined, and findings; one sentence each.
    """

    source: str
    sections: Mapping[str, Value]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Choices:
    """What a file does not say, and its user must.

    Attributes:
        neighbors: the relation for which noise is normalized; empty if not given.
        sampling: how batches were drawn; empty if not given.
        queries: the summary of OpenDP's queries, if it is given.
        levels: of each column of an OpenDP context; those that are missing are to be filled in.
    """

    neighbors: str = ""
    sampling: str = ""
    queries: YamlDocument | None = None
    levels: Mapping[str, Sequence[str | int]] | None = None


@dataclass(frozen=True, slots=True)
class Importer:
    """One importer.

    Attributes:
        name: as ``--kind`` names it.
        recognizes: whether a document is of this kind; it need not be a right one.
        read: makes the spec; raises a SpecError with each problem.
        needs: the names of the choices that it requires, each with its possible values.
    """

    name: str
    recognizes: Callable[[Node], bool]
    read: Callable[[YamlDocument, Choices], Imported]
    needs: Mapping[str, Sequence[str]] = field(default_factory=dict)


def refuse(document: YamlDocument, path: Path_, what: str, remedy: str) -> NoReturn:
    """Refuse a part of a document, with its place.

    Raises:
        SpecError: always.
    """
    document.report(path, what, remedy)
    raise SpecError(list(document.problems))


def number_at(document: YamlDocument, path: Path_, least: int | None = 0) -> Fraction:
    """Return the number at a path, exactly; by default, one above 0.

    Raises:
        SpecError: there is none, or it is not above ``least``.
    """
    node = document.at(path)
    try:
        value = rational(node)
    except ValueError as error:
        refuse(document, path, str(error), "write a finite number")
    if least is not None and value <= least:
        refuse(document, path, f"is not above {least}", "correct the file")
    return value


def whole_at(document: YamlDocument, path: Path_) -> int:
    """Return the whole number at a path, 1 or more.

    Raises:
        SpecError: there is none.
    """
    try:
        value = whole(document.at(path))
    except ValueError as error:
        refuse(document, path, str(error), "write a whole number")
    if value < 1:
        refuse(document, path, "is not at least 1", "correct the file")
    return value


def composed(parts: Sequence[Mechanism]) -> Mechanism:
    """One mechanism of several parts; equal neighbors become one that is repeated."""
    merged: list[dict[str, Value]] = []
    for part in parts:
        if merged and _kind(merged[-1]) == _kind(part):
            merged[-1]["repeat"] = str(_repeat(merged[-1]) + _repeat(part))
        else:
            merged.append(dict(part))
    return merged[0] if len(merged) == 1 else {"compose": merged}


def repeated(part: Mechanism, times: int) -> Mechanism:
    """A part, that many times."""
    times *= _repeat(part)
    return _kind(part) if times == 1 else {**_kind(part), "repeat": str(times)}


def _kind(part: Mechanism) -> dict[str, Value]:
    return {key: value for key, value in part.items() if key != "repeat"}


def _repeat(part: Mechanism) -> int:
    return int(str(part.get("repeat", 1)))
