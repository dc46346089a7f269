"""epsilon at a delta of noise in subspaces, against densities on the support.

The whole campaign: python -m pytest -m slow tests/auditing/test_subspace_densities.py
"""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.audits import rows
from tests.oracles import subspace_densities as oracle
from tests.oracles.subspace_noise import Matrix, SmallCase
from tests.samples import sampled
from tests.universe.sensitivity.test_spellings import drawn

NUMBER = 60
CHUNK = 4
MOST_TABLES = 60
DELTAS = ["0.3", "0.1", "0.01", "1e-4"]
KINDS = ["discrete_gaussian", "laplace", "k_norm"]
NOISE = {
    "discrete_gaussian": "discrete_gaussian: {{sigma_squared: 1/2, support: {support}",
    "laplace": "laplace: {{scale: 2, support: {support}",
    "k_norm": "k_norm: {{epsilon: 3/2, norm: {{hull: D_t}}",
}
ROUGH = {"discrete_gaussian": 1e-6, "laplace": 1e-5, "k_norm": 1e-3}
"""How far a summed delta may lie above the true one: what a sum misses, and the grid of a plane."""


def delta_of(
    kind: str, case: SmallCase, inside: Matrix, support: str, pairs: Matrix, epsilon: float
) -> float | None:
    """The largest delta of the noise over some changes; None where it is not summed."""
    span = inside if support == "sensitivity_space" else case.kept
    if not np.any(span) or (kind == "k_norm" and not len(inside)):
        return None
    if kind == "discrete_gaussian":
        return oracle.lattice_delta(span, 0.5, pairs, epsilon)
    if kind == "laplace":
        return oracle.laplace_delta(span, 2.0, pairs, epsilon)
    return oracle.hull_delta(inside, 1.5, pairs, epsilon)


@pytest.mark.parametrize(("kind", "seed"), sampled(product(KINDS, range(NUMBER)), (0, NUMBER)))
def test_no_epsilon_is_below_what_densities_say(kind: str, seed: int, tmp_path: Path) -> None:
    rng = random.Random(f"densities-{kind}-{seed}")
    for _ in range(CHUNK):
        release = drawn(rng)
        while not 2 <= len(release.case.tables) <= MOST_TABLES:
            release = drawn(rng)
        case, support = release.case, rng.choice(["null_space", "sensitivity_space"])
        mechanism = f"{NOISE[kind].format(support=support)}, query: {release.query}}}"
        told = rows(
            tmp_path,
            f"{release.text}mechanism: {{{mechanism}}}\n"
            f"report: {{deltas: [{', '.join(DELTAS)}]}}\n",
        )
        inside = case.changes(told["semi_dp"]["adjacency"]["distance"] or 1)
        compared: dict[str, Matrix] = {
            "semi_dp": inside,
            "invariant_dp": case.changes(1),
            "subspace_dp": case.steps() @ case.kept,
        }
        for name, pairs in compared.items():
            if told[name]["refused"] or not len(pairs):
                continue
            different = np.unique(np.round(pairs, 12), axis=0)
            for delta in map(float, DELTAS):
                # The tightest conversion stands first.
                row = next(row for row in told[name]["approx_dp"] if row["delta"] == delta)
                if not isinstance(row["epsilon"], int | float):
                    continue
                found = delta_of(kind, case, inside, support, different, row["epsilon"])
                if found is not None:
                    assert found <= row["delta"] * (1 + 1e-3) + ROUGH[kind], (name, row)
