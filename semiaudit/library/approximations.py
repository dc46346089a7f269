"""Approximations of privacy numbers, with an error of unknown sign. They are not guarantees.

No decision uses an ``Approximation``: it has no side, and it cannot be compared. Parameters have
the names and the units of mechanisms and tradeoff functions: mu, never its square.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args, overload

from semiaudit.library.arguments import Number, Numbers, nonnegative, number, plain, share, whole
from semiaudit.library.tradeoff import TradeoffFunction, require_function
from semiaudit.library.value import Value
from semiaudit.privacy.approximations.approximation import Approximation as Approximation
from semiaudit.privacy.approximations.clt import (
    berry_esseen_gap,
    clt_delta,
    clt_mu,
    clt_type_ii,
    loss_mean,
    loss_variance,
)
from semiaudit.privacy.approximations.dp_sgd import (
    Neighbors,
    dp_sgd_clt_epsilon,
    dp_sgd_clt_mu,
    dp_sgd_edgeworth_epsilon,
    dp_sgd_numeric_epsilon,
    gradient_sensitivity_l2,
)
from semiaudit.privacy.approximations.edgeworth import (
    edgeworth_delta,
    edgeworth_epsilon,
    edgeworth_type_ii,
)
from semiaudit.privacy.approximations.last_iterate import (
    CyclicDescent,
    composition_mu,
    last_iterate_epsilon,
    last_iterate_mu,
    last_iterate_rho,
)
from semiaudit.privacy.approximations.moments import moments_of

if TYPE_CHECKING:
    from semiaudit.privacy.approximations.moments import LossMoments


Approximations: TypeAlias = tuple[Approximation, ...]
Sampling = Literal["poisson", "uniform"]
Accounting = Literal["composition", "renyi", "f_dp"]


class CentralLimit(Value):
    """The Gaussian limit of a composition of many small privacy losses.

    Args:
        function: the composition, such as ``ApproxTradeoff("0.1").repeat(100)``; its factors are
            used one by one.

    Raises:
        ValueError: the privacy loss of a factor is infinite with positive probability.

    Source:
        Dong, Roth and Su 2022, Theorem 3.4; Su, section 3.3. The error has either sign:
        docs/errata.md, E6.
    """

    __slots__ = ("_function", "_parts")

    def __init__(self, function: TradeoffFunction) -> None:
        self._function, self._parts = function, _moments(function)

    @property
    def mu(self) -> Approximation:
        """Return mu of the limit: 2 sum kl / sqrt(sum kappa_2 - sum kl^2)."""
        return clt_mu(self._parts)

    @property
    def gap(self) -> Approximation:
        """Return the Berry-Esseen bound on the distance from G_mu in both errors."""
        return berry_esseen_gap(self._parts)

    @property
    def loss_mean(self) -> Approximation:
        """Return the mean of ln(Q/P) under Q, in nats.

        This is the Kullback-Leibler divergence of Q from P.
        """
        return loss_mean(self._parts)

    @property
    def loss_variance(self) -> Approximation:
        """Return the variance of ln(Q/P) under Q."""
        return loss_variance(self._parts)

    @overload
    def type_ii(self, type_i: Number) -> Approximation: ...

    @overload
    def type_ii(self, type_i: Numbers) -> Approximations: ...

    def type_ii(self, type_i: Number | Numbers) -> Approximation | Approximations:
        """Return the type II error at a type I error in [0, 1], in Su's form."""
        return _each(lambda at: clt_type_ii(self._parts, share(at, "type_i")), type_i)

    @overload
    def delta(self, epsilon: Number) -> Approximation: ...

    @overload
    def delta(self, epsilon: Numbers) -> Approximations: ...

    def delta(self, epsilon: Number | Numbers) -> Approximation | Approximations:
        """Return delta at an epsilon of 0 or more."""
        return _each(lambda at: clt_delta(self._parts, nonnegative(at, "epsilon")), epsilon)

    def __repr__(self) -> str:
        return f"CentralLimit({self._function!r})"


