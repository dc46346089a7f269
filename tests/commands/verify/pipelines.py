"""Pipelines that are right or wrong, and verifications of them in this process."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from semiaudit.auditing.counting import counted
from semiaudit.commands.verify.model import CodeRun, RunOutcome, Verified
from semiaudit.commands.verify.outputs import numbers_of
from semiaudit.commands.verify.pair import space_of, write_datasets
from semiaudit.commands.verify.run import CodeTest
from semiaudit.commands.verify.subject import Subject, VerifyOptions, subject_of
from semiaudit.model.data_source import CONFINED
from semiaudit.spec.build import load_release

Random = np.random.Generator
Table = np.ndarray
Pipeline = Callable[[Table, Random], object]

TABLE = """semiaudit: 1
dataspace: {{unit: person, attributes: {{a: 3, b: 3}}}}
invariants: [{{margin: [a]}}, {{margin: [b]}}]
data: {{counts: [[13, 14, 15], [16, 13, 14], [12, 15, 17]]}}
mechanism: {mechanism}
"""
TOTAL = """semiaudit: 1
dataspace: {{unit: person, attributes: {{a: 2}}}}
invariants: [total]
data: {{counts: [20, 25]}}
mechanism: {mechanism}
"""
ALGORITHM_1 = "{gaussian: {sigma: 2.449489742783178, query: table, support: sensitivity_space}}"


def subject(text: str) -> Subject:
    """The pair and the claim of a spec."""
    release = counted(load_release("spec.yaml", CONFINED, text=text.encode()))
    return subject_of(release, VerifyOptions(), 60, CONFINED)


def table_of(path: str, levels: tuple[int, ...]) -> Table:
    """The counts in a file of microdata."""
    table = np.zeros(levels)
    with open(path, encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    for row in rows:
        table[tuple(map(int, row))] += 1
    return table


def cells(table: Table) -> dict[str, float]:
    """A table by the names of its cells."""
    names = "abc"[: table.ndim]
    return {
        ", ".join(f"{n}={k}" for n, k in zip(names, place, strict=True)): float(value)
        for place, value in np.ndenumerate(table)
    }


def runs_of(
    one: Subject, pipeline: Pipeline, number: int, folder: Path, *, seed: int = 1
) -> list[CodeRun]:
    """Runs of a pipeline, each with a fair coin."""
    random = np.random.default_rng(seed)
    levels = tuple(a.size for a in space_of(one.release).attributes)
    paths = write_datasets(one.pair, one.release, "records", str(folder))
    tables = [table_of(path, levels) for path in paths]
    runs = []
    for _ in range(number):
        on_x = bool(random.random() < 0.5)
        result = pipeline(tables[0 if on_x else 1].copy(), random)
        if isinstance(result, list):
            result = {str(place): number for place, number in enumerate(result)}
        if isinstance(result, dict):
            result = RunOutcome("ok", numbers_of(result.items()))
        assert isinstance(result, RunOutcome)
        runs.append(CodeRun(on_x, result))
    return runs


def verified(
    spec: str | Subject,
    pipeline: Pipeline,
    number: int,
    folder: Path,
    *,
    seed: int = 1,
    confidence: Fraction = Fraction(95, 100),
) -> Verified:
    """Verify a pipeline, judged once, after all runs."""
    one = subject(spec) if isinstance(spec, str) else spec
    options = replace(VerifyOptions(), runs=number, confidence=confidence)
    runs = runs_of(one, pipeline, number, folder, seed=seed)
    return CodeTest(replace(one, options=options), coins=True).verified(runs)


def in_null_space(noise: Table) -> Table:
    """Noise projected on tables without margins."""
    centered: Table = noise - noise.mean(0) - noise.mean(1, keepdims=True) + noise.mean()
    return centered


def algorithm_1(sensitivity: float) -> Pipeline:
    """Cho and Awan's Algorithm 1 for mu = 1, with a sensitivity: the corrected one is sqrt(6)."""
    return lambda table, random: cells(
        table + in_null_space(random.normal(0, sensitivity, table.shape))
    )


def with_noise(noise: Callable[[Random, tuple[int, ...]], Table]) -> Pipeline:
    """A table with independent noise."""
    return lambda table, random: cells(table + noise(random, table.shape))


def discrete_gaussian(sigma_squared: float, size: int) -> Callable[[Random], Table]:
    """Another sampler: by the cumulative masses."""
    support = np.arange(-60, 61)
    masses = np.exp(-(support**2) / (2 * sigma_squared))
    return lambda random: random.choice(support, size, p=masses / masses.sum())
