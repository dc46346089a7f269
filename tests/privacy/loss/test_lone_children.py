"""What lone children change: against the procedure itself, a published list and an inversion."""

from __future__ import annotations

import csv
from fractions import Fraction
from itertools import product

import pytest

from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.engine import epsilon_bracket
from tests.benchmarks.lone_children import BOUNDS, DELTA, bounds, covers_all_pairs, table
from tests.places import ROOT
from tests.privacy.loss.inversion import delta_of_discrete_gaussians
from tests.privacy.loss.lone_children import (
    EXCHANGE,
    UNSPLIT,
    WHOLE,
    Release,
    dhc_persons,
    dhc_units,
    redistricting_persons,
    releases,
)

RELEASES = releases()
PAGE = ROOT / "docs" / "theory" / "census.md"
SHAPES = ROOT / "tests" / "golden" / "dhc_persons_shapes.csv"
"""The 43 ways through the spine that Su, Su and Wang publish (repository BuxinSu/Exact-Privacy-
Accounting-for-2020-U.S.-Census at commit 9b8ff71, "privacy budget allocation"), each level's sum
over its ten queries."""


def level_sums(release: Release, lone: tuple[bool, ...]) -> dict[str, Fraction]:
    """Unit by unit from the block up, as the production code does it: a lone child gives its share
    to its parent. ``lone``: whether the unit of each level but the topmost has no sibling."""
    share = {
        level: sum((r for (at, _), r in release.rho.items() if at == level), Fraction(0))
        for level in release.levels
    }
    upwards = list(reversed(list(zip(release.levels, release.levels[1:], lone, strict=False))))
    for parent, child, alone in upwards:
        if alone:
            share[parent], share[child] = share[parent] + share[child], Fraction(0)
    return share


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_a_shape_has_what_the_production_codes_procedure_leaves(release: Release) -> None:
    assert len(release.shapes()) == 2 ** (len(release.levels) - 2)
    for rest in product((False, True), repeat=len(release.levels) - 2):
        shape = (False, *rest)
        left = level_sums(release, shape)
        rho = release.rho_of(shape)
        for level in release.levels:
            found = [(query, r) for (at, query), r in rho.items() if at == level]
            assert sum((r for _, r in found), Fraction(0)) == left[level]
            stated = {query: r for (at, query), r in release.rho.items() if at == level}
            for query, r in found:
                assert r / left[level] == stated[query] / sum(stated.values())


def test_the_shapes_that_others_publish_are_among_those_looked_at() -> None:
    release = dhc_persons()
    with SHAPES.open(newline="") as file:
        published = {
            tuple(Fraction(row[level]) for level in release.levels) for row in csv.DictReader(file)
        }
    found = set()
    for shape in release.shapes():
        rho = release.rho_of(shape)
        sums = [
            sum((r for (at, _), r in rho.items() if at == level), Fraction(0))
            for level in release.levels
        ]
        found.add(tuple(sums))
    assert len(published) == 43
    assert published <= found
    assert len(found) == 64


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_what_moves_everything_costs_the_same_and_a_block_never_more(release: Release) -> None:
    stated = release.shapes()[0]
    for secret in release.secrets():
        costs = {release.cost(shape, secret) for shape in release.shapes()}
        if secret == WHOLE:
            assert len(costs) == 1
        elif secret == UNSPLIT or secret.startswith("Block within"):
            assert max(costs) == release.cost(stated, secret)


def test_an_attribute_can_cost_more_than_the_allocation_states() -> None:
    # By hand. Of P.L. 94-171 a tract that is one block group spends the group's part of rho, 1256
    # of 4099, by its own shares: 2492 of 4102 of them look at ethnicity, of the group's 2373 of
    # 4099. A group that is one block spends less: nearly all that blocks ask looks at ethnicity.
    release = redistricting_persons()
    stated, shapes = release.shapes()[0], release.shapes()
    dearest = max(shapes, key=lambda shape: release.cost(shape, "hispanic"))
    told = {
        level: sum(
            (r for at, r in release.rho.items() if at[0] == level and "hispanic" in at[1]),
            release.rho[level, "detailed"],
        )
        / sum(r for (at, _), r in release.rho.items() if at == level)
        for level in release.levels
    }
    by_hand = max(
        sum(
            (level_sums(release, shape)[level] * told[level] for level in release.levels),
            Fraction(0),
        )
        for shape in shapes
    )
    assert release.cost(dearest, "hispanic") == by_hand
    assert by_hand > release.cost(stated, "hispanic")
    assert (told["Tract"], told["Block_Group"]) == (Fraction(2492, 4102), Fraction(2373, 4099))
    assert round(float(release.cost(stated, "hispanic")), 6) == 1.000674
    assert round(float(release.cost(stated, EXCHANGE)), 6) == 1.924170


@pytest.mark.parametrize(
    ("release", "secret", "stated"),
    [
        (dhc_persons(), "relgq", "3.8681"),
        (dhc_persons(), "age", "3.5147"),
        (dhc_persons(), "Block within County", "3.0726"),
        (dhc_units(), "tenvacgq", "7.7005"),
        (dhc_units(), "hhtype", "5.957"),
        (dhc_units(), "elderly", "1.0338"),
        (dhc_units(), EXCHANGE, "14.4342"),
    ],
    ids=str,
)
def test_the_stated_shape_is_the_configs(release: Release, secret: str, stated: str) -> None:
    assert release.cost(release.shapes()[0], secret) == Fraction(stated)


def test_the_dearest_shape_of_the_dhcs_persons_is_dearer_by_2e_5() -> None:
    release = dhc_persons()
    shape = (False, True, True, True, True, True, True)
    loss = release.loss(shape, shape, WHOLE)
    found = epsilon_bracket(loss, DELTA, Accuracy(tolerance=1e-7))
    assert 24.456513 < found.lower <= found.upper < 24.456516
    parts = [(1, 1 / r, 2) for r in release.rho_of(shape).values()]
    for end, sign in ((found.lower, 1), (found.upper, -1)):
        at = Fraction(end) - sign * Fraction(1, 10**6)
        again = delta_of_discrete_gaussians(parts, at, 2.0)
        assert sign * (again / float(DELTA) - 1) > 0


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_the_page_has_what_the_benchmark_prints(release: Release) -> None:
    page = PAGE.read_text("utf-8")
    for row in table(release):
        assert row in page


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_the_page_has_a_bound_for_all_pairs_of_shapes(release: Release) -> None:
    page = PAGE.read_text("utf-8")
    assert all(row in page for row in bounds(release))
    for (name, secret, shift), bound in BOUNDS.items():
        if name == release.name:
            assert covers_all_pairs(release, secret, shift, Fraction(bound))
