"""Mechanisms as values: those of a spec that need no query, with composition and guarantees.

A value contains its section of a spec, which is parsed by the spec's own grammar on construction;
its privacy loss is that of an audit of that spec.

Noise on the integers, with probabilities and a variance in addition to a mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args, overload

from semiaudit.errors import SpecError
from semiaudit.library.arguments import (
    POINTS_OR_CURVE,
    Number,
    Numbers,
    error_of_arguments,
    number,
    require_type,
    rows_of,
    several,
    tolerance,
    whole,
)
from semiaudit.library.curves import Curve, Enclosure, Enclosures, enclosed_at, enclosure
from semiaudit.library.python_text import ShownAsCode, python_text
from semiaudit.privacy.special.discrete_noise import (
    gaussian_pmf,
    gaussian_variance,
    laplace_pmf,
    laplace_variance,
)
from semiaudit.spec.python_values import node_of_values, values_of_node

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from semiaudit.library.guarantee import Guarantee
    from semiaudit.model.mechanism import Mechanism as Described


GAUSSIAN = "discrete_gaussian", "Canonne, Kamath and Steinke 2020, section 2"
LAPLACE = "discrete_laplace", "the sum of a geometric series"


class Noise:
    """Noise that can be sampled on any number of coordinates."""

    __slots__ = ()

    _described: Callable[[Metric], Described]

    def sample(
        self,
        answer: int | Numbers | None = None,
        *,
        shape: int | tuple[int, ...] = (),
        seed: int | None = None,
    ) -> NDArray[np.float64]:
        """Add independent noise to an answer; or sample the noise alone, in a shape.

        Args:
            answer: a whole number, or an array of them of any shape; None for noise alone.
            shape: of the noise, without an answer.
            seed: 0 or more, for tests, never for a release; None takes the randomness of the
                operating system.

        Returns:
            An array of the answer's shape, or ``shape``; exact doubles on a grid, and whole numbers
            for discrete noise (docs/sampling.md has how exact each kind is).

        Raises:
            ValueError: an answer is not whole: the digits of its sum with the noise would reveal
                it.
            RefusedError: the noise cannot be sampled, or the sum is too large to be exact.
        """
        from semiaudit.library.noise_samples import noisy

        return noisy(self._described("hamming"), answer, shape, seed)


class DiscreteNoise(Noise):
    """Discrete Gaussian or discrete Laplace noise, by its section of a spec."""

    __slots__ = ()

    _section: dict[str, Any]
    _kind: ClassVar[str]
    _squared: ClassVar[bool] = False

    def __new__(cls, *given: object, **named: object) -> Self:
        """Refuse sigma, and a number without a name, which may be sigma or its square."""
        instance = super().__new__(cls, *given, **named)
        if cls._squared and (given or "sigma" in named):
            raise TypeError("give sigma_squared by its name; sigma = 2 is sigma_squared=4")
        return instance

    @overload
    def pmf(self, value: int) -> Enclosure: ...

    @overload
    def pmf(self, value: Numbers) -> Enclosures: ...

    def pmf(self, value: int | Numbers) -> Enclosure | Enclosures:
        """Return the probability that the noise is an integer, or each of several, enclosed.

        Raises:
            ValueError: the number is not an integer.

        Source:
            Canonne, Kamath and Steinke 2020, Definition 1, for the discrete Gaussian.
        """
        return enclosed_at(self._pmf, value)

    def _pmf(self, value: Number) -> Enclosure:
        at = number(value, "value")
        if at.denominator != 1:
            raise ValueError(f"value: {value} is not a whole number; give one")
        if self._squared:
            return enclosure(gaussian_pmf(self._parameter("sigma_squared"), int(at)), *GAUSSIAN)
        return enclosure(laplace_pmf(self._parameter("scale"), int(at)), *LAPLACE)

    @property
    def variance(self) -> Enclosure:
        """Return the variance of the noise, enclosed.

        It is below ``sigma_squared``, or below 2 scale^2.
        """
        if self._squared:
            return enclosure(gaussian_variance(self._parameter("sigma_squared")), *GAUSSIAN)
        return enclosure(laplace_variance(self._parameter("scale")), *LAPLACE)

    def _parameter(self, name: str) -> Fraction:
        return number(self._section[self._kind][name], name)


Metric = Literal["hamming", "multiset_hamming", "symmetric_difference"]
Neighbors = Literal["replace_one", "add_remove", "zero_out"]
Sampling = Literal["poisson", "fixed_size", "shuffle"]
METRICS: tuple[Metric, ...] = get_args(Metric)


_CLASSES: dict[str, type[Mechanism]] = {}
"""The class of each kind of a spec that needs no query and has a guarantee in all of D."""


class Mechanism(ShownAsCode):
    """One mechanism, or several that are run on the same data.

    ``a + b`` is both, ``a * 10`` ten times the same, ``sum`` adds a list; ``guarantee`` is of all.

    Args:
        section: the mechanism section of a spec, such as ``{"gaussian": {"sigma": 2}}``.

    Raises:
        ValueError: it is none; the message has every problem with the path of its keys.
    """

    __slots__ = ("_section",)

    _kind: ClassVar[str] = ""
    """The kind of the class's section; empty if it can have any."""

    def __init_subclass__(cls, *, kind: str = "") -> None:
        """Declare a class for the sections of a kind that needs no query and has a guarantee."""
        if kind:
            cls._kind = kind
            _CLASSES[kind] = cls

    def __new__(cls, *_: object, **named: object) -> Self:
        """Refuse a query, which the noise of a spec can have."""
        if "query" in named:
            spec = 'spec.with_(mechanism={"gaussian": {"sigma": 4, "query": "table"}})'
            raise TypeError(f"query: needs the dataspace of a spec; give shifts, or write {spec}")
        return super().__new__(cls)

    def __init__(self, section: Mapping[str, object]) -> None:
        require_type(section, Mapping, 'give such as {"gaussian": {"sigma": 2}}', name="section")
        self._section: dict[str, Any] = dict(section)
        self._described("hamming")

    def _declare(
        self,
        *,
        shifts: Sequence[Number] | None = None,
        neighbors: Neighbors | None = None,
        rtol: Fraction | None = None,
        **parameters: object,
    ) -> None:
        """Take the section of the class's kind; a key that is None here is left out."""
        on = {"shifts": shifts, "neighbors": neighbors, "rtol": rtol}
        given = {key: value for key, value in on.items() if value is not None}
        Mechanism.__init__(self, {self._kind: parameters | given})

    def guarantee(
        self,
        distance: int = 1,
        *,
        metric: Metric = "hamming",
        tolerance: float = 1e-6,
        time_limit: float = 60.0,
    ) -> Guarantee:
        """Return the guarantee for datasets up to a distance, in all of D.

        Args:
            distance: 1 or more.
            metric: ``hamming``, ``multiset_hamming`` (a record is replaced), or
                ``symmetric_difference`` (add/remove). Randomized response and shuffled reports do
                not take all of them.
            tolerance: how wide the bracket of a composed loss may be, relative to its upper bound.
            time_limit: seconds, for this call and again for each call that asks it for a number.

        Raises:
            RefusedError: there is no guarantee, for example if the parts do not add up to
                ``total_rho``.
            ValueError: the mechanism does not support the metric.
        """
        from semiaudit.library.mechanism_guarantee import guarantee_at

        if metric not in METRICS:
            raise ValueError(f"metric: there is no {metric}; known are {', '.join(METRICS)}")
        described = self._described(metric)
        return guarantee_at(described, whole(distance, "distance"), metric, tolerance, time_limit)

    def to_mapping(self) -> dict[str, Any]:
        """Return the equivalent section of a spec, with plain values."""
        values = values_of_node(node_of_values(self._section, "<mechanism>", "mechanism"))
        return values if isinstance(values, dict) else {}

    def __add__(self, other: Mechanism) -> Mechanism:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return Mechanism({"compose": [*_parts(self._section), *_parts(other._section)]})

    def __radd__(self, other: int) -> Mechanism:
        return self if other == 0 else NotImplemented  # where ``sum`` begins

    def __mul__(self, times: int) -> Mechanism:
        if not isinstance(times, int):
            return NotImplemented
        repeat = whole(times, "times") * whole(self._section.get("repeat", 1), "repeat")
        return Mechanism({**self._section, "repeat": repeat})

    __rmul__ = __mul__

    def _described(self, metric: Metric) -> Described:
        from semiaudit.spec.mechanism.mechanism_values import mechanism_of_values

        try:
            return mechanism_of_values(self._section, metric)
        except SpecError as error:
            kind = "" if type(self) is Mechanism else f".{next(iter(self._section))}"
            raise error_of_arguments(error, f"mechanism{kind}") from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return self._described("hamming") == other._described("hamming")

    def __hash__(self) -> int:
        return hash(self._described("hamming"))

    def __repr__(self) -> str:
        return python_text(self.to_mapping(), _CLASSES)


