"""Exact decision whether one finite experiment on many datasets is a garbling of another.

An experiment has a law for each dataset. It is at least as informative as another one on the same
datasets if some kernel K turns each of its laws into the other's: P_x K = Q_x for every dataset x
(Blackwell 1951). For two datasets the polygons of the tradeoff functions decide (``blackwell``);
for more, a linear program does. The simplex method in rationals solves it; Bland's rule makes it
terminate. If there is no kernel, the dual solution is a reward for guesses: the largest expected
reward from the first experiment is less than the reward for reporting the outcome of the second one
(Blackwell and Sherman), which proves that there is no kernel. Both answers are checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.frozen import dataclass
from semiaudit.numeric.simplex import feasible_point
from semiaudit.privacy.ordering.kernel import Kernel

Laws = Sequence[Sequence[Fraction]]
"""A row for each dataset: the probabilities of the outcomes."""

MAX_ENTRIES = 256
"""The most entries of a kernel in the search."""

MAX_EQUATIONS = 256

_NONE, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class Garbling:
    """The kernel, or a proof that there is none.

    Attributes:
        kernel: a row for each outcome of the source; None if there is none.
        reward: a row for each dataset, a column for each outcome of the target: the reward for that
            answer if the dataset is the true one. The target's own outcomes as answers earn more in
            total than any answers based on the source's outcomes. None if there is a kernel.
    """

    kernel: Kernel | None
    reward: tuple[tuple[Fraction, ...], ...] | None


def garbling_of(source: Laws, target: Laws) -> Garbling | None:
    """Decide whether the target is a garbling of the source.

    Args:
        source, target: experiments on the same datasets, in the same order.

    Returns:
        None if the linear program is too large to be solved here.

    Raises:
        ArithmeticError: an answer does not verify, which no input is known to cause.
        OutOfTimeError: the time limit was reached.

    Source: Blackwell, Comparison of Experiments (1951), Theorem 2; Su's review, Theorem 4, for two.
    """
    pairs = list(dict.fromkeys(zip(map(tuple, source), map(tuple, target), strict=True)))
    first, second = [law for law, _ in pairs], [other for _, other in pairs]
    outcomes, answers = len(first[0]), len(second[0])
    if outcomes * answers > MAX_ENTRIES or len(pairs) * answers + outcomes > MAX_EQUATIONS:
        return None
    rows, right = _equations(first, second)
    solution, dual = feasible_point(rows, right)
    if solution is not None:
        kernel = tuple(
            tuple(solution[i * answers + j] for j in range(answers)) for i in range(outcomes)
        )
        if not turns(kernel, source, target):
            raise ArithmeticError("a kernel between two experiments does not verify")
        return Garbling(kernel, None)
    paid = {
        pair: tuple(dual[at * answers + j] for j in range(answers)) for at, pair in enumerate(pairs)
    }
    rewarded: set[object] = set()
    reward = []
    for pair in zip(map(tuple, source), map(tuple, target), strict=True):
        reward.append((_NONE,) * answers if pair in rewarded else paid[pair])
        rewarded.add(pair)
    if not refutes(reward, source, target):
        raise ArithmeticError("a proof that there is no kernel does not verify")
    return Garbling(None, tuple(reward))


def turns(kernel: Kernel, source: Laws, target: Laws) -> bool:
    """Return whether a matrix is a kernel that turns the source's laws into the target's."""
    if any(min(row) < 0 or sum(row) != 1 for row in kernel):
        return False
    return all(
        sum((p * row[j] for p, row in zip(law, kernel, strict=True)), _NONE) == probability
        for law, other in zip(source, target, strict=True)
        for j, probability in enumerate(other)
    )


def refutes(reward: Laws, source: Laws, target: Laws) -> bool:
    """Return whether the target's outcomes earn more of a reward than any use of the source's.

    With a kernel, the source would earn as much as the target's outcomes, so there is no kernel.
    """
    expected = sum(
        (q * paid for law, row in zip(target, reward, strict=True)
         for q, paid in zip(law, row, strict=True)),
        _NONE,
    )  # fmt: skip
    best = _NONE
    for outcome in range(len(source[0])):
        best += max(
            sum((law[outcome] * row[j] for law, row in zip(source, reward, strict=True)), _NONE)
            for j in range(len(target[0]))
        )
    return expected > best


def _equations(first: Laws, second: Laws) -> tuple[list[list[Fraction]], list[Fraction]]:
    """Return the equations P_x K = Q_x for every dataset and answer, and for row sums of 1."""
    outcomes, answers = len(first[0]), len(second[0])
    rows, right = [], []
    for law, target in zip(first, second, strict=True):
        for j in range(answers):
            row = [_NONE] * (outcomes * answers)
            row[j::answers] = law
            rows.append(row)
            right.append(target[j])
    for i in range(outcomes):
        row = [_NONE] * (outcomes * answers)
        row[i * answers : (i + 1) * answers] = [_ONE] * answers
        rows.append(row)
        right.append(_ONE)
    return rows, right
