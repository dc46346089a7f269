"""Calibrated designs as JSON, version 1, and its schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from semiaudit.model.measure import ApproxDP
from semiaudit.model.results.design import Calibration, Design, limit_of, target_text, text_of
from semiaudit.report.blocks.count_errors import COUNT_ERRORS
from semiaudit.report.form.documents import Document, rows_of
from semiaudit.report.form.forms import (
    BECAUSE,
    FIRST,
    FRAMEWORK,
    LIMIT,
    NUMBER,
    RATE,
    SECOND,
    TEXT,
    TOOL,
    TRUTH,
    WHOLE,
    JsonForm,
    Keys,
    always,
    inside,
    list_of,
    object_of,
    one_of,
    or_null,
    picked,
)

_LENGTH = JsonForm({"type": "number", "minimum": 0, "examples": [1.5958]})
_SIDE = one_of("exact", "upper", "estimate")
_SAMPLING = one_of("exact", "floating_point", "approximate", "impossible")
_SECTION = JsonForm(
    {
        "type": "object",
        "examples": [{"gaussian": {"query": "table", "sigma": "2", "support": "null_space"}}],
    }
)


def _cost(name: str, key: str) -> Any:
    def cost_of(design: Design) -> Any:
        cost = getattr(design, name)
        return None if cost is None else getattr(cost, key)

    return cost_of


_DESIGN: Keys = {
    "name": TEXT.described("the name of the design, for `--design`"),
    "told": TEXT.described("the design in words, with its source"),
    "mechanism": or_null(_SECTION).described(
        "the mechanism section of a spec; null if the target is not met"
    ),
    "parameter": TEXT.described("the parameter that was calibrated; empty for a covariance"),
    "scale": or_null(LIMIT).described("its value, rounded to the safe side; null for a covariance"),
    "rank": or_null(WHOLE).described(
        "the rank of the covariance of the noise, or an upper bound; null: unknown"
    ),
    "expected_l2": (
        or_null(_LENGTH).described("the expected Euclidean length of the noise"),
        _cost("expected_l2", "value"),
    ),
    "expected_l2_side": (
        or_null(_SIDE).described("the side of expected_l2; estimate: from random samples"),
        _cost("expected_l2", "side"),
    ),
    "expected_l2_error": (
        or_null(_LENGTH).described("the standard error of an estimate; else 0"),
        _cost("expected_l2", "error"),
    ),
    "max_sd": (
        or_null(_LENGTH).described("the largest standard deviation of a coordinate of the answer"),
        _cost("max_sd", "value"),
    ),
    "max_sd_side": (or_null(_SIDE).described("the side of max_sd"), _cost("max_sd", "side")),
    "met": or_null(NUMBER).described(
        "the number that an audit of the section finds in the privacy measure of the "
        "target, rounded up; null if none"
    ),
    "meets": TRUTH.described("whether that number is at most the target"),
    "tight": TRUTH.described("whether that number is within a millionth of the target"),
    "ratio": or_null(_LENGTH).described(
        "expected_l2, divided by that of the naive design; null if unknown"
    ),
    "total_variance": (
        or_null(_LENGTH).described("the expected squared length of the noise"),
        _cost("total_variance", "value"),
    ),
    "total_variance_side": (
        or_null(_SIDE).described("the side of total_variance"),
        _cost("total_variance", "side"),
    ),
    "of_least_total": or_null(_LENGTH).described(
        "total_variance, divided by a proven lower bound for all Gaussian noise that "
        "meets the target; null if no bound is known"
    ),
    "of_least_largest": or_null(_LENGTH).described(
        "the square of max_sd, divided by such a bound on the largest variance; null if "
        "none is known"
    ),
    "preferred_over": list_of(TEXT).described(
        "K-norm designs whose balls strictly contain this one's (Cho and Awan, Definition 8)"
    ),
    "sampling": or_null(_SAMPLING).described(
        "how `semiaudit mechanism sample` samples it: in whole numbers, by its formula in floating "
        "point, by a walk whose distribution is not proven, or not at all; null: target not met"
    ),
    "not_sampled": TEXT.described("why it cannot be sampled; empty if it can"),
    "errors": list_of(COUNT_ERRORS).described(
        "the errors of the cells, and of each margin that was named; empty if it cannot be sampled"
    ),
    "notes": list_of(TEXT).described("notes on the design"),
    "refused": TEXT.described("the reason that it does not meet the target; empty if it does"),
}

_TARGET = (
    TEXT.described("the requested guarantee"),
    lambda calibration: target_text(calibration.target),
)
_CALIBRATION = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "path": TEXT.described("the path of the spec"),
        "title": TEXT.described("the title of the spec"),
        "query": TEXT.described("the query that noise is added to, or the exchanged attributes"),
        "framework": FRAMEWORK,
        "distance": or_null(WHOLE),
        "target": _TARGET,
        "limit": (LIMIT.described("the number of the target"), lambda c: limit_of(c.target)),
        "delta": (
            or_null(RATE).described("the delta of the target; null if it has none"),
            lambda c: c.target.delta if isinstance(c.target, ApproxDP) else None,
        ),
        "naive": TEXT.described("the design that the ratios compare with; empty if there is none"),
        "designs": list_of(object_of(_DESIGN)).described(
            "the designs; in each family, naive designs are first"
        ),
        "notes": list_of(TEXT).described("notes on all designs"),
    },
    incomplete_because=BECAUSE,
)


def _designs(calibration: Calibration) -> Iterator[tuple[Calibration, Design]]:
    return ((calibration, design) for design in calibration.designs)


def _scale(design: Design) -> str | None:
    """Return the exact scale as in a spec; a number of JSON can be rounded."""
    return None if design.scale is None else text_of(design.scale)


_COLUMNS: Keys = {
    **inside(SECOND, {"design": (TEXT, "name")}),
    **inside(FIRST, {"target": _TARGET, "framework": FRAMEWORK}),
    **inside(SECOND, {"parameter": TEXT, "scale": (or_null(TEXT), _scale)}),
    **inside(SECOND, picked(_DESIGN, "rank", "expected_l2", "expected_l2_side", "max_sd")),
    **inside(SECOND, picked(_DESIGN, "max_sd_side", "met", "meets", "tight", "ratio", "refused")),
    **inside(SECOND, picked(_DESIGN, "sampling")),
}
"""A row for each design, whether it meets the target or not."""

DOCUMENT = Document(
    "calibrate",
    "semiaudit mechanism calibrate",
    "noise that meets a target, as `semiaudit mechanism calibrate --format json` prints it",
    _CALIBRATION,
    csv=rows_of(_designs, _COLUMNS),
)