def _parts(section: Mapping[str, Any]) -> list[Any]:
    """Return the parts of a composition that runs once; else the mechanism itself."""
    if "compose" in section and section.keys() == {"compose"}:
        return list(section["compose"])
    return [dict(section)]


class PureDP(Mechanism, kind="pure_dp"):
    """A mechanism with declared epsilon-DP; ``neighbors`` as for ``ZCDP``."""

    __slots__ = ()

    def __init__(self, epsilon: Number, *, neighbors: Neighbors | None = None) -> None:
        self._declare(epsilon=epsilon, neighbors=neighbors)


class ApproxDP(Mechanism, kind="approx_dp"):
    """A mechanism with declared (epsilon, delta)-DP; ``neighbors`` as for ``ZCDP``."""

    __slots__ = ()

    def __init__(
        self, epsilon: Number, delta: Number, *, neighbors: Neighbors | None = None
    ) -> None:
        self._declare(epsilon=epsilon, delta=delta, neighbors=neighbors)


class ZCDP(Mechanism, kind="zcdp"):
    """A mechanism with declared rho-zCDP; its noise is unknown.

    Args:
        rho: 0 or more.
        neighbors: the neighboring datasets for which rho holds: ``replace_one``, ``add_remove``, or
            ``zero_out``. Default: datasets at distance 1 of the metric that is asked for.
    """

    __slots__ = ()

    def __init__(self, rho: Number, *, neighbors: Neighbors | None = None) -> None:
        self._declare(rho=rho, neighbors=neighbors)


