"""What a reader of a sample must know, whatever was drawn."""

from __future__ import annotations

SEEDED = (
    "whoever knows the seed can take the noise out again: a sample with a seed is for tests, not "
    "for publication"
)
SEVERAL = (
    "the audit of the spec is that of one draw; {draws} draws from the same data are a composition "
    "of so many, which repeat says in a spec"
)
