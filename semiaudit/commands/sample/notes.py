"""Notes for the reader of a sample, for all mechanisms."""

from __future__ import annotations

from semiaudit.model.audit import Release
from semiaudit.model.mechanism import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, parts_of

NOT_ADDING_UP = (
    "the noisy answers do not add up to the values that are published exactly; to keep these, add "
    "`support: null_space` to the mechanism, or use --nonnegative-integers for tables"
)
SEEDED = (
    "anyone who knows the seed can remove the noise: use a sample with a seed only for tests, and "
    "do not publish it"
)
SEVERAL = (
    "the audit of the spec covers one run of the mechanism; {draws} runs on the same data are a "
    "composition: to audit them, add `repeat: {draws}` to the mechanism"
)


def breaks_invariants(release: Release) -> bool:
    """Return whether independent noise is added although there are published invariants."""
    kinds = (Gaussian, DiscreteGaussian, Laplace, DiscreteLaplace)
    noises = [part for kind in kinds for part in parts_of(release.mechanism, kind)]
    return bool(release.published_invariants) and any(part.support is None for part in noises)
