"""Run the tests with the oldest and the newest dependencies, on several versions of Python.

    python -m tests.trust.dependencies PYTHON [PYTHON ...] [--tests "ARGUMENTS OF PYTEST"]

The oldest are the lower limits in pyproject.toml, or the first later version that has a wheel for
that Python; what only the tests need is the newest. Needs uv. A line for each environment shows
the versions of the dependencies and what pytest says at its end.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.places import ROOT

EXTRAS = ("data", "remote", "certify", "dask", "plot")
SHOWN = ("click", "numpy", "scipy", "pyyaml", "rich", "pydantic", "python-flint")


def oldest(python: str) -> str:
    """The oldest dependencies that install on a Python, as constraints."""
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    command = ["uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate"]
    command += ["--resolution", "lowest-direct", "--only-binary", ":all:", "--python", python]
    done = subprocess.run(
        [*command, *extras, "pyproject.toml"],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def outcome(python: str, constraints: str, tests: list[str]) -> tuple[str, str]:
    """The versions of one environment, and the last line of its tests."""
    with tempfile.TemporaryDirectory() as name:
        inside = Path(name) / "bin" / "python"
        known = Path(name) / "constraints.txt"
        subprocess.run(["uv", "venv", "--quiet", "--seed", "--python", python, name], check=True)
        known.write_text(constraints, "utf-8")
        install = ["uv", "pip", "install", "--quiet", "--python", str(inside)]
        command = [*install, "--constraint", str(known), "--editable", ".[dev]"]
        subprocess.run(command, cwd=ROOT, check=True)
        frozen = subprocess.run(
            ["uv", "pip", "freeze", "--python", str(inside)],
            stdout=subprocess.PIPE, text=True, check=True,
        ).stdout  # fmt: skip
        done = subprocess.run(
            [str(inside), "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
            cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    sys.stderr.write(done.stdout[-20_000:] if done.returncode else "")
    versions = dict(re.findall(r"(?m)^(\S+)==(\S+)$", frozen))
    shown = ", ".join(f"{name} {versions[name]}" for name in SHOWN)
    return shown, done.stdout.rstrip().rpartition("\n")[2].strip("= ")


def main() -> int:
    """Print a row for every environment."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pythons", nargs="+", metavar="PYTHON")
    parser.add_argument("--tests", default="-n 2")
    asked = parser.parse_args()
    print("| Python | dependencies | versions | tests |", flush=True)
    passed = []
    for python in asked.pythons:
        version = subprocess.run(
            [python, "-V"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.split()[1]
        for name, constraints in (("oldest", oldest(python)), ("newest", "")):
            shown, last = outcome(python, constraints, shlex.split(asked.tests))
            print(f"| {version} | {name} | {shown} | {last} |", flush=True)
            passed.append(" passed" in last and " failed" not in last and " error" not in last)
    print(f"{len(passed)} environments, in {sum(passed)} of which all tests pass")
    return int(not all(passed))


if __name__ == "__main__":
    sys.exit(main())
