"""Slow, high-precision truth about products of privacy losses, for `semiaudit.model.loss`.

Everything follows the definitions at 70 digits and shares nothing with `semiaudit.privacy`.

How it works
------------
A product of pairs is split. Its discrete parts are enumerated outcome by outcome and convolved:
an outcome is known by its loss ``ln p/q = r + ln w`` with ``r`` and ``w`` exact rationals, so that
equal losses merge and different ones never do. Its continuous parts are reduced to a function
that gives, for a threshold t, the masses ``P(L > t)`` and ``Q(L > t)`` of the loss ``L``: all
Gaussians together in closed form, all Laplaces together in closed form (both ends of a Laplace
are atoms, and between them its loss has a density, so a product is a mixture of shifted
convolutions of boxes times an exponential), a subsampled Gaussian in closed form; where two such
kinds meet, Gauss-Legendre quadrature over one of them, with the difference of two orders as its
error. Three kinds, or three subsampled Gaussians, are refused.

Then ``delta(epsilon) = P(L > epsilon) - e^epsilon Q(L > epsilon)`` (Su, section 3.3; the
Neyman-Pearson lemma), and the type II error follows from the Neyman-Pearson test.

Every answer is an :class:`Enclosure`: what was truncated, the quadrature's error and a generous
share for rounding are inside it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise, product
from math import lcm, perm, prod
from typing import Any, Protocol, TypeAlias

import mpmath
from flint import arb, ctx

from semiaudit.model.loss import (
    ApproxLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    SubsampledGaussianLoss,
)
from tests.oracles import balls

mp: Any = mpmath.mp

Mpf: TypeAlias = Any
"""An mpmath real; mpmath ships no types."""
Number: TypeAlias = Any
"""int, float (its exact binary value), Fraction or mpf."""
Key: TypeAlias = tuple[Fraction, Fraction]
"""(r, w): the loss r + ln w of an outcome."""

DIGITS = 70
_QUADRATURE_DIGITS = 45
_TRUNCATED = 55  # an infinite support is cut where less than 10^-55 remains
_ROUNDING = mp.mpf(10) ** -50  # relative to the masses that are subtracted, which have 20 to spare


class Unsupported(Exception):
    """The product is none that this oracle knows how to evaluate."""


@dataclass(frozen=True)
class Enclosure:
    """A true value lies in [low, high]."""

    low: Mpf
    high: Mpf

    @property
    def value(self) -> Mpf:
        """The middle."""
        return (self.low + self.high) / 2

    @property
    def error(self) -> Mpf:
        """Half the width."""
        return (self.high - self.low) / 2


def exactly(x: Number) -> Mpf:
    """The number at the precision in force."""
    if isinstance(x, Fraction):
        return mp.mpf(x.numerator) / mp.mpf(x.denominator)
    return mp.mpf(x)


# ---------------------------------------------------------------------------------------------
# Discrete pairs, outcome by outcome
# ---------------------------------------------------------------------------------------------


@dataclass
class Atoms:
    """A discrete pair (P, Q).

    ``common`` holds the outcomes that both can give, merged by their loss, with their masses;
    ``only_p`` is P's mass where Q has none, ``only_q`` the reverse; ``missing`` is above the mass
    that either distribution has outside all of them.
    """

    common: dict[Key, tuple[Mpf, Mpf]]
    only_p: Mpf
    only_q: Mpf
    missing: Mpf


NOTHING: Key = (Fraction(0), Fraction(1))


def no_loss() -> Atoms:
    """One outcome."""
    return Atoms({NOTHING: (mp.mpf(1), mp.mpf(1))}, mp.mpf(0), mp.mpf(0), mp.mpf(0))


def _add(common: dict[Key, tuple[Mpf, Mpf]], key: Key, p: Mpf, q: Mpf) -> None:
    if p or q:
        old_p, old_q = common.get(key, (0, 0))
        common[key] = (old_p + p, old_q + q)


def convolve(one: Atoms, other: Atoms) -> Atoms:
    """The product of two discrete pairs: every outcome of one with every outcome of the other."""
    # Sums of r as integers over one denominator: exact as Fractions, and many times faster.
    unit = lcm(*(r.denominator for r, _ in (*one.common, *other.common)))
    common: dict[Key, tuple[Mpf, Mpf]] = {}
    with ctx.workprec(mp.prec + balls.GUARD):
        rows = _by_ratio(other, unit)
        merged: dict[Fraction, tuple[dict[int, arb], dict[int, arb]]] = {}
        for w, row in _by_ratio(one, unit).items():
            for w2, row2 in rows.items():
                both = w2 if w == 1 else w if w2 == 1 else w * w2
                firsts, seconds = merged.setdefault(both, ({}, {}))
                for (r, p, q), (r2, p2, q2) in product(row, row2):
                    r += r2
                    p, q = p * p2, q * q2
                    firsts[r] = firsts[r] + p if r in firsts else p
                    seconds[r] = seconds[r] + q if r in seconds else q
        for w, (firsts, seconds) in merged.items():
            for r, p in firsts.items():
                common[Fraction(r, unit), w] = balls.middle(p), balls.middle(seconds[r])
    return Atoms(
        common,
        one.only_p + (1 - one.only_p) * other.only_p,
        one.only_q + (1 - one.only_q) * other.only_q,
        one.missing + other.missing,
    )


def _by_ratio(atoms: Atoms, unit: int) -> dict[Fraction, list[tuple[int, arb, arb]]]:
    """The outcomes with each w: r in parts of a unit, and both masses."""
    rows: dict[Fraction, list[tuple[int, arb, arb]]] = {}
    for (r, w), (p, q) in atoms.common.items():
        rows.setdefault(w, []).append((int(r * unit), arb(p), arb(q)))
    return rows


def repeated(one: Atoms, times: int) -> Atoms:
    """The product of a discrete pair with itself, by squares."""
    if times == 1:
        return one
    half = repeated(one, times // 2)
    square = convolve(half, half)
    return convolve(square, one) if times % 2 else square


def atoms_of_finite(loss: FiniteLoss) -> Atoms:
    """The outcomes as they are listed."""
    common: dict[Key, tuple[Mpf, Mpf]] = {}
    only_p, only_q = Fraction(0), Fraction(0)
    for p, q in zip(loss.first, loss.second, strict=True):
        if p and q:
            _add(common, (Fraction(0), p / q), exactly(p), exactly(q))
        else:
            only_p, only_q = only_p + p, only_q + q
    return Atoms(common, exactly(only_p), exactly(only_q), mp.mpf(0))


def atoms_of_randomized_response(loss: RandomizedResponseLoss) -> Atoms:
    """The true value, the other true value, and the rest, which tells nothing."""
    e = mp.exp(exactly(loss.epsilon))
    share = 1 / (e + loss.levels - 1)
    common: dict[Key, tuple[Mpf, Mpf]] = {}
    _add(common, (loss.epsilon, Fraction(1)), e * share, share)
    _add(common, (-loss.epsilon, Fraction(1)), share, e * share)
    rest = (loss.levels - 2) * share
    _add(common, NOTHING, rest, rest)
    return Atoms(common, mp.mpf(0), mp.mpf(0), mp.mpf(0))


def atoms_of_approx(loss: ApproxLoss) -> Atoms:
    """With probability delta everything is told, else binary randomized response."""
    inner = atoms_of_randomized_response(RandomizedResponseLoss(loss.epsilon))
    delta = exactly(loss.delta)
    common: dict[Key, tuple[Mpf, Mpf]] = {}
    for key, (p, q) in inner.common.items():
        _add(common, key, (1 - delta) * p, (1 - delta) * q)
    return Atoms(common, delta, delta, mp.mpf(0))


def atoms_of_noise(
    weight: Callable[[int], Mpf], loss_at: Callable[[int], Fraction], shift: int, reach: int
) -> Atoms:
    """Integer noise against itself moved, outcomes -reach .. reach + |shift|; the rest is cut.

    Args:
        weight: of an integer, symmetric and decreasing; not normalised.
        loss_at: the exact loss at an integer.
        shift: how far the noise is moved.
        reach: beyond it the ratio of neighbouring weights is bounded by that at ``reach``.
    """
    # Beyond the reach the weights fall faster than geometrically with the ratio there.
    ratio = weight(reach + 1) / weight(reach)
    beyond = 2 * weight(reach + 1) / (1 - ratio)
    total = mp.fsum(weight(k) for k in range(-reach, reach + 1))
    common: dict[Key, tuple[Mpf, Mpf]] = {}
    for k in range(-reach + min(0, shift), reach + max(0, shift) + 1):
        _add(common, (loss_at(k), Fraction(1)), weight(k) / total, weight(k - shift) / total)
    # The normaliser is too small by less than `beyond`, which changes a mass by as much at most.
    return Atoms(common, mp.mpf(0), mp.mpf(0), 2 * beyond / total)


def atoms_of_discrete_gaussian(loss: DiscreteGaussianLoss) -> Atoms:
    """Mass exp(-k^2 / 2 sigma^2), summed over the integers that matter."""
    s2 = exactly(loss.sigma_squared)
    reach = int(mp.ceil(mp.sqrt(2 * s2 * (_TRUNCATED + 3) * mp.log(10)))) + 2
    d = loss.shift
    return atoms_of_noise(
        cache(lambda k: mp.exp(-mp.mpf(k * k) / (2 * s2))),
        lambda k: Fraction(d * d - 2 * k * d) / (2 * loss.sigma_squared),
        d,
        reach,
    )


def atoms_of_discrete_laplace(loss: DiscreteLaplaceLoss) -> Atoms:
    """Mass exp(-|k| / scale), summed over the integers that matter."""
    scale = exactly(loss.scale)
    reach = int(mp.ceil((_TRUNCATED + 3) * mp.log(10) * scale + scale * mp.log(2 + 2 * scale))) + 2
    d = loss.shift
    return atoms_of_noise(
        cache(lambda k: mp.exp(-mp.mpf(abs(k)) / scale)),
        lambda k: Fraction(abs(k - d) - abs(k)) / loss.scale,
        d,
        reach,
    )


# ---------------------------------------------------------------------------------------------
# Continuous pairs
# ---------------------------------------------------------------------------------------------

Tails: TypeAlias = tuple[Mpf, Mpf, Mpf]
"""P(L > t), Q(L > t), and the quadrature's error relative to each."""


