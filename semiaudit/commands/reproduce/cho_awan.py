"""Cho and Awan: distances, sensitivity spaces, the calculus, the census, and the test."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from semiaudit.commands.reproduce.found import (
    Found,
    a_t,
    audited,
    counted,
    known,
    shipped_report,
)
from semiaudit.commands.reproduce.model import Ours
from semiaudit.model.bound import Bound, lower, upper

if TYPE_CHECKING:
    from semiaudit.model.sensitivity import Sensitivity
    from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

TENTH = Fraction(1, 10**10)
ANY = {"pure_dp": {"epsilon": 1}}
"""Stands where a spec must have a mechanism, and none is looked at."""

SPACES = "Cho and Awan, Definition 4"


def distances() -> Found:
    """a(t) of the examples, of Theorem 16, and where it fails."""
    numbers: dict[str, Ours] = {
        "example_2": a_t(shipped_report("example2_three_bits")),
        "example_3": a_t(shipped_report("example3_all_zero")),
        "example_5": a_t(shipped_report("example5_table")),
        "example_5_definition_13": a_t(shipped_report("example5_table"), "definition_13"),
        "balanced_table": a_t(shipped_report("balanced_table")),
        "parity_tables": a_t(shipped_report("parity_tables"), "definition_13"),
        "cyclic_band": a_t(shipped_report("cyclic_band")),
        "two_releases": a_t(shipped_report("two_releases")),
    }
    for margins in (1, 2, 3):
        names = [f"a{place}" for place in range(margins)]
        numbers[f"theorem_16_{margins}"] = _of_margins([[name] for name in names], names)
    clusters = [[a, a, b, b, c, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    listed = audited({"datasets": [*clusters, [0, 1, 0, 1, 0, 1]]}, ANY)
    numbers["remark_14"] = a_t(listed)
    numbers["remark_14_definition_13"] = a_t(listed, "definition_13")
    names = ["a0", "a1", "a2"]
    numbers["remark_17_pair"] = _of_margins([["a0", "a1"], ["a2"]], names)
    numbers["remark_17_joint"] = _of_margins([names], names)
    return Found(numbers)


def _of_margins(margins: list[list[str]], names: list[str]) -> Ours:
    space = {"size": 6, "attributes": dict.fromkeys(names, 2)}
    return a_t(audited(space, ANY, invariants=[{"margin": margin} for margin in margins]))


def table_space(rows: int, columns: int, distance: int) -> Sensitivity:
    """S_Semi of a two-way table with both margins published, as an audit has it."""
    from semiaudit.model.query import TableQuery

    return spaces_of({"row": rows, "column": columns}).within(TableQuery(), distance)


def table_changes(rows: int, columns: int, distance: int) -> tuple[tuple[int, ...], ...]:
    """The elements of that space without 0, one of each pair of opposite signs at least.

    Raises:
        ValueError: they are too many to be listed.
    """
    from semiaudit.model.query import TableQuery

    found = spaces_of({"row": rows, "column": columns}).subspaces.changes(TableQuery(), distance)
    if found is None or not found.whole:
        raise ValueError("the elements are not listed")
    return found.vectors


def spaces_of(attributes: dict[str, int], size: int = 500) -> SensitivitySpaces:
    """Of a table with all its one-way margins published."""
    from semiaudit.library.report import release_of
    from semiaudit.model.access import Access
    from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

    spec: dict[str, Any] = {
        "semiaudit": 1,
        "title": "published",
        "dataspace": {"size": size, "attributes": attributes},
        "invariants": [{"margin": [name]} for name in attributes],
        "mechanism": ANY,
    }
    release, _ = release_of(spec, Access())
    return SensitivitySpaces(release)


def sensitivity() -> Found:
    """The sensitivity space of two-way tables, at distances 2 and 3, and what it saves."""
    from semiaudit.model.query import TableQuery
    from semiaudit.report.numbers import root_of

    numbers: dict[str, Ours] = {}
    for rows, columns in ((2, 2), (3, 3), (3, 4), (4, 4)):
        for distance in (2, 3):
            found = table_space(rows, columns, distance)
            name = f"{rows}x{columns}_at_{distance}"
            numbers[f"elements_{name}"] = counted(found.elements, found.method, SPACES)
            if distance == 3:
                numbers[f"rank_{rows}x{columns}"] = counted(found.rank, found.method, SPACES)
            if rows == columns < 4:
                numbers[f"l1_{name}"] = found.l1
                numbers[f"l2_{name}"] = root_of(found.l2_squared)
                numbers[f"linf_{name}"] = found.linf
                # Noise that gives mu = 1 in all of D has sigma = sqrt(2).
                half = Bound(found.l2_squared.value / 2, "exact", found.method, SPACES)
                numbers[f"mu_{name}"] = root_of(half)
    cube = spaces_of({"a": 2, "b": 2, "c": 2}).within(TableQuery(), 2)
    numbers |= {
        "l1_2x2x2": cube.l1,
        "l2_2x2x2": root_of(cube.l2_squared),
        "linf_2x2x2": cube.linf,
        "rank_2x2x2": counted(cube.rank, cube.method, SPACES),
    }
    return Found(numbers)


def calculus() -> Found:
    """Tradeoff functions, group privacy, composition and its two orders."""
    from semiaudit.library.mechanisms import GDP, DiscreteLaplace, Laplace, PureDP
    from semiaudit.library.tradeoff import ApproxTradeoff, GaussianTradeoff

    at = Fraction(1, 20)
    response = ApproxTradeoff(1)
    thrice = response.group(3)
    moved_first, composed_first = response.group(2).repeat(2), response.repeat(2).group(2)
    return Found(
        {
            "f_1_0": response(at),
            "f_1_001": ApproxTradeoff(1, Fraction(1, 100))(at),
            "g_1": GaussianTradeoff(1)(at),
            "delta_of_g_1_at_0": GaussianTradeoff(1).delta(0),
            "delta_of_g_1_at_1": GaussianTradeoff(1).delta(1),
            "delta_of_g_2_at_1": GaussianTradeoff(2).delta(1),
            "delta_of_g_3_at_3": GaussianTradeoff(3).delta(3),
            "delta_of_g_half_at_03": GaussianTradeoff(Fraction(1, 2)).delta(Fraction(3, 10)),
            "epsilon_of_g_1_at_1e-5": GaussianTradeoff(1).epsilon(Fraction(1, 10**5)),
            "epsilon_of_g_1_at_1e-10": GaussianTradeoff(1).epsilon(TENTH),
            "epsilon_of_g_3_at_1e-6": GaussianTradeoff(3).epsilon(Fraction(1, 10**6)),
            "epsilon_of_g_2_at_1e-6": GaussianTradeoff(2).epsilon(Fraction(1, 10**6)),
            "advantage_of_f_1_0": response.advantage,
            "advantage_of_group_of_3": thrice.advantage,
            "advantage_of_f_3_0": ApproxTradeoff(3).advantage,
            "delta_of_group_of_3_at_1": thrice.delta(1),
            "delta_of_group_of_3_at_2": thrice.delta(2),
            "delta_of_f_3_0_at_1": ApproxTradeoff(3).delta(1),
            "mu_of_1_and_2": known((GDP(1) + GDP(2)).guarantee().mu),
            "mu_of_1_and_2_at_distance_3": known((GDP(1) + GDP(2)).guarantee(3).mu),
            "f_1_0_twice": response.repeat(2)(at),
            "type_ii_of_semi_dp_first": moved_first(at),
            "type_ii_of_composition_first": composed_first(at),
            "delta_of_semi_dp_first": moved_first.delta(1),
            "delta_of_composition_first": composed_first.delta(1),
            "rho_of_pure_dp_1": known(PureDP(1).guarantee().rho),
            "rho_of_pure_dp_1_at_distance_2": known(PureDP(1).guarantee(2).rho),
            "rho_of_laplace": known(Laplace(scale=1, shifts=[1]).guarantee().rho),
            "rho_of_discrete_laplace": known(DiscreteLaplace(scale=1, shifts=[1]).guarantee().rho),
        }
    )


def census() -> Found:
    """The 2020 Census: rho and epsilon, advertised and with the state totals, three conversions."""
    from semiaudit.model.measure import GDP, ZCDP
    from semiaudit.privacy.evaluate import numbers_of
    from semiaudit.privacy.measures import gaussian

    semi = shipped_report("census2020_pl94")
    numbers: dict[str, Ours] = {"a_t": a_t(semi)}
    for name, report in (
        ("pl94", semi),
        ("with_housing", shipped_report("census2020_pl94_with_housing")),
        ("dhc", shipped_report("census2020_dhc")),
    ):
        numbers[f"rho_{name}"] = known(report.nominal_dp.rho)
        numbers[f"rho_{name}_semi"] = known(report.semi_dp.rho)
    for rho in ("2.56", "10.24", "2.63", "10.52"):
        points = numbers_of((ZCDP(Fraction(rho)),), [TENTH], []).approx_dp
        for point in points:
            numbers[f"{point.conversion}_of_{rho}"] = point.epsilon
        reached = gaussian.epsilon_at(GDP(2 * Fraction(rho)), TENTH)[1]
        numbers[f"gaussian_of_{rho}"] = upper(reached, "gaussian_exact", "Balle and Wang 2018")
    return Found(
        numbers,
        notes=(
            "The Gaussian's epsilon is no bound for the discrete Gaussian noise of the census "
            "(erratum E5).",
        ),
    )


def canonical() -> Found:
    """Canonical noise: the corner of Lemma 36, and two noises of one function."""
    from semiaudit.library.canonical import CanonicalNoise
    from semiaudit.library.tradeoff import ApproxTradeoff, GaussianTradeoff

    by_lemma = CanonicalNoise(GaussianTradeoff(1), distribution="lemma_36")
    quarter = Fraction(1, 4)
    corner = -Fraction(1, 2)
    return Found(
        {
            "corner_of_f_1_0": CanonicalNoise(ApproxTradeoff(1)).cdf(corner),
            "corner_of_f_1_001": CanonicalNoise(ApproxTradeoff(1, Fraction(1, 100))).cdf(corner),
            "corner_of_g_1": by_lemma.cdf(corner),
            "lemma_36_at_1": by_lemma.cdf(1),
            "lemma_36_at_quarter": by_lemma.cdf(quarter),
            "normal_at_quarter": CanonicalNoise(GaussianTradeoff(1), distribution="normal").cdf(
                quarter
            ),
        }
    )


def odds_ratio() -> Found:
    """The test of Theorem 37: as printed it points the other way (erratum E3)."""
    from semiaudit.model.measure import ApproxDP
    from semiaudit.model.odds_ratio import Margins
    from semiaudit.privacy.canonical.of_function import noise_of
    from semiaudit.privacy.odds_ratio.hypergeometric import law_of
    from semiaudit.privacy.odds_ratio.umpu import p_value, power, region

    method = "canonical_noise", "Cho and Awan, Theorem 37"
    margins, level = Margins(12, 10, 11), Fraction(1, 20)
    noise = noise_of(ApproxDP(Fraction(1), Fraction(0)), "tulap")
    at_one = law_of(margins, Fraction(1))
    rejecting = region(noise, at_one, level, "greater")
    statistic = Fraction(33, 4)
    numbers: dict[str, Ours] = {
        "threshold": known(
            None if rejecting.at_least is None else upper(rejecting.at_least, *method)
        ),
        "p_value": upper(p_value(noise, at_one, statistic, "greater"), *method),
    }
    for name, odds in (("1.5", Fraction(3, 2)), ("2", 2), ("4", 4), ("8", 8)):
        reached = power(noise, law_of(margins, Fraction(odds)), rejecting)
        numbers[f"power_at_{name}"] = lower(reached, *method)
    return Found(numbers)
