"""How a report says that it is incomplete, and why."""

from __future__ import annotations

from semiaudit.model.incomplete import CAUSES, Causes, describe
from semiaudit.report.forms import Form, list_of, one_of
from semiaudit.report.layout import INCOMPLETE

BECAUSE: Form = list_of(one_of(*CAUSES)).told(
    "why some number is less narrow than was asked for; only present where complete is false"
)


def heading(causes: Causes) -> str:
    """The end of a heading; empty where the report is complete."""
    return f" · {INCOMPLETE}: {describe(causes)}" if causes else ""