class Continuous(Protocol):
    """An ordered pair (P, Q) with loss L = ln dP/dQ."""

    def tails(self, t: Mpf) -> Tails:
        """The masses of L > t."""

    def mean_tails(self, inner: Continuous, t: Mpf) -> Tails:
        """The masses of L + L' > t, where L' is the loss of ``inner``, independent of this."""

    def reversed(self) -> Continuous:
        """The pair (Q, P)."""

    @property
    def spread(self) -> Mpf:
        """How far the loss spreads, roughly: the narrower part is integrated over."""


def _quadrature(
    integrand: Callable[[Mpf], tuple[Mpf, Mpf]], points: Sequence[Mpf]
) -> tuple[Mpf, Mpf, Mpf]:
    """Two integrals over consecutive panels by Gauss-Legendre; error from two orders."""
    coarse, fine = [mp.mpf(0)] * 2, [mp.mpf(0)] * 2
    for a, b in pairwise(points):
        half, middle = (b - a) / 2, (a + b) / 2
        for nodes, sums in ((_legendre(12), coarse), (_legendre(18), fine)):
            for x, weight in nodes:
                first, second = integrand(middle + half * x)
                sums[0] += half * weight * first
                sums[1] += half * weight * second
    error = max(
        (abs(c - f) / f if f else abs(c) for c, f in zip(coarse, fine, strict=True)),
        default=mp.mpf(0),
    )
    return fine[0], fine[1], 4 * error


