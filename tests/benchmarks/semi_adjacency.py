"""a(t) of tables: how long it takes, beside brute force and beside the naive way.

    python tests/benchmarks/semi_adjacency.py [--runs N] [--only TEXT] [--processor-time]

The first table holds the cases with a limit: the median of several runs in one process. The
second has the same questions, on cases small enough, beside brute force over all tables, and
beside the naive way: single cells instead of classes, and a program for every pair of records.
Exits with 1 where a limit is exceeded, an interval is open at n, or two ways disagree.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from semiaudit.model.audit import Release  # noqa: E402
from semiaudit.model.dataspace import Attribute, TableSpace  # noqa: E402
from semiaudit.model.invariants import Count, Invariant, Margin  # noqa: E402
from semiaudit.model.published_invariants import PublishedCounts  # noqa: E402
from semiaudit.numeric.limits import Limits  # noqa: E402
from semiaudit.universe.distance import programs  # noqa: E402
from semiaudit.universe.distance.closest_pairs import definition_13  # noqa: E402
from semiaudit.universe.distance.interval import ParameterInterval  # noqa: E402
from semiaudit.universe.distance.nearest import Pair, nearest  # noqa: E402
from semiaudit.universe.semi_adjacency import universe_of  # noqa: E402
from semiaudit.universe.system.classes_of_cells import Sum, System, build_system  # noqa: E402
from semiaudit.universe.system.components import classes_of, components_of  # noqa: E402
from semiaudit.universe.system.nonnegative_sums import upper_ends  # noqa: E402
from tests.oracles import tables as oracle  # noqa: E402
from tests.universe.instances import published_of, release_of  # noqa: E402

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Timed:
    """A case with a limit; `work` returns what it found, in words, and whether it is an answer."""

    name: str
    limit: float
    runs: int
    work: Callable[[], tuple[str, bool]]


@dataclass(frozen=True)
class Compared:
    """The same question in two ways."""

    name: str
    other: str
    ours: Callable[[], int]
    theirs: Callable[[], int]


def drawn(
    levels: Sequence[int], size: int, invariants: Sequence[Invariant], *, given: bool = True
) -> Release:
    """A release of random records; the attributes are a, b, c, ..."""
    chance = random.Random(size)
    names = [chr(ord("a") + place) for place in range(len(levels))]
    attributes = tuple(Attribute(n, count) for n, count in zip(names, levels, strict=True))
    space = TableSpace("person", size, attributes)
    records = (tuple(chance.randrange(count) for count in levels) for _ in range(size))
    published = published_of(space, invariants, Counter(records)) if given else None
    return release_of(space, invariants, published)


def counties() -> Release:
    """Twenty thousand persons in ten states of eight counties; two margins overlap in the state."""
    chance = random.Random(20_000)
    names = tuple(f"{state}.{county}" for state in range(10) for county in range(8))
    county = Attribute("county", names, within="state", parents=tuple(c // 8 for c in range(80)))
    attributes = (Attribute("state", 10), county, Attribute("sex", 2), Attribute("age", 5))
    space = TableSpace("person", None, attributes)
    held: Counter[tuple[int | str, ...]] = Counter()
    for _ in range(20_000):
        at = chance.randrange(80)
        held[at // 8, names[at], chance.randrange(2), chance.randrange(5)] += 1
    invariants = [Margin(("county", "sex")), Margin(("state", "sex", "age"))]
    return release_of(space, invariants, published_of(space, invariants, held))


def margins(attributes: str, length: int) -> list[Margin]:
    return [Margin(names) for names in combinations(attributes, length)]


def system_of(release: Release) -> System:
    space = release.dataspace
    assert isinstance(space, TableSpace)
    said = (invariant.constraint for invariant in release.invariants)
    constraints = [constraint for constraint in said if constraint is not None]
    places = components_of(space, constraints)
    parts = [classes_of(space, constraints, positions) for positions in places]
    system = build_system(space, release, parts, space.size)
    assert system is not None
    return system


def single_cells(system: System) -> System:
    """The same without aggregation: every cell is a class of its own."""
    origin = [c for c in range(system.classes) for _ in range(system.multiplicity[c])]

    def spread(terms: Sum) -> Sum:
        coefficients = dict(terms)
        return tuple((p, coefficients[c]) for p, c in enumerate(origin) if c in coefficients)

    return replace(
        system,
        cells=tuple(((place,),) for place in range(len(origin))),
        multiplicity=(1,) * len(origin),
        rows=tuple(spread(row) for row in system.rows),
        bounds=tuple(replace(bound, sum=spread(bound.sum)) for bound in system.bounds),
        choices=(),
    )


# --- with a limit ---------------------------------------------------------------------


def readings(release: Release) -> tuple[str, bool]:
    semi = universe_of(release).semi_adjacency
    published = release.published
    size = published.size if isinstance(published, PublishedCounts) else None
    told, answered = [], True
    for parameter in (semi.covering, semi.definition_13):
        exact = parameter.lower == parameter.upper
        told.append(str(parameter.lower) if exact else f"{parameter.lower}..{parameter.upper}")
        answered &= parameter.upper is not None
        answered &= exact or parameter.upper != size
    return " / ".join(told), answered


def pair_of(system: System, size: int) -> tuple[str, bool]:
    """definition_13 for the first and the last cell that can occur."""
    ends = upper_ends(system, size)
    able = [c for c, end in enumerate(ends) if end]
    found = nearest(system, ends, able[0], able[-1], "hamming", Limits())
    exact = isinstance(found, Pair) and found.proven == found.distance
    return str(found.distance) if isinstance(found, Pair) else found.status, exact


def timed() -> list[Timed]:
    three = drawn((3, 4, 5), 200, margins("abc", 1))
    ten = drawn((10,) * 10, 1000, margins("abcdefghij", 1))
    ten_open = drawn((10,) * 10, 1000, margins("abcdefghij", 1), given=False)
    chain = drawn((4, 4, 4), 64, [Margin(("a", "b")), Margin(("b", "c"))])
    nested = counties()
    long = drawn((40, 300, 300), 54_000, [Margin(("a", "b")), Margin(("a", "c"))])
    path = drawn((30,) * 8, 3_000, [Margin(pair) for pair in pairwise("abcdefgh")])
    uneven = drawn((5, 4, 3), 1000, margins("abc", 2))
    all_pairs = [drawn((4, 4, 4), size, margins("abc", 2)) for size in (20, 64, 150)]
    large = drawn((12, 12, 12), 2000, margins("abc", 2))
    without_t = system_of(drawn((12, 12, 12), 2000, margins("abc", 2), given=False))
    with_t = system_of(large)
    return [
        Timed("3x4x5, one-way margins, given counts", 0.1, 9, lambda: readings(three)),
        Timed("10 features of 10 levels, one-way, given counts", 0.1, 9, lambda: readings(ten)),
        Timed("10 features of 10 levels, one-way, without t", 0.1, 9, lambda: readings(ten_open)),
        Timed(
            "12x12x12, two-way, definition_13 of a pair, without t",
            1.0,
            5,
            lambda: pair_of(without_t, 2000),
        ),
        Timed(
            "12x12x12, two-way, the same with given counts: a start too",
            math.inf,
            5,
            lambda: pair_of(with_t, 2000),
        ),
        Timed("4x4x4, margins ab and bc, n = 64", 0.1, 3, lambda: readings(chain)),
        Timed("80 counties in 10 states, two margins, n = 20000", 1.0, 5, lambda: readings(nested)),
        Timed("40x300x300, margins ab and ac, n = 54000", 2.0, 3, lambda: readings(long)),
        Timed("a path of 7 margins, 8 features of 30 levels", 2.0, 3, lambda: readings(path)),
        Timed("5x4x3, all two-way margins, n = 1000", 5.0, 3, lambda: readings(uneven)),
        *(
            Timed(f"4x4x4, all two-way margins, n = {size}", 60.0, 1, partial(readings, release))
            for size, release in zip((20, 64, 150), all_pairs, strict=True)
        ),
    ]


# --- beside brute force and the naive way ---------------------------------------------


def brute(levels: tuple[int, ...], release: Release, sets: Sequence[Sequence[int]]) -> int:
    """Covering by the oracle, from the published size and margins."""
    assert isinstance(release.dataspace, TableSpace)
    rows = tuple(row for attributes in sets for row in oracle.margin_rows(levels, attributes))
    instance = oracle.Instance(levels, release.dataspace.size, rows=rows)
    published = release.published
    assert isinstance(published, PublishedCounts)
    values = dict(published.margins)
    wanted = tuple(v for names in sets for v in values[tuple("abcdefghij"[a] for a in names)])
    universe = [
        table
        for table in oracle.tables(instance)
        if tuple(oracle.dot(row, table) for row in rows) == wanted
    ]
    return oracle.covering(universe, oracle.HAMMING)


def covering(release: Release) -> int:
    parameter = universe_of(release).semi_adjacency.covering
    assert parameter.lower == parameter.upper
    return parameter.lower


def covering_by_programs(system: System) -> int:
    found = programs.readings(system, "hamming", Limits(120)).covering
    assert found.lower == found.upper
    return found.lower


def by_elimination(system: System, size: int) -> int:
    found = definition_13(system, "hamming", Limits(), size, ParameterInterval(0))
    assert found.lower == found.upper
    return found.lower


def pair_by_pair(system: System, size: int) -> int:
    """definition_13 with a program for every two cells."""
    ends, worst = upper_ends(system, size), 0
    for x, y in product(range(system.classes), repeat=2):
        if x != y and ends[x] and ends[y]:
            found = nearest(system, ends, x, y, "hamming", Limits())
            if isinstance(found, Pair):
                worst = max(worst, found.distance)
    return worst


def compared() -> list[Compared]:
    one_way = drawn((2, 2, 3), 6, margins("abc", 1))
    two_way = drawn((2, 2, 3), 6, margins("abc", 2))
    pairs = drawn((3, 3, 3), 27, margins("abc", 2))
    where = Count((("a", (0, 1)), ("b", (0, 1, 2))))
    counts = drawn((4, 6), 12, [Margin(("a",)), where, Count((("b", (0, 3)),))])
    classes = system_of(counts)
    cells = single_cells(classes)
    two, three = "all tables, all pairs", "single cells"
    return [
        Compared(
            "2x2x3, one-way, n = 6: covering",
            two,
            lambda: covering(one_way),
            lambda: brute((2, 2, 3), one_way, [(0,), (1,), (2,)]),
        ),
        Compared(
            "2x2x3, two-way, n = 6: covering",
            two,
            lambda: covering(two_way),
            lambda: brute((2, 2, 3), two_way, [(0, 1), (0, 2), (1, 2)]),
        ),
        Compared(
            "3x3x3, two-way, n = 27: definition_13",
            "a program for every pair",
            lambda: by_elimination(system_of(pairs), 27),
            lambda: pair_by_pair(system_of(pairs), 27),
        ),
        Compared(
            f"4x6, one margin and two counts ({classes.classes} classes): covering",
            three,
            lambda: covering_by_programs(classes),
            lambda: covering_by_programs(cells),
        ),
        Compared(
            f"4x6, one margin and two counts ({classes.classes} classes): definition_13",
            f"{three}, a program for every pair",
            lambda: by_elimination(classes, 12),
            lambda: pair_by_pair(cells, 12),
        ),
    ]


def seconds(
    work: Callable[[], Answer], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Answer]:
    start = clock()
    found = work()
    return clock() - start, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, help="runs of each case, instead of its own number")
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    parser.add_argument("--processor-time", action="store_true", help="on a machine in use")
    options = parser.parse_args()
    clock = time.process_time if options.processor_time else time.perf_counter
    failed = False
    print(f"{'case':58} {'covering / definition_13':>24} {'median':>9} {'limit':>7}")
    for case in timed():
        if options.only not in case.name:
            continue
        case.work()
        runs = [seconds(case.work, clock) for _ in range(options.runs or case.runs)]
        middle = statistics.median(taken for taken, _ in runs)
        told, answered = runs[0][1]
        good = middle < case.limit and answered
        failed |= not good
        verdict = "pass" if good else "FAIL"
        print(f"{case.name:58} {told:>24} {middle:8.3f}s {case.limit:6g}s {verdict}", flush=True)
    print(f"\n{'case':58} {'value':>5} {'ours':>9} {'other':>9} {'ratio':>7}  beside")
    for pair in compared():
        if options.only not in pair.name:
            continue
        pair.ours()
        ours = [seconds(pair.ours, clock) for _ in range(options.runs or 5)]
        theirs = [seconds(pair.theirs, clock) for _ in range(options.runs or 3)]
        mine, other = (statistics.median(taken for taken, _ in runs) for runs in (ours, theirs))
        agree = ours[0][1] == theirs[0][1]
        failed |= not agree
        told = str(ours[0][1]) if agree else f"{ours[0][1]} is not {theirs[0][1]}"
        times = f"{mine:8.4f}s {other:8.4f}s {other / mine:6.1f}x"
        print(f"{pair.name:58} {told:>5} {times}  {pair.other}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
