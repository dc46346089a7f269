"""One piece of the program's work, in a process of its own.

    python -m tests.benchmarks.growth.work NAME SIZE

Prints the CPU seconds that it took and what it found. Imports, the random records of a release, and
a small piece of the same work come first and are not counted.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from semiaudit import Gaussian, Laplace, Mechanism, SubsampledGaussian, deadline
from semiaudit.library.guarantee import Guarantee
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Invariant, Margin
from semiaudit.universe.semi_adjacency import universe_of
from tests.benchmarks.growth.sizes import DELTA, END, noise_multipliers, noise_scales
from tests.universe.instances import published_of, release_of

LIMIT = 60.0
"""CPU seconds after which the program gives a looser bound; by default they are of the clock."""

Work = Callable[[], str]
CHAIN = [Margin(("a", "b")), Margin(("b", "c"))]


@dataclass(frozen=True)
class Kind:
    """Work that grows.

    Attributes:
        of: prepares the work of a size.
        small: prepares a small piece of it, with no number in common.
    """

    of: Callable[[int], Work]
    small: Callable[[], Work]


def _margins(attributes: str, length: int) -> list[Margin]:
    return [Margin(names) for names in combinations(attributes, length)]


def _of_table(levels: Sequence[int], size: int, invariants: Sequence[Invariant]) -> Work:
    """Both definitions of a(t), for random records with the attributes a, b, c, ..."""
    chance = random.Random(size)
    attributes = tuple(
        Attribute(chr(ord("a") + place), count) for place, count in enumerate(levels)
    )
    space = TableSpace("person", size, attributes)
    records = (tuple(chance.randrange(count) for count in levels) for _ in range(size))
    published = published_of(space, invariants, Counter(records))
    release = release_of(space, invariants, published)
    return lambda: _definitions(release)


def _definitions(release: Release) -> str:
    semi = universe_of(release).semi_adjacency
    return " / ".join(
        str(one.lower) if one.lower == one.upper else f"{one.lower}..{one.upper}"
        for one in (semi.covering, semi.definition_13)
    )


def _cells(size: int) -> Work:
    return _of_table((size // 10, 10), 10_000, _margins("ab", 1))


def _chain_cells(size: int) -> Work:
    return _of_table((size // 100, 10, 10), 10_000, CHAIN)


def _records(size: int) -> Work:
    return _of_table((10, 10, 10), size, CHAIN)


def _cyclic_records(size: int) -> Work:
    return _of_table((3, 3, 3), size, _margins("abc", 2))


def _cyclic_cells(size: int) -> Work:
    levels = {30: (3, 3, 3), 100: (4, 5, 5), 1000: (10, 10, 10)}[size]
    return _of_table(levels, 4 * size, _margins("abc", 2))


def _composed(kind: str, key: str) -> Callable[[int], Work]:
    def work(size: int) -> Work:
        parts = [{kind: {key: str(scale), "shifts": [1]}} for scale in noise_scales(size)]
        return lambda: _epsilon(Mechanism({"compose": parts}).guarantee())

    return work


def _sampled(multipliers: list[float]) -> Guarantee:
    parts = [
        {"subsampled_gaussian": {"noise_multiplier": str(one), "sampling_rate": "0.01", "steps": 1}}
        for one in multipliers
    ]
    return Mechanism({"compose": parts}).guarantee(metric="symmetric_difference")


def equal_steps(number: int) -> Guarantee:
    """The guarantee of sampled Gaussian steps with noise multiplier 1 and rate 0.01."""
    return SubsampledGaussian(1, "0.01", number).guarantee(metric="symmetric_difference")


def _sampled_steps(size: int) -> Work:
    return lambda: _epsilon(equal_steps(size))


def _epsilon(guarantee: Guarantee) -> str:
    return f"{float(guarantee.epsilon(DELTA)):.4g}"


def _curve(guarantee: Callable[[], Guarantee], points: int) -> Work:
    epsilons = np.linspace(END / 20, END, points)
    return lambda: f"{float(np.max(guarantee().delta(epsilons))):.3g}"


def _two_noises(times: int) -> Guarantee:
    return (Gaussian(5) * times + Laplace(3) * times).guarantee()


KINDS = {
    "cells": Kind(_cells, lambda: _cells(20)),
    "chain_cells": Kind(_chain_cells, lambda: _chain_cells(200)),
    "records": Kind(_records, lambda: _records(20)),
    "cyclic_records": Kind(_cyclic_records, lambda: _cyclic_records(2)),
    "cyclic_cells": Kind(_cyclic_cells, lambda: _cyclic_records(2)),
    "gaussian": Kind(_composed("gaussian", "sigma"), lambda: _composed("gaussian", "sigma")(3)),
    "laplace": Kind(_composed("laplace", "scale"), lambda: _composed("laplace", "scale")(3)),
    "sampled": Kind(
        lambda size: lambda: _epsilon(_sampled(noise_multipliers(size))),
        lambda: lambda: _epsilon(_sampled([3.0, 4.0])),
    ),
    "sampled_steps": Kind(_sampled_steps, lambda: _sampled_steps(7)),
    "curve_one_noise": Kind(
        lambda size: _curve(lambda: equal_steps(1000), size),
        lambda: _curve(lambda: equal_steps(7), 3),
    ),
    "curve_two_noises": Kind(
        lambda size: _curve(lambda: _two_noises(20), size),
        lambda: _curve(lambda: _two_noises(3), 3),
    ),
}


def main() -> None:
    name, size = sys.argv[1], int(sys.argv[2])
    kind = KINDS[name]
    kind.small()()
    work = kind.of(size)
    begun = time.process_time()
    with deadline.running(LIMIT, time.process_time):
        answer = work()
    print(json.dumps([time.process_time() - begun, answer]))


if __name__ == "__main__":
    main()
