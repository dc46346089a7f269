"""The semi-private test of an odds ratio, arranged for reading."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from semiaudit.model.labels import label
from semiaudit.model.measure import GDP
from semiaudit.model.number_text import bound_text, certified_text
from semiaudit.model.results.odds_ratio import OddsRatioTest
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import decimal_text_up, exact_sqrt, rational_text
from semiaudit.report.text.layout import Grid, Lines, View
from semiaudit.version import __version__

ODDS_RATIO = "w = [θ₂/(1-θ₂)] / [θ₁/(1-θ₁)]"
"""The definition of w; θ₁ and θ₂ are the probabilities of the first column in both rows."""

WHERE = "θ₁, θ₂: the chance of the first column in the first and in the second row"

AGAIN = (
    "This is a random release: each run samples new noise, and uses the privacy-loss budget again. "
    "To test this noisy count again, use --margins and --noisy-count."
)
SEEDED = (
    "The noise has a seed, and anyone who knows the seed knows x21: use a seed only for examples."
)
BEFORE = "The result is valid only if the noise of the noisy count has exactly this distribution."

NOT_PROTECTED = "The margins are public: there is no guarantee for datasets whose margins differ."

_HYPOTHESES = {
    "greater": "w ≤ 1 against w > 1",
    "less": "w ≥ 1 against w < 1",
    "two-sided": "w = 1 against w above or below 1",
}

_NOISES = {
    "tulap": "Tulap, the only canonical noise for (ε, δ)-DP",
    "lemma_36": "canonical noise as constructed in Lemma 36",
    "normal": "normal, with standard deviation 1/μ",
}


def hypotheses(test: OddsRatioTest) -> str:
    """Return the null hypothesis and the alternative."""
    return _HYPOTHESES[test.question.alternative]


def verdict(test: OddsRatioTest) -> str:
    """Return whether the null hypothesis is rejected, and the p-value."""
    null, level = hypotheses(test).partition(" against ")[0], test.question.level
    said = "is rejected" if test.rejects else "is not rejected"
    return (
        f"The null hypothesis (odds ratio {null}) {said} at level {rational_text(level)}: the "
        f"p-value is {certified_text(test.p_value, level)}."
    )


def kind(test: OddsRatioTest) -> str:
    """Describe what is known of the test's power."""
    if test.question.alternative == "two-sided":
        return (
            "twice the smaller one-sided p-value: the level is exact, but it is not UMPU, and it "
            "is biased unless the margins are balanced"
        )
    if test.optimal:
        return "the most powerful of all unbiased tests with this guarantee (UMPU; Theorem 37)"
    return (
        "the level is exact given the two margins; not known to be UMPU, because more than the "
        "margins is published"
    )


def parameters(test: OddsRatioTest) -> str:
    """Return the guarantee's parameters."""
    measure = test.question.measure
    if isinstance(measure, GDP):
        return f"μ = {rational_text(mu_of(measure))}"
    return f"ε = {rational_text(measure.epsilon)} and δ = {rational_text(measure.delta)}"


def mu_of(measure: GDP) -> Fraction:
    """Return μ, rounded up if it is irrational."""
    root = exact_sqrt(measure.mu_squared)
    return Interval.of(measure.mu_squared).sqrt().upper_rational if root is None else root


def noise(test: OddsRatioTest) -> str:
    """Name the distribution of the noise."""
    said = _NOISES[test.question.noise]
    if isinstance(test.question.measure, GDP):
        other = "normal noise" if test.question.noise == "lemma_36" else "the noise of Lemma 36"
        return f"{said}; {other} is canonical for μ-GDP too"
    return said


def guarantee(test: OddsRatioTest) -> str:
    """Describe the guarantee of the noisy count, and the datasets that it compares."""
    table = test.table
    name = "μ-GDP" if isinstance(test.question.measure, GDP) else "(ε, δ)-DP"
    return (
        f"{name} with {parameters(test)}, for datasets in Dₜ up to a {label(table.metric)} of "
        f"{table.distance}, between which x21 changes by at most 1"
    )


def caution(test: OddsRatioTest) -> str:
    """Describe the caveats of the noise for a reader of the p-value."""
    if not test.drawn:
        return BEFORE
    return AGAIN if test.question.seed is None else f"{SEEDED} {AGAIN}"


_NOISE_PLACES = 9


def view_of(test: OddsRatioTest) -> View:
    """Arrange a test: its verdict, its statistic, the hypotheses, the guarantee, its power."""
    question = test.question
    statistic = Lines(
        "Statistic",
        (
            ("statistic", f"noisy count x21 = {decimal_text_up(test.statistic, _NOISE_PLACES)}"),
            ("rejection", "; ".join(_regions(test))),
            ("", caution(test)),
        ),
    )
    tested = Lines("Test", tuple(_tested(test)))
    protects = Lines(
        "Privacy guarantee of the noisy count",
        (
            ("noise", noise(test)),
            ("guarantee", guarantee(test)),
            ("", NOT_PROTECTED),
        ),
    )
    curve = Grid(
        f"Power at level {rational_text(question.level)}",
        ("odds ratio w", "power, at least"),
        tuple((rational_text(odds), bound_text(power)) for odds, power in test.power),
        (True, True),
    )
    return View(
        verdict(test),
        f"Semi-private test of an odds ratio · semiaudit {__version__}",
        (statistic, tested, protects, *([curve] if test.power else [])),
        paths=() if test.table.labels is None else (test.table.labels.path,),
    )


def _regions(test: OddsRatioTest) -> Iterator[str]:
    if test.at_most is not None:
        yield f"reject at or below {bound_text(test.at_most)}"
    if test.at_least is not None:
        yield f"reject at or above {bound_text(test.at_least)}"


def _tested(test: OddsRatioTest) -> Iterator[tuple[str, str]]:
    margins, labels = test.table.margins, test.table.labels
    yield "odds ratio", f"{ODDS_RATIO}; {WHERE}"
    yield "hypotheses", hypotheses(test)
    if labels is not None:
        (rows, *row), (columns, *column) = labels.rows, labels.columns
        yield "table", f"{labels.path}; rows {rows}, columns {columns}"
        yield "x21", f"the records with {rows}={row[1]} and {columns}={column[0]}"
    second_column = margins.size - margins.first_column
    yield (
        "margins",
        f"rows {margins.first_row} and {margins.second_row}, columns {margins.first_column} and "
        f"{second_column}; x21 is between {margins.least} and {margins.most}",
    )
    yield "test", kind(test)
