"""semiaudit: what a differentially private release guarantees in addition to its exact counts.

The public surface, and all of it; each name is loaded when it is first used, from the module that
the imports below name::

    from semiaudit import Gaussian, PureDP, Spec, audit

    report = audit("spec.yaml")
    report.semi_dp.epsilon("1e-6")  # a certified bound, with its side
    both = Gaussian(sigma=2, shifts=[1, -1]) * 10 + PureDP(1)
    louder = Spec.from_file("spec.yaml").with_(mechanism=both)
    audit(louder).semi_dp.tradeoff(101)

Here and in all modules, what only some specs, commands or formats need is imported by the function
that needs it, so that a start loads no more (docs/decisions/0027-what-a-start-loads.md).
"""

from __future__ import annotations

from importlib import import_module

from semiaudit.version import __version__ as __version__

TYPE_CHECKING = False  # typing would be the first import, before the command handles Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from semiaudit.commands.ablate.ablation import Ablation as Ablation
    from semiaudit.commands.ablate.ablation import ablate as ablate
    from semiaudit.commands.calibrate.designs import Designs as Designs
    from semiaudit.commands.calibrate.designs import calibrate as calibrate
    from semiaudit.commands.compare.comparison import Comparison as Comparison
    from semiaudit.commands.compare.comparison import compare as compare
    from semiaudit.commands.sample.samples import Samples as Samples
    from semiaudit.commands.sample.samples import sample as sample
    from semiaudit.errors import Problem as Problem
    from semiaudit.errors import Refusal as Refusal
    from semiaudit.errors import RefusedError as RefusedError
    from semiaudit.errors import SemiauditError as SemiauditError
    from semiaudit.errors import SpecError as SpecError
    from semiaudit.library.approximations import DPSGD as DPSGD
    from semiaudit.library.approximations import Approximation as Approximation
    from semiaudit.library.approximations import CentralLimit as CentralLimit
    from semiaudit.library.approximations import Edgeworth as Edgeworth
    from semiaudit.library.approximations import LastIterate as LastIterate
    from semiaudit.library.arguments import Array as Array
    from semiaudit.library.arguments import Number as Number
    from semiaudit.library.arguments import Table as Table
    from semiaudit.library.canonical import CanonicalNoise as CanonicalNoise
    from semiaudit.library.curves import Curve as Curve
    from semiaudit.library.curves import Enclosure as Enclosure
    from semiaudit.library.curves import Enclosures as Enclosures
    from semiaudit.library.curves import Profile as Profile
    from semiaudit.library.empirical import EmpiricalBounds as EmpiricalBounds
    from semiaudit.library.empirical import empirical_epsilon as empirical_epsilon
    from semiaudit.library.experiments import FiniteTradeoff as FiniteTradeoff
    from semiaudit.library.experiments import MixtureTradeoff as MixtureTradeoff
    from semiaudit.library.guarantee import Guarantee as Guarantee
    from semiaudit.library.guarantee import GuaranteeCurve as GuaranteeCurve
    from semiaudit.library.mechanisms import FDP as FDP
    from semiaudit.library.mechanisms import GDP as GDP
    from semiaudit.library.mechanisms import ZCDP as ZCDP
    from semiaudit.library.mechanisms import ApproxDP as ApproxDP
    from semiaudit.library.mechanisms import DiscreteGaussian as DiscreteGaussian
    from semiaudit.library.mechanisms import DiscreteLaplace as DiscreteLaplace
    from semiaudit.library.mechanisms import DominatingPair as DominatingPair
    from semiaudit.library.mechanisms import Finite as Finite
    from semiaudit.library.mechanisms import FiniteNoise as FiniteNoise
    from semiaudit.library.mechanisms import Gaussian as Gaussian
    from semiaudit.library.mechanisms import Laplace as Laplace
    from semiaudit.library.mechanisms import Mechanism as Mechanism
    from semiaudit.library.mechanisms import PrivacyProfile as PrivacyProfile
    from semiaudit.library.mechanisms import PureDP as PureDP
    from semiaudit.library.mechanisms import RandomizedResponse as RandomizedResponse
    from semiaudit.library.mechanisms import Shuffled as Shuffled
    from semiaudit.library.mechanisms import SubsampledGaussian as SubsampledGaussian
    from semiaudit.library.null_space import NullSpace as NullSpace
    from semiaudit.library.odds_ratio import NoncentralHypergeometric as NoncentralHypergeometric
    from semiaudit.library.odds_ratio import PrivateOddsRatioTest as PrivateOddsRatioTest
    from semiaudit.library.report import Report as Report
    from semiaudit.library.report import audit as audit
    from semiaudit.library.report import audit_many as audit_many
    from semiaudit.library.semi_adjacency import SemiAdjacency as SemiAdjacency
    from semiaudit.library.semi_adjacency import semi_adjacency as semi_adjacency
    from semiaudit.library.sensitivity_space import KNorm as KNorm
    from semiaudit.library.sensitivity_space import SensitivitySpace as SensitivitySpace
    from semiaudit.library.sensitivity_space import sensitivity as sensitivity
    from semiaudit.library.solving import Solution as Solution
    from semiaudit.library.solving import solve as solve
    from semiaudit.library.spec import Spec as Spec
    from semiaudit.library.specification import lipschitz as lipschitz
    from semiaudit.library.specification import satisfies as satisfies
    from semiaudit.library.tradeoff import ApproxTradeoff as ApproxTradeoff
    from semiaudit.library.tradeoff import GaussianTradeoff as GaussianTradeoff
    from semiaudit.library.tradeoff import LaplaceTradeoff as LaplaceTradeoff
    from semiaudit.library.tradeoff import PiecewiseTradeoff as PiecewiseTradeoff
    from semiaudit.library.tradeoff import TradeoffFunction as TradeoffFunction
    from semiaudit.library.tradeoff import compose as compose
    from semiaudit.mechanisms.finite.lipschitz import Satisfied as Satisfied
    from semiaudit.model.bound import Bound as Bound
    from semiaudit.model.building_blocks import Lipschitz as Lipschitz

_HOMES: dict[str, str] = {}


def _homes() -> dict[str, str]:
    """Return the module of each public name: the imports above."""
    if not _HOMES:
        from ast import ImportFrom, parse, walk

        with open(__file__, encoding="utf-8") as file:
            imports = [node for node in walk(parse(file.read())) if isinstance(node, ImportFrom)]
        for node in imports:
            names = [alias.name for alias in node.names if alias.asname == alias.name]
            _HOMES.update(dict.fromkeys(names, str(node.module)))
    return _HOMES


def __getattr__(name: str) -> Any:
    homes = _homes()
    if name == "__all__":
        value = sorted(homes)
    elif name in homes:
        value = getattr(import_module(homes[name]), name)
    else:
        raise AttributeError(f"module 'semiaudit' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    from semiaudit import __all__ as names

    return list(names)
