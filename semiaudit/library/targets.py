"""The target of noise: a guarantee that a mechanism declares."""

from __future__ import annotations

from semiaudit.library.arguments import require_type
from semiaudit.library.mechanisms import Mechanism
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.model.mechanism import Declared
from semiaudit.model.results.design import Target, limit_of, text_of


def target_of(target: Mechanism) -> Target:
    """Return the measure that a mechanism declares, as a target.

    Raises:
        TypeError: it is not a mechanism.
        ValueError: it declares no measure that noise can be designed for.
    """
    require_type(target, Mechanism, "write such as semiaudit.GDP(1)", name="target")
    described = target._described("hamming")
    measure = described.measure if isinstance(described, Declared) else None
    if not isinstance(measure, PureDP | ApproxDP | ZCDP | GDP):
        what = f"{target!r} is not PureDP, ApproxDP, ZCDP, or GDP"
        raise ValueError(f"target: {what}; write such as semiaudit.GDP(1)")
    if isinstance(described, Declared) and described.neighbors is not None:
        what = "the target holds inside the universe, not for neighbors of another kind"
        raise ValueError(f"target: {what}; remove neighbors")
    if isinstance(measure, ApproxDP):
        epsilon = text_of(measure.epsilon)
        if not measure.delta:
            raise ValueError(f"target: delta 0 is not above 0; for pure DP, give PureDP({epsilon})")
        if not measure.epsilon:
            raise ValueError("target: epsilon 0 is out of range; give a number above 0")
    if not limit_of(measure):
        raise ValueError(f"target: {target!r} is not above 0; no noise meets it")
    return measure
