"""epsilon of realistic releases next to other accountants, at the same delta, in one run.

    pip install dp_accounting prv_accountant opendp autodp
    OMP_NUM_THREADS=1 python -m tests.benchmarks.peers [--write] [--only TEXT]

Ours is the least epsilon of the row nominal_dp that `semiaudit analyze` prints for the case.
The peers: `PLD` and `RDP` are dp_accounting's accountants (the PLD's pessimistic estimate, on an
interval of 1e-4; replace-one where a record is replaced), `PRV` is the upper end of prv-accountant
(eps_error 0.01, delta_error 0.001 delta), `OpenDP` its own composition, by zCDP where every part
has one, else by the sums of epsilon and delta; `autodp` composes Renyi DP, and knows the exact
delta of one Gaussian mechanism.

A peer's number is *invalid* where it lies below a certified lower end of the pair that is composed:
then it is no upper bound of the worst case, and the lower end is the proof. No row of ours may be
larger than a valid one by more than 1e-6 of it; the command exits with 1 if one is. `--write` puts
the table into docs/peers.md.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import opendp.prelude as opendp
from autodp import mechanism_zoo, transformer_zoo
from dp_accounting import dp_event, privacy_accountant
from dp_accounting.pld import common, privacy_loss_distribution
from dp_accounting.rdp import RdpAccountant
from opendp import combinators, measurements
from prv_accountant import PRVAccountant
from prv_accountant import privacy_random_variables as prv

from semiaudit import audit
from semiaudit.model.loss import (
    ApproxLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    SubsampledGaussianLoss,
)
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.engine import epsilon_bracket
from tests.benchmarks.tables import versions_of, write_table

DOCUMENT = Path(__file__).parents[2] / "docs" / "peers.md"
INTERVAL = 1e-4
ALLOWED = 1e-6
PEERS = ("PLD", "RDP", "PRV", "OpenDP", "autodp")
CLOSE = Accuracy(1e-9, 60.0)
REPLACE, ADD = "hamming", "symmetric_difference"
RELATION = {
    REPLACE: privacy_accountant.NeighboringRelation.REPLACE_ONE,
    ADD: privacy_accountant.NeighboringRelation.ADD_OR_REMOVE_ONE,
}


@dataclass(frozen=True)
class Part:
    """One mechanism as a spec and as each peer knows it; None where a peer does not know it.

    Attributes:
        spec: the inside of a flow mapping. count: how often it is made.
        loss: the pair that its guarantee attains, for a lower end.
        pld: from a relation to its privacy loss distribution.
        event: dp_accounting's event. random_variable: prv-accountant's.
        measurement: OpenDP's, or its (epsilon, delta). renyi: autodp's mechanism.
    """

    spec: str
    count: int = 1
    loss: Loss | None = None
    pld: Callable[[Any], Any] | None = None
    event: Any = None
    random_variable: Callable[[], Any] | None = None
    measurement: Callable[[], Any] | None = None
    renyi: Callable[[], Any] | None = None


def gaussian(sigma: float, count: int = 1) -> Part:
    return Part(
        f"gaussian: {{sigma: {sigma}, shifts: [1]}}",
        count,
        GaussianLoss(1 / Fraction(str(sigma)) ** 2),
        lambda _: privacy_loss_distribution.from_gaussian_mechanism(
            sigma, value_discretization_interval=INTERVAL
        ),
        dp_event.GaussianDpEvent(sigma),
        lambda: prv.GaussianMechanism(sigma),
        lambda: measurements.make_gaussian(*_numbers(float), scale=sigma),
        lambda: mechanism_zoo.ExactGaussianMechanism(sigma),
    )


def laplace(scale: float, count: int = 1) -> Part:
    return Part(
        f"laplace: {{scale: {scale}, shifts: [1]}}",
        count,
        LaplaceLoss(1 / Fraction(str(scale))),
        lambda _: privacy_loss_distribution.from_laplace_mechanism(
            scale, value_discretization_interval=INTERVAL
        ),
        dp_event.LaplaceDpEvent(scale),
        lambda: prv.LaplaceMechanism(1 / scale),
        lambda: measurements.make_laplace(*_numbers(float), scale=scale),
        lambda: mechanism_zoo.LaplaceMechanism(scale),
    )


def discrete_gaussian(sigma: int, count: int = 1) -> Part:
    return Part(
        f"discrete_gaussian: {{sigma_squared: {sigma**2}, shifts: [1]}}",
        count,
        DiscreteGaussianLoss(1, Fraction(sigma**2)),
        lambda _: privacy_loss_distribution.from_discrete_gaussian_mechanism(
            sigma, value_discretization_interval=INTERVAL, use_connect_dots=True
        ),
        dp_event.ZCDpEvent(1 / (2 * sigma**2)),
        None,
        lambda: measurements.make_gaussian(*_numbers(int), scale=float(sigma)),
        lambda: mechanism_zoo.DiscreteGaussianMechanism(sigma),
    )


def discrete_laplace(scale: int, count: int = 1) -> Part:
    return Part(
        f"discrete_laplace: {{scale: {scale}, shifts: [1]}}",
        count,
        DiscreteLaplaceLoss(1, Fraction(scale)),
        lambda _: privacy_loss_distribution.from_discrete_laplace_mechanism(
            1 / scale, value_discretization_interval=INTERVAL, use_connect_dots=True
        ),
        None,
        None,
        lambda: measurements.make_laplace(*_numbers(int), scale=float(scale)),
    )


def responses(epsilon: float, levels: int, count: int = 1) -> Part:
    noise = levels / (math.exp(epsilon) + levels - 1)
    return Part(
        f"randomized_response: {{epsilon: {epsilon}, levels: {levels}}}",
        count,
        RandomizedResponseLoss(Fraction(str(epsilon)), levels),
        lambda _: privacy_loss_distribution.from_randomized_response(
            noise, levels, value_discretization_interval=INTERVAL
        ),
        dp_event.RandomizedResponseDpEvent(noise, levels),
        None,
        lambda: (epsilon, 0.0),
        lambda: mechanism_zoo.PureDP_Mechanism(epsilon),
    )


def pure(epsilon: float, count: int = 1) -> Part:
    return Part(
        f"pure_dp: {{epsilon: {epsilon}}}",
        count,
        RandomizedResponseLoss(Fraction(str(epsilon))),
        lambda _: _declared(epsilon, 0.0),
        dp_event.RandomizedResponseDpEvent(2 / (math.exp(epsilon) + 1), 2),
        lambda: prv.PureDPMechanism(epsilon),
        lambda: (epsilon, 0.0),
        lambda: mechanism_zoo.PureDP_Mechanism(epsilon),
    )


def approx(epsilon: float, delta: float, count: int = 1) -> Part:
    return Part(
        f"approx_dp: {{epsilon: {epsilon}, delta: {delta!r}}}",
        count,
        ApproxLoss(Fraction(str(epsilon)), Fraction(str(delta))),
        lambda _: _declared(epsilon, delta),
        None,
        lambda: prv.ApproximateDPMechanism(epsilon, delta),
        lambda: (epsilon, delta),
    )


def zcdp(rho: float, count: int = 1) -> Part:
    return Part(
        f"zcdp: {{rho: {rho}}}",
        count,
        event=dp_event.ZCDpEvent(rho),
        measurement=lambda: rho,
        renyi=lambda: mechanism_zoo.zCDP_Mechanism(rho),
    )


def sampled(sigma: float, rate: float, steps: int) -> Part:
    return Part(
        f"subsampled_gaussian: {{noise_multiplier: {sigma}, sampling_rate: {rate}, "
        f"steps: {steps}}}",
        steps,
        SubsampledGaussianLoss(Fraction(str(sigma)) ** 2, Fraction(rate)),
        lambda relation: privacy_loss_distribution.from_gaussian_mechanism(
            sigma,
            sampling_prob=rate,
            value_discretization_interval=INTERVAL,
            neighboring_relation=relation,
        ),
        dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(sigma)),
        lambda: prv.PoissonSubsampledGaussianMechanism(
            sampling_probability=rate, noise_multiplier=sigma
        ),
        renyi=lambda: transformer_zoo.AmplificationBySampling(PoissonSampling=True)(
            mechanism_zoo.GaussianMechanism(sigma), rate, improved_bound_flag=True
        ),
    )


def _declared(epsilon: float, delta: float) -> Any:
    return privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(epsilon, delta), value_discretization_interval=INTERVAL
    )


def _numbers(kind: type) -> tuple[Any, Any]:
    domain = opendp.atom_domain(T=kind, nan=False) if kind is float else opendp.atom_domain(T=kind)
    return domain, opendp.absolute_distance(T=kind)


Case = tuple[str, float, str, Sequence[Part]]
"""What it is, delta, the metric, and the parts."""

CASES: list[Case] = [
    ("one count, Gaussian", 1e-6, REPLACE, [gaussian(1)]),
    ("100 counts, Gaussian", 1e-6, REPLACE, [gaussian(10, 100)]),
    ("10,000 counts, Gaussian", 1e-9, REPLACE, [gaussian(50, 10_000)]),
    ("20 scales of Gaussian noise", 1e-6, REPLACE, [gaussian(5 + k) for k in range(20)]),
    ("one count, Laplace", 1e-6, REPLACE, [laplace(1)]),
    ("100 counts, Laplace", 1e-6, REPLACE, [laplace(10, 100)]),
    ("10,000 counts, Laplace", 1e-9, REPLACE, [laplace(200, 10_000)]),
    ("20 scales of Laplace noise", 1e-6, REPLACE, [laplace(2 + k) for k in range(20)]),
    ("one table, discrete Gaussian", 1e-10, REPLACE, [discrete_gaussian(2)]),
    ("60 tables, discrete Gaussian", 1e-10, REPLACE, [discrete_gaussian(10, 60)]),
    ("a census: three levels, discrete Gaussian", 1e-10, REPLACE,
     [discrete_gaussian(2, 2), discrete_gaussian(5, 10), discrete_gaussian(20, 50)]),
    ("10 tables, discrete Laplace", 1e-6, REPLACE, [discrete_laplace(2, 10)]),
    ("1,000 counts, discrete Laplace", 1e-8, REPLACE, [discrete_laplace(50, 1_000)]),
    ("one survey, yes or no", 1e-6, REPLACE, [responses(1, 2)]),
    ("10 surveys, yes or no", 1e-6, REPLACE, [responses(1, 2, 10)]),
    ("1,000 rounds of telemetry", 1e-6, REPLACE, [responses(0.1, 2, 1_000)]),
    ("20 surveys with 4 answers", 1e-6, REPLACE, [responses(1, 4, 20)]),
    ("200 pure releases", 1e-10, REPLACE, [pure(1, 200)]),
    ("1,000 pure releases", 1e-6, REPLACE, [pure(0.1, 1_000)]),
    ("10,000 small pure releases", 1e-6, REPLACE, [pure(0.01, 10_000)]),
    ("pure releases of three sizes", 1e-7, REPLACE, [pure(1, 3), pure(0.5, 12), pure(0.05, 300)]),
    ("1,000 approximate releases", 1e-5, REPLACE, [approx(0.1, 1e-9, 1_000)]),
    ("50 approximate releases", 1e-4, REPLACE, [approx(0.5, 1e-7, 50)]),
    ("approximate and pure releases", 1e-5, REPLACE, [approx(1, 1e-6, 3), pure(0.25, 16)]),
    ("a zCDP release", 1e-10, REPLACE, [zcdp(2.56)]),
    ("two zCDP releases", 1e-6, REPLACE, [zcdp(0.25), zcdp(0.1, 3)]),
    ("zCDP and pure DP", 1e-6, REPLACE, [zcdp(0.5), pure(1, 4)]),
    ("zCDP and Laplace noise", 1e-6, REPLACE, [zcdp(0.1), laplace(5, 20)]),
    ("zCDP and Gaussian noise", 1e-8, REPLACE, [zcdp(0.1), gaussian(4, 5)]),
    ("zCDP and surveys", 1e-6, REPLACE, [zcdp(0.05), responses(0.5, 2, 8)]),
    ("Gaussian and Laplace noise", 1e-6, REPLACE, [gaussian(5, 10), laplace(10, 10)]),
    ("Gaussian noise and a survey", 1e-6, REPLACE, [gaussian(4, 4), responses(1, 2)]),
    ("noise of every kind", 1e-6, REPLACE,
     [gaussian(8, 10), laplace(20, 10), pure(0.1, 5), approx(0.1, 1e-8, 2)]),
    ("training, added or removed", 1e-5, ADD, [sampled(1, 0.01, 1_000)]),
    ("training on 60,000 pictures", 1e-5, ADD, [sampled(1.3, 256 / 60_000, 3_516)]),
    ("long training at a low rate", 1e-6, ADD, [sampled(0.8, 0.001, 10_000)]),
    ("one sampled step", 1e-6, ADD, [sampled(1, 0.001, 1)]),
    ("training and a last count", 1e-5, ADD, [sampled(1.1, 0.01, 500), laplace(2)]),
    ("training, replaced", 1e-5, REPLACE, [sampled(1, 0.01, 1_000)]),
    ("long training, replaced", 1e-6, REPLACE, [sampled(2, 0.02, 5_000)]),
]  # fmt: skip


def ours(case: Case) -> float:
    _, delta, metric, parts = case
    size = "{size: 1000}" if metric == REPLACE else "{}"
    lines = "".join(
        f"    - {{{part.spec}{'' if 'steps' in part.spec else f', repeat: {part.count}'}}}\n"
        for part in parts
    )
    text = (
        f"semiaudit: 1\ndataspace: {size}\nadjacency: {{metric: {metric}}}\n"
        f"mechanism:\n  compose:\n{lines}report: {{deltas: [{delta!r}]}}\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.yaml"
        path.write_text(text, encoding="utf-8")
        rows = audit(path).as_dict()["guarantees"]
    (row,) = (row for row in rows if row["framework"] == "nominal_dp")
    found = [float(point["epsilon"]) for point in row["approx_dp"]]
    if row["pure_dp"]:
        found.append(float(row["pure_dp"]["epsilon"]))
    return min(found)


def lower_end(case: Case) -> float | None:
    """A certified lower end of what the composed pairs lose; None where a part has none."""
    if case[2] == REPLACE and any("sampled" in part.spec for part in case[3]):
        return None
    pairs = tuple((part.loss, part.count) for part in case[3] if part.loss is not None)
    if len(pairs) < len(case[3]):
        return None
    return epsilon_bracket(PrivacyLoss(pairs), Fraction(str(case[1])), CLOSE).lower


def by_pld(case: Case) -> float | None:
    _, delta, metric, parts = case
    total = None
    for part in parts:
        if part.pld is None:
            return None
        one = part.pld(RELATION[metric]).self_compose(part.count)
        total = one if total is None else total.compose(one)
    return None if total is None else float(total.get_epsilon_for_delta(delta))


def by_rdp(case: Case) -> float | None:
    _, delta, metric, parts = case
    accountant = RdpAccountant(neighboring_relation=RELATION[metric])
    try:
        for part in parts:
            accountant.compose(part.event or dp_event.UnsupportedDpEvent(), part.count)
    except privacy_accountant.UnsupportedEventError:
        return None
    return float(accountant.get_epsilon(delta))


def _made(makers: Sequence[Callable[[], Any] | None]) -> list[Any] | None:
    """What a peer knows each part as; None if it does not know one."""
    known = [make() for make in makers if make is not None]
    return known if len(known) == len(makers) else None


def by_prv(case: Case) -> float | None:
    _, delta, metric, parts = case
    if metric == REPLACE and any("subsampled" in part.spec for part in parts):
        return None
    made = _made([part.random_variable for part in parts])
    counts = [part.count for part in parts]
    if made is None:
        return None
    with contextlib.redirect_stdout(open(os.devnull, "w")):
        accountant = PRVAccountant(made, 0.01, delta / 1000, counts)
        return float(accountant.compute_epsilon(delta, counts)[2])


def by_opendp(case: Case) -> float | None:
    _, delta, _, parts = case
    rho = epsilon = spent = 0.0
    concentrated = True
    for part in parts:
        if part.measurement is None:
            return None
        made = part.measurement()
        if isinstance(made, float | int):
            rho, epsilon = rho + part.count * made, math.inf
        elif isinstance(made, tuple):
            concentrated = concentrated and not made[1]
            rho += part.count * made[0] ** 2 / 2
            epsilon, spent = epsilon + part.count * made[0], spent + part.count * made[1]
        else:
            loss = made.map(1 if "discrete" in part.spec else 1.0)
            pure_noise = "laplace" in part.spec
            rho += part.count * (loss**2 / 2 if pure_noise else loss)
            epsilon += part.count * loss if pure_noise else math.inf
    found = [epsilon] if spent <= delta else []
    if concentrated:
        found.append(_opendp_epsilon(rho, delta))
    least = min(found, default=math.inf)
    return None if math.isinf(least) else least


def by_autodp(case: Case) -> float | None:
    _, delta, metric, parts = case
    if metric == REPLACE and any("subsampled" in part.spec for part in parts):
        return None
    made = _made([part.renyi for part in parts])
    if made is None:
        return None
    if [part.count for part in parts] != [1]:
        made = [transformer_zoo.Composition()(made, [part.count for part in parts])]
    found = float(made[0].get_approxDP(delta))
    return None if math.isinf(found) else found


def _opendp_epsilon(rho: float, delta: float) -> float:
    noise = measurements.make_gaussian(*_numbers(float), scale=math.sqrt(1 / (2 * rho)))
    converted: Any = combinators.make_zCDP_to_approxDP(noise)
    return float(converted.map(1.0).epsilon(delta))


ACCOUNTANTS = dict(zip(PEERS, (by_pld, by_rdp, by_prv, by_opendp, by_autodp), strict=True))


def asked(peer: str, case: Case) -> float | None:
    """A peer's epsilon; None where it does not take the case, or fails at it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ACCOUNTANTS[peer](case)
        except (ValueError, ArithmeticError, RuntimeError, TypeError, MemoryError) as failed:
            print(f"    {peer}: {type(failed).__name__}: {str(failed)[:100]}")
            return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="into docs/peers.md")
    parser.add_argument("--only", default="", help="cases whose name has this text")
    arguments = parser.parse_args()
    opendp.enable_features("contrib", "honest-but-curious")
    rows, looser, invalid = [], [], []
    for case in CASES:
        name, delta, metric, _ = case
        if arguments.only not in name:
            continue
        mine, least = ours(case), lower_end(case)
        cells = []
        for peer in PEERS:
            theirs = asked(peer, case)
            if theirs is None:
                cells.append("-")
            elif least is not None and theirs < least:
                cells.append(f"*{theirs:.6f}*")
                invalid.append(f"- {peer}, {name}: {theirs!r}, below {least!r}")
            else:
                cells.append(f"{theirs:.6f}")
                if mine > theirs * (1 + ALLOWED):
                    looser.append(f"- {peer}, {name}: {theirs!r}, ours {mine!r}")
        relation = "replaced" if metric == REPLACE else "added or removed"
        row = [name, relation, f"{delta:.0e}".replace("e-0", "e-"), f"{mine:.6f}", *cells]
        print(" | ".join(row), flush=True)
        rows.append("| " + " | ".join(row) + " |")
    last = [
        f"{len(rows)} cases; in {len(looser)} of them ours exceeds a valid number of a peer by "
        f"more than {ALLOWED:g} of it.",
        *(["", *looser] if looser else []),
        "",
        f"{len(invalid)} numbers of peers, in italics, lie below a certified lower bound:",
        "",
        *invalid,
        "",
        versions_of("dp_accounting", "prv_accountant", "opendp", "autodp"),
    ]
    print("\n".join(last))
    if arguments.write:
        heading = ["case", "a record is", "delta", "semiaudit", *PEERS]
        table = ["| " + " | ".join(heading) + " |", "|" + " --- |" * len(heading), *rows]
        write_table(DOCUMENT, "peers", [*table, "", *last])
    return 1 if looser else 0


if __name__ == "__main__":
    sys.exit(main())
