"""Mutants that do the same as the program, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping

EQUIVALENT = {
    (
        "semiaudit/mechanisms/designs/sampled_directions.py",
        "weights = np.exp(-rank * np.log(norms / norms.min()))",
        "weights = np.exp(-rank * np.log(norms * norms.min()))",
    ): "Both are the same weights times a constant, and only ratios of weights are used.",
}
"""By the module, and the first line of the statement before and after."""


def is_equivalent(result: Mapping[str, object]) -> bool:
    """Whether a mutant that survived is known to do the same as the program."""
    place = (result["path"], result["before"], result["after"])
    return result["outcome"] == "survived" and place in EQUIVALENT
