"""docs/extending.md: each worked example works, and touches no more files than it may."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import MISSING, fields
from inspect import getdoc
from pathlib import Path
from typing import Any

import pytest

from semiaudit.mechanisms.noise import NoiseKind
from semiaudit.model.mechanism import Noise
from tests.extending.patches import (
    PATCHES,
    Patched,
    applied,
    copied,
    in_copy,
    in_turn,
    patch,
    run,
    touched,
    type_errors,
)
from tests.places import ROOT

MOST = {
    "noise.patch": 5,
    "framework.patch": 3,
    "format.patch": 2,
    "command.patch": 2,
    "pair.patch": 3,
    "rule.patch": 3,
    "metric.patch": 8,
}
UNIFORM = """\
semiaudit: 1
dataspace: {unit: person}
mechanism: {bounded_uniform: {reach: 5, shifts: [1, -2]}}
report: {deltas: [0.3, 0.2]}
"""
COUNTS = ((20, 10), (10, 20))
ON_A_TABLE = f"""\
semiaudit: 1
dataspace: {{unit: person, attributes: {{a: 2, b: 2}}}}
invariants: [margin: [a]]
data: {{counts: {[list(row) for row in COUNTS]}}}
mechanism: {{bounded_uniform: {{reach: 5, query: table}}}}
"""
RECORD = "semiaudit/mechanisms/bounded_uniform.py"
"""The module with all that is known of the new kind of noise."""

SIDE_BY_SIDE = """\
import json
from semiaudit import audit
SPACE = {"size": 4, "attributes": {"a": 2, "b": 2}}
BLOCKS = [[1, -1, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 1]]
for name, parameters in [
    ("gaussian", {"sigma": 2, "support": "null_space"}),
    ("gaussian", {"sigma": 2, "support": "sensitivity_space"}),
    ("gaussian", {"covariance": BLOCKS}),
    ("laplace", {"scale": 1, "basis": BLOCKS[::2]}),
    ("k_norm", {"epsilon": 1, "norm": {"hull": "D_t"}}),
    ("finite_noise", {"values": [-1, 0, 1], "probabilities": ["1/4", "1/2", "1/4"]}),
]:
    mechanism = {name: {"query": "table", **parameters}}
    spec = {"dataspace": SPACE, "invariants": [{"margin": ["a"]}], "mechanism": mechanism}
    report = audit({"semiaudit": 1, **spec}).as_dict()
    rows = {row["framework"]: row for row in report["guarantees"]}
    pairs = {row.pop("framework"): row for row in report["worst_pairs"] or ()}
    refused = {framework: row["refused"] for framework, row in rows.items()}
    why = {framework: row["note"] for framework, row in rows.items()}
    print(json.dumps([refused, why, pairs]))
"""
"""What two notions say of noise that keeps the invariants, and of noise that does not."""

PAIRS = """\
semiaudit: 1
dataspace: {size: 10, attributes: {a: 2, b: 2}}
invariants: [margin: [a]]
mechanism: {zcdp: {rho: 1/2}}
budgets:
  - {framework: pair_dp, rho: 1.9}
