"""The numbers of one row: consistent with each other, and true of mechanisms that are known.

What numbers of a row imply, against the exact operating points of random finite pairs.

The optimal attack on measures that only bound a privacy loss.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from statistics import NormalDist
from typing import Any, get_args

import pytest

from semiaudit import deadline
from semiaudit.commands.convert.command import answer, conversion_of
from semiaudit.commands.convert.model import Conversion, ConversionQuestion
from semiaudit.library.mechanism_guarantee import measures_at
from semiaudit.mechanisms.mechanism_loss import loss_at, loss_composition_first
from semiaudit.model.adjacency import Metric
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import Numbers
from semiaudit.model.loss import LaplaceLoss, PrivacyLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.model.mechanism import Composition, Declared, DeclaredMeasure, Mechanism
from semiaudit.privacy import loss as losses
from semiaudit.privacy.epsilons import _by_renyi, epsilon_lower_at
from semiaudit.privacy.evaluate import (
    BestAttack,
    Implied,
    delta_at,
    epsilon_at,
    numbers_of,
    tpr_at,
    type_ii_at,
)
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.tradeoff import polygon
from semiaudit.spec.drafts.mechanism_text import mechanism_of_text
from tests.clocks import Ticks
from tests.golden.published import golden
from tests.mechanisms.fakes import NoSpaces
from tests.oracles.calculus import gaussian_epsilon
from tests.oracles.curves import mp, real
from tests.oracles.one_row import PrintedRow, contradictions, gaussian_delta
from tests.oracles.sampled import delta_of_step, ends
from tests.privacy.instances import gdp
from tests.samples import sampled


@pytest.mark.parametrize(("rho", "delta"), [("1/50", "1/10"), ("1/8", "1/100")])
@pytest.mark.parametrize("type_i", ["1/20", "3/10"])
def test_type_ii_of_approximate_zcdp_is_between_that_of_two_known_bounds(
    rho: str, delta: str, type_i: str
) -> None:
    """Gaussian noise that fails with probability delta has it; Pinsker's inequality is looser."""
    kept = 1 - float(Fraction(delta))
    within = float(Fraction(type_i)) / kept
    normal = NormalDist()
    gaussian = normal.cdf(normal.inv_cdf(1 - within) - math.sqrt(2 * float(Fraction(rho))))
    pinsker = 1 - within - math.sqrt(float(Fraction(rho)) / 2)
    attack = BestAttack((ApproxZCDP(Fraction(rho), Fraction(delta)),), Accuracy())
    assert kept * pinsker <= attack.type_ii(Fraction(type_i)) <= kept * gaussian


def test_an_attacker_may_always_be_wrong_as_often_as_the_noise_fails() -> None:
    attack = BestAttack((ApproxZCDP(Fraction(1, 8), Fraction(1, 10)),), Accuracy())
    assert attack.type_ii(Fraction(9, 10)) == 0
    assert attack.type_ii(Fraction(19, 20)) == 0


def test_a_merged_polygon_bounds_the_type_ii_error_next_to_zcdp() -> None:
    """The line from (0, 1/2) to (1/2, 0) has 1/4 at 1/4; a large rho has next to nothing."""
    half = Fraction(1, 2)
    merged = PiecewiseLinear(
        ((Fraction(0), half), (half, Fraction(0)), (Fraction(1), Fraction(0))), merged=True
    )
    for measures in ((merged,), (merged, ZCDP(Fraction(50)))):
        attack = BestAttack(measures, Accuracy())
        assert attack.type_ii(Fraction(1, 4)) == Fraction(1, 4)


ONE = Fraction(1)
Laws = tuple[list[Fraction], list[Fraction]]


def random_laws(chance: random.Random) -> Laws:
    size = chance.randint(2, 5)
    laws = []
    for _ in range(2):
        masses = [Fraction(chance.choice((0, 1, 1, 2, 5, 20, 300))) for _ in range(size)]
        masses[chance.randrange(size)] += 1
        laws.append([mass / sum(masses) for mass in masses])
    return laws[0], laws[1]


