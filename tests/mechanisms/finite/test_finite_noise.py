"""Finite noise on tables against all pairs of tables and all outputs, in exact rationals."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

import pytest

from semiaudit import Spec, audit
from semiaudit.mechanisms.finite import finite_noise
from semiaudit.mechanisms.finite.finite_noise import FINITE_NOISE, pairs_by_count
from semiaudit.mechanisms.kind import NEIGHBORS, DatasetPairs
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.loss import PrivacyLoss, WorstLoss, products_of
from semiaudit.model.measure import PiecewiseLinear
from semiaudit.model.mechanism import FiniteNoise
from semiaudit.privacy.tradeoff.polygon import lies_below
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles import finite as oracle
from tests.places import CONFIGS
from tests.samples import sampled

Table = tuple[int, ...]

GROWTHS = [Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(4)]


@dataclass(frozen=True)
class Case:
    """Noise on a table of 2 x 2 cells, with so many records.

    Attributes:
        laws: of each count up to a cap; one for all counts.
    """

    size: int
    values: tuple[int, ...]
    laws: tuple[oracle.Law, ...]
    period: int
    margin: bool

    def law(self, count: int) -> oracle.Law:
        while count >= len(self.laws):
            count -= self.period
        return self.laws[count]

    def spec(self) -> Spec:
        noise: dict[str, Any] = {"query": "table"}
        if len(self.laws) == 1:
            noise |= {"values": list(self.values), "probabilities": list(self.laws[0])}
        else:
            rows = [[count, *law] for count, law in enumerate(self.laws)]
            noise |= {"table": [["count", *self.values], *rows], "period": self.period}
        return Spec.from_mapping(
            {
                "semiaudit": 1,
                "dataspace": {"size": self.size, "attributes": {"a": 2, "b": 2}},
                "invariants": [{"margin": ["a"]}] if self.margin else [],
                "mechanism": {"finite_noise": noise},
            }
        )


def random_case(chance: random.Random) -> Case:
    size = chance.randint(1, 4)
    values = tuple(sorted(chance.sample(range(-2, 3), chance.randint(1, 3))))
    rows = chance.choice([1, 1, 2, 3])
    laws = tuple(oracle.random_law(chance, len(values)) for _ in range(rows))
    return Case(size, values, laws, chance.randint(1, rows), chance.random() < 0.5)


def tables(size: int) -> list[Table]:
    return [t for t in product(range(size + 1), repeat=4) if sum(t) == size]


def unit_of(case: Case) -> int:
    """Every share of every law is a whole number of parts of this."""
    return lcm(*(share.denominator for law in case.laws for share in law))


def outputs_of(case: Case, table: Table) -> dict[Table, int]:
    """The probability of every output, times the unit to the power of 4."""
    unit = unit_of(case)
    found: dict[Table, int] = {(): 1}
    for count in table:
        shares = [
            (count + value, int(share * unit))
            for value, share in zip(case.values, case.law(count), strict=True)
            if share
        ]
        found = {(*at, cell): p * own for at, p in found.items() for cell, own in shares}
    return found


def delta_of(one: dict[Table, int], other: dict[Table, int], growth: Fraction) -> Fraction:
    """The sum of P(y) - growth Q(y) over the outputs at which it is positive, in the same unit."""
    up, down = growth.numerator, growth.denominator
    return Fraction(sum(max(down * p - up * other.get(y, 0), 0) for y, p in one.items()), down)


def neighbours(case: Case, distance: int, *, inside: bool) -> Iterator[tuple[Table, Table]]:
    for one in tables(case.size):
        for other in tables(case.size):
            moved = sum(abs(x - y) for x, y in zip(one, other, strict=True)) // 2
            alike = not case.margin or one[0] + one[1] == other[0] + other[1]
            if one != other and moved <= distance and (alike or not inside):
                yield one, other


def told_delta(vertices: Sequence[tuple[Fraction, Fraction]], growth: Fraction) -> Fraction:
    return max(1 - y - growth * x for x, y in vertices)


@pytest.mark.parametrize("seed", sampled(range(200), {0, 1, 2}))
def test_noise_is_set_against_every_pair_of_tables(seed: int) -> None:
    chance = random.Random(seed)
    case = random_case(chance)
    release = case.spec()._release
    part, spaces = release.mechanism, SensitivitySpaces(release)
    assert isinstance(part, FiniteNoise)
    universes: tuple[UniverseName, ...] = ("D", "D_t")
    distance = chance.choice([1, 2])
    outputs = {table: outputs_of(case, table) for table in tables(case.size)}
    for universe in universes:
        known = FINITE_NOISE.loss(part, DatasetPairs(universe, distance, "change"), spaces)
        f = next(m for m in known.measures if isinstance(m, PiecewiseLinear))
        pairs = list(neighbours(case, distance, inside=universe == "D_t"))
        for growth in GROWTHS:
            deltas = [delta_of(outputs[one], outputs[other], growth) for one, other in pairs]
            exact = max(deltas) / unit_of(case) ** 4 if pairs else max(1 - growth, Fraction(0))
            assert told_delta(f.vertices, growth) >= exact
            assert told_delta(f.vertices, growth) == max(exact, 1 - growth)


@pytest.mark.parametrize("move", [1, -1, 2, -2])
@pytest.mark.parametrize("top", [2, 3, 9])
def test_a_count_moves_from_where_both_counts_are_possible(move: int, top: int) -> None:
    """Counts of at least four have the same law, so one more of them is enough."""
    laws = tuple((Fraction(k, 5), Fraction(5 - k, 5)) for k in range(1, 5))
    noise = FiniteNoise((Fraction(0), Fraction(1)), laws)
    starts = [start for start, _ in pairs_by_count(noise, move, top)]
    possible = [c for c in range(top + 1) if 0 <= c + move <= top]
    assert set(starts) <= set(possible)
    laws_of = {(noise.law(c), noise.law(c + move)) for c in possible}
    assert {(noise.law(c), noise.law(c + move)) for c in starts} == laws_of


def test_shifts_in_both_directions_are_covered() -> None:
    """A law that only adds: up and down together tell more than up twice."""
    noise = FiniteNoise(
        tuple(map(Fraction, (0, 1, 2))),
        ((Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)),),
        shifts=(Fraction(1), Fraction(1)),
    )
    spaces = SensitivitySpaces(
        Case(2, (0, 1), (((Fraction(1), Fraction(0))),), 1, False).spec()._release
    )
    known = FINITE_NOISE.loss(noise, NEIGHBORS, spaces)
    f = next(m for m in known.measures if isinstance(m, PiecewiseLinear))
    law = noise.laws[0]
    one: list[Fraction] = []
    for signs in ((1, 1), (1, -1)):
        found: dict[tuple[int, int], list[Fraction]] = {}
        for a, b in product(range(3), repeat=2):
            share = law[a] * law[b]
            found.setdefault((a, b), [Fraction(0), Fraction(0)])[0] += share
            moved = a + signs[0], b + signs[1]
            found.setdefault(moved, [Fraction(0), Fraction(0)])[1] += share
        one.append(sum((max(p - q, Fraction(0)) for p, q in found.values()), Fraction(0)))
    assert told_delta(f.vertices, Fraction(1)) == max(one)


def test_where_directions_are_too_many_to_list_the_loss_is_a_bound_and_not_attained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    laws = ((Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)),)
    noise = FiniteNoise(
        tuple(map(Fraction, (0, 1, 2))), laws, shifts=(Fraction(1), Fraction(1), Fraction(2))
    )
    listed = finite_noise._of_shifts(noise)
    monkeypatch.setattr(finite_noise, "MAX_PRODUCTS", 0)
    bounds = finite_noise._of_shifts(noise)
    (exact,), (bound,) = (
        [m for m in found if isinstance(m, PrivacyLoss | WorstLoss)] for found in (listed, bounds)
    )
    assert all(loss.attained for loss in products_of(exact))
    assert not any(loss.attained for loss in products_of(bound))
    (f,), (g,) = (
        [m for m in found if isinstance(m, PiecewiseLinear)] for found in (listed, bounds)
    )
    assert lies_below(g, f)


def test_the_report_says_that_bounded_noise_has_no_pure_epsilon() -> None:
    case = Case(4, (-1, 0, 1), ((Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)),), 1, False)
    row = audit(case.spec()).as_dict()["guarantees"][0]
    # Two cells move by 1: an output is told apart unless neither noise is at its far end.
    assert row["pure_dp"] is None
    assert "no ε at δ = 0" in row["note"]
    assert "below 0.4375" in row["note"]
    assert 1 - (1 - Fraction(1, 4)) ** 2 == Fraction(4375, 10000)


def test_repeats_compose_and_group_privacy_holds_beyond_what_is_listed() -> None:
    case = Case(4, (-1, 0, 1), ((Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)),), 1, False)
    mapping = case.spec().to_mapping()
    twice = mapping | {"mechanism": mapping["mechanism"] | {"repeat": 2}}
    once, both = (audit(Spec.from_mapping(m))["nominal_dp"] for m in (mapping, twice))
    assert once.advantage.value < both.advantage.value < 1
    # Untouched with probability (3/4)^4 in both runs, so that delta is at least what is left.
    assert float(both.delta(100)) == pytest.approx(1 - 0.75**4)


def test_joined_pairs_of_a_long_answer_are_not_taken_for_those_of_two_datasets() -> None:
    """Six coordinates move, each from one of many counts: too many products to list."""
    laws = [[count, 1 + count, 2, 8 - count] for count in range(8)]
    rows = [[count, *(Fraction(k, sum(law)) for k in law)] for count, law in enumerate(laws)]
    spec = {
        "semiaudit": 1,
        "dataspace": {"size": 10**6, "attributes": {"a": 2}},
        "mechanism": {
            "finite_noise": {
                "query": {"matrix": [[0, 1]] * 6},
                "table": [["count", -1, 0, 1, 2], *rows],
                "period": 1,
            }
        },
        "report": {"deltas": ["0.9999"]},
    }
    nominal = audit(Spec.from_mapping(spec)).as_dict()["guarantees"][0]
    assert [point["epsilon"] for point in nominal["approx_dp"]] == [0, 0]
    assert all(point["epsilon_lower"] is None for point in nominal["approx_dp"])


def test_the_census_with_a_cell_key_method_by_its_worst_counts() -> None:
    """One record leaves a cell and enters another, whatever their counts: all of them are tried."""
    rows = (CONFIGS / "data" / "cell_key_table_made_up.csv").read_text().split()
    values = [int(value) for value in rows[0].split(",")[1:]]
    laws = [[Fraction(share) for share in row.split(",")[1:]] for row in rows[1:]]

    def output(count: int) -> dict[int, Fraction]:
        law = laws[min(count, len(laws) - 1)]
        return {count + value: share for value, share in zip(values, law, strict=True)}

    worst, least = Fraction(0), Fraction(0)
    for left, entered in product(range(1, 7), range(6)):
        before = output(left), output(entered)
        after = output(left - 1), output(entered + 1)
        shared = told = Fraction(0)
        for a, b in product(range(-3, 12), repeat=2):
            p = before[0].get(a, Fraction(0)) * before[1].get(b, Fraction(0))
            q = after[0].get(a, Fraction(0)) * after[1].get(b, Fraction(0))
            shared += min(p, q)
            told += 0 if q else p
        worst, least = max(worst, 1 - shared), max(least, told)
    nominal = audit(CONFIGS / "cell_key_census.yaml").as_dict()["guarantees"][0]
    assert nominal["advantage"] == pytest.approx(float(worst), abs=1e-12)
    assert f"below {float(least)}" in nominal["note"]
    assert nominal["approx_dp"][0]["epsilon"] == "inf"


def test_answers_below_0_have_the_one_law_of_noise_that_depends_on_no_count() -> None:
    values, fair = (Fraction(-1), Fraction(1)), (Fraction(1, 2), Fraction(1, 2))
    assert FiniteNoise(values=values, laws=(fair,)).law(-49) == fair
    spec = {
        "semiaudit": 1,
        "dataspace": {"size": 4, "attributes": {"a": 2}},
        "mechanism": {
            "finite_noise": {
                "query": {"matrix": [[-1, -2]]},
                "values": [-1, 1],
                "probabilities": ["1/2", "1/2"],
            }
        },
    }
    # A record moves the answer by 1, and -1 and 1 become -2 and 0: nothing overlaps.
    assert float(audit(spec).nominal_dp.advantage) == 1
