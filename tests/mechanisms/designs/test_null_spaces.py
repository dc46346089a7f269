"""Ranks, variances, and lengths of noise in a null space, against dense linear algebra."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from math import exp, lgamma, sqrt

import numpy as np
import numpy.typing as npt
import pytest

from semiaudit import Spec
from semiaudit.mechanisms.designs.design_draft import NullSpace
from semiaudit.mechanisms.designs.design_inputs import facts_of
from semiaudit.mechanisms.designs.gaussian_designs import extended, naive
from semiaudit.mechanisms.designs.intensity import root_up
from semiaudit.mechanisms.sampling.noise_samplers import k_norm
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count, Invariant, Margin
from semiaudit.model.measure import GDP, ZCDP
from semiaudit.model.mechanism import KNorm
from semiaudit.model.query import MarginsQuery, Query, TableQuery
from semiaudit.universe.sensitivity import answer_null_space
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.mechanisms.designs.known_moves import facts
from tests.municipalities import flat, nested
from tests.universe.instances import chunks, release_of

PLAIN = "mechanism: {zcdp: {rho: 1}}\n"

Floats = npt.NDArray[np.float64]
Cell = dict[str, int]


class Nested:
    """A table of c within b, d, and e with structural zeros, and the rows that it publishes."""

    def __init__(self, seed: int, most: int) -> None:
        self.chance = chance = random.Random(seed)
        leaves, sizes = chance.randint(2, 8), [chance.randint(1, 3), 0, chance.randint(1, 4), 1]
        sizes[1], sizes[3] = leaves, chance.randint(1, max(1, most // (leaves * sizes[2])))
        self.sizes = dict(zip("bcde", sizes, strict=True))
        self.parents = tuple(sorted(chance.randrange(sizes[0]) for _ in range(leaves)))
        self.zero = {"c": chance.randrange(leaves), "d": 0} if chance.random() < 0.5 else None
        self.cells = [cell for cell in self.levels("bcde") if self.is_possible(cell)]
        self.invariants: list[Invariant] = []
        self.rows: list[list[int]] = []
        for _ in range(chance.randint(1, 3)):
            self.publish()

    def levels(self, names: str) -> list[Cell]:
        chosen = product(*(range(self.sizes[name]) for name in names))
        return [dict(zip(names, levels, strict=True)) for levels in chosen]

    def is_possible(self, cell: Cell) -> bool:
        zero = self.zero is not None and self.zero.items() <= cell.items()
        return self.parents[cell["c"]] == cell["b"] and not zero

    def margin(self, names: str) -> list[list[int]]:
        return [
            [int(key.items() <= cell.items()) for cell in self.cells] for key in self.levels(names)
        ]

    def publish(self) -> None:
        if self.chance.random() < 0.5:
            names = "".join(self.chance.sample("bcde", self.chance.randint(1, 2)))
            self.invariants.append(Margin(tuple(names)))
            self.rows += self.margin(names)
            return
        name = self.chance.choice("bcde")
        size = self.sizes[name]
        counted = tuple(self.chance.sample(range(size), self.chance.randint(1, size)))
        self.invariants.append(Count(((name, counted),)))
        self.rows.append([int(cell[name] in counted) for cell in self.cells])

    def spaces(self) -> SensitivitySpaces:
        b, c, d, e = (Attribute(name, size) for name, size in self.sizes.items())
        c = Attribute("c", tuple(range(c.size)), within="b", parents=self.parents)
        zero = tuple((name, (level,)) for name, level in (self.zero or {}).items())
        space = TableSpace("person", 9, (b, c, d, e), (zero,) if zero else ())
        return SensitivitySpaces(release_of(space, self.invariants, None))

    def query(self) -> tuple[Query, list[list[int]]]:
        """A query, with a row over the possible cells for each of its coordinates."""
        if self.chance.random() < 0.6:
            return TableQuery(), self.margin("bcde")
        names = self.chance.sample(["cde", "bc", "cd", "e", "bde", "d"], self.chance.randint(1, 2))
        margins = tuple(tuple(sorted(margin)) for margin in names)
        return MarginsQuery(margins), [row for name in names for row in self.margin(name)]


def basis_of(rows: Floats) -> tuple[Floats, Floats]:
    """Orthonormal bases of the span of some rows, and of their null space, by the SVD."""
    _, sizes, right = np.linalg.svd(rows)
    rank = int((sizes > 1e-9).sum())
    return right[:rank], right[rank:]


def mean_length(sigma: float, rank: int) -> float:
    """E |x| of ``rank`` independent normal variables."""
    return sigma * sqrt(2) * exp(lgamma((rank + 1) / 2) - lgamma(rank / 2))


@pytest.mark.parametrize("seed", chunks(200, 700))
def test_noise_in_a_null_space_is_that_of_dense_linear_algebra(seed: int) -> None:
    table = Nested(seed, 40 if seed < 200 else 500)
    query, asked = table.query()
    if not table.cells:
        return
    published, answers = np.array(table.rows, dtype=float), np.array(asked, dtype=float)
    # T is linear in the query if its rows are in the span of those of the query.
    within, _ = basis_of(answers)
    linear = np.allclose(published @ within.T @ within, published, atol=1e-9)
    spaces = table.spaces()
    found, active = spaces.subspaces.null_space(query), spaces.subspaces.active(query)
    assert active == tuple(np.flatnonzero(answers.any(axis=1)))
    assert bool(spaces.subspaces.nonlinearity(query)) == (not linear)
    assert (found is None) == (not linear)
    if found is None:
        return
    _, kernel = basis_of(published)
    inside, _ = basis_of(kernel @ answers.T)
    shares = (inside**2).sum(axis=0)
    assert found.dimension == len(inside)
    largest = NullSpace(found).largest_share
    assert largest == pytest.approx(sqrt(shares.max(initial=0)), abs=1e-7)
    if found.shares is not None:
        assert np.allclose(np.array(found.shares, dtype=float), shares, atol=1e-9)
    known = facts(active=active, null=NullSpace(found))
    if not len(inside):
        return
    draft, plain = extended(known, GDP(Fraction(1))), naive(known, GDP(Fraction(1)))
    assert (draft.rank, plain.rank) == (len(inside), len(active))
    sigma = float(draft.value)
    assert draft.deviation.value == pytest.approx(sigma * sqrt(shares.max()), rel=1e-9)
    assert draft.total.value == pytest.approx(sigma**2 * shares.sum(), rel=1e-9)
    assert draft.length.value == pytest.approx(mean_length(sigma, len(inside)), rel=1e-9)
    assert plain.length.value == pytest.approx(
        mean_length(float(plain.value), len(active)), rel=1e-9
    )


def test_a_country_has_noise_for_its_possible_cells_alone() -> None:
    """Three totals of 1,000 cells each: every cell keeps 1 - 1/1000 of its variance."""
    for text in (flat(), nested()):
        spaces = SensitivitySpaces(Spec.from_text(text + PLAIN)._release)
        known = facts_of(spaces, TableQuery(), "semi_dp", 2)
        draft, plain = extended(known, GDP(Fraction(1))), naive(known, GDP(Fraction(1)))
        # Two records are exchanged across states: the squared length is 2^2 + 2^2.
        assert draft.value == plain.value == root_up(Fraction(8))
        assert (draft.rank, plain.rank) == (2_997, 3_000)
        assert draft.deviation.value == pytest.approx(sqrt(8 * 0.999), rel=1e-9)
        assert draft.length.value == pytest.approx(mean_length(sqrt(8), 2_997), rel=1e-9)
        assert plain.length.value == pytest.approx(mean_length(sqrt(8), 3_000), rel=1e-9)


def test_impossible_cells_are_not_cells() -> None:
    """Two states with two municipalities each, by sex: 16 products of levels, but 8 cells."""
    attributes = "state: 2, town: {within: state, levels: {0: [a, b], 1: [c, d]}}, sex: 2"
    text = f"semiaudit: 1\ndataspace: {{size: 9, attributes: {{{attributes}}}}}\n"
    spaces = SensitivitySpaces(Spec.from_text(text + PLAIN)._release)
    draft = naive(facts_of(spaces, TableQuery(), "semi_dp", 1), ZCDP(Fraction(1, 4)))
    assert (float(draft.value), draft.rank, draft.total.value) == (2, 8, 32)
    assert draft.length.value == pytest.approx(5.48, abs=0.005)
    ball = KNorm(Fraction(1), query=TableQuery(), norm="l2")
    drawn = k_norm(ball, TableQuery(), spaces).draw(4_000, Randomness(1))
    assert (drawn.any(axis=0)).sum() == 8
    # exp(-|x| / sqrt(2)) in 8 dimensions: the mean length is 8 sqrt(2).
    lengths = np.sqrt((drawn**2).sum(axis=1))
    assert lengths.mean() == pytest.approx(8 * sqrt(2), rel=5 * sqrt(1 / 8 / 4_000))


def test_a_refusal_names_the_limit_or_what_is_not_linear(monkeypatch: pytest.MonkeyPatch) -> None:
    spaces = SensitivitySpaces(Spec.from_text(flat(3) + PLAIN)._release)
    by_age = MarginsQuery((("age",),))
    assert "are not linear in the query" in facts_of(spaces, by_age, "semi_dp", 2).no_null
    monkeypatch.setattr(answer_null_space, "MAX_SOLVED", 299)
    by_place = MarginsQuery((("municipality", "age"),))
    again = SensitivitySpaces(spaces.stated)
    assert not again.subspaces.nonlinearity(by_place)
    for query in (TableQuery(), by_age, by_place):
        assert facts_of(again, query, "semi_dp", 2).no_null.startswith("size limit: ")
