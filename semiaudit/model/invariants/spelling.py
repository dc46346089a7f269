"""Invariants as they are written anew, once it is known what they tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from semiaudit.model.invariants.linear import Linear
from semiaudit.model.invariants.margin import Margin
from semiaudit.model.invariants.total import Total
from semiaudit.model.source import Mark

if TYPE_CHECKING:
    from semiaudit.model.invariants import Invariant


def margin_of(attributes: Sequence[str], mark: Mark) -> Invariant:
    """The margin of some attributes; of none it is the number of records."""
    return Margin(tuple(attributes), mark) if attributes else Total(mark)


def with_rows(invariant: Invariant, rows: Sequence[int] | None) -> Invariant:
    """A matrix with some of its rows; another invariant, and where none are named, as it is."""
    if rows is None or not isinstance(invariant, Linear):
        return invariant
    return replace(invariant, rows=tuple(invariant.rows[row] for row in rows))
