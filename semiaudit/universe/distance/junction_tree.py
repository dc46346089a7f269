"""An upper end of covering a(t) for overlapping margins without a cycle: p + 1 for p margins.

Let the maximal margins have a junction tree (they are decomposable, or acyclic), over product
cells. For y whose value in every margin occurs in X, walk through the tree and keep a record that
has y's levels in the margins passed so far. The next margin shares a separator with them; some
record has y's levels in that margin, both agree on the separator, and exchanging what lies beyond
it changes no margin and extends the kept record by the next margin. So p margins need at most p
changed records to make a record y, and hamming's covering a(t) is at most p + 1, for every t.
Margins that do not overlap are the case of Theorem 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
    attributes_of,
)


def acyclic_end(space: TableSpace, constraints: Sequence[Constraint]) -> int | None:
    """p + 1 for p maximal margins with a junction tree; None where that is not the structure.

    Sums and supports over attributes of one margin are functions of it and may stand beside it.
    """
    if not space.product_cells:
        return None
    margins = [frozenset(c.attributes) for c in constraints if isinstance(c, SameMargin)]
    maximal = [m for m in dict.fromkeys(margins) if not any(m < other for other in margins)]
    for constraint in constraints:
        match constraint:
            case SameMargin() | SameSize():
                pass
            case SameSupport() | SameSums():
                told = frozenset(attributes_of(constraint, space))
                if not any(told <= margin for margin in maximal):
                    return None
            case SameCellSums() | Within():
                return None
            case _:
                assert_never(constraint)
    if not maximal or not acyclic(maximal):
        return None
    return len(maximal) + 1


def acyclic(edges: Sequence[frozenset[str]]) -> bool:
    """True if sets of names have a junction tree.

    Graham's reduction: drop names that only one set has, and sets inside others.
    """
    left = [set(edge) for edge in edges]
    changed = True
    # Names of one set, and sets inside others, change nothing about there being a junction tree; so
    # it is there if and only if the reduction ends with no set at all (Beeri et al. 1983).
    while changed:
        changed = False
        for edge in left:
            alone = {name for name in edge if sum(name in other for other in left) == 1}
            changed |= bool(alone)
            edge -= alone
        for place, edge in enumerate(left):
            others = left[:place] + left[place + 1 :]
            if not edge or any(edge <= other for other in others):
                left = others
                changed = True
                break
    return not left
