"""Every published number of published.csv, computed by public names alone."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Literal

import pytest

from semiaudit import (
    GDP,
    ZCDP,
    ApproxTradeoff,
    Bound,
    CanonicalNoise,
    DiscreteGaussian,
    GaussianTradeoff,
    LastIterate,
    PrivateOddsRatioTest,
    PureDP,
    TradeoffFunction,
    audit,
)
from tests.golden.published import PUBLISHED, golden

HALF, TENTH = Fraction(1, 2), Fraction(1, 10**10)
LARGEST_STRATUM = 264_331
F_1 = ApproxTradeoff(1)
MOVED_FIRST, COMPOSED_FIRST = F_1.group(2).repeat(2), F_1.repeat(2).group(2)
TABLE_1 = LastIterate("2/3", 40, "0.9999")
X21, X11 = (12, 10, 11), (10, 12, 11)

Number = Callable[[], "Bound | float | None"]


def type_ii(f: TradeoffFunction) -> Number:
    return partial(f, "0.05")


def delta(f: TradeoffFunction, epsilon: int | str) -> Number:
    return partial(f.delta, epsilon)


def responses(epsilon: str, times: int) -> Number:
    return lambda: (PureDP(epsilon) * times).guarantee().type_ii("0.05")


def rho_of(config: str, framework: str) -> Number:
    return lambda: audit(f"configs/{config}.yaml")[framework].rho


def corner(f: TradeoffFunction) -> Number:
    return lambda: CanonicalNoise(f, "lemma_36").cdf("-1/2")


def noise_of_g_1(distribution: Literal["lemma_36", "normal"], x: str) -> Number:

    return lambda: CanonicalNoise(GaussianTradeoff(1), distribution).cdf(x)


@cache
def odds_test(margins: tuple[int, int, int]) -> PrivateOddsRatioTest:
    return PrivateOddsRatioTest(CanonicalNoise(F_1), *margins)


@cache
def gaps() -> list[float]:
    """G_1 less f_{1,0} on a grid, and at the corner of f_{1,0}."""
    g_1 = GaussianTradeoff(1)
    places = [Fraction(2689414214, 10**10), *(Fraction(i, 400) for i in range(1, 400))]
    return [float(g_1(at)) - float(F_1(at)) for at in places]


def swapping(**parameters: object) -> dict[str, float]:
    """The loss per unit of swapping, and the published bound where it is another number."""
    spec = {"semiaudit": 1, "dataspace": {"unit": "home"}, "mechanism": {"swapping": parameters}}
    report = audit(spec)
    (row,) = (g for g in report.as_dict()["guarantees"] if g["framework"] == "invariant_dp")
    found = {one["name"]: one["pure_dp"]["epsilon"] for one in row["alternatives"]}
    own = report["invariant_dp"].pure_epsilon
    assert own is not None
    return {**found, "own": float(own)}


@cache
def at_rate(rate: Fraction) -> float:
    return swapping(rate=rate, largest_stratum=LARGEST_STRATUM)["own"]


def rate_of_12(low: str, high: str) -> float:
    """The swap rate of epsilon 12, by halving an interval in which the loss rises or falls."""
    below, above = Fraction(low), Fraction(high)
    rises = at_rate(above) > at_rate(below)
    while above - below > Fraction(1, 10**10):
        middle = (below + above) / 2
        if (at_rate(middle) > 12) == rises:
            above = middle
        else:
            below = middle
    return float(below)


@cache
def least_rate() -> Fraction:
    """The swap rate of the least epsilon: the loss falls up to it, and rises beyond."""
    low, high = Fraction("0.99"), Fraction("0.9999")
    while high - low > Fraction(1, 10**8):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        low, high = (one, high) if at_rate(one) > at_rate(other) else (low, other)
    return (low + high) / 2


NUMBERS: dict[str, Number] = {
    "f_1_0": type_ii(F_1),
    "f_1_001": type_ii(ApproxTradeoff(1, "0.01")),
    "g_1": type_ii(GaussianTradeoff(1)),
    **{
        f"delta_of_g_{mu}_at_{at}": delta(GaussianTradeoff(mu), at)
        for mu, at in ((1, 0), (1, 1), (2, 1), (3, 3))
    },
    **{
        f"epsilon_of_g_{mu}_at_{at}": partial(GaussianTradeoff(mu).epsilon, at)
        for mu, at in ((1, "1e-5"), (1, "1e-10"), (3, "1e-6"), (2, "1e-6"))
    },
    "advantage_of_group_of_3": lambda: F_1.group(3).advantage,
    "advantage_of_f_3_0": lambda: ApproxTradeoff(3).advantage,
    **{f"delta_of_group_of_3_at_{at}": delta(F_1.group(3), at) for at in (1, 2)},
    **{f"delta_of_f_3_0_at_{at}": delta(ApproxTradeoff(3), at) for at in (1, 2)},
    "mu_of_1_and_2": lambda: (GDP(1) + GDP(2)).guarantee().mu,
    "mu_of_1_and_2_at_distance_3": lambda: (GDP(1) + GDP(2)).guarantee(3).mu,
    "f_1_0_twice": type_ii(F_1 @ F_1),
    "largest_gap_of_g_1_and_f_1_0": lambda: max(gaps()),
    "smallest_gap_of_g_1_and_f_1_0": lambda: min(gaps()),
    "type_ii_of_semi_dp_first": type_ii(MOVED_FIRST),
    "type_ii_of_composition_first": type_ii(COMPOSED_FIRST),
    "delta_of_semi_dp_first": delta(MOVED_FIRST, 1),
    "delta_of_composition_first": delta(COMPOSED_FIRST, 1),
    **{
        f"{name}_of_{rho}": partial(
            lambda n, r: ZCDP(r).guarantee().conversions(TENTH)[n], name, rho
        )
        for name in ("bs16", "cks20")
        for rho in ("2.56", "10.24", "2.63", "10.52")
    },
    **{
        f"gaussian_of_{rho}": partial(
            lambda r: GaussianTradeoff((2 * float(r)) ** 0.5).epsilon(TENTH), rho
        )
        for rho in ("2.56", "10.24", "2.63", "10.52")
    },
    "census_rho": rho_of("census2020_pl94", "nominal_dp"),
    "census_rho_semi": rho_of("census2020_pl94", "semi_dp"),
    "housing_rho": rho_of("census2020_pl94_with_housing", "nominal_dp"),
    "housing_rho_semi": rho_of("census2020_pl94_with_housing", "semi_dp"),
    "dhc_rho": rho_of("census2020_dhc", "nominal_dp"),
    "dhc_rho_semi": rho_of("census2020_dhc", "semi_dp"),
    "response_1_times_10": responses("1", 10),
    "response_01_times_100": responses("0.1", 100),
    "delta_of_discrete_gaussian_1": lambda: DiscreteGaussian(sigma_squared=1).guarantee().delta(1),
    "delta_of_discrete_gaussian_4": lambda: (
        DiscreteGaussian(sigma_squared=4).guarantee().delta("1/2")
    ),
    "delta_of_ten_discrete_gaussians": lambda: (
        (DiscreteGaussian(sigma_squared=10) * 10).guarantee().delta(1)
    ),
    "epsilon_of_ten_discrete_gaussians": lambda: (
        (DiscreteGaussian(sigma_squared=10) * 10).guarantee().epsilon(TENTH)
    ),
    **{
        f"{kind}table_1_{epochs}_{column}": partial(
            lambda e, c: TABLE_1.epsilon(e, "1e-5", c).estimate, epochs, column
        )
        for column in ("composition", "renyi", "f_dp")
        for kind, all_epochs in (("", (50, 100, 200)), ("fitted_", (50, 100)))
        for epochs in all_epochs
    },
    "corner_of_f_1_0": corner(F_1),
    "corner_of_f_1_001": corner(ApproxTradeoff(1, "0.01")),
    "corner_of_g_1": corner(GaussianTradeoff(1)),
    "canonical_g_1_at_1": noise_of_g_1("lemma_36", "1"),
    "canonical_g_1_at_quarter": noise_of_g_1("lemma_36", "1/4"),
    "normal_at_quarter": noise_of_g_1("normal", "1/4"),
    "odds_ratio_threshold": lambda: odds_test(X21).at_least,
    "odds_ratio_threshold_of_x11": lambda: odds_test(X11).at_least,
    "odds_ratio_p_value": lambda: odds_test(X21).p_value("8.25"),
    "odds_ratio_printed_p_value": lambda: odds_test(X11).p_value("8.25"),
    # As it is printed, the test takes x11, whose distribution has the inverse odds ratio (E3).
    **{
        f"odds_ratio_{kind}power_at_{name}": partial(
            lambda m, w: odds_test(m).power(w), margins, odds if margins == X21 else 1 / odds
        )
        for kind, margins in (("", X21), ("printed_", X11))
        for name, odds in (("1_5", Fraction(3, 2)), ("2", 2), ("4", 4), ("8", 8))
        for odds in (Fraction(odds),)
    },
    **{
        f"swap_epsilon_at_{rate}": partial(at_rate, Fraction(rate))
        for rate in ("0.01", "0.05", "0.1", "0.5")
    },
    "swap_least_epsilon": lambda: at_rate(least_rate()),
    "swap_least_rate": lambda: float(least_rate()),
    "swap_smaller_rate_of_12": lambda: rate_of_12("0.5", "0.7"),
    "swap_larger_rate_of_12": lambda: rate_of_12("0.9999", "0.999999"),
    "swap_worst_of_four": lambda: swapping(rate=HALF, strata=[4, 1, 2])["own"],
    "swap_published_of_four": lambda: swapping(rate=HALF, strata=[4, 1, 2])["published_bound"],
    "swap_uniform_of_four": lambda: swapping(rate="0.7", strata=[4], variant="uniform")["own"],
}
"""How a user of Python asks for each number."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_number_is_reached_by_public_names(name: str) -> None:
    found = NUMBERS[name]()
    assert found is not None
    assert float(found) == golden(name)


def test_every_test_of_published_numbers_here_imports_the_public_package_only() -> None:
    for path in Path(__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                parts = (node.module or "").split(".")
                assert parts[0] != "semiaudit" or len(parts) == 1, path
            if isinstance(node, ast.Import):
                assert not any(one.name.startswith("semiaudit.") for one in node.names), path
