"""The tensor product of piecewise-linear tradeoff functions, exact or as a lower bound.

f is the tradeoff function of two discrete measures: each linear piece is an atom with the length of
the piece under the null and its fall under the alternative. The product's atoms are the products of
atoms. Atoms are integers over GRAIN: the null's rounded down and the alternative's up, which can
only lower the tradeoff function. If there are too many, they are merged, and the function has
``merged`` set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from semiaudit import deadline
from semiaudit.model.measure import PiecewiseLinear
from semiaudit.privacy.tradeoff.polygon import GRAIN, NOTHING, lower_hull

Atom = tuple[int, int]
"""(mass under the null, mass under the alternative), in units of 1/GRAIN."""

MAX_ATOMS = 200
"""If there are more atoms, they are merged, with the largest of their likelihood ratios: a product
has the square of their number."""

_LEAST = GRAIN * 2**100
"""A product of two masses below it has fewer than 100 binary digits: a hundred nats of loss."""

_SAME = 2**120
"""Likelihood ratios with a smaller relative difference count as equal, except for rounding."""

_COARSE = 2**20
"""Down to this, a grain's bits are halved, so that few rounds are enough; below it, its value
is."""

_FINE = 2**600
"""Ratios of different atoms differ by at least 1/GRAIN^2, so this scale distinguishes them."""


def tensor_product(parts: Sequence[tuple[PiecewiseLinear, int]]) -> PiecewiseLinear:
    """Return f_1^(x k_1) (x) f_2^(x k_2) (x) ..., the tradeoff function of independent releases.

    Args:
        parts: tradeoff functions with their numbers of releases.

    Returns:
        A certified lower bound. Except for 256-bit rounding, it is exact for up to ``MAX_ATOMS``
        different likelihood ratios; with more, it is ``merged``.

    Source: Dong, Roth and Su 2022, Definition 3.1 (Su's review, section 3.3).
    """
    exact = exact_tensor_product(parts)
    return _tensor_product(tuple(parts)) if exact is None else exact


def exact_tensor_product(
    parts: Sequence[tuple[PiecewiseLinear, int]],
) -> PiecewiseLinear | None:
    """Return the exact product; None if atoms would be merged, or are too small to round."""
    try:
        return _tensor_product(tuple(parts), merging=False)
    except _Inexact:
        return None


class _Inexact(Exception):
    """There are more than ``MAX_ATOMS`` atoms, or one close to the grain."""


@lru_cache(maxsize=64)
def _tensor_product(
    parts: tuple[tuple[PiecewiseLinear, int], ...], *, merging: bool = True
) -> PiecewiseLinear:
    if sum(repeat for _, repeat in parts) == 1:
        return next(f for f, repeat in parts if repeat)
    merged = merging or any(f.merged for f, _ in parts)
    result: list[Atom] = [(GRAIN, GRAIN)]
    for f, repeat in parts:
        result = _product(result, _power(_atoms(f), repeat, merging=merging), merging=merging)
    return replace(_tradeoff(result) if result else NOTHING, merged=merged)


def thinned(f: PiecewiseLinear, most: int = MAX_ATOMS) -> PiecewiseLinear:
    """Return f itself, or a lower and ``merged`` function with at most about this many pieces."""
    if len(f.vertices) <= most:
        return f
    return replace(_tradeoff(_thinned(_atoms(f), most)), merged=True)


def _atoms(f: PiecewiseLinear) -> list[Atom]:
    atoms = [(0, _ceil(1 - f.vertices[0][1]))]
    for (x0, y0), (x1, y1) in zip(f.vertices, f.vertices[1:], strict=False):
        atoms.append((_floor(x1 - x0), _ceil(y0 - y1)))
    return [atom for atom in atoms if atom[1]]


def _power(atoms: list[Atom], repeat: int, *, merging: bool) -> list[Atom]:
    result: list[Atom] = [(GRAIN, GRAIN)]
    while repeat:
        if repeat & 1:
            result = _product(result, atoms, merging=merging)
        repeat >>= 1
        if repeat:
            atoms = _product(atoms, atoms, merging=merging)
    return result


def _product(left: list[Atom], right: list[Atom], *, merging: bool) -> list[Atom]:
    deadline.check()
    least = 0 if merging else _LEAST
    if any(0 < p * r < least for p, _ in left for r, _ in right):
        raise _Inexact
    atoms = [(p * r // GRAIN, -(-q * s // GRAIN)) for p, q in left for r, s in right]
    merged_atoms = _merge(atoms, _SAME)
    if len(merged_atoms) > MAX_ATOMS and not merging:
        raise _Inexact
    return _thinned(merged_atoms, MAX_ATOMS)


def _thinned(atoms: list[Atom], most: int) -> list[Atom]:
    grain = _SAME
    while len(atoms) > most:
        grain = 2 ** (grain.bit_length() // 2) if grain > _COARSE else grain // 2
        atoms = _merge(atoms, grain)
    return atoms


def _ratio(atom: Atom) -> int:
    """Return the likelihood ratio as a sortable integer; a null mass of 0 counts as infinite."""
    p, q = atom
    return q * _FINE // p if p else _FINE**2


def _merge(atoms: list[Atom], grain: int) -> list[Atom]:
    """Merge neighbors whose ratios differ by less than a factor 1 + 1/grain, on the safe side.

    The merged atom keeps the alternative's mass and the largest ratio; the null's mass shrinks. The
    atoms are sorted again each time, because rounding can change the order of tiny atoms.
    """
    merged: list[Atom] = []
    top = (0, 0)
    for p, q in sorted(atoms, key=_ratio, reverse=True):
        if merged and _close(top, (p, q), grain):
            total = merged[-1][1] + q
            merged[-1] = (total * top[0] // top[1], total)
        else:
            merged.append((p, q))
            top = (p, q)
    return merged


def _close(top: Atom, other: Atom, grain: int) -> bool:
    """Return whether q_top / p_top <= (1 + 1/grain) q / p."""
    if not top[0] or not other[0]:
        return not top[0] and not other[0]
    return top[1] * other[0] * grain <= (grain + 1) * other[1] * top[0]


def _tradeoff(atoms: list[Atom]) -> PiecewiseLinear:
    x, y = 0, GRAIN
    vertices = []
    if atoms[0][0]:
        vertices.append((Fraction(0), Fraction(1)))
    for p, q in atoms:
        if q > y:
            # The alternative's masses were rounded up: the last atom ends where none is left.
            vertices.append((Fraction(x + p * y // q, GRAIN), Fraction(0)))
            break
        x, y = x + p, y - q
        vertices.append((Fraction(x, GRAIN), Fraction(y, GRAIN)))
    return lower_hull(vertices)


def _floor(value: Fraction) -> int:
    return value.numerator * GRAIN // value.denominator


def _ceil(value: Fraction) -> int:
    return -(-value.numerator * GRAIN // value.denominator)
