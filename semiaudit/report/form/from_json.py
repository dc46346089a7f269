"""Earlier reports read back: the JSON of `analyze` and `check`, as far as drift needs it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar, get_args

from semiaudit.errors import Problem, SpecError, one_line
from semiaudit.model.audit import BUDGET_MEASURES
from semiaudit.model.bound import Bound
from semiaudit.model.building_blocks import Domain, DomainKind
from semiaudit.model.frameworks import LEADING, NAMES
from semiaudit.model.guarantee import ApproxPoint, GuaranteeLine, Numbers
from semiaudit.model.policy import Earlier, EarlierBudget
from semiaudit.numeric.rationals import rational_from_text
from semiaudit.paths import KindError, opened
from semiaudit.report.blocks.numbers import Written
from semiaudit.report.form.contradictions import unit_of

MAX_BYTES = 500_000_000
MOST_NAMED = 3
"""The most failed specs that are named; the others are counted."""
A_REPORT = "name a report written with `-o json=FILE`"

Word = TypeVar("Word", bound=str)


class _NoReportError(ValueError):
    """The text was not written by semiaudit."""


class NoNumberError(_NoReportError):
    """JSON with NaN or Infinity, which JSON does not allow."""


def load_baseline(path: str | Path) -> tuple[Earlier, ...]:
    """Read the guarantees of an earlier JSON report: from a run that passed and was complete.

    Raises:
        SpecError: the file cannot be read, is not a report, or contains no audited spec; or the run
            failed or was not complete, so that a later run would accept wrong results.
    """
    name = str(path)
    data = bytes_of_report(name)
    try:
        report = json_of(data)
        reports, faults = _reports(report), [*_faults(report)]
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        raise refused(name, "is not a JSON report of `semiaudit analyze` or `check`") from None
    if not reports:
        raise refused(name, "contains no audited spec")
    if faults:
        named, more = "; ".join(faults[:MOST_NAMED]), len(faults) - MOST_NAMED
        others = f"; and {more} more" if more > 0 else ""
        message = f"cannot be a baseline, because its run did not pass: {named}{others}"
        raise refused(name, message, "use the report of a run that passed")
    return reports


def _faults(report: dict[str, Any]) -> Iterator[str]:
    """Yield what did not pass, or is not complete; a refused guarantee concerns only its spec."""
    for verdict in report.get("verdicts", [report]):
        path = one_line(_text(verdict["spec"]["path"]))
        if verdict.get("outcome") == "exceeds":
            yield f"{path} failed"
        elif verdict["semi_adjacency"] is None:
            yield f"{path} was not audited"
        elif "outcome" not in verdict and not all(b["holds"] for b in verdict["budgets"]):
            yield f"{path} failed"
        elif not verdict["complete"] and "time" in verdict.get("incomplete_because", ["time"]):
            yield f"{path} reached the time limit"
    for waivers in report.get("waivers", ()):
        if any(finding["level"] == "error" for finding in waivers["findings"]):
            yield f"{one_line(_text(waivers['path']))} failed"


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


def json_of(data: bytes) -> Any:
    """Parse JSON; numbers remember their texts.

    Raises:
        ValueError: it is not JSON. RecursionError: it is nested too deeply.
    """
    return json.loads(data, parse_float=Written, parse_constant=_no_constant)


def _no_constant(text: str) -> float:
    raise NoNumberError(text)


def refused(
    name: str, message: str, remedy: str = A_REPORT, at: tuple[int, int] = (0, 0)
) -> SpecError:
    """Return the error that a file is not the requested report, and what to do.

    Args:
        at: the line and the column, if known.
    """
    return SpecError([Problem(name, *at, "", message, remedy)])


def _reports(report: Any) -> tuple[Earlier, ...]:
    if report["schema_version"] != 1 or report["tool"]["name"] != "semiaudit":
        raise _NoReportError("version")
    version = _text(report["tool"].get("version", ""))
    if "verdicts" not in report:
        return (_earlier(report, version),)
    audited = [verdict for verdict in report["verdicts"] if verdict["semi_adjacency"] is not None]
    return tuple(_earlier(verdict, version) for verdict in audited)


def _earlier(report: dict[str, Any], version: str) -> Earlier:
    semi = report["semi_adjacency"]
    upper = semi["covering"]["upper"]
    if semi["value"] is None and semi["reading"] == "covering":
        upper = None  # it was not established
    return Earlier(
        path=_text(report["spec"]["path"]),
        metric=_text(semi["metric"]),
        reading=_text(semi["reading"]),
        covering=None if upper is None else _whole(upper),
        lines=tuple(_line(g) for g in report["guarantees"] if not g["refused"]),
        budgets=tuple(_budget(budget) for budget in report["budgets"]),
        refused=any(g["framework"] == LEADING and g["refused"] for g in report["guarantees"]),
        invariants=tuple(_text(invariant) for invariant in report["invariants"]),
        names_records="unit" in report,
        unit=_unit(report),
        values_given=_values_given(report),
        domain=_domain(report),
        version=version,
    )


def _unit(report: dict[str, Any]) -> str:
    """Return the protected unit; the first reports of `check` do not contain it."""
    return _text(unit_of(report) if "statement" in report else report.get("unit", ""))


def _domain(report: dict[str, Any]) -> Domain | None:
    """The set of possible datasets; the first reports of `check` do not say it."""
    domain = (report.get("building_blocks") or report).get("domain")
    if domain is None:
        return None
    size, datasets, restrictions = domain["size"], domain["datasets"], domain.get("restrictions")
    return Domain(
        kind=_one_of(get_args(DomainKind), domain["kind"]),
        size=None if size is None else _whole(size),
        datasets=None if datasets is None else _whole(datasets),
        attributes=tuple((_text(a["name"]), _whole(a["levels"])) for a in domain["attributes"]),
        restrictions=None if restrictions is None else tuple(map(_text, restrictions)),
    )


def _values_given(report: dict[str, Any]) -> bool:
    """Return whether the report knew the disclosures of the invariants, which need their values.

    A report of `check` has a key for this, which the first versions lack.
    """
    if "disclosed" not in report:
        return report.get("values_given") is True
    return any(number is not None for number in report["disclosed"].values())


def _line(guarantee: dict[str, Any]) -> GuaranteeLine:
    place = guarantee.get("adjacency", guarantee)
    tightest: dict[Fraction, tuple[float, str]] = {}
    for point in guarantee["approx_dp"]:
        delta, point_epsilon = (
            _exact(point["delta"]),
            (_number(point["epsilon"]), point["conversion"]),
        )
        tightest[delta] = min(tightest.get(delta, point_epsilon), point_epsilon)
    advantage = guarantee["advantage"]
    numbers = Numbers(
        pure_dp=_inside(guarantee["pure_dp"], "epsilon"),
        zcdp=_inside(guarantee["zcdp"], "rho"),
        gdp=_inside(guarantee["gdp"], "mu"),
        approx_dp=tuple(
            ApproxPoint(delta, _printed(epsilon), conversion)
            for delta, (epsilon, conversion) in tightest.items()
        ),
        tradeoff=(),
        advantage=None if advantage is None else _printed(_number(advantage)),
        tpr_at_fpr=tuple(
            (_exact(point["fpr"]), _printed(_number(point["tpr"])))
            for point in guarantee["tpr_at_fpr"]
        ),
    )
    distance = None if place["distance"] is None else _whole(place["distance"])
    return GuaranteeLine(_one_of(NAMES, guarantee["framework"]), "", distance, numbers)


def _budget(budget: dict[str, Any]) -> EarlierBudget:
    return EarlierBudget(
        framework=_one_of(NAMES, budget["framework"]),
        measure=_one_of(BUDGET_MEASURES, budget["measure"]),
        at=None if budget["at"] is None else _exact(budget["at"]),
        distance=None if budget["distance"] is None else _whole(budget["distance"]),
        limit=_number(budget["limit"]),
        policy=budget.get("policy") is True,
    )


def _inside(measure: dict[str, Any] | None, name: str) -> Bound | None:
    return None if measure is None else _printed(_number(measure[name]))


def _printed(value: float) -> Bound:
    """Return an upper bound that is known only as the printed double of a report."""
    return Bound(value if math.isinf(value) else Fraction(value), "upper", "printed", "a report")


def _number(value: object) -> float:
    if value == "inf":
        return math.inf
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise _NoReportError(str(value))
    return float(value)


def _exact(value: object) -> Fraction:
    """Parse a delta or an error rate by its text."""
    share = rational_from_text(value.text if isinstance(value, Written) else str(_whole(value)))
    if not 0 <= share <= 1:
        raise _NoReportError(str(value))
    return share


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _NoReportError(str(value))
    return value


def _one_of(known: Sequence[Word], value: object) -> Word:
    """Return a word that this version knows, because unknown words cannot be compared."""
    for word in known:
        if word == value:
            return word
    raise _NoReportError(str(value))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _NoReportError(str(value))
    return value
