"""Wrong pipelines are found, and correct ones are not rejected."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from semiaudit import sample
from semiaudit.cli import main
from semiaudit.commands.verify.model import CodeFile, RunOutcome, Verified
from semiaudit.commands.verify.pair import write_datasets
from semiaudit.commands.verify.power import PlannedTest
from semiaudit.commands.verify.run import CodeTest, Verification
from semiaudit.commands.verify.subject import VerifyOptions, subject_of
from semiaudit.model.data_source import CONFINED
from semiaudit.model.semi_adjacency import Cell
from tests.commands.verify.pipelines import (
    ALGORITHM_1,
    TABLE,
    TOTAL,
    Pipeline,
    Random,
    Table,
    algorithm_1,
    cells,
    discrete_gaussian,
    in_null_space,
    runs_of,
    subject,
    verified,
    with_noise,
)

GAUSSIAN = TABLE.format(mechanism="{gaussian: {sigma: 2, query: table}}")
ONE_COUNT = """semiaudit: 1
dataspace: {unit: person, attributes: {a: 2}}
adjacency: {metric: symmetric_difference}
mechanism: {gaussian: {sigma: 1, query: table}}
"""
SMALL = TOTAL.format(mechanism="{gaussian: {sigma: 2, query: table}}")


def one_seed(table: Table, random: Random) -> object:
    """One normal number for all cells of a pair: what is in one cell cancels another one."""
    return cells(table + random.normal(0, 2))


def few_seeds(table: Table, random: Random) -> object:
    """Half of the runs start with the same seed, as with an overflow in awk."""
    own = np.random.default_rng(random.integers(2) * random.integers(1 << 30))
    return cells(table + np.round(own.laplace(0, 4, table.shape)))


def laplace(table: Table, random: Random) -> object:
    """Noise of the same variance, with another density."""
    return cells(table + random.laplace(0, 1 / math.sqrt(2), table.shape))


def keys(table: Table, random: Random) -> object:
    """Groups without records do not appear, as with invariant keys."""
    noisy = cells(table + random.normal(0, 2, table.shape))
    exact = cells(table)
    return {name: number for name, number in noisy.items() if exact[name]}


def margins(change: str) -> Pipeline:
    """A noisy table with its first margin, which is published: exactly, rounded, or clamped."""

    def pipeline(table: Table, random: Random) -> object:
        margin = table.sum(1)
        if change == "rounded":
            margin = np.round(margin / 5) * 5
        if change == "clamped":
            margin = np.clip(margin, 0, 42)
        noisy = cells(table + random.normal(0, 2, table.shape))
        return noisy | {f"a={k}": float(count) for k, count in enumerate(margin)}

    return pipeline


WHOLE = SMALL.replace("gaussian: {sigma: 2", "discrete_laplace: {scale: 4")
COUNTS = "[[13, 14, 15], [16, 13, 14], [12, 15, 17]]"
SPARSE = GAUSSIAN.replace(COUNTS, "[[1, 1, 0], [0, 1, 1], [1, 0, 1]]")


@pytest.mark.parametrize(
    ("spec", "pipeline", "number", "because"),
    [
        (TABLE.format(mechanism=ALGORITHM_1), algorithm_1(2.0), 6000, "mu"),
        (TABLE.format(mechanism=ALGORITHM_1), algorithm_1(math.sqrt(6) / 2), 800, "mu"),
        (SMALL, with_noise(lambda r, s: r.normal(0, 1, s)), 800, "mu"),
        (GAUSSIAN, one_seed, 200, "exact"),
        (ONE_COUNT, laplace, 3000, "mu"),
        (
            SMALL.replace("gaussian: {sigma: 2", "discrete_laplace: {scale: 4"),
            few_seeds,
            400,
            "exact",
        ),
        (SPARSE, keys, 400, "exact"),
    ],
    ids=[
        "printed Algorithm 1",
        "half",
        "half, one count",
        "one seed",
        "Laplace",
        "few seeds",
        "keys",
    ],
)
def test_a_wrong_pipeline_is_found(
    spec: str, pipeline: Pipeline, number: int, because: str, tmp_path: Path
) -> None:
    result = verified(spec, pipeline, number, tmp_path)
    assert result.verdict == "violated"
    assert because in {test.kind for test in result.tests if test.rejects}


def test_algorithm_1_as_printed_has_the_number_of_the_errata(tmp_path: Path) -> None:
    """E2: with the printed sensitivity 2, mu is sqrt(6)/2 = 1.2247 for a claim of 1."""
    result = verified(TABLE.format(mechanism=ALGORITHM_1), algorithm_1(2.0), 20_000, tmp_path)
    assert result.claim.mu == pytest.approx(1, rel=1e-9)
    assert result.pair.distance == 3
    bound = next(test.bound for test in result.tests if test.kind == "mu")
    assert 1.1 < bound <= math.sqrt(6) / 2


@pytest.mark.parametrize("change", ["rounded", "clamped"])
def test_a_published_margin_that_is_changed_is_found_in_its_cell(
    change: str, tmp_path: Path
) -> None:
    result = verified(GAUSSIAN, margins(change), 120, tmp_path)
    assert result.verdict == "violated"
    found = {finding.cell: finding.message for finding in result.findings}
    wrong = {"rounded": "40 in the output, but the spec publishes 42", "clamped": "publishes 43"}
    assert "a=1" in found
    assert any(wrong[change] in text for text in found.values())
    assert not verified(GAUSSIAN, margins("exactly"), 120, tmp_path).findings


def accepted(result: Verified) -> bool:
    return result.verdict != "violated" and not result.findings


@pytest.mark.parametrize(
    ("spec", "pipeline"),
    [
        (TABLE.format(mechanism=ALGORITHM_1), algorithm_1(math.sqrt(6))),
        (GAUSSIAN, with_noise(lambda r, s: r.normal(0, 2, s))),
        (
            SMALL.replace("gaussian: {sigma: 2", "discrete_gaussian: {sigma_squared: 4"),
            lambda t, r: cells(t + discrete_gaussian(4, 2)(r)),
        ),
    ],
)
def test_a_correct_pipeline_is_accepted(spec: str, pipeline: Pipeline, tmp_path: Path) -> None:
    result = verified(spec, pipeline, 1000, tmp_path)
    assert accepted(result)
    assert result.verdict == "consistent"


DESIGNS = [
    "{gaussian: {sigma: 3, query: table}}",
    "{discrete_gaussian: {sigma_squared: 9, query: table}}",
    "{laplace: {scale: 4, query: table}}",
    "{discrete_laplace: {scale: 4, query: table}}",
    ALGORITHM_1,
]


@pytest.mark.parametrize("mechanism", DESIGNS)
def test_samples_of_mechanism_sample_are_accepted(mechanism: str, tmp_path: Path) -> None:
    text = TABLE.format(mechanism=mechanism)
    without = "\n".join(line for line in text.split("\n") if not line.startswith("data:"))
    rows = sample(without, draws=400, seed=5).to_columns()
    noise = np.zeros((400, 3, 3))
    for draw, a, b, value in zip(rows["draw"], rows["a"], rows["b"], rows["noise"], strict=True):
        noise[int(draw) - 1, int(a), int(b)] = float(value)
    noises = iter(noise)
    result = verified(text, lambda t, r: cells(t + next(noises)), 400, tmp_path)
    assert accepted(result)
    assert result.score.startswith("log-likelihood")


def test_a_consistent_report_passes_the_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The gate computes the verdict of a whole report again; with changed counts, it fails."""
    budgets = "[{framework: semi_dp, rho: 1}, {verification: {confidence: 0.95}}]"
    text = f"{SMALL}budgets: {budgets}\n"
    result = verified(text, with_noise(lambda r, s: r.normal(0, 2, s)), 1000, tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.yaml").write_text(text, encoding="utf-8")
    digest = hashlib.sha256(b"code").hexdigest()
    (tmp_path / "code.py").write_bytes(b"code")
    report = Verification(replace(result, code=(CodeFile("code.py", digest),))).as_dict()
    (tmp_path / "spec.verify.json").write_text(json.dumps(report), encoding="utf-8")
    assert main(["check", "spec.yaml"]) == 0, capsys.readouterr().out
    tested = next(test for test in report["tests"] if test["kind"] == "mu")
    tested["hits"] = [tested["runs"][0], 0]
    (tmp_path / "spec.verify.json").write_text(json.dumps(report), encoding="utf-8")
    assert main(["check", "spec.yaml"]) == 1


def test_an_output_that_ignores_its_dataset_is_undecided(tmp_path: Path) -> None:
    """Such as a program that reads its data elsewhere: no noise is small enough to see it."""
    elsewhere = np.array([20.0, 25.0])
    result = verified(
        SMALL, lambda table, random: cells(elsewhere + random.normal(0, 2, 2)), 1000, tmp_path
    )
    assert result.verdict == "undecided"


def test_runs_that_stop_early_are_judged_by_the_curve_only(tmp_path: Path) -> None:
    one = subject(SMALL)
    quiet = with_noise(lambda r, s: r.normal(0, 0.5, s))
    runs = runs_of(one, quiet, 400, tmp_path)
    options = replace(VerifyOptions(), runs=1000)
    result = CodeTest(replace(one, options=options), coins=True).verified(runs)
    assert result.verdict == "violated"
    assert {test.kind for test in result.tests} == {"e_process"}


def swapped(table: Table, random: Random) -> object:
    """Swap the second attribute of chosen records, by a derangement inside each first level."""
    result = np.zeros_like(table)
    for block, counts in enumerate(table):
        records = np.repeat(np.argwhere(np.ones(counts.shape)), counts.ravel().astype(int), axis=0)
        chosen = np.flatnonzero(random.random(len(records)) < 0.5)
        while len(chosen) == 1:
            chosen = np.flatnonzero(random.random(len(records)) < 0.5)
        order = random.permutation(len(chosen))
        while (order == np.arange(len(chosen))).any():
            order = random.permutation(len(chosen))
        records[chosen, 0] = records[chosen[order], 0]
        np.add.at(result[block], (records[:, 0], records[:, 1]), 1)
    return cells(result)


def test_a_swap_is_accepted(tmp_path: Path) -> None:
    spec = """semiaudit: 1
dataspace: {unit: person, attributes: {a: 2, b: 2, c: 2}}
data: {counts: [[[3, 1], [2, 2]], [[2, 4], [1, 1]]]}
mechanism: {swapping: {rate: 0.5, stratify_by: [a], swap: [b]}}
"""
    result = verified(spec, swapped, 800, tmp_path)
    assert accepted(result)
    assert result.claim.points[0][1] == 0
    assert result.score.startswith("learned")


def test_a_crash_that_depends_on_the_data_is_an_outcome(tmp_path: Path) -> None:
    """A pipeline that fails on X only reveals X, whatever its outputs are."""
    reference = subject(SMALL)
    first = dict(reference.pair.start).get((0,), 0)

    def pipeline(table: Table, random: Random) -> object:
        if table[0] == first:
            return RunOutcome("crashed", {}, "exit code 1")
        return cells(table + random.normal(0, 2, table.shape))

    result = verified(reference, pipeline, 300, tmp_path)
    assert result.verdict == "violated"
    assert (result.failures[0].kind, result.failures[0].on_y) == ("crashed", 0)


@pytest.mark.lengthy
def test_shuffled_batches_are_no_poisson_sample(tmp_path: Path) -> None:
    """A toy: 20 records of -1, one of them +1 in X, are shuffled into 20 noisy batches.

    By the mass outside a cube (arXiv 2403.17673), epsilon is at least 5.25 at delta .01, and 2.60
    at delta .1; Poisson sampling, which the spec claims, has 1.315 and .409.
    """
    one = subject(
        TOTAL.format(
            mechanism="{subsampled_gaussian: "
            "{noise_multiplier: 0.8, sampling_rate: 0.05, steps: 20}}"
        ).replace("[20, 25]", "[1, 19]")
    )
    start, end = (((0,), 1), ((1,), 19)), (((1,), 20),)
    one = replace(one, pair=replace(one.pair, start=start, end=end))
    claim = {delta: epsilon for epsilon, delta in one.claim.points}
    assert claim[0.1] == pytest.approx(0.4089, abs=1e-3)
    assert claim[0.01] == pytest.approx(1.3151, abs=1e-3)

    def shuffled(table: Table, random: Random) -> object:
        batches = random.normal(-1, 0.8, 20)
        batches[random.integers(20)] += 2 * table[0]
        return list(batches)

    result = verified(one, shuffled, 3000, tmp_path)
    assert result.verdict == "violated"
    bounds = {test.delta: test.bound for test in result.tests if test.order == "X, Y"}
    assert 1.3151 < bounds[0.01] <= 5.2509
    assert 0.4089 < bounds[0.1] <= 2.6003


@pytest.mark.slow
def test_few_correct_pipelines_are_rejected(tmp_path: Path) -> None:
    """1,000 correct pipelines at 90 %: at most 10 % and three standard errors are violated."""
    one = subject(SMALL)
    correct = with_noise(lambda r, s: r.normal(0, 2, s))
    violated = sum(
        verified(one, correct, 200, tmp_path, seed=seed, confidence=Fraction(9, 10)).verdict
        == "violated"
        for seed in range(1000)
    )
    print(f"{violated} of 1,000 correct pipelines are reported as violated")
    assert violated / 1000 <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / 1000)


