"""Rows of a report against all pairs of datasets of a tiny country."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from tests.oracles.spine_pairs import (
    Country,
    Toy,
    ancestor,
    country,
    geographies,
    place_attributes,
    places,
)
from tests.oracles.spine_secrets import Kind, Rest, Worst, delta, law_of, secrets, tail

PLACE = {"states": "state", "counties": "county", "blocks": "block"}
SLACK = 1 + Fraction(1, 10**15)
"""A number is printed as the nearest double."""

FEW, MANY = 5, 40
"""Geographies that are tried; and those that are before a number is said not to be attained."""


@dataclass(frozen=True)
class Land:
    """The worst pair of each kind, and the country in which it is."""

    worst: dict[tuple[Kind, bool], tuple[Worst, Country]]

    def of(self, kinds: Iterable[Kind], inside: bool) -> tuple[Worst, Country] | None:
        found = [self.worst[kind, inside] for kind in kinds if (kind, inside) in self.worst]
        return max(found, key=lambda one: one[0].rho, default=None)


CONTRADICTORY = "no geography is as the spine says"


class Enumerated:
    """A toy in some of its geographies."""

    def __init__(self, toy: Toy, many: int, seed: int) -> None:
        self.toy = toy
        self.wide = geographies(toy, MANY, random.Random(seed))
        self.ways = self.wide[:many]
        self.complete = len(self.wide) <= many
        self.fixed = places(toy)
        self.finest = (place_attributes(toy) or [""])[-1]
        self.land = self._land(toy)
        self.histograms = {
            name: self._land(self._one_histogram(name))
            for name in {query.histogram for query in toy.queries.values()}
        }

    def _one_histogram(self, name: str) -> Toy:
        kept = {
            key: rho
            for key, rho in self.toy.weights.items()
            if self.toy.queries[key[1]].histogram == name
        }
        return replace(self.toy, weights=kept, size=1)

    def _land(self, toy: Toy) -> Land:
        found: dict[tuple[Kind, bool], tuple[Worst, Country]] = {}
        rest = Rest(toy)
        for geography in self.ways if toy.weights else ():
            land = country(toy, geography)
            for key, worst in secrets(land, rest, self.fixed).items():
                if key not in found or worst.rho > found[key][0].rho:
                    found[key] = worst, land
        return Land(found)

    def splitter(self, attribute: str, value: str) -> str | None:
        """The topmost level that can have several units of one place."""
        for at, level in enumerate(self.toy.spine):
            for geography in self.wide:
                units = [
                    unit
                    for unit in geography[at]
                    if any(
                        ancestor(self.toy, atom[0], attribute, self.finest) == value
                        for atom in unit
                    )
                ]
                if len(units) > 1:
                    return level.name
        return None

    def fitting(self, place: str, places: Iterable[str]) -> tuple[str, list[str]]:
        """The attribute and the places that a part of ``where`` speaks of.

        Args:
            places: all parts that stand in rows of the same name.
        """
        told = re.fullmatch(r"one (\w+) that (\w+) (splits|does not split)( and .*)?", place)
        if told is None:
            raise ValueError(place)
        attribute = told[1]
        known = {one: self.splitter(attribute, one) for one in self.toy.attributes[attribute]}
        starts = {text.split(" and ")[0] for text in places}
        taken = {
            level for level in known.values() if f"one {attribute} that {level} splits" in starts
        }
        if told[3] == "splits":
            return attribute, [one for one, level in known.items() if level == told[2]]
        return attribute, [one for one, level in known.items() if level not in taken]

    @staticmethod
    def of_two_units(attribute: str, ones: Iterable[str], others: Iterable[str]) -> list[Kind]:
        """Two records of two units, which have one in each before and after.

        As tables, it is the same whether each stays in its unit or they change units.
        """
        return [
            ("across", attribute, frozenset(two), 2)
            for two in product(ones, others)
            if len(set(two)) > 1
        ]

    def kinds(self, row: Mapping[str, Any], places: Iterable[str]) -> list[Kind]:
        """The kinds of pairs that a row of the semantics speaks of."""
        name, distance = row["name"], row["distance"]
        parts = row["where"].split("; ") if row["where"] else []
        told = [self.fitting(part, places) for part in parts]
        if name.startswith("attribute:"):
            return [("attribute", name.removeprefix("attribute:").split(" (")[0])]
        if name.startswith("geography:"):
            level = name.split(" within ")[1]
            if told:
                return [("geography", level, told[0][0], one) for one in told[0][1]]
            return [("geography", level)]
        if name == "exchange":
            return [("exchange",)]
        if name == "anywhere" or (name.startswith("across_") and row["universe"] == "D"):
            return [("any", distance)]
        if name.startswith("across_"):
            attribute = PLACE[name.removeprefix("across_")]
            if distance == 1:
                return [("across", attribute, 1)]
            ones, others = (
                told[0][1] if told else self.toy.attributes[attribute],
                told[1][1] if told else self.toy.attributes[attribute],
            )
            return self.of_two_units(attribute, ones, others)
        attribute = name.removeprefix("exchange_").removeprefix("within_")
        values = told[0][1] if told else self.toy.attributes[attribute]
        if name.startswith("exchange_"):
            return [("exchange", attribute, one) for one in values]
        if name.startswith("within_"):
            one_unit: list[Kind] = [("within", attribute, one, distance) for one in values]
            both = self.of_two_units(attribute, values, values)
            return [*one_unit, *both] if distance > 1 else one_unit
        raise ValueError(name)


def below(row: Mapping[str, Any], found: tuple[Worst, Country], losses: bool) -> Iterator[str]:
    """What a row prints that is less than what a pair of its kind costs."""
    worst, land = found
    if row["zcdp"]["rho"] * SLACK < worst.rho:
        yield f"rho {row['zcdp']['rho']} is below {worst.rho} = {float(worst.rho)}"
    if not losses:
        return
    for pair in {worst.pair, worst.beside}:
        law = law_of(land, pair)
        if law is None:
            continue
        for at in row["approx_dp"]:
            if at["epsilon"] != "inf" and delta(law, at["epsilon"]) > at["delta"] * (1 + 1e-9):
                yield f"epsilon {at['epsilon']} at {at['delta']} is below that of {pair}"
        for guess in row.get("best_guess", ()):
            prior = guess["prior"]
            odds = Fraction(str(1 - prior)) / Fraction(str(prior))
            success = 1 - prior + prior * delta(law, math.log(odds))
            if guess["success"] * (1 + 1e-12) < success:
                yield f"a guess at prior {prior} is right in {success}, not {guess['success']}"
        for at in row.get("posterior_odds", ()):
            if at["log_growth"] != "inf" and tail(law, at["log_growth"]) > at["delta"] * (1 + 1e-9):
                yield f"the odds grow by more than {at['log_growth']}"
        if row.get("advantage") is not None and delta(law, 0.0) > row["advantage"] + 1e-12:
            yield f"advantage {row['advantage']} is below {delta(law, 0.0)}"


def attained(row: Mapping[str, Any]) -> bool:
    """Whether a row says that a pair of datasets costs what it prints, at the distances tried."""
    if row.get("adjacency", {}).get("distance", 1) > 2:
        return False
    return any(at["epsilon_lower"] is not None for at in row["approx_dp"])


def loose(row: Mapping[str, Any], found: tuple[Worst, Country], losses: bool) -> Iterator[str]:
    """What a row says to be attained, and no pair of its kind costs."""
    worst, land = found
    if row["zcdp"]["rho"] > worst.rho * SLACK:
        yield f"rho {row['zcdp']['rho']} is said to be attained, and is above {worst.rho}"
        return
    if not losses:
        return
    law = law_of(land, worst.pair)
    if law is None:
        return
    for at in row["approx_dp"]:
        if at["epsilon_lower"] and delta(law, at["epsilon_lower"]) < at["delta"] * (1 - 1e-8):
            yield f"epsilon_lower {at['epsilon_lower']} at {at['delta']} is too high: {worst.pair}"


@dataclass(frozen=True)
class Row:
    """A row of a report.

    Attributes:
        beside: all parts of ``where`` in rows of its name.
    """

    printed: Mapping[str, Any]
    beside: frozenset[str]

    @property
    def inside(self) -> bool:
        return bool(self.printed["universe"] == "D_t")

    @property
    def framework(self) -> bool:
        return "framework" in self.printed

    @property
    def label(self) -> str:
        row = self.printed
        if self.framework:
            return f"{row['framework']} | {row['universe']} | {row['adjacency']['distance']}"
        return f"{row['name']} | {row['where']} | {row['universe']} | {row['distance']}"

    def of(self, some: Enumerated) -> tuple[Worst, Country] | None:
        """The worst pair that it speaks of."""
        row = self.printed
        if self.framework:
            distance = row["adjacency"]["distance"]
            return some.land.of([("any", k) for k in (1, 2) if k <= distance], self.inside)
        one = re.search(r" \((.*)\)$", row["name"])
        land = some.histograms[one[1]] if one else some.land
        return land.of(some.kinds(row, self.beside), self.inside)


def rows_of(report: Mapping[str, Any]) -> Iterator[Row]:
    """The semantics, and the guarantees between all pairs up to a distance."""
    for row in report["semantics"]:
        parts = [
            part
            for other in report["semantics"]
            if (other["name"], other["universe"]) == (row["name"], row["universe"])
            for part in (other["where"] or "").split("; ")
        ]
        yield Row(row, frozenset(parts))
    for row in report["guarantees"]:
        if not row["refused"] and row["framework"] != "subspace_dp":
            yield Row(row, frozenset())


def bounds_only(toy: Toy, inside: bool) -> bool:
    here = set(places(toy))
    named = any(here & set(zero) for zero in toy.impossible)
    nested = any(name not in here for name in toy.within)
    last = max((at for at, one in enumerate(toy.spine) if one.attribute is not None), default=0)
    above = any(level.attribute is None for level in toy.spine[1:last])
    other = any(one.kind not in ("margin", "total") for one in toy.invariants)
    return named or nested or above or (inside and (other or toy.given is not None))


def disagreements(
    report: Mapping[str, Any], toy: Toy, seed: int = 0, losses: float = 0.0
) -> list[str]:
    """Whatever a report says that all pairs of datasets contradict.

    Args:
        losses: the share of rows whose epsilon is set against a convolution, too.
    """
    draw = random.Random(seed)
    few = Enumerated(toy, FEW, seed)
    if not few.ways:
        return [CONTRADICTORY]
    many: list[Enumerated] = []

    def again(row: Row) -> tuple[Worst, Country] | None:
        """In more geographies, before a pair is said not to exist."""
        if few.complete:
            return row.of(few)
        if not many:
            many.append(Enumerated(toy, MANY, seed))
        return row.of(many[0])

    said: list[str] = []
    for row in rows_of(report):
        found, printed = row.of(few), row.printed
        if printed["zcdp"] is None:
            if found is not None:
                said.append(f"{row.label}: missed pair, of rho {found[0].rho}: {show(found)}")
            continue
        rho, exact = printed["zcdp"]["rho"], attained(printed)
        if printed.get("framework") == "invariant_dp":
            two = few.land.of([("any", 2)], inside=True)
            if two is not None and 4 * rho * SLACK < two[0].rho:
                said.append(f"{row.label}: optimistic at distance 2: {show(two)}")
        found = found or again(row)
        if found is None:
            bound = row.framework or bounds_only(toy, row.inside)
            if (exact and rho > 0) or not bound:
                said.append(f"{row.label}: phantom: rho {rho}, {exact}, and there is no pair")
            continue
        now = draw.random() < losses
        said += [
            f"{row.label}: optimistic: {one}: {show(found)}" for one in below(printed, found, now)
        ]
        if exact and any(loose(printed, found, False)):
            found = again(row) or found
        if exact:
            said += [
                f"{row.label}: not attained: {one}: {show(found)}"
                for one in loose(printed, found, now)
            ]
    return said


def show(found: tuple[Worst, Country]) -> str:
    worst, land = found
    return " -> ".join(
        ", ".join(
            f"{tuple(land.records[at].cell.values())}@{land.records[at].place}" for at in side
        )
        for side in worst.pair
    )
