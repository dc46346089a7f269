"""The exact law of a sum of many independent integers: a power of a polynomial, in one integer.

With every coefficient in a slot of its own that is wide enough, the power of the polynomial is the
power of the integer that holds its coefficients.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def power(weights: Sequence[int], repeat: int) -> list[int]:
    """The coefficients of (sum of weights[i] x^i)^repeat, for weights from 0 on."""
    slot = repeat * max(sum(weights).bit_length(), 1) + 1
    packed = sum(weight << (slot * place) for place, weight in enumerate(weights))
    return _unpacked(packed**repeat, slot, (len(weights) - 1) * repeat + 1)


def product(factors: Iterable[Sequence[int]]) -> list[int]:
    """The coefficients of the product of polynomials, given by theirs."""
    found = [1]
    for factor in factors:
        slot = (sum(found) * sum(factor)).bit_length() + 1
        left, right = (
            sum(weight << (slot * place) for place, weight in enumerate(weights))
            for weights in (found, factor)
        )
        found = _unpacked(left * right, slot, len(found) + len(factor) - 1)
    return found


def _unpacked(packed: int, slot: int, count: int) -> list[int]:
    mask = (1 << slot) - 1
    return [(packed >> (slot * place)) & mask for place in range(count)]