def corners(laws: Laws) -> list[tuple[Fraction, Fraction]]:
    """Operating points of the likelihood-ratio tests of one direction, from (0, 1) to (1, 0)."""
    p, q = laws
    order = sorted(range(len(p)), key=lambda i: (p[i] > 0, -q[i] / (p[i] or 1)))
    type_i = accumulate((p[i] for i in order), initial=Fraction(0))
    power = accumulate((q[i] for i in order), initial=Fraction(0))
    return [(a, 1 - b) for a, b in zip(type_i, power, strict=True)]


def type_ii(laws: Laws, at: Fraction) -> Fraction:
    """The least type II error at a type I error: a corner, or a coin between two."""
    points = corners(laws)
    best = ONE
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= at <= x1:
            here = min(y0, y1) if x0 == x1 else y0 + (y1 - y0) * (at - x0) / (x1 - x0)
            best = min(best, here)
    return best


def delta(laws: Laws, epsilon: float) -> Fraction:
    """The hockey-stick divergence, at a double's own exponential rounded by 1e-30."""
    growth = Fraction(int(mp.exp(mp.mpf(epsilon)) * 10**40), 10**40)
    return sum((max(q - growth * p, Fraction(0)) for p, q in zip(*laws, strict=True)), Fraction(0))


def both(laws: Laws) -> tuple[Laws, Laws]:
    return laws, (laws[1], laws[0])


DRAWN_EPSILONS = (0.0, 0.01, 0.3, 1.0, 2.5, 6.0)
DRAWN_RATES = tuple(Fraction(k, 40) for k in (1, 4, 13, 20, 30))


@pytest.mark.parametrize("seed", range(60))
def test_what_true_numbers_imply_is_true(seed: int) -> None:
    """Whatever is known of the true numbers, exactly or loosely, contradicts none of them."""
    chance = random.Random(seed)
    laws = random_laws(chance)
    implied = Implied()
    for epsilon in chance.sample(DRAWN_EPSILONS, chance.randint(0, 3)):
        worst = max(delta(one, epsilon) for one in both(laws)) + Fraction(1, 10**35)
        implied.add_pair(Fraction(epsilon), worst * chance.choice((1, 1, Fraction(11, 10))))
    for rate in chance.sample(DRAWN_RATES, chance.randint(0, 3)):
        least = min(type_ii(one, rate) for one in both(laws))
        implied.add_point(rate, least * chance.choice((1, 1, Fraction(9, 10))))
    for epsilon in DRAWN_EPSILONS:
        worst = max(delta(one, epsilon) for one in both(laws))
        assert implied.delta_at(Fraction(epsilon)) >= worst - Fraction(1, 10**30)
    for rate in DRAWN_RATES:
        assert implied.type_ii_at(rate) <= min(type_ii(one, rate) for one in both(laws))
    assert implied.advantage >= delta(laws, 0.0)
    for level in (Fraction(1, 100), Fraction(1, 3)):
        found = implied.epsilon_at(level)
        if found != math.inf:
            at = float(found) + 1e-9
            assert max(delta(one, at) for one in both(laws)) <= level + Fraction(1, 10**9)


def test_an_advantage_bounds_every_delta_and_every_type_ii_error() -> None:
    implied = Implied()
    implied.add_pair(Fraction(0), Fraction("1.56e-7"))
    assert implied.delta_at(Fraction("1e-8")) == Fraction("1.56e-7")
    assert implied.type_ii_at(Fraction(1, 20)) == 1 - Fraction(1, 20) - Fraction("1.56e-7")
    assert implied.epsilon_at(Fraction("1.56e-7")) == 0
    assert implied.epsilon_at(Fraction("1.55e-7")) == math.inf


def test_a_point_of_randomized_response_gives_its_advantage_and_its_epsilon() -> None:
    # e^epsilon = 3: the corner is (1/4, 1/4). There the point alone leaves the advantage 2/3: the
    # function may fall to the point as late as at 0, and delta 2/3 is all there is at any epsilon.
    implied = Implied()
    implied.add_point(Fraction(1, 4), Fraction(1, 4))
    assert implied.advantage == Fraction(2, 3)
    assert implied.delta_at(Fraction(50)) == Fraction(2, 3)
    implied.add_pair(Fraction(2), Fraction(0))
    assert implied.delta_at(Fraction(2)) == 0
    assert float(implied.delta_at(Fraction(1))) < 2 / 3


