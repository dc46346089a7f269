"""What a report says of outcomes that are possible for one of two datasets only."""

from __future__ import annotations

from semiaudit.mechanisms.kind import Measures
from semiaudit.mechanisms.parts import flattened
from semiaudit.model.measure import PiecewiseLinear, PureDP
from semiaudit.model.mechanism import Finite, FiniteNoise, Mechanism
from semiaudit.numeric.rationals import rational_text


def certainty_note(mechanism: Mechanism, measures: Measures) -> str:
    """Say that finitely many outcomes give no pure epsilon, and which delta is the least; empty
    if there is an epsilon, or where another part may be why there is none."""
    if not all(isinstance(part, Finite | FiniteNoise) for part, _ in flattened(mechanism)):
        return ""
    if not measures or any(isinstance(measure, PureDP) for measure in measures):
        return ""
    why = "some outcomes are possible for one dataset only, so there is no ε at δ = 0"
    f = next((measure for measure in measures if isinstance(measure, PiecewiseLinear)), None)
    if f is None:
        return why
    return f"{why}, and no ε at a δ below {rational_text(1 - f.vertices[0][1])}"
