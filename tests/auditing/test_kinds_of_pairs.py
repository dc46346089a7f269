"""What an audit says of kinds of pairs, against every pair of a toy census made up at random."""

from __future__ import annotations

import random
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from semiaudit import Spec, audit
from tests.oracles.topdown import (
    ATTRIBUTES,
    Moves,
    Query,
    Spine,
    chosen,
    pairs,
    random_spine,
    rho_of,
    worst_epsilon,
    worst_rho,
)

DELTA = Fraction(1, 10**6)
SPLIT, WHOLE = " splits", " does not split"
"""How an audit tells the two states of a toy apart: B has two areas, and A one."""

UNITS = ("state", "area", "county", "block")


def spec_of(spine: Spine) -> dict[str, Any]:
    attributes: dict[str, Any] = {"state": sorted(set(spine.state_of.values()))}
    path = [(spine.state_of[block[1]], *block[1:]) for block in spine.blocks]
    for at, name in enumerate(UNITS[1:], 1):
        levels: dict[str, list[str]] = {}
        for areas in path:
            inside = levels.setdefault(areas[at - 1], [])
            if areas[at] not in inside:
                inside.append(areas[at])
        attributes[name] = {"within": UNITS[at - 1], "levels": levels}
    attributes |= dict(zip(ATTRIBUTES, spine.sizes, strict=True))
    recodes: dict[str, Any] = {}
    queries: dict[str, Any] = {}
    allocation = [["level", "query", "rho"]]
    for query in spine.queries:
        tells = [*_tells(query, recodes)]
        if tells or query.level != "nation":
            name = " by ".join(tells) or "total"
            queries[name] = {"tells": tells}
            allocation.append([query.level, name, str(query.weight)])
    units = zip(("state", "county", "block"), UNITS[1:], strict=True)
    spine_of = [{"level": "nation"}, *({"level": n, "attribute": a} for n, a in units)]
    stated = {"spine": spine_of, "queries": queries, "allocation": allocation}
    return {
        "semiaudit": 1,
        "dataspace": {"unit": "person", "attributes": attributes},
        "invariants": [{"margin": ["state"]}],
        "adjacency": {"distance": 2},
        "mechanism": {"topdown": stated | ({"recodes": recodes} if recodes else {})},
        "report": {"deltas": [str(float(DELTA))]},
    }


def _tells(query: Query, recodes: dict[str, Any]) -> Iterable[str]:
    """The attributes and recodes that a query tells apart; recodes are added."""
    for name, groups in zip(ATTRIBUTES, query.groups, strict=True):
        if len(set(groups)) == len(groups):
            yield name
        elif len(set(groups)) > 1:
            told = [[at for at, g in enumerate(groups) if g == k] for k in sorted(set(groups))[:-1]]
            recodes[f"{name} in groups"] = {"of": name, "groups": told}
            yield f"{name} in groups"


def of_row(row: dict[str, Any], found: Iterable[Any]) -> set[Moves]:
    """All pairs that a row of ``semantics`` speaks of."""
    name, universe, distance = row["name"], row["universe"], row["distance"]
    told = row["where"] or ""
    ends = {"A": WHOLE, "B": SPLIT}
    named = {state for state in ends for part in told.split("; ") if part.endswith(ends[state])}
    states = named or None
    kind, _, level = name.partition(":")
    match kind:
        case "attribute":
            wanted = name
        case "geography":
            wanted = f"geography:{level.removeprefix('block within ')}"
        case "within_state":
            return chosen(found, universe, furthest=distance, states=states)
        case "across_states" if universe == "D":
            return chosen(found, universe, furthest=distance)
        case "across_states":
            wanted = "compensated" if distance == 2 else "across_states"
        case "exchange" | "exchange_within_state":
            wanted = "exchange"
        case _:
            raise AssertionError(name)
    return chosen(found, universe, kind=wanted, states=states)


def compare(spine: Spine, with_epsilon: int) -> int:
    """Hold every row to all pairs: rho exactly, and the epsilon of some rows.

    Returns:
        how many rows were compared.
    """
    found = pairs(spine)
    report = audit(Spec.from_mapping(spec_of(spine))).as_dict()
    known: dict[tuple[Moves, ...], tuple[Fraction, Fraction]] = {}
    for row in report["semantics"]:
        moves = of_row(row, found)
        assert bool(moves) == (row["zcdp"] is not None), row
        if not moves:
            continue
        assert Fraction(str(row["zcdp"]["rho"])) == worst_rho(spine, moves), row
        # the pairs of largest rho; a slow test of the oracle looks at all
        largest = sorted(moves, key=lambda m: (-rho_of(spine, m), m))[:2]
        key = tuple(largest)
        if key not in known and len(known) < with_epsilon:
            known[key] = worst_epsilon(spine, largest, DELTA)
        if key in known:
            low, high = known[key]
            point = row["approx_dp"][0]
            assert point["epsilon"] >= float(low) * (1 - 1e-12), row
            assert point["epsilon_lower"] <= float(high) * (1 + 1e-12), row
            assert point["epsilon"] - point["epsilon_lower"] <= 1e-6 * point["epsilon"], row
    of_notion = {row["framework"]: row for row in report["guarantees"]}
    for notion, universe, distance in (
        ("nominal_dp", "D", 1),
        ("group_privacy", "D", 2),
        ("semi_dp", "D_t", 2),
        ("invariant_dp", "D_t", 1),
    ):
        stated = Fraction(str(of_notion[notion]["zcdp"]["rho"]))
        assert stated == worst_rho(spine, chosen(found, universe, furthest=distance)), notion
    return len(report["semantics"])


def test_every_kind_of_pair_costs_what_the_worst_of_all_such_pairs_costs() -> None:
    assert compare(random_spine(random.Random(1)), with_epsilon=3) > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 212))
def test_kinds_of_pairs_of_more_toys(seed: int) -> None:
    assert compare(random_spine(random.Random(seed), large=seed % 3 == 0), with_epsilon=20) > 20