"""
KNOWN = PAIRS.partition("budgets")[0]


def spec(folder: Path, text: str) -> str:
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def guarantees(text: str) -> dict[str, dict[str, Any]]:
    return {row["framework"]: row for row in json.loads(text)["guarantees"]}


@pytest.mark.parametrize("name", list(MOST))
def test_an_example_touches_few_files(name: str) -> None:
    files = touched(name)
    assert 0 < len(files) <= MOST[name], files
    pages = ("extending.md", "extending_output.md")
    page = "".join((ROOT / "docs" / at).read_text("utf-8") for at in pages)
    assert f"tests/extending/{name}" in page
    for file in files:
        assert f"`{file}`" in page, f"{name}: the page does not name {file}"


@pytest.mark.lengthy
def test_the_whole_package_with_all_examples_is_well_typed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    copied(tree)
    for name in PATCHES:
        patch(tree, name)
    assert type_errors(tree, "all") == ""


def test_a_new_command_prints_its_answer_in_each_format(patched: Patched, tmp_path: Path) -> None:
    copy = patched("command.patch")
    path = "configs/example5_table.yaml"  # a(t) is 3, and 2 as printed: Example 5 of the source
    forms = ("json", "text", "markdown")
    lines = [("distance", path, "--format", form) for form in forms]
    found, *others, listed = in_turn(copy, *lines, ("--help",))
    assert found.returncode == 0, found.stderr
    two, three = {"lower": 2, "upper": 2}, {"lower": 3, "upper": 3}
    answer = {"schema_version": 1, "covering": three, "definition_13": two}
    assert json.loads(found.stdout) == answer
    assert len(others) == 2
    assert all("covering" in other.stdout for other in others)
    assert "distance" in listed.stdout


def test_a_new_kind_of_noise_is_read_stated_and_certified(patched: Patched, tmp_path: Path) -> None:
    copy = patched("noise.patch")
    done = run(copy, "analyze", spec(tmp_path, UNIFORM), "--format", "json")
    assert done.returncode == 0, done.stderr
    nominal = guarantees(done.stdout)["nominal_dp"]
    # Coordinates that move by 1 and by 2 leave 1/11 and 2/11 of their 11 values: 3/11 in all.
    assert nominal["advantage"] == pytest.approx(3 / 11, rel=1e-9)
    assert nominal["advantage"] >= 1 - (10 / 11) * (9 / 11)
    points = {(p["delta"], p["conversion"]): p["epsilon"] for p in nominal["approx_dp"]}
    assert points[0.3, "declared"] == 0
    assert points[0.2, "tradeoff_duality"] == "inf"
    assert "uniform on a range of whole numbers" in json.loads(done.stdout)["statement"]["standard"]


def test_a_new_kind_of_noise_is_sampled_converted_and_named_in_python(
    patched: Patched, tmp_path: Path
) -> None:
    copy, drawn = patched("noise.patch"), tmp_path / "drawn.csv"
    path, draws = spec(tmp_path, ON_A_TABLE), 1_000
    seeded = ("--seed", "7", "--draws", str(draws), "-o", f"csv={drawn}", "--format", "json")
    asked = ("bounded_uniform: {reach: 5}", "--delta", "0.1", "--delta", "0.09", "--format", "json")
    lines = [("mechanism", "sample", path, *seeded), ("convert", *asked)]
    done, converted = in_turn(copy, *lines)
    assert done.returncode == 0, done.stderr
    (part,) = json.loads(done.stdout)["parts"]
    assert (part["kind"], part["whole"]) == ("bounded_uniform", True)
    rows = list(csv.DictReader(drawn.read_text("utf-8").splitlines()))
    noise = [int(row["answer"]) - COUNTS[int(row["a"])][int(row["b"])] for row in rows]
    assert len(noise) == 4 * draws
    counts = Counter(noise)
    assert set(counts) == set(range(-5, 6))
    # Each of 11 values has the expected count 4000/11; the 0.9999 quantile of chi^2(10) is 35.6.
    expected = len(noise) / 11
    assert sum((n - expected) ** 2 / expected for n in counts.values()) < 35.6

    assert converted.returncode == 0, converted.stderr
    answer = json.loads(converted.stdout)
    # One of 11 values is left to each dataset.
    assert answer["advantage"] == pytest.approx(1 / 11, rel=1e-9)
    points = {(p["delta"], p["conversion"]): p["epsilon"] for p in answer["approx_dp"]}
    assert points[0.1, "declared"] == 0
    assert points[0.09, "tradeoff_duality"] == "inf"

    said = in_copy(copy, "-c", "import semiaudit; print(semiaudit.BoundedUniform(5) * 2)")
    assert said.stdout == "BoundedUniform(reach=5) * 2\n", said.stderr


def test_the_page_names_what_a_record_may_say_and_every_list_with_a_new_kind_of_noise() -> None:
    text = (ROOT / "docs" / "extending.md").read_text("utf-8")
    section = text.partition("## A new kind of noise")[2].partition("\n### ")[0]
    optional = [field.name for field in fields(NoiseKind) if field.default is not MISSING]
    sampler = "semiaudit/mechanisms/sampling/noise_samplers.py"
    for named in (*optional, "Drawing", "OnGrid", "docs/sampling.md", sampler):
        assert f"`{named}`" in section, named
    assert all(f"    {field.name}: " in (getdoc(Noise) or "") for field in fields(Noise))


@pytest.mark.lengthy
def test_the_lists_of_kinds_agree_once_a_kind_of_noise_is_added(tmp_path: Path) -> None:
    copy = applied("noise.patch", tmp_path)
    of_kinds = ["tests/test_architecture.py", "tests/library/test_mechanisms.py"]
    chosen = ["-k", "every_kind or bounded_uniform", "-p", "no:cacheprovider", "-q"]
    chosen += ["--noconftest", "--assert=plain"]
    done = in_copy(copy, "-m", "pytest", *of_kinds, *chosen)
    assert done.returncode == 0, done.stdout
    module = copy / "semiaudit/library/mechanisms.py"
    entry = ', kind="bounded_uniform"'
    module.write_text(module.read_text("utf-8").replace(entry, ""), "utf-8")
    done = in_copy(copy, "-m", "pytest", of_kinds[1], *chosen)
    assert done.returncode == 2
    assert "BoundedUniform(5, shifts=[1, -2])" in done.stdout


def test_what_the_record_of_a_new_kind_leaves_open_is_refused(tmp_path: Path) -> None:
    copy, table = applied("noise.patch", tmp_path), spec(tmp_path, ON_A_TABLE)
    module = copy / RECORD
    whole = module.read_text("utf-8")
    silent = re.sub(r"        drawing=[^\n]*\),\n", "", whole, flags=re.DOTALL)
    assert silent != whole
    module.write_text(silent, "utf-8")
    sampled = ("mechanism", "sample", table, "-o", f"csv={tmp_path / 'drawn.csv'}")
    done, analyzed = in_turn(copy, sampled, ("analyze", table))
    assert (done.returncode, done.stdout) == (2, "")
    assert "bounded_uniform cannot be sampled" in done.stderr
    assert not (tmp_path / "drawn.csv").exists()
    assert analyzed.returncode == 0

    module.write_text(
        whole.replace("    BoundedUniform: NoiseKind(", "    bool: NoiseKind("), "utf-8"
    )
    for done in in_turn(copy, ("analyze", table), sampled):
        assert (done.returncode, done.stdout) == (2, "")
        assert "BoundedUniform is not a known kind of mechanism" in done.stderr


@pytest.mark.lengthy
def test_mypy_names_what_a_new_kind_of_noise_lacks(tmp_path: Path) -> None:
    copy = applied("noise.patch", tmp_path)
    model, module = copy / "semiaudit/model/mechanism.py", copy / RECORD
    for path, entry in ((model, "    | BoundedUniform\n"), (module, "        bounded_uniform,\n")):
        before = path.read_text("utf-8")
        path.write_text(before.replace(entry, ""), "utf-8")
        assert path.read_text("utf-8") != before
    errors = re.findall(r"(.+?):\d+: error: (.*)", type_errors(copy, "noise-without-entries"))
    # The grammar makes what is no part of a mechanism; a record has no loss.
    assert {module for module, _ in errors} == {
        "semiaudit/spec/mechanism/mechanism_schema.py",
        RECORD,
    }


def test_a_new_kind_of_noise_is_refused_where_its_query_need_not_be_whole(
    patched: Patched, tmp_path: Path
) -> None:
    copy = patched("noise.patch")
    text = UNIFORM.replace("[1, -2]", "[1/2]")
    lines = [("analyze", spec(tmp_path, text), "--format", "json"), ("schema",)]
    done, schema = in_turn(copy, *lines)
    assert done.returncode == 2
    assert "spec.yaml:3:" in done.stderr
    assert "bounded_uniform" in schema.stdout


def test_a_new_framework_is_compared_budgeted_and_listed(patched: Patched, tmp_path: Path) -> None:
    copy, folder = patched("framework.patch"), tmp_path / "specs"
    folder.mkdir()
    schemas = [("schema", *which) for which in ((), ("report",), ("check",))]
    analyzed = ("analyze", spec(folder, PAIRS), "--format", "json")
    done, *printed = in_turn(copy, analyzed, *schemas)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    # rho 1/2 at distance 2 is 2^2 / 2, above the budget's 1.9.
    assert guarantees(done.stdout)["pair_dp"]["zcdp"] == {"rho": 2}
    (budget,) = report["budgets"]
    assert (budget["actual"], budget["holds"]) == (2, False)
    # The same rho for fewer pairs, as a(t) is 2 and D_t lies inside D.
    assert {"stronger": "pair_dp", "weaker": "semi_dp", "strict": True} in report["ordering"]
    assert len(printed) == 3
    assert all('"pair_dp"' in schema.stdout for schema in printed)
    table = run(copy, "batch", str(folder), "--format", "csv", "-q")
    assert "pair_dp_rho" in table.stdout.splitlines()[0]


def test_a_new_framework_is_refused_or_shown_as_group_privacy_is(
    patched: Patched, tmp_path: Path
) -> None:
    copy = patched("framework.patch")
    done = in_copy(copy, "-c", SIDE_BY_SIDE)
    assert done.returncode == 0, done.stderr
    for refused, why, pairs in map(json.loads, done.stdout.splitlines()):
        assert refused["pair_dp"] == refused["group_privacy"]
        assert why["pair_dp"] == why["group_privacy"]
        # a(t) is 2 for one margin, so that both notions compare the same pairs.
        assert pairs.get("pair_dp") == pairs.get("group_privacy")
        assert bool(pairs) is not refused["pair_dp"]


def test_a_new_format_is_offered_and_written(patched: Patched, tmp_path: Path) -> None:
    copy = patched("format.patch")
    path, target = spec(tmp_path, KNOWN), tmp_path / "out.tsv"
    analyzed = ("analyze", path, "--format", "tsv", "-o", f"tsv={target}")
    helped = [(command, "--help") for command in ("analyze", "check")]
    done, of_analyze, of_check = in_turn(copy, analyzed, *helped)
    assert done.returncode == 0, done.stderr
    # One margin: a(t) is 2, and rho 1/2 at distance 2 is 2.
    assert "semi_dp\tD_t\t2\t2\t\t\n" in done.stdout
    assert target.read_text("utf-8") == done.stdout
    assert re.search(r"\[text\|json\|markdown\|html\|csv\|latex\|tsv\]", of_analyze.stdout)
    assert (of_check.returncode, "tsv" in of_check.stdout) == (0, False)


ASKED = """\
from fractions import Fraction
from semiaudit.model.loss import LaplaceLoss, PrivacyLoss, UniformLoss
from semiaudit.privacy.composition import compose
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.group import group
from semiaudit.privacy.loss import advantage, delta_at
from semiaudit.privacy.ordering.implication import strongest

