"""The tensor product of piecewise-linear tradeoff functions, exactly or on the safe side.

f is the tradeoff function of two discrete measures: each linear piece is an atom with the length
of the piece under the null and its fall under the alternative. The product's atoms are the
products of atoms. Atoms are integers over GRAIN: the null's rounded down and the alternative's up,
which can only lower the tradeoff function.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from semiaudit import deadline
from semiaudit.model.measure import PiecewiseLinear
from semiaudit.privacy.tradeoff.polygon import GRAIN, NOTHING, lower_hull

Atom = tuple[int, int]
"""(mass under the null, mass under the alternative), in units of 1/GRAIN."""

MAX_ATOMS = 200
"""More atoms than this are merged, the merged ones at the largest of their likelihood ratios: a
product has the square of their number."""

_SAME = 2**120
"""Likelihood ratios that differ by less than one part in this are one, but for rounding."""

_COARSE = 2**20
"""Down to this a grain's bits are halved, so that few rounds are enough; then its value is."""

_FINE = 2**600
"""Ratios of different atoms differ by at least 1/GRAIN^2, so this scale keeps them apart."""


def tensor_product(parts: Sequence[tuple[PiecewiseLinear, int]]) -> PiecewiseLinear:
    """f_1^(x k_1) (x) f_2^(x k_2) (x) ..., the tradeoff function of independent releases.

    Args:
        parts: tradeoff functions with how often each is released.

    Returns:
        A certified lower bound; but for 256-bit rounding it is exact as long as no more than
        ``MAX_ATOMS`` different likelihood ratios occur.

    Source: Dong, Roth and Su 2022, Definition 3.1 (Su's review, section 3.3).
    """
    return _tensor_product(tuple(parts))


@lru_cache(maxsize=64)
def _tensor_product(parts: tuple[tuple[PiecewiseLinear, int], ...]) -> PiecewiseLinear:
    if sum(repeat for _, repeat in parts) == 1:
        return next(f for f, repeat in parts if repeat)
    result: list[Atom] = [(GRAIN, GRAIN)]
    for f, repeat in parts:
        result = _product(result, _power(_atoms(f), repeat))
    if not result:
        return NOTHING
    return _tradeoff(result)


def thinned(f: PiecewiseLinear) -> PiecewiseLinear:
    """f itself, or a lower one with at most about ``MAX_ATOMS`` pieces."""
    if len(f.vertices) <= MAX_ATOMS:
        return f
    return _tradeoff(_thinned(_atoms(f)))


def _atoms(f: PiecewiseLinear) -> list[Atom]:
    atoms = [(0, _ceil(1 - f.vertices[0][1]))]
    for (x0, y0), (x1, y1) in zip(f.vertices, f.vertices[1:], strict=False):
        atoms.append((_floor(x1 - x0), _ceil(y0 - y1)))
    return [atom for atom in atoms if atom[1]]


def _power(atoms: list[Atom], repeat: int) -> list[Atom]:
    result: list[Atom] = [(GRAIN, GRAIN)]
    while repeat:
        if repeat & 1:
            result = _product(result, atoms)
        repeat >>= 1
        if repeat:
            atoms = _product(atoms, atoms)
    return result


def _product(left: list[Atom], right: list[Atom]) -> list[Atom]:
    deadline.check()
    atoms = [(p * r // GRAIN, -(-q * s // GRAIN)) for p, q in left for r, s in right]
    return _thinned(_merge(atoms, _SAME))


def _thinned(atoms: list[Atom]) -> list[Atom]:
    grain = _SAME
    while len(atoms) > MAX_ATOMS:
        grain = 2 ** (grain.bit_length() // 2) if grain > _COARSE else grain // 2
        atoms = _merge(atoms, grain)
    return atoms


def _ratio(atom: Atom) -> int:
    """The likelihood ratio as a sortable integer; the null's zero counts as infinite."""
    p, q = atom
    return q * _FINE // p if p else _FINE**2


def _merge(atoms: list[Atom], grain: int) -> list[Atom]:
    """Merge neighbours whose ratios differ by less than a factor 1 + 1/grain, safely.

    The merged atom keeps the alternative's mass and the largest ratio; the null's mass shrinks.
    Sorted anew each time: rounding may have changed the order of tiny atoms.
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
    """q_top / p_top <= (1 + 1/grain) q / p."""
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
            # The alternative's masses were rounded up: its last atom ends where none is left.
            vertices.append((Fraction(x + p * y // q, GRAIN), Fraction(0)))
            break
        x, y = x + p, y - q
        vertices.append((Fraction(x, GRAIN), Fraction(y, GRAIN)))
    return lower_hull(vertices)


def _floor(value: Fraction) -> int:
    return value.numerator * GRAIN // value.denominator


def _ceil(value: Fraction) -> int:
    return -(-value.numerator * GRAIN // value.denominator)
