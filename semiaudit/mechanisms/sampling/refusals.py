"""Refusals to draw a part of a mechanism."""

from __future__ import annotations

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.mechanism import Part


def refused(part: Part, what: str, remedy: str) -> RefusedError:
    """That a part cannot be drawn, with its place in the spec."""
    mark = part.mark
    return RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))
