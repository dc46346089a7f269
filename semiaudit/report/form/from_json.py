"""JSON reports of `analyze` and `check` read back, as a baseline or as a release to compare.

The declarations of the two documents give the schemas that a report must fit. This is every check:

=================================  ================================================================
a report that is                   is refused by
=================================  ================================================================
unreadable, or too large           ``bytes_of_report``
truncated, not JSON, NaN           ``read_report``; so are numbers too long to be exact
of another ``schema_version``      ``_faults``: the schema has version 1 as a constant
of another shape, or type          ``_faults``: keys, types, words, and bounds, compared exactly
contradictory                      ``_contradictions``: intervals, negative numbers, a TPR below its
                                   FPR, numbers of a refused guarantee, a definition twice, an
                                   invariant, unit, or metric that differs between two places
without what drift is checked on   ``_contradictions``: the unit, the domain, and its restrictions
of a failed or an unfinished run   ``load_baseline``, for baselines; so is one without an audited
                                   spec
=================================  ================================================================

A key that a later version adds is optional in its declaration, so that this version's reports fit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from semiaudit.errors import Problem, SpecError
from semiaudit.model.frameworks import FRAMEWORKS
from semiaudit.numeric.rationals import rational_from_text
from semiaudit.paths import KindError, opened
from semiaudit.report.blocks.numbers import Written
from semiaudit.report.form import to_json, verdict_json

Report = dict[str, Any]

MAX_BYTES = 500_000_000
A_REPORT = "name a report written with `-o json=FILE`"
_AS_WRITTEN = "use an unchanged report from `semiaudit analyze -o json=FILE`"
_OF_THIS_VERSION = "use a report that `semiaudit analyze -o json=FILE` of this version wrote"

_ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description", "examples", "format"}
"""Keywords of a schema that require nothing."""
_TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": int | float,
          "boolean": bool, "null": type(None)}  # fmt: skip
_MEASURES = (("pure_dp", "epsilon"), ("zcdp", "rho"), ("gdp", "mu"), ("gdp", "regret"))
_STATED = ("pure_dp", "zcdp", "gdp", "approx_dp", "tradeoff", "tpr_at_fpr")
_ROUNDING = 1e-12


class _NumberError(ValueError):
    """A number that JSON does not have, or that is too long to be read exactly."""


def read_report(name: str, data: bytes, *, of_check: bool = False) -> Report:
    """Return the JSON of a report that passes every check; its numbers remember their texts.

    Args:
        name: the path of the file. data: its content.
        of_check: whether it may be a report of `check`; else of `analyze` alone.

    Raises:
        SpecError: it is not a report, does not fit its schema, or contradicts itself.
    """
    what = "is not a JSON report of `semiaudit analyze`" + " or `check`" * of_check
    unchanged, written = (A_REPORT, A_REPORT) if of_check else (_AS_WRITTEN, _OF_THIS_VERSION)
    try:
        report = json_of(data)
    except _NumberError as error:
        raise refused(name, f"contains {error}", unchanged) from None
    except json.JSONDecodeError as error:
        at = (error.lineno, error.colno)
        raise refused(name, f"{what}: {error.msg.lower()}", unchanged, at) from None
    except (ValueError, RecursionError):
        raise refused(name, what) from None
    several = of_check and isinstance(report, dict) and "verdicts" in report
    schema = (verdict_json if several else to_json).DOCUMENT.schema()
    fault = fault_of(report, schema)
    if fault:
        raise refused(name, f"does not fit the schema of reports: {fault}", written)
    wrong = next(_contradictions(report), "")
    if wrong:
        raise refused(name, f"contradicts itself: {wrong}", unchanged)
    checked: Report = report
    return checked


def bytes_of_report(name: str) -> bytes:
    """Read a file that can be a report.

    Raises:
        SpecError: it cannot be read, or is too large.
    """
    try:
        with opened(name) as stream:
            data = stream.read(MAX_BYTES + 1)
    except KindError as error:
        raise refused(name, str(error.strerror), error.remedy) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise refused(name, f"cannot be read ({reason})") from None
    if len(data) > MAX_BYTES:
        raise refused(name, "is too large to be a report")
    return data


def refused(
    name: str, message: str, remedy: str = A_REPORT, at: tuple[int, int] = (0, 0)
) -> SpecError:
    """Return the error that a file is not the requested report, and what to do.

    Args:
        at: the line and the column, if known.
    """
    return SpecError([Problem(name, *at, "", message, remedy)])


def json_of(data: bytes) -> Any:
    """Parse JSON; numbers remember their texts.

    Raises:
        ValueError: it is not JSON. RecursionError: it is nested too deeply.
    """

    def constant(text: str) -> float:
        raise _NumberError(f"{text}, which is not a JSON number")

    return json.loads(
        data, parse_float=_exactly(Written), parse_int=_exactly(int), parse_constant=constant
    )


def _exactly(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    """Refuse a number whose text is too long, or whose exponent is too large, to be exact."""

    def read(text: str) -> Any:
        try:
            rational_from_text(text)
        except ValueError as error:
            raise _NumberError(f"{text[:20]}, which {error}") from None
        return kind(text)

    return read


def fault_of(value: Any, schema: Report) -> str:
    """Return the first fault of a value under a schema, with its path; empty if it fits.

    It supports the keywords that ``forms`` writes, so that no rule of a schema is ignored.

    Args:
        value: as ``json_of`` gives it.
        schema: a whole document's, with its ``$defs``.

    Raises:
        ValueError: the schema has an unknown keyword.
    """
    return next(_faults(value, schema, schema.get("$defs", {}), ""), "")


def _faults(value: Any, schema: Report, defined: dict[str, Report], path: str) -> Iterator[str]:
    where, keys = path or "the whole", value if isinstance(value, dict) else {}
    for keyword, required in schema.items():
        match keyword:
            case "$ref":
                yield from _faults(value, defined[required.removeprefix("#/$defs/")], defined, path)
            case "const":
                if not _equal(value, required):
                    yield f"{where} is not {required!r}"
            case "enum":
                if not any(_equal(value, word) for word in required):
                    yield f"{where} is none of {', '.join(map(str, required))}"
            case "type":
                kinds = [required] if isinstance(required, str) else required
                if not any(_is_of(value, kind) for kind in kinds):
                    yield f"{where} is no {' or '.join(kinds)}"
            case "anyOf":
                if all(next(_faults(value, branch, defined, path), "") for branch in required):
                    yield f"{where} has none of the forms that it may have"
            case "minimum" | "maximum":
                if _is_of(value, "number"):
                    number = exact(value)
                    if number < required if keyword == "minimum" else number > required:
                        yield f"{where} lies outside of what it may be"
            case "pattern":
                if isinstance(value, str) and not re.search(required, value):
                    yield f"{where} has no form that it may have"
            case "items":
                for place, item in enumerate(value if isinstance(value, list) else ()):
                    yield from _faults(item, required, defined, f"{path}[{place}]")
            case "properties":
                for key in (key for key in required if key in keys):
                    inner = f"{path}.{key}" if path else key
                    yield from _faults(value[key], required[key], defined, inner)
            case "required":
                missing = [key for key in required if isinstance(value, dict) and key not in value]
                if missing:
                    yield f"{where} lacks {', '.join(missing)}"
            case "additionalProperties" if required is False:
                if not keys.keys() <= schema.get("properties", {}).keys():
                    yield f"{where} has a key that is not known"
            case _:
                if keyword not in _ANNOTATIONS:
                    raise ValueError(f"{keyword}: {required} is a rule that is not known")


def _is_of(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer() and exact(value) == value
    return isinstance(value, _TYPES[kind])


def _equal(value: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON: true is not 1."""
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def entries_of(report: Report) -> list[tuple[str, Report]]:
    """Return each spec's part of a report, with the beginning of its keys' paths."""
    if "verdicts" not in report:
        return [("", report)]
    return [(f"verdicts[{place}].", entry) for place, entry in enumerate(report["verdicts"])]


