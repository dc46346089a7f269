"""Verification with one run: many disjoint changes of one dataset, each with its own coin.

The coins are independent and fair, so the dataset of the run is any of 2^m datasets, all of which
must be in D_t. The moves are changes of disjoint cells, each of which keeps every linear invariant:
so does every sum of them. The start has all records that any subset takes away, and its bounds
allow the sums of all falls and of all rises; groups of keys stay occupied (``start_of``).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from semiaudit import progress
from semiaudit.commands.verify.judge import curve_of
from semiaudit.commands.verify.model import Pair, Run, TestResult, VerdictWord, Verified
from semiaudit.commands.verify.pair import (
    cells_of,
    checked,
    labelled,
    moves_by_loss,
    noisy_coordinates,
    space_of,
    start_of,
    write_datasets,
)
from semiaudit.commands.verify.power import GRID, QUANTILE
from semiaudit.commands.verify.run import (
    Announce,
    Subject,
    VerifyOptions,
    claim_at,
    code_sha256,
    failures_of,
    runner_of,
)
from semiaudit.commands.verify.runs import Journal
from semiaudit.commands.verify.scores import likelihood_ratio, outputs_of
from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.adjacency import table_distance
from semiaudit.numeric.modular_rank import Integers
from semiaudit.privacy.empirical.one_run import p_value
from semiaudit.private_folders import private_folder
from semiaudit.universe.sensitivity.query_classes import CellSystem

MOST_COINS = 1000
LEAST_COINS = 8


def verify_one_run(
    subject: Subject, options: VerifyOptions, time_limit: float, announce: Announce
) -> Verified:
    """Run the code once, and test (epsilon, delta) of the distance of a move.

    Raises:
        RefusedError: there are too few disjoint moves, or the noise is not known.
    """
    release, context = subject.release, subject.context
    progress.doing("disjoint moves")
    cells = cells_of(context)
    moves, table, distance = (
        ([], [], 0) if cells is None else _moves(subject, cells, subject.pair.distance)
    )
    if cells is None or len(moves) < LEAST_COINS:
        what = f"D_t has {len(moves)} disjoint moves that one dataset can start"
        remedy = f"at least {LEAST_COINS} are needed; use many runs"
        raise RefusedError(Refusal(what, remedy))
    claim = claim_at(release, distance, time_limit)
    guesses, alpha = min(options.guesses or len(moves), len(moves)), float(1 - options.confidence)
    detectable = [
        (_detectable(len(moves), guesses, *point, alpha), point) for point in curve_of(claim)
    ]
    # one point of the claimed curve is tested: the most powerful one, known before the run
    known = [(factor, point) for factor, point in detectable if factor is not None]
    least, (epsilon, delta) = min(known, default=detectable[0])
    shown = "no wrong claim" if least is None else f"a claim that is wrong {least:.3g} times"
    announce(f"One run with {len(moves)} moves, of which {guesses} are guessed, detects {shown}.")
    space = space_of(release)
    runner = runner_of(options, [attribute.name for attribute in space.attributes])
    code = code_sha256([*runner.files, *options.code])
    what = options.command or options.function or ""
    digest = hashlib.sha256(repr((table, [m.tolist() for m in moves])).encode()).hexdigest()
    about = {"spec": release.sha256, "pair": digest, "code": code, "runs": what}
    journal = Journal(options.journal, {**about, "form": options.data_form})
    coins = [journal.label(at) for at in range(len(moves))]
    chosen = [
        k + sum(int(m[c]) for m, coin in zip(moves, coins, strict=True) if coin)
        for c, k in enumerate(table)
    ]
    start = labelled(space, cells, table)
    pairs = [
        checked(Pair(start, labelled(space, cells, _sum(table, move)), distance, "a move"), release)
        for move in moves
    ]
    made = checked(Pair(start, labelled(space, cells, chosen), distance, "all coins"), release)
    if not made.inside or not all(pair.inside for pair in pairs):
        raise RefusedError(Refusal("a sum of moves leaves D_t", "use many runs"))
    outcome = journal.outcomes.get(len(moves))
    try:
        if outcome is None:
            with private_folder() as data, private_folder() as folder:
                _, dataset = write_datasets(made, release, options.data_form, data)
                outcome = runner(dataset, folder)
            journal.record(len(moves), outcome)
    finally:
        runner.close()
    run = Run(True, outcome)
    base = Verified(
        path=release.path,
        title=release.title,
        sha256=release.sha256,
        spec_sha256=release.sha256,
        code_sha256=code,
        what=what,
        pair=replace(pairs[0], source="one of the moves"),
        claim=claim,
        confidence=float(options.confidence),
        verdict="not run",
        score="log-likelihood ratio of each move",
        runs=(1, 0),
        first=0,
        tests=(),
        findings=(),
        failures=failures_of([run]),
        moves=len(moves),
        guesses=guesses,
        placeholder=release.placeholder_place,
    )
    if outcome.kind != "ok":
        return base
    right = _right(subject, pairs, run, coins, guesses)
    p = p_value(len(moves), guesses, right, epsilon, delta)
    test = TestResult(
        "one_run",
        "both",
        epsilon,
        p,
        p <= alpha,
        delta,
        hits=(right, 0),
        runs=(len(moves), guesses),
        detectable=least,
    )
    able = least is not None and least <= 3
    word: VerdictWord = "violated" if test.rejects else "consistent" if able else "undecided"
    return replace(base, verdict=word, tests=(test,), right=right)


def _sum(table: Sequence[int], move: Integers) -> list[int]:
    return [k + int(change) for k, change in zip(table, move, strict=True)]


def _moves(
    subject: Subject, cells: CellSystem, most: int
) -> tuple[list[Integers], Sequence[int], int]:
    """Return disjoint moves of the shortest distance, and a table that can start all of them."""
    metric = subject.release.adjacency.metric
    images = np.array(cells.images, dtype=np.int64).reshape(cells.system.classes, -1)
    for distance in range(1, most + 1):
        taken = np.zeros(cells.system.classes, dtype=bool)
        moves: list[Integers] = []
        for move in moves_by_loss(subject.context, cells, distance):
            apart = table_distance(metric, int(np.abs(move).sum()))
            seen = (move @ images).any()
            if apart == distance and seen and not taken[move != 0].any():
                moves.append(move)
                taken |= move != 0
            if len(moves) == MOST_COINS:
                break
        while moves:
            table = start_of(cells, moves, subject.limits)
            if table is not None:
                return moves, table, distance
            moves = moves[: len(moves) * 9 // 10]
    return [], [], 0


def _right(
    subject: Subject, pairs: Sequence[Pair], run: Run, coins: Sequence[bool], guesses: int
) -> int:
    """Guess the coins with the largest scores, and return how many guesses are right."""
    outputs = outputs_of([run], 1)
    scores = []
    for pair in pairs:
        coordinates = noisy_coordinates(subject.context, subject.release, pair)
        score, missing = likelihood_ratio(outputs.names, coordinates or ())
        if coordinates is None or score is None:
            what = f"the output has no number {missing}" if missing else "the noise is not known"
            raise RefusedError(Refusal(f"one run cannot be scored: {what}", "use many runs"))
        scores.append(float(score(outputs.values)[0]))
    surest = np.argsort(-np.abs(scores), kind="stable")[:guesses]
    return sum((scores[at] < 0) == coins[at] for at in surest)


def _detectable(
    coins: int, guesses: int, epsilon: float, delta: float, alpha: float
) -> float | None:
    for factor in GRID:
        chance = 1 / (1 + math.exp(-epsilon * factor))
        right = guesses * chance - QUANTILE * math.sqrt(guesses * chance * (1 - chance))
        if p_value(coins, guesses, max(0, math.floor(right)), epsilon, delta) <= alpha:
            return factor
    return None
