"""An entry of the OpenDP deployments registry: as it is written, as it was read, as it is reviewed.

The shape is that of the registry's schema at ``SCHEMA_COMMIT``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.audit import Finding
from semiaudit.model.bound import CanBeIncomplete, Causes

SCHEMA_COMMIT = "3e9c812a924cf01d228f26f6c462c59c391c3f2a"
"""The commit of the repository opendp/deployments-registry-data of 15 July 2026."""

PLACEHOLDER = "PLACEHOLDER"
"""The word by which a field says that it is still to be filled."""

Place = tuple[str, ...]
"""Keys from the top of an entry, such as ``("deployment", "dp_variant", "data_domain")``."""


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A valid value of a field that cannot itself say that it is a placeholder, with a remark."""

    value: str
    remark: str


Node = dict[str, "Node"] | list[str] | str | int | Fraction | Placeholder
"""A value of an entry that is to be written; a fraction has a finite decimal form."""


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """An entry that was read and found valid.

    Attributes:
        path: of the file.
        texts: every text by its place, and every item of a list by that of the list and a number.
        numbers: every number by its place, exactly as it is written.
        marks: where everything stands.
        placeholders: the places of lines that say that something is still to be filled.
    """

    path: str
    texts: Mapping[Place, str]
    numbers: Mapping[Place, Fraction]
    marks: Mapping[Place, Mark]
    placeholders: tuple[Mark, ...] = ()

    def text(self, *place: str) -> str:
        """The text at a place; empty if there is none."""
        return self.texts.get(place, "")

    def items(self, *place: str) -> Iterator[str]:
        """The texts of a list."""
        return (text for key, text in self.texts.items() if key[:-1] == place)

    def mark(self, *place: str) -> Mark:
        """Return the place of a value, or of the nearest value that encloses it."""
        while place and place not in self.marks:
            place = place[:-1]
        return self.marks.get(place, NOWHERE)


@dataclass(frozen=True, slots=True)
class Review(CanBeIncomplete):
    """The facts that an entry's claim lacks.

    Attributes:
        findings: in the order of the file.
    """

    incomplete_because: ClassVar[Causes] = ()
    path: str
    name: str
    findings: tuple[Finding, ...]


def slug_of(name: str, curators: Sequence[str], date: str) -> str:
    """The address of an entry, as the registry makes it: name, curators and year.

    Args:
        date: of publication, as YYYY-MM-DD.
    """

    def clean(text: str) -> str:
        return re.sub(r"\W+", "_", text.lower())

    parts = (clean(name), clean("-".join(curators)), clean(date.split("-")[0]))
    return "_".join(parts).replace("_", "-")
