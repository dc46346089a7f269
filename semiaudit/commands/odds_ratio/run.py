"""Run the test of an odds ratio: sample the noise if it is not given, and test."""

from __future__ import annotations

import random
from fractions import Fraction

from semiaudit.model.bound import Bound, exact, lower, upper
from semiaudit.model.results.odds_ratio import OddsRatioQuestion, OddsRatioTest, Table
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.canonical.canonical_distribution import CanonicalDistribution
from semiaudit.privacy.canonical.of_function import noise_of
from semiaudit.privacy.canonical.sampling import draw
from semiaudit.privacy.odds_ratio.hypergeometric import HypergeometricLaw, law_of
from semiaudit.privacy.odds_ratio.umpu import p_value, power, region

METHOD = "canonical_noise", "Cho and Awan, Theorem 37; docs/errata.md, E3"


def odds_ratio_test(question: OddsRatioQuestion, table: Table) -> OddsRatioTest:
    """Return the p-value, the rejection region, and its power.

    If the noise of the table is not given, it is sampled now: every call is another release.

    Raises:
        RefusedError: the function has no such noise, or no noise is enough.
    """
    noise = noise_of(question.measure, question.noise)
    at_one = law_of(table.margins, Fraction(1))
    statistic = _statistic(question, table, noise, at_one)
    p_bound = p_value(noise, at_one, statistic, question.alternative)
    rejecting = region(noise, at_one, question.level, question.alternative)

    def reached(odds: Fraction) -> Bound:
        if odds == 1:
            return exact(question.level, *METHOD)
        return lower(power(noise, law_of(table.margins, odds), rejecting), *METHOD)

    return OddsRatioTest(
        question=question,
        table=table,
        statistic=statistic,
        p_value=upper(p_bound, *METHOD),
        at_least=_bound(rejecting.at_least, up=True),
        at_most=_bound(rejecting.at_most, up=False),
        power=tuple((odds, reached(odds)) for odds in question.odds_ratios),
    )


def _bound(end: Fraction | None, *, up: bool) -> Bound | None:
    if end is None:
        return None
    return (upper if up else lower)(end, *METHOD)


def _statistic(
    question: OddsRatioQuestion,
    table: Table,
    noise: CanonicalDistribution,
    at_one: HypergeometricLaw,
) -> Fraction:
    """Return the noisy count as it was released, or with noise that is sampled now.

    It is rounded to nine decimals, to the side with the larger p-value, so rounding never makes a
    p-value too small.
    """
    if table.noisy_count is not None:
        return table.noisy_count
    if table.count is None:
        raise ValueError("a table has a count, or a noisy one")
    bits = random.SystemRandom() if question.seed is None else random.Random(question.seed)

    def p_value_at(statistic: Fraction) -> Interval:
        return p_value(noise, at_one, statistic, question.alternative)

    ends = [table.count + end for end in draw(noise, bits)]
    return max(ends, key=lambda end: p_value_at(end).high)