class GDP(Mechanism, kind="gdp"):
    """A mechanism with declared mu-GDP; ``neighbors`` as for ``ZCDP``."""

    __slots__ = ()

    def __init__(self, mu: Number, *, neighbors: Neighbors | None = None) -> None:
        self._declare(mu=mu, neighbors=neighbors)


class FDP(Mechanism, kind="tradeoff"):
    """A mechanism with declared f-DP; f is linear between points (type I, type II).

    Pass the ``Curve`` of a guarantee itself: f then has its certified ``vertices``, because a line
    between two of its points is too high.

    Args:
        points: (type I error, type II error), or a curve.
        orders: ``both`` if f holds for both orders of the two datasets, as the curve of a guarantee
            does; ``one`` if it holds for one of them, as that of a tradeoff function can.
        neighbors: as for ``ZCDP``.
    """

    __slots__ = ()

    def __init__(
        self,
        points: Sequence[tuple[Number, Number]] | Curve,
        *,
        orders: Literal["both", "one"],
        neighbors: Neighbors | None = None,
    ) -> None:
        rows = rows_of(getattr(points, "vertices", None) or points, "points", POINTS_OR_CURVE)
        self._declare(points=rows, orders=orders, neighbors=neighbors)


class PrivacyProfile(Mechanism, kind="profile"):
    """A mechanism that satisfies every (epsilon, delta) pair of a list, in both orders.

    Between the pairs, nothing is assumed; ``neighbors`` as for ``ZCDP``.
    """

    __slots__ = ()

    def __init__(
        self, points: Sequence[tuple[Number, Number]], *, neighbors: Neighbors | None = None
    ) -> None:
        rows = rows_of(points, "points", "(epsilon, delta) pairs")
        self._declare(points=rows, neighbors=neighbors)


class Gaussian(Noise, Mechanism, kind="gaussian"):
    """Gaussian noise of standard deviation sigma.

    Args:
        sigma: above 0.
        shifts: the change of each coordinate between neighboring datasets. Default: one coordinate,
            by 1, which a spec refuses.
        neighbors: as for ``ZCDP``, of the shifts.
    """

    __slots__ = ()

    def __init__(
        self,
        sigma: Number,
        *,
        shifts: Sequence[Number] | None = None,
        neighbors: Neighbors | None = None,
    ) -> None:
        self._declare(sigma=sigma, shifts=shifts, neighbors=neighbors)


class DiscreteGaussian(DiscreteNoise, Mechanism, kind="discrete_gaussian"):
    """Noise on the integers, mass proportional to exp(-k^2 / (2 sigma_squared))."""

    __slots__ = ()
    _squared = True

    def __init__(
        self,
        *,
        sigma_squared: Number,
        shifts: Sequence[int] | None = None,
        neighbors: Neighbors | None = None,
    ) -> None:
        self._declare(sigma_squared=sigma_squared, shifts=shifts, neighbors=neighbors)


class Laplace(Noise, Mechanism, kind="laplace"):
    """Laplace noise, density proportional to exp(-|x| / scale)."""

    __slots__ = ()

    def __init__(
        self,
        scale: Number,
        *,
        shifts: Sequence[Number] | None = None,
        neighbors: Neighbors | None = None,
    ) -> None:
        self._declare(scale=scale, shifts=shifts, neighbors=neighbors)


class DiscreteLaplace(DiscreteNoise, Mechanism, kind="discrete_laplace"):
    """Noise on the integers, mass proportional to exp(-|k| / scale)."""

    __slots__ = ()

    def __init__(
        self,
        scale: Number,
        *,
        shifts: Sequence[int] | None = None,
        neighbors: Neighbors | None = None,
    ) -> None:
        self._declare(scale=scale, shifts=shifts, neighbors=neighbors)


