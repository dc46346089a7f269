"""What it changes that a unit of geography with a single child takes over the child's noise.

The production code of the 2020 Census asks no question twice of the same people: where a unit has
a single child, the child's share of rho goes to the unit, whose queries are asked with the sum,
and the child's are not asked (repositories uscensusbureau/DAS_2020_Redistricting_Production_Code
and DAS_2020_DHC_Production_Code: ``bypass_geounit`` in programs/geographic_spines/optimize_spine.py
for the levels below the county, ``bypass_above_county`` in define_spines.py for those above). A
block's way up through the spine so has a *shape*: runs of levels, each of which is measured at its
topmost level only. The nation has more than one state, so that its level stays alone: 16 shapes of
the six levels of P.L. 94-171, 64 of the eight of the DHC. Which of them occur depends on geography
that is not needed here: all are looked at, so that what holds of all holds of those that occur.
The 43 that Su, Su and Wang list for the persons of the DHC (repository
BuxinSu/Exact-Privacy-Accounting-for-2020-U.S.-Census at commit 9b8ff71, folder "privacy budget
allocation") are among the 64, entry by entry.

A record that changes leaves a cell of its own shape and enters one of another's, or of the same.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from semiaudit.model.loss import DiscreteGaussianLoss, PrivacyLoss
from tests.places import CONFIGS

WHOLE = "everything"
UNSPLIT = "everything, in a state that is not split"
EXCHANGE = "two exchange their places"
Place = tuple[str, str]
"""A level and a query."""
Rhos = dict[Place, Fraction]
Shape = tuple[bool, ...]
"""For each level but the topmost: whether it is taken over by the level above."""


@dataclass(frozen=True)
class Release:
    """One product: its levels from the top down, and what its queries look at.

    Attributes:
        rho: of every level and query, as the allocation states it.
        looks_at: for each word in a query's name, the attribute that it is a recode of. The query
            "detailed" looks at all.
    """

    name: str
    levels: tuple[str, ...]
    rho: Rhos
    looks_at: dict[str, str]

    def secrets(self) -> tuple[str, ...]:
        """What a record can keep secret: everything, one attribute, or its block within a unit."""
        attributes = dict.fromkeys(self.looks_at.values())
        blocks = (f"Block within {level}" for level in self.levels[:-1])
        unsplit = (UNSPLIT,) if self.fixed_by_states() else ()
        return (WHOLE, *unsplit, EXCHANGE, *attributes, *blocks)

    def fixed_by_states(self) -> frozenset[Place]:
        """What the states' exact totals tell, where a state is one unit of its level."""
        return frozenset(place for place in self.rho if place == ("State", "total"))

    def moves(self, secret: str) -> frozenset[Place]:
        """The queries that a change of the secret moves, at the levels where they are asked."""
        if secret == WHOLE:
            return frozenset(self.rho)
        if secret == UNSPLIT:
            return frozenset(self.rho) - self.fixed_by_states()
        if secret == EXCHANGE:
            top = self.levels[0]
            return frozenset(at for at in self.rho if at[0] != top and at[1] != "total")
        if secret.startswith("Block within "):
            below = self.levels[self.levels.index(secret.removeprefix("Block within ")) + 1 :]
            return frozenset(at for at in self.rho if at[0] in below)
        words = {word for word, attribute in self.looks_at.items() if attribute == secret}
        return frozenset(
            (level, query)
            for level, query in self.rho
            if query == "detailed" or words & set(query.replace(" ", "").split("*"))
        )

    def shapes(self) -> tuple[Shape, ...]:
        """All shapes, the stated one first. The level below the top is never taken over."""
        return tuple((False, *rest) for rest in product((False, True), repeat=len(self.levels) - 2))

    def rho_of(self, shape: Shape) -> Rhos:
        """What the queries of a shape cost where one record moves two cells of each."""
        stated: dict[str, Fraction] = defaultdict(Fraction)
        for (level, _), r in self.rho.items():
            stated[level] += r
        heads = [self.levels[0]]
        for level, taken in zip(self.levels[1:], shape, strict=True):
            heads.append(heads[-1] if taken else level)
        has: dict[str, Fraction] = defaultdict(Fraction)
        for level, head in zip(self.levels, heads, strict=True):
            has[head] += stated[level]
        return {
            (level, query): r * has[level] / stated[level]
            for (level, query), r in self.rho.items()
            if level in has
        }

    def cost(self, shape: Shape, secret: str) -> Fraction:
        """rho of a secret of a record whose way through the spine has the shape."""
        moves = self.moves(secret)
        one = sum((r for at, r in self.rho_of(shape).items() if at in moves), Fraction(0))
        return one * _records(secret)

    def loss(self, shape: Shape, other: Shape, secret: str, shift: int = 1) -> PrivacyLoss:
        """One cell of every query of either shape moves by ``shift``, for each who changes."""
        moves, variances = self.moves(secret), Counter[Fraction]()
        for way in (shape, other) * _records(secret):
            variances.update(1 / r for at, r in self.rho_of(way).items() if at in moves)
        return PrivacyLoss(
            tuple((DiscreteGaussianLoss(shift, v), n) for v, n in sorted(variances.items()))
        )


