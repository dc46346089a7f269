"""Checking a witness without any solver: counting, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from semiaudit.model.semi_adjacency import Cell, Witness

InvariantOf = Callable[[Counter[Cell]], object]


class WitnessError(AssertionError):
    """A witness that does not show what it claims: an error of this program."""


def check_witness(witness: Witness, invariant_of: InvariantOf, published: object = None) -> None:
    """Check that a witness is a pair of datasets of one universe at the distance it states.

    Args:
        witness: sparse counts of both datasets and the record that changes.
        invariant_of: the invariants as a function of the counts.
        published: their published value, or None where none is given.

    Raises:
        WitnessError: a count is not positive, a record is missing, the invariants differ from
            each other or from the published value, or the distance is another one.

    The distance is [x != y] + (1/2) |(h_X - e_x) - (h_Y - e_y)|_1, the Hamming distance of the
    closest orders of the records in which x and y stand at the same place.
    """
    start, end = Counter(dict(witness.start)), Counter(dict(witness.end))
    if any(number < 1 for number in (*start.values(), *end.values())):
        raise WitnessError("a count of a witness is below 1")
    if not start[witness.record_from] or not end[witness.record_to]:
        raise WitnessError("the changed record is not in the witness's datasets")
    values = invariant_of(start), invariant_of(end)
    if values[0] != values[1] or (published is not None and values[0] != published):
        raise WitnessError("the datasets of a witness disagree on the invariants")
    start[witness.record_from] -= 1
    end[witness.record_to] -= 1
    moved = sum(abs(start[cell] - end[cell]) for cell in start.keys() | end.keys())
    changed = witness.record_from != witness.record_to
    if moved % 2 or changed + moved // 2 != witness.distance:
        raise WitnessError("the datasets of a witness are at another distance")
