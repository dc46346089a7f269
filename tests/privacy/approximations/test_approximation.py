"""An approximation cannot pass for a bound: by type, by import and at every door of the gate."""

from __future__ import annotations

import ast
import operator
from fractions import Fraction
from typing import Any, get_args

import pytest

from semiaudit.gate.budgets import judge
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PureDP
from semiaudit.privacy.approximations.approximation import LABEL, Approximation
from semiaudit.privacy.composition import compose
from semiaudit.privacy.group import group
from tests.imports import imported_names, parsed
from tests.places import ROOT

PACKAGE = ROOT / "semiaudit"
SAMPLE = Approximation(0.5, "mu of a composition", "clt", "a theorem", "errs on either side")


def test_it_says_what_it_is() -> None:
    assert LABEL in str(SAMPLE)
    assert "about 0.5" in str(SAMPLE)
    for missing in range(4):
        words = ["what", "how", "source", "caveat"]
        words[missing] = ""
        with pytest.raises(ValueError, match="an approximation says"):
            Approximation(0.5, *words)
    with pytest.raises(ValueError, match="is a number"):
        Approximation(float("nan"), "what", "how", "source", "caveat")


def test_it_is_no_bound_no_measure_and_no_number() -> None:
    assert not isinstance(SAMPLE, Bound)
    assert Approximation not in get_args(Measure)
    assert not hasattr(SAMPLE, "side")
    assert not hasattr(SAMPLE, "value")
    anything: Any = SAMPLE
    for convert in (float, Fraction, int):
        with pytest.raises(TypeError):
            convert(anything)
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        for other in (1, Fraction(1)):
            with pytest.raises(TypeError):
                compare(anything, other)
    for combine in (operator.add, operator.mul):
        with pytest.raises(TypeError):
            combine(2, anything)
        with pytest.raises(TypeError):
            combine(anything, 2)
    with pytest.raises(TypeError):
        operator.neg(anything)


def test_neither_bounds_nor_measures_can_be_made_of_it() -> None:
    anything: Any = SAMPLE
    for make in (upper, lower):
        with pytest.raises((TypeError, AttributeError)):
            make(anything, "clt", "a theorem")
    for measure in (PureDP, ZCDP, GDP):
        with pytest.raises(TypeError):
            measure(anything)
    with pytest.raises(TypeError):
        ApproxDP(Fraction(1), anything)


def test_the_calculus_of_measures_does_not_take_it() -> None:
    anything: Any = SAMPLE
    with pytest.raises(AssertionError, match="Approximation"):
        group((anything,), 2)
    with pytest.raises(AssertionError, match="Approximation"):
        compose([((anything,), 2)])


def test_a_budget_cannot_be_met_by_it() -> None:
    class Known:
        framework = refused = ""
        universe = "D"

    class Row:
        guarantee = Known()
        alternatives = ()

        class numbers:  # noqa: N801
            gdp = SAMPLE

    class Budget:
        framework, measure, distance, at, limit = "", "mu", None, None, Fraction(100)

    door: Any = judge
    with pytest.raises((AttributeError, TypeError)):
        door(Budget(), [Row()], None, None)


def test_nothing_that_decides_imports_approximations() -> None:
    """Frameworks, mechanisms, gate, spec, report and the rest of the calculus.

    Published numbers may be approximations: what computes them anew decides nothing. The library
    offers them to its users, under names of their own that no other module loads.
    """
    for path in sorted(PACKAGE.rglob("*.py")):
        public = path == PACKAGE / "library" / "approximations.py"
        if {"approximations", "reproduce"} & {*path.parts} or public:
            continue
        names = imported_names(ast.walk(parsed(path.read_text())))
        assert not any("privacy.approximations" in name for name in names), path
        if path != PACKAGE / "__init__.py":
            assert not any("library.approximations" in name for name in names), path
