"""How JSON says why a report is incomplete."""

from __future__ import annotations

from semiaudit.model.incomplete import CAUSES
from semiaudit.report.forms import Form, list_of, one_of

BECAUSE: Form = list_of(one_of(*CAUSES)).told(
    "why some number is less narrow than was asked for; only present where complete is false"
)
