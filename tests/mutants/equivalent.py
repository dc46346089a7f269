"""Mutants that do the same as the program, each with the reason."""

from __future__ import annotations

from tests.mutants.sample import Mutant

EQUIVALENT = {
    (
        "semiaudit/mechanisms/designs/sampled_directions.py",
        "weights = np.exp(-rank * np.log(norms / norms.min()))",
        "weights = np.exp(-rank * np.log(norms * norms.min()))",
    ): "Both are the same weights times a constant, and only ratios of weights are used.",
    (
        "semiaudit/mechanisms/swapping/stratum_loss.py",
        "if ratio.value <= 1:",
        "if ratio.value < 1:",
    ): "The logarithm of 1 is exactly 0, which is what the branch returns.",
    (
        "semiaudit/privacy/loss/brackets.py",
        "if not all((direction.finite for direction in directions)):",
        "if not any((direction.finite for direction in directions)):",
    ): "A direction has no finite loss if P and Q have no outcome in common, in both directions.",
    (
        "semiaudit/privacy/evaluate.py",
        "assert_never(measure)",
        "None",
    ): "No measure comes there: every kind has its case, which mypy checks.",
    (
        "semiaudit/mechanisms/sampling/noise_samplers.py",
        "assert_never(part.norm)",
        "None",
    ): "No norm comes there: the hull returns before, and each other has its case, which mypy "
    "checks.",
    (
        "semiaudit/universe/sensitivity/start_table.py",
        "certain = len(bounded) == system.classes and max(ends, default=0) <= MAX_COUNT",
        "certain = len(bounded) == system.classes and max(ends, default=1) <= MAX_COUNT",
    ): "The default is used if there is no class; 0 and 1 are both at most the limit.",
    (
        "semiaudit/universe/system/decomposed.py",
        "key = tuple([levels.get(place, 0) for place in parents])",
        "key = tuple([levels.get(place, 1) for place in parents])",
    ): "All runs of a table have levels for the same attributes: what one lacks, all lack, so the "
    "default is the same part of every key.",
    (
        "semiaudit/privacy/evaluate.py",
        "if growth > 1:",
        "if growth >= 1:",
    ): "With a growth of 1 the pair would be that of the line before, which is kept once.",
    (
        "semiaudit/universe/witness.py",
        "if published is not None and values[0] != published:",
        "if published is not None and values[1] != published:",
    ): "Both values are equal there: the lines before refuse others.",
    (
        "semiaudit/universe/system/invariant_normal_form.py",
        "assert_never(constraint)",
        "None",
    ): "No constraint comes there: every kind has its case, which mypy checks.",
    (
        "semiaudit/privacy/tradeoff/function.py",
        "line = (ONE - a / share).clip(0, 1)",
        "line = (ONE - a / share).clip(0, 2)",
    ): "Neither a nor the share is negative, so that 1 - a / share is at most 1.",
    (
        "semiaudit/privacy/tradeoff/function.py",
        "if epsilon < -measure.epsilon:",
        "if epsilon <= -measure.epsilon:",
    ): "At -epsilon both formulas are 1 - (1 - delta) e^-epsilon.",
    (
        "semiaudit/privacy/loss/pairs/discrete_gaussian.py",
        "remainder = math.exp(-size - ratio) / -math.expm1(-ratio) * (1 + 1e-09)",
        "remainder = math.exp(-size - ratio) / -math.expm1(-ratio) * (2 + 1e-09)",
    ): "The rest is below e^-50 of the largest term: no double shows that it is doubled.",
    (
        "semiaudit/universe/distance/worst_start.py",
        "self.carried.clear()",
        "None",
    ): "A search begins with the moves of an earlier y, which are moves like others.",
    (
        "semiaudit/universe/distance/listed_tables.py",
        "starts = np.flatnonzero(np.diff(base, prepend=-1))",
        "starts = np.flatnonzero(np.diff(base, prepend=+1))",
    ): "The first base is 0, that of the start itself, which differs from -1 and from 1.",
    (
        "semiaudit/universe/distance/listed_tables.py",
        "return np.where(distances >= NEVER, NEVER, distances)",
        "return np.where(distances > NEVER, NEVER, distances)",
    ): "What is equal to NEVER stays NEVER either way.",
    (
        "semiaudit/universe/sensitivity/listed_space.py",
        "largest = int(np.abs(moves).sum(axis=1).max(initial=0))",
        "largest = int(np.abs(moves).sum(axis=1).max(initial=1))",
    ): "A move that is not 0 has a size of 1 at least, and without one nothing is put in order.",
    (
        "semiaudit/mechanisms/sampling/hulls/hull_samplers.py",
        "lattice = null_lattice([dict.fromkeys(range(number), 1)], number)",
        "lattice = null_lattice([dict.fromkeys(range(number), 2)], number)",
    ): "The vectors whose entries sum to 0 are those whose doubled entries do.",
    (
        "semiaudit/privacy/loss/merged_law.py",
        "firsts = [np.unique(np.clip(place.point + _FEW, low, high - 1)) if low < high else "
        "_NO_POINTS for place, (low, high) in zip(places, windows, strict=True)]",
        "firsts = [np.unique(np.clip(place.point - _FEW, low, high - 1)) if low < high else "
        "_NO_POINTS for place, (low, high) in zip(places, windows, strict=True)]",
    ): "The offsets in _FEW are the same with the opposite signs.",
    (
        "semiaudit/universe/distance/worst_start.py",
        "self.merged_lists |= search.lists is not None",
        "self.merged_lists |= search.lists is None",
    ): "It decides whether a search begins with listed moves: moves like those that it would find.",
    (
        "semiaudit/universe/distance/nearest.py",
        "gains = [program.variable(0, end + 1, gained) for end in ends]",
        "gains = [program.variable(0, end + 2, gained) for end in ends]",
    ): "A class that gains and loses nothing ends with at most its upper bound: a shortest change "
    "needs no larger gain.",
    (
        "semiaudit/universe/sensitivity/one_step.py",
        "ways = range(min(cells, records) + 1)",
        "ways = range(max(cells, records) + 1)",
    ): "One of the binomial coefficients of every further term is 0.",
    (
        "semiaudit/universe/system/decomposed.py",
        "known.add(key)",
        "None",
    ): "A key that is looked at again has the same answer: none, or the search would have ended.",
    (
        "semiaudit/universe/distance/transversal.py",
        "failed, step = (strength, 1 if strength == passed + 1 else max(step // 4, 1))",
        "failed, step = (strength, 2 if strength == passed + 1 else max(step // 4, 1))",
    ): "If the next strength after the one that passed has failed, the loop ends without a step.",
    (
        "semiaudit/universe/sensitivity/dominating_moves.py",
        "return DominatingMoves(tuple(((Fraction(size), numbers[size]) for size in sizes)), "
        "attained=False)",
        "return DominatingMoves(tuple(((Fraction(size), numbers[size]) for size in sizes)), "
        "attained=True)",
    ): "Only the sizes of the result are used; whether they are attained is decided after it.",
    (
        "semiaudit/universe/distance/transversal.py",
        "for depth in range(1, sets + 1):",
        "for depth in range(1, sets + 2):",
    ): "At the depth of all sets, one type for each set is found.",
    (
        "semiaudit/privacy/ordering/bundle_order.py",
        "if not 0 < len(pairs) == len(losses) <= MOST_PAIRS:",
        "if not 0 <= len(pairs) == len(losses) <= MOST_PAIRS:",
    ): "A measure without losses is left out before, so that there is a loss.",
    (
        "semiaudit/universe/distance/moves.py",
        "change[row] = change.get(row, 0) + k * number",
        "change[row] = change.get(row, 0) - k * number",
    ): "Each sum has the other sign, and only whether it is 0 is read.",
    (
        "semiaudit/privacy/canonical/of_function.py",
        "assert_never(name)",
        "None",
    ): "No name comes there: every kind of noise has its case, which mypy checks.",
}
"""By the module, and the first line of the statement before and after."""


def is_equivalent(mutant: Mutant) -> bool:
    """Whether a mutant is known to do the same as the program."""
    return (mutant.place.path, mutant.place.text, mutant.after) in EQUIVALENT