@cache
def _legendre(n: int) -> list[tuple[Mpf, Mpf]]:
    """Nodes and weights of Gauss-Legendre on [-1, 1], by Newton's method."""
    found = []
    with mp.workdps(DIGITS + 10):
        for i in range(n):
            x = mp.cos(mp.pi * (i + mp.mpf(3) / 4) / (n + mp.mpf(1) / 2))
            for _ in range(12):
                before, value = mp.mpf(1), x
                for k in range(2, n + 1):
                    before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
                slope = n * (x * value - before) / (x * x - 1)
                x -= value / slope
            found.append((x, 2 / ((1 - x * x) * slope * slope)))
    return found


@dataclass(frozen=True)
class Gaussians:
    """All Gaussian parts: N(0, 1) against N(mu, 1), mu^2 the sum of their mu^2."""

    mu: Mpf

    def tails(self, t: Mpf) -> Tails:
        """L is N(mu^2/2, mu^2) under P and N(-mu^2/2, mu^2) under Q."""
        half = self.mu / 2
        return balls.ncdf(half - t / self.mu), balls.ncdf(-half - t / self.mu), mp.mpf(0)

    def mean_tails(self, inner: Continuous, t: Mpf) -> Tails:
        """Quadrature over L, from where it has no mass to where it has none."""
        mu = self.mu
        with mp.workdps(_QUADRATURE_DIGITS):

            def integrand(z: Mpf) -> tuple[Mpf, Mpf]:
                # z is the outcome; L = mu^2/2 - mu z under N(0, 1) against N(mu, 1)
                first, second, _ = inner.tails(t - (mu * mu / 2 - mu * z))
                return balls.npdf(z) * first, balls.npdf(z - mu) * second

            return _quadrature(integrand, _panels(mp.mpf(0), mu, inner, t, self._outcome))

    def _outcome(self, loss: Mpf) -> Mpf:
        return self.mu / 2 - loss / self.mu

    def reversed(self) -> Continuous:
        """The same."""
        return self

    @property
    def spread(self) -> Mpf:
        """The standard deviation of the loss."""
        return self.mu


