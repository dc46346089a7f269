"""Slow, high-precision reference values for privacy guarantees.

Everything here follows the definitions literally (exhaustive search, bisection, ternary search)
at 50 or more digits; nothing is meant to be fast.

Conventions
-----------
* SU form (Su's review; Dong, Roth and Su 2022): ``f(type_i)`` is the smallest type II error at
  type I error at most ``type_i``; ``f`` is convex, nonincreasing and ``f(a) <= 1 - a``.
* CA form (Cho and Awan): ``g(a) = f(1 - a)``, nondecreasing.  Only :func:`group` uses it, inside.
* In a pair ``(P, Q)`` the null hypothesis is ``P`` and the alternative is ``Q``.
* Numbers may be ``int``, ``float``, ``str``, ``Fraction`` or ``mpf``.  A ``float`` stands for its
  exact binary value: write ``"0.1"`` or ``Fraction(1, 10)`` for one tenth.

Importing this module sets ``mpmath.mp.dps`` to 50.  Trade-off functions compute at the precision
in force when they are called (plus guard digits), so that a search may raise it; do not capture
values rounded to 50 digits inside a hand-written trade-off function.
"""

# P and Q are distributions, as in the sources.
# ruff: noqa: N803

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise
from statistics import NormalDist
from typing import Any, TypeAlias

import mpmath

mp: Any = mpmath.mp
mp.dps = 50

Mpf: TypeAlias = Any
"""An mpmath real; mpmath ships no types."""
Number: TypeAlias = Any
"""int, float, str, Fraction or mpf."""
TradeOff: TypeAlias = Callable[[Mpf], Mpf]
Points: TypeAlias = Sequence[tuple[Number, Number]]

_DIGITS = 50
_GUARD = 20
_EPSILON_CAP = 10_000


# ---------------------------------------------------------------------------------------------
# Numbers
# ---------------------------------------------------------------------------------------------


def _mpf(x: Number) -> Mpf:
    """Convert to mpf at the precision in force; an mpf is kept unrounded."""
    if isinstance(x, mp.mpf):
        return x
    if isinstance(x, Fraction):
        return mp.mpf(x.numerator) / mp.mpf(x.denominator)
    return mp.mpf(x)


def _fraction(x: Number) -> Fraction:
    """Convert exactly; mpf and float are dyadic rationals."""
    if isinstance(x, mp.mpf):
        numerator, denominator = mpmath.libmp.to_rational(x._mpf_)
        return Fraction(int(numerator), int(denominator))
    return Fraction(x)


def _guarded() -> Any:
    """Context manager: at least 50 digits, plus guard digits."""
    return mp.workdps(max(mp.dps, _DIGITS) + _GUARD)


