"""Where in a file something was said."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A 1-based position in the spec; line 0 if there is none."""

    line: int = 0
    column: int = 0


NOWHERE = Mark()
