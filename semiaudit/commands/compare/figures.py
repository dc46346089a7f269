"""The figures of a comparison: curves of the effective guarantees, side by side if comparable."""

from __future__ import annotations

from semiaudit.commands.compare.model import ON_COMMON_AXES, ComparedRelease, SideBySide
from semiaudit.model.figure import Figure
from semiaudit.model.frameworks import LEADING
from semiaudit.model.labels import label
from semiaudit.report.figures.figures_of import captions, curve_figures

_LONGEST = 60
"""The most letters of a title that is next to a curve."""


def figures_of(comparison: SideBySide) -> tuple[Figure, ...]:
    """Return every figure with known numbers, of releases with their curves.

    Releases whose guarantees are about different datasets have no common axes.
    """
    releases = comparison.releases
    titles = [release.title for release in releases]
    named = len({*titles}) == len(titles) and max(map(len, titles)) <= _LONGEST
    names = {r.name: r.title if named else r.name for r in releases}
    apart = {
        frozenset((s.first, s.second))
        for s in comparison.standings
        if s.framework == LEADING and s.order == "none" and not ON_COMMON_AXES & {*s.obstacles}
    }
    groups: list[list[ComparedRelease]] = []
    for release in releases:
        for group in groups:
            if all(frozenset((release.name, other.name)) not in apart for other in group):
                group.append(release)
                break
        else:
            groups.append([release])
    figures: list[Figure] = []
    for group in groups:
        if len(group) == 1:
            name, of = group[0].name, f": {group[0].title}"
            one = {name: label(LEADING)}
            figures += curve_figures(comparison.curves, one, {name: "leading"}, of)
            continue
        shown = {release.name: names[release.name] for release in group}
        note = "" if named else captions([(r.name, r.title) for r in group])
        figures += curve_figures(comparison.curves, shown, of=f" of {label(LEADING)}", note=note)
    return tuple(figures)
