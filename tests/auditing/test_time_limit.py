"""The time limit covers all that an audit computes; what is cut is looser, or refused.

The clock of these audits goes on by a step whenever it is read: how often it is read after the
limit is the work that was still done then.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from semiaudit import deadline
from semiaudit.errors import SpecError
from semiaudit.library.report import Report, audit
from semiaudit.model.bound import CAUSES, REMEDIES, SENTENCES, joined
from semiaudit.model.rules import INCOMPLETE, RULES
from semiaudit.numeric.limits import Limits
from semiaudit.privacy.loss import refinement, renyi_curve, tilted_product
from semiaudit.report.rule_pages import meaning_of
from semiaudit.universe.distance import integer_programs
from tests.audits import report
from tests.clocks import Ticks
from tests.places import ROOT
from tests.samples import sampled

HEAD = "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2, c: 2}}\n"
TWO_WAY = "invariants: [margin: [a, b], margin: [b, c], margin: [a, c]]\n"
ROWS = HEAD + TWO_WAY + "data: {counts: [[[30, 41], [52, 23]], [[17, 39], [25, 61]]]}\n"
ZCDP = "mechanism: {zcdp: {rho: 1}}\n"
NOISE = (
    "semiaudit: 1\ndataspace: {size: 10, attributes: {a: 2, b: 2}}\n"
    "invariants: [margin: [a], margin: [b]]\n"
)
LAPLACE = (
    NOISE
    + "mechanism:\n  compose:\n"
    + "".join(f"  - laplace: {{scale: {3 + 0.37 * k}, shifts: [1]}}\n" for k in range(3))
    + "report: {deltas: [0.01, 1e-5]}\n"
)
SHUFFLED = (
    NOISE.replace("size: 10", "size: 3000")
    + "mechanism: {shuffled: {epsilon0: 1, reports: 3000}}\n"
)
QUERY = ROWS + "mechanism: {gaussian: {sigma: 3, query: table}}\n"
QUERIES = NOISE + (
    "mechanism:\n  compose:\n"
    "  - laplace: {scale: 3, query: {matrix: [[0, 1, 2, 5], [1, 1, 0, -1]]}}\n"
    "  - discrete_laplace: {scale: 4, query: {matrix: [[2, 0, 0, 1], [0, 3, 1, 0]]}}\n"
    "  - k_norm: {epsilon: 1, query: {matrix: [[1, 0, 2, 0], [5, 0, 1, 0]]}}\n"
)
ORDERS = NOISE + (
    "mechanism: {zcdp: {rho: 0.3}}\nreport: {deltas: [0.01, 1e-4, 1e-8], alphas: [0.01, 0.03]}\n"
)
ACYCLIC = (
    HEAD.replace("c: 2", "c: 2, d: 2")
    + "invariants: [margin: [a], margin: [b, c], margin: [b, d]]\n"
    + "data: {counts: [[[[0, 0], [1, 0]], [[0, 0], [0, 0]]], "
    + "[[[0, 0], [0, 1]], [[0, 0], [0, 0]]]]}\n"
)
"""The junction tree alone leaves a(t) open; two records are listed at once."""
TEXTS = [ROWS + ZCDP, LAPLACE, SHUFFLED, QUERY, QUERIES, ORDERS, ACYCLIC + ZCDP]
RUNNING = deadline.running
AFTERWARDS = 400
"""Readings of the clock that an audit may need to come to its end, once the time is up."""


@pytest.fixture
def clocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that audits a text with a number of readings of the clock before the limit."""

    def audited(text: str, readings: int) -> tuple[dict[str, Any], int]:
        clock = Ticks(1.0)
        with monkeypatch.context() as patch:
            patch.setattr(deadline, "running", partial(RUNNING, clock=clock))
            found = report(tmp_path, text, time_limit=readings + 0.5)
        return found, int(clock.time)

    return audited


def epsilons(found: dict[str, Any]) -> dict[tuple[str, float], float]:
    """The least epsilon of every row that is stated, at every delta."""
    least: dict[tuple[str, float], float] = {}
    for row in found["guarantees"]:
        for point in row["approx_dp"]:
            key = row["framework"], point["delta"]
            epsilon = float(point["epsilon"])
            least[key] = min(epsilon, least.get(key, epsilon))
    return least


