"""Numbers that ``mechanism sample`` writes, with a fixed seed."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from semiaudit.cli.groups import mechanism
from tests.oracles.sampling import Floats


def numbers(folder: Path, text: str, *options: str) -> list[dict[str, str]]:
    """The rows that ``mechanism sample`` writes."""
    path, file = folder / "sampled.yaml", folder / "sampled.csv"
    path.write_text(text, encoding="utf-8")
    words = ["sample", str(path), "--seed", "18", *options, "-o", f"csv={file}"]
    assert not mechanism(words, standalone_mode=False)
    return list(csv.DictReader(file.read_text("utf-8").splitlines()))


def drawn(folder: Path, text: str, draws: int, *options: str) -> Floats:
    """Draws of the one part of a mechanism: draws x coordinates."""
    rows = numbers(folder, text, "--draws", str(draws), *options)
    column = "answer" if "answer" in rows[0] else "noise"
    return np.array([float(row[column]) for row in rows]).reshape(draws, -1)


def laplace_law(x: Floats) -> Floats:
    """The distribution function of Laplace noise of scale 1."""
    return np.where(x < 0, np.exp(-np.abs(x)) / 2, 1 - np.exp(-np.abs(x)) / 2)
