"""Random choices from a seed: the same number always makes the same case."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Chance(random.Random):
    """A source of random choices."""

    def rarely(self, one_in: int) -> bool:
        """Return True once in so many calls."""
        return self.randrange(one_in) == 0

    def often(self) -> bool:
        """Return True every other call."""
        return self.random() < 0.5

    def some(self, items: Sequence[T], least: int = 0, most: int | None = None) -> list[T]:
        """Return different items, in random order."""
        top = len(items) if most is None else min(most, len(items))
        return self.sample(list(items), self.randint(min(least, top), top))

    def amounts(self, number: int, sum_to: int) -> list[int]:
        """Return whole numbers from 0 that add up to a sum."""
        cuts = sorted(self.randint(0, sum_to) for _ in range(number - 1))
        return [high - low for low, high in zip([0, *cuts], [*cuts, sum_to], strict=True)]
