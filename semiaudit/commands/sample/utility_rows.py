"""The error of a table by the swap rate as CSV: a row for each run."""

from __future__ import annotations

import csv
import io

from semiaudit.model.sample import UtilityCurve
from semiaudit.report.numbers import number, rational_text

COLUMNS = ("rate", "epsilon_per_record", "run", "moved", "mape_percent")


def to_csv(found: UtilityCurve) -> str:
    """Render a curve; epsilons rounded up, errors with all digits of their doubles."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(
        (
            rational_text(one.rate),
            number(one.epsilon),
            one.run,
            one.moved,
            repr(one.error),
        )
        for one in found.errors
    )
    return stream.getvalue()
