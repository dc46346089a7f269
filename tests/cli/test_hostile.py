"""Extreme and hostile input that once went wrong: each case is a regression test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import semiaudit
from semiaudit.cli import main
from semiaudit.numeric.rationals import rational_text
from tests.audits import report
from tests.places import ROOT
from tests.samples import sampled

TWO_MARGINS = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\n"
    "invariants: [{margin: [a]}, {margin: [b]}]\n"
)
BITS = "semiaudit: 1\ndataspace: {product: {size: 3, values: [0, 1]}}\n"
ZCDP = "mechanism: {zcdp: {rho: 1}}\n"


def many_parts(number: int) -> str:
    """Declared parts of different epsilons."""
    parts = ", ".join(f"{{pure_dp: {{epsilon: 0.{i}}}}}" for i in range(10, 10 + number))
    return f"{{compose: [{parts}]}}"


@pytest.mark.parametrize("level", ["1", "'1'", "1.0", "1e0", "2/2", "0x1", "[1.0]"])
def test_levels_of_an_explicit_dataspace_are_numbers_however_written(
    level: str, tmp_path: Path
) -> None:
    text = BITS + f"invariants: [count: {{where: {{value: {level}}}}}]\n" + ZCDP
    assert report(tmp_path, text)["semi_adjacency"]["value"] == 2


@pytest.mark.parametrize("level", ["7", "one", "'1.5'", "[0, 2]"])
def test_levels_that_are_no_value_of_an_explicit_dataspace_are_refused(
    level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(BITS + f"invariants: [count: {{where: {{value: {level}}}}}]\n" + ZCDP)
    assert main(["analyze", str(path)]) == 2
    assert "is not a value of the dataspace" in capsys.readouterr().err


EXTREME = [
    "{gdp: {mu: 0}}",
    "{gdp: {mu: 1e-170}}",
    "{gdp: {mu: 1e-300}}",
    "{gdp: {mu: 100}, repeat: 1000}",
    "{gdp: {mu: 1}, repeat: 10000000}",
    "{gdp: {mu: 0.5}, repeat: 999999}",
    "{pure_dp: {epsilon: 0}}",
    "{pure_dp: {epsilon: 1e-170}}",
    "{pure_dp: {epsilon: 1e-155}}",
    "{pure_dp: {epsilon: 10000}}",
    "{approx_dp: {epsilon: 0.1, delta: 1e-9}, repeat: 20}",
    "{approx_dp: {epsilon: 0, delta: 0}}",
    "{zcdp: {rho: 0}}",
    "{zcdp: {rho: 1e-300}}",
    "{zcdp: {rho: 10000}}",
    "{tradeoff: {points: [[0, 0], [1, 0]], orders: both}}",
    "{tradeoff: {points: [[0, 1], [1, 0]], orders: one}, repeat: 50}",
    "{profile: {points: [[0, 0.5]]}, repeat: 50}",
    many_parts(2),
]
MANY = [
    "{pure_dp: {epsilon: 0.001}, repeat: 20}",
    "{pure_dp: {epsilon: 0.001}, repeat: 1000}",
    "{pure_dp: {epsilon: 0.001}, repeat: 100000}",
    "{approx_dp: {epsilon: 0.1, delta: 1e-9}, repeat: 1000}",
    many_parts(3),
    many_parts(30),
]
FAR = "adjacency: {distance: 999999999999}\n"
HOSTILE = [(mechanism, distance) for distance in ("", FAR) for mechanism in (*EXTREME, *MANY)]
QUICK = {*product(EXTREME, ("", FAR)), (MANY[0], "")} - {(many_parts(2), FAR)}


@pytest.mark.parametrize(
    ("mechanism", "distance"),
    sampled(HOSTILE, fast=[place for place, case in enumerate(HOSTILE) if case in QUICK]),
)
def test_extreme_mechanisms_end_in_bounds_and_not_in_errors(
    mechanism: str, distance: str, tmp_path: Path
) -> None:
    found = report(
        tmp_path,
        TWO_MARGINS
        + distance
        + f"mechanism: {mechanism}\n"
        + "report:\n  deltas: [1e-300, 1e-6, 0.999]\n"
        + "  alphas: [1e-300, 0.5, 0.99999999999999999999]\n",
    )
    for guarantee in found["guarantees"]:
        for point in guarantee["approx_dp"]:
            assert point["epsilon"] == "inf" or point["epsilon"] >= 0
        for rate in guarantee["tpr_at_fpr"]:
            assert rate["fpr"] <= rate["tpr"] <= 1
        assert 0 <= guarantee["advantage"] <= 1


def test_no_privacy_loss_costs_nothing_and_all_of_it_everything(tmp_path: Path) -> None:
    free = report(tmp_path, TWO_MARGINS + "mechanism: {gdp: {mu: 0}}\n")["guarantees"][2]
    assert (free["advantage"], free["gdp"]["mu"]) == (0, 0)
    assert {point["epsilon"] for point in free["approx_dp"]} == {0}
    lost = "mechanism: {tradeoff: {points: [[0, 0], [1, 0]], orders: both}}\n"
    row = report(tmp_path, TWO_MARGINS + lost)["guarantees"][2]
    assert row["advantage"] == 1
    assert {point["epsilon"] for point in row["approx_dp"]} == {"inf"}


def test_a_dataspace_of_astronomically_many_cells_is_audited(tmp_path: Path) -> None:
    attributes = ", ".join(f"a{i}: 1000000000" for i in range(150))
    found = report(
        tmp_path,
        f"semiaudit: 1\ndataspace: {{attributes: {{b: 2, {attributes}}}}}\n"
        "invariants: [margin: [b]]\ndata: {margins: {b: [1, 1]}}\n" + ZCDP,
    )
    assert found["semi_adjacency"]["value"] == 2
    assert found["disclosed"]["cells"] is None


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("dataspace: {product: {size: 1000, values: [0, 1]}}", "has more than 5000 datasets"),
        ("dataspace: {attributes: {'a\\tb': 2}}\ninvariants: [margin: [\"a\\tb\"]]", "control"),
        ('title: "a\\e[31m"\ndataspace: {}', "control characters"),
        ('dataspace: {attributes: {"a\\e[31m": 2}}', "is not a name for an attribute"),
        ("dataspace: {datasets: [[1], ['1']]}", "a number and a word with the same text"),
        ("dataspace: {}\nbudgets:", "budgets: is empty"),
        ("dataspace: {}\ninvariants:", "invariants: is empty"),
        ("!!str title: x\ndataspace: {}", "uses the tag"),
        ("title: ! x\ndataspace: {}", "uses the tag"),
        ("dataspace: {unit: '', attributes: {a: 2}}\ninvariants: [margin: [z]]", "z is not an"),
        ("dataspace: {attributes: {a: 2}}\nreport: {deltas: [" + "0.1, " * 201 + "]}", "too many"),
    ],
)
def test_more_bad_specs_exit_with_2(
    text: str, fragment: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("semiaudit: 1\n" + text + "\n" + ZCDP)
    assert main(["analyze", str(path)]) == 2
    assert fragment in capsys.readouterr().err


def test_nested_repeats_are_bounded_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = "{zcdp: {rho: 1}, repeat: 1000000}"
    for _ in range(3):
        inner = f"{{compose: [{inner}], repeat: 1000000}}"
    path = tmp_path / "spec.yaml"
    path.write_text(f"semiaudit: 1\ndataspace: {{}}\nmechanism: {inner}\n")
    assert main(["analyze", str(path)]) == 2
    assert "times in all" in capsys.readouterr().err


def test_a_flood_of_problems_is_cut_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    counts = ", ".join(["x"] * 3000)
    path.write_text(f"semiaudit: 1\ndataspace: {{attributes: {{a: 3000}}}}\n{ZCDP}"
                    f"data: {{counts: [{counts}]}}\n")  # fmt: skip
    assert main(["analyze", str(path)]) == 2
    *lines, total = capsys.readouterr().err.splitlines()
    assert len(lines) == 501
    assert total.startswith("501 errors.")
    assert "2500 more problems" in lines[-1]


def test_names_too_long_for_the_system_are_problems_and_not_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "x" * 300
    assert main(["analyze", long]) == 2
    assert main(["init", str(tmp_path / long)]) == 2
    config = str(ROOT / "configs/census2020_pl94.yaml")
    assert main(["analyze", config, "-o", f"json={tmp_path / long}"]) == 2
    assert capsys.readouterr().out == ""


def run_in_bash(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PY": sys.executable},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def test_exit_codes_survive_closed_and_full_outputs() -> None:
    analyze = "$PY -m semiaudit analyze configs/census2020_pl94.yaml"
    done = run_in_bash(f"{analyze} | true; echo ${{PIPESTATUS[0]}}")
    assert done.stdout == "0\n"
    assert done.stderr == ""
    for target in (">&-", "> /dev/full"):
        done = run_in_bash(f"{analyze} {target}; echo $? >&2")
        assert done.stderr.splitlines()[-1] == "2"
        assert "standard output" in done.stderr
    done = run_in_bash(f"PYTHONIOENCODING=latin-1 {analyze} > /dev/null; echo $? >&2")
    assert done.stderr == "0\n"


def test_links_are_followed_and_devices_are_written_to(tmp_path: Path) -> None:
    config = str(ROOT / "configs/census2020_pl94.yaml")
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    assert main(["analyze", config, "-o", f"json={link}"]) == 0
    assert link.is_symlink()
    assert json.loads(real.read_text())["schema_version"] == 1
    assert main(["analyze", config, "-o", "json=/dev/null"]) == 0
    assert not Path("/dev/null").is_file()


def test_a_refusal_is_told_on_stderr_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("semiaudit: 1\ndataspace: {datasets: [[0, 1], [1, 5]]}\n" + ZCDP)
    assert main(["analyze", str(path)]) == 2
    assert "Definition 1: some datasets" in capsys.readouterr().err


def test_wide_numbers_are_whole_in_narrow_tables(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        TWO_MARGINS + "mechanism: {compose: [{zcdp: {rho: 1}, repeat: 123456789}, "
        "{zcdp: {rho: 1/3}}]}\nadjacency: {distance: 3}\n"
        "budgets: [{framework: invariant_dp, rho: 3, distance: 123456789012345}]\n"
    )
    report = semiaudit.audit(path)
    rho = 123456789 + Fraction(1, 3)
    assert 9 * rho == 1111111104
    first, second = "1111111104", rational_text(123456789012345**2 * rho)
    assert second.endswith("e36")
    for width in (40, 60, 70, 80, 100):
        text = report.render("text", width=width, verbose=True)
        for shown in (first, second, "verdict"):
            assert shown in text, (width, shown)


def test_products_with_the_identity_leave_tiny_type_ii_errors_where_they_are(
    tmp_path: Path,
) -> None:
    points = "[[0,1],[1e-100,0.99],[5e-76,0.09],[0.09,5e-76],[0.99,1e-100],[1,0]]"
    alone = f"{{tradeoff: {{points: {points}, orders: both}}}}"
    identity = "{tradeoff: {points: [[0,1],[1,0]], orders: both}}"
    head = "semiaudit: 1\ndataspace: {}\nreport: {alphas: [0.98, 0.99]}\n"
    first = report(tmp_path, head + f"mechanism: {alone}\n")["guarantees"][0]["tradeoff"]
    both = f"mechanism: {{compose: [{alone}, {identity}]}}\n"
    second = report(tmp_path, head + both)["guarantees"][0]["tradeoff"]
    for exact, found in zip(first, second, strict=True):
        assert found["type_ii"] <= exact["type_ii"]


def test_an_order_needs_every_number_to_follow(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        "semiaudit: 1\ndataspace: {size: 10, attributes: {a: 2, b: 2}}\n"
        "invariants: [margin: [a]]\nmechanism: {approx_dp: {epsilon: 200, delta: 1e-6}}\n",
    )
    assert {(o["stronger"], o["weaker"]) for o in found["ordering"]} == {
        ("nominal_dp", "invariant_dp"),
        ("group_privacy", "semi_dp"),
    }


def test_a_hundred_margins_end_in_an_interval_with_a_witness(tmp_path: Path) -> None:
    names = [f"a{i}" for i in range(100)]
    margins = ", ".join(f"{n}: [{1001 // (3 + i % 10)}, {1001 - 1001 // (3 + i % 10)}]"
                        for i, n in enumerate(names))  # fmt: skip
    found = report(
        tmp_path,
        f"semiaudit: 1\ndataspace: {{attributes: {{{', '.join(f'{n}: 2' for n in names)}}}}}\n"
        f"invariants: [{', '.join(f'margin: [{n}]' for n in names)}]\n"
        f"data: {{margins: {{{margins}}}}}\n" + ZCDP,
    )
    covering = found["semi_adjacency"]["covering"]
    assert 2 < covering["lower"] <= covering["upper"] < 101
    assert covering["witness"]["distance"] == covering["lower"]


def test_a_budget_is_printed_at_a_limit_that_it_meets(tmp_path: Path) -> None:
    text = (
        "semiaudit: 1\ndataspace: {}\nmechanism: {pure_dp: {epsilon: 1/3}}\n"
        "budgets: [{framework: nominal_dp, epsilon: 1/3}]\n"
    )
    budget = report(tmp_path, text)["budgets"][0]
    assert budget["holds"]
    assert budget["actual"] <= budget["limit"]
    text = semiaudit.audit(tmp_path / "spec.yaml").render("text", width=200, verbose=True)
    table = text.partition("\nBudgets\n")[2]
    (row,) = [line.split() for line in table.splitlines() if line.endswith(" passed")]
    assert row[-3:] == ["0.333333", "0.3334", "passed"]  # the limit down, the number up
