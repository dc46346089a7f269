"""Households shaped like those of the slides' 1940 extract: size, county, and owned or rented.

    python -m tests.households [--number N] [--seed N] FOLDER

writes households.csv and households.yaml. The extract itself is not printed in the slides. These
records are drawn: shares of sizes and counties fall off, and how many households own their dwelling
depends on both. Nothing is measured in them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

SIZES = tuple(map(str, range(1, 11)))
COUNTIES = tuple(f"county {k}" for k in range(1, 15))
"""As many as Massachusetts has."""
TENURES = ("owned", "rented")

SPEC = f"""semiaudit: 1
title: Owned and rented dwellings by county
dataspace:
  unit: household
  attributes:
    size: [{", ".join(SIZES)}]
    county: [{", ".join(COUNTIES)}]
    tenure: [{", ".join(TENURES)}]
mechanism: {{swapping: {{rate: 0.1, stratify_by: [size], swap: [county]}}}}
"""


def households(number: int, seed: int) -> npt.NDArray[np.int64]:
    """Records of shape (number, 3): the indices of size, county and tenure."""
    source = np.random.default_rng(seed)
    sizes = source.choice(len(SIZES), number, p=_shares(0.75 ** np.arange(len(SIZES))))
    counties = source.choice(len(COUNTIES), number, p=_shares(1 / np.arange(2, 16)))
    owned = 0.2 + 0.04 * counties + 0.01 * sizes
    return np.stack([sizes, counties, (source.random(number) > owned).astype(np.int64)], axis=1)


def as_csv(records: npt.NDArray[np.int64]) -> str:
    """The records as a CSV file, in the order in which they are given."""
    lines = (f"{SIZES[a]},{COUNTIES[b]},{TENURES[c]}\n" for a, b, c in records.tolist())
    return "size,county,tenure\n" + "".join(lines)


def _shares(weights: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    return np.asarray(weights / weights.sum())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--number", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=1940)
    given = parser.parse_args()
    records = as_csv(households(given.number, given.seed))
    (given.folder / "households.csv").write_text(records, "utf-8")
    (given.folder / "households.yaml").write_text(SPEC, "utf-8")