one = PrivacyLoss(((UniformLoss(-1, 10), 1),))
(three,) = group((one,), 3)
print(advantage(one).upper, advantage(three).upper)
print(strongest((three,), (one,)) == (one,))
(both, *_) = compose([((one,), 2), ((PrivacyLoss(((LaplaceLoss(Fraction(1)), 1),)),), 1)])
print(delta_at(both, Fraction(1)).lower, delta_at(both, Fraction(1)).upper)
print(numbers_of((one,), [Fraction(1, 5)], [Fraction(1, 2)]).approx_dp[0].epsilon.value)
"""


def test_a_new_pair_is_composed_ordered_moved_and_evaluated(patched: Patched) -> None:
    done = in_copy(patched("pair.patch"), "-c", ASKED)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    # One value of ten is left to either law alone, three of ten in three steps.
    assert [float(text) for text in lines[0].split()] == pytest.approx([0.1, 0.3], rel=1e-14)
    assert lines[1] == "True"
    # Beside Laplace noise that loses at most 1, only what is told for sure is left at 1.
    assert [float(text) for text in lines[2].split()] == pytest.approx([0.19, 0.19], rel=1e-9)
    assert float(lines[3]) == 0


def without_its_entry(tmp_path: Path) -> Path:
    copy = applied("pair.patch", tmp_path)
    registry = copy / "semiaudit/privacy/loss/pairs/pair_kinds.py"
    text = registry.read_text("utf-8")
    registry.write_text(
        text.replace("        case UniformLoss():\n            return uniform(pair)\n", ""), "utf-8"
    )
    assert registry.read_text("utf-8") != text
    return copy


def test_without_its_entry_the_pair_is_refused(tmp_path: Path) -> None:
    done = in_copy(without_its_entry(tmp_path), "-O", "-c", ASKED)
    assert done.returncode == 1
    assert "group privacy: UniformLoss is a kind that is not known here" in done.stderr


@pytest.mark.lengthy
def test_mypy_names_what_a_new_pair_lacks(tmp_path: Path) -> None:
    errors = type_errors(without_its_entry(tmp_path), "pair-without-its-entry")
    (error,) = re.findall(r".*: error: .*", errors)
    assert error.startswith("semiaudit/privacy/loss/pairs/pair_kinds.py:")
    assert "UniformLoss" in error


WITHOUT_REFERENCE = """\
semiaudit: 1
dataspace: {size: 100}
mechanism: {zcdp: {rho: 1, neighbors: replace_one}}
budgets: [{framework: semi_dp, rho: 2}]
"""
RULE_TEXT = "semiaudit/model/rules/SA043.md"


def test_a_new_rule_is_found_listed_and_explained(tmp_path: Path) -> None:
    copy = applied("rule.patch", tmp_path)
    (copy / "release.yaml").write_text(WITHOUT_REFERENCE, "utf-8")
    lines = [("check", "release.yaml", "--format", "sarif"), ("rule",), ("schema", "check")]
    checked, rules, schema = in_turn(copy, *lines)
    assert checked.returncode == 0, checked.stderr
    (log,) = json.loads(checked.stdout)["runs"]
    assert [(r["ruleId"], r["level"]) for r in log["results"]] == [("SA043", "note")]
    assert "SA043  note     The spec names no source.\n" in rules.stdout
    assert "SA043" in schema.stdout
    refreshed = "refresh(['SA043']); print(pages()['README.md'])"
    written = in_copy(copy, "-c", f"from tests.rule_pages import pages, refresh; {refreshed}")
    assert written.returncode == 0, written.stderr
    row = "| [SA043](SA043.md) | no-reference | note | gate | The spec names no source. |"
    assert row in written.stdout
    page = run(copy, "rule", "SA043").stdout
    assert (
        " note            the spec names no source; add reference (release.yaml, SA043)\n" in page
    )


def test_without_its_text_the_rule_s_page_cannot_be_written(tmp_path: Path) -> None:
    copy = applied("rule.patch", tmp_path)
    (copy / RULE_TEXT).unlink()
    written = in_copy(copy, "-c", "from tests.rule_pages import pages; pages()")
    assert written.returncode == 1
    assert "SA043.md" in written.stderr


METRIC = "weighted_hamming"
BY_WEIGHT = f"""\
semiaudit: 1
dataspace: {{size: 4, attributes: {{a: 2, b: 2}}}}
invariants: [margin: [a]]
data: {{counts: [[1, 1], [1, 1]]}}
adjacency: {{metric: {METRIC}}}
mechanism: {{gaussian: {{sigma: 1, query: table}}}}
"""


def test_every_command_refuses_a_metric_that_no_method_declares(
    patched: Patched, tmp_path: Path
) -> None:
    """The metric is in every list that mypy checks, as if it were that of ordered datasets."""
    texts = {
        "noise": BY_WEIGHT,
        "declared": BY_WEIGHT.partition("mechanism")[0] + "mechanism: {zcdp: {rho: 1}}\n",
        "design": BY_WEIGHT.partition("mechanism")[0] + "design: {query: table}\n",
        "explicit": "semiaudit: 1\ndataspace: {product: {size: 2, values: [0, 1]}}\n"
        f"invariants: [total]\nadjacency: {{metric: {METRIC}}}\nmechanism: {{zcdp: {{rho: 1}}}}\n",
        "unlimited": f"semiaudit: 1\ndataspace: {{size: 4}}\nadjacency: {{metric: {METRIC}}}\n"
        "mechanism: {zcdp: {rho: 1}}\n",
    }
    paths = {name: str(tmp_path / f"{name}.yaml") for name in texts}
    for name, text in texts.items():
        Path(paths[name]).write_text(text, "utf-8")
    drawn = f"csv={tmp_path / 'drawn.csv'}"
    lines = [
        *(("analyze", path) for name, path in paths.items() if name != "design"),
        ("ablate", paths["declared"]),
        ("compare", paths["declared"], paths["noise"]),
        ("check", paths["noise"], "--format", "json"),
        ("mechanism", "sample", paths["noise"], "--seed", "1", "-o", drawn),
        ("mechanism", "calibrate", paths["design"], "--target", "mu=1"),
        ("mechanism", "calibrate", paths["noise"], "--target", "mu=1"),
        ("mechanism", "describe", paths["noise"]),
        ("registry", "export", paths["declared"]),
    ]
    for done in in_turn(patched("metric.patch"), *lines):
        assert done.returncode == 2, done.args
        assert f"proven for the metric {METRIC}" in done.stdout + done.stderr, done.args
    assert not Path(drawn.partition("=")[2]).exists()