def _contradictions(report: Report) -> Iterator[str]:
    """Yield the signs that a report was edited: a schema checks each number by itself."""
    for at, entry in entries_of(report):
        semi = entry["semi_adjacency"]
        if semi is not None:
            yield from (at + wrong for wrong in _of_a_t(semi))
            yield from (at + wrong for wrong in _of_subject(entry))
        names = [row["framework"] for row in entry["guarantees"]]
        if len(set(names)) < len(names):
            yield f"{at}guarantees has a privacy definition twice"
        for place, row in enumerate(entry["guarantees"]):
            where = f"{at}guarantees[{place}]"
            if row.get("universe", "") not in ("", FRAMEWORKS[row["framework"]].universe):
                yield f"{where}.universe is not that of {row['framework']}"
            if "adjacency" in row and row["adjacency"]["metric"] != semi["metric"]:
                yield f"{where}.adjacency.metric is not that of semi_adjacency"
            if not row["refused"] and row.get("adjacency", row)["distance"] == 0:
                yield f"{where}.adjacency.distance is 0, but there is a guarantee"
            yield from (where + wrong for wrong in _of_numbers(row))
        for place, budget in enumerate(entry["budgets"]):
            if _negative(budget["limit"]):
                yield f"{at}budgets[{place}].limit is below 0"