def test_power_is_that_of_simulated_pipelines() -> None:
    """So many runs detect mu = 1.5 for a claim of 1 in at least 8 of 10 simulations."""
    from semiaudit.privacy.empirical.counts import Counts, mu_bound

    number = PlannedTest("mu", "both", 1.0, 0.05).needed()[0]
    assert number is not None
    random, found = np.random.default_rng(2), 0
    for _ in range(200):
        on_x = random.random(number) < 0.5
        hit = random.normal(np.where(on_x, 0.75, -0.75)) > 0
        sizes = int(on_x.sum()), int((~on_x).sum())
        counts = Counts((int((hit & on_x).sum()), int((hit & ~on_x).sum())), sizes)
        found += mu_bound(counts, 0.05) > 1
    assert found >= 0.8 * 200


def test_the_pair_of_a_noisy_table_attains_its_sensitivity() -> None:
    """Row and column sums of 3x3: six cells change by one at distance 3."""
    pair = subject(TABLE.format(mechanism=ALGORITHM_1)).pair
    start, end = dict(pair.start), dict(pair.end)
    change = [end.get(c, 0) - start.get(c, 0) for c in {**start, **end}]
    assert sorted(abs(k) for k in change if k) == [1] * 6
    assert in_null_space(np.ones((3, 3))).any() is np.False_


@pytest.mark.parametrize("mechanism", DESIGNS)
def test_a_report_says_whether_the_pair_has_the_audited_loss(
    mechanism: str, tmp_path: Path
) -> None:
    """The largest move of 3x3 margins changes six cells; a move of a 2x2 block changes four."""
    one = subject(TABLE.format(mechanism=mechanism))
    assert one.pair.attains is True
    block: dict[Cell, int] = {(0, 0): 1, (0, 1): -1, (1, 0): -1, (1, 1): 1}
    end = tuple((cell, count + block.get(cell, 0)) for cell, count in one.pair.start)
    given = replace(one.pair, end=end)
    paths = write_datasets(given, one.release, "records", str(tmp_path))
    options = replace(VerifyOptions(), pair=paths)
    smaller = subject_of(one.release, options, 60, CONFINED).pair
    assert (smaller.distance, smaller.attains) == (2, False)


def test_the_witness_of_a_declared_measure_has_the_audited_distance() -> None:
    assert subject(TABLE.format(mechanism="{zcdp: {rho: 1}}")).pair.attains is True
