"""semiaudit: what a differentially private release guarantees beside its exact counts.

The public surface, and all of it; each name is loaded when it is first used::

    from semiaudit import Gaussian, PureDP, Spec, audit

    report = audit("spec.yaml")
    report.semi_dp.epsilon("1e-6")  # a certified bound, with its side
    louder = Spec.from_file("spec.yaml").with_(mechanism=Gaussian(sigma=2) * 10 + PureDP(1))
    audit(louder).semi_dp.tradeoff(101)

Here and in all modules, what only some specs, commands or formats need is imported by the function
that needs it, so that a start loads no more (docs/decisions/0027-what-a-start-loads.md).
"""

from __future__ import annotations

from semiaudit.version import __version__

TYPE_CHECKING = False  # typing would be the first import, before the command handles Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from semiaudit.commands.ablate.ablation import Ablation, ablate
    from semiaudit.commands.compare.comparison import Comparison, compare
    from semiaudit.errors import Problem, Refusal, RefusedError, SemiauditError, SpecError
    from semiaudit.library.arguments import Number
    from semiaudit.library.canonical import CanonicalNoise
    from semiaudit.library.curves import Curve, Profile
    from semiaudit.library.guarantee import Guarantee
    from semiaudit.library.mechanisms import (
        FDP,
        GDP,
        ZCDP,
        ApproxDP,
        DiscreteGaussian,
        DiscreteLaplace,
        Finite,
        FiniteNoise,
        Gaussian,
        Laplace,
        Mechanism,
        PureDP,
        RandomizedResponse,
        Shuffled,
        SubsampledGaussian,
    )
    from semiaudit.library.null_space import NullSpace
    from semiaudit.library.report import Report, audit, audit_many
    from semiaudit.library.spec import Spec
    from semiaudit.library.specification import lipschitz, satisfies
    from semiaudit.library.tradeoff import (
        ApproxTradeoff,
        GaussianTradeoff,
        LaplaceTradeoff,
        PiecewiseTradeoff,
        TradeoffFunction,
        compose,
    )
    from semiaudit.mechanisms.finite.lipschitz import Satisfied
    from semiaudit.model.bound import Bound
    from semiaudit.model.building_blocks import Lipschitz

__all__ = [
    "FDP",
    "GDP",
    "ZCDP",
    "Ablation",
    "ApproxDP",
    "ApproxTradeoff",
    "Bound",
    "CanonicalNoise",
    "Comparison",
    "Curve",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Finite",
    "FiniteNoise",
    "Gaussian",
    "GaussianTradeoff",
    "Guarantee",
    "Laplace",
    "LaplaceTradeoff",
    "Lipschitz",
    "Mechanism",
    "NullSpace",
    "Number",
    "PiecewiseTradeoff",
    "Problem",
    "Profile",
    "PureDP",
    "RandomizedResponse",
    "Refusal",
    "RefusedError",
    "Report",
    "Satisfied",
    "SemiauditError",
    "Shuffled",
    "Spec",
    "SpecError",
    "SubsampledGaussian",
    "TradeoffFunction",
    "__version__",
    "ablate",
    "audit",
    "audit_many",
    "compare",
    "compose",
    "lipschitz",
    "satisfies",
]

HOMES = {
    "errors": ("Problem", "Refusal", "RefusedError", "SemiauditError", "SpecError"),
    "mechanisms.finite.lipschitz": ("Satisfied",),
    "model.bound": ("Bound",),
    "commands.ablate.ablation": ("Ablation", "ablate"),
    "commands.compare.comparison": ("Comparison", "compare"),
    "model.building_blocks": ("Lipschitz",),
    "library.arguments": ("Number",),
    "library.canonical": ("CanonicalNoise",),
    "library.curves": ("Curve", "Profile"),
    "library.guarantee": ("Guarantee",),
    "library.mechanisms": (
        "FDP",
        "GDP",
        "ZCDP",
        "ApproxDP",
        "DiscreteGaussian",
        "DiscreteLaplace",
        "Finite",
        "FiniteNoise",
        "Gaussian",
        "Laplace",
        "Mechanism",
        "PureDP",
        "RandomizedResponse",
        "Shuffled",
        "SubsampledGaussian",
    ),
    "library.null_space": ("NullSpace",),
    "library.spec": ("Spec",),
    "library.specification": ("lipschitz", "satisfies"),
    "library.tradeoff": (
        "ApproxTradeoff",
        "GaussianTradeoff",
        "LaplaceTradeoff",
        "PiecewiseTradeoff",
        "TradeoffFunction",
        "compose",
    ),
    "library.report": ("Report", "audit", "audit_many"),
}
"""The modules, and the public names that each is loaded for."""


def __getattr__(name: str) -> Any:
    for module, names in HOMES.items():
        if name in names:
            from importlib import import_module

            found = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'semiaudit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