def _of_a_t(semi: Report) -> Iterator[str]:
    for reading in ("covering", "definition_13"):
        lower, upper = semi[reading]["lower"], semi[reading]["upper"]
        if upper is not None and lower > upper:
            yield f"semi_adjacency.{reading}: the upper bound is below the lower bound"
    if semi["value"] not in (None, semi[semi["reading"]]["upper"]):
        yield "semi_adjacency.value is not the upper bound of its definition of a(t)"
    if "own" in semi and semi["value"] is not None:
        yield "semi_adjacency.value is known, and semi_adjacency.own claims no joint a(t)"


def _of_subject(entry: Report) -> Iterator[str]:
    if "unit" not in entry:
        yield "unit is missing"
    blocks = entry.get("building_blocks", entry)
    if blocks is not None and "restrictions" not in blocks.get("domain", ()):
        yield "the domain, or its restrictions, are missing"
    if blocks is None or blocks is entry:
        return
    if blocks["unit"]["metric"] != entry["semi_adjacency"]["metric"]:
        yield "building_blocks.unit.metric is not that of semi_adjacency"
    if blocks["unit"]["unit"] != entry.get("unit"):
        yield "building_blocks.unit.unit is not that of the report"
    if [one["invariant"] for one in blocks["multiverse"]["invariants"]] != entry["invariants"]:
        yield "building_blocks.multiverse.invariants are not those of the report"


def _of_numbers(row: Report) -> Iterator[str]:
    """Yield impossible numbers of a guarantee, such as a TPR below its FPR."""
    if row["refused"] and any(row.get(key) for key in _STATED):
        yield " is refused, but has numbers"
    for measure, key in _MEASURES:
        if row[measure] is not None and _negative(row[measure].get(key)):
            yield f".{measure}.{key} is below 0"
    for place, point in enumerate(row["approx_dp"]):
        lower, upper = float(point.get("epsilon_lower") or 0), float(point["epsilon"])
        if _negative(point["epsilon"]):
            yield f".approx_dp[{place}].epsilon is below 0"
        if lower > upper:
            yield f".approx_dp[{place}].epsilon_lower is above epsilon"
    for place, point in enumerate(row["tpr_at_fpr"]):
        if point["tpr"] < point["fpr"]:
            yield f".tpr_at_fpr[{place}].tpr is below fpr, which a guess by chance reaches"
    for place, point in enumerate(row.get("tradeoff", ())):
        if point["type_i"] + point["type_ii"] > 1 + _ROUNDING:
            yield f".tradeoff[{place}] has more errors than a guess by chance"


def _negative(value: float | str | None) -> bool:
    return value not in (None, "inf") and exact(value) < 0


def exact(value: float | str) -> Fraction:
    """Return a finite number as its text says."""
    return rational_from_text(value.text) if isinstance(value, Written) else Fraction(value)
