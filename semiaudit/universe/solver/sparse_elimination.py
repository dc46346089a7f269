"""Exact linear algebra on sparse integer rows, modulo a large prime.

A solution that is unique modulo the prime is unique over the rationals; whether it is the true
one the caller checks by computing the rows again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

PRIME = (1 << 89) - 1
"""Above every count, so that a count is its own residue."""

MAX_OPERATIONS = 5_000_000
"""Products of residues in one elimination, in Python."""


def solved(
    rows: Sequence[Mapping[int, int]], values: Sequence[int], unknowns: int
) -> tuple[int, ...] | None:
    """The only solution of rows = values, as least residues of either sign; None if not unique.

    Also None where the elimination would be too long. A contradictory system may give a wrong
    solution, which fails when it is put in. One piece: elimination and back substitution share the
    pivots.

    Args:
        rows: coefficients by unknown, numbered from 0.
        values: one for each row.
        unknowns: how many there are.
    """
    if len(rows) < unknowns:
        return None
    pivots: dict[int, tuple[dict[int, int], int]] = {}
    operations = 0
    for row, value in zip(rows, values, strict=True):
        left = {c: k % PRIME for c, k in row.items() if k % PRIME}
        right = value % PRIME
        while left:
            c = min(left)
            pivot = pivots.get(c)
            if pivot is None:
                inverse = pow(left[c], -1, PRIME)
                left = {place: k * inverse % PRIME for place, k in left.items()}
                pivots[c] = left, right * inverse % PRIME
                operations += len(left)
                break
            factor = left[c]
            operations += len(pivot[0])
            for place, k in pivot[0].items():
                changed = (left.get(place, 0) - factor * k) % PRIME
                if changed:
                    left[place] = changed
                else:
                    left.pop(place, None)
            right = (right - factor * pivot[1]) % PRIME
        if operations > MAX_OPERATIONS:
            return None
        if len(pivots) == unknowns:
            break
    if len(pivots) < unknowns:
        return None
    found = [0] * unknowns
    for c in reversed(range(unknowns)):
        terms, right = pivots[c]
        residue = right - sum(k * found[place] for place, k in terms.items() if place != c)
        residue %= PRIME
        found[c] = residue if residue <= PRIME // 2 else residue - PRIME
    return tuple(found)


def rank(rows: Sequence[Mapping[int, int]]) -> int:
    """The rank modulo the prime: never above the true one, and below it only by an accident."""
    pivots: dict[int, dict[int, int]] = {}
    for row in rows:
        left = {c: k % PRIME for c, k in row.items() if k % PRIME}
        while left:
            c = min(left)
            if c not in pivots:
                inverse = pow(left[c], -1, PRIME)
                pivots[c] = {place: k * inverse % PRIME for place, k in left.items()}
                break
            factor = left[c]
            for place, k in pivots[c].items():
                changed = (left.get(place, 0) - factor * k) % PRIME
                if changed:
                    left[place] = changed
                else:
                    left.pop(place, None)
    return len(pivots)
