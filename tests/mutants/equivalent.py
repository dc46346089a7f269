"""Mutants that do the same as the program, each with the reason."""

from __future__ import annotations

from tests.mutants.sample import Mutant

EQUIVALENT = {
    (
        "semiaudit/mechanisms/designs/sampled_directions.py",
        "weights = np.exp(-rank * np.log(norms / norms.min()))",
        "weights = np.exp(-rank * np.log(norms * norms.min()))",
    ): "Both are the same weights times a constant, and only ratios of weights are used.",
}
"""By the module, and the first line of the statement before and after."""


def is_equivalent(mutant: Mutant) -> bool:
    """Whether a mutant is known to do the same as the program."""
    mutation = mutant.mutation
    return (mutant.path, mutation.before, mutation.after) in EQUIVALENT
