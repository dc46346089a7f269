"""The program opens no connection: every command runs in a process that forbids it.

python -m tests.security.offline runs the whole suite where there is no network at all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fuzz.options import commands
from tests.places import ROOT

FORBIDDEN = """
import json, socket, sys

REFUSED = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"}

def refuse(event, arguments):
    local = event in REFUSED and arguments[0].family == socket.AF_UNIX
    if event in REFUSED | {"socket.getaddrinfo", "socket.gethostbyname"} and not local:
        raise SystemExit(f"the network was used: {event} {arguments[1:]}")

sys.addaudithook(refuse)
"""

LINES = """
from semiaudit.cli import main

codes = [main(line) for line in json.load(sys.stdin)]
print(json.dumps(codes), file=open("codes.json", "w"))
"""

NOISE = """
semiaudit: 1
dataspace: {unit: person, attributes: {education: 2, income: 2}}
invariants: [margin: [education], margin: [income]]
data: {counts: [[3, 2], [2, 4]]}
mechanism: {discrete_laplace: {scale: 3, query: table}}
"""
DESIGN = "design: {query: table}"
TABLE = "sex,age,count\nf,0-17,3\nf,18+,2\nm,0-17,1\nm,18+,4\n"


def offline(code: str, folder: Path, lines: Sequence[Sequence[str]] = ()) -> str:
    """What a process prints as its error that may not use the network."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(lines), cwd=folder, capture_output=True, text=True, timeout=300,
        check=False, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return done.stderr


@pytest.mark.parametrize(
    "use",
    [
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.create_connection(('localhost', 9))",
        "__import__('urllib.request').request.urlopen('http://example.org/x')",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    ],
)
def test_the_process_notices_a_use_of_the_network(tmp_path: Path, use: str) -> None:
    assert "the network was used" in offline(FORBIDDEN + use, tmp_path)


@pytest.mark.lengthy
def test_no_command_uses_the_network(tmp_path: Path) -> None:
    starter, example = (str(ROOT / "configs" / f"{x}.yaml") for x in ("starter", "example5_table"))
    (tmp_path / "table.csv").write_text(TABLE, "utf-8")
    (tmp_path / "noise.yaml").write_text(NOISE, "utf-8")
    (tmp_path / "x.csv").write_text("value\n" + "1\n" * 100, "utf-8")
    (tmp_path / "design.yaml").write_text(NOISE.partition("mechanism")[0] + DESIGN, "utf-8")
    (tmp_path / "releases").mkdir()
    for name in ("one", "two"):
        (tmp_path / "releases" / f"{name}.yaml").write_text(NOISE, "utf-8")
    margins = ["--margins", "12,10,11", "--noisy-count", "8.25"]
    lines = [
        ["analyze", example, "-o", "html=a.html", "-o", "json=a.json"],
        ["check", "releases", "-o", "sarif=a.sarif", "-o", "junit=a.xml"],
        ["batch", "releases", "--jobs", "2"],
        ["compare", starter, example],
        ["ablate", "noise.yaml"],
        ["convert", "gaussian: {sigma: 2}"],
        ["init", "--from", "table.csv", "--margin", "sex", "new.yaml"],
        ["mechanism", "calibrate", "design.yaml", "--target", "mu=1"],
        ["mechanism", "sample", "noise.yaml", "-o", "csv=a.csv"],
        ["mechanism", "describe", "noise.yaml"],
        ["mechanism", "test", "odds-ratio", *margins, "--epsilon", "1"],
        ["registry", "export", example, "-o", "yaml=entry.yaml"],
        ["registry", "review", "entry.yaml"],
        ["reproduce", "cho-awan-test"],
        ["verify", "noise.yaml", "--samples", "x.csv", "x.csv"],
        ["glossary", "rho"],
        ["rule", "SA001"],
        ["schema", "spec"],
    ]
    assert "the network was used" not in offline(FORBIDDEN + LINES, tmp_path, lines)
    # Two equal files show no violation, and no evidence.
    ends = {"check": 3, "review": 1, "verify": 2}
    codes = json.loads((tmp_path / "codes.json").read_text("utf-8"))
    assert dict(zip(map(" ".join, lines), codes, strict=True)) == {
        " ".join(line): next((code for word, code in ends.items() if word in line), 0)
        for line in lines
    }
    assert {name for line in lines for name in commands() if tuple(line[: len(name)]) == name} == (
        commands().keys()
    )