def _panels(
    low: Mpf, high: Mpf, inner: Continuous, t: Mpf, outcome: Callable[[Mpf], Mpf | None]
) -> list[Mpf]:
    """Panels of width 1/2 about [low, high], split where the inner loss has a corner or an end."""
    start, stop = mp.floor(low) - 15, mp.ceil(high) + 15
    points = {start + mp.mpf(i) / 2 for i in range(int(2 * (stop - start)) + 1)}
    # Near the end of a subsampled loss its masses vary with the logarithm of the distance.
    depths = range(1, 30) if isinstance(inner, Subsampled) else ()
    for kink in kinks(inner):
        place = outcome(t - kink)
        if place is not None and start < place < stop:
            near = [place, *(place + sign * mp.mpf(2) ** -d for d in depths for sign in (1, -1))]
            points.update(x for x in near if start < x < stop)
    return sorted(points)


def kinks(part: Continuous) -> list[Mpf]:
    """Losses at which the masses of L > t are not smooth in t."""
    if isinstance(part, Laplaces):
        ends = product(*((s, -s) for s in part.shifts))
        return sorted({sum(signs, mp.mpf(0)) for signs in ends})
    if isinstance(part, Subsampled):
        end = mp.log(1 - part.rate)
        return [-end if part.forward else end]
    return []


@dataclass(frozen=True)
class Laplaces:
    """All Laplace parts together, each moved by its shift > 0 in units of its scale.

    At outcomes x < 0 the loss of one part is s, at x > s it is -s, each with mass 1/2 under one
    distribution and e^-s / 2 under the other. Between them it is s - 2x, with P-density
    e^(-(s - l)/2) / 4 in l. Among the parts that fall between, the product of the densities
    depends on the sum of the losses alone: e^((l - S)/2) / 4^m times the convolution of m boxes.
    """

    shifts: tuple[Mpf, ...]

    @cached_property
    def mixture(self) -> list[tuple[Mpf, Mpf, Mpf, tuple[Mpf, ...]]]:
        """(P-mass, Q-mass, loss, boxes) of every way in which the parts fall."""
        terms = []
        for falls in product("+-0", repeat=len(self.shifts)):
            p, q, loss = mp.mpf(1), mp.mpf(1), mp.mpf(0)
            boxes = []
            for fall, s in zip(falls, self.shifts, strict=True):
                if fall == "+":
                    p, q, loss = p / 2, q * mp.exp(-s) / 2, loss + s
                elif fall == "-":
                    p, q, loss = p * mp.exp(-s) / 2, q / 2, loss - s
                else:
                    boxes.append(s)
            terms.append((p, q, loss, tuple(boxes)))
        return terms

    def tails(self, t: Mpf) -> Tails:
        """Sum over the mixture, each in closed form."""
        first, second = mp.mpf(0), mp.mpf(0)
        for p, q, loss, boxes in self.mixture:
            if boxes:
                above_p, above_q = box_tails(boxes, t - loss)
                first, second = first + p * above_p, second + q * above_q
            elif loss > t:
                first, second = first + p, second + q
        return first, second, mp.mpf(0)

    def mean_tails(self, inner: Continuous, t: Mpf) -> Tails:
        """Its atoms and corners make it a part to integrate over nothing."""
        raise Unsupported("quadrature over a Laplace loss")

    @property
    def spread(self) -> Mpf:
        """Never the outer part of a quadrature."""
        return mp.inf

    def reversed(self) -> Continuous:
        """The same: mirrored about half the shift, P and Q change places."""
        return self


