"""The semi-private test of an odds ratio in words: the same in every format."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.measure import GDP
from semiaudit.model.odds_ratio import OddsRatioTest
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import exact_sqrt, rational_text

ODDS_RATIO = "w = [th2/(1-th2)] / [th1/(1-th1)]"
"""Which odds ratio is meant; th1 and th2 are the chances of the first column in both rows."""

WHERE = "th1, th2: the chance of the first column in the first and in the second row"

AGAIN = (
    "This is a random release: running it again draws other noise, and spends the guarantee again. "
    "Test the noisy count that was drawn with --margins and --noisy-count."
)
SEEDED = "The noise has a seed, and whoever knows the seed knows x21: for examples only."
BEFORE = "Valid only if the noisy count was released with noise of exactly this distribution."

NOT_PROTECTED = "The margins are public: nothing is said of datasets that differ in them."

_HYPOTHESES = {
    "greater": "w <= 1 against w > 1",
    "less": "w >= 1 against w < 1",
    "two-sided": "w = 1 against w above or below 1",
}

_NOISES = {
    "tulap": "Tulap, which is Lemma 36's noise and the only canonical one of f_{epsilon,delta}",
    "lemma_36": "Lemma 36's",
    "normal": "normal with standard deviation 1/mu",
}


def hypotheses(test: OddsRatioTest) -> str:
    """The null hypothesis and the alternative."""
    return _HYPOTHESES[test.question.alternative]


def verdict(test: OddsRatioTest) -> str:
    """Whether the null hypothesis is rejected."""
    null = hypotheses(test).partition(" against ")[0]
    said = "is rejected" if test.rejects else "is not rejected"
    return f"{null} {said} at level {rational_text(test.question.level)}"


def kind(test: OddsRatioTest) -> str:
    """What is known of the test's power."""
    if test.question.alternative == "two-sided":
        return (
            "twice the smaller one-sided p-value: its level holds exactly, but it is not UMPU, and "
            "it is biased unless the margins are balanced"
        )
    if test.optimal:
        return "UMPU: the most powerful of all unbiased tests with this guarantee (Theorem 37)"
    return (
        "its level holds given the two margins alone; not known to be UMPU, as more than these is "
        "published"
    )


def parameters(test: OddsRatioTest) -> str:
    """The guarantee's parameters."""
    measure = test.question.measure
    if isinstance(measure, GDP):
        return f"mu {rational_text(mu_of(measure))}"
    return f"epsilon {rational_text(measure.epsilon)}, delta {rational_text(measure.delta)}"


def mu_of(measure: GDP) -> Fraction:
    """mu, rounded up where it is no rational."""
    root = exact_sqrt(measure.mu_squared)
    return Interval.of(measure.mu_squared).sqrt().upper_rational if root is None else root


def noise(test: OddsRatioTest) -> str:
    """Which distribution the noise has."""
    said = _NOISES[test.question.noise]
    if isinstance(test.question.measure, GDP):
        other = "normal" if test.question.noise == "lemma_36" else "Lemma 36's"
        return f"{said}; canonical noise of G_mu is not unique, and {other} is another"
    return said


def guarantee(test: OddsRatioTest) -> str:
    """Between which datasets the noisy count has the guarantee."""
    table = test.table
    measure = test.question.measure
    name = "G_mu" if isinstance(measure, GDP) else "f_{epsilon,delta}"
    return (
        f"{name} with {parameters(test)}, between datasets of D_t at a {table.metric} distance of "
        f"up to {table.distance}, where x21 moves by at most 1"
    )


def caution(test: OddsRatioTest) -> str:
    """What a reader of the p-value must know of the noise."""
    if not test.drawn:
        return BEFORE
    return AGAIN if test.question.seed is None else f"{SEEDED} {AGAIN}"
