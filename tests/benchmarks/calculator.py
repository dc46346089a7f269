"""Ten questions to the calculator, next to dp_accounting and autodp.

    python -m tests.benchmarks.calculator [--write]

Needs the packages dp_accounting and autodp. Exits with 1 if an epsilon of ours is larger than
another one by more than 1e-6 relatively, unless the other one lies below our certified lower
bound: then it is no upper bound. ``--write`` puts the table into docs/peers.md.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tests.benchmarks.tables import versions_of, write_table
from tests.places import ROOT

DOCUMENT = ROOT / "docs" / "peers.md"
PEERS = ("dp_accounting", "autodp")
NEAR = 1e-6


def _event(event: object, delta: float, replaced: bool = False) -> float:
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import PLDAccountant

    relation = NeighboringRelation.REPLACE_ONE if replaced else None
    kept = {"neighboring_relation": relation} if relation else {}
    accountant = PLDAccountant(value_discretization_interval=1e-4, **kept)
    return float(accountant.compose(event).get_epsilon(delta))


def _renyi(event: object, delta: float) -> float:
    """The RDP accountant's epsilon."""
    from dp_accounting.rdp import RdpAccountant

    return float(RdpAccountant().compose(event).get_epsilon(delta))


def _discrete_gaussian(sigma: float, times: int, delta: float) -> float:
    from dp_accounting.pld import privacy_loss_distribution as pld

    one = pld.from_discrete_gaussian_mechanism(sigma, value_discretization_interval=1e-4)
    return float(one.self_compose(times).get_epsilon_for_delta(delta))


def _autodp(name: str, delta: float, times: int = 1, **parameters: float) -> float:
    """autodp's epsilon of a mechanism, composed with itself."""
    from autodp import mechanism_zoo, transformer_zoo

    mechanism = getattr(mechanism_zoo, name)(**parameters)
    if times > 1:
        mechanism = transformer_zoo.Composition()([mechanism], [times])
    return float(mechanism.get_approxDP(delta))


@dataclass(frozen=True)
class Question:
    """One line: the mechanism for `convert`, delta, metric, and the same asked elsewhere."""

    text: str
    delta: str
    others: dict[str, Callable[[float], float]]
    metric: str = "hamming"


def questions() -> list[Question]:
    import dp_accounting as dp

    def gaussian(sigma: float, times: int) -> object:
        return dp.SelfComposedDpEvent(dp.GaussianDpEvent(sigma), times)

    def laplace(scale: float, times: int) -> object:
        return dp.SelfComposedDpEvent(dp.LaplaceDpEvent(scale), times)

    def sampled(sigma: float, rate: float, steps: int) -> object:
        step = dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(sigma))
        return dp.SelfComposedDpEvent(step, steps)

    mixed = dp.ComposedDpEvent([gaussian(4, 10), laplace(5, 10)])
    return [
        Question("gaussian: {sigma: 1}", "1e-5", {
            "dp_accounting": lambda d: _event(gaussian(1, 1), d),
            "autodp": lambda d: _autodp("ExactGaussianMechanism", d, sigma=1.0)}),
        Question("gaussian: {sigma: 20}, repeat: 1000", "1e-6", {
            "dp_accounting": lambda d: _event(gaussian(20, 1000), d),
            "autodp": lambda d: _autodp("ExactGaussianMechanism", d, sigma=20 / math.sqrt(1000))}),
        Question("laplace: {scale: 2}", "1e-6", {
            "dp_accounting": lambda d: _event(laplace(2, 1), d),
            "autodp": lambda d: _autodp("LaplaceMechanism", d, b=2.0)}),
        Question("laplace: {scale: 10}, repeat: 100", "1e-6", {
            "dp_accounting": lambda d: _event(laplace(10, 100), d),
            "autodp": lambda d: _autodp("LaplaceMechanism", d, 100, b=10.0)}),
        Question("pure_dp: {epsilon: 0.1}, repeat: 500", "1e-8", {
            "autodp": lambda d: _autodp("PureDP_Mechanism", d, 500, eps=0.1)}),
        Question("zcdp: {rho: 0.5}", "1e-6", {
            "dp_accounting": lambda d: _renyi(dp.ZCDpEvent(0.5), d)}),
        Question("subsampled_gaussian: {noise_multiplier: 1, sampling_rate: 0.01, steps: 1000}",
            "1e-5", {"dp_accounting": lambda d: _event(sampled(1, 0.01, 1000), d)},
            "symmetric_difference"),
        Question("randomized_response: {epsilon: 1, levels: 2}, repeat: 30", "1e-6", {
            "autodp": lambda d: _autodp("RandresponseMechanism", d, 30,
                                        p=math.e / (1 + math.e))}),
        Question("discrete_gaussian: {sigma_squared: 100}, repeat: 64", "1e-9", {
            "dp_accounting": lambda d: _discrete_gaussian(10, 64, d)}),
        Question("compose: [{gaussian: {sigma: 4}, repeat: 10}, {laplace: {scale: 5}, repeat: 10}]",
            "1e-6", {"dp_accounting": lambda d: _event(mixed, d)}),
    ]  # fmt: skip


def ours(question: Question) -> tuple[float, float]:
    command = [sys.executable, "-m", "semiaudit", "convert", question.text, "--format", "json"]
    told = [*command, "--delta", question.delta, "--metric", question.metric]
    run = subprocess.run(told, check=True, capture_output=True, text=True, cwd=ROOT)
    best = json.loads(run.stdout)["approx_dp"][0]
    return float(best["epsilon"]), float(best["epsilon_lower"] or 0)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="into docs/peers.md")
    asked = parser.parse_args()
    looser, heading = 0, ["mechanism", "delta", "semiaudit", *PEERS]
    lines = ["| " + " | ".join(heading) + " |", "|" + " --- |" * len(heading)]
    for question in questions():
        epsilon, least = ours(question)
        cells = [f"`{question.text}`", question.delta, f"{epsilon:.6f}"]
        for name in PEERS:
            other = question.others.get(name)
            if other is None:
                cells.append("-")
                continue
            try:
                value = other(float(question.delta))
            except Exception as error:  # noqa: BLE001 - whatever another package fails with
                cells.append(type(error).__name__)
                continue
            wrong = value < least
            looser += epsilon > value * (1 + NEAR) and not wrong
            cells.append(f"*{value:.6f}*" if wrong else f"{value:.6f}")
        lines.append("| " + " | ".join(cells) + " |")
    count = (
        f"{len(questions())} mechanisms; in {looser} of them ours exceeds a valid number of a peer "
        f"by more than {NEAR:g} of it."
    )
    lines += ["", count, "", versions_of(*PEERS)]
    print("\n".join(lines))
    if asked.write:
        write_table(DOCUMENT, "calculator", lines)
    return int(looser > 0)


if __name__ == "__main__":
    sys.exit(main())