def box_tails(boxes: tuple[Mpf, ...], t: Mpf) -> tuple[Mpf, Mpf]:
    """The integrals over l > t of e^((l - S)/2) B(l) / 4^m and e^((-l - S)/2) B(l) / 4^m.

    B is the convolution of the indicators of (-s_i, s_i): the sum over signs of their product
    times (l + sum of sign_i s_i)_+^(m-1) / (m-1)!.
    """
    m, end = len(boxes), sum(boxes, mp.mpf(0))
    first, second = mp.mpf(0), mp.mpf(0)
    if t >= end:
        return first, second
    for corner, rate, factor, at_end in _pieces(boxes, mp.prec):
        start = max(t, corner)
        value = factor * (at_end - _antiderivative(m - 1, rate, start - corner))
        first, second = (first + value, second) if rate > 0 else (first, second + value)
    scale = mp.factorial(m - 1) * mp.mpf(4) ** m
    return first / scale, second / scale


@cache
def _pieces(boxes: tuple[Mpf, ...], _precision: int) -> list[tuple[Mpf, int, Mpf, Mpf]]:
    """Of every choice of signs and both rates, in halves: what ``box_tails`` needs and t is not in.

    The corner, the rate, the factor of the integral, and the antiderivative at the end.
    """
    m, end = len(boxes), sum(boxes, mp.mpf(0))
    pieces = []
    for signs in product((1, -1), repeat=m):
        corner = -sum(sign * s for sign, s in zip(signs, boxes, strict=True))
        for rate in (1, -1):
            factor = prod(signs) * mp.exp((rate * corner - end) / 2)
            pieces.append((corner, rate, factor, _antiderivative(m - 1, rate, end - corner)))
    return pieces


def _antiderivative(n: int, rate: int, x: Mpf) -> Mpf:
    """Of x^n e^(k x), k = rate / 2: e^(kx) sum over j of (-1)^j n!/(n-j)! x^(n-j) / k^(j+1)."""
    total = mp.mpf(0)
    for j in range(n + 1):
        total = total * x + (-1) ** j * perm(n, j) * (2 * rate) ** (j + 1)
    return mp.exp(rate * x / 2) * total


@dataclass(frozen=True)
class Subsampled:
    """N(0, sigma^2) and (1 - rate) N(0, sigma^2) + rate N(1, sigma^2), 0 < rate < 1.

    The ratio mixture / noise at x is 1 - rate + rate e^((2x - 1) / 2 sigma^2), which increases.
    ``forward`` is the pair (noise, mixture), whose loss is minus the logarithm of the ratio.
    """

    sigma: Mpf
    rate: Mpf
    forward: bool

    def place(self, log_ratio: Mpf) -> Mpf | None:
        """The x at which ln(mixture / noise) has the value, None if it is above it everywhere."""
        rest = mp.exp(log_ratio) - (1 - self.rate)
        if rest <= 0:
            return None
        return self.sigma**2 * mp.log(rest / self.rate) + mp.mpf(1) / 2

    def tails(self, t: Mpf) -> Tails:
        """Of the forward pair below a place, of the reversed one above it."""
        x = self.place(-t if self.forward else t)
        zero, one = mp.mpf(0), mp.mpf(1)
        if x is None:
            return (zero, zero, zero) if self.forward else (one, one, zero)
        side = 1 if self.forward else -1
        noise = balls.ncdf(side * x / self.sigma)
        moved = balls.ncdf(side * (x - 1) / self.sigma)
        mixture = (1 - self.rate) * noise + self.rate * moved
        return (noise, mixture, zero) if self.forward else (mixture, noise, zero)

    def mean_tails(self, inner: Continuous, t: Mpf) -> Tails:
        """Quadrature over the outcome, in units of sigma."""
        with mp.workdps(_QUADRATURE_DIGITS):
            moved = 1 / self.sigma

            def integrand(z: Mpf) -> tuple[Mpf, Mpf]:
                tilt = mp.exp((2 * z * self.sigma - 1) / (2 * self.sigma**2))
                log_ratio = mp.log(1 - self.rate + self.rate * tilt)
                first, second, _ = inner.tails(t + (log_ratio if self.forward else -log_ratio))
                noise = balls.npdf(z)
                mixture = (1 - self.rate) * noise + self.rate * balls.npdf(z - moved)
                p, q = (noise, mixture) if self.forward else (mixture, noise)
                return p * first, q * second

            return _quadrature(integrand, _panels(mp.mpf(0), moved, inner, t, self._outcome))

    def _outcome(self, loss: Mpf) -> Mpf | None:
        x = self.place(-loss if self.forward else loss)
        return None if x is None else x / self.sigma

    def reversed(self) -> Continuous:
        """The other order."""
        return Subsampled(self.sigma, self.rate, not self.forward)

    @property
    def spread(self) -> Mpf:
        """The standard deviation of the ratio of the densities, capped by that of the logarithm."""
        return min(self.rate * mp.sqrt(mp.expm1(self.sigma**-2)), 1 / self.sigma)


