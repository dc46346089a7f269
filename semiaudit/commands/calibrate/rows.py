"""Calibrated designs as CSV: a row for each design, met or not."""

from __future__ import annotations

import csv
import io

from semiaudit.model.design import Calibration, Cost, Design, target_text, text_of
from semiaudit.report.numbers import bound_number
from semiaudit.report.shield import cell

COLUMNS = (
    "design",
    "target",
    "framework",
    "parameter",
    "scale",
    "rank",
    "expected_l2",
    "expected_l2_side",
    "max_sd",
    "max_sd_side",
    "met",
    "meets",
    "tight",
    "ratio",
    "refused",
)


def to_csv(found: Calibration) -> str:
    """Render the designs. A text that a spreadsheet would calculate has an apostrophe before it."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_row(found, design) for design in found.designs)
    return stream.getvalue()


def _row(found: Calibration, design: Design) -> list[str]:
    return [
        design.name,
        target_text(found.target),
        found.framework,
        design.parameter,
        "" if design.scale is None else text_of(design.scale),
        "" if design.rank is None else str(design.rank),
        *_cost(design.expected_l2),
        *_cost(design.max_sd),
        "" if design.met is None else str(bound_number(design.met)),
        "true" if design.meets else "false",
        "true" if design.tight else "false",
        "" if design.ratio is None else repr(design.ratio),
        cell(design.refused),
    ]


def _cost(cost: Cost | None) -> tuple[str, str]:
    return ("", "") if cost is None else (repr(cost.value), cost.side)
