"""Calibrated designs as JSON, version 1, and its schema."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from semiaudit.model.measure import ApproxDP
from semiaudit.model.results.design import (
    AnyDesign,
    Calibration,
    Design,
    limit_of,
    target_text,
    text_of,
)
from semiaudit.model.results.errors import CountErrors
from semiaudit.report.blocks.count_errors import COUNT_ERRORS
from semiaudit.report.form.derived import keys_of
from semiaudit.report.form.documents import Document, rows_of
from semiaudit.report.form.forms import (
    BECAUSE,
    FIRST,
    FRAMEWORK,
    LIMIT,
    RATE,
    SECOND,
    TEXT,
    TOOL,
    TRUTH,
    JsonForm,
    Keys,
    always,
    inside,
    object_of,
    one_of,
    or_null,
    picked,
)

_LENGTH = JsonForm({"type": "number", "minimum": 0, "examples": [1.5958]})
_SIDE = one_of("exact", "upper", "estimate")
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


_FORMS = {
    AnyDesign: TEXT,
    dict[str, Any]: _SECTION,
    Fraction: LIMIT,
    float: _LENGTH,
    CountErrors: COUNT_ERRORS,
}
_DESIGN: Keys = {
    **keys_of(Design, "name description mechanism parameter scale rank", _FORMS),
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
    **keys_of(Design, "met meets tight ratio", _FORMS),
    "total_variance": (
        or_null(_LENGTH).described("the expected squared length of the noise"),
        _cost("total_variance", "value"),
    ),
    "total_variance_side": (
        or_null(_SIDE).described("the side of total_variance"),
        _cost("total_variance", "side"),
    ),
    **keys_of(
        Design,
        "of_least_total of_least_largest preferred_over sampling not_sampled errors notes refused",
        _FORMS,
    ),
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
        **keys_of(Calibration, "path title query framework distance"),
        "target": _TARGET,
        "limit": (LIMIT.described("the number of the target"), lambda c: limit_of(c.target)),
        "delta": (
            or_null(RATE).described("the delta of the target; null if it has none"),
            lambda c: c.target.delta if isinstance(c.target, ApproxDP) else None,
        ),
        **keys_of(Calibration, "naive designs notes", {Design: object_of(_DESIGN)}),
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