@dataclass(frozen=True)
class Joined:
    """Two independent continuous parts: quadrature over the first."""

    outer: Continuous
    inner: Continuous

    def tails(self, t: Mpf) -> Tails:
        """The masses of the sum of both losses above t."""
        return self.outer.mean_tails(self.inner, t)

    def mean_tails(self, inner: Continuous, t: Mpf) -> Tails:
        """Two quadratures inside each other would be too slow."""
        raise Unsupported("three continuous kinds")

    def reversed(self) -> Continuous:
        """Both reversed."""
        return Joined(self.outer.reversed(), self.inner.reversed())

    @property
    def spread(self) -> Mpf:
        """Of both."""
        return self.outer.spread + self.inner.spread


# ---------------------------------------------------------------------------------------------
# Products, in one order
# ---------------------------------------------------------------------------------------------


class Ordered:
    """A product of pairs as one ordered pair (P, Q): discrete outcomes times a continuous part."""

    def __init__(
        self,
        points: Sequence[tuple[Mpf, Mpf, Mpf]],
        surplus: tuple[Mpf, Mpf],
        missing: Mpf,
        continuous: Continuous | None,
    ) -> None:
        """From (loss, P-mass, Q-mass) of the outcomes and the masses that the other has not."""
        self.points, (self.surplus, self.lost) = sorted(points), surplus
        self.missing, self.continuous = missing, continuous
        self.losses = [loss for loss, _, _ in self.points]
        # first[i], second[i]: the masses of the outcomes from the i-th on, smallest first
        self.first, self.second = [mp.mpf(0)], [mp.mpf(0)]
        for _, p, q in reversed(self.points):
            self.first.append(self.first[-1] + p)
            self.second.append(self.second[-1] + q)
        self.first.reverse()
        self.second.reverse()

    def reversed(self) -> Ordered:
        """The pair (Q, P)."""
        return Ordered(
            [(-loss, q, p) for loss, p, q in self.points],
            (self.lost, self.surplus),
            self.missing,
            self.continuous.reversed() if self.continuous else None,
        )

    def tails(self, t: Mpf) -> Tails:
        """P(L > t), Q(L > t) without the surplus, where L is infinite."""
        if self.continuous is None:
            i = bisect_right(self.losses, t)
            return self.first[i], self.second[i], mp.mpf(0)
        first, second, error = mp.mpf(0), mp.mpf(0), mp.mpf(0)
        for loss, p, q in self.points:
            above_p, above_q, wrong = self.continuous.tails(t - loss)
            first, second, error = first + p * above_p, second + q * above_q, max(error, wrong)
        return first, second, error

    def delta(self, epsilon: Mpf) -> Enclosure:
        """sup over events of P - e^epsilon Q, for any real epsilon or infinity."""
        if epsilon == mp.inf:
            return Enclosure(self.surplus, self.surplus + self.missing)
        return self.delta_of(epsilon, self.tails(epsilon))

    def delta_of(self, epsilon: Mpf, tails: Tails) -> Enclosure:
        """The same, given the tails there."""
        first, second, error = tails
        second *= mp.exp(epsilon)
        value = self.surplus + max(first - second, mp.mpf(0))
        wrong = (error + _ROUNDING) * (first + second)
        # The surplus is rounded as well: a disclosed 1e-10 has no finite binary form.
        lowest = self.surplus * (1 - _ROUNDING)
        wrong += self.surplus - lowest
        return Enclosure(max(value - wrong, lowest), value + wrong + self.missing)

    def power(self, type_i: Mpf) -> Enclosure:
        """The greatest P-mass of a test whose Q-mass is ``type_i`` (Neyman-Pearson).

        Without a continuous part the outcomes are rejected from the greatest loss down.
        """
        if self.continuous is not None:
            return power_by_duality([self], type_i)
        i = next(
            (i for i in range(len(self.losses) + 1) if self.second[i] <= type_i), len(self.losses)
        )
        value = self.surplus + self.first[i]
        if i > 0:
            value += (type_i - self.second[i]) * mp.exp(self.losses[i - 1])
        wrong = _ROUNDING
        return Enclosure(value - wrong, min(mp.mpf(1), value + wrong + self.missing))


