"""The pair of discrete Laplace noise and its shift by an integer: closed form and losses."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.frozen import dataclass
from semiaudit.model.loss import DiscreteLaplaceLoss
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy.loss.pairs.finite import MOST_TESTS, Test, TestedPair, symmetric_tests
from semiaudit.privacy.loss.pairs.pair_kind import (
    LARGEST_FITTED_VARIANCE,
    LARGEST_LOSS,
    Family,
    PairKind,
    is_listable,
)
from semiaudit.privacy.loss.sources.loss_source import (
    LISTED_INTEGERS,
    LOG_SLACK,
    MOST_INTEGERS,
    OMITTED_NATS,
    UNIT,
    Atoms,
    TooLong,
    cumulants_of,
    steps_of,
)
from semiaudit.privacy.measures.zcdp import rho_of_discrete_laplace

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


def discrete_laplace(pair: DiscreteLaplaceLoss) -> PairKind:
    """Define the kind: mass proportional to exp(-|k| / scale), shifted to either side."""
    shift, scale = abs(pair.shift), pair.scale

    def source(_side: int) -> Source:
        return DiscreteLaplaceSource(pair)

    return PairKind(
        symmetric=True,
        gaussian_size=(shift / scale) ** 2,
        listable=is_listable(scale**2),
        mu_fitted=scale**2 <= LARGEST_FITTED_VARIANCE,
        family=Family((DiscreteLaplaceLoss, scale), "shared"),
        size=Fraction(shift),
        rho=lambda: rho_of_discrete_laplace(shift, 1 / scale),
        simplified=DiscreteLaplaceLoss(shift, scale) if shift else None,
        moved_further=lambda k: DiscreteLaplaceLoss(k * pair.shift, scale),
        closed_form=lambda: _tested(shift, scale),
        source=source,
    )


def _tested(shift: int, scale: Fraction) -> TestedPair | None:
    """Return the pair by its tests, if there are few of them.

    Rejecting up to x = 0, ..., shift - 1 misses a^(x + 1) / (1 + a), with a = exp(-1 / scale). A
    false rejection has probability a^(shift - x) / (1 + a), which is the same at the mirrored x.
    """
    if shift > MOST_TESTS or shift / scale > LARGEST_LOSS:
        return None
    shrink = Interval.of(-1 / scale).exp().clip(0, 1)
    tails = [shrink / (ONE + shrink)]
    for _ in range(shift - 1):
        tails.append(tails[-1] * shrink)
    return symmetric_tests(
        [Test(ONE - tails[x], tails[shift - 1 - x], tails[x]) for x in range(shift)]
    )


_BLOCKS = 2000
"""Blocks of integers in the sums for cumulants, which are estimates."""


@dataclass(frozen=True, slots=True)
class DiscreteLaplaceSource:
    """At x the loss is (|x - shift| - |x|) / scale: constant outside [0, shift].

    With a = exp(-1 / scale) the losses (shift - 2 x) / scale, x = 0, ..., shift, have the masses
    1 / (1 + a) at x = 0, a^shift / (1 + a) at x = shift, and (1 - a) a^x / (1 + a) in between.
    """

    pair: DiscreteLaplaceLoss

    @property
    def offset(self) -> Fraction:
        """Return the largest loss."""
        return abs(self.pair.shift) / self.pair.scale

    @property
    def lattice_step(self) -> Fraction | None:
        """Return 2 / scale, the change of the loss from one integer to the next."""
        return 2 / self.pair.scale

    @property
    def anchor(self) -> Fraction | None:
        """Return the step of the lattice."""
        return self.lattice_step

    @property
    def infinite(self) -> Fraction:
        """Return 0: both distributions have mass on all integers."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """Return shift / scale."""
        return self.offset

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`. Many integers are merged into blocks, each with its mean loss."""

        import numpy as np

        shift, scale = abs(self.pair.shift), float(self.pair.scale)
        edges = np.unique(np.linspace(1, shift, min(shift - 1, _BLOCKS) + 1).round())
        first, last = edges[:-1], edges[1:]
        log_norm = -math.log1p(math.exp(-1 / scale))
        block = -first / scale + np.log(-np.expm1((first - last) / scale)) + log_norm
        losses = np.concatenate(([shift], shift + 1 - first - last, [-shift])) / scale
        log_mass = np.concatenate(([log_norm], block, [log_norm - shift / scale]))
        return cumulants_of(losses, log_mass, tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""

        import numpy as np

        shift, scale = abs(self.pair.shift), float(self.pair.scale)
        count = min(shift, math.ceil(OMITTED_NATS * scale / (1 + 2 * tilt)) + 1)
        ratio = steps_of(2 / scale, step)
        if count > LISTED_INTEGERS and ratio < 0.5:
            return self._blocks(step, count, tilt)
        if count > MOST_INTEGERS:
            raise TooLong(count)
        x = np.arange(0, count + 1, dtype=np.float64)
        log_mass = -x / scale - math.log1p(math.exp(-1 / scale))
        inside = math.log(-math.expm1(-1 / scale))
        log_mass[1:] += inside
        log_omitted = -math.inf
        if count == shift:
            log_mass[-1] -= inside
        else:
            # exp(tilt (loss - offset)) decreases too, so the omitted P-mass bounds the integral.
            log_omitted = -(count + 1) * (1 + 2 * tilt) / scale + LOG_SLACK
        return Atoms(
            -x * ratio,
            log_mass,
            UNIT * (32 + 8 * np.abs(log_mass)),
            log_omitted=log_omitted,
        )

    def _blocks(self, step: float, atoms: int, tilt: float) -> Atoms:
        """Merge integers within one cell of the grid.

        The integers from x to y - 1 have the mass (a^x - a^y) / (1 + a) under P and, mirrored,
        under Q; so the loss of the block is (shift - x - y + 1) / scale, exactly.
        """

        import numpy as np

        shift, scale = abs(self.pair.shift), float(self.pair.scale)
        width = step * scale / 2
        count = math.ceil(atoms / width)
        if count > MOST_INTEGERS:
            raise TooLong(count)
        # A cell holds the x with -j - 1 <= -2 x / (scale step) <= -j, from below.
        edges = np.unique(np.floor(np.arange(0, count + 1, dtype=np.float64) * width)) + 1
        edges = np.append(edges[edges < atoms], atoms)
        first, last = edges[:-1], edges[1:]
        log_norm = -math.log1p(math.exp(-1 / scale))
        body = -first / scale + np.log(-np.expm1((first - last) / scale)) + log_norm
        losses = np.concatenate(([0.0], (1 - first - last) / scale))
        log_mass = np.concatenate(([log_norm], body))
        if atoms == shift:
            losses = np.append(losses, -2 * shift / scale)
            log_mass = np.append(log_mass, log_norm - shift / scale)
        return Atoms(
            losses / step,
            log_mass,
            UNIT * (32 + 8 * float(np.abs(log_mass).max())),
            16 * UNIT * atoms / scale,
            -math.inf if atoms == shift else -atoms * (1 + 2 * tilt) / scale + LOG_SLACK,
        )