CUT = [(readings, text) for readings in (0, 30) for text in TEXTS]


@pytest.mark.parametrize(
    ("readings", "text"),
    sampled(CUT, fast=[place for place, (_, text) in enumerate(CUT) if text != QUERIES]),
)
def test_an_audit_ends_soon_after_its_limit_looser_or_refused_and_says_so(
    text: str, readings: int, clocked: Any, tmp_path: Path
) -> None:
    found, spent = clocked(text, readings)
    whole = report(tmp_path, text, time_limit=1e5)
    assert whole["complete"]
    assert spent <= readings + AFTERWARDS
    exact = epsilons(whole)
    for key, epsilon in epsilons(found).items():
        assert epsilon >= exact[key] * (1 - 1e-5)
    ends, true = found["semi_adjacency"]["covering"], whole["semi_adjacency"]["covering"]
    assert ends["lower"] <= true["lower"]
    assert ends["upper"] >= true["upper"]
    assert not found["complete"] or found == whole


def test_what_a_junction_tree_proves_stands_where_there_is_no_time_to_list(clocked: Any) -> None:
    cut, _ = clocked(ACYCLIC + ZCDP, 2)
    covering = cut["semi_adjacency"]["covering"]
    assert (covering["lower"], covering["upper"]) == (2, 3)
    assert not cut["complete"]
    whole, _ = clocked(ACYCLIC + ZCDP, 900_000)
    assert whole["semi_adjacency"]["covering"]["upper"] == 2


