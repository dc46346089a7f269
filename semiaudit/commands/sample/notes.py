"""Notes for the reader of a sample, for all mechanisms."""

from __future__ import annotations

SEEDED = (
    "anyone who knows the seed can remove the noise: use a sample with a seed only for tests, and "
    "do not publish it"
)
SEVERAL = (
    "the audit of the spec covers one run of the mechanism; {draws} runs on the same data are a "
    "composition: to audit them, add `repeat: {draws}` to the mechanism"
)
