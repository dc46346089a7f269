"""Releases side by side, arranged for reading: a column a release, a table a number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from operator import attrgetter

from semiaudit.model.bound import Bound
from semiaudit.model.comparison import Compared, Experiments, Processing, SideBySide, Standings
from semiaudit.model.frameworks import NAMES, FrameworkName
from semiaudit.model.guarantee import ApproxPoint, Numbers, Row
from semiaudit.report.layout import Block, Grid, Lines, View, heading
from semiaudit.report.numbers import bound_text, rational_text
from semiaudit.report.universe_view import interval_text
from semiaudit.version import __version__

ORDER = (
    "What is ordered is what is stated. Pairs of datasets and tradeoff functions decide, and no "
    "single numbers: where neither is proven to follow from the other, nothing is claimed."
)
FITTED = "A mu may be the smallest that is certified to hold, and no mechanism's own."
REPORTS = "Of a report only the numbers that it holds are used, as upper bounds."

MOST_KERNELS = 4
"""Kernels that are shown; JSON has all of them."""

WIDEST_KERNEL = 8
"""Rows and columns of a kernel that is shown."""

_BLOCKS = ("domain", "scope", "unit", "standard", "intensity")

Value = Callable[[Row], Bound | None]


def comparison_view(found: SideBySide) -> View:
    """Arrange a comparison: building blocks, a(t), numbers by notion, and the order."""
    releases = found.releases
    blocks: list[Block | None] = [
        _names(releases),
        *(_building_block(releases, name) for name in _BLOCKS),
        _distances(releases),
        _order(found.standings),
        *_experiments(found.experiments),
        _covered(releases),
        *_measures(releases),
        *_epsilons(releases),
        *_powers(releases),
        _refused(releases),
    ]
    late = heading(found.incomplete_because)
    subtitle = f"{len(releases)} releases · semiaudit {__version__}{late}"
    return View("Releases side by side", subtitle, tuple(b for b in blocks if b is not None))


def _names(releases: Sequence[Compared]) -> Lines:
    items = []
    for release in releases:
        how = " (a report, as it is)" if release.from_report else ""
        how = " (shipped example)" if release.example and not how else how
        items.append((release.name, f"{release.title}: {release.path}{how}"))
    told = [("note", REPORTS)] if any(release.from_report for release in releases) else []
    return Lines("The releases", (*items, *told))


def _building_block(releases: Sequence[Compared], name: str) -> Lines:
    """One of the five building blocks; releases with the same sentence share it."""
    alike: dict[str, list[str]] = {}
    for release in releases:
        alike.setdefault(attrgetter(name)(release.statement), []).append(release.name)
    if len(alike) == 1:
        items = tuple(("all", sentence) for sentence in alike)
    else:
        items = tuple((", ".join(names), sentence) for sentence, names in alike.items())
    return Lines(f"{name.capitalize()}{'' if len(alike) > 1 else ' (the same)'}", items)


def _distances(releases: Sequence[Compared]) -> Grid:
    rows = []
    for release in releases:
        semi = release.semi_adjacency
        rows.append(
            (
                release.name,
                interval_text(semi.covering),
                interval_text(semi.definition_13),
                semi.reading,
                semi.metric,
            )
        )
    columns = ("release", "covering", "definition_13", "reading in use", "metric")
    numeric = (False, True, True, False, False)
    return Grid("a(t): how far apart the nearest datasets are", columns, tuple(rows), numeric)


def _order(standings: Sequence[Standings]) -> Lines:
    """What is said of two releases, with the notions of which it is said."""
    alike: dict[tuple[str, str], list[str]] = {}
    for found in standings:
        told = standing_text(found)
        alike.setdefault((f"{found.first}, {found.second}", told), []).append(found.framework)
    items = []
    before = ""
    for (pair, told), names in alike.items():
        items.append((pair if pair != before else "", f"{', '.join(names)}: {told}."))
        before = pair
    return Lines("Which states more (Definition 20)", (*items, ("note", ORDER)))


def _experiments(found: Sequence[Experiments]) -> Iterator[Block]:
    """Blackwell's order of finite mechanisms, and the kernels that prove it, where they are few."""
    if not found:
        return
    items = tuple((f"{one.first}, {one.second}", f"{one.explanation}.") for one in found)
    yield Lines("Which mechanism tells more (Blackwell's order)", items)
    kernels = [(p, p.kernel) for one in found for p in one.processings if p.kernel is not None]
    for processing, kernel in kernels[:MOST_KERNELS]:
        if len(kernel) <= WIDEST_KERNEL and len(kernel[0]) <= WIDEST_KERNEL:
            yield _kernel(processing, kernel)
    if len(kernels) > MOST_KERNELS:
        told = f"{len(kernels) - MOST_KERNELS} more kernels stand in the JSON"
        yield Lines("Kernels", (("note", f"{told}."),))