def test_two_pairs_imply_the_chord_between_them() -> None:
    """delta is convex in e^epsilon."""
    implied = Implied()
    implied.add_pair(Fraction(0), Fraction(1, 2))
    implied.add_pair(Fraction(2), Fraction(1, 100))
    growth, top = mp.e, mp.exp(2)
    chord = mp.mpf("0.5") - mp.mpf("0.49") * (growth - 1) / (top - 1)
    assert real(implied.delta_at(ONE)) == pytest.approx(chord, rel=1e-12)


def test_nothing_follows_from_nothing_and_perfect_privacy_from_a_perfect_point() -> None:
    implied = Implied()
    implied.add_pair(math.inf, Fraction(0))
    assert implied.delta_at(ONE) == implied.advantage == 1
    assert implied.type_ii_at(ONE / 2) == 0
    assert implied.epsilon_at(Fraction(1, 10)) == math.inf
    implied.add_point(Fraction(1, 4), Fraction(3, 4))
    assert implied.delta_at(Fraction(0)) == implied.epsilon_at(Fraction(0)) == 0
    assert implied.type_ii_at(ONE / 2) == ONE / 2


def test_a_pair_of_a_huge_epsilon_still_bounds_delta_and_epsilon() -> None:
    implied = Implied()
    implied.add_pair(Fraction(5000), Fraction(1, 10))
    assert implied.delta_at(Fraction(10**6)) == Fraction(1, 10)
    assert implied.epsilon_at(Fraction(1, 5)) == 5000
    assert implied.delta_at(Fraction(10)) == 1


@pytest.mark.parametrize(("epsilon", "share"), [("1", "1/10"), ("1/3", "0"), ("5", "1/100")])
@pytest.mark.parametrize("at", ["1/100", "1/4", "1/2", "4/5"])
def test_one_pair_implies_the_function_of_approximate_dp(epsilon: str, share: str, at: str) -> None:
    """max{0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a)} at a type I error a."""
    known = Implied()
    known.add_pair(Fraction(epsilon), Fraction(share))
    growth, kept, a = math.exp(Fraction(epsilon)), 1 - Fraction(share), float(Fraction(at))
    truth = max(0.0, float(kept) - growth * a, (float(kept) - a) / growth)
    assert float(known.type_ii_at(Fraction(at))) == pytest.approx(truth, rel=1e-9, abs=1e-12)


DELTAS = (Fraction(1, 10**6), Fraction(1, 100))
EPSILONS = (Fraction(1, 10**8), Fraction(1, 10))
RATES = (Fraction(1, 100), Fraction(1, 5))
PRIORS = (Fraction(1, 10), Fraction(1, 2))
WHOLE = Accuracy(1e-6, 20.0)


def printed(bound: Bound | None) -> Any:
    """The double that is printed."""
    if bound is None:
        return None
    value = float(bound)
    return mp.inf if math.isinf(value) else mp.mpf(value)


def printed_row(found: Numbers | Conversion) -> PrintedRow:
    """Every number of a row with its side."""
    numbers = found.numbers if isinstance(found, Conversion) else found
    row = PrintedRow(
        type_ii=[(mp.mpf(float(a)), printed(b)) for a, b in numbers.tradeoff],
        tpr=[(mp.mpf(float(a)), printed(b)) for a, b in numbers.tpr_at_fpr],
        advantage=printed(numbers.advantage),
        mu=printed(numbers.gdp),
        regret=printed(numbers.gdp_regret),
        rho=printed(numbers.zcdp),
    )
    for point in numbers.approx_dp:
        delta = mp.mpf(float(point.delta))
        for bound in (point.epsilon, point.epsilon_lower):
            if bound is not None:
                row.epsilons.append((delta, bound.side, printed(bound)))
    if numbers.pure_dp is not None:
        row.epsilons.append((mp.mpf(0), numbers.pure_dp.side, printed(numbers.pure_dp)))
    if isinstance(found, Conversion):
        row.deltas = [(mp.mpf(float(e)), printed(d)) for e, d in found.profile]
        row.guesses = [(mp.mpf(float(p)), printed(s)) for p, s in found.guesses]
    return row


def question(text: str, metric: Metric, distance: int) -> ConversionQuestion:
    return ConversionQuestion(text, distance, metric, DELTAS, EPSILONS, RATES, PRIORS)


