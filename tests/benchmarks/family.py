"""How often a(t) of larger releases is exact, and how wide the intervals are.

    python -m tests.benchmarks.family [--write] [--time-limit SECONDS] [--processor-time]

Audits a stated family of releases whose D_t cannot be listed, drawn with fixed seeds and with
given counts, and prints a table. `--write` puts it into docs/theory/measurements.md between its
markers. `--processor-time` counts the seconds that the process computes, on machines that do other
work too.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from semiaudit import deadline
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count, Invariant, Linear, Margin
from semiaudit.model.semi_adjacency import Cell, Parameter
from semiaudit.numeric.limits import Limits, can_certify
from semiaudit.universe.semi_adjacency import universe_of
from tests.benchmarks.tables import write_table
from tests.places import ROOT
from tests.universe.instances import published_of, release_of

DOCUMENT = ROOT / "docs" / "theory" / "measurements.md"


@dataclass(frozen=True)
class Member:
    """One release of the family."""

    kind: str
    name: str
    release: Release


def drawn(
    space: TableSpace, invariants: Sequence[Invariant], cells: Sequence[Cell], chance: random.Random
) -> Release:
    """A release of records that fall into cells with random probabilities."""
    assert space.size is not None
    weights = [chance.expovariate(1) for _ in cells]
    counts = Counter(chance.choices(cells, weights, k=space.size))
    return release_of(space, invariants, published_of(space, invariants, counts))


def two_way() -> Iterator[Member]:
    """4 x 4 x 4, all two-way margins."""
    kind = "4 x 4 x 4, all two-way margins"
    for size in (20, 64, 150, 300):
        space = TableSpace("person", size, tuple(Attribute(name, 4) for name in "abc"))
        margins = [Margin(("a", "b")), Margin(("a", "c")), Margin(("b", "c"))]
        cells = list(product(range(4), repeat=3))
        yield Member(kind, f"n = {size}", drawn(space, margins, cells, random.Random(size)))


def predicates() -> Iterator[Member]:
    """10 x 10, both one-way margins and random counts: boxes of levels, and any sets of cells."""
    kind = "10 x 10, one-way margins and predicates"
    cells = list(product(range(10), repeat=2))
    for shape, number, size in (
        ("boxes", 1, 200),
        ("boxes", 2, 60),
        ("boxes", 2, 1000),
        ("boxes", 3, 300),
        ("boxes", 4, 300),
        ("sets", 1, 200),
        ("sets", 2, 200),
    ):
        chance = random.Random(100 * number + size)
        space = TableSpace("person", size, (Attribute("a", 10), Attribute("b", 10)))
        invariants: list[Invariant] = [Margin(("a",)), Margin(("b",))]
        for place in range(number):
            if shape == "boxes":
                levels = [tuple(sorted(chance.sample(range(10), 4))) for _ in range(2)]
                invariants.append(Count((("a", levels[0]), ("b", levels[1]))))
            else:
                rows = (tuple(chance.choices((0, 1), k=100)),)
                invariants.append(Linear(f"set {place}", rows))
        kinds = {"boxes": "box", "sets": "set"}
        name = f"{number} {shape if number > 1 else kinds[shape]}, n = {size}"
        yield Member(kind, name, drawn(space, invariants, cells, chance))


def geography() -> Iterator[Member]:
    """State > county > tract, with people of a sex and an age."""
    kind = "state > county > tract"
    states, counties, tracts = 2, 4, 12
    cells = [
        (tract // 6, tract // 3, tract, sex, age)
        for tract, sex, age in product(range(tracts), range(2), range(3))
    ]
    levels = (
        Attribute("state", states),
        Attribute("county", counties, within="state", parents=(0, 0, 1, 1)),
        Attribute("tract", tracts, within="county", parents=tuple(t // 3 for t in range(tracts))),
        Attribute("sex", 2),
        Attribute("age", 3),
    )
    for size, told in (
        (400, (("state",), ("county", "age"), ("tract", "sex"))),
        (400, (("tract",), ("county", "sex"), ("county", "age"))),
        (400, (("state", "sex", "age"), ("county", "sex"), ("tract",))),
        (5000, (("state",), ("county", "age"), ("tract", "sex"))),
        (5000, (("county", "sex", "age"), ("tract", "sex"), ("tract", "age"))),
    ):
        space = TableSpace("person", size, levels)
        margins = [Margin(names) for names in told]
        name = f"{'; '.join(', '.join(names) for names in told)}; n = {size}"
        yield Member(kind, name, drawn(space, margins, cells, random.Random(size + len(name))))


def interval(parameter: Parameter) -> str:
    """A value, or the ends of an interval."""
    if parameter.lower == parameter.upper:
        return str(parameter.lower)
    return f"{parameter.lower} to {'?' if parameter.upper is None else parameter.upper}"


def width(parameter: Parameter) -> int | None:
    return None if parameter.upper is None else parameter.upper - parameter.lower


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--only", default="", help="kinds that contain this text")
    parser.add_argument("--without-certify", action="store_true")
    parser.add_argument("--processor-time", action="store_true")
    options = parser.parse_args()
    clock = time.process_time if options.processor_time else time.perf_counter
    certify = can_certify() and not options.without_certify
    lines = ["| release | covering | definition_13 | seconds |", "| --- | --- | --- | --- |"]
    found: dict[str, list[tuple[Parameter, Parameter]]] = {}
    for member in (*two_way(), *predicates(), *geography()):
        if options.only not in member.kind:
            continue
        with deadline.running(math.inf, clock):
            limits = Limits(options.time_limit, certify)
            start = clock()
            semi = universe_of(member.release, limits).semi_adjacency
            taken = clock() - start
        found.setdefault(member.kind, []).append((semi.covering, semi.definition_13))
        ends = f"{interval(semi.covering)} | {interval(semi.definition_13)}"
        lines.append(f"| {member.kind}: {member.name} | {ends} | {taken:.1f} |")
        print(lines[-1], flush=True)
    summary = [
        "| family | releases | covering exact | definition_13 exact | median width of the open "
        "intervals |",
        "| --- | --- | --- | --- | --- |",
    ]
    for kind, pairs in found.items():
        shares = [
            f"{sum(width(pair[reading]) == 0 for pair in pairs)} of {len(pairs)}"
            for reading in (0, 1)
        ]
        widths = [width(parameter) for pair in pairs for parameter in pair]
        known = [w for w in widths if w]
        middle = f"{statistics.median(known):g}" if known else "none open"
        if None in widths:
            middle += f", {widths.count(None)} without an end"
        summary.append(f"| {kind} | {len(pairs)} | {' | '.join(shares)} | {middle} |")
    print("\n".join(summary))
    if options.write:
        searched = "with" if certify else "without"
        spent = "seconds of processor time" if options.processor_time else "seconds"
        stated = f"{options.time_limit:g} {spent} a release, {searched} the extra `certify`."
        write_table(DOCUMENT, "family", [stated, "", *summary, "", *lines, ""])


if __name__ == "__main__":
    main()
