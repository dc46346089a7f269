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

from typing import TYPE_CHECKING, Any

from semiaudit.version import __version__

if TYPE_CHECKING:
    from semiaudit.errors import Problem, Refusal, RefusedError, SemiauditError, SpecError
    from semiaudit.model.bound import Bound
    from semiaudit.workflow.library.arguments import Number
    from semiaudit.workflow.library.curves import Curve, Profile
    from semiaudit.workflow.library.guarantee import Guarantee
    from semiaudit.workflow.library.mechanisms import (
        FDP,
        GDP,
        ZCDP,
        ApproxDP,
        DiscreteGaussian,
        DiscreteLaplace,
        Gaussian,
        Laplace,
        Mechanism,
        PureDP,
        RandomizedResponse,
        Shuffled,
        SubsampledGaussian,
    )
    from semiaudit.workflow.library.null_space import NullSpace
    from semiaudit.workflow.library.spec import Spec
    from semiaudit.workflow.library.tradeoff import (
        ApproxTradeoff,
        GaussianTradeoff,
        LaplaceTradeoff,
        PiecewiseTradeoff,
        TradeoffFunction,
        compose,
    )
    from semiaudit.workflow.report import Report, audit, audit_many

__all__ = [
    "FDP",
    "GDP",
    "ZCDP",
    "ApproxDP",
    "ApproxTradeoff",
    "Bound",
    "Curve",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Gaussian",
    "GaussianTradeoff",
    "Guarantee",
    "Laplace",
    "LaplaceTradeoff",
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
    "SemiauditError",
    "Shuffled",
    "Spec",
    "SpecError",
    "SubsampledGaussian",
    "TradeoffFunction",
    "__version__",
    "audit",
    "audit_many",
    "compose",
]

HOMES = {
    "errors": ("Problem", "Refusal", "RefusedError", "SemiauditError", "SpecError"),
    "model.bound": ("Bound",),
    "workflow.library.arguments": ("Number",),
    "workflow.library.curves": ("Curve", "Profile"),
    "workflow.library.guarantee": ("Guarantee",),
    "workflow.library.mechanisms": (
        "FDP",
        "GDP",
        "ZCDP",
        "ApproxDP",
        "DiscreteGaussian",
        "DiscreteLaplace",
        "Gaussian",
        "Laplace",
        "Mechanism",
        "PureDP",
        "RandomizedResponse",
        "Shuffled",
        "SubsampledGaussian",
    ),
    "workflow.library.null_space": ("NullSpace",),
    "workflow.library.spec": ("Spec",),
    "workflow.library.tradeoff": (
        "ApproxTradeoff",
        "GaussianTradeoff",
        "LaplaceTradeoff",
        "PiecewiseTradeoff",
        "TradeoffFunction",
        "compose",
    ),
    "workflow.report": ("Report", "audit", "audit_many"),
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