LITTLE = {
    "sampled steps": "compose: [laplace: {scale: 10000000}, subsampled_gaussian: "
    "{noise_multiplier: 1000000, sampling_rate: 0.5, steps: 2}]",
    "responses": "compose: [laplace: {scale: 10000000}, randomized_response: "
    "{epsilon: 1e-7, levels: 3}]",
    "a delta": "compose: [laplace: {scale: 10000000}, approx_dp: {epsilon: 1e-7, delta: 1e-9}]",
}


CUTS = [(name, seconds) for seconds in (2, 150, 10, 20, 50, 90, 300) for name in LITTLE]


@pytest.mark.parametrize(("name", "seconds"), sampled(CUTS, range(3)))
def test_whenever_the_time_is_up_every_number_uses_what_is_certified_by_then(
    name: str, seconds: int
) -> None:
    asked = question(LITTLE[name], "hamming", 1)
    with deadline.running(seconds, Ticks(1.0)) as running:
        measures = measures_at(mechanism_of_text(asked.text, asked.metric), 1, asked.metric)
        found = answer(asked, measures, Accuracy(1e-3, 1e9))
    assert running.was_reached
    assert list(contradictions(printed_row(found))) == []


def test_without_a_composed_profile_delta_and_guesses_follow_from_the_advantage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The advantage is composed in time, and nothing else is."""
    loss = PrivacyLoss(((LaplaceLoss(Fraction(1, 10**7)), 5),))
    advantage = losses.Bracket(1.55e-7, 1.56e-7, "grid", True)
    monkeypatch.setattr(losses, "advantage", lambda *_: advantage)

    def late(*_: object) -> None:
        deadline.cut()

    for name in ("delta_at", "epsilon_at", "type_ii_at", "power_at", "fitted_mu"):
        monkeypatch.setattr(losses, name, late)
    monkeypatch.setattr(losses, "epsilon_of_renyi", lambda *_: Infinite())
    found = answer(question("", "hamming", 1), (loss,), WHOLE)
    row = printed_row(found)
    assert list(contradictions(row)) == []
    most = mp.mpf(advantage.upper)
    assert 0 < most < 1e-6
    assert [d <= most for _, d in row.deltas] == [True, True]
    assert [s <= p + (1 - p) * most + mp.mpf("1e-16") for p, s in row.guesses] == [True, True]
    assert not found.complete
    for at in RATES:
        assert float(type_ii_at((loss,), at).value) >= 1 - at - advantage.upper - 1e-15
        assert float(tpr_at((loss,), at).value) <= at + advantage.upper + 1e-15
        # A test that ignores the outcome has these errors, whatever the two laws are.
        assert float(type_ii_at((loss,), at).value) <= 1 - at
        assert float(tpr_at((loss,), at).value) >= at
    assert float(delta_at((loss,), EPSILONS[0]).value) == pytest.approx(advantage.upper)
    assert epsilon_at((loss,), Fraction(1, 100)).value == 0


class Infinite:
    """An epsilon of no Renyi order."""

    def is_finite(self) -> bool:
        return False


def test_no_infinity_is_printed_next_to_a_number() -> None:
    measures = ApproxZCDP(Fraction(1, 2), Fraction(1, 10**4)), PureDP(Fraction(30))
    found = numbers_of(measures, [Fraction(1, 10**6)], [])
    assert all(isinstance(point.epsilon.value, Fraction) for point in found.approx_dp)
    alone = numbers_of(measures[:1], [Fraction(1, 10**6)], [])
    assert {point.epsilon.value for point in alone.approx_dp} == {math.inf}


def test_rho_follows_from_pure_dp_and_from_mu() -> None:
    (rho,) = (n.zcdp for n in [numbers_of((PureDP(ONE), ZCDP(Fraction(7))), [], [])])
    assert rho is not None
    assert rho.side == "upper"
    assert float(rho) == pytest.approx(math.tanh(0.5), rel=1e-12)
    (rho,) = (n.zcdp for n in [numbers_of((GDP(ONE), ZCDP(Fraction(7))), [], [])])
    assert rho is not None
    assert float(rho) == 0.5


@pytest.mark.parametrize(
    ("measure", "source"),
    [(GDP(Fraction(0)), "gaussian_exact"), (ZCDP(Fraction(0)), "cks20_envelope")],
)
def test_a_guarantee_that_loses_nothing_is_itself_the_source_of_its_error_rates(
    measure: Measure, source: str
) -> None:
    """Nothing smaller than an advantage of 0 follows from other numbers."""
    rates = [ONE / 8, ONE / 2]
    found = numbers_of((measure,), [], rates)
    assert found.advantage is not None
    assert (found.advantage.value, found.advantage.method) == (0, source)
    assert found.operating_points_from == source
    assert [(at, bound.value) for at, bound in found.tradeoff] == [(at, 1 - at) for at in rates]


def test_an_epsilon_is_exact_only_where_no_smaller_one_holds() -> None:
    pure = numbers_of((PureDP(ONE),), [Fraction(1, 100)], [])
    assert pure.pure_dp is not None
    assert pure.pure_dp.side == "exact"
    assert {point.epsilon.side for point in pure.approx_dp} == {"upper"}
    approx: tuple[Measure, ...] = (ApproxDP(ONE, Fraction(1, 100)),)
    sides = {
        delta: {p.epsilon.side for p in numbers_of(approx, [delta], []).approx_dp}
        for delta in (Fraction(1, 100), Fraction(1, 50))
    }
    assert sides == {Fraction(1, 100): {"exact"}, Fraction(1, 50): {"upper"}}
    nothing = numbers_of((PureDP(Fraction(0)),), [Fraction(1, 100)], [])
    assert {point.epsilon.side for point in nothing.approx_dp} == {"exact"}
    polygon_first = numbers_of((PureDP(Fraction(2)), PureDP(ONE)), [], [])
    assert polygon_first.pure_dp is not None
    assert polygon_first.pure_dp.value == 1


def test_a_gaussian_profile_has_a_lower_end_only_where_two_datasets_attain_it() -> None:
    for attained in (False, True):
        found = numbers_of((GDP(ONE, attained=attained),), DELTAS, [])
        assert [p.epsilon_lower is not None for p in found.approx_dp] == [attained, attained]


PARTS: dict[str, list[str]] = {
    "subsampled_gaussian: {noise_multiplier: M, sampling_rate: R, steps: S}": ["M", "R", "S"],
    "gaussian: {sigma: M}": ["M"],
    "gdp: {mu: M}": ["M"],
    "laplace: {scale: M}": ["M"],
    "randomized_response: {epsilon: M, levels: L}": ["M", "L"],
    "pure_dp: {epsilon: E}": ["E"],
    "approx_dp: {epsilon: M, delta: 1e-5}": ["M"],
    "zcdp: {rho: M}": ["M"],
}
VALUES = {
    "M": ("0.1", "0.7", "1", "3"),
    "R": ("0.5", "0.01", "1"),
    "S": ("1", "2"),
    "L": ("2", "5"),
    "E": ("0.1", "1", "200"),
}


def random_part(chance: random.Random) -> str:
    text = chance.choice(sorted(PARTS))
    for name in PARTS[text]:
        text = text.replace(f": {name}", f": {chance.choice(VALUES[name])}")
    return text


def random_question(seed: int) -> ConversionQuestion:
    chance = random.Random(seed)
    parts = [random_part(chance) for _ in range(chance.choice((1, 1, 2)))]
    text = parts[0] if len(parts) == 1 else f"compose: [{', '.join(parts)}]"
    metric, distance = chance.choice(get_args(Metric)), chance.choice((1, 1, 2, 3, 9))
    # Every record responds in its own place, which only this metric compares.
    return question(text, "hamming" if "randomized_response" in text else metric, distance)


@pytest.mark.parametrize("seed", sampled(range(1500), (1, 2, 4, 7, 8)))
def test_no_two_numbers_of_a_row_contradict_each_other(seed: int) -> None:
    """Over random mechanisms, metrics, and distances: the numbers themselves are the truth."""
    found: Conversion = conversion_of(random_question(seed), 100.0, 1e-6)
    assert list(contradictions(printed_row(found))) == []


def sampled_delta(rate: str, sigma: str, metric: Metric, distance: int) -> Callable[[Any], Any]:
    splits = [(distance, distance)]
    if metric == "symmetric_difference":
        splits = [(a, distance - a) for a in range(distance + 1)]
    pairs = [ends(a, b, mp.mpf(rate), mp.mpf(sigma)) for a, b in splits]
    ordered = [*pairs, *((second, first) for first, second in pairs)]

    def law(epsilon: Any) -> Any:
        with mp.workdps(18):
            return max(delta_of_step(p, q, epsilon) for p, q in ordered)

    return law


def responses_delta(epsilon: str, levels: int, number: int) -> Callable[[Any], Any]:
    """Of independent responses of several records, outcome by outcome."""
    growth = mp.exp(mp.mpf(epsilon))
    keep, other = growth / (growth + levels - 1), 1 / (growth + levels - 1)
    one = [(keep, other), (other, keep), *[(other, other)] * (levels - 2)]
    pairs = [
        (mp.fprod(p for p, _ in outcome), mp.fprod(q for _, q in outcome))
        for outcome in itertools.product(one, repeat=number)
    ]
    return lambda e: mp.fsum(max(p - mp.exp(e) * q, mp.mpf(0)) for p, q in pairs)


def known_mechanisms() -> Iterator[tuple[str, str, Metric, int, Callable[[Any], Any]]]:
    """(name, text, metric, distance, delta over epsilon)."""
    cases: list[tuple[str, str, Metric, int]] = [
        ("0.5", "1", "hamming", 1),
        ("0.25", "0.8", "symmetric_difference", 2),
    ]
    for rate, sigma, metric, distance in cases:
        text = (
            f"subsampled_gaussian: {{noise_multiplier: {sigma}, sampling_rate: {rate}, steps: 1}}"
        )
        law = sampled_delta(rate, sigma, metric, distance)
        yield f"{rate} {sigma} {metric} {distance}", text, metric, distance, law
    for distance in (1, 2, 3):
        text = "compose: [gaussian: {sigma: 2}, gaussian: {sigma: 1, shifts: [1, 2]}]"
        law = partial(gaussian_delta, distance * mp.sqrt(mp.mpf("5.25")))
        yield f"gaussian {distance}", text, "hamming", distance, law
        text, law = (
            "randomized_response: {epsilon: 0.7, levels: 3}",
            responses_delta("0.7", 3, distance),
        )
        yield f"responses {distance}", text, "hamming", distance, law


OF_ITS_OWN = ("loss_distribution", "gaussian_exact", "tradeoff_duality")
KNOWN = {known[0]: known[1:] for known in known_mechanisms()}


@pytest.mark.parametrize("name", KNOWN)
def test_printed_epsilons_enclose_the_true_one(name: str) -> None:
    text, metric, distance, delta = KNOWN[name]
    asked = replace(question(text, metric, distance), priors=())  # no guess is compared
    found: Numbers = conversion_of(asked, 100.0, 1e-6).numbers
    for point in (point for point in found.approx_dp if point.conversion in OF_ITS_OWN):
        at = mp.mpf(point.delta.numerator) / point.delta.denominator
        above = mp.mpf(float(point.epsilon))
        assert delta(above) <= at * (1 + mp.mpf("1e-12"))
        for bound in (point.epsilon_lower, point.epsilon):
            if bound is not None and bound.side != "upper" and float(bound) > 0:
                assert delta(mp.mpf(float(bound)) * (1 - mp.mpf("1e-9"))) >= at
    assert found.advantage is not None
    assert mp.mpf(float(found.advantage)) >= delta(mp.mpf(0)) * (1 - mp.mpf("1e-15"))


@pytest.mark.parametrize("mu", ["0.001", "1", "30"])
def test_zcdp_that_follows_from_gdp_is_never_tighter(mu: str) -> None:
    square = Fraction(mu) ** 2
    both = GDP(square), ZCDP(square / 2)
    for delta in DELTAS:
        epsilon, alone = epsilon_at(both, delta), epsilon_at((ZCDP(square / 2),), delta)
        assert epsilon.method == "gaussian_exact"
        assert epsilon == epsilon_at(both[:1], delta)
        assert epsilon.value <= alone.value
        assert gaussian_delta(float(mu), float(epsilon.value)) <= float(delta) * (1 + 1e-9)


def test_zcdp_of_a_smaller_rho_counts_next_to_gdp() -> None:
    both, alone = (GDP(ONE), ZCDP(ONE / 100)), (ZCDP(ONE / 100),)
    for delta in DELTAS:
        assert epsilon_at(both, delta) == epsilon_at(alone, delta)
        assert epsilon_at(both, delta).value < epsilon_at(both[:1], delta).value


def laplace(shift: int) -> PrivacyLoss:
    return PrivacyLoss(((LaplaceLoss(Fraction(shift)), 1),))


@pytest.mark.parametrize("shifts", [(3, 1), (1, 3), (3,)])
@pytest.mark.parametrize("delta", ["1/10", "1/1000"])
def test_epsilon_by_renyi_holds_for_the_worst_of_several_products(
    shifts: tuple[int, ...], delta: str
) -> None:
    """Laplace noise that is moved by 3 has the epsilon 3 + 2 ln(1 - delta), and at most 3."""
    (point,) = _by_renyi([laplace(shift) for shift in shifts], Fraction(delta))
    assert 3 + 2 * math.log1p(-Fraction(delta)) <= point.epsilon.value <= 3 + 1e-9
    assert point.conversion == "renyi_curve"


def test_a_lower_bound_on_epsilon_is_0_where_nothing_is_attained() -> None:
    delta = Fraction(1, 10**5)
    for measures in ((), (ZCDP(Fraction(1)),), (ApproxDP(Fraction(3), delta),)):
        bound = epsilon_lower_at(measures, delta)
        assert (bound.value, bound.side) == (0, "lower")
    attained = epsilon_lower_at((ZCDP(Fraction(1)), GDP(Fraction(2), attained=True)), delta)
    assert attained.side == "lower"
    assert float(attained.value) == pytest.approx(float(gaussian_epsilon(2**0.5, delta)), rel=1e-9)


ALPHA = Fraction(1, 20)


def polygon_of(measures: tuple[Measure, ...]) -> PiecewiseLinear:
    return next(m for m in measures if isinstance(m, PiecewiseLinear))


def declared(measure: DeclaredMeasure) -> Declared:
    return Declared(measure)


@pytest.mark.parametrize("kind", ["twice", "repeat"])
def test_row_31_semi_dp_first_beats_composition_first(kind: str) -> None:
    part = declared(PureDP(Fraction(1)))
    parts = ((part, 1), (part, 1)) if kind == "twice" else ((part, 2),)
    other = loss_composition_first(Composition(parts), 2, NoSpaces())
    assert other is not None
    semi = polygon_of(loss_at(Composition(parts), 2, "D_t", NoSpaces(), steps=True).measures)
    composed = polygon_of(other)
    assert float(polygon.type_ii_at(semi, ALPHA)) == golden("type_ii_of_semi_dp_first")
    assert float(polygon.type_ii_at(composed, ALPHA)) == golden("type_ii_of_composition_first")
    assert float(polygon.delta_at(semi, Fraction(1))) == golden("delta_of_semi_dp_first")
    assert float(polygon.delta_at(composed, Fraction(1))) == golden("delta_of_composition_first")


def test_row_31_both_orders_agree_for_gdp() -> None:
    mechanism: Mechanism = Composition(((declared(gdp("1")), 1), (declared(gdp("2")), 1)))
    best = loss_at(mechanism, 3, "D_t", NoSpaces(), steps=True).measures
    assert best == loss_composition_first(mechanism, 3, NoSpaces())
    mu = numbers_of(best, [], []).gdp
    assert mu is not None
    assert float(mu.value) == golden("mu_of_1_and_2_at_distance_3")


def test_only_zcdp_known_never_gives_the_gaussian_profile() -> None:
    # Erratum E5: the discrete Gaussian is zCDP and violates the Gaussian profile.
    numbers = numbers_of((ZCDP(Fraction("2.56")),), [Fraction("1e-10")], [ALPHA])
    assert {point.conversion for point in numbers.approx_dp} == {"bs16", "cks20"}
    assert numbers.operating_points_from == "cks20_envelope"


def test_census_tables_round_up_at_the_fourth_digit() -> None:
    from semiaudit.model.number_text import bound_text

    numbers = numbers_of((ZCDP(Fraction("10.24")),), [Fraction("1e-10")], [])
    texts = [bound_text(point.epsilon) for point in numbers.approx_dp]
    assert texts == ["39.83", "40.96"]
    assert numbers.zcdp is not None
    assert bound_text(numbers.zcdp) == "10.24"
