"""Tradeoff functions as values: two-sided evaluation, composition, group privacy.

All use Su's form: f(type I error) is the smallest type II error, which decreases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, overload

from semiaudit.errors import SpecError
from semiaudit.library.arguments import (
    POINTS_OR_CURVE,
    Number,
    Numbers,
    error_of_arguments,
    nonnegative,
    number,
    require_type,
    rows_of,
    share,
    whole,
)
from semiaudit.library.curves import (
    POINTS,
    Curve,
    Enclosure,
    Enclosures,
    Profile,
    asked,
    curve_of,
    enclosed,
    profile_of,
)
from semiaudit.library.python_text import ShownAsCode
from semiaudit.library.value import Value
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.model.loss import (
    ApproxLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
)
from semiaudit.model.measure import (
    GDP,
    ApproxDP,
    DeclaredOrder,
    DeclaredPair,
    DeclaredPairs,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.model.mechanism import Declared
from semiaudit.privacy import evaluate
from semiaudit.privacy.delta import LARGEST_EPSILON
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.ordering.definition_20 import order_of_functions
from semiaudit.privacy.tradeoff.algebra import functional_power, inverse, symmetrised, tensor
from semiaudit.privacy.tradeoff.function import (
    TradeoffBracket,
    advantage_from_above,
    delta_at,
    epsilon_at,
    exact_polygon,
    function_from_measure,
    type_ii_at,
    type_ii_from_below,
)
from semiaudit.privacy.tradeoff.links import divergence
from semiaudit.spec.mechanism.mechanism_values import mechanism_of_values

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes as MatplotlibAxes
    from numpy.typing import NDArray

    from semiaudit.privacy.tradeoff.function import TradeoffFunction as Described

NumberAt = Callable[[tuple[Measure, ...], Fraction, Accuracy], Bound]
Vertices = tuple[tuple[Fraction, Fraction], ...]
Order = Literal["equal", "stronger", "weaker", "incomparable", "undecided"]

METHOD = "tradeoff"
SOURCE = "docs/theory/conversions.md, Tradeoff functions as values"
LINK = "link", "Su, Theorem 3; docs/theory/conversions.md, Links"

LARGEST_SHIFT = 10_000
"""The largest shift of Laplace noise, over its scale."""


class TradeoffFunction(ShownAsCode, Value):
    """A tradeoff function f = T(P, Q), as one of its subclasses makes it.

    ``f @ g`` is the function of two independent releases together (the tensor product), and
    ``f.group(k)`` is the function at distance k for f at distance 1. A function without a closed
    form is bracketed by two polygons. ``delta`` and ``epsilon`` are for this order of the pair; if
    the function is not its own inverse, use ``inverse()`` for the other order.
    """

    __slots__ = ("_factors", "_found", "_group", "_name")

    _not_parts = frozenset(__slots__)

    def __init__(
        self,
        function: Described | None,
        name: str,
        factors: Sequence[tuple[TradeoffFunction, int]] = (),
    ) -> None:
        """Hold a function; or, if it is None, factors with their multiplicities, to be composed."""
        self._found = function
        self._name = name
        self._factors = tuple(factors)
        self._group: tuple[Described, int] | None = None

    def _parts_of_value(self) -> tuple[object, ...]:
        """Return the factors of a product, else the function, but not how it was written."""
        own = (self._factors, None if self._factors else self._function)
        return (*super()._parts_of_value(), *own)

    @overload
    def __call__(self, type_i: Number) -> Bound: ...

    @overload
    def __call__(self, type_i: Numbers) -> NDArray[np.float64]: ...

    def __call__(self, type_i: Number | Numbers) -> Bound | NDArray[np.float64]:
        """Return the smallest type II error at a type I error in [0, 1], from below.

        Args:
            type_i: a number; or a list, an array, or a series, for an array of doubles on the safe
                side, as everywhere here.
        """
        return asked(self._below, type_i, _type_i)

    @overload
    def from_above(self, type_i: Number) -> Bound: ...

    @overload
    def from_above(self, type_i: Numbers) -> NDArray[np.float64]: ...

    def from_above(self, type_i: Number | Numbers) -> Bound | NDArray[np.float64]:
        """Return an upper bound on the type II error at a type I error, which some test attains.

        It is 1 - ``type_i`` if no better one is known.

        For a function that is composed of polygons, only lower bounds are known.
        """
        return asked(self._above, type_i, _type_i)

    @overload
    def delta(self, epsilon: Number) -> Bound: ...

    @overload
    def delta(self, epsilon: Numbers) -> NDArray[np.float64]: ...

    def delta(self, epsilon: Number | Numbers) -> Bound | NDArray[np.float64]:
        """Return the smallest delta at an epsilon of 0 or more, from above."""
        return asked(self._deltas, epsilon, lambda value: nonnegative(value, "epsilon"))

    @overload
    def epsilon(self, delta: Number) -> Bound: ...

    @overload
    def epsilon(self, delta: Numbers) -> NDArray[np.float64]: ...

    def epsilon(self, delta: Number | Numbers) -> Bound | NDArray[np.float64]:
        """Return the smallest epsilon at a delta in [0, 1), from above.

        Infinite if none is enough.
        """
        return asked(self._epsilons, delta, _delta)

    @overload
    def epsilon_enclosure(self, delta: Number) -> Enclosure: ...

    @overload
    def epsilon_enclosure(self, delta: Numbers) -> Enclosures: ...

    def epsilon_enclosure(self, delta: Number | Numbers) -> Enclosure | Enclosures:
        """Return certified bounds on the smallest epsilon of this function at a delta in [0, 1).

        Returns:
            ``lower``: at this delta, no smaller epsilon holds; 0 if the function is only known from
            below. ``upper`` is ``epsilon(delta)``. Both are infinite if no epsilon is enough.

        Rounding: outward, to doubles. Source: Su, section 2.3 (2.4).
        """
        return enclosed(
            asked(self._least_epsilons, delta, _delta), asked(self._epsilons, delta, _delta)
        )

    @property
    def advantage(self) -> Bound:
        """Return an upper bound on the total variation distance."""
        polygon_bound = upper(advantage_from_above(self._function), METHOD, SOURCE)
        return self._smaller([polygon_bound], evaluate.delta_at, [Fraction(0)])[0]

    def renyi_divergence(self, order: Number) -> Bound:
        """Return an upper bound on the Renyi divergence of P from Q, a function of T(P, Q) alone.

        ``epsilon(0)`` is the largest divergence of Q from P, ``advantage`` the total variation
        distance, and ``delta`` the hockey-stick divergence of Q from P.

        Args:
            order: 1 or more; 1 is the Kullback-Leibler divergence.

        Returns:
            The divergence in nats, that of a mixture with its index revealed; infinite if P has
            outcomes that Q lacks, and maybe where f is known by polygons only (a ``Curve``,
            ``group`` and ``symmetrised`` of most functions).

        Source:
            Su, Theorem 3; docs/errata.md, E39, for the direction.
        """
        if str(order).lower().lstrip("+") in ("inf", "infinity"):
            raise ValueError(f"order: {order} is no order here; use `inverse().epsilon(0)`")
        at = number(order, "order")
        if at < 1:
            raise ValueError(f"order: {order} is out of range; give at least 1")
        return upper(self._divergence(at), *LINK)

    def _divergence(self, order: Fraction) -> Fraction | float:
        """The Renyi divergence at an order of 1 or more, from above."""
        if not self._factors:
            return divergence(self._function, order)
        return sum((k * f._divergence(order) for f, k in self._factors), Fraction(0))

    def order(self, other: TradeoffFunction) -> Order:
        """Compare this function with another one in Blackwell's order.

        Returns:
            ``stronger`` if this function is proven to be nowhere below the other one and above it
            somewhere, so that it protects more; ``weaker``, ``equal``; ``incomparable`` if each is
            proven to be lower somewhere; ``undecided`` if nothing is proven.

        Source:
            Blackwell 1950; Su, Theorem 4; Cho and Awan, Definition 20.
        """
        require_function(other)
        if self._known_from_above and other._known_from_above:
            order = order_of_functions(self._function, other._function)
            if order != "undecided":
                return order
        if self._is_part_of(other) or self._is_group_above(other):
            return "stronger"
        below = other._is_part_of(self) or other._is_group_above(self)
        return "weaker" if below else "undecided"

    def _is_group_above(self, other: TradeoffFunction) -> bool:
        """Return whether this is f_{epsilon,0} at distance k, the other f_{k epsilon,0} or below.

        With F = 1 - f, F(x) is at most e^epsilon x, and 1 - F(x) at least e^-epsilon (1 - x). So k
        steps are nowhere above 1 - f_{k epsilon,0}. At its kink 1 / (1 + e^(k epsilon)), the step
        from e^((k - 1) epsilon) x is beyond the kink of F, and the result is less.
        """
        if self._group is None or other._factors:
            return False
        (unit, times), weak = self._group, other._function
        if not isinstance(unit, PureDP | ApproxDP) or not isinstance(weak, PureDP | ApproxDP):
            return False
        pure = not any(isinstance(f, ApproxDP) and f.delta for f in (unit, weak))
        return pure and times > 1 and 0 < times * unit.epsilon <= weak.epsilon

    def _is_part_of(self, product: TradeoffFunction) -> bool:
        """Return whether a product has the factors of this function, and more that reveal more.

        It is then nowhere above this function (data processing), and below it somewhere: with equal
        functions, the Hellinger affinities would be equal, which are products, too. Then either
        this function is 0, or the further factors are 1 - a, which is convex, so that it is enough
        to look at one place.
        """
        own, whole = self._exact_factors, product._exact_factors
        if own is None or whole is None or own - whole:
            return False
        further, half = whole - own, Fraction(1, 2)
        reveals = any(type_ii_at(f, half).upper_rational < half for f in further)
        return reveals and any(bound.value > 0 for bound in self._below([half, half / 10**6]))

    @property
    def _exact_factors(self) -> Counter[Described] | None:
        """The factors with their multiplicities; None if one is a bound on an unknown function."""
        factors: Counter[Described] = Counter()
        for f, times in self._leaves:
            if not f._known_from_above or isinstance(f._function, TradeoffBracket):
                return None
            factors[f._function] += times
        return factors

    @property
    def vertices(self) -> Vertices | None:
        """Return the vertices (type I error, type II error) of an exact polygon; None for others.

        Finite pairs, ``PiecewiseTradeoff``, and mixtures and inverses of them are exact polygons.
        """
        polygon = exact_polygon(self._function) if self._known_from_above else None
        return None if polygon is None else polygon.vertices

    def tradeoff(self, points: int | Numbers = POINTS) -> Curve:
        """Return the function as arrays of type I errors and certified type II errors.

        Args:
            points: the type I errors, or how many of them, evenly spaced from 0 to 1.
                They are sorted, and each is in the curve once.
        """
        return curve_of(self._below, points)

    def plot(self, *, ax: MatplotlibAxes | None = None) -> MatplotlibAxes:
        """Draw the curve of ``tradeoff(101)``; its arguments and errors are those of ``plot``."""
        return self.tradeoff(101).plot(ax=ax)

    def profile(self, epsilons: Numbers) -> Profile:
        """Return the privacy profile as arrays of epsilons and certified deltas.

        Args:
            epsilons: 0 or more; they are sorted, and each is in the profile once.
        """
        return profile_of(self._deltas, epsilons)

    def group(self, distance: int) -> TradeoffFunction:
        """Compose f with itself: the function at a distance of 1 or more, for f at distance 1."""
        times = whole(distance, "distance")
        power = functional_power(self._function, times)
        found = TradeoffFunction(power, f"{_bracketed(self)}.group({times})")
        found._group = self._function, times
        return found

    def repeat(self, times: int) -> TradeoffFunction:
        """Return the function of ``times`` independent releases."""
        number_of = whole(times, "times")
        factors = [(f, k * number_of) for f, k in self._leaves]
        return TradeoffFunction(None, f"{_bracketed(self)}.repeat({number_of})", factors)

    def inverse(self) -> TradeoffFunction:
        """T(Q, P): the roles of the two errors exchanged."""
        name = f"{_bracketed(self)}.inverse()"
        if self._factors:
            return TradeoffFunction(None, name, [(f.inverse(), k) for f, k in self._factors])
        return TradeoffFunction(inverse(self._function), name)

    def symmetrised(self) -> TradeoffFunction:
        """max{f, f^-1}: holds wherever f holds for both orders of every pair."""
        name = f"{_bracketed(self)}.symmetrised()"
        if self._factors and all(inverse(f) is f for f, _ in self._parts):
            return TradeoffFunction(None, name, self._factors)
        return TradeoffFunction(symmetrised(self._function), name)

    def __matmul__(self, other: TradeoffFunction) -> TradeoffFunction:
        if not isinstance(other, TradeoffFunction):
            return NotImplemented
        return compose(self, other)

    @property
    def _leaves(self) -> tuple[tuple[TradeoffFunction, int], ...]:
        """The factors of a product; of any other function itself."""
        return self._factors or ((self, 1),)

    @property
    def _parts(self) -> list[tuple[Described, int]]:
        return [(f._function, k) for f, k in self._leaves]

    @property
    def _function(self) -> Described:
        if self._found is None:
            self._found = tensor(self._parts)
        return self._found

    @property
    def _known_from_above(self) -> bool:
        f = self._function
        return not isinstance(f, PiecewiseLinear) or f.declared

    @property
    def _losses(self) -> tuple[PrivacyLoss, ...]:
        """The composed loss of a product whose factors all have one, in either order."""
        if not self._factors or isinstance(self._function, GDP):
            return ()
        pairs = [(_loss_of(f._function), times) for f, times in self._factors]
        known = tuple((pair, times) for pair, times in pairs if pair is not None)
        return (PrivacyLoss(known),) if len(known) == len(pairs) else ()

    def _below(self, places: Sequence[Fraction]) -> list[Bound]:
        own = [lower(type_ii_from_below(self._function, at), METHOD, SOURCE) for at in places]
        composed = self._composed(evaluate.type_ii_at, places)
        return [
            max(pair, key=attrgetter("value")) for pair in zip(own, composed or own, strict=True)
        ]

    def _above(self, places: Sequence[Fraction]) -> list[Bound]:
        known = self._known_from_above
        return [
            upper(type_ii_at(self._function, at) if known else 1 - at, METHOD, SOURCE)
            for at in places
        ]

    def _epsilons(self, places: Sequence[Fraction]) -> list[Bound]:
        own = [upper(epsilon_at(self._function, at)[1], METHOD, SOURCE) for at in places]
        return self._smaller(own, evaluate.epsilon_at, places)

    def _least_epsilons(self, places: Sequence[Fraction]) -> list[Bound]:
        known = self._known_from_above
        least = [epsilon_at(self._function, at)[0] if known else Fraction(0) for at in places]
        return [lower(value, METHOD, SOURCE) for value in least]

    def _deltas(self, places: Sequence[Fraction]) -> list[Bound]:
        own = [
            upper(delta_at(self._function, min(at, Fraction(LARGEST_EPSILON))), METHOD, SOURCE)
            for at in places
        ]
        return self._smaller(own, evaluate.delta_at, places)

    def _smaller(
        self, own: list[Bound], number_at: NumberAt, places: Sequence[Fraction]
    ) -> list[Bound]:
        composed = self._composed(number_at, places)
        return [
            min(pair, key=attrgetter("value")) for pair in zip(own, composed or own, strict=True)
        ]

    def _composed(self, number_at: NumberAt, places: Sequence[Fraction]) -> list[Bound]:
        """Numbers of the composed loss, which is tighter than a product of polygons."""
        accuracy = Accuracy().at(places)
        return [number_at(self._losses, at, accuracy) for at in places] if self._losses else []

    def __repr__(self) -> str:
        return self._name


def _type_i(value: Number) -> Fraction:
    return share(value, "type_i")


def _delta(value: Number) -> Fraction:
    return share(value, "delta", below_one=True)


def _loss_of(function: Described) -> Loss | None:
    """Return the pair of distributions of a function that is its own inverse; else None."""
    match function:
        case GDP():
            return GaussianLoss(function.mu_squared)
        case PureDP():
            return RandomizedResponseLoss(function.epsilon)
        case ApproxDP():
            return ApproxLoss(function.epsilon, function.delta)
        case LaplaceLoss():
            return LaplaceLoss(abs(function.shift))
        case _:
            return None


def compose(*functions: TradeoffFunction) -> TradeoffFunction:
    """Return the tradeoff function of independent releases together."""
    if not functions:
        raise ValueError("compose: there is no function; give one or more")
    for f in functions:
        require_function(f)
    factors = [leaf for f in functions for leaf in f._leaves]
    return TradeoffFunction(None, " @ ".join(map(repr, functions)), factors)


def require_function(value: object) -> None:
    """Refuse a value that is not a tradeoff function, such as a mechanism.

    Raises:
        TypeError: it is not a tradeoff function.
    """
    remedy = "give one such as GaussianTradeoff(1); mechanisms are composed by a + b"
    require_type(value, TradeoffFunction, remedy)


def _bracketed(f: TradeoffFunction) -> str:
    return f"({f!r})" if " @ " in repr(f) else repr(f)


class GaussianTradeoff(TradeoffFunction):
    """G_mu: N(0, 1) against N(mu, 1)."""

    __slots__ = ()

    def __init__(self, mu: Number) -> None:
        super().__init__(_declared({"gdp": {"mu": mu}}), f"GaussianTradeoff({mu!r})")


class LaplaceTradeoff(TradeoffFunction):
    """Laplace noise of scale 1 against itself moved by a shift: of another scale, shift / scale."""

    __slots__ = ()

    def __init__(self, shift: Number) -> None:
        exact = number(shift, "shift")
        if abs(exact) > LARGEST_SHIFT:
            raise ValueError(f"shift: {shift} is out of range; stay within {LARGEST_SHIFT}")
        super().__init__(LaplaceLoss(exact), f"LaplaceTradeoff({shift!r})")


class ApproxTradeoff(TradeoffFunction):
    """f_{epsilon,delta}: the smallest tradeoff function under (epsilon, delta)-DP."""

    __slots__ = ()

    def __init__(self, epsilon: Number, delta: Number = 0) -> None:
        declared = _declared({"approx_dp": {"epsilon": epsilon, "delta": delta}})
        super().__init__(declared, f"ApproxTradeoff({epsilon!r}, {delta!r})")


class PiecewiseTradeoff(TradeoffFunction):
    """A function that is linear between points (type I error, type II error), from 0 to 1.

    Args:
        points: the vertices of the function, exactly. Or a ``Curve``: the function is then known
            from below only, by the certified ``vertices`` of the curve.

    Raises:
        ValueError: the points are not those of a convex function that falls and is nowhere above
            1 - a.
    """

    __slots__ = ()

    def __init__(self, points: Sequence[tuple[Number, Number]] | Curve) -> None:
        if isinstance(points, Curve):
            known: Described = PiecewiseLinear(points.vertices)
            text = f"<curve of {len(points.type_i)} points>"
        else:
            rows = rows_of(points, "points", POINTS_OR_CURVE)
            known = _declared({"tradeoff": {"points": rows, "orders": "both"}})
            text = repr(list(map(tuple, rows)))
        super().__init__(known, f"PiecewiseTradeoff({text})")


def _declared(section: dict[str, object]) -> Described:
    try:
        declared = mechanism_of_values(section)
    except SpecError as error:
        raise error_of_arguments(error, f"mechanism.{next(iter(section))}") from None
    if not isinstance(declared, Declared) or isinstance(
        declared.measure, DeclaredPairs | DeclaredOrder | DeclaredPair
    ):
        raise ValueError(f"{next(iter(section))} declares no tradeoff function")
    return function_from_measure(declared.measure)