class RandomizedResponse(Mechanism, kind="randomized_response"):
    """Every record answers for itself: its own value with odds e^epsilon to each other one."""

    __slots__ = ()

    def __init__(self, epsilon: Number, levels: int = 2) -> None:
        self._declare(epsilon=epsilon, levels=levels)


Masses = Mapping[Literal["p", "q"], Sequence[Number]]


class DominatingPair(Mechanism, kind="pair"):
    """Pairs of distributions that dominate every two neighbors, at every epsilon above or below 0.

    Args:
        add: ``{"p": [...], "q": [...]}``, the masses of P (without the record) and of Q (with it)
            for the same outcomes; what is missing to 1 is an infinite loss.
        remove: the same, where P has the record; ``add``, ``remove``, or both are for add/remove.
        replace: for two datasets of one size in one of their orders; given alone.
    """

    __slots__ = ()

    def __init__(
        self,
        *,
        add: Masses | None = None,
        remove: Masses | None = None,
        replace: Masses | None = None,
    ) -> None:
        given: dict[str, Any] = {"add": add, "remove": remove, "replace": replace}
        self._declare(**{way: masses for way, masses in given.items() if masses is not None})


class SubsampledGaussian(Mechanism, kind="subsampled_gaussian"):
    """Gaussian noise on sums over batches, as in private gradient descent.

    Under ``hamming``, the default metric, a neighbor has one record replaced. For add/remove
    accounting, whose numbers differ, ask ``guarantee(metric="symmetric_difference")``.

    Args:
        noise_multiplier: the standard deviation over the most that one record adds.
        sampling_rate: the probability with which a record is in a batch; not for ``shuffle``.
        steps: the number of batches, of all epochs; not for ``shuffle``.
        sampling: ``poisson``, ``fixed_size`` (without replacement), or ``shuffle`` (each epoch
            divides all records).
        steps_per_epoch: the number of batches in an epoch; only for ``shuffle``.
        epochs: only for ``shuffle``.
        neighbors: ``zero_out`` if ``shuffle`` is asked for under ``symmetric_difference``.
    """

    __slots__ = ()

    def __init__(
        self,
        noise_multiplier: Number,
        sampling_rate: Number | None = None,
        steps: int | None = None,
        *,
        sampling: Sampling = "poisson",
        steps_per_epoch: int | None = None,
        epochs: int | None = None,
        neighbors: Neighbors | None = None,
    ) -> None:
        if sampling != "shuffle" and steps is None:
            steps = 1
        given = {
            "sampling": None if sampling == "poisson" else sampling,
            "sampling_rate": sampling_rate,
            "steps": steps,
            "steps_per_epoch": steps_per_epoch,
            "epochs": epochs,
        }
        known: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        self._declare(noise_multiplier=noise_multiplier, neighbors=neighbors, **known)


class Shuffled(Mechanism, kind="shuffled"):
    """Shuffled reports of an epsilon0-DP local randomizer, one for each record."""

    __slots__ = ()

    def __init__(self, epsilon0: Number, reports: int) -> None:
        self._declare(epsilon0=epsilon0, reports=reports)


class Finite(Mechanism, kind="finite"):
    """A mechanism with finitely many outcomes, given by the exact law of each dataset's output.

    Args:
        rows: the datasets, which are all of D; lists of records with equal lengths.
        probabilities: a row for each dataset, with a number for each outcome, that sums to 1
            exactly: use fractions, or text such as ``"1/3"``; or floats.
        rtol: the relative tolerance within which each float is right; by default 1e-12 if there
            are floats that do not sum to 1. What a row lacks is added to delta.
    """

    __slots__ = ()

    def __init__(
        self,
        rows: Sequence[Sequence[object]],
        probabilities: Sequence[Numbers],
        *,
        rtol: Number | None = None,
    ) -> None:
        listed = [list(row) for row in rows]
        laws = [several(law, "probabilities") for law in probabilities]
        self._declare(rows=listed, probabilities=laws, rtol=tolerance(laws, rtol))


class FiniteNoise(Noise, Mechanism, kind="finite_noise"):
    """Noise with finitely many values, independent in every coordinate.

    Args:
        values: the values of the noise. probabilities: of each value, as for ``Finite``.
        rtol: as for ``Finite``. shifts, neighbors: as for ``Gaussian``.
    """

    __slots__ = ()

    def __init__(
        self,
        values: Numbers,
        probabilities: Numbers,
        *,
        rtol: Number | None = None,
        shifts: Sequence[Number] | None = None,
        neighbors: Neighbors | None = None,
    ) -> None:
        law = several(probabilities, "probabilities")
        self._declare(
            values=several(values, "values"),
            probabilities=law,
            rtol=tolerance([law], rtol),
            shifts=shifts,
            neighbors=neighbors,
        )