class Edgeworth(Value):
    """The Edgeworth accountant: one term beyond the Gaussian limit of a composition.

    Args:
        function: the composition; its factors are used one by one.

    Raises:
        ValueError: the privacy loss of a factor is infinite with positive probability.

    Source:
        Wang, Gao, Zhang, Su and Shen 2022; Su, Proposition 3.2, of first order.
    """

    __slots__ = ("_function", "_parts")

    def __init__(self, function: TradeoffFunction) -> None:
        self._function, self._parts = function, _moments(function)

    @overload
    def type_ii(self, type_i: Number) -> Approximation: ...

    @overload
    def type_ii(self, type_i: Numbers) -> Approximations: ...

    def type_ii(self, type_i: Number | Numbers) -> Approximation | Approximations:
        """Return the type II error at a type I error in [0, 1], in Su's form."""
        return _each(lambda at: edgeworth_type_ii(self._parts, float(share(at, "type_i"))), type_i)

    @overload
    def delta(self, epsilon: Number) -> Approximation: ...

    @overload
    def delta(self, epsilon: Numbers) -> Approximations: ...

    def delta(self, epsilon: Number | Numbers) -> Approximation | Approximations:
        """Return delta at an epsilon of 0 or more."""
        return _each(
            lambda at: edgeworth_delta(self._parts, float(nonnegative(at, "epsilon"))), epsilon
        )

    @overload
    def epsilon(self, delta: Number) -> Approximation: ...

    @overload
    def epsilon(self, delta: Numbers) -> Approximations: ...

    def epsilon(self, delta: Number | Numbers) -> Approximation | Approximations:
        """Return epsilon at a delta in (0, 1)."""
        return _each(lambda at: edgeworth_epsilon(self._parts, _positive_share(at)), delta)

    def __repr__(self) -> str:
        return f"Edgeworth({self._function!r})"


class DPSGD(Value):
    """Approximations of Poisson-sampled gradient descent; ``SubsampledGaussian`` has bounds.

    Args:
        noise_multiplier: the standard deviation over the largest contribution of one record; above
            0.
        sampling_rate: the probability in (0, 1] that a record is in a sample.
        steps: the number of samples, above 0; a fraction, such as 3515.625, is for limits only.

    Source:
        Dong, Roth and Su 2022; Bu, Dong, Long and Su 2020; Su, section 4.1.
    """

    __slots__ = ("_rate", "_sigma", "_steps")

    def __init__(self, noise_multiplier: Number, sampling_rate: Number, steps: Number) -> None:
        self._sigma = _positive(noise_multiplier, "noise_multiplier")
        self._rate = _positive_share(sampling_rate, "sampling_rate", below_one=False)
        self._steps = _positive(steps, "steps")

    @staticmethod
    def gradient_sensitivity_l2(clip: Number, batch: int, neighbors: Neighbors) -> Fraction:
        """Return the L2 sensitivity of the mean of clipped gradients, exactly.

        Args:
            clip: the largest L2 norm of a gradient, 0 or more.
            batch: the number of gradients that the sum is divided by, 1 or more.
            neighbors: ``replace_one`` for 2 clip / batch, ``add_remove`` for clip / batch. The
                sources leave open to which one a noise multiplier refers (docs/errata.md, E34).
        """
        _require_known(neighbors, get_args(Neighbors), "neighbors")
        return gradient_sensitivity_l2(nonnegative(clip, "clip"), whole(batch, "batch"), neighbors)

    def limit_mu(self, sampling: Sampling = "poisson") -> Approximation:
        """Return mu of the limit for many steps.

        Args:
            sampling: ``poisson``, or ``uniform`` for batches of a fixed size under replacement of
                a record. The two published versions of the limit differ (docs/errata.md, E34).
        """
        _require_known(sampling, get_args(Sampling), "sampling")
        return dp_sgd_clt_mu(self._rate, self._steps, self._sigma, sampling)

    @overload
    def limit_epsilon(self, delta: Number, sampling: Sampling = ...) -> Approximation: ...

    @overload
    def limit_epsilon(self, delta: Numbers, sampling: Sampling = ...) -> Approximations: ...

    def limit_epsilon(
        self, delta: Number | Numbers, sampling: Sampling = "poisson"
    ) -> Approximation | Approximations:
        """Return epsilon of the limit at a delta in (0, 1)."""
        _require_known(sampling, get_args(Sampling), "sampling")
        run = self._rate, self._steps, self._sigma
        return _each(lambda at: dp_sgd_clt_epsilon(*run, _exact_delta(at), sampling), delta)

    @overload
    def edgeworth_epsilon(self, delta: Number) -> Approximation: ...

    @overload
    def edgeworth_epsilon(self, delta: Numbers) -> Approximations: ...

    def edgeworth_epsilon(self, delta: Number | Numbers) -> Approximation | Approximations:
        """Return epsilon at a delta in (0, 1) by the Edgeworth accountant.

        It is that of the worse direction.
        """
        run = self._rate, self._whole_steps, self._sigma
        return _each(lambda at: dp_sgd_edgeworth_epsilon(*run, _positive_share(at)), delta)

    @overload
    def grid_epsilon(self, delta: Number, grid: float = ...) -> Approximation: ...

    @overload
    def grid_epsilon(self, delta: Numbers, grid: float = ...) -> Approximations: ...

    def grid_epsilon(
        self, delta: Number | Numbers, grid: float = 1e-4
    ) -> Approximation | Approximations:
        """Compute epsilon at a delta above about 1e-12 by a Fourier transform.

        It is that of the worse direction.

        Args:
            grid: the spacing of losses, in nats.
        """
        run = self._rate, self._whole_steps, self._sigma
        return _each(lambda at: dp_sgd_numeric_epsilon(*run, _positive_share(at), grid), delta)

    @property
    def _whole_steps(self) -> int:
        if not self._steps.is_integer():
            raise ValueError(f"steps: {self._steps} is not a whole number; give one")
        return int(self._steps)

    def __repr__(self) -> str:
        return f"DPSGD({self._sigma!r}, {self._rate!r}, {self._steps!r})"