def _normal_quantile(p: Mpf) -> Mpf:
    """Inverse of the standard normal distribution function, relatively accurate for tiny ``p``.

    Newton's method on ln Phi(x) = ln p for p <= 1/2.  ln Phi is increasing and concave, so every
    iterate after the first is at most the root and the iterates increase to it.
    """
    if p > mp.mpf(1) / 2:
        return -_normal_quantile(1 - p)
    in_double_range = p > mp.mpf("1e-300")
    x = mp.mpf(NormalDist().inv_cdf(float(p))) if in_double_range else -mp.sqrt(-2 * mp.log(p))
    target = mp.log(p)
    for _ in range(100):
        cdf = mp.ncdf(x)
        step = (target - mp.log(cdf)) * cdf / mp.npdf(x)
        x += step
        if abs(step) < mp.mpf(10) ** (-(mp.dps // 2) - 5):
            # Quadratic convergence: this step's square is below the working precision.
            return x
    raise ArithmeticError("normal quantile did not converge")


def _root_of_increasing(h: Callable[[Mpf], Mpf], low: Mpf, high: Mpf) -> Mpf:
    """Zero of an increasing function by bisection, widening [low, high] first as needed."""
    width = mp.mpf(1)
    while h(low) > 0:
        low, width = low - width, 2 * width
    width = mp.mpf(1)
    while h(high) < 0:
        high, width = high + width, 2 * width
    tiny = mp.mpf(10) ** (5 - mp.dps)
    while high - low > tiny * max(1, abs(low), abs(high)):
        middle = (low + high) / 2
        if h(middle) > 0:
            high = middle
        else:
            low = middle
    return (low + high) / 2


# ---------------------------------------------------------------------------------------------
# Trade-off functions
# ---------------------------------------------------------------------------------------------


def _check_type_i(a: Mpf) -> None:
    if not 0 <= a <= 1:
        raise ValueError(f"type I error {a} outside [0, 1]")


def f_epsilon_delta(epsilon: Number, delta: Number) -> TradeOff:
    """f_{epsilon,delta}(a) = max{0, 1 - delta - e^eps a, e^-eps (1 - delta - a)}.

    Wasserman and Zhou 2010; Dong, Roth and Su 2022, Prop. 3; Su's review, Theorem 5.
    """

    def f(type_i: Mpf) -> Mpf:
        with _guarded():
            a, eps, d = _mpf(type_i), _mpf(epsilon), _mpf(delta)
            _check_type_i(a)
            return max(mp.mpf(0), 1 - d - mp.exp(eps) * a, mp.exp(-eps) * (1 - d - a))

    return f


def g_mu(mu: Number) -> TradeOff:
    """G_mu(a) = Phi(Phi^-1(1 - a) - mu) = T(N(0,1), N(mu,1)).

    Dong, Roth and Su 2022, Def. 3.
    """

    def f(type_i: Mpf) -> Mpf:
        with _guarded():
            a, m = _mpf(type_i), _mpf(mu)
            _check_type_i(a)
            if a == 0:
                return mp.mpf(1)
            if a == 1:
                return mp.mpf(0)
            return mp.ncdf(-_normal_quantile(a) - m)

    return f


def piecewise_linear(points: Points) -> TradeOff:
    """Linear interpolation through the given (type_i, type_ii) points.

    Where two points share their type_i the lower type_ii counts.
    """

    @cache
    def corners(_precision: int) -> list[tuple[Mpf, Mpf]]:
        lowest: dict[Mpf, Mpf] = {}
        for x, y in points:
            x, y = _mpf(x), _mpf(y)
            lowest[x] = min(y, lowest.get(x, y))
        return sorted(lowest.items())

    def f(type_i: Mpf) -> Mpf:
        with _guarded():
            a = _mpf(type_i)
            for (x0, y0), (x1, y1) in pairwise(corners(mp.prec)):
                if a in (x0, x1):
                    return y0 if a == x0 else y1
                if x0 < a < x1:
                    return y0 + (y1 - y0) * (a - x0) / (x1 - x0)
            raise ValueError(f"type I error {a} outside the given points")

    return f


def group(f: TradeOff, k: int) -> TradeOff:
    """Group privacy f^{ok}: with g(a) = f(1 - a), the function a -> (g o ... o g)(1 - a), k times.

    Cho and Awan, s2.2 (CA form); equals 1 - (1 - f)^{ok} (Dong, Roth and Su 2022, Theorem 3).
    """
    if k < 0:
        raise ValueError("k must be nonnegative")

    def grouped(type_i: Mpf) -> Mpf:
        with _guarded():
            value = 1 - _mpf(type_i)
            for _ in range(k):
                value = f(1 - value)
            return value

    return grouped


# ---------------------------------------------------------------------------------------------
# Duality: (epsilon, delta) profile of a trade-off function
# ---------------------------------------------------------------------------------------------


def _supremum(
    f: TradeOff, epsilon: Mpf, kinks: Iterable[Number], reach: int, enough: Mpf | None = None
) -> tuple[Mpf, Mpf]:
    """Bracket (largest value found, upper bound) of sup over a of 1 - f(a) - e^epsilon a.

    Put a = e^-epsilon t with t in [0, 1] (for larger a the objective is at most 1 - e^epsilon a
    <= 0, and a = 0 gives at least 0).  h(t) = 1 - f(e^-epsilon t) - t is concave.  Powers of ten
    down to 10^-reach bracket its maximiser; ternary search shrinks the bracket.  Concavity gives
    the upper bound: outside an interval h lies below the chord over that interval, prolonged.
    Stops when the two agree to a relative 1e-48, or one of them has passed ``enough``.
    """
    scale = mp.exp(-epsilon)

    def h(t: Mpf) -> Mpf:
        return 1 - f(scale * t) - t

    best = h(mp.mpf(0))
    for kink in kinks:
        if 0 <= _mpf(kink) <= 1:
            best = max(best, 1 - f(_mpf(kink)) - _mpf(kink) / scale)
    if enough is not None and best > enough:
        return best, mp.inf

    # By concavity h(10^-(i+1)) < h(10^-i) holds from some i = falling on; the maximiser lies
    # between 10^-(falling+1) and 10^-(falling-1).
    rising, falling = -1, reach
    while falling - rising > 1:
        i = (rising + falling) // 2
        if h(mp.mpf(10) ** -(i + 1)) < h(mp.mpf(10) ** -i):
            falling = i
        else:
            rising = i
    low = mp.mpf(0) if falling == reach else mp.mpf(10) ** -(falling + 1)
    high = mp.mpf(10) ** -max(falling - 1, 0)
    h_low, h_high = h(low), h(high)
    best = max(best, h_low, h_high)

    while True:
        third = (high - low) / 3
        left, right = low + third, high - third
        h_left, h_right = h(left), h(right)
        best = max(best, h_left, h_right)
        upper = max(
            best,
            2 * h_left - h_right,  # on [low, left]: chord left-right prolonged to low
            2 * h_right - h_left,  # on [right, high]: the same chord prolonged to high
            # on [left, right]: below both outer chords, hence below their crossing
            _crossing(h_low, h_left, h_right, h_high),
        )
        if upper - best <= best * mp.mpf("1e-48") or third < mp.mpf(10) ** (8 - mp.dps):
            return best, upper
        if enough is not None and (best > enough or upper <= enough):
            return best, upper
        if h_left < h_right:
            low, h_low = left, h_left
        else:
            high, h_high = right, h_right


def _crossing(h0: Mpf, h1: Mpf, h2: Mpf, h3: Mpf) -> Mpf:
    """Bound of a concave function on [1, 2] from its values at 0, 1, 2, 3.

    The lesser of h1 + u (h1 - h0) and h2 + (1 - u) (h2 - h3), maximised over u in [0, 1].
    """
    rise, fall = h1 - h0, h2 - h3
    candidates = [mp.mpf(0), mp.mpf(1)]
    if rise + fall > 0:
        u = (h2 + fall - h1) / (rise + fall)
        candidates.append(min(max(u, mp.mpf(0)), mp.mpf(1)))
    return max(min(h1 + u * rise, h2 + (1 - u) * fall) for u in candidates)


def delta_from_tradeoff(f: TradeOff, epsilon: Number, kinks: Iterable[Number] | None = None) -> Mpf:
    """delta(epsilon) = 1 + f*(-e^epsilon) = sup over a of 1 - f(a) - e^epsilon a.

    Dong, Roth and Su 2022, Prop. 6; Su's review, (2.4).  At least 40 digits of relative accuracy;
    a supremum below 1e-400 is returned as 0.  ``kinks`` are extra type I errors to try.
    """
    extra_points = list(kinks or ())
    for reach in (15, 60, 180, 420):
        eps_digits = int(max(0, mp.ceil(_mpf(epsilon) / mp.log(10))))
        with mp.workdps(_DIGITS + _GUARD + eps_digits + reach):
            best, _ = _supremum(f, _mpf(epsilon), extra_points, reach)
            settled = best >= mp.mpf(10) ** (20 - reach if reach > 15 else -10)
        if settled:
            with _guarded():
                return +best
    return mp.mpf(0)


def _delta_at_most(f: TradeOff, epsilon: Mpf, delta: Mpf, kinks: list[Number]) -> bool:
    """Whether delta_from_tradeoff(f, epsilon) <= delta (1 + 1e-45), for delta > 0."""
    reach = 15 + int(max(0, mp.ceil(-mp.log10(delta))))
    eps_digits = int(mp.ceil(epsilon / mp.log(10)))
    with mp.workdps(_DIGITS + _GUARD + eps_digits + reach):
        limit = delta * (1 + mp.mpf("1e-45"))
        best, _ = _supremum(f, epsilon, kinks, reach, enough=limit)
        return bool(best <= limit)


def epsilon_from_tradeoff(f: TradeOff, delta: Number, kinks: Iterable[Number] | None = None) -> Mpf:
    """Smallest epsilon >= 0 with delta_from_tradeoff(f, epsilon) <= delta; inf if none below 1e4.

    Bisection, to a relative 1e-42 (ties within a relative 1e-45 of ``delta`` count as equal).
    For delta = 0 it is the logarithm of the slope of 1 - f at 0, read off at 10^-900 and
    10^-1000: by concavity of 1 - f equal quotients there mean a straight line from 0, and
    different ones are taken for an infinite slope (so a first kink below 10^-900 is missed).
    """
    extra_points = list(kinks or ())
    with _guarded():
        target = _mpf(delta)
        if target < 0:
            raise ValueError("delta must be nonnegative")
        if target == 0:
            return _epsilon_at_delta_zero(f)
        if 1 - f(mp.mpf(0)) > target * (1 + mp.mpf("1e-45")):
            return mp.inf
        low, high = mp.mpf(0), mp.mpf(1)
        if _delta_at_most(f, low, target, extra_points):
            return low
        while not _delta_at_most(f, high, target, extra_points):
            if high >= _EPSILON_CAP:
                return mp.inf
            low, high = high, min(2 * high, mp.mpf(_EPSILON_CAP))
        while high - low > mp.mpf("1e-42") * high:
            middle = (low + high) / 2
            if _delta_at_most(f, middle, target, extra_points):
                high = middle
            else:
                low = middle
        return high


def _epsilon_at_delta_zero(f: TradeOff) -> Mpf:
    with mp.workdps(1_200):
        if 1 - f(mp.mpf(0)) > mp.mpf("1e-45"):
            return mp.inf
        outer, inner = ((1 - f(a)) / a for a in (mp.mpf("1e-900"), mp.mpf("1e-1000")))
        if abs(outer / inner - 1) > mp.mpf("1e-45"):
            return mp.inf
        epsilon = max(mp.mpf(0), mp.log(inner))
    return +epsilon if epsilon <= _EPSILON_CAP else mp.inf


def total_variation(f: TradeOff) -> Mpf:
    """sup over a of 1 - a - f(a): total variation distance of any pair with trade-off f."""
    return delta_from_tradeoff(f, 0)


# ---------------------------------------------------------------------------------------------
# Finite pairs of distributions
# ---------------------------------------------------------------------------------------------


def vertices_of_finite_pair(
    P: Sequence[Number], Q: Sequence[Number]
) -> list[tuple[Fraction, Fraction]]:
    """Vertices of T(P, Q): lower convex hull over all 2^m deterministic rejection regions R.

    R has type I error P(R) and type II error Q(complement of R); randomised tests are exactly the
    convex combinations (Su's review, s2.3).  Atoms empty under both P and Q are left out.
    """
    atoms = [(_fraction(p), _fraction(q)) for p, q in zip(P, Q, strict=True)]
    if any(p < 0 or q < 0 for p, q in atoms):
        raise ValueError("negative mass")
    atoms = [(p, q) for p, q in atoms if p or q]
    regions = [(Fraction(0), sum((q for _, q in atoms), Fraction(0)))]
    for p, q in atoms:
        regions += [(type_i + p, type_ii - q) for type_i, type_ii in regions]

    lowest: dict[Fraction, Fraction] = {}
    for type_i, type_ii in regions:
        lowest[type_i] = min(type_ii, lowest.get(type_i, type_ii))
    hull: list[tuple[Fraction, Fraction]] = []
    for x, y in sorted(lowest.items()):
        while len(hull) >= 2:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (x - x0) < (y - y0) * (x1 - x0):
                break  # hull[-1] lies strictly below the chord from hull[-2] to (x, y)
            hull.pop()
        hull.append((x, y))
    return hull


_hull = lru_cache(maxsize=8)(vertices_of_finite_pair)


def tradeoff_of_finite_pair(P: Sequence[Number], Q: Sequence[Number], type_i: Number) -> Fraction:
    """T(P, Q)(type_i): type II error of the best randomised test, in exact fractions."""
    a = _fraction(type_i)
    hull = _hull(tuple(P), tuple(Q))
    if not 0 <= a <= 1:
        raise ValueError("type I error outside [0, 1]")
    for (x0, y0), (x1, y1) in pairwise(hull):
        if x0 <= a <= x1:
            return y0 + (y1 - y0) * (a - x0) / (x1 - x0)
    return hull[-1][1]  # total mass of P rounded to just below type_i


def product_pair(
    first: tuple[Sequence[Number], Sequence[Number]],
    second: tuple[Sequence[Number], Sequence[Number]],
) -> tuple[list[Any], list[Any]]:
    """(P1 x P2, Q1 x Q2) as lists of all products, first factor slowest.

    T of it is the tensor product T(P1,Q1) (x) T(P2,Q2) (Dong, Roth and Su 2022, Def. 5).
    The entries of the two pairs must be of types that multiply (Fractions, or mpf).
    """
    (p1, q1), (p2, q2) = first, second
    with _guarded():
        return [x * y for x in p1 for y in p2], [x * y for x in q1 for y in q2]


def finite_pair_from_points(points: Points) -> tuple[list[Fraction], list[Fraction]]:
    """Pair whose trade-off function is linear between the given (type_i, type_ii) points.

    A segment from (x0, y0) to (x1, y1) becomes an atom of P-mass x1 - x0 and Q-mass y0 - y1; an
    atom of P-mass 0 and Q-mass 1 - f(0) comes first.  The points must run convexly from
    type_i = 0 to (1, 0); convexity and the last point are checked up to 1e-30.
    """
    tolerance = Fraction(1, 10**30)
    exact = sorted(((_fraction(x), _fraction(y)) for x, y in points), key=lambda v: (v[0], -v[1]))
    if exact[0][0] != 0 or exact[-1][0] != 1 or abs(exact[-1][1]) > tolerance:
        raise ValueError("points must run from type_i = 0 to (1, 0)")
    p, q = [Fraction(0)], [1 - exact[0][1]]
    for (x0, y0), (x1, y1) in pairwise(exact):
        p.append(x1 - x0)
        q.append(y0 - y1)
    if min(q) < 0:
        raise ValueError("type_ii must be at most 1 and nonincreasing")
    if any(p[i] * q[i + 1] - p[i + 1] * q[i] > tolerance for i in range(len(p) - 1)):
        raise ValueError("points are not convex")
    return p, q


def hockey_stick(P: Sequence[Number], Q: Sequence[Number], epsilon: Number) -> Mpf:
    """Sum of the positive parts of Q - e^epsilon P, which is delta(epsilon) of T(P, Q)."""
    with _guarded():
        ratio = mp.exp(_mpf(epsilon))
        terms = [_mpf(q) - ratio * _mpf(p) for p, q in zip(P, Q, strict=True)]
        return mp.fsum(t for t in terms if t > 0)


# ---------------------------------------------------------------------------------------------
# Gaussian differential privacy
# ---------------------------------------------------------------------------------------------


def gaussian_delta(mu: Number, epsilon: Number) -> Mpf:
    """delta(eps) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2); 0 for mu = 0.

    Dong, Roth and Su 2022, Cor. 1 (Balle and Wang 2018).  The precision is raised until the
    cancellation between the two terms leaves 50 digits.
    """
    digits = max(mp.dps, _DIGITS) + _GUARD
    while True:
        with mp.workdps(digits):
            m, eps = _mpf(mu), _mpf(epsilon)
            if m < 0 or eps < 0:
                raise ValueError("mu and epsilon must be nonnegative")
            if m == 0:
                return mp.mpf(0)
            first = mp.ncdf(-eps / m + m / 2)
            difference = first - mp.exp(eps) * mp.ncdf(-eps / m - m / 2)
            # exp(eps) and the squared tail arguments turn relative rounding errors of size
            # 10^-digits into relative errors of size (1 + eps + (eps/m + m)^2) 10^-digits.
            magnified = first * (1 + eps + (eps / m + m) ** 2) * mp.mpf(10) ** (-digits + 2)
            accurate = difference > magnified * mp.mpf(10) ** _DIGITS
        if accurate:
            return difference
        digits *= 2


def gaussian_epsilon(mu: Number, delta: Number) -> Mpf:
    """Smallest epsilon >= 0 with gaussian_delta(mu, epsilon) <= delta, by bisection."""
    with _guarded():
        m, target = _mpf(mu), _mpf(delta)
        if target < 0:
            raise ValueError("delta must be nonnegative")
        if gaussian_delta(m, 0) <= target:
            return mp.mpf(0)
        if target == 0:
            return mp.inf
        low, high = mp.mpf(0), mp.mpf(1)
        while gaussian_delta(m, high) > target:
            low, high = high, 2 * high
        while high - low > high * mp.mpf(10) ** (-_DIGITS - 2):
            middle = (low + high) / 2
            if gaussian_delta(m, middle) > target:
                low = middle
            else:
                high = middle
        return high


# ---------------------------------------------------------------------------------------------
# Zero-concentrated differential privacy
# ---------------------------------------------------------------------------------------------


def bs16(rho: Number, delta: Number) -> Mpf:
    """epsilon = rho + 2 sqrt(rho ln(1/delta)): Bun and Steinke 2016, Prop. 1.3.

    Lemma 40 of Cho and Awan.
    """
    with _guarded():
        r = _mpf(rho)
        return r + 2 * mp.sqrt(r * mp.log(1 / _mpf(delta)))


def cks20(rho: Number, delta: Number) -> Mpf:
    """inf over a > 1 of F(a) = a rho + ln(1/(a delta))/(a - 1) + ln(1 - 1/a), floored at 0.

    Canonne, Kamath and Steinke 2020, Prop. 12.  F'(a) = (rho (a-1)^2 + ln a - ln(1/delta))/(a-1)^2
    and its numerator increases from -ln(1/delta), so F has one stationary point, its minimum.
    For delta >= 1, F(a) -> -inf as a -> 1.
    """
    with _guarded():
        r, log_inverse = _mpf(rho), mp.log(1 / _mpf(delta))
        if log_inverse <= 0:
            return mp.mpf(0)

        def numerator(s: Mpf) -> Mpf:  # at a = 1 + e^s
            return r * mp.exp(2 * s) + mp.log1p(mp.exp(s)) - log_inverse

        gap = mp.exp(_root_of_increasing(numerator, mp.mpf(-1), mp.mpf(1)))
        a = 1 + gap
        value = a * r + (log_inverse - mp.log(a)) / gap + mp.log(gap / a)
        return max(mp.mpf(0), value)


def _cks20_log_delta(rho: Mpf, epsilon: Mpf, gap: Mpf) -> Mpf:
    """ln of exp((a-1)(a rho - epsilon))/(a-1) * (1-1/a)^a at a = 1 + gap.

    Its infimum over a > 1 is ln of the delta that rho-zCDP implies at epsilon: Canonne, Kamath and
    Steinke 2020, Cor. 13.  It has derivative (2a - 1) rho - epsilon + ln(1 - 1/a), which increases
    from -inf to +inf: it is convex in a.
    """
    a = 1 + gap
    return gap * (a * rho - epsilon) - mp.log(gap) + a * mp.log(gap / a)


def _minimise_over_epsilon(rho: Mpf, objective: Callable[[Mpf, Mpf], Mpf]) -> Mpf:
    """min over epsilon >= 0 of objective(epsilon, d), d the delta of rho-zCDP there, for rho > 0.

    The objective must increase in its second argument, and objective(epsilon, 0) must increase in
    epsilon.  Fine search: epsilon(a) = (2a - 1) rho + ln(1 - 1/a) is the epsilon whose best order
    is a; walk s = ln(a - 1) upwards from epsilon = 0 until objective(epsilon, 0) is no better than
    what has been found, after which nothing can improve.  Refinement: golden section in s
    between the two neighbours of every local minimum of the walk.
    """

    def epsilon_at(s: Mpf) -> Mpf:
        return (2 * mp.exp(s) + 1) * rho - mp.log1p(mp.exp(-s))

    def at(s: Mpf) -> Mpf:
        epsilon = max(epsilon_at(s), mp.mpf(0))
        delta = mp.exp(_cks20_log_delta(rho, epsilon, mp.exp(s)))
        return objective(epsilon, min(mp.mpf(1), delta))

    places = [_root_of_increasing(epsilon_at, mp.mpf(-1), mp.mpf(1))]
    values = [at(places[0])]
    best = values[0]
    while objective(epsilon_at(places[-1]), mp.mpf(0)) < best:
        places.append(places[-1] + max(mp.mpf(1) / 50, abs(places[-1]) / 1000))
        values.append(at(places[-1]))
        best = min(best, values[-1])

    for i, value in enumerate(values):
        before, after = max(i - 1, 0), min(i + 1, len(values) - 1)
        if value > values[before] or value > values[after]:
            continue
        low, high = places[before], places[after]
        tolerance = (high - low) * mp.mpf("1e-18")  # the minimum is flat: squared in the value
        golden = (mp.sqrt(5) - 1) / 2
        left, right = high - golden * (high - low), low + golden * (high - low)
        at_left, at_right = at(left), at(right)
        while high - low > tolerance:
            best = min(best, at_left, at_right)
            if at_left < at_right:
                high, right, at_right = right, left, at_left
                left = high - golden * (high - low)
                at_left = at(left)
            else:
                low, left, at_left = left, right, at_right
                right = low + golden * (high - low)
                at_right = at(right)
    return best


def zcdp_tpr(rho: Number, fpr: Number) -> Mpf:
    """Bound on the true positive rate at false positive rate ``fpr`` under rho-zCDP.

    min over epsilon >= 0 of min(1, d + e^eps fpr, 1 - e^-eps (1 - d - fpr)), where
    d = min(1, delta of rho-zCDP at eps): 1 - f_{epsilon,d}(fpr), minimised over the profile.
    """
    with _guarded():
        r, a = _mpf(rho), _mpf(fpr)
        _check_type_i(a)
        if r == 0 or a == 0:
            return a  # rho = 0: epsilon = d = 0; fpr = 0: d -> 0 as epsilon -> inf
        if a == 1:
            return mp.mpf(1)
        steep = _minimise_over_epsilon(r, lambda eps, d: d + mp.exp(eps) * a)
        flat = _minimise_over_epsilon(r, lambda eps, d: 1 - mp.exp(-eps) * (1 - d - a))
        return min(mp.mpf(1), steep, flat)


def zcdp_advantage(rho: Number) -> Mpf:
    """Bound on the membership advantage (total variation) under rho-zCDP.

    min over epsilon >= 0 of (e^eps - 1 + 2 d)/(e^eps + 1), the total variation of
    f_{epsilon,d}, with d = min(1, delta of rho-zCDP at eps).
    """
    with _guarded():
        r = _mpf(rho)
        if r == 0:
            return mp.mpf(0)
        return _minimise_over_epsilon(r, lambda eps, d: (mp.expm1(eps) + 2 * d) / (mp.exp(eps) + 1))
