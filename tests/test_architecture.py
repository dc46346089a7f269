"""The house keeps its order: imports run one way, rooms stay small, plugs conform."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest

from semiaudit.frameworks import FRAMEWORKS
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.finite import finite_kind
from semiaudit.mechanisms.finite import finite_noise as finite_noise
from semiaudit.mechanisms.kind import NEIGHBORS, DatasetPairs, Deferred
from semiaudit.mechanisms.noise import NoiseKind
from semiaudit.model.adjacency import Adjacency
from semiaudit.model.audit import Release, ReportOptions
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.frameworks import FRAMEWORKS as NAMED
from semiaudit.model.frameworks import NAMES
from semiaudit.model.invariants import induced
from semiaudit.model.loss import FiniteLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    DeclaredOrder,
    DeclaredPair,
    DeclaredPairs,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.model.mechanism import (
    BasisLaplace,
    Composition,
    CorrelatedGaussian,
    Declared,
    DeclaredMeasure,
    DiscreteGaussian,
    DiscreteLaplace,
    Finite,
    FiniteNoise,
    Gaussian,
    KNorm,
    Laplace,
    Mechanism,
    NoisePart,
    OtherRecords,
    Part,
    RandomizedResponse,
    Shuffled,
    SubsampledGaussian,
    Swapping,
)
from semiaudit.model.query import MatrixQuery
from semiaudit.model.topdown import NoisyQuery, Recode, SpineLevel, TopDown, TopDownQuery
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.report import RENDERERS
from semiaudit.spec.build import load_release
from semiaudit.spec.mechanism.mechanism_schema import NOT_KINDS, MechanismSection
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.imports import imported_names, parsed, statements
from tests.mechanisms.fakes import NoSpaces
from tests.places import ROOT

SOURCES = sorted((ROOT / "semiaudit").rglob("*.py"))

BITS = Release(
    path="",
    sha256="",
    title="",
    references=(),
    leaves_out=(),
    dataspace=TableSpace("record", 2, (Attribute("bit", 2),)),
    invariants=(),
    published=None,
    adjacency=Adjacency(),
    mechanism=Composition(()),
    options=ReportOptions((), ()),
    budgets=(),
)

RECORDS = TableSpace("record", None, ())

ON_A_ROW: dict[str, Any] = {"query": MatrixQuery(((1, 0),))}
"""For noise that needs to know what it is added to."""

MOVES: dict[str, Any] = {"shifts": (Fraction(1), Fraction(-1))}

CORNER = PiecewiseLinear(
    (
        (Fraction(0), Fraction(1)),
        (Fraction(1, 4), Fraction(1, 4)),
        (Fraction(1), Fraction(0)),
    )
)

EXAMPLES: tuple[Part, ...] = (
    Declared(PureDP(Fraction(1))),
    Declared(ApproxDP(Fraction(1), Fraction(1, 10**6))),
    Declared(ZCDP(Fraction(1, 2))),
    Declared(GDP(Fraction(1))),
    Declared(CORNER),
    Declared(DeclaredOrder(CORNER)),
    Declared(DeclaredPairs(((Fraction(1), Fraction(1, 10)), (Fraction(2), Fraction(0))))),
    Declared(DeclaredPair(replace=FiniteLoss((Fraction(1),), (Fraction(1),)))),
    Gaussian(Fraction(1), **MOVES),
    DiscreteGaussian(Fraction(1), **MOVES),
    CorrelatedGaussian(((Fraction(1),),), **ON_A_ROW),
    Laplace(Fraction(1), **MOVES),
    BasisLaplace(((Fraction(2),),), Fraction(1), **ON_A_ROW),
    DiscreteLaplace(Fraction(1), **MOVES),
    KNorm(Fraction(1), **MOVES),
    RandomizedResponse(Fraction(1), 3),
    SubsampledGaussian(Fraction(10), Fraction(1, 10), 3),
    Shuffled(Fraction(1), 100),
    FiniteNoise((Fraction(0), Fraction(1)), ((Fraction(1, 3), Fraction(2, 3)),), **MOVES),
    Finite(
        tuple((Fraction(count),) for count in range(3)),
        tuple((Fraction(count + 1, 4), Fraction(3 - count, 4)) for count in range(3)),
        **ON_A_ROW,
    ),
    Swapping(Fraction(1, 2), largest_stratum=4),
    TopDown(
        (SpineLevel("nation"),),
        (TopDownQuery("bit", (Recode("bit", ("bit",)),)),),
        (NoisyQuery(0, 0, Fraction(1)),),
    ),
    OtherRecords(Declared(ZCDP(Fraction(1))), TableSpace("household", 2, ()), ()),
)
"""A part of every kind."""


ROOMS_OF_PACKAGES = {
    "click": {"cli"},
    "yaml": {"spec"},
    "pydantic": {"spec"},
    "pydantic_core": {"spec"},
    "duckdb": {"data"},
    "ibis": {"data"},
    "pyarrow": set(),
    "rich": set(),
    "matplotlib": set(),
    "numpy": {"numeric", "universe", "privacy", "mechanisms", "auditing", "library", "commands"},
    "scipy": {"numeric", "universe", "privacy", "mechanisms", "auditing", "library", "commands"},
    "flint": {"numeric"},
    "ortools": set(),
    "distributed": set(),
}
"""Every package of others, and the rooms of which any module may import it."""


@cache
def names_in(path: Path) -> list[str]:
    """What a source imports, anywhere in it."""
    return imported_names(statements(parsed(path.read_text("utf-8"))))


def linted(tree: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    return subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=600
    )


def test_the_import_contract_holds() -> None:
    done = linted(ROOT)
    assert done.returncode == 0, done.stdout


def test_every_package_of_others_has_a_contract() -> None:
    imported = {name.partition(".")[0] for path in SOURCES for name in names_in(path)}
    assert imported - {*sys.stdlib_module_names, "semiaudit"} == set(ROOMS_OF_PACKAGES)


def test_a_package_that_is_imported_in_any_other_room_breaks_a_contract(tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "semiaudit", tmp_path / "semiaudit", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    rooms = {path.parent.name for path in (ROOT / "semiaudit").glob("*/__init__.py")}
    assert {"cli", "data", "model", "report", "spec"} < rooms
    for room in ("", *rooms):
        stray = "".join(f"import {name}\n" for name in ROOMS_OF_PACKAGES)
        (tmp_path / "semiaudit" / room / "stray.py").write_text(stray)
    told = linted(tmp_path).stdout
    found = set(re.findall(r"- semiaudit\.(?:(\w+)\.)?stray -> (\w+) \(l\.\d+\)", told))
    assert found == {
        (room, name)
        for name, allowed in ROOMS_OF_PACKAGES.items()
        for room in {"", *rooms} - allowed
    }


def test_no_source_names_scipy_stats() -> None:
    for path in SOURCES:
        assert not any(name.startswith("scipy.stats") for name in names_in(path)), path


def test_a_class_name_has_one_meaning() -> None:
    """Only the public classes of the library are named like what they show."""
    rooms: dict[str, list[Path]] = {}
    for path in SOURCES:
        if (ROOT / "semiaudit" / "library") not in path.parents:
            for node in statements(parsed(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    rooms.setdefault(node.name, []).append(path)
    assert {name: paths for name, paths in rooms.items() if len(paths) > 1} == {}


def test_every_kind_of_mechanism_has_one_record_and_a_place_in_the_grammar() -> None:
    families = set(get_args(Part)) - {Declared} | set(get_args(DeclaredMeasure))
    homes = {import_module(f"semiaudit.mechanisms.{part.home}") for part in EXAMPLES}
    listed = [described for home in homes for described in home.KINDS]
    assert len(listed) == len(set(listed)), "a class is in the KINDS of two modules"
    assert set(listed) == families, "KINDS of its module and Part of model/mechanism list each kind"
    assert {type(part) for part in EXAMPLES} == set(get_args(Part)), "EXAMPLES has one of each kind"
    assert set(get_args(Mechanism)) == {*get_args(Part), Composition}
    in_the_grammar = set(MechanismSection.model_fields) - NOT_KINDS - {"compose"}
    # A release with a dataspace of its own is on other records.
    named = {part.kind for part in EXAMPLES} - {OtherRecords.kind}
    assert in_the_grammar == named, "MechanismSection has one key for each kind"
    # A covariance and a basis are forms of gaussian and laplace, one order is one of tradeoff.
    assert len(in_the_grammar) + 4 == len(listed) == len(EXAMPLES)
    noises = {type(part) for part in EXAMPLES if isinstance(kind_of(part), NoiseKind)}
    assert noises == set(get_args(NoisePart)), "NoisePart of model/mechanism lists each noise"


def test_every_sampler_that_is_loaded_later_is_there() -> None:
    """A name in a record is no import, so that no type checker looks for it."""
    kinds = [kind_of(part) for part in EXAMPLES]
    later = [kind.drawing for kind in kinds if isinstance(kind, NoiseKind)]
    assert len(later) == len(get_args(NoisePart)), "EXAMPLES has one of each noise"
    for drawing in [*later, finite_noise._DRAWING, finite_kind._OUTCOMES]:
        if isinstance(drawing, Deferred):
            assert callable(getattr(import_module(drawing.module), drawing.name))
        assert drawing is not None, "the record of a kind of noise has its drawing"


def test_every_kind_of_mechanism_evaluates(tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    bits = "dataspace: {size: 2, attributes: {bit: 2}}"
    spec.write_text(f"semiaudit: 1\n{bits}\nmechanism: {{pure_dp: {{epsilon: 1}}}}\n")
    spaces = SensitivitySpaces(load_release(spec))
    for part in EXAMPLES:
        kind = kind_of(part)
        assert kind.standard, f"the record of {part.kind} has a standard"
        on_a_row = getattr(part, "query", None) is not None or isinstance(
            part, TopDown | OtherRecords
        )
        measures = kind.loss(part, NEIGHBORS, spaces if on_a_row else NoSpaces()).measures
        if isinstance(part, Swapping):
            # Nothing holds in D, whose datasets disagree on what swapping keeps.
            assert not measures
            kept = replace(BITS, dataspace=RECORDS, invariants=induced(RECORDS, [part], ()))
            measures = kind.loss(part, DatasetPairs("D_t"), SensitivitySpaces(kept)).measures
        assert measures, f"the loss of {part.kind} states something of neighbors in D"
        numbers = numbers_of(measures, [Fraction(1, 10**5)], [Fraction(1, 20)])
        assert numbers.approx_dp
        assert numbers.advantage is not None
        assert 0 <= numbers.advantage.value <= 1
        assert numbers.tradeoff[0][1].side == "lower"
        assert numbers.tpr_at_fpr[0][1].side == "upper"


def test_frameworks_and_renderers_have_the_names_of_the_contract() -> None:
    assert tuple(FRAMEWORKS) == tuple(NAMED) == NAMES
    assert set(RENDERERS) >= {"text", "json", "markdown"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_public_function_is_documented(path: Path) -> None:
    tree = parsed(path.read_text())
    assert ast.get_docstring(tree) or not path.read_text().strip()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{path}: {node.name}"
