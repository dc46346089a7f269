"""How fast noise is drawn, beside what it cannot be faster than, and how well the walk does.

    python -m tests.benchmarks.sampling [--quick]

Five questions: Algorithm 1 for a 10x10 table beside numpy's normals of its rank, interleaved; a
table of 6,720 cells with 740 constraints, and the memory that it takes;
K-norm noise of the true hull at 4x4 by simplices, and by plain rejection; 10x10 by the walk, with
its error against the same mean by importance sampling; discrete noise, alone, beside
OpenDP's where that is installed (`pip install opendp`), and on the lattice of a 10x10 table's
margins.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.util import find_spec

import numpy as np

from semiaudit.mechanisms.sampling.hulls.direction_walk import DirectionWalk
from semiaudit.mechanisms.sampling.hulls.gauges import GaugeOfWalks
from semiaudit.mechanisms.sampling.hulls.hull_noise import Triangulated
from semiaudit.mechanisms.sampling.lattice import Lattice, LatticeGaussian, null_lattice
from semiaudit.mechanisms.sampling.linear_noise import SphericalGaussian
from semiaudit.mechanisms.sampling.margin_lattice import MarginLattice
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import (
    CHUNK,
    OnGrid,
    WholeGaussian,
    WholeLaplace,
)
from tests.oracles.sampling import Floats, Integers, margin_moves, margin_rows


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _lattice(size: int) -> Lattice:
    return null_lattice(margin_rows(size, size), size * size)


def algorithm_1(draws: int) -> None:
    """A block of normals, then a block of noise, and so on: both meet the same neighbours."""
    lattice, source = _lattice(10), Randomness(1)
    noise = OnGrid(lattice, SphericalGaussian(lattice, 1.0), 1.0, "Algorithm 1")
    block = 10 * CHUNK
    plain = ours = 0.0
    for _ in range(draws // block):
        plain += _seconds(
            lambda: [source.generator.standard_normal((CHUNK, lattice.rank)) for _ in range(10)]
        )
        ours += _seconds(lambda: noise.draw(block, source))
    print(
        f"10x10, Algorithm 1: {draws} draws in {ours:.2f} s of CPU; as many normals of rank",
        end=" ",
    )
    print(f"{lattice.rank} in {plain:.2f} s: {ours / plain:.2f} times")


def large_table(draws: int) -> None:
    """Gao, Gong and Yu, section 5.2: group x hour x building, with two margins of it."""
    start = time.process_time()
    tracemalloc.start()
    lattice = MarginLattice([14, 24, 20], [(1, 2), (0, 2)])
    noise = OnGrid(lattice, SphericalGaussian(lattice, 1.0), 1.0, "projected")
    made = time.process_time() - start
    tables = noise.draw(draws, Randomness(1)).reshape(-1, 14, 24, 20)
    spent = time.process_time() - start - made
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    broken = np.count_nonzero(tables.sum(axis=1)) + np.count_nonzero(tables.sum(axis=2))
    print(
        f"6,720 cells, rank {lattice.rank}: {made:.2f} s of preparation, then "
        f"{draws / spent:.0f} draws a second; {peak:.0f} MB; {broken} constraints of "
        f"{740 * draws} broken; variance of a cell {(tables**2).mean():.4f} (299/336 = 0.8899)"
    )


def _rejected(points: Integers, found: Triangulated, weights: Integers, seconds: float) -> None:
    walls: set[tuple[float, ...]] = set()
    for facet in found.orbits:
        on = weights @ facet.normal == facet.offset
        for image in np.unique(on[found.images], axis=0):
            corners = weights[image].astype(float)
            solved = np.linalg.lstsq(corners, np.ones(len(corners)))[0]
            walls.add(tuple(solved.round(9).tolist()))
    from semiaudit.mechanisms.sampling.hulls.rejection import Rejection

    rejection, generator = Rejection(weights, np.array(sorted(walls))), np.random.default_rng(3)
    spent, drawn = 0.0, 0
    while spent < seconds:
        spent += _seconds(lambda: rejection.draw(200, generator))
        drawn += 200
    share = rejection.kept / rejection.tried
    print(f"4x4, plain rejection: {drawn / spent:.0f} draws a second; {share:.3%} accepted")


def k_norm_4(draws: int, seconds: float) -> None:
    """The hull of the moves of a 4x4 table at distance 3."""
    points, lattice = margin_moves(4, 4, 3), _lattice(4)
    weights = points[:, list(lattice.free)]
    start = time.process_time()
    found = Triangulated(points, weights, (4, 4))
    made = time.process_time() - start
    generator = np.random.default_rng(2)
    spent = _seconds(lambda: [found.draw(1_000, generator) for _ in range(draws // 1_000)])
    print(
        f"4x4, simplices: {draws / spent:.0f} draws a second after {made:.1f} s of preparation",
        end="",
    )
    print(f" ({found.facets} facets, {found.simplices} simplices in {len(found.orbits)} orbits)")
    _rejected(points, found, weights, seconds)


def k_norm_10(draws: int, proposals: int) -> None:
    """The walk's mean of |z|_2 over |z|_K beside that of weighted Gaussian directions."""
    lattice, gauge, generator = _lattice(10), GaugeOfWalks(10, 10, 3), np.random.default_rng(4)
    start = time.process_time()
    walk = DirectionWalk(lattice, gauge, generator)
    walked = lattice.vectors(np.array([walk.draw() for _ in range(draws)]))
    spent = time.process_time() - start
    lengths = np.linalg.norm(walked, axis=1)
    normal = SphericalGaussian(lattice, 1.0).draw(proposals, generator)
    radii = np.linalg.norm(lattice.vectors(normal), axis=1)
    ratios = radii / np.array([gauge.of(np.ascontiguousarray(point)) for point in normal])
    mean, error = _weighted(ratios, lattice.rank)
    print(f"10x10, the walk: {spent / draws:.2f} s a draw; {walk.measured}")
    walked_error = lengths.std() / draws**0.5
    print(
        f"  mean length of a direction {lengths.mean():.4f} +- {walked_error:.4f} (if independent)"
    )
    print(f"  by importance sampling     {mean:.4f} +- {error:.4f}")
    print(f"  relative difference        {lengths.mean() / mean - 1:+.2%}")


