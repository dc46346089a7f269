"""The value of a parameter at which a mechanism meets a target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import sqrt
from typing import Any, Literal

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.library.arguments import number, seconds
from semiaudit.library.guarantee import Guarantee
from semiaudit.library.mechanisms import Mechanism, Metric
from semiaudit.library.targets import target_of
from semiaudit.model.bound import Bound
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.model.results.design import Target, limit_of

LESS_LOSS = ("sigma", "sigma_squared", "scale", "noise_multiplier")
"""Parameters of which a larger value loses less; of all others, it loses more."""

MORE_LOSS = ("rho", "mu", "epsilon", "epsilon0", "delta", "sampling_rate")

MONOTONE = frozenset(
    {
        *("gaussian", "laplace", "discrete_laplace", "subsampled_gaussian"),
        *("pure_dp", "approx_dp", "zcdp", "gdp", "randomized_response"),
    }
)
"""Kinds whose loss is proven to be monotone in these parameters.

Noise of the larger scale is noise of the smaller one plus independent noise; a smaller sample is a
sample of the larger one. Discrete Gaussian noise has no such proof.
"""

DIGITS = 6
_DOUBLINGS = 120
_STEPS, _AHEAD = 20, 2
_LONGEST = Decimal("0.25")
"""The longest relative step from a value that meets the target to one that does not."""

_EXTREMES: dict[bool, Literal["least", "largest", ""]] = {True: "least", False: "largest"}


@dataclass(frozen=True, slots=True)
class Solution:
    """A mechanism that meets a target.

    Attributes:
        mechanism: with the value, certified to meet the target.
        value: of the parameter, with six digits.
        extreme: ``least`` or ``largest`` if no value with one unit of the last digit more loss is
            certified, and the loss is proven to be monotone; empty otherwise.
    """

    mechanism: Mechanism
    value: Decimal
    extreme: Literal["least", "largest", ""]


def solve(
    mechanism: Mechanism,
    parameter: str,
    target: Mechanism,
    *,
    distance: int = 1,
    metric: Metric = "hamming",
    tolerance: float = 1e-6,
    time_limit: float = 60.0,
) -> Solution:
    """Find the value of a parameter at which a mechanism meets a target.

    Args:
        mechanism: with any value of the parameter, at which the search begins.
        parameter: its name, such as ``sigma``, ``scale``, ``rho``, or ``sampling_rate``; only one
            part may have it.
        target: ``PureDP``, ``ApproxDP``, ``ZCDP``, or ``GDP``.
        distance, metric, tolerance: as for ``Mechanism.guarantee``.
        time_limit: seconds, of the whole search.

    Raises:
        ValueError: no part, or several, have the parameter, or the target declares no measure.
        RefusedError: no value meets the target, or every value does.
    """
    goal, section = target_of(target), mechanism.to_mapping()
    places = list(_places(section, parameter))
    if len(places) != 1:
        count = "no part has" if not places else "several parts have"
        raise ValueError(f"parameter: {count} {parameter!r}; name one that one part has")
    if parameter not in (*LESS_LOSS, *MORE_LOSS):
        known = ", ".join((*LESS_LOSS, *MORE_LOSS))
        raise ValueError(f"parameter: {parameter!r} cannot be solved for; known are {known}")
    ((kind, keys),) = places
    falls, running = parameter in LESS_LOSS, deadline.Deadline(seconds(time_limit))

    def with_value(value: Decimal) -> Mechanism:
        return Mechanism(_replaced(section, keys, str(value)))

    def met(value: Decimal, width: float) -> bool:
        if running.left <= 0:
            late = "the time limit was reached before a value was found"
            raise RefusedError(Refusal(late, "raise time_limit"))
        made = with_value(value)
        found = made.guarantee(distance, metric=metric, tolerance=width, time_limit=running.left)
        number_of = _number(found, goal)
        return number_of is not None and number_of.sharpest <= limit_of(goal)

    start = _rounded(number(_at(section, keys), parameter), up=falls)
    good, bad = _bracket(start, parameter, met, falls=falls)
    close = Decimal(10) ** -DIGITS

    def halved(good: Decimal, bad: Decimal, share: float) -> tuple[Decimal, Decimal]:
        while abs(good / bad - 1) > close:
            middle = Decimal(sqrt(good * bad))
            width = max(tolerance, float(abs(good / bad - 1)) * share)
            good, bad = (middle, bad) if met(middle, width) else (good, middle)
        return good, bad

    def meets(value: Decimal) -> bool:
        """Return whether a value of the parameter is in its range and meets the target."""
        try:
            return met(value, tolerance)
        except ValueError:
            return False

    good, bad = halved(good, bad, 0.1)
    # A wide bracket can be above the target at a value that meets it.
    step = -close if falls else close
    while meets(bad := good * (1 + step)):
        good, step = bad, step if abs(step) > _LONGEST else 2 * step
    good, _ = halved(good, bad, 0)
    value = _rounded(Fraction(good), up=falls)
    for _ in range(_AHEAD):
        value = _next(value, up=not falls)
    for attempt in range(_STEPS):
        if meets(value):
            # Only after the first attempt, a value with one unit more loss is known not to meet it.
            extreme = _EXTREMES[falls] if attempt and kind in MONOTONE else ""
            return Solution(with_value(value), value, extreme)
        value = _next(value, up=falls)
    raise RefusedError(Refusal("no value of six digits is certified", "raise the tolerance"))


def _number(guarantee: Guarantee, target: Target) -> Bound | None:
    if guarantee.refused:
        return None
    match target:
        case PureDP():
            return guarantee.pure_epsilon
        case ApproxDP():
            return guarantee.epsilon(target.delta)
        case ZCDP():
            return guarantee.rho
        case GDP():
            return guarantee.mu


def _bracket(start: Decimal, parameter: str, met: Any, *, falls: bool) -> tuple[Decimal, Decimal]:
    """A value that meets the target, and one that does not, less than a factor of two apart."""
    most = Decimal(1) if parameter in ("sampling_rate", "delta") else None
    value, known = start, met(start, 1e-2)
    factor = Decimal(2) if known != falls else Decimal("0.5")
    for _ in range(_DOUBLINGS):
        other = value * factor if most is None else min(value * factor, most)
        try:
            if other == value:
                break
            if met(other, 1e-2) != known:
                return (value, other) if known else (other, value)
        except ValueError:  # beyond the range of the parameter
            break
        value = other
    which = "every value" if known else "no value"
    what = f"{which} of {parameter} in its range meets the target"
    raise RefusedError(Refusal(what, "give another target"))


def _places(node: object, name: str, kind: str = "") -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The kind and the keys of each place of a parameter."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            if key == name and not isinstance(value, Mapping | list):
                yield kind, (key,)
            for found, keys in _places(value, name, key):
                yield found, (key, *keys)
    elif isinstance(node, list):
        for place, value in enumerate(node):
            for found, keys in _places(value, name, kind):
                yield found, (place, *keys)


def _at(node: Any, keys: tuple[Any, ...]) -> Any:
    return _at(node[keys[0]], keys[1:]) if keys else node


def _replaced(node: Any, keys: tuple[Any, ...], value: str) -> Any:
    if not keys:
        return value
    key, *rest = keys
    inner = _replaced(node[key], tuple(rest), value)
    if isinstance(node, list):
        return [inner if place == key else item for place, item in enumerate(node)]
    return {**node, key: inner}


def _rounded(value: Fraction, *, up: bool) -> Decimal:
    side = Context(prec=DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return side.divide(Decimal(value.numerator), Decimal(value.denominator))


def _next(value: Decimal, *, up: bool) -> Decimal:
    context = Context(prec=DIGITS)
    return context.next_plus(value) if up else context.next_minus(value)
