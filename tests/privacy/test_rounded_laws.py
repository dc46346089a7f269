"""Probabilities in floating point: every law within the tolerance is between the two bounds."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from semiaudit import Finite, FiniteNoise, FiniteTradeoff
from semiaudit.cli import main
from semiaudit.model.loss import FiniteLoss
from semiaudit.privacy.rounded_laws import pair_of_laws, pair_within_laws
from tests.oracles.rounded_laws import Law, corners, delta, type_ii
from tests.samples import sampled

GROWTHS = [Fraction(k, 8) for k in (0, 1, 3, 7, 8, 9, 12, 20, 80)]
RATES = [Fraction(k, 10) for k in range(11)]


def random_law(chance: random.Random, size: int) -> list[Fraction]:
    weights = [chance.choice((0, 1, 1, 2, 5, 9)) or (not place) for place in range(size)]
    return [Fraction(weight, sum(weights)) for weight in weights]


def rounded(chance: random.Random, law: list[Fraction], rtol: Fraction) -> Law:
    return tuple(share * (1 + rtol * chance.choice((-1, 0, 1))) for share in law)


def two(chance: random.Random, size: int, rtol: Fraction) -> tuple[Law, Law]:
    first, second = (rounded(chance, random_law(chance, size), rtol) for _ in range(2))
    return first, second


def losses(pair: FiniteLoss) -> tuple[Law, Law]:
    return pair.first, pair.second


@pytest.mark.parametrize("seed", sampled(range(5), (0,)))
def test_all_laws_within_the_tolerance_lie_between_the_bounds(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(100):
        size = chance.choice((1, 2, 3, 3, 4))
        rtol = chance.choice((Fraction(1, 10**12), Fraction(1, 10**3), Fraction(1, 50)))
        given = two(chance, size, rtol)
        above, below = pair_of_laws(given, rtol), pair_within_laws(given, rtol)
        pairs = list(product(corners(given[0], rtol), corners(given[1], rtol)))
        assert pairs
        for growth in GROWTHS:
            deltas = [delta(pair, growth) for pair in pairs]
            assert delta(losses(above), growth) >= max(deltas)
            assert delta(losses(below), growth) <= min(deltas)
        for rate in RATES:
            errors = [type_ii(pair, rate) for pair in pairs]
            assert type_ii(losses(above), rate) <= min(errors)
            assert type_ii(losses(below), rate) >= max(errors)


def test_the_bounds_are_those_of_the_scaled_profiles() -> None:
    """With c and eta: (1 + c) delta(epsilon - eta), and (1 - c) delta(epsilon + eta)."""
    chance = random.Random(7)
    for _ in range(100):
        rtol = Fraction(1, 100)
        given = two(chance, 3, rtol)
        first, second = (tuple(share / sum(law) for share in law) for law in given)
        more = (1 + rtol) / (1 - rtol) - 1
        step = (1 + more) / (1 - more)
        above, below = pair_of_laws(given, rtol), pair_within_laws(given, rtol)
        for growth in GROWTHS:
            most = (1 + more) * delta((first, second), growth / step)
            least = (1 - more) * delta((first, second), growth * step)
            assert delta(losses(above), growth) <= most
            assert delta(losses(below), growth) >= least


def test_what_is_missing_is_lost() -> None:
    """Whatever outcomes the missing mass has, also those that only one of the datasets has."""
    chance = random.Random(3)
    for _ in range(200):
        laws = [random_law(chance, 4) for _ in range(2)]
        if not all(law[-1] and sum(law[:-1]) for law in laws):
            continue
        rtol = Fraction(1, 1000)
        cut = [rounded(chance, law[:-1], rtol) for law in laws]
        pair = pair_of_laws((cut[0], cut[1]), rtol)
        whole = tuple(laws[0]), tuple(laws[1])
        apart = (*laws[0], Fraction(0)), (*laws[1][:-1], Fraction(0), laws[1][-1])
        for growth in GROWTHS:
            assert delta(losses(pair), growth) >= delta(whole, growth)
            assert delta(losses(pair), growth) >= delta(apart, growth)


def test_floats_are_accepted_and_fractions_stay_exact() -> None:
    thirds, other = [1 / 3] * 3, [0.2, 0.3, 0.5]
    f, exact = FiniteTradeoff(thirds, other), FiniteTradeoff(["1/3"] * 3, other)
    assert "rtol" in repr(f)
    assert "rtol" not in repr(exact)
    assert exact(0.1).value == exact.from_above(0.1).value - Fraction(1, 2**53)
    assert Fraction(17, 20) - Fraction(1, 10**11) < f(0.1).value < Fraction(17, 20)
    assert Fraction(17, 20) < f.from_above(0.1).value < Fraction(17, 20) + Fraction(1, 10**11)
    # Poisson(2), cut off: its tail of 4.8e-10 is more than the tolerance, so it is lost.
    law = [math.exp(-2) * 2**k / math.factorial(k) for k in range(16)]
    noise = FiniteNoise(range(16), law)
    lost = noise.guarantee().delta(50).value
    assert law[0] + 4.7e-10 < lost < law[0] + 4.9e-10


def test_numbers_of_many_runs_cover_every_law() -> None:
    rtol = Fraction(1, 10_000)
    laws = [0.25, 0.75], [0.3333333333333333, 0.6666666666666666]
    found = (Finite([[0], [1]], laws, rtol=rtol) * 20).guarantee()
    worst = Fraction(0)
    exact = [[Fraction(str(share)) for share in law] for law in laws]
    for p, q in product(corners(exact[0], rtol), corners(exact[1], rtol)):
        outcomes = [
            (
                math.comb(20, k) * p[0] ** k * p[1] ** (20 - k),
                math.comb(20, k) * q[0] ** k * q[1] ** (20 - k),
            )
            for k in range(21)
        ]
        pair = tuple(a for a, _ in outcomes), tuple(b for _, b in outcomes)
        worst = max(worst, delta(pair, Fraction(3)), delta(pair[::-1], Fraction(3)))
    assert worst <= found.delta(math.log(3)).value <= worst * Fraction(105, 100)


def test_a_spec_with_rounded_probabilities_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    noise = "values: [-1, 0, 1, 2], probabilities: [0.3, 0.3, 0.3, 0], shifts: [1]"
    path.write_text(
        "semiaudit: 1\ndataspace: {size: 10}\n"
        f"mechanism: {{finite_noise: {{{noise}, neighbors: replace_one, rtol: 1e-9}}}}\n",
        "utf-8",
    )
    assert main(["analyze", str(path), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    (finding,) = (f for f in report["findings"] if f["rule"] == "SA041")
    assert "the one that is 0 must be exactly 0" in finding["message"]
    assert "lacks up to 0.1" in finding["message"]
    assert report["guarantees"][0]["advantage"] > 0.4
    sampled = path.read_text("utf-8").replace("shifts: [1], neighbors: replace_one", "query: table")
    path.write_text(sampled.replace("size: 10", "size: 10, attributes: {a: 2}"), "utf-8")
    assert main(["mechanism", "sample", str(path), "-o", f"csv={tmp_path / 'x.csv'}"]) == 2
    assert "rounded probabilities" in capsys.readouterr().err


@pytest.mark.parametrize("rtol", ["0.01", -1, "2"])
def test_a_tolerance_out_of_range_is_refused(rtol: object) -> None:
    with pytest.raises(ValueError, match="rtol"):
        FiniteTradeoff([0.5, 0.5], [0.25, 0.75], rtol=rtol)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rtol"):
        FiniteNoise([0, 1], [0.5, 0.5], rtol=rtol)  # type: ignore[arg-type]
