"""The program over pieces, against trying every table."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from semiaudit import deadline
from semiaudit.errors import RefusedError
from semiaudit.mechanisms.sampling import nonnegative as pieces
from semiaudit.mechanisms.sampling.nonnegative import (
    Pieces,
    SumConstraint,
    _within,
    keeps,
    nearest,
)
from semiaudit.model.results.errors import FitNorm
from tests.clocks import Ticks

CELLS, MOST = 5, 6
EVERY = np.array(list(product(range(MOST + 1), repeat=CELLS)))


def drawn_rules(source: random.Random) -> list[SumConstraint]:
    """A total that keeps all cells below ``MOST``, and two rules with coefficients up to 3."""
    truth = [source.randint(0, 2) for _ in range(CELLS)]
    total = min(sum(truth), MOST)
    while sum(truth) > total:
        truth[truth.index(max(truth))] -= 1
    rules = [SumConstraint(dict.fromkeys(range(CELLS), 1), total, total)]
    for _ in range(2):
        terms = {c: source.randint(1, 3) for c in source.sample(range(CELLS), 3)}
        value = sum(k * truth[c] for c, k in terms.items())
        open_end = source.random() < 0.3
        rules.append(SumConstraint(terms, value, None if open_end else value))
    return rules


def cheapest(
    target: Sequence[float], rules: Sequence[SumConstraint], fit: FitNorm, weights: Sequence[float]
) -> float:
    """The least cost of all tables that keep the rules."""
    good = np.ones(len(EVERY), dtype=bool)
    for rule in rules:
        sums = sum(k * EVERY[:, cell] for cell, k in rule.terms.items())
        good &= (sums >= (rule.low or 0)) & (sums <= (np.inf if rule.high is None else rule.high))
    away = np.abs(EVERY[good] - np.array(target))
    return float((np.array(weights) * (away if fit == "l1" else away**2)).sum(axis=1).min())


def cost(
    table: Sequence[int], target: Sequence[float], fit: FitNorm, weights: Sequence[float]
) -> float:
    power = 1 if fit == "l1" else 2
    return sum(w * abs(a - b) ** power for a, b, w in zip(table, target, weights, strict=True))


@pytest.mark.parametrize("fit", ["l1", "l2"])
def test_no_table_that_keeps_drawn_rules_is_cheaper(fit: FitNorm) -> None:
    source, fractional = random.Random(f"pieces {fit}"), 0
    for _ in range(60):
        rules = drawn_rules(source)
        target = [source.choice([source.gauss(1, 4), source.randint(-9, 12)]) for _ in range(CELLS)]
        weights = [source.choice([0, 0.05, 1, 1, 3]) for _ in range(CELLS)]
        best = cheapest(target, rules, fit, weights)
        found = nearest(target, rules, fit, weights)
        assert keeps(found, rules)
        assert cost(found, target, fit, weights) == pytest.approx(best, abs=1e-9)

        program = Pieces(target, rules, fit, [max(0, round(t)) for t in target], 16, weights)
        relaxed = program.relaxed()
        assert relaxed is not None
        before = cost(program.base, target, fit, weights)
        if fit == "l2":  # l1's pieces are for a base below the target
            assert before + relaxed.cost <= best + 1e-6
        fractional += bool(np.abs(relaxed.values - relaxed.values.round()).max() > 1e-6)
    assert fractional > 5  # the linear program alone does not do


def test_a_far_target_takes_few_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """100,000 people whose noisy total says 60,000: the base is far off, and the way is short."""
    asked = []
    relaxed = Pieces.relaxed

    def counted(self: Pieces) -> pieces.Relaxed | None:
        asked.append(self.number)
        return relaxed(self)

    monkeypatch.setattr(Pieces, "relaxed", counted)
    target = [20_000.0, 10_000.0, 30_000.0, -5.0]
    rules = [SumConstraint(dict.fromkeys(range(4), 1), 100_000, 100_000)]
    found = nearest(target, rules, "l2")
    # 40,005 are missing: three cells take 10,001 of them and one takes 10,002
    assert cost(found, target, "l2", [1] * 4) == 3 * 10_001**2 + 10_002**2
    assert sum(found) == 100_000
    assert len(asked) < 30


def test_a_program_of_many_pieces_stops_at_its_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "MANY", 0)
    source = random.Random(8)
    for _ in range(30):
        rules = drawn_rules(source)
        target = [source.gauss(1, 6) for _ in range(CELLS)]
        weights = [source.choice([0.05, 1, 3]) for _ in range(CELLS)]
        best = cheapest(target, rules, "l2", weights)
        found = nearest(target, rules, "l2", weights)
        assert keeps(found, rules)
        assert cost(found, target, "l2", weights) <= best * (1 + pieces.SLACK) + 1e-9


def test_a_program_without_an_integer_solution_has_no_table_and_ends() -> None:
    """Twice a cell is 3; the cell has no weight, so that every piece is kept from the start."""
    rules = [SumConstraint({0: 2}, 3, 3)]
    for weight in (0.0, 1.0):
        program = Pieces([1.5], rules, "l2", [1], 16, [weight])
        relaxed = program.relaxed()
        assert relaxed is not None
        with deadline.running(100, Ticks(1.0)):
            assert program.whole(relaxed) is None


MARGINS = [
    SumConstraint({0: 1, 1: 1}, 4, 4),
    SumConstraint({2: 1, 3: 1}, 6, 6),
    SumConstraint({0: 1, 2: 1}, 5, 5),
    SumConstraint({1: 1, 3: 1}, 5, 5),
]


@pytest.mark.parametrize("fit", ["l1", "l2"])
def test_no_table_with_the_margins_is_nearer(fit: FitNorm) -> None:
    source = random.Random(1)
    power = {"l1": 1, "l2": 2}[fit]
    for _ in range(12):
        target = [source.gauss(2.5, 6) for _ in range(4)]

        def far(table: list[int], target: list[float] = target) -> float:
            return sum(abs(a - b) ** power for a, b in zip(table, target, strict=True))

        found = nearest(target, MARGINS, fit)
        tables = [[k, 4 - k, 5 - k, 1 + k] for k in range(5)]
        assert found in tables
        assert far(found) == pytest.approx(min(map(far, tables)))


def test_far_targets_and_bounds_are_met_too() -> None:
    rules = [SumConstraint({0: 1, 1: 1}, 500, 500), SumConstraint({0: 1}, 3, None)]
    assert nearest([-40.0, 700.0], rules, "l2") == [3, 497]
    assert nearest([900.0, 0.2], rules, "l2") == [500, 0]


def test_rules_that_no_table_keeps_are_refused() -> None:
    with pytest.raises(RefusedError, match="no table of nonnegative whole numbers"):
        nearest([1.0, 1.0], [SumConstraint({0: 1}, 3, 3), SumConstraint({0: 1, 1: 1}, 2, 2)], "l1")


def test_a_cell_at_the_last_piece_with_an_exact_cost_is_not_within_them() -> None:
    """Further out, and there, costs may be too low; a cell without a cost may be anywhere."""
    assert _within([2, 9], [0, 0], 3, [1.0, 0.0])
    assert not _within([3, 0], [0, 0], 3, [1.0, 0.0])
    assert not _within([0, -3], [0, 0], 3, [1.0, 2.0])
