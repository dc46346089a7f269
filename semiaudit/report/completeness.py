"""How JSON says why a report is incomplete."""

from __future__ import annotations

from semiaudit.model.incomplete import CAUSES
from semiaudit.report.forms import Form, list_of, one_of

BECAUSE: Form = list_of(one_of(*CAUSES)).told(
    "why some bound is looser than requested; only present if complete is false"
)
