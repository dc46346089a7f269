"""Why some numbers are less narrow than was asked for; they are certified all the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

Cause = Literal["time", "work limit", "precision"]
"""``time``: a clock ended something, so that another run may print other numbers. ``work limit``: a
fixed limit, such as the points of the finest grid, in every run alike. ``precision``: doubles hold
no more digits, in every run alike."""

CAUSES: tuple[Cause, ...] = get_args(Cause)

Causes = tuple[Cause, ...]
"""Each cause once, in the order of ``CAUSES``; empty if everything is complete."""

SENTENCES: dict[Cause, str] = {
    "time": "the time limit was reached",
    "work limit": "a work limit was reached",
    "precision": "the precision of floating-point numbers was reached",
}
"""The words for each cause in headings and findings."""

REMEDIES: dict[Cause, str] = {
    "time": "a longer --time-limit may give tighter numbers",
    "work limit": "every run prints these numbers; a larger --tolerance accepts them as complete",
    "precision": "every run prints these numbers; a larger --tolerance accepts them as complete",
}
"""What to do."""


def joined(*groups: Iterable[Cause]) -> Causes:
    """All causes of several parts."""
    known = {cause for causes in groups for cause in causes}
    return tuple(cause for cause in CAUSES if cause in known)


def describe(causes: Causes) -> str:
    """What was reached, in words; empty if everything is complete."""
    return ", ".join(SENTENCES[cause] for cause in causes)
