"""The library as its users meet it: its names, its types, its page, its notebook, a script."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import runpy
import subprocess
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.axes import Axes as MatplotlibAxes

import semiaudit
from tests.api_page import SECTIONS
from tests.own_process import run_python
from tests.places import ROOT
from tests.public_surface import MADE_INSIDE, members, public_names

SCRIPT = ROOT / "tests" / "library" / "variants.py"


def test_the_names_are_those_that_dir_shows_and_the_page_orders() -> None:
    assert dir(semiaudit) == sorted(semiaudit.__all__)
    assert sorted(semiaudit._homes()) == dir(semiaudit)
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(public_names())
    for name in public_names():
        assert getattr(semiaudit, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'load_sepc'"):
        _ = semiaudit.load_sepc


def test_importing_loads_nothing_heavy_and_a_mechanism_loads_no_numpy() -> None:
    names = run_python("import semiaudit, sys; print(*sys.modules)").stdout.split()
    at_start = {m for m in names if m.startswith("semiaudit")}
    assert at_start == {"semiaudit", "semiaudit.version"}
    names = run_python("import semiaudit, sys; dir(semiaudit); print(*sys.modules)").stdout.split()
    assert {m for m in names if m.startswith("semiaudit")} == at_start
    code = (
        "import sys\nfrom semiaudit import *\n"
        "print(Gaussian(2) * 10 + PureDP(1), GaussianTradeoff(1)(0.05), audit)\n"
        "print(*sys.modules)"
    )
    assert not {"numpy", "scipy", "click", "rich"} & set(run_python(code).stdout.split())


def named_types(hint: Any) -> Iterator[type]:
    """Every class that a type hint names, however deep."""
    origin = typing.get_origin(hint)
    if origin in (typing.Literal, None) and not isinstance(hint, type):
        return
    if isinstance(hint, type):
        yield hint
    if isinstance(origin, type):
        yield origin
    for argument in typing.get_args(hint):
        for one in argument if isinstance(argument, list) else [argument]:
            yield from named_types(one)


def is_public(cls: type) -> bool:
    """Whether a class is exported, or of the standard library, numpy or matplotlib."""
    module = cls.__module__.partition(".")[0]
    if module == "semiaudit":
        return getattr(semiaudit, cls.__name__, None) is cls
    return module in {*sys.stdlib_module_names, "matplotlib", "numpy"}


def functions() -> Iterator[tuple[str, Any]]:
    for name in public_names():
        value = getattr(semiaudit, name)
        if inspect.isfunction(value):
            yield name, value
        elif isinstance(value, type):
            for member, function in members(value):
                yield f"{name}.{member}", function


def hints(function: Any) -> dict[str, Any]:
    """Type hints, with the names that only type checkers import."""
    public = {name: getattr(semiaudit, name) for name in public_names()}
    known = {**vars(importlib.import_module(function.__module__)), **public}
    others = {"np": np, "NDArray": npt.NDArray, "MatplotlibAxes": MatplotlibAxes}
    return typing.get_type_hints(function, {**known, **others})


@pytest.mark.parametrize(
    ("name", "function"), [pytest.param(*found, id=found[0]) for found in functions()]
)
def test_no_private_type_is_in_a_public_signature(name: str, function: Any) -> None:
    found = hints(function)
    assert "return" in found, name
    for hint in found.values():
        for cls in named_types(hint):
            assert is_public(cls), (name, cls)
        # numpy writes the shape of an array, which may be any, into its type.
        told = str(hint)
        for shape in ("tuple[typing.Any, ...]", "ndarray[typing.Any, "):  # numpy 2.2 changed it
            told = told.replace(shape, "")
        assert "Any" not in told or name.endswith((".as_dict", ".to_mapping")), name
    if not name.endswith("__"):
        assert function.__doc__, name


def test_fields_of_public_data_are_public_too() -> None:
    for name in ("Bound", "Problem", "Refusal"):
        for hint in typing.get_type_hints(getattr(semiaudit, name)).values():
            assert all(is_public(cls) for cls in named_types(hint)), name
    for name in ("Curve", "Profile"):
        found = hints(getattr(semiaudit, name))
        assert all(is_public(cls) for hint in found.values() for cls in named_types(hint))
    assert set(MADE_INSIDE) <= set(public_names())
    assert not isinstance(semiaudit.audit, types.ModuleType)


def test_twenty_variants_and_their_curves_in_twenty_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(SCRIPT.read_text("utf-8").splitlines()) <= 20
    monkeypatch.chdir(ROOT)
    curves = runpy.run_path(str(SCRIPT))["curves"]
    assert len(capsys.readouterr().out.splitlines()) == len(curves) == 20
    # at distance 2 the noise of sigma 10 on one coordinate that moves by 1 has mu = 1/5
    assert curves["Gaussian(sigma=10, shifts=[1])"][1] == pytest.approx(0.42074, abs=1e-5)
    assert all(curve == sorted(curve, reverse=True) for curve in curves.values())


@pytest.mark.slow
def test_a_user_s_script_is_well_typed(tmp_path: Path) -> None:
    """As a user's own checker sees the installed package, which has py.typed."""
    assert (ROOT / "semiaudit" / "py.typed").is_file()
    script = tmp_path / "script.py"
    wrong = "from semiaudit import Gaussian\nGaussian(sigma=[1])\naudit: int = Gaussian(2) + 3\n"
    script.write_text(SCRIPT.read_text("utf-8"))
    (tmp_path / "wrong.py").write_text(wrong)
    options = ("--strict", "--no-error-summary", "--follow-imports=silent")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "script.py", "wrong.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    told = done.stdout.splitlines()
    assert [line.partition(" error")[0] for line in told] == ["wrong.py:2:", "wrong.py:3:"]


@pytest.mark.slow
def test_pyright_accepts_what_runs_and_refuses_what_does_not(tmp_path: Path) -> None:
    """Of a script, and of arrays, series, and sums of mechanisms."""
    pytest.importorskip("pyright", reason="pyright is not installed")
    wrong = "from semiaudit import Gaussian\nGaussian(sigma=[1])\naudit: int = Gaussian(2) + 3\n"
    (tmp_path / "wrong.py").write_text(wrong)
    for path in (SCRIPT, SCRIPT.with_name("test_arrays.py")):
        (tmp_path / path.name).write_text(path.read_text("utf-8"))
    paths = {"extraPaths": [str(ROOT)], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(paths))
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [(Path(one["file"]).name, one["range"]["start"]["line"] + 1) for one in found]
    assert sorted(errors) == [("wrong.py", 2), ("wrong.py", 3)], done.stdout
