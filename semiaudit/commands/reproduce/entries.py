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
    """Every entry by its name, in its order."""
    with DATA.open(encoding="utf-8", newline="") as stream:
        return {
            row["name"]: ReproductionTask(
                row["title"], row["source"], row["figures"], tuple(row["notes"].splitlines())
            )
            for row in csv.DictReader(stream)
        }


def names_of(asked: Iterable[str]) -> list[str]:
    """The entries that some names, or beginnings of names, select; all without any.

    Raises:
        RefusedError: a name is the beginning of none.
    """
    wanted = list(asked)
    for name in wanted:
        if not any(known.startswith(name) for known in tasks()):
            raise RefusedError(Refusal(f"there is no entry {name!r}", _remedy(name), "reproduce"))
    return [known for known in tasks() if not wanted or known.startswith(tuple(wanted))]


def _remedy(name: str) -> str:
    """The beginning of an entry's name that is nearest to a name; all names if none is near."""
    parts = [known.split("-") for known in tasks()]
    beginnings = {"-".join(part[:end]): None for part in parts for end in range(1, len(part) + 1)}
    near = get_close_matches(name.lower(), beginnings, n=1)
    if near:
        return f"did you mean {near[0]}? List the names with `semiaudit reproduce --list`"
    return f"name one of {', '.join(tasks())}"
