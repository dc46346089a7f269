"""The entries of `reproduce`, read from entries.csv: tables, figures, and sections of sources."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass

DATA = Path(__file__).with_name("entries.csv")


@dataclass(frozen=True, slots=True)
class ReproductionTask:
    """One entry of `reproduce`, with the document of its spec.

    Attributes:
        source: the document.
        figures: the call that draws its figures; empty if it has none.
        notes: sentences that belong to all of its results.
    """

    title: str
    source: str
    figures: str
    notes: tuple[str, ...]


@cache
def tasks() -> dict[str, ReproductionTask]:
    """Return every entry by its name, in order."""
    with DATA.open(encoding="utf-8", newline="") as stream:
        return {
            row["name"]: ReproductionTask(
                row["title"], row["source"], row["figures"], tuple(row["notes"].splitlines())
            )
            for row in csv.DictReader(stream)
        }


def names_of(asked: Iterable[str]) -> list[str]:
    """Return the entries that names, or beginnings of names, select; all without names.

    Raises:
        RefusedError: a name is not the beginning of an entry.
    """
    wanted = list(asked)
    for name in wanted:
        if not any(known.startswith(name) for known in tasks()):
            raise RefusedError(Refusal(f"there is no entry {name!r}", _remedy(name), "reproduce"))
    return [known for known in tasks() if not wanted or known.startswith(tuple(wanted))]


def _remedy(name: str) -> str:
    """Return the beginning of the closest entry's name; all names if none is close."""
    parts = [known.split("-") for known in tasks()]
    beginnings = {"-".join(part[:end]): None for part in parts for end in range(1, len(part) + 1)}
    near = get_close_matches(name.lower(), beginnings, n=1)
    if near:
        return f"did you mean {near[0]}? List the names with `semiaudit reproduce --list`"
    return f"name one of {', '.join(tasks())}"