def _records(secret: str) -> int:
    """How many records change, each in cells of its own."""
    return 2 if secret == EXCHANGE else 1


def _rows(name: str) -> list[dict[str, str]]:
    with (CONFIGS / "data" / f"census2020_{name}_allocation.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def _dhc(title: str, name: str, looks_at: dict[str, str]) -> Release:
    rho = {(row["level"], row["query"]): Fraction(row["rho"]) for row in _rows(name)}
    return Release(title, DHC_LEVELS, rho, looks_at)


DHC_LEVELS = (
    "US",
    "State",
    "County",
    "Prim",
    "Tract_Subset_Group",
    "Tract_Subset",
    "Block_Group",
    "Block",
)


def redistricting_persons() -> Release:
    """P.L. 94-171, persons."""
    rho = {
        (row["level"], row["query"]): Fraction(542, 339) ** 2
        * Fraction(row["level_share"])
        * Fraction(row["query_share"])
        for row in _rows("pl94_us_persons")
    }
    looks_at = {name: name for name in ("hhgq", "votingage", "hispanic", "cenrace")}
    levels = ("US", "State", "County", "Tract", "Block_Group", "Block")
    return Release("P.L. 94-171, persons", levels, rho, looks_at | {"hhinstlevels": "hhgq"})


def dhc_persons() -> Release:
    """The DHC, persons."""
    ages = ("age_18_64_116", "age_10_groups", "age_38_groups", "age_40_groups")
    homes = ("relgq_4_groups", "gq_constr_groups", "popSehsdTargetsRelship")
    looks_at = {"relgq": "relgq", **dict.fromkeys(homes, "relgq")}
    looks_at |= {"relship_and_eight_level_GQ": "relgq", "sex": "sex", **dict.fromkeys(ages, "age")}
    looks_at |= {"hispanic": "hispanic", "cenrace": "cenrace"}
    return _dhc("DHC, persons", "dhc_us_persons", looks_at)


def dhc_units() -> Release:
    """The DHC, housing units. ``tenvacgq`` is tenure, which both histograms look at."""
    tenure = ("tenvacgq", "hhtenshort_2lev", "hhtenshort_3lev")
    looks_at = dict.fromkeys(tenure, "tenvacgq")
    looks_at |= {name: name for name in ("sex", "hhage", "hisp", "race", "elderly")}
    kinds = ("multig", "coupled_hh_type", "partner_type_detailed_own_child_status")
    looks_at |= dict.fromkeys((*kinds, "DetailedCoupleTypeMultGenDetOwnChildSize"), "hhtype")
    return _dhc("DHC, housing units", "dhc_us_units", looks_at)


def releases() -> tuple[Release, ...]:
    """The three allocations that are public."""
    return redistricting_persons(), dhc_persons(), dhc_units()
