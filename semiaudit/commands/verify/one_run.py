"""Verification with one run: many disjoint changes of one dataset, each with its own coin.

The coins are independent and fair, so the dataset of the run is any of 2^m datasets, all of which
must be in D_t. The moves are changes of disjoint cells, each of which keeps every linear invariant:
so does every sum of them. The start has all records that any subset takes away; its public bounds
allow the sum of all falls and the sum of all rises, and groups of keys stay occupied.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from operator import itemgetter

import numpy as np

from semiaudit import progress
from semiaudit.commands.verify.model import (
    ClaimTest,
    CodeRun,
    VerdictWord,
    Verified,
    VerifiedPair,
)
from semiaudit.commands.verify.pair import (
    cells_of,
    images_of,
    moves_by_loss,
    noisy_coordinates,
    pair_of_move,
    start_of,
    write_datasets,
)
from semiaudit.commands.verify.power import GRID, QUANTILE
from semiaudit.commands.verify.scores import likelihood_ratio, outputs_of
from semiaudit.commands.verify.subject import Announce, Subject, claim_at
from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.adjacency import table_distance
from semiaudit.numeric.modular_rank import Integers
from semiaudit.privacy.empirical.one_run import p_value
from semiaudit.private_folders import private_folder
from semiaudit.universe.sensitivity.query_classes import CellSystem

MOST_COINS = 1000
LEAST_COINS = 8


def verify_one_run(subject: Subject, time_limit: float, announce: Announce) -> Verified:
    """Run the code once, and test (epsilon, delta) of the distance of a move.

    The coins of the moves with the largest likelihood ratios, as many as the options say, are
    guessed by its sign; the others are abstentions. Guesses that are not better than chance show
    nothing, because the output may not depend on the dataset: they are undecided.

    Raises:
        RefusedError: there are too few disjoint moves, or the noise is not known.
    """
    release, cells = subject.release, cells_of(subject.context)
    progress.doing("disjoint moves")
    moves, table = ([], []) if cells is None else _moves(subject, cells)
    if cells is None or len(moves) < LEAST_COINS:
        what = f"Dₜ has {len(moves)} disjoint moves of noisy numbers that one dataset can start"
        raise RefusedError(Refusal(what, f"at least {LEAST_COINS} are needed; use many runs"))
    pairs = [pair_of_move(release, cells, table, move) for move in moves]
    subject = replace(
        subject,
        pair=replace(pairs[0], source="one of the moves"),
        claim=claim_at(release, pairs[0].distance, time_limit),
    )
    alpha, number = float(1 - subject.options.confidence), len(moves)
    guesses = subject.options.guesses or number
    if guesses > number:
        what = f"--guesses {guesses}: only {number} coins are flipped"
        raise RefusedError(Refusal(what, f"use at most {number}"))
    # one point of the claimed curve is tested: the most powerful one, known before the run
    powers = [
        (_detectable(number, guesses, *point, alpha), point) for point in subject.claim.points
    ]
    factor, (epsilon, delta) = min(powers)
    announce(f"One run with {number} moves detects a claim that is wrong {factor:.3g} times.")
    words = subject.words()
    code = subject.code(words)
    with (
        private_folder() as folder,
        closing(subject.journal(words, (table, [move.tolist() for move in moves]))) as journal,
    ):
        coins = [journal.label(at) for at in range(number)]
        chosen = [move for move, coin in zip(moves, coins, strict=True) if coin]
        made = pair_of_move(release, cells, table, sum(chosen, np.zeros_like(moves[0])))
        if not made.inside or not all(pair.inside for pair in pairs):
            raise RefusedError(Refusal("a sum of moves leaves D_t", "use many runs"))
        outcome = journal.outcomes.get(number)
        if outcome is None:
            _, dataset = write_datasets(made, release, subject.options.data_form, folder)
            outcome = subject.runner(words)(dataset)
            journal.record(number, outcome)
    subject.check_unchanged(words, code)
    run = CodeRun(False, outcome)
    base = replace(subject.verified([run], code), moves=number)
    if outcome.kind != "ok":
        return base
    right = _right(subject, pairs, run, coins, guesses)
    p = p_value(number, guesses, right, epsilon, delta)
    seen = delta, None, (right, 0), (number, guesses), factor
    test = ClaimTest("one_run", "both", epsilon, p, p <= alpha, *seen)
    verdict: VerdictWord = "undecided"
    if test.rejects:
        verdict = "violated"
    elif factor <= 3 and p_value(number, guesses, right, 0.0, 0.0) <= alpha:
        verdict = "consistent"
    score = "log-likelihood ratio of each move"
    return replace(base, verdict=verdict, tests=(test,), score=score)


def _moves(subject: Subject, cells: CellSystem) -> tuple[list[Integers], Sequence[int]]:
    """Return disjoint moves of the shortest distance, and a table that can start all of them."""
    metric, images = subject.release.adjacency.metric, images_of(cells)
    for distance in range(1, subject.pair.distance + 1):
        taken = np.zeros(cells.system.classes, dtype=bool)
        moves: list[Integers] = []
        for move in moves_by_loss(subject.context, cells, distance):
            apart = table_distance(metric, int(np.abs(move).sum()))
            if apart == distance and (move @ images).any() and not taken[move != 0].any():
                moves.append(move)
                taken |= move != 0
        moves = moves[:MOST_COINS]
        while moves:
            table = start_of(cells, moves, subject.limits)
            if table is not None:
                return moves, table
            moves = moves[: len(moves) * 9 // 10]
    return [], []


def _right(
    subject: Subject,
    pairs: Sequence[VerifiedPair],
    run: CodeRun,
    coins: Sequence[bool],
    guesses: int,
) -> int:
    """Guess coins by the largest scores of their moves, and return how many guesses are right."""
    outputs, scored = outputs_of([run], 1), []
    for pair, coin in zip(pairs, coins, strict=True):
        coordinates = noisy_coordinates(subject.context, subject.release, pair)
        score, missing = likelihood_ratio(outputs, coordinates or ())
        if coordinates is None or score is None:
            why = f"the output has no number {missing}" if missing else "the noise is not known"
            raise RefusedError(Refusal(f"one run cannot be scored: {why}", "use many runs"))
        found = float(score(outputs.values)[0])
        scored.append((abs(found), (found < 0) == coin))
    scored.sort(key=itemgetter(0), reverse=True)
    return sum(is_right for _, is_right in scored[:guesses])


def _detectable(coins: int, guesses: int, epsilon: float, delta: float, alpha: float) -> float:
    """Return the smallest factor of the claim that is detected; infinite if none of a grid is."""
    for factor in GRID:
        chance = 1 / (1 + math.exp(-epsilon * factor))
        right = guesses * chance - QUANTILE * math.sqrt(guesses * chance * (1 - chance))
        if p_value(coins, guesses, max(0, math.floor(right)), epsilon, delta) <= alpha:
            return factor
    return math.inf
