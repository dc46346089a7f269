"""The order of two releases in words: proven, proven not to exist, or only not proven."""

from __future__ import annotations

from typing import assert_never

from semiaudit.commands.compare.model import SideBySide, Standings
from semiaudit.model.frameworks import LEADING
from semiaudit.report.blocks.growth import compared


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
