"""`semiaudit batch --policy`: every worker judges as `semiaudit check` does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.checking.batches import batch, batch_here, rows_of, spec_file
from tests.in_process import completed

POLICY = "semiaudit_policy: 1\nbudgets: [{framework: semi_dp, rho: 2.5}]\n"
"""The specs have 4 times their rho under semi_dp."""

OUTCOMES = {"fits": "holds", "looser": "exceeds", "silent": "holds", "worse": "exceeds"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    specs = tmp_path / "specs"
    spec_file(specs, "fits", rho="0.5", budget="2")
    spec_file(specs, "looser", rho="0.5", budget="3")
    for name, rho in (("silent", "0.625"), ("worse", "0.626")):
        path = spec_file(specs, name, rho=rho)
        path.write_text(path.read_text().partition("budgets")[0])
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def test_a_policy_is_judged_as_check_judges_it(folder: Path) -> None:
    done = batch(folder, "specs", "--policy", "policy.yaml", "-o", "csv=a.csv", "-o", "json=a.json")
    assert done.returncode == 1, done.stderr
    rows = rows_of(folder / "a.csv")
    assert {Path(row["path"]).name.split(".")[0]: row["outcome"] for row in rows} == OUTCOMES
    told = {Path(row["path"]).name.split(".")[0]: row["first_problem"] for row in rows}
    assert "allows 3, and the policy allows 2.5" in told["looser"]
    assert "Semi-DP (effective): ρ 2.504" in told["worse"]
    assert done.stdout.startswith("4 of 4 specs audited, 2 failed, 2 passed\n")
    arguments = ["check", "specs", "--policy", "policy.yaml", "--format", "json"]
    checked = completed(folder, *arguments)
    assert checked.returncode == 1, checked.stderr
    assert json.loads((folder / "a.json").read_text()) == json.loads(checked.stdout)


def test_without_a_policy_only_the_specs_own_budgets_count(folder: Path) -> None:
    done = batch(folder, "specs", "-o", "csv=a.csv")
    assert done.returncode == 0
    assert batch_here(folder, "specs", "--require-budgets").returncode == 3
    assert [row["outcome"] for row in rows_of(folder / "a.csv")] == ["holds"] * 2 + ["audited"] * 2


def test_a_specs_own_report_has_the_policy_s_budgets(folder: Path) -> None:
    batch(folder, "specs", "--policy", "policy.yaml", "--reports", "reports")
    report = json.loads((folder / "reports" / "worse.semiaudit.yaml.json").read_text())
    assert [(budget["limit"], budget["holds"]) for budget in report["budgets"]] == [(2.5, False)]


def test_another_policy_audits_again_and_the_same_one_does_not(folder: Path) -> None:
    options = ("specs", "--resume", "journal", "--policy", "policy.yaml")
    assert "unchanged" not in batch_here(folder, *options).stdout
    assert "4 of them unchanged" in batch_here(folder, *options).stdout
    (folder / "policy.yaml").write_text(POLICY.replace("2.5", "2.51"))
    third = batch_here(folder, *options)
    assert "unchanged" not in third.stdout
    assert "3 passed" in third.stdout
    assert "unchanged" not in batch_here(folder, *options[:3]).stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--policy", "missing.yaml"), "missing.yaml"),
        (("--policy", "specs/fits.semiaudit.yaml"), "semiaudit_policy"),
        (("--policy", "policy.yaml", "-o", "csv=policy.yaml"), "would overwrite"),
    ],
)
def test_a_policy_that_cannot_be_read_or_would_be_lost_ends_the_batch_at_the_start(
    folder: Path, options: tuple[str, ...], words: str
) -> None:
    done = batch(folder, "specs", *options)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""
    assert (folder / "policy.yaml").read_text() == POLICY