def power_by_duality(orders: Sequence[Ordered], type_i: Mpf) -> Enclosure:
    """The least of delta(t) + e^t type_i over t, delta the greatest among the orders.

    With one order it is the greatest P-mass at that Q-mass; with both it is one minus the largest
    convex function below both tradeoff functions. In s = e^t it is convex, with a derivative of
    type_i - Q(L > t) in the order that has the greatest delta: halves and secants in turn find the
    least value, whatever the points, and tangents bound it from below.
    """
    missing = max(order.missing for order in orders)
    if type_i == 0:
        surplus = max(order.surplus for order in orders)
        return Enclosure(surplus, surplus + missing)
    low, high = mp.mpf(-1), mp.mpf(1)
    while (below := min(order.tails(low)[1] for order in orders)) < type_i and low > -3000:
        low *= 2
    while (beyond := max(order.tails(high)[1] for order in orders)) > type_i and high < 3000:
        high *= 2
    best, least = mp.mpf(1), mp.mpf(0)
    for step in range(200):
        middle = (low + high) / 2
        if step % 2 and below > beyond:  # where a line through both ends crosses type_i
            share = (below - type_i) / (below - beyond)
            middle = low + (high - low) * min(max(share, 1e-3), 0.999)
        tails = [order.tails(middle) for order in orders]
        bounds = [order.delta_of(middle, one) for order, one in zip(orders, tails, strict=True)]
        at = max(range(len(orders)), key=lambda at: bounds[at].value)
        _, above, error = tails[at]
        best = min(best, max(one.high for one in bounds) + mp.exp(middle) * type_i)
        # convex in s: a tangent's value at the far end of the bracket bounds it from below
        reach = mp.exp(low if above < type_i else high) - mp.exp(middle)
        at_far = bounds[at].low + mp.exp(middle) * type_i + (type_i - above) * reach
        wrong = (missing + (error + _ROUNDING) * above) * (1 + abs(reach))
        least = max(least, at_far - wrong)
        if above < type_i:
            high, beyond = middle, above
        else:
            low, below = middle, above
        if best - least <= 1e-15 * min(best, 1 - best + 1e-25):
            break
    return Enclosure(least, best)


class Truth:
    """What is true of a product of pairs, the worse of its two orders."""

    def __init__(self, loss: PrivacyLoss) -> None:
        self.loss = loss
        with mp.workdps(DIGITS):
            atoms, continuous = _split(loss)
            points = [
                (exactly(r) + mp.log(exactly(w)), p, q) for (r, w), (p, q) in atoms.common.items()
            ]
            surplus = (atoms.only_p, atoms.only_q)
            forward = Ordered(points, surplus, atoms.missing, continuous)
            self.orders = (forward, forward.reversed())

    @property
    def size(self) -> int:
        """How many discrete outcomes there are, merged by their loss."""
        return len(self.orders[0].points)

    def delta(self, epsilon: Number) -> Enclosure:
        """The smallest delta at which (epsilon, delta) holds in both orders; epsilon may be inf."""
        with mp.workdps(DIGITS):
            return _greatest([order.delta(exactly(epsilon)) for order in self.orders])

    def epsilon(self, delta: Number) -> Enclosure:
        """The smallest epsilon >= 0 at which (epsilon, delta) holds; an end may be infinite."""
        with mp.workdps(DIGITS):
            target, at = exactly(delta), cache(self.delta)
            return Enclosure(
                _crossing(lambda e: at(e).low - target), _crossing(lambda e: at(e).high - target)
            )

    def type_ii(self, type_i: Number) -> Enclosure:
        """The smallest type II error in either order at a type I error of at most ``type_i``."""
        with mp.workdps(DIGITS):
            # The test of Q against P rejects where ln dQ/dP is large: P is the reversed order's Q.
            power = _greatest([order.power(exactly(type_i)) for order in self.orders])
            return Enclosure(max(1 - power.high, mp.mpf(0)), 1 - power.low)

    def symmetrised_type_ii(self, type_i: Number) -> Enclosure:
        """At ``type_i``, the largest convex function below both orders' tradeoff functions."""
        with mp.workdps(DIGITS):
            power = power_by_duality(self.orders, exactly(type_i))
            return Enclosure(max(1 - power.high, mp.mpf(0)), 1 - power.low)

    def advantage(self) -> Enclosure:
        """The total variation distance."""
        return self.delta(0)


