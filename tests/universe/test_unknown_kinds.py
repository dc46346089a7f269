"""What is of no known kind is refused with its place, wherever it arrives, and has no a(t)."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from dataclasses import replace
from typing import Any, cast

import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.invariants import Margin
from semiaudit.universe.system.classes_of_cells import build_system, equations
from tests.imports import parsed
from tests.places import ROOT
from tests.universe.strangers import (
    ARRIVALS,
    EXPLICIT_ARRIVALS,
    GOOD,
    PLACE,
    STRANGERS,
    TABLE,
    arrivals_of,
    everything,
    unknown_elsewhere,
)

NAMES = [*ARRIVALS, *(f"explicit {name}" for name in EXPLICIT_ARRIVALS)]
LOOK_AT_WORDS_ONLY = {"findings", "statement", "sensitivity spaces", "witness check", "vacuity"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stranger", STRANGERS)
def test_an_invariant_of_no_known_kind_is_refused_with_its_place(stranger: Any, name: str) -> None:
    with pytest.raises(RefusedError) as caught:
        arrivals_of(stranger(PLACE))[name]()
    (refusal,) = caught.value.refusals
    assert (refusal.path, refusal.line, refusal.column) == ("invariants[1]", 7, 5)
    assert refusal.message == f"{stranger.__name__} is not a kind of invariant that is known"


@pytest.mark.parametrize("name", [name for name in ARRIVALS if name not in LOOK_AT_WORDS_ONLY])
def test_a_constraint_of_no_known_form_goes_no_further(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrive, release = ARRIVALS[name], GOOD
    monkeypatch.setattr(Margin, "constraint", property(lambda margin: cast("Any", object())))
    with pytest.raises(AssertionError, match="unreachable"):
        arrive(release)


@pytest.mark.parametrize("name", list(unknown_elsewhere()))
def test_metrics_readings_dataspaces_and_queries_of_no_known_kind_go_no_further(name: str) -> None:
    with pytest.raises((AssertionError, RefusedError), match=r"unreachable|chebyshev"):
        unknown_elsewhere()[name]()


def test_answers_and_refusals_are_the_same_without_assertions() -> None:
    command = [sys.executable, "-O", "-m", "tests.universe.strangers"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600
    )
    assert json.loads(done.stdout) == everything()


def test_nothing_is_decided_by_an_assert() -> None:
    paths = sorted((ROOT / "semiaudit").rglob("*.py"))
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in paths
        if re.search(r"\bassert\b", text := path.read_text())
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Assert)
    ]
    assert len(paths) > 200
    assert not found


def test_equations_need_published_values() -> None:
    system = build_system(TABLE, replace(GOOD, published=None), [], 3)
    assert system is not None
    with pytest.raises(ValueError, match="t is not given"):
        equations(system)