def test_renyi_orders_are_not_searched_after_the_limit(
    clocked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = []
    monkeypatch.setattr(renyi_curve, "log_moment", lambda *_: moments.append(0))
    clocked(LAPLACE.replace("scale: 3.", "scale: 5."), 20)
    assert len(moments) <= 3 * 20  # three parts, and a reading of the clock before each order


def test_orders_of_zcdp_are_not_searched_after_the_limit_and_the_closed_forms_stand(
    clocked: Any,
) -> None:
    cut, _ = clocked(ORDERS, 12)
    assert not cut["complete"]
    stated = [row for row in cut["guarantees"] if not row["refused"]]
    assert stated
    for row in stated:
        conversions = {point["conversion"] for point in row["approx_dp"]}
        assert {"cks20", "bs16"} <= conversions


def test_an_audit_that_was_cut_does_not_answer_for_the_next(clocked: Any, tmp_path: Path) -> None:
    text = LAPLACE.replace("scale: 3.", "scale: 4.")
    cut, _ = clocked(text, 5)
    assert not cut["complete"]
    whole = report(tmp_path, text, time_limit=1e5)
    assert whole["complete"]
    assert epsilons(whole) != epsilons(cut)
    assert report(tmp_path, text, time_limit=1e5) == whole


LARGE = (
    HEAD.replace("2, b: 2, c: 2", "3, b: 3, c: 2")
    + TWO_WAY
    + "data:\n  counts:\n  - [[9, 4], [5, 8], [7, 7]]\n  - [[3, 9], [8, 2], [6, 5]]\n"
    + "  - [[4, 6], [9, 9], [2, 8]]\n"
)
"""D_t has too many tables to be listed."""


@pytest.mark.parametrize("reading", ["covering", "definition_13"])
def test_the_reading_in_force_is_proven_and_the_other_gets_a_fixed_amount_of_work(
    reading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "definition_13" if reading == "covering" else "covering"
    monkeypatch.setattr(integer_programs, "OTHER_WORK", 0)
    text = LARGE + ZCDP + f"adjacency: {{reading: {reading}}}\n"
    found = report(tmp_path, text, time_limit=1e5)
    semi = found["semi_adjacency"]
    assert semi["value"] == semi[reading]["upper"] == semi[reading]["lower"]
    assert semi[other]["lower"] < semi[other]["upper"]
    assert found["complete"]


def test_work_is_counted_in_programs_and_their_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = Limits(600, certify=False).counted(7)
    assert limits.allowed(1000) == 6
    limits.spend(3)
    assert limits.left > 0
    assert limits.allowed(1000) == 2
    limits.spend(2)
    assert limits.left == 0
    assert not limits.is_reached
    assert limits.whole is not None
    assert not limits.whole.is_reached


def test_an_explicit_dataspace_is_refused_where_the_time_is_too_short(clocked: Any) -> None:
    text = (
        "semiaudit: 1\ndataspace: {product: {size: 4, values: [0, 1]}}\n"
        "invariants: [count: {where: {value: 1}}]\n" + ZCDP
    )
    assert clocked(text, 900_000)[0]["semi_adjacency"]["value"] == 2
    with pytest.raises(SpecError, match="the time limit was reached before it was done"):
        clocked(text, 2)


def test_data_are_counted_within_the_limit(clocked: Any, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / "table.csv").write_text("a,b,c,count\n0,0,0,3\n0,1,1,4\n1,1,0,2\n1,0,1,5\n")
    text = HEAD + "invariants: [margin: [a], margin: [b]]\ndata: {table: table.csv}\n" + ZCDP
    assert clocked(text, 900_000)[0]["complete"]
    with pytest.raises(SpecError, match="the time limit was reached before it was done"):
        clocked(text, 0)


def test_what_else_a_spec_is_refused_for_is_looked_for_within_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault in a budget leaves all that a(t) needs, which may take long."""
    given: list[float] = []

    def noted(seconds: float) -> Any:
        given.append(seconds)
        return RUNNING(seconds)

    monkeypatch.setattr(deadline, "running", noted)
    text = ROWS + ZCDP + "budgets: [{framework: none, rho: 1}]\n"
    for limit in (0.25, 100.0):
        with pytest.raises(SpecError, match="framework"):
            report(tmp_path, text, time_limit=limit)
    assert given == [0.25, 5.0]


SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text("utf-8"))
LATTICE = {"discrete_laplace": {"scale": 3, "shifts": [1] * 40}}
GRID = {"compose": [{"laplace": {"scale": 1, "shifts": [1]}}, {"gdp": {"mu": 1.0625}}]}
NARROW = 1e-13
"""Of the size of the rounding of doubles."""


def report_of(mechanism: dict[str, Any], **options: Any) -> Report:
    spec = {
        "semiaudit": 1,
        "dataspace": {"unit": "person"},
        "mechanism": mechanism,
        "report": {"deltas": ["1e-3"], "alphas": ["0.05"]},
    }
    return audit(spec, **options)


@pytest.fixture
def short_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of the work on a grid is reached early."""
    for module in (refinement, tilted_product):
        monkeypatch.setattr(module, "GRID_POINTS", 1 << 15)


@pytest.mark.usefixtures("short_grids")
@pytest.mark.parametrize(
    ("mechanism", "options", "cause"),
    [
        (LATTICE, {"tolerance": NARROW}, "precision"),
        (GRID, {"tolerance": 1e-10}, "work limit"),
        (GRID, {"time_limit": 1e-9}, "time"),
    ],
)
def test_the_cause_is_named_as_text_and_as_json(
    mechanism: dict[str, Any], options: dict[str, float], cause: Any
) -> None:
    found = report_of(mechanism, **options)
    plain = found.as_dict()
    Draft202012Validator(SCHEMA).validate(plain)
    assert plain["complete"] is False
    assert plain["incomplete_because"] == [cause]
    text = found.render("text")
    assert f"INCOMPLETE: {SENTENCES[cause]}" in " ".join(text.split())
    (finding,) = [f for f in plain["findings"] if f["rule"] == "SA023"] or [None]
    assert finding is None or SENTENCES[cause] in finding["message"]


def test_a_complete_report_names_no_cause() -> None:
    plain = report_of(LATTICE).as_dict()
    Draft202012Validator(SCHEMA).validate(plain)
    assert plain["complete"] is True
    assert "incomplete_because" not in plain
    assert "INCOMPLETE" not in report_of(LATTICE).render("text")


def test_every_cause_has_a_sentence_and_a_remedy() -> None:
    assert set(SENTENCES) == set(REMEDIES) == set(CAUSES)


def test_causes_of_several_parts_are_named_once_in_one_order() -> None:
    assert joined(["precision"], [], ["time", "precision"]) == ("time", "precision")


def test_the_page_of_the_rule_has_every_cause() -> None:
    meaning = meaning_of(RULES[INCOMPLETE])
    assert all(sentence in meaning for sentence in SENTENCES.values())