class LastIterate(Value):
    """The privacy loss of the last iterate of noisy gradient descent on a strongly convex loss.

    Args:
        step_mu: the mu of one batch, L / (b sigma); above 0.
        batches: the batches of an epoch, 1 or more.
        contraction: the factor in (0, 1) by which a step brings two iterates together.

    Source:
        Su, section 4.2, Table 1: ``LastIterate("2/3", 40, "0.9999")`` at delta 1e-5. The
        parameters, and the form of the Renyi column, were fitted to it (docs/errata.md, E35).
    """

    __slots__ = ("_run",)

    def __init__(self, step_mu: Number, batches: int, contraction: Number) -> None:
        factor = _positive_share(contraction, "contraction")
        self._run = CyclicDescent(_positive(step_mu, "step_mu"), whole(batches, "batches"), factor)

    def mu(self, epochs: int) -> Approximation:
        """Return mu of the last iterate by f-DP; it stays bounded as epochs grow."""
        return last_iterate_mu(self._run, whole(epochs, "epochs"))

    def rho(self, epochs: int) -> Approximation:
        """Return rho of the last iterate by Renyi divergences; it stays bounded as epochs grow."""
        return last_iterate_rho(self._run, whole(epochs, "epochs"))

    def composition_mu(self, epochs: int) -> Approximation:
        """Return mu if all iterates are released; it grows without bound."""
        return composition_mu(self._run, whole(epochs, "epochs"))

    @overload
    def epsilon(self, epochs: int, delta: Number, accounting: Accounting) -> Approximation: ...

    @overload
    def epsilon(self, epochs: int, delta: Numbers, accounting: Accounting) -> Approximations: ...

    def epsilon(
        self, epochs: int, delta: Number | Numbers, accounting: Accounting
    ) -> Approximation | Approximations:
        """Return epsilon at a delta in (0, 1), by one of the three columns of Table 1."""
        _require_known(accounting, get_args(Accounting), "accounting")
        run = self._run, whole(epochs, "epochs")
        return _each(lambda at: last_iterate_epsilon(*run, _exact_delta(at), accounting), delta)

    def __repr__(self) -> str:
        run = self._run
        return f"LastIterate({run.step!r}, {run.batches!r}, {run.contraction!r})"


def _each(
    number_at: Callable[[Number], Approximation], values: Number | Numbers
) -> Approximation | Approximations:
    """Return the number at a value; of several values, a tuple, which does not compare either."""
    listed = plain(values)
    return tuple(map(number_at, listed)) if isinstance(listed, list) else number_at(listed)


def _moments(function: TradeoffFunction) -> list[tuple[LossMoments, int]]:
    require_function(function)
    return [(moments_of(part), times) for part, times in function._parts]


def _require_known(word: str, known: tuple[str, ...], name: str) -> None:
    if word not in known:
        raise ValueError(f"{name}: there is no {word}; known are {', '.join(known)}")


def _positive(value: Number, name: str) -> float:
    checked = number(value, name)
    if checked <= 0:
        raise ValueError(f"{name}: {value} is out of range; give a number above 0")
    return float(checked)


def _positive_share(value: Number, name: str = "delta", *, below_one: bool = True) -> float:
    return _positive(share(value, name, below_one=below_one), name)


def _exact_delta(value: Number) -> Fraction:
    _positive_share(value)
    return share(value, "delta")
