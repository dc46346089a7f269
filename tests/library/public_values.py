"""An example of every public class, as a function that makes it from nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import semiaudit as sa

SPEC: dict[str, Any] = {
    "semiaudit": 1,
    "dataspace": {"attributes": {"sex": 2, "region": 2}},
    "data": {"counts": [[3, 1], [2, 4]]},
    "invariants": [{"margin": ["region"]}],
    "mechanism": {"gaussian": {"sigma": 2, "query": "table"}},
}
"""A small table whose invariants leave something to protect."""

TEXT = """semiaudit: 1
dataspace: {attributes: {sex: 2, region: 2}}
data: {counts: [[3, 1], [2, 4]]}
invariants: [{margin: [region]}]
mechanism: {pure_dp: {epsilon: 1}}
"""

DESIGN = {key: value for key, value in SPEC.items() if key != "mechanism"} | {
    "design": {"query": "table"}
}


def refused(make: Callable[[], object]) -> sa.SemiauditError:
    try:
        make()
    except sa.SemiauditError as error:
        return error
    raise AssertionError("nothing was refused")


def tulap() -> sa.CanonicalNoise:
    return sa.CanonicalNoise(sa.ApproxTradeoff(1))


def randomized() -> sa.Finite:
    return sa.Finite([[0], [1]], [["1/4", "3/4"], ["3/4", "1/4"]])


EXAMPLES: dict[str, Callable[[], object]] = {
    "Ablation": lambda: sa.ablate(SPEC),
    "ApproxDP": lambda: sa.ApproxDP(1, "1e-6"),
    "ApproxTradeoff": lambda: sa.ApproxTradeoff(1, "1e-6"),
    "Approximation": lambda: sa.CentralLimit(sa.ApproxTradeoff("0.1").repeat(100)).mu,
    "Bound": lambda: sa.GDP(1).guarantee().epsilon("1e-6"),
    "CanonicalNoise": tulap,
    "CentralLimit": lambda: sa.CentralLimit(sa.ApproxTradeoff("0.1").repeat(100)),
    "Comparison": lambda: sa.compare(SPEC, TEXT),
    "Curve": lambda: sa.GaussianTradeoff(1).tradeoff(5),
    "DPSGD": lambda: sa.DPSGD(1, "0.01", 1000),
    "Designs": lambda: sa.calibrate(DESIGN, sa.PureDP(1)),
    "Solution": lambda: sa.solve(sa.Gaussian(1), "sigma", sa.GDP(1)),
    "DiscreteGaussian": lambda: sa.DiscreteGaussian(sigma_squared=4, shifts=[1, -1]),
    "DiscreteLaplace": lambda: sa.DiscreteLaplace(2),
    "DominatingPair": lambda: sa.DominatingPair(replace={"p": ["1/2", "1/2"], "q": ["1/3", "2/3"]}),
    "Edgeworth": lambda: sa.Edgeworth(sa.ApproxTradeoff("0.1").repeat(100)),
    "EmpiricalBounds": lambda: sa.empirical_epsilon([90, 10], [100, 100]),
    "Enclosure": lambda: sa.GDP(1).guarantee().epsilon_enclosure("1e-6"),
    "Enclosures": lambda: sa.GaussianTradeoff(1).epsilon_enclosure([0.1, 0.2]),
    "FDP": lambda: sa.FDP([(0, 1), ("1/4", "1/4"), (1, 0)], orders="both"),
    "Finite": randomized,
    "FiniteNoise": lambda: sa.FiniteNoise([-1, 0, 1], ["1/4", "1/2", "1/4"], shifts=[1]),
    "FiniteTradeoff": lambda: sa.FiniteTradeoff(["1/4", "3/4"], ["3/4", "1/4"]),
    "GDP": lambda: sa.GDP(1),
    "Gaussian": lambda: sa.Gaussian(2, shifts=[1, -1]),
    "GaussianTradeoff": lambda: sa.GaussianTradeoff(1),
    "Guarantee": lambda: sa.GDP(1).guarantee(),
    "GuaranteeCurve": lambda: sa.GDP(1).guarantee().tradeoff(5),
    "KNorm": lambda: sa.KNorm("l1", 2, dimension=2),
    "Laplace": lambda: sa.Laplace("1.5"),
    "LaplaceTradeoff": lambda: sa.LaplaceTradeoff(1),
    "LastIterate": lambda: sa.LastIterate("0.5", 10, "0.9"),
    "Lipschitz": lambda: sa.lipschitz(randomized())[0],
    "Mechanism": lambda: sa.Gaussian(2) * 3 + sa.PureDP(1),
    "MixtureTradeoff": lambda: sa.MixtureTradeoff(
        [("1/2", sa.GaussianTradeoff(1)), ("1/2", sa.ApproxTradeoff(1))]
    ),
    "NoncentralHypergeometric": lambda: sa.NoncentralHypergeometric(5, 6, 4, 2),
    "NullSpace": lambda: sa.NullSpace([[1, 1, 0], [0, 1, 1]]),
    "PiecewiseTradeoff": lambda: sa.PiecewiseTradeoff([(0, 1), ("1/4", "1/4"), (1, 0)]),
    "PrivacyProfile": lambda: sa.PrivacyProfile([(1, "1e-6"), (2, 0)]),
    "PrivateOddsRatioTest": lambda: sa.PrivateOddsRatioTest(tulap(), 5, 6, 4),
    "Problem": lambda: sa.Problem("spec.yaml", 1, 2, "mechanism", "is missing", "add one"),
    "Profile": lambda: sa.GaussianTradeoff(1).profile([0, 1, 2]),
    "PureDP": lambda: sa.PureDP(1),
    "RandomizedResponse": lambda: sa.RandomizedResponse(1, 3),
    "Refusal": lambda: sa.Refusal("too large", "give less"),
    "RefusedError": lambda: refused(lambda: sa.CanonicalNoise(sa.ApproxTradeoff(0))),
    "Report": lambda: sa.audit(SPEC),
    "Samples": lambda: sa.sample(SPEC, seed=1),
    "Satisfied": lambda: sa.satisfies(randomized(), 1),
    "SemiauditError": lambda: sa.SemiauditError("it failed"),
    "SemiAdjacency": lambda: sa.semi_adjacency(SPEC),
    "SensitivitySpace": lambda: sa.SensitivitySpace(SPEC),
    "Shuffled": lambda: sa.Shuffled(1, 100),
    "Spec": lambda: sa.Spec.from_text(TEXT),
    "SpecError": lambda: refused(lambda: sa.audit({"semiaudit": 1})),
    "SubsampledGaussian": lambda: sa.SubsampledGaussian(2, "0.01", 10),
    "TradeoffFunction": lambda: sa.GaussianTradeoff(1) @ sa.ApproxTradeoff(1).group(2),
    "ZCDP": lambda: sa.ZCDP(1),
}
"""How to make a value of each public class."""