def _weighted(ratios: Floats, rank: int) -> tuple[float, float]:
    """The mean of ratios with weights ratio^rank, and its standard error."""
    weights = np.exp(rank * np.log(ratios / ratios.max()))
    weights /= weights.sum()
    mean = float(weights @ ratios)
    return mean, float((weights**2 @ (ratios - mean) ** 2) ** 0.5)


def discrete(draws: int) -> None:
    """Whole numbers from the operating system."""
    source = Randomness()
    for variance in (4, 10_000):
        law = WholeGaussian(draws, Fraction(variance))
        spent = _seconds(partial(law.draw, 1, source))
        print(f"discrete Gaussian, variance {variance}: {draws / spent:.0f} a second")
    on_lattice = LatticeGaussian(_lattice(10), Fraction(9))
    spent = _seconds(lambda: [on_lattice.draw(source) for _ in range(draws // 100)])
    print(f"discrete Gaussian on the 10x10 lattice, variance 9: {draws / 100 / spent:.0f} a second")


def beside_opendp(draws: int) -> None:
    """Both samplers of whole numbers in turn, three times each; vectors, as OpenDP is quickest."""
    import opendp.prelude as opendp

    opendp.enable_features("contrib")
    source = Randomness()
    domain = opendp.vector_domain(opendp.atom_domain(T="i64"), draws)
    l2, l1 = opendp.l2_distance(T=float), opendp.l1_distance(T="i64")
    for number in (4, 10_000):
        law = WholeGaussian(draws, Fraction(number))
        theirs = opendp.m.make_gaussian(domain, l2, float(number**0.5))
        _in_turn(
            f"discrete Gaussian, variance {number}", draws, theirs, partial(law.draw, 1, source)
        )
    for number in (2, 100):
        laplace = WholeLaplace(draws, Fraction(number))
        theirs = opendp.m.make_laplace(domain, l1, float(number))
        name = f"discrete Laplace, scale {number}"
        _in_turn(name, draws, theirs, partial(laplace.draw, 1, source))
    floats = opendp.vector_domain(opendp.atom_domain(T=float, nan=False), draws)
    theirs = opendp.m.make_gaussian(floats, l2, 2.0)
    spent = _seconds(lambda: theirs([0.0] * draws))
    print(f"Gaussian, OpenDP's doubles: {draws / spent:.0f} a second")


def _in_turn(
    name: str, draws: int, theirs: Callable[[list[int]], object], ours: Callable[[], object]
) -> None:
    zeros, rates = [0] * draws, []
    for _ in range(3):
        rates.append((_seconds(lambda: theirs(zeros)), _seconds(ours)))
    first, second = (draws / min(column) for column in zip(*rates, strict=True))
    print(f"{name}: OpenDP {first:.0f} a second, ours {second:.0f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    part = 10 if parser.parse_args().quick else 1
    algorithm_1(1_000_000 // part)
    large_table(1_000 // part)
    discrete(20_000 // part)
    if find_spec("opendp") is not None:
        beside_opendp(20_000 // part)
    k_norm_4(200_000 // part, 20 / part)
    k_norm_10(100 // part, 1_000 // part)
