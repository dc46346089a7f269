"""The constants c of (epsilon, delta)-Gaussian noise of standard deviation c Delta_2.

Lemma 3.4 of Gao, Gong and Yu prints (1 + sqrt(1 + ln(1/delta))) / epsilon for all epsilon and
delta. It grows as sqrt(ln(1/delta)), but sqrt(2 ln(1/delta)) is needed. So it fails for small delta
and for large epsilon (E4). It is checked against the exact profile before it is returned.
"""

from __future__ import annotations

from fractions import Fraction

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.measure import GDP, ApproxDP
from semiaudit.numeric.intervals import ONE, TWO, Interval
from semiaudit.numeric.rationals import rational_text
from semiaudit.privacy.measures import gdp


def printed_constant(target: ApproxDP) -> Interval:
    """Return Lemma 3.4's own constant, if it is valid.

    Raises:
        RefusedError: the noise realises a larger delta; the message says which.

    Source: Gao, Gong and Yu, Lemma 3.4; Balle and Wang 2018, Theorem 8, for the check.
    """
    constant = unchecked_constant(target)
    realised = realised_delta(constant, target.epsilon)
    if realised.upper_rational > target.delta:
        what = (
            f"Lemma 3.4's printed constant realises delta {rational_text(realised.upper_rational)} "
            f"at epsilon {rational_text(target.epsilon)}, above {rational_text(target.delta)}"
        )
        raise RefusedError(Refusal(what, "use the exact mu (E4)", "mechanism"))
    return constant


def unchecked_constant(target: ApproxDP) -> Interval:
    """Return (1 + sqrt(1 + ln(1/delta))) / epsilon, even if its noise has a larger delta (E4).

    Source: Gao, Gong and Yu, Lemma 3.4, as printed.
    """
    log_inverse = -Interval.of(target.delta).ln()
    return (ONE + (ONE + log_inverse).sqrt()) / Interval.of(target.epsilon)


def concentrated_constant(target: ApproxDP) -> Interval:
    """Return (sqrt(L + epsilon) + sqrt(L)) / (sqrt(2) epsilon), which always holds.

    L = ln(1/delta).

    It is the root of epsilon = rho + 2 sqrt(rho L) with rho = 1 / (2 c^2).

    Source: Bun and Steinke 2016, Proposition 1.3 (Cho and Awan, Lemma 40).
    """
    log_inverse = -Interval.of(target.delta).ln()
    epsilon = Interval.of(target.epsilon)
    return ((log_inverse + epsilon).sqrt() + log_inverse.sqrt()) / (TWO.sqrt() * epsilon)


def realised_delta(constant: Interval, epsilon: Fraction) -> Interval:
    """Return delta at an epsilon of Gaussian noise of that many sensitivities, enclosed.

    Source: Balle and Wang 2018, Theorem 8.
    """
    measure = GDP((ONE / (constant * constant)).upper_rational)
    return gdp.delta_at(measure, Interval.of(epsilon))
