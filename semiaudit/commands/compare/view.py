"""The comparison of releases for reading: the answer first, then a table for each number.

Noise is measured relative to what one record changes: the larger rho, mu, or epsilon at delta 0 is
the smaller noise. A number that is only known from above can be smaller than printed, so two upper
bounds prove no order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from operator import attrgetter
from typing import Literal, assert_never

from semiaudit.commands.compare.model import (
    ComparedRelease,
    Experiments,
    Processing,
    SideBySide,
    Standings,
)
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import ADVERTISED, LEADING, NAMES, FrameworkName
from semiaudit.model.guarantee import ApproxPoint, GuaranteeRow, Numbers
from semiaudit.model.labels import label
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.conclusion import draft_sentence
from semiaudit.report.blocks.growth import compared
from semiaudit.report.blocks.universe_view import interval_text
from semiaudit.report.text.layout import Block, Grid, Lines, View, heading
from semiaudit.version import __version__

Relation = Literal["less", "equal", "greater"]

OTHER_THINGS = "domain", "unit", "metric"
"""Obstacles under which two advertised numbers bound different quantities."""


def smaller_noise(
    first: ComparedRelease, second: ComparedRelease, standings: Sequence[Standings]
) -> str:
    """Say which release adds less noise, if its numbers prove it; else why there is no order.

    Args:
        standings: the order of the guarantees of all releases.
    """
    ours, theirs = (_advertised(release) for release in (first, second))
    if ours is None or theirs is None:
        return "not comparable, because there is no advertised guarantee."
    pair = ADVERTISED, first.name, second.name
    (standing,) = [s for s in standings if (s.framework, s.first, s.second) == pair]
    if not {*standing.obstacles}.isdisjoint(OTHER_THINGS):
        return f"not comparable: {standing.explanation}."
    pairs = [
        (name, one, other)
        for name, one, other in (
            ("ρ", ours.zcdp, theirs.zcdp),
            ("μ", ours.gdp, theirs.gdp),
            ("ε at δ = 0", ours.pure_dp, theirs.pure_dp),
        )
        if one is not None and other is not None
    ]
    shown: dict[Relation | None, str] = {}
    for name, one, other in pairs:
        text = f"{name} {_text(one)} for {first.name}, {_text(other)} for {second.name}"
        shown.setdefault(relation_of(one, other), text)
    if "less" in shown and "greater" in shown:
        return f"not comparable: {shown['greater']}, but {shown['less']}."
    if "greater" in shown:
        return f"the noise of {first.name}: {shown['greater']}."
    if "less" in shown:
        return f"the noise of {second.name}: {shown['less']}."
    if "equal" in shown:
        return f"equal: {shown['equal']}."
    if standing.strict and not standing.weaker_is_a_bound:
        weaker = first.name if standing.order == "weaker" else second.name
        return f"the noise of {weaker}: its advertised guarantee is weaker."
    if not pairs:
        return "not comparable, because the advertised guarantees have different privacy measures."
    return f"not proven: {shown[None]}. These upper bounds prove no order."


def relation_of(one: Bound, other: Bound) -> Relation | None:
    """Compare two nonnegative numbers, as far as their sides prove it.

    Returns:
        None if nothing is proven, for example for two upper bounds.
    """
    (low, high), (other_low, other_high) = _squares(one), _squares(other)
    if high < other_low:
        return "less"
    if other_high < low:
        return "greater"
    return "equal" if low == high == other_low == other_high else None


def _squares(bound: Bound) -> tuple[Fraction | float, Fraction | float]:
    if bound.squared is not None:
        return bound.squared, bound.squared
    square = bound.sharpest**2
    zero, infinite = Fraction(0), float("inf")
    match bound.side:
        case "exact":
            return square, square
        case "upper":
            return zero, square
        case "lower":
            return square, infinite
        case _:
            assert_never(bound.side)


def _text(bound: Bound) -> str:
    exact = bound.side == "exact" or bound.squared is not None
    return bound_text(bound) if exact else f"at most {bound_text(bound)}"


def _advertised(release: ComparedRelease) -> Numbers | None:
    rows = [row for row in release.rows if row.guarantee.framework == ADVERTISED]
    return rows[0].numbers if rows and rows[0].guarantee.measures else None


ORDER = (
    "A guarantee is stronger if it implies the other one. A smaller number alone "
    "does not prove that."
)
NOISE = (
    "Noise is measured relative to what one record changes: the larger number is the smaller noise."
)
FITTED = "μ can be the smallest certified one, fitted to a tradeoff function of another shape."
REPORTS = "The numbers of a report are used as upper bounds."

MOST_KERNELS = 4
"""The most kernels that are shown; JSON has all of them."""

WIDEST_KERNEL = 8
"""The most rows and columns of a kernel that is shown."""

_BLOCKS = ("domain", "scope", "unit", "standard", "intensity")

Value = Callable[[GuaranteeRow], Bound | None]

_MEASURES: tuple[tuple[str, Value], ...] = (
    ("ρ", lambda row: row.numbers.zcdp),
    ("μ", lambda row: row.numbers.gdp),
    ("ε at δ = 0", lambda row: row.numbers.pure_dp),
    ("advantage", lambda row: row.numbers.advantage),
)


def view_of(comparison: SideBySide) -> View:
    """Arrange a comparison: the order and the noise, the numbers, and the building blocks."""
    releases = comparison.releases
    blocks: list[Block | None] = [
        _names(releases),
        _noise(comparison),
        _order(comparison.standings),
        *_experiments(comparison.experiments),
        *_measures(releases),
        *_epsilons(releases),
        *_powers(releases),
        _distances(releases),
        _covered(releases),
        *(_building_block(releases, name) for name in _BLOCKS),
        _refused(releases),
    ]
    late = heading(comparison.incomplete_because)
    subtitle = f"{len(releases)} releases · semiaudit {__version__}{late}"
    title = verdict(comparison)
    return View(title, subtitle, tuple(b for b in blocks if b is not None))


def _noise(comparison: SideBySide) -> Lines:
    items = tuple(
        (
            f"{first.name}, {second.name}",
            smaller_noise(first, second, comparison.standings),
        )
        for first, second in combinations(comparison.releases, 2)
    )
    title = "Which noise is smaller, by the advertised numbers"
    return Lines(title, (*items, ("note", NOISE)))


def _names(releases: Sequence[ComparedRelease]) -> Lines:
    items = []
    for release in releases:
        how = " (JSON report)" if release.from_report else ""
        items.append((release.name, f"{release.title}: {release.path}{how}"))
    notes = [("note", REPORTS)] if any(release.from_report for release in releases) else []
    drafts = [(r.name, draft_sentence(r.placeholder)) for r in releases if r.placeholder]
    return Lines("Releases", (*items, *drafts, *notes))


def _building_block(releases: Sequence[ComparedRelease], name: str) -> Lines:
    names_by_sentence: dict[str, list[str]] = {}
    for release in releases:
        names_by_sentence.setdefault(attrgetter(name)(release.statement), []).append(release.name)
    if len(names_by_sentence) == 1:
        items = tuple(("all", sentence) for sentence in names_by_sentence)
    else:
        items = tuple((", ".join(names), sentence) for sentence, names in names_by_sentence.items())
    return Lines(f"{name.capitalize()}{'' if len(names_by_sentence) > 1 else ' (the same)'}", items)


def _distances(releases: Sequence[ComparedRelease]) -> Grid:
    rows = []
    for release in releases:
        semi = release.semi_adjacency
        rows.append(
            (
                release.name,
                interval_text(semi.covering),
                interval_text(semi.definition_13),
                label(semi.reading),
                label(semi.metric),
            )
        )
    columns = ("release", "covering", "Definition 13", "definition in use", "metric")
    numeric = (False, True, True, False, False)
    title = "a(t): the number of records that must change together"
    return Grid(title, columns, tuple(rows), numeric)


def _order(standings: Sequence[Standings]) -> Lines:
    frameworks_by_text: dict[tuple[str, str], list[str]] = {}
    for standing in standings:
        pair = f"{standing.first}, {standing.second}"
        frameworks_by_text.setdefault((pair, standing_text(standing)), []).append(
            label(standing.framework)
        )
    items = []
    before = ""
    for (pair, text), names in frameworks_by_text.items():
        items.append((pair if pair != before else "", f"{', '.join(names)}: {text}."))
        before = pair
    return Lines("Which guarantee is stronger", (*items, ("note", ORDER)))


def _experiments(experiments: Sequence[Experiments]) -> Iterator[Block]:
    if not experiments:
        return
    items = tuple((f"{one.first}, {one.second}", f"{one.explanation}.") for one in experiments)
    yield Lines("Which mechanism reveals more (Blackwell's order)", items)
    kernels = [
        (p, p.kernel) for one in experiments for p in one.processings if p.kernel is not None
    ]
    for processing, kernel in kernels[:MOST_KERNELS]:
        if len(kernel) <= WIDEST_KERNEL and len(kernel[0]) <= WIDEST_KERNEL:
            yield _kernel(processing, kernel)
    if len(kernels) > MOST_KERNELS:
        more = f"The JSON report contains {len(kernels) - MOST_KERNELS} more kernels."
        yield Lines("Kernels", (("note", more),))


def _kernel(processing: Processing, kernel: tuple[tuple[Fraction, ...], ...]) -> Grid:
    source, target = processing.source, processing.target
    title = f"The kernel that turns {source} into {target}, universe {processing.universe}"
    columns = (f"outcome of {source}", *(f"{target}: {at}" for at in range(len(kernel[0]))))
    rows = tuple((str(at), *map(str, row)) for at, row in enumerate(kernel))
    note = f"The probability of each outcome of {target}, exactly; outcomes count from 0."
    return Grid(title, columns, rows, (True, *(True for _ in kernel[0])), (note,))


def _covered(releases: Sequence[ComparedRelease]) -> Grid:
    def pairs(row: GuaranteeRow) -> str:
        guarantee = row.guarantee
        if guarantee.refused:
            return "refused"
        covers = "with" if guarantee.covers_joint_release else "without"
        distance = "-" if guarantee.distance is None else guarantee.distance
        return f"{label(guarantee.universe)}, up to {distance}, {covers}"

    notes = (
        "The universe, the largest distance of the pairs, and whether the guarantee covers the "
        "output with or without the invariants.",
    )
    rows = _rows(releases, pairs)
    numeric = (False, *(False for _ in releases))
    title = "Pairs of datasets that are covered"
    return Grid(title, _columns(releases), rows, numeric, notes, breaks=True)


def _columns(releases: Sequence[ComparedRelease]) -> tuple[str, ...]:
    return "guarantee", *(release.name for release in releases)


def _rows(
    releases: Sequence[ComparedRelease], text: Callable[[GuaranteeRow], str]
) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (label(name), *("-" if row is None else text(row) for row in _of(releases, name)))
        for name in _definitions(releases)
    )


def _definitions(releases: Sequence[ComparedRelease]) -> list[FrameworkName]:
    had = {row.guarantee.framework for release in releases for row in release.rows}
    return [name for name in NAMES if name in had]


def _of(releases: Sequence[ComparedRelease], name: FrameworkName) -> list[GuaranteeRow | None]:
    return [
        next((row for row in release.rows if row.guarantee.framework == name), None)
        for release in releases
    ]


def _measures(releases: Sequence[ComparedRelease]) -> Iterator[Grid]:
    every = [row for release in releases for row in release.rows]
    for title, value in _MEASURES:
        if any(value(row) is not None for row in every):
            fitted = title == "μ" and any(row.numbers.gdp != row.numbers.own_gdp for row in every)
            yield _numbers(releases, title, value, (FITTED,) if fitted else ())


def _numbers(
    releases: Sequence[ComparedRelease], title: str, value: Value, notes: tuple[str, ...] = ()
) -> Grid:
    def text(row: GuaranteeRow) -> str:
        bound = value(row)
        return "-" if bound is None else bound_text(bound)

    numeric = (False, *(True for _ in releases))
    return Grid(title, _columns(releases), _rows(releases, text), numeric, notes)


def _epsilons(releases: Sequence[ComparedRelease]) -> Iterator[Grid]:
    points = [p for r in releases for row in r.rows for p in row.numbers.approx_dp]
    for delta in sorted({point.delta for point in points}, reverse=True):
        columns = ["guarantee"]
        for release in releases:
            columns += [release.name, f"{release.name}: conversion"]
        rows = []
        for name in _definitions(releases):
            cells = [
                label(name),
                *(t for row in _of(releases, name) for t in _point_texts(row, delta)),
            ]
            rows.append(tuple(cells))
        numeric = (False, *(kind for _ in releases for kind in (True, False)))
        glued = frozenset(range(2, len(columns), 2))
        title = f"ε at δ = {rational_text(delta)}"
        yield Grid(title, tuple(columns), tuple(rows), numeric, glued=glued)


def _point_texts(row: GuaranteeRow | None, delta: Fraction) -> tuple[str, str]:
    point = None if row is None else _tightest(row.numbers, delta)
    return ("-", "") if point is None else (bound_text(point.epsilon), label(point.conversion))


def _tightest(numbers: Numbers, delta: Fraction) -> ApproxPoint | None:
    return next((point for point in numbers.tightest if point.delta == delta), None)


def _powers(releases: Sequence[ComparedRelease]) -> Iterator[Grid]:
    every = [row for release in releases for row in release.rows]
    for rate in sorted({rate for row in every for rate, _ in row.numbers.tpr_at_fpr}):
        title = f"TPR at FPR {rational_text(rate, up=False)}, at most"

        def power(row: GuaranteeRow, rate: Fraction = rate) -> Bound | None:
            return dict(row.numbers.tpr_at_fpr).get(rate)

        yield _numbers(releases, title, power)


def _refused(releases: Sequence[ComparedRelease]) -> Lines | None:
    items = tuple(
        (release.name, f"{label(row.guarantee.framework)}: {row.guarantee.refused}")
        for release in releases
        for row in release.rows
        if row.guarantee.refused
    )
    return Lines("Refused", items) if items else None


def verdict(comparison: SideBySide) -> str:
    """Return the order of the effective guarantees in one sentence, and what it does not prove."""
    leading = [standing for standing in comparison.standings if standing.framework == LEADING]
    if len(leading) != 1:
        ordered = sum(standing.order != "none" for standing in leading)
        pairs = f"{ordered} of {len(leading)} pairs of releases"
        open_pairs = sum(map(is_undecided, leading))
        undecided = f" For {open_pairs}, no order is proven." if open_pairs else ""
        return f"The effective guarantees of {pairs} are comparable.{undecided}"
    (standing,) = leading
    first, second = standing.first, standing.second
    match standing.order:
        case "none" if is_undecided(standing):
            return _undecided(comparison, standing)
        case "none":
            both = f"The effective guarantees of {first} and {second} are not comparable"
            return f"{both}: {standing.explanation}."
        case "equal":
            return f"The effective guarantees of {first} and {second} are equal."
        case "stronger" | "weaker":
            if standing.weaker_is_a_bound:
                return f"{standing.explanation}."
            above, below = (first, second) if standing.order == "stronger" else (second, first)
            how = "stronger than" if standing.strict else "at least as strong as"
            return f"The effective guarantee of {above} is {how} that of {below}."
        case _:
            assert_never(standing.order)


def is_undecided(standing: Standings) -> bool:
    """Return whether the order is open: the known bounds neither prove nor exclude one."""
    return "bounds" in standing.obstacles


def _undecided(comparison: SideBySide, standing: Standings) -> str:
    first, second = standing.first, standing.second
    rows = {release.name: release.rows for release in comparison.releases}
    least = standing.smaller_bounds
    if not least:
        why = standing.explanation.partition("; ")[2]
        return f"It is not proven which of {first} and {second} protects more: {why}."
    ours, theirs = (
        next(row.numbers for row in rows[name] if row.guarantee.framework == LEADING)
        for name in (least, second if least == first else first)
    )
    delta = max((point.delta for point in ours.tightest), default=None)
    numbers = [
        f"{one.symbol} {' against '.join(one.texts)}{one.at}"
        for one in compared(ours, theirs, delta)
        if all(one.texts)
    ]
    shown = f" (effective {', '.join(numbers)})" if numbers else ""
    unproven = f"it is not proven that {least} protects more"
    return f"{least} has the smaller bounds{shown}, but {unproven}."


def standing_text(standing: Standings) -> str:
    """Return the order of two guarantees, or why there is none, or none is proven."""
    apart = standing.order == "none" and not is_undecided(standing)
    return f"{'not comparable; ' * apart}{standing.explanation}"
