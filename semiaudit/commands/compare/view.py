"""The comparison of releases for reading: the answer, what to decide by, the order, the numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import assert_never

from semiaudit.commands.compare.model import (
    ON_COMMON_AXES,
    ComparedRelease,
    Experiments,
    Processing,
    SideBySide,
    Standings,
)
from semiaudit.model.audit import UNTITLED
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import LEADING, NAMES
from semiaudit.model.guarantee import GuaranteeRow, Numbers
from semiaudit.model.labels import label, percent
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.conclusion import draft_sentence
from semiaudit.report.blocks.count_errors import error_grids
from semiaudit.report.blocks.distance_sentence import plural
from semiaudit.report.blocks.growth import compared
from semiaudit.report.blocks.universe_view import interval_text
from semiaudit.report.text.layout import Block, Grid, Lines, View, heading
from semiaudit.version import __version__

ORDER = (
    "A guarantee is stronger if it implies the other one. A smaller number alone "
    "does not prove that."
)
PROTECTED = (
    "For datasets that agree on the exact statistics, the effective numbers bound what the release "
    "reveals about so many records together. The exact statistics are not protected."
)
FITTED = "μ can be the smallest certified one, fitted to a tradeoff function of another shape."
REPORTS = "The numbers of a report are used as upper bounds."

MOST_KERNELS = 4
"""The most kernels that are shown; JSON has all of them."""

WIDEST_KERNEL = 8
"""The most rows and columns of a kernel that is shown."""

_BLOCKS = ("domain", "scope", "unit", "standard", "intensity")

Column = tuple[str, Callable[[Numbers], Bound | None]]

_MEASURES: tuple[Column, ...] = (
    ("ρ", lambda numbers: numbers.zcdp),
    ("μ", lambda numbers: numbers.gdp),
    ("pure ε", lambda numbers: numbers.pure_dp),
)


def view_of(comparison: SideBySide) -> View:
    """Arrange a comparison: what each release protects, the order, the numbers, the statements."""
    releases = comparison.releases
    blocks: list[Block | None] = [
        _names(releases),
        _decision(releases),
        *error_grids([(r.name, error) for r in releases for error in r.errors], "release"),
        _error_notes(releases),
        _order(comparison.standings),
        *_experiments(comparison.experiments),
        *_guarantees(releases),
        _distances(releases),
        _statements(releases),
        _refused(releases),
    ]
    late = heading(comparison.incomplete_because)
    subtitle = f"{len(releases)} releases · semiaudit {__version__}{late}"
    title = verdict(comparison)
    return View(title, subtitle, tuple(b for b in blocks if b is not None))


def _names(releases: Sequence[ComparedRelease]) -> Lines:
    items = []
    for release in releases:
        how = " (JSON report)" if release.from_report else ""
        title = f"{release.title}: " * (release.title not in (release.name, UNTITLED))
        items.append((release.name, f"{title}{release.path}{how}"))
    notes = [("note", REPORTS)] if any(release.from_report for release in releases) else []
    drafts = [(r.name, draft_sentence(r.placeholder)) for r in releases if r.placeholder]
    return Lines("Releases", (*items, *drafts, *notes))


def _decision(releases: Sequence[ComparedRelease]) -> Grid:
    """Return, for each release, who is protected, what is exact, and the effective numbers."""
    leading = [(release, row) for release, row in _rows(releases, LEADING) if row is not None]
    rows = [row for _, row in leading]
    columns = [c for c in _MEASURES if c[0] != "μ" and _has(rows, c)] + _epsilons(rows)[:1]
    cells = tuple(
        (
            side.name,
            _protected(side, row),
            ", ".join(side.invariants) or "none",
            *(_texts(row, columns)),
        )
        for side, row in leading
    )
    names = ("release", "protected together", "exact", *(name for name, _ in columns))
    numeric = (False, False, False, *(True for _ in columns))
    numbers = tuple(range(3, len(names)))
    title = "What each release protects: effective numbers"
    return Grid(title, names, cells, numeric, (PROTECTED, *_conversions(leading)), decisive=numbers)


def _error_notes(releases: Sequence[ComparedRelease]) -> Lines | None:
    named: dict[str, list[str]] = {}
    for release in releases:
        for note in release.error_notes:
            named.setdefault(note, []).append(release.name)
    items = tuple((", ".join(names), f"{note}.") for note, names in named.items())
    return Lines("Notes on errors", items) if items else None


def _protected(release: ComparedRelease, row: GuaranteeRow) -> str:
    distance = row.guarantee.distance
    if row.guarantee.refused or distance is None:
        return "nothing is proven"
    if not distance:
        return "nothing: the whole dataset is exact"
    return f"up to {distance} {plural(release.unit)}" if distance > 1 else f"one {release.unit}"


def _conversions(leading: Sequence[tuple[ComparedRelease, GuaranteeRow]]) -> Iterator[str]:
    names: dict[str, list[str]] = {}
    for release, row in leading:
        for point in row.numbers.tightest[:1]:
            names.setdefault(label(point.conversion), []).append(release.name)
    texts = [f"{how} ({', '.join(of)})" if len(names) > 1 else how for how, of in names.items()]
    if texts:
        yield f"ε: {'; '.join(texts)}."


def _guarantees(releases: Sequence[ComparedRelease]) -> Iterator[Grid]:
    """Yield a table for each privacy definition; those with the same rows share one."""
    every = [row for release in releases for row in release.rows]
    epsilons = _epsilons(every)
    rates = sorted({rate for row in every for rate, _ in row.numbers.tpr_at_fpr})
    powers = [(f"TPR at FPR {percent(rate)}", _power(rate)) for rate in rates]
    advantage: Column = "advantage", lambda numbers: numbers.advantage
    columns = [*_MEASURES, *epsilons[:1], advantage, *powers[-1:]]
    columns = [column for column in columns if _has(every, column)]
    named: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for name in NAMES:
        rows = tuple(
            (release.name, _pairs(row), *_texts(row, columns))
            for release, row in _rows(releases, name)
            if row is not None
        )
        if rows:
            named.setdefault(rows, []).append(label(name))
    names = ("release", "pairs", *(name for name, _ in columns))
    numeric = (False, False, *(True for _ in columns))
    notes = [FITTED] * any(row.numbers.gdp != row.numbers.own_gdp for row in every)
    more = ", ".join(name for name, _ in [*epsilons[1:], *powers[:-1]])
    notes += [f"In JSON and CSV: {more}."] if more else []
    for at, (rows, labels) in enumerate(named.items()):
        last = at + 1 == len(named)
        yield Grid(", ".join(labels), names, rows, numeric, tuple(notes) * last)


def _rows(
    releases: Sequence[ComparedRelease], name: str
) -> list[tuple[ComparedRelease, GuaranteeRow | None]]:
    return [
        (release, next((row for row in release.rows if row.guarantee.framework == name), None))
        for release in releases
    ]


def _pairs(row: GuaranteeRow) -> str:
    guarantee = row.guarantee
    if guarantee.refused or guarantee.distance is None:
        return "refused" if guarantee.refused else "-"
    return f"{label(guarantee.universe)}, {guarantee.distance}"


def _has(rows: Sequence[GuaranteeRow], column: Column) -> bool:
    return any(column[1](row.numbers) is not None for row in rows)


def _texts(row: GuaranteeRow, columns: Sequence[Column]) -> list[str]:
    bounds = [value(row.numbers) for _, value in columns]
    return ["-" if bound is None else bound_text(bound) for bound in bounds]


def _epsilons(rows: Sequence[GuaranteeRow]) -> list[Column]:
    deltas = sorted({point.delta for row in rows for point in row.numbers.approx_dp}, reverse=True)
    return [(f"ε at δ = {rational_text(delta)}", _epsilon(delta)) for delta in deltas]


def _epsilon(delta: Fraction) -> Callable[[Numbers], Bound | None]:
    return lambda numbers: next((p.epsilon for p in numbers.tightest if p.delta == delta), None)


def _power(rate: Fraction) -> Callable[[Numbers], Bound | None]:
    return lambda numbers: dict(numbers.tpr_at_fpr).get(rate)


def _statements(releases: Sequence[ComparedRelease]) -> Lines:
    items: list[tuple[str, str]] = []
    for name in _BLOCKS:
        said: dict[str, list[str]] = {}
        for release in releases:
            said.setdefault(attrgetter(name)(release.statement), []).append(release.name)
        for at, (sentence, names) in enumerate(said.items()):
            of = f"{', '.join(names)}: " * (len(said) > 1)
            items.append(("" if at else name, f"{of}{sentence}"))
    return Lines("Privacy specification", tuple(items))


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
        return f"The effective guarantees of {pairs} are ordered.{undecided}"
    (standing,) = leading
    first, second = standing.first, standing.second
    match standing.order:
        case "none" if is_undecided(standing):
            return _undecided(comparison, standing)
        case "none":
            both = f"The effective guarantees of {first} and {second} are not"
            how = "ordered" if ON_COMMON_AXES & {*standing.obstacles} else "comparable"
            return f"{both} {how}: {standing.explanation}."
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
    apart = standing.order == "none" and not ON_COMMON_AXES & {*standing.obstacles}
    return f"{'not comparable; ' * apart}{standing.explanation}"
