"""Bases of the integer vectors of a subspace: complete, without extra vectors, and short."""

from __future__ import annotations

import random
from fractions import Fraction

from semiaudit.numeric.lattices import integer_basis, reduced
from semiaudit.numeric.row_space import RowSpace
from tests.oracles.linear_algebra import integer_vectors, is_saturated, rank

Whole = dict[int, int]


def dense(row: Whole, width: int) -> list[int]:
    return [row.get(c, 0) for c in range(width)]


def kernel_of(rows: list[list[int]], width: int) -> list[list[int]]:
    space = RowSpace(dict(enumerate(row)) for row in rows)
    return [dense(row, width) for row in integer_basis(space.kernel(width))]


def test_a_basis_generates_exactly_the_integer_vectors_of_the_kernel() -> None:
    chance = random.Random(1)
    broken = 0
    for _ in range(300):
        width = chance.randint(2, 6)
        rows = [[chance.randint(-5, 5) for _ in range(width)] for _ in range(chance.randint(1, 3))]
        basis = kernel_of(rows, width)
        assert len(basis) == width - rank(rows)
        assert not any(
            sum(a * b for a, b in zip(row, vector, strict=True)) for row in rows for vector in basis
        )
        assert is_saturated(basis)
        fractions = RowSpace(dict(enumerate(row)) for row in rows).kernel(width)
        broken += any(k.denominator > 1 for row in fractions for k in row.values())
    assert broken > 150


def test_every_small_integer_vector_of_a_kernel_is_a_combination_of_the_basis() -> None:
    chance = random.Random(2)
    for _ in range(40):
        rows = [[chance.randint(-4, 4) for _ in range(4)] for _ in range(2)]
        basis = kernel_of(rows, 4)
        space = RowSpace.of_numbered((dict(enumerate(line)) for line in basis), 4)
        for vector in integer_vectors(rows, 4, 3):
            weights = space.combination(dict(enumerate(vector)))
            assert weights is not None
            assert all(weight.denominator == 1 for weight in weights)


def test_a_reduced_basis_generates_the_same_lattice() -> None:
    chance = random.Random(3)
    for _ in range(100):
        width = chance.randint(2, 6)
        basis = [{c: chance.randint(-50, 50) for c in range(width)} for _ in range(2)]
        if rank([dense(row, width) for row in basis]) < 2:
            continue
        found = reduced(basis)
        assert found is not None
        for one, other in ((basis, found), (found, basis)):
            space = RowSpace.of_numbered(one, width)
            for row in other:
                weights = space.combination(row)
                assert weights is not None
                assert all(weight.denominator == 1 for weight in weights)


def test_twelve_random_rows_over_forty_cells_have_a_short_basis() -> None:
    # Entries of single digits: the volume of the lattice to the power 1/28 is about 3.
    chance = random.Random(1)
    rows = [{c: chance.randint(-9, 9) for c in range(40)} for _ in range(12)]
    basis = reduced(integer_basis(RowSpace(rows).kernel(40)))
    assert basis is not None
    assert len(basis) == 28
    assert max(abs(k) for row in basis for k in row.values()) < 10


def test_a_basis_of_too_many_entries_is_not_reduced() -> None:
    assert reduced([{at: 1, 2 * at + 300: 1} for at in range(300)]) is None


def test_rows_that_are_whole_stay_as_they_are() -> None:
    rows = [{0: Fraction(1), 2: Fraction(-3)}, {1: Fraction(1)}]
    assert integer_basis(rows) == [{0: 1, 2: -3}, {1: 1}]