def _greatest(found: Sequence[Enclosure]) -> Enclosure:
    return Enclosure(max(one.low for one in found), max(one.high for one in found))


def _crossing(excess: Callable[[Mpf], Mpf]) -> Mpf:
    """Where a function that never rises ceases to be positive, to 1e-40.

    Halves and secants in turn. An end that a secant leaves in place twice counts half (Illinois).
    """
    low, high = mp.mpf(0), mp.mpf(1)
    if (at_low := excess(low)) <= 0:
        return low
    if excess(mp.inf) > 0:
        return mp.inf
    while (at_high := excess(high)) > 0:
        low, at_low, high = high, at_high, 2 * high
        if high > mp.mpf(10) ** 30:
            return mp.inf
    close, step, moved = mp.mpf(10) ** -40, 0, 0
    while high - low > close * high:
        step += 1
        middle = (low + high) / 2
        if step % 2:
            secant = low + (high - low) * at_low / (at_low - at_high)
            middle = min(max(secant, low + close * high / 4), high - close * high / 4)
        at = excess(middle)
        side = 1 if at > 0 else -1
        if at > 0:
            low, at_low = middle, at
            at_high = at_high / 2 if step % 2 and moved == side else at_high
        else:
            high, at_high = middle, at
            at_low = at_low / 2 if step % 2 and moved == side else at_low
        moved = side
    return high


def _split(loss: PrivacyLoss) -> tuple[Atoms, Continuous | None]:
    atoms, mu_squared = no_loss(), Fraction(0)
    shifts: list[Mpf] = []
    parts: list[Continuous] = []
    for part, repeat in loss.parts:
        if isinstance(part, GaussianLoss):
            mu_squared += part.mu_squared * repeat
        elif isinstance(part, LaplaceLoss):
            shifts += [exactly(abs(part.shift))] * (repeat if part.shift else 0)
        elif isinstance(part, SubsampledGaussianLoss):
            if part.rate == 1:
                mu_squared += repeat / part.sigma_squared
            elif part.rate > 0:
                sigma = mp.sqrt(exactly(part.sigma_squared))
                parts += [Subsampled(sigma, exactly(part.rate), forward=True)] * repeat
        else:
            atoms = convolve(atoms, repeated(_atoms(part), repeat))
    if mu_squared:
        parts.append(Gaussians(mp.sqrt(exactly(mu_squared))))
    if shifts:
        parts.append(Laplaces(tuple(shifts)))
    if len(parts) > 2:
        raise Unsupported("three continuous kinds")
    if len(parts) == 2:
        outer, inner = sorted(parts, key=lambda part: part.spread)
        # The outer part is cut 15 standard deviations out, beyond which P has less than 1e-49;
        # an outcome adds between nothing and its P-mass to delta.
        atoms.missing += mp.mpf(10) ** -49
        return atoms, Joined(outer, inner)
    return atoms, parts[0] if parts else None


def _atoms(part: Loss) -> Atoms:
    if isinstance(part, FiniteLoss):
        return atoms_of_finite(part)
    if isinstance(part, RandomizedResponseLoss):
        return atoms_of_randomized_response(part)
    if isinstance(part, ApproxLoss):
        return atoms_of_approx(part)
    if isinstance(part, DiscreteGaussianLoss):
        return atoms_of_discrete_gaussian(part)
    assert isinstance(part, DiscreteLaplaceLoss)
    return atoms_of_discrete_laplace(part)
