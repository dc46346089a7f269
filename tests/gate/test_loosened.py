"""What a policy demands, against written-down adjacencies, intervals of a(t) and budgets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from semiaudit.errors import Mark
from semiaudit.gate.policy import allowed, loosened, with_budgets
from semiaudit.model.adjacency import Adjacency, Metric, Reading
from semiaudit.model.audit import Audit, Budget, Finding, Release
from semiaudit.model.labels import budget_name
from semiaudit.model.policy import GateOptions, Policy
from semiaudit.model.semi_adjacency import Universe
from tests.gate.specs import HOLDS, audited

PLACE = Mark(4, 9)


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    return audited(tmp_path_factory.mktemp("loosened"), HOLDS)


def release_of(
    audit: Audit,
    metric: Metric = "hamming",
    reading: Reading = "covering",
    distance: int | None = None,
    budgets: tuple[Budget, ...] = (),
) -> Release:
    adjacency = Adjacency(metric, reading, distance, PLACE)
    return replace(audit.release, adjacency=adjacency, budgets=budgets)


def universe_of(
    audit: Audit,
    covering: tuple[int, int | None] = (3, 3),
    printed: tuple[int, int] | None = None,
    *,
    trivial: bool = False,
    one_size: bool = True,
) -> Universe:
    semi = audit.universe.semi_adjacency
    low, high = covering
    first, last = printed or (1, 1)
    return replace(
        audit.universe,
        one_size=one_size,
        semi_adjacency=replace(
            semi,
            reading="covering" if printed is None else "definition_13",
            covering=replace(semi.covering, lower=low, upper=high, trivial=trivial),
            definition_13=replace(semi.definition_13, lower=first, upper=last, trivial=False),
        ),
    )


def words(found: list[Finding]) -> list[str]:
    assert {(f.rule, f.level, f.mark) for f in found} <= {("SA029", "error", PLACE)}
    return [finding.message for finding in found]


DEMANDS = GateOptions(policy=Policy("p", "", distance=4))
DEFAULTS = GateOptions()
NOTHING = GateOptions(defaults=False)


@pytest.mark.parametrize(
    ("own", "covering", "trivial", "printed", "expected"),
    [
        (None, (4, 4), False, None, ""),
        (None, (4, 5), False, None, ""),
        (None, (3, 3), False, None, "the distance in force is 3, and the policy asks for 4"),
        # definition_13 is in force: its own distance counts.
        (None, (6, 6), False, (2, 3), "the distance in force is 3, and the policy asks for 4"),
        (None, (6, 6), False, (4, 4), ""),
        (3, (6, 6), False, None, "the distance in force is 3, and the policy asks for 4"),
        (4, (6, 6), False, None, ""),
        (5, (6, 6), False, None, ""),
        # Where no a(t) is established nothing is in force, and semi_dp is refused.
        (None, (3, None), False, None, ""),
        (None, (2, 3), True, None, ""),
        (3, (3, None), False, None, "the distance in force is 3, and the policy asks for 4"),
    ],
)
def test_a_policy_s_distance_is_held_against_the_one_in_force(
    own: int | None,
    covering: tuple[int, int | None],
    trivial: bool,
    printed: tuple[int, int] | None,
    expected: str,
    audit: Audit,
) -> None:
    universe = universe_of(audit, covering, printed, trivial=trivial)
    reading: Reading = "covering" if printed is None else "definition_13"
    gate = replace(DEMANDS, policy=Policy("p", "", distance=4, reading=reading))
    found = words(loosened(release_of(audit, "hamming", reading, own), gate, universe))
    assert [message.partition(" or more")[0] for message in found] == (
        [expected] if expected else []
    )


@pytest.mark.parametrize(
    ("own", "covering", "below"),
    [
        (None, (3, 3), False),
        (3, (3, 3), False),
        (2, (3, 3), True),
        (5, (5, 6), True),
        (6, (5, 6), False),
        (99, (5, None), True),
        (None, (5, None), False),
    ],
)
def test_without_a_policy_s_word_no_distance_lies_below_covering(
    own: int | None, covering: tuple[int, int | None], below: bool, audit: Audit
) -> None:
    universe, release = universe_of(audit, covering), release_of(audit, distance=own)
    found = words(loosened(release, DEFAULTS, universe))
    assert bool(found) is below
    assert all(f"the distance {own} is below covering a(t)" in message for message in found)
    assert loosened(release, NOTHING, universe) == []


def test_a_distance_below_covering_is_looser_whatever_reading_is_in_force(audit: Audit) -> None:
    universe = universe_of(audit, (3, 3), (2, 2))
    release = release_of(audit, reading="definition_13", distance=2)
    found = words(
        loosened(release, GateOptions(policy=Policy("p", "", reading="definition_13")), universe)
    )
    assert len(found) == 1
    assert "the distance 2 is below covering a(t)" in found[0]


@pytest.mark.parametrize(
    ("metric", "least", "one_size", "expected"),
    [
        ("hamming", None, True, ""),
        ("multiset_hamming", None, True, "promises less than hamming"),
        ("symmetric_difference", None, True, "promises less than hamming"),
        # Where sizes differ hamming compares nothing.
        ("symmetric_difference", None, False, ""),
        ("multiset_hamming", "multiset_hamming", True, ""),
        ("hamming", "multiset_hamming", True, ""),
        ("hamming", "symmetric_difference", True, ""),
        ("symmetric_difference", "symmetric_difference", True, ""),
        ("multiset_hamming", "hamming", True, "the policy asks for hamming"),
        ("multiset_hamming", "hamming", False, "the policy asks for hamming"),
        ("symmetric_difference", "multiset_hamming", False, "asks for multiset_hamming"),
    ],
)
def test_a_metric_is_at_least_the_policy_s_or_hamming(
    metric: Metric, least: Metric | None, one_size: bool, expected: str, audit: Audit
) -> None:
    universe, release = universe_of(audit, one_size=one_size), release_of(audit, metric)
    found = words(loosened(release, GateOptions(policy=Policy("p", "", metric=least)), universe))
    assert len(found) == bool(expected)
    assert all(expected in message for message in found)
    demanded = bool(expected) and least is not None
    gate = replace(NOTHING, policy=Policy("p", "", metric=least))
    assert bool(loosened(release, gate, universe)) is demanded


@pytest.mark.parametrize(
    ("reading", "least", "expected"),
    [
        ("covering", None, ""),
        ("covering", "covering", ""),
        ("covering", "definition_13", ""),
        ("definition_13", "definition_13", ""),
        ("definition_13", None, "promises less than covering"),
        ("definition_13", "covering", "the policy asks for covering"),
    ],
)
def test_a_reading_is_at_least_the_policy_s_or_covering(
    reading: Reading, least: Reading | None, expected: str, audit: Audit
) -> None:
    universe, release = universe_of(audit, printed=(3, 3)), release_of(audit, reading=reading)
    found = words(loosened(release, GateOptions(policy=Policy("p", "", reading=least)), universe))
    assert len(found) == bool(expected)
    assert all(expected in message for message in found)
    demanded = bool(expected) and least is not None
    gate = replace(NOTHING, policy=Policy("p", "", reading=least))
    assert bool(loosened(release, gate, universe)) is demanded


@pytest.mark.parametrize(
    ("policy", "adjacency", "distance", "rules"),
    [
        (None, Adjacency("hamming", "definition_13"), 2, set()),
        (Policy("p", ""), Adjacency("multiset_hamming", "definition_13"), 2, set()),
        (Policy("p", "", reading="definition_13"), Adjacency("hamming"), 2, set()),
        (Policy("p", "", reading="definition_13"), Adjacency("hamming", "definition_13"), 2, {5}),
        (Policy("p", "", metric="multiset_hamming"), Adjacency("hamming"), 2, set()),
        (Policy("p", "", metric="multiset_hamming"), Adjacency("multiset_hamming"), 2, {9}),
        (Policy("p", "", distance=2), Adjacency("symmetric_difference"), 2, {6}),
        (Policy("p", "", distance=2), Adjacency("symmetric_difference"), 3, {6}),
        (Policy("p", "", distance=2), Adjacency("symmetric_difference"), 1, set()),
        (Policy("p", "", distance=2), Adjacency("symmetric_difference"), None, set()),
    ],
)
def test_a_policy_allows_what_it_says_itself(
    policy: Policy | None,
    adjacency: Adjacency,
    distance: int | None,
    rules: set[int],
    audit: Audit,
) -> None:
    release = replace(audit.release, adjacency=adjacency)
    assert allowed(release, policy, distance) == {f"SA{rule:03}" for rule in rules}


def limit(value: float | str, line: int = 0, **more: Any) -> Budget:
    budget = Budget("semi_dp", "epsilon", Fraction(str(value)), Fraction(1, 10), 2, Mark(line, 1))
    return replace(budget, **more)


@pytest.mark.parametrize(
    ("own", "demanded", "expected"),
    [
        (limit(5, 7), [limit(4, policy=True)], ["allows 5, and the policy allows 4"]),
        (limit(4), [limit(4, policy=True)], []),
        (limit(3), [limit(4, policy=True)], []),
        (limit(5), [], []),
        (limit(5), [limit(4, policy=True, framework="nominal_dp")], []),
        (limit(5), [limit(4, policy=True, at=Fraction(1, 20))], []),
        (limit(5), [limit(4, policy=True, distance=3)], []),
        (limit(5), [limit(4, policy=True, measure="tpr")], []),
        (
            limit(4.5, 7),
            [limit(5, policy=True), limit(4, policy=True)],
            ["allows 4.5, and the policy allows 4"],
        ),
        (
            limit("1.0000001", 7),
            [limit("0.9999999", policy=True)],
            ["allows 1.000001, and the policy allows 0.999999"],
        ),
    ],
)
def test_a_spec_s_budget_is_looser_than_the_policy_s_on_the_same_number(
    own: Budget, demanded: list[Budget], expected: list[str], audit: Audit
) -> None:
    policy = Policy("p", "", tuple(demanded), metric="hamming")
    release = with_budgets(release_of(audit, budgets=(own,)), policy)
    assert release.budgets == (own, *demanded)
    found = loosened(release, GateOptions(policy=policy), universe_of(audit))
    assert [f.message.partition("distance 2 ")[2] for f in found] == expected
    assert [(f.rule, f.level, f.mark.line) for f in found] == [("SA029", "error", 7)] * len(
        expected
    )
    assert with_budgets(release, None) is release


def test_a_budget_is_named_by_all_that_tells_it_from_others() -> None:
    assert budget_name(limit(5)) == "ε of Semi-DP (effective) at δ = 0.1 at distance 2"
    assert (
        budget_name(limit(5, measure="rho", at=None, distance=None)) == "ρ of Semi-DP (effective)"
    )
