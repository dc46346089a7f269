"""The 2020 Census by level and query: rho, semantics, epsilons, and the factor inside D_t."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from semiaudit.commands.reproduce.found import Found, audited, counted, known, shipped_report
from semiaudit.commands.reproduce.model import Ours
from semiaudit.model.bound import exact
from semiaudit.model.figure import Figure
from semiaudit.report.plots.series import bars

if TYPE_CHECKING:
    from semiaudit.library.report import Report
    from semiaudit.model.semantics import Semantic

SOURCE = "US Census Bureau, production code of the 2020 Census"
SPLIT, WHOLE = "one state that State splits", "one state that State does not split"
PERSONS = "pl94_persons", "dhc_persons"


def totals() -> Found:
    """rho of each product from its allocation, and what they add up to."""
    from semiaudit.library.mechanisms import ZCDP, Mechanism

    numbers: dict[str, Ours] = {}
    whole: Mechanism = ZCDP("0.07")
    for name in (*PERSONS, "dhc_units"):
        rho = _report(name).nominal_dp.rho
        numbers[f"rho_{name}"] = numbers[f"exact_rho_{name}"] = known(rho)
        if rho is not None:
            whole = whole + ZCDP(Fraction(rho.value))
    numbers["rho_of_all"] = known(whole.guarantee().rho)
    return Found(numbers)


def redistricting() -> Found:
    """P.L. 94-171, persons: Block within each level, attributes, and epsilons."""
    report = _report("pl94_persons")
    levels = ("Block_Group", "Tract", "County", "State", "US")
    numbers = _within(report, levels)
    for attribute in ("hhgq", "votingage", "hispanic", "cenrace"):
        numbers[f"rho_{attribute}"] = _rho(_semantic(report, f"attribute:{attribute}", "D", 1))
    numbers |= _epsilons(report, "state")
    factor = _semantic(report, "within_state", "D_t", 2, WHOLE).factor
    numbers["factor_where_state_is_whole"] = counted(factor, "topdown", SOURCE)
    return Found(numbers, (_figure("bureau-pl94", "P.L. 94-171, persons", report),), (NOTE,))


def dhc_persons() -> Found:
    """The DHC, persons: Block within each level, attributes, and epsilons."""
    report = _report("dhc_persons")
    levels = "Block_Group", "Tract_Subset", "Tract_Subset_Group", "Prim", "County", "State", "US"
    numbers = _within(report, levels)
    numbers["rho_hispanic"] = _rho(_semantic(report, "attribute:hispanic", "D", 1))
    numbers |= _epsilons(report, "state")
    factor = _semantic(report, "within_state", "D_t", 2, WHOLE).factor
    numbers["factor_where_state_is_whole"] = counted(factor, "topdown", SOURCE)
    return Found(numbers, (_figure("bureau-dhc-persons", "DHC, persons", report),), (NOTE,))


def dhc_units() -> Found:
    """The DHC, housing units: epsilons, and the share of its second histogram."""
    report = _report("dhc_units")
    numbers = _epsilons(report, "block")
    second = _semantic(report, "attribute:tenvacgq (unit)", "D", 1)
    numbers["rho_of_the_second_histogram"] = _rho(second)
    return Found(numbers, (_figure("bureau-dhc-units", "DHC, housing units", report),), (NOTE,))


NOTE = (
    "The Bureau's code adds up rho of the queries that tell a secret apart, without invariants. "
    "Epsilon at delta 1e-10 is what the noise itself loses, checked by two other methods."
)


def _report(name: str) -> Report:
    return shipped_report(f"census2020_{name}")


def _semantics(report: Report) -> tuple[Semantic, ...]:
    from semiaudit.library.report import audit_of

    return audit_of(report).semantics


def _semantic(report: Report, name: str, universe: str, distance: int, where: str = "") -> Semantic:
    """One kind of secret, as an audit has it.

    Raises:
        LookupError: the audit has none of that name.
    """
    for one in _semantics(report):
        if (one.name, one.universe, one.distance, one.where) == (name, universe, distance, where):
            return one
    raise LookupError(f"{name} in {universe} at distance {distance} {where}")


def _rho(semantic: Semantic) -> Ours:
    return known(semantic.zcdp)


def _within(report: Report, levels: tuple[str, ...]) -> dict[str, Ours]:
    return {
        f"within_{level}": _rho(_semantic(report, f"geography:Block within {level}", "D", 1))
        for level in levels
    }


def _epsilons(report: Report, fixed: str) -> dict[str, Ours]:
    """epsilon of one record, and of two, anywhere and where the invariants hold."""
    found: dict[str, Ours] = {}
    for distance in (1, 2):
        across = _semantic(report, f"across_{fixed}s", "D", distance)
        found[f"epsilon_in_d_at_{distance}"] = across.approx_dp[0].epsilon
        for name, where in (
            (("split", SPLIT), ("whole", WHOLE)) if fixed == "state" else (("", ""),)
        ):
            one = _semantic(report, f"within_{fixed}", "D_t", distance, where)
            key = "_".join(filter(None, ("epsilon", name, "at", str(distance))))
            found[key] = one.approx_dp[0].epsilon
    return found


def _figure(name: str, title: str, report: Report) -> Figure:
    """rho of each attribute and of the block within each level, in D."""
    shown = [
        one
        for one in _semantics(report)
        if one.universe == "D"
        and one.zcdp is not None
        and one.name.startswith(("attribute:", "geography:"))
    ]
    told = [one.name.removeprefix("attribute:").removeprefix("geography:") for one in shown]
    words = tuple((text.replace("_", " "),) for text in told)
    note = "rho of everything about one record is no less: secrets share queries. Rounded up."
    series = bars("rho", [one.zcdp for one in shown])
    return Figure(
        name, f"{title}: what one secret costs", "", "rho", (series,), categories=words, note=note
    )


QUERIES = {
    "state": (("State", "race", "1"),),
    "nation": (("Nation", "race", "1"),),
    "both": (("State", "race", "1/2"), ("Nation", "race", "1/2")),
    "total": (("State", "total", "1"),),
}
"""Allocations of rho 1: where the histogram is, and the one of nothing but the invariant."""


def factors() -> Found:
    """By how much rho grows inside D_t for each kind of pair, in place of 4 (erratum E15)."""
    numbers: dict[str, Ours] = {}
    for name, rows in QUERIES.items():
        report = _toy(rows)
        kinds = (
            ("together", "within_state"),
            ("compensated", "across_states"),
            ("exchanged", "exchange"),
        )
        for word, secret in kinds:
            found = {
                one.factor
                for one in _semantics(report)
                if (one.name, one.universe, one.distance) == (secret, "D_t", 2)
            }
            most = max((factor for factor in found if factor is not None), default=None)
            numbers[f"{word}_{name}"] = (
                "no pair" if most is None else exact(most, "topdown", "erratum E15")
            )
    return Found(numbers)


def _toy(rows: tuple[tuple[str, str, str], ...]) -> Report:
    """Two levels, states' totals exact, noise on a histogram or on the total."""
    used = {query for _, query, _ in rows}
    queries: dict[str, Any] = {"race": "race", "total": []}
    return audited(
        {"size": 100, "attributes": {"state": 3, "race": 4}},
        {
            "topdown": {
                "spine": [{"level": "Nation"}, {"level": "State", "attribute": "state"}],
                "queries": {name: told for name, told in queries.items() if name in used},
                "allocation": [["level", "query", "rho"], *map(list, rows)],
            }
        },
        invariants=[{"margin": ["state"]}],
    )
