"""Random whole specs are audited no better than an enumeration finds, and the campaign notices."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from pathlib import Path

import pytest

from semiaudit.library.report import audit
from tests.auditing import whole_audits
from tests.auditing.random_specs import drawn
from tests.auditing.whole_audits import (
    below,
    figures,
    ratios,
    result_of,
    run,
    true_numbers,
    truth_of,
)
from tests.oracles.releases import Part, Release, truth
from tests.oracles.tables import Instance
from tests.samples import sampled

CASES = 2_000
FAST = range(8)


@pytest.mark.parametrize("number", sampled(range(CASES), FAST))
def test_no_number_of_an_audit_is_below_the_truth(number: int) -> None:
    result = result_of(number)
    assert result["outcome"] in ("sound", "refused"), result["why"]


def test_a_case_is_the_same_spec_whenever_it_is_drawn() -> None:
    assert drawn(7) == drawn(7)
    assert drawn(7).text != drawn(8).text


def test_every_number_that_is_lowered_is_noticed() -> None:
    case = next(drawn(k) for k in range(100) if drawn(k).family == "discrete_laplace")
    found, report = truth_of(case), audit(case.text).as_dict()
    assert list(below(report, found)) == []
    assert ratios(report, found)["epsilon"] == pytest.approx(1)
    for place, row in enumerate(report["guarantees"]):
        if row["framework"] not in found.rows:
            continue
        changed = deepcopy(report)
        lowered, known = changed["guarantees"][place], true_numbers(found.rows[row["framework"]])
        lowered["pure_dp"]["epsilon"] = known["epsilon"] * 0.999
        lowered["zcdp"]["rho"] = known["rho"] * 0.999
        lowered["gdp"]["mu"] = known["mu"] * 0.999
        if row["framework"] != "invariant_dp":
            lowered["approx_dp"][-1]["epsilon"] = known["epsilon at delta"] * 0.999
            lowered["advantage"] = known["advantage"] * 0.999
            lowered["tpr_at_fpr"][0]["tpr"] = known["true positive rate"] * 0.999
        assert len(known) == (3 if row["framework"] == "invariant_dp" else 6)
        assert len(list(below(changed, found))) == len(known)
    for name in ("covering", "definition_13"):
        changed = deepcopy(report)
        changed["semi_adjacency"][name]["upper"] -= 1
        assert len(list(below(changed, found))) == 1


def test_a_lower_bound_that_is_raised_is_noticed() -> None:
    case = next(drawn(k) for k in range(100) if drawn(k).family == "discrete_laplace")
    found, report = truth_of(case), audit(case.text).as_dict()
    assert list(below(report, found)) == []
    for place, row in enumerate(report["guarantees"]):
        if row["framework"] in ("semi_dp", "nominal_dp"):
            changed = deepcopy(report)
            point = changed["guarantees"][place]["approx_dp"][-1]
            point["epsilon_lower"] = str(float(point["epsilon"]) * 1.001)
            assert len(list(below(changed, found))) == 1


def test_the_row_of_subspace_dp_is_that_of_the_projected_move() -> None:
    """Under both margins of 2 x 2 cells, (1, -1, -1, 1) / 2 is left, and (1, -1, 0, 0) is 1 of it;
    under the total, all of (1, -1, 0, 0) is."""
    cells = tuple(tuple(int(i == j) for j in range(4)) for i in range(4))
    margins = ((1, 1, 0, 0), (0, 0, 1, 1), (1, 0, 1, 0), (0, 1, 0, 1))
    part = Part("gaussian", 1.0, cells)
    for rows, mu in ((margins, 1.0), (((1, 1, 1, 1),), math.sqrt(2))):
        instance = Instance((2, 2), 3, frozenset(), rows, (), (), 3)
        release = Release(instance, (1, 1, 1, 0), "hamming", False, None, (part,))
        assert truth(release, (), ()).rows["subspace_dp"].mu == pytest.approx(mu)


def test_a_number_that_should_be_infinite_is_noticed() -> None:
    case = next(drawn(k) for k in range(100) if drawn(k).family == "finite_noise")
    found, report = truth_of(case), audit(case.text).as_dict()
    (row,) = (row for row in report["guarantees"] if row["framework"] == "nominal_dp")
    assert math.isinf(found.rows["nominal_dp"].pure)
    row["pure_dp"] = {"epsilon": 1e9}
    assert len(list(below(report, found))) == 1


def test_a_run_goes_on_where_its_journal_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = tmp_path / "journal.jsonl"
    first = {"case": 0, "outcome": "refused", "commit": "abcdefg"}
    journal.write_text(json.dumps(first) + "\n")
    monkeypatch.setattr(whole_audits, "result_of", lambda k: {"case": k, "outcome": "sound"})
    found = run(3, journal, 1)
    assert [result["outcome"] for result in found] == ["refused", "sound", "sound"]
    assert [json.loads(line)["case"] for line in journal.read_text().splitlines()] == [0, 1, 2]


def test_the_figures_are_counts_and_the_distribution_of_the_gap() -> None:
    gaps = [1.0, 1.0, 1.5, math.inf]
    results = [{"outcome": "sound", "exact": True, "ratios": {"rho": gap}} for gap in gaps] + [
        {"outcome": "refused", "exact": False, "ratios": {}},
        {"outcome": "no audit"},
    ]
    shown = figures({**result, "commit": "abcdefg"} for result in results)
    assert shown[:2] == ["cases: 6 whole specs", "cases at commit abcdefg: 6"]
    assert "cases below the truth: 0" in shown
    assert "cases with exact a(t) by both definitions: 4 of 5" in shown
    assert shown[-2:] == [
        "| ratio of | cases | at most 1.000001 | median | 99% at most | largest finite "
        "| not finite |",
        "| rho | 4 | 50.0% | 1.5 | inf | 1.5 | 1 |",
    ]
