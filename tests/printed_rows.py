"""The numbers of a row as a report prints them, for tests that know nothing else of the row."""

from __future__ import annotations

import math
from typing import Any

from semiaudit.commands.convert.model import Conversion
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import Numbers
from tests.oracles.curves import mp
from tests.oracles.one_row import PrintedRow


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
