"""One spec before the gate: whatever a spec can cause becomes a verdict, and never an exception."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from semiaudit.checking.verdict import verdict_of
from semiaudit.library.report import Report, refusal_of
from semiaudit.model.audit import Audit, BudgetResult
from semiaudit.model.bound import Bound, Cause
from semiaudit.model.policy import GateOptions
from semiaudit.model.verdict import Verdict, exit_code_of_run
from tests.gate.specs import HOLDS, SLOW, audited, spec
from tests.places import CONFIGS, ROOT

FOLDERS = {"holds": ("holds", "audited"), "exceeds": ("exceeds",), "invalid": ("unaudited",)}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "specs").glob("*/*.yaml")), ids=lambda path: path.stem
)
def test_every_spec_ends_as_its_folder_says(path: Path) -> None:
    found = verdict_of(path, time_limit=600)
    assert found.outcome in FOLDERS[path.parent.name]
    assert bool(found.problems) is (found.outcome == "unaudited")


@pytest.mark.parametrize(
    "path",
    [
        *sorted((ROOT / "tests" / "specs").glob("[eh]*/*.yaml")),
        *(CONFIGS / f"{name}.yaml" for name in ("remark17_students", "cyclic_band", "starter")),
    ],
    ids=lambda path: path.stem,
)
def test_a_verdict_is_the_same_whether_reports_are_made_or_not(path: Path) -> None:
    audits: list[Audit] = []
    alone, reported = (
        replace(verdict_of(path, time_limit=600, report=report), seconds=0.0)
        for report in (None, audits.append)
    )
    assert len(audits) == 1
    assert repr(alone) == repr(reported)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"[" * 100_000, b"\x00" * 2_000_000])
def test_bytes_that_are_no_spec_are_unaudited(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    found = verdict_of(path, time_limit=600)
    assert (found.outcome, found.digest) == ("unaudited", None)


def test_a_directory_and_nothing_are_unaudited(tmp_path: Path) -> None:
    assert verdict_of(tmp_path, time_limit=600).outcome == "unaudited"
    assert verdict_of(tmp_path / "gone", time_limit=600).outcome == "unaudited"


def test_a_refused_semi_dp_is_unaudited_and_keeps_its_numbers(tmp_path: Path) -> None:
    # Definition 1 fails on this D: two datasets that no steps of distance 1 join.
    text = (
        "semiaudit: 1\ndataspace: {datasets: [[0, 0], [1, 1]]}\nmechanism: {zcdp: {rho: 1}}\n"
        "budgets: [{framework: nominal_dp, rho: 1}]\n"
    )
    found = verdict_of(spec(tmp_path, text), time_limit=600)
    assert found.outcome == "unaudited"
    assert found.digest is not None
    assert "no effective guarantee is proven" in str(found.problems[0])


def test_a_fault_of_the_program_is_internal_one_line_and_traced_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("line one\nline two")

    monkeypatch.setattr("semiaudit.auditing.run.audit_release", broken)
    path = spec(tmp_path, HOLDS)
    found = verdict_of(path, time_limit=600)
    assert (found.outcome, found.exit_code, found.trace) == ("internal", 4, "")
    assert "ZeroDivisionError: line one line two" in str(found.problems[0])
    assert "\n" not in str(found.problems[0])
    traced = verdict_of(path, time_limit=600, gate=GateOptions(debug=True))
    assert "Traceback" in traced.trace


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_memory_that_runs_out_and_an_interrupt_are_for_the_command_to_tell(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("semiaudit.auditing.run.audit_release", end)
    with pytest.raises(error):
        verdict_of(spec(tmp_path, HOLDS), time_limit=600)


def test_the_audit_is_handed_over_where_there_is_one(tmp_path: Path) -> None:
    seen: list[Audit] = []
    verdict_of(spec(tmp_path, HOLDS), time_limit=600, report=seen.append)
    verdict_of(spec(tmp_path, "semiaudit: 1\n"), time_limit=600, report=seen.append)
    assert [Report(audit).exit_code for audit in seen] == [0]


def test_the_digest_has_the_tightest_epsilon_at_every_delta(tmp_path: Path) -> None:
    digest = verdict_of(ROOT / "configs/census2020_pl94.yaml", time_limit=600).digest
    assert digest is not None
    semi = next(line for line in digest.lines if line.framework == "semi_dp")
    # Cho and Awan, section 6.1, and the cks20 conversion of rho 10.24.
    assert semi.numbers.zcdp is not None
    assert semi.numbers.zcdp.value * 25 == 256
    first = semi.numbers.approx_dp[0]
    assert first.conversion == "cks20"
    assert float(first.epsilon.value) == pytest.approx(39.82257, abs=5e-6)
    assert semi.numbers.approx_dp == semi.numbers.tightest


def test_a_slow_spec_ends_incomplete_and_is_never_green_by_it(tmp_path: Path) -> None:
    # Nothing but the size bounds a(t) by then, so that the budget, 3600, is held to nothing.
    found = verdict_of(spec(tmp_path, SLOW), time_limit=1e-6)
    assert found.digest is not None
    assert not found.digest.complete
    assert found.outcome == "unaudited"
    assert "SA023" in [finding.rule for finding in found.findings]
    assert found.digest.value is None
    assert not found.digest.established
    low, high = found.digest.covering
    assert high is not None
    assert low < high


def test_the_run_ends_with_the_most_severe_code() -> None:
    def run(*outcomes: Any) -> int:
        return exit_code_of_run([Verdict("x", o, budgets_required=True) for o in outcomes])

    assert run() == 3
    assert run("holds") == 0
    assert run("holds", "audited") == 3
    assert exit_code_of_run([Verdict("x", "holds"), Verdict("y", "audited")]) == 0
    assert run("audited", "exceeds", "holds") == 1
    assert run("exceeds", "unaudited") == 2
    assert run("unaudited", "internal", "exceeds") == 4


@pytest.mark.parametrize(
    ("causes", "actual", "code"),
    [
        (("time",), None, 2),  # no number at all
        (("time",), Bound(Fraction(3), "upper", "m", "s"), 1),  # a bound above the limit
        ((), None, 1),  # a mechanism without that number
    ],
)
def test_an_audit_cut_short_fails_by_its_bound_or_is_no_audit_without_one(
    tmp_path: Path, causes: tuple[Cause, ...], actual: Bound | None, code: int
) -> None:
    audit = audited(tmp_path, HOLDS)
    rule = "SA020" if actual is None else "SA013"
    result = BudgetResult(audit.release.budgets[0], actual, False, "r", rule)
    late = replace(audit, budgets=(result,), incomplete_because=causes)
    assert Report(late, 1e-6, 1).exit_code == code
    assert bool(refusal_of(late)) == (code == 2)
