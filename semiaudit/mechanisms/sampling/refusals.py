"""Refusals to sample a part of a mechanism."""

from __future__ import annotations

from typing import Protocol

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.source import Mark


class Described(Protocol):
    """A part of a mechanism, of whatever kind."""

    @property
    def kind(self) -> str:
        """The name of the kind's key in a spec."""
        ...

    @property
    def mark(self) -> Mark:
        """The place of the object in the spec."""
        ...


def refused(part: Described, what: str, remedy: str) -> RefusedError:
    """Return the error that a part cannot be sampled, with its place in the spec."""
    mark = part.mark
    return RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))