def _kernel(processing: Processing, kernel: tuple[tuple[Fraction, ...], ...]) -> Grid:
    source, target = processing.source, processing.target
    title = f"The kernel that turns {source} into {target}, universe {processing.universe}"
    columns = (f"outcome of {source}", *(f"{target}: {at}" for at in range(len(kernel[0]))))
    rows = tuple((str(at), *map(str, row)) for at, row in enumerate(kernel))
    note = f"The probability of each outcome of {target}, exactly; outcomes count from 0."
    return Grid(title, columns, rows, (True, *(True for _ in kernel[0])), (note,))


def standing_text(found: Standings) -> str:
    """How two releases stand to each other, or why they are not ordered."""
    return f"not ordered; {found.explanation}" if found.order == "none" else found.explanation


def _covered(releases: Sequence[Compared]) -> Grid:
    """Which pairs each notion covers, and whether it covers the invariants."""

    def told(row: Row) -> str:
        stated = row.guarantee
        if stated.refused:
            return "refused"
        covers = "with" if stated.covers_joint_release else "without"
        distance = "-" if stated.distance is None else stated.distance
        return f"{stated.universe}, up to {distance}, {covers}"

    notes = (
        "The universe, the distance up to which pairs are covered, and whether the guarantee "
        "speaks of the output with or without what is published exactly.",
    )
    rows = _rows(releases, told)
    numeric = (False, *(False for _ in releases))
    return Grid("Pairs that are covered", _columns(releases), rows, numeric, notes, breaks=True)


def _columns(releases: Sequence[Compared]) -> tuple[str, ...]:
    return "guarantee", *(release.name for release in releases)


def _rows(releases: Sequence[Compared], told: Callable[[Row], str]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (name, *("-" if row is None else told(row) for row in _of(releases, name)))
        for name in _notions(releases)
    )


def _notions(releases: Sequence[Compared]) -> list[FrameworkName]:
    """The notions that some release has, in the order of reports."""
    had = {row.guarantee.framework for release in releases for row in release.rows}
    return [name for name in NAMES if name in had]


def _of(releases: Sequence[Compared], name: FrameworkName) -> list[Row | None]:
    return [
        next((row for row in release.rows if row.guarantee.framework == name), None)
        for release in releases
    ]


def _measures(releases: Sequence[Compared]) -> Iterator[Grid]:
    """A table for each measure that something is known in."""
    measures: list[tuple[str, Value]] = [
        ("rho", lambda row: row.numbers.zcdp),
        ("mu", lambda row: row.numbers.gdp),
        ("epsilon at delta 0", lambda row: row.numbers.pure_dp),
        ("advantage", lambda row: row.numbers.advantage),
    ]
    every = [row for release in releases for row in release.rows]
    for title, value in measures:
        if any(value(row) is not None for row in every):
            fitted = title == "mu" and any(row.numbers.gdp != row.numbers.own_gdp for row in every)
            yield _numbers(releases, title, value, (FITTED,) if fitted else ())


def _numbers(
    releases: Sequence[Compared], title: str, value: Value, notes: tuple[str, ...] = ()
) -> Grid:
    def told(row: Row) -> str:
        bound = value(row)
        return "-" if bound is None else bound_text(bound)

    numeric = (False, *(True for _ in releases))
    return Grid(title, _columns(releases), _rows(releases, told), numeric, notes)


def _epsilons(releases: Sequence[Compared]) -> Iterator[Grid]:
    """A table a delta: the smallest epsilon of each, and the conversion that it is from."""
    points = [p for r in releases for row in r.rows for p in row.numbers.approx_dp]
    for delta in sorted({point.delta for point in points}, reverse=True):
        columns = ["guarantee"]
        for release in releases:
            columns += [release.name, f"{release.name}: by"]
        rows = []
        for name in _notions(releases):
            cells = [name, *(t for row in _of(releases, name) for t in _point_texts(row, delta))]
            rows.append(tuple(cells))
        numeric = (False, *(kind for _ in releases for kind in (True, False)))
        glued = frozenset(range(2, len(columns), 2))
        title = f"epsilon at delta = {rational_text(delta)}, and the conversion"
        yield Grid(title, tuple(columns), tuple(rows), numeric, glued=glued)


def _point_texts(row: Row | None, delta: Fraction) -> tuple[str, str]:
    point = None if row is None else _tightest(row.numbers, delta)
    return ("-", "") if point is None else (bound_text(point.epsilon), point.conversion)


def _tightest(numbers: Numbers, delta: Fraction) -> ApproxPoint | None:
    return next((point for point in numbers.tightest if point.delta == delta), None)


def _powers(releases: Sequence[Compared]) -> Iterator[Grid]:
    """A table a false positive rate: the largest true positive rate."""
    every = [row for release in releases for row in release.rows]
    for rate in sorted({rate for row in every for rate, _ in row.numbers.tpr_at_fpr}):
        title = f"TPR at FPR {rational_text(rate, up=False)}, at most"

        def power(row: Row, rate: Fraction = rate) -> Bound | None:
            return dict(row.numbers.tpr_at_fpr).get(rate)

        yield _numbers(releases, title, power)


def _refused(releases: Sequence[Compared]) -> Lines | None:
    items = tuple(
        (release.name, f"{row.guarantee.framework}: {row.guarantee.refused}")
        for release in releases
        for row in release.rows
        if row.guarantee.refused
    )
    return Lines("Refused", items) if items else None
