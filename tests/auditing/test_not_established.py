"""An upper end that is nothing but the size of the datasets is no a(t)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from semiaudit.checking.verdict import verdict_of
from semiaudit.cli import main
from semiaudit.library.report import audit
from semiaudit.numeric.limits import Limits
from semiaudit.report import RENDERERS, VERDICT_RENDERERS, Layout
from semiaudit.universe import problem
from semiaudit.universe.distance import integer_programs, longest_moves
from tests.audits import audit_of, by_framework, report
from tests.samples import sampled

CYCLE = (
    "semiaudit: 1\ndataspace: {attributes: {a: 3, b: 3, c: 3}}\n"
    "invariants: [margin: [a, b], margin: [b, c], margin: [a, c]]\n"
    "data: {counts: [[[0, 1, 1], [1, 1, 1], [1, 1, 1]], [[1, 1, 1], [1, 1, 1], [1, 1, 1]], "
    "[[1, 1, 1], [1, 1, 1], [1, 1, 1]]]}\n"
    "mechanism: {zcdp: {rho: 1}}\n"
)
N = 26
BUDGETS = (
    "budgets:\n  - {framework: semi_dp, rho: 1000}\n  - {framework: group_privacy, rho: 1000}\n"
    "  - {framework: semi_dp, a_t: 1000}\n  - {framework: nominal_dp, rho: 1}\n"
)


@pytest.fixture
def unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    """D_t is not listed, no program may run, and no longest move is known."""
    monkeypatch.setattr(problem, "tables_of", lambda system: None)
    monkeypatch.setattr(longest_moves, "most_of_moves", lambda problem: None)
    monkeypatch.setattr(integer_programs, "SHARE", 0.0)
    monkeypatch.setattr(integer_programs, "OTHER_WORK", 0)


@pytest.mark.usefixtures("unproven")
@pytest.mark.parametrize(
    ("metric", "most"), [("hamming", N), ("multiset_hamming", N), ("symmetric_difference", 2 * N)]
)
def test_semi_dp_and_group_privacy_are_refused_and_the_report_says_why(
    metric: str, most: int, tmp_path: Path
) -> None:
    text = CYCLE.replace("c: 3}", "c: 3}, size: 26") if metric == "symmetric_difference" else CYCLE
    text += f"adjacency: {{metric: {metric}}}\n"
    done = audit_of(tmp_path, text + BUDGETS, time_limit=1e5)
    found = done.as_dict()
    semi = found["semi_adjacency"]
    assert semi["covering"]["upper"] == most
    assert semi["covering"]["lower"] < most
    assert semi["value"] is None
    rows = by_framework(found)
    for name in ("semi_dp", "group_privacy"):
        assert rows[name]["refused"]
        assert "a(t) is not established" in rows[name]["note"]
        assert rows[name]["zcdp"] is None
    for name in ("nominal_dp", "invariant_dp"):
        assert not rows[name]["refused"] or "adjacency metric" in rows[name]["note"]
    assert [budget["holds"] for budget in found["budgets"]] == [False, False, False, True]
    assert done.exit_code == 2
    told = {f["rule"]: f["message"] for f in found["findings"] if f["level"] == "error"}
    assert "not established" in told["SA008"]
    assert "--time-limit" in told["SA008"]
    assert "coarser attributes" in told["SA008"]
    for form in RENDERERS:
        if form != "json":
            assert "not established" in " ".join(done.render(form).split())


@pytest.mark.usefixtures("unproven")
def test_the_gate_and_its_formats_have_no_trivial_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.semiaudit.yaml"
    path.write_text(CYCLE + BUDGETS, encoding="utf-8")
    verdict = verdict_of(path, time_limit=1e5)
    assert verdict.outcome == "unaudited"
    assert verdict.digest is not None
    assert verdict.digest.value is None
    assert verdict.digest.distance is None
    assert verdict.digest.covering[1] == N
    assert not verdict.digest.established
    texts = {form: write((verdict,), Layout()) for form, write in VERDICT_RENDERERS.items()}
    assert all("not established" in " ".join(text.split()) for text in texts.values())
    assert "to 26" not in texts["text"]
    assert main(["analyze", str(path)]) == 2
    assert "not established" in capsys.readouterr().err


def test_an_earlier_number_that_is_not_established_any_more_is_weaker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, then = tmp_path / "x.semiaudit.yaml", tmp_path / "then.json"
    path.write_text(CYCLE + "budgets: [{framework: nominal_dp, rho: 1}]\n", encoding="utf-8")
    then.write_text(audit(path, time_limit=1e5).render("json"), encoding="utf-8")
    monkeypatch.setattr(problem, "tables_of", lambda system: None)
    monkeypatch.setattr(longest_moves, "most_of_moves", lambda problem: None)
    monkeypatch.setattr(integer_programs, "SHARE", 0.0)
    assert main(["check", str(path), "--baseline", str(then)]) == 2
    assert "covering a(t) is not established, and was" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("unproven")
def test_a_distance_that_the_spec_sets_is_told_to_be_below_what_is_not_established(
    tmp_path: Path,
) -> None:
    found = report(tmp_path, CYCLE + "adjacency: {distance: 3}\n" + BUDGETS, time_limit=1e5)
    assert by_framework(found)["semi_dp"]["zcdp"]["rho"] == 9
    assert [budget["holds"] for budget in found["budgets"]] == [False, True, False, True]
    (told,) = [f["message"] for f in found["findings"] if f["rule"] == "SA006"]
    assert "(not established)" in told


def test_an_end_from_a_proof_stays_and_so_does_n_where_a_witness_reaches_it(tmp_path: Path) -> None:
    proven = report(tmp_path, CYCLE)["semi_adjacency"]
    assert proven["value"] == proven["covering"]["upper"] < N
    two = "semiaudit: 1\ndataspace: {attributes: {a: 2}, size: 2}\ninvariants: [margin: [a]]\n"
    two += "data: {counts: [1, 1]}\nmechanism: {zcdp: {rho: 1}}\n"
    reached = report(tmp_path, two)
    assert reached["semi_adjacency"]["value"] == 2
    assert by_framework(reached)["semi_dp"]["zcdp"]["rho"] == 4


@cache
def listed(metric: str) -> dict[str, Any]:
    """The true numbers: those of all tables."""
    with TemporaryDirectory() as folder:
        text = CYCLE + f"adjacency: {{metric: {metric}}}\n"
        found: dict[str, Any] = report(Path(folder), text, time_limit=1e5)["semi_adjacency"]
        return found


@pytest.mark.parametrize("work", sampled([0, 1, 2, 4, 8, 16, 32, 64, 128, 1000], fast=(0, 3, 6, 9)))
@pytest.mark.parametrize("metric", ["hamming", "multiset_hamming"])
def test_what_is_called_established_holds_however_early_the_search_ends(
    work: int, metric: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = CYCLE + f"adjacency: {{metric: {metric}}}\n"
    true = listed(metric)
    assert true["covering"]["method"] == "enumeration"
    monkeypatch.setattr(problem, "tables_of", lambda system: None)
    monkeypatch.setattr(longest_moves, "most_of_moves", lambda problem: None)
    counted = Limits.counted
    monkeypatch.setattr(Limits, "share", lambda limits, part: counted(limits, work))
    semi = report(tmp_path, text, time_limit=1e5)["semi_adjacency"]
    exact = true["covering"]["upper"]
    assert semi["covering"]["lower"] <= exact <= semi["covering"]["upper"]
    assert semi["definition_13"]["lower"] <= true["definition_13"]["upper"]
    assert semi["definition_13"]["upper"] >= true["definition_13"]["upper"]
    assert semi["value"] is None or semi["value"] >= exact
    assert (semi["value"] is None) == (semi["covering"]["upper"] == N != semi["covering"]["lower"])
