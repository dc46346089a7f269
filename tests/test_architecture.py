"""The house keeps its order: imports run one way, rooms stay small, plugs conform."""

from __future__ import annotations

import ast
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from semiaudit.frameworks import FRAMEWORKS
from semiaudit.mechanisms import DECLARED, MECHANISMS, NOISE, RANDOMIZERS
from semiaudit.mechanisms.shifts import sensitivity_of_shifts
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PiecewiseLinear, PureDP
from semiaudit.model.mechanism import (
    Noise,
    RandomizedResponse,
    Randomizer,
    Shuffled,
    SubsampledGaussian,
)
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.report import RENDERERS
from semiaudit.spec.mechanism_schema import BESIDE, MechanismSection
from semiaudit.spec.schema import FRAMEWORK_NAMES

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "semiaudit").rglob("*.py"))

EXAMPLES: dict[str, Measure] = {
    "pure_dp": PureDP(Fraction(1)),
    "approx_dp": ApproxDP(Fraction(1), Fraction(1, 10**6)),
    "zcdp": ZCDP(Fraction(1, 2)),
    "gdp": GDP(Fraction(1)),
    "tradeoff": PiecewiseLinear(
        ((Fraction(0), Fraction(1)), (Fraction(1, 4), Fraction(1, 4)), (Fraction(1), Fraction(0)))
    ),
}

RANDOMIZED: dict[str, Randomizer] = {
    "randomized_response": RandomizedResponse(Fraction(1), 3),
    "subsampled_gaussian": SubsampledGaussian(Fraction(1), Fraction(1, 10), 3),
    "shuffled": Shuffled(Fraction(1), 100),
}


def test_the_import_contract_holds() -> None:
    command = [Path(sys.executable).parent / "lint-imports", "--no-cache"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout


def test_no_source_names_scipy_stats() -> None:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            assert not any(name.startswith("scipy.stats") for name in names), path


def test_rooms_stay_small() -> None:
    for path in SOURCES:
        assert len(path.read_text().splitlines()) <= 350, path


def test_every_mechanism_kind_of_the_spec_is_implemented_and_evaluates() -> None:
    kinds = set(MechanismSection.model_fields) - BESIDE - {"compose"}
    assert kinds == set(MECHANISMS)
    assert set(DECLARED) == set(EXAMPLES)
    moved = sensitivity_of_shifts((Fraction(1), Fraction(-1)), 1)
    found = [declared(EXAMPLES[kind]) for kind, declared in DECLARED.items()]
    for kind, law in NOISE.items():
        found.append(law(Noise(kind, Fraction(1), None), moved, moved))  # type: ignore[arg-type]
    found += [law(RANDOMIZED[kind], 1) for kind, law in RANDOMIZERS.items()]
    for measures in found:
        assert measures
        numbers = numbers_of(measures, [Fraction(1, 10**5)], [Fraction(1, 20)])
        assert numbers.approx_dp
        assert numbers.advantage is not None
        assert 0 <= numbers.advantage.value <= 1
        assert numbers.tradeoff[0][1].side == "lower"
        assert numbers.tpr_at_fpr[0][1].side == "upper"


def test_frameworks_and_renderers_have_the_names_of_the_contract() -> None:
    assert tuple(FRAMEWORKS) == FRAMEWORK_NAMES
    assert set(RENDERERS) >= {"text", "json", "markdown"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_public_function_is_documented(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree) or not path.read_text().strip()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{path}: {node.name}"
