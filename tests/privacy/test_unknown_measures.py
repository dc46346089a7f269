"""A measure of a kind that the calculus does not know is refused wherever it could arrive."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, get_args

import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms import joint as sums
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.kind import not_attained
from semiaudit.model.loss import LaplaceLoss, PrivacyLoss, WorstLoss
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, ApproxZCDP, Measure, PureDP
from semiaudit.model.mechanism import Declared
from semiaudit.privacy.composition import compose
from semiaudit.privacy.conversion import tradeoff_from_approx
from semiaudit.privacy.epsilons import epsilons_at
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.group import group
from semiaudit.privacy.loss.pairs import pair_kinds
from semiaudit.privacy.ordering.definition_20 import order_of_measures
from semiaudit.privacy.ordering.implication import bundle_implies, implies, is_perfect, strongest
from semiaudit.privacy.tradeoff import algebra, function, links
from semiaudit.privacy.tradeoff.sources import bracket_of
from semiaudit.privacy.weakest import weakest
from tests.places import ROOT

ONE, HALF = Fraction(1), Fraction(1, 2)

EVERY: tuple[Measure, ...] = (
    PureDP(ONE),
    ApproxDP(ONE, Fraction(1, 100)),
    ZCDP(HALF),
    ApproxZCDP(HALF, Fraction(1, 1000)),
    GDP(ONE),
    tradeoff_from_approx(PureDP(ONE)),
    PrivacyLoss(((LaplaceLoss(ONE), 1),)),
    WorstLoss((PrivacyLoss(((LaplaceLoss(ONE), 1),)), PrivacyLoss(((LaplaceLoss(ONE), 2),)))),
)


class MadeUp:
    """A measure of a kind that was made up here."""


UNKNOWN: Any = MadeUp()
DOORS: dict[str, Callable[[Any], object]] = {
    "numbers": lambda m: numbers_of((m,), [], []),
    "numbers beside a known one": lambda m: numbers_of((GDP(ONE), m), [], []),
    "epsilons": lambda m: epsilons_at((m,), HALF),
    "compose": lambda m: compose([((m,), 2)]),
    "compose once": lambda m: compose([((m,), 1)]),
    "compose with a known one": lambda m: compose([((GDP(ONE),), 1), ((GDP(ONE), m), 1)]),
    "group": lambda m: group((m,), 2),
    "group at distance 1": lambda m: group((m,), 1),
    "strongest": lambda m: strongest((m,)),
    "strongest of two": lambda m: strongest((m,), (m,)),
    "weakest of two": lambda m: weakest([(GDP(ONE), m), (GDP(ONE), m)]),
    "number of a sum": sums.number_of,
    "sums or products": lambda m: sums.is_of_sums(m, hull=False),
    "perfect": lambda m: is_perfect((GDP(Fraction(0)), m)),
    "implies as the strong one": lambda m: implies(m, GDP(ONE)),
    "implied by a bundle": lambda m: bundle_implies((GDP(ONE),), (m,)),
    "not attained": lambda m: not_attained((m,)),
    "function": function.function_from_measure,
    "type II error": lambda m: function.type_ii_at(m, HALF),
    "type II error from below": lambda m: function.type_ii_from_below(m, HALF),
    "delta": lambda m: function.delta_at(m, ONE),
    "epsilon": lambda m: function.epsilon_at(m, HALF),
    "advantage": function.advantage_from_above,
    "inverse": algebra.inverse,
    "symmetrised": algebra.symmetrised,
    "functional power": lambda m: algebra.functional_power(m, 2),
    "tensor": lambda m: algebra.tensor([(m, 2)]),
    "bracket": bracket_of,
    "divergence": lambda m: links.renyi_divergence(m, Fraction(2)),
    "f of epsilon and delta": tradeoff_from_approx,
    "rho of a pair": lambda m: pair_kinds.kind_of(m, "rho").rho(),
    **{f"implied by {type(strong).__name__}": partial(implies, strong) for strong in EVERY},
    **{
        f"ordered against {type(other).__name__}": partial(order_of_measures, other)
        for other in EVERY
    },
    "declared": lambda m: kind_of(Declared(m)),
}


def test_every_kind_of_measure_has_an_example() -> None:
    assert {type(measure) for measure in EVERY} == set(get_args(Measure))


@pytest.mark.parametrize("door", DOORS)
def test_an_unknown_measure_is_refused(door: str) -> None:
    with pytest.raises((AssertionError, TypeError, RefusedError), match="MadeUp"):
        DOORS[door](UNKNOWN)


@pytest.mark.parametrize("measure", EVERY, ids=lambda measure: type(measure).__name__)
def test_every_known_measure_is_taken_wherever_measures_arrive(measure: Measure) -> None:
    numbers = numbers_of((measure,), [HALF], [HALF])
    assert numbers.tradeoff[0][1].side == "lower"
    assert compose([((measure,), 1)]) == (measure,)
    assert group((measure,), 1) == strongest((measure,)) == (measure,)
    assert strongest((measure,), (measure,)) == (measure,)
    assert weakest([(measure,), (measure,)])
    assert isinstance(sums.is_of_sums(measure, hull=True), bool)
    assert not is_perfect((measure,))
    for other in EVERY:
        assert isinstance(implies(measure, other), bool)
    group((measure,), 2)
    compose([((measure,), 2)])
    not_attained((measure,))


def test_without_assertions_the_refusals_are_the_same() -> None:
    script = (
        "from semiaudit.errors import RefusedError\n"
        "from tests.privacy.test_unknown_measures import DOORS, UNKNOWN\n"
        "for name, door in DOORS.items():\n"
        "    try:\n"
        "        door(UNKNOWN)\n"
        "    except (AssertionError, TypeError, RefusedError) as refusal:\n"
        "        print('refused' if 'MadeUp' in str(refusal) else refusal)\n"
        "    else:\n"
        "        print('taken', name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-O", "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    assert done.stdout.split("\n") == ["refused"] * len(DOORS) + [""]
