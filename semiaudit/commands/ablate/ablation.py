"""Audit one release with all, without each, with each, and with none of its invariants."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from semiaudit import deadline, progress
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import (
    TIME_LIMIT,
    TOLERANCE,
    audit_release,
    options_of,
    problems_of,
)
from semiaudit.commands.ablate import PRESENTATION
from semiaudit.commands.ablate.figures import figures_of
from semiaudit.commands.ablate.model import (
    Ablated,
    ParameterChange,
    Variant,
    VariantKind,
    by_reason,
    name_of,
)
from semiaudit.deadline import Deadline, OutOfTimeError
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.library.answer import EXIT_HOLDS, EXIT_NOT_AUDITED, FiguredAnswer
from semiaudit.library.arguments import seconds
from semiaudit.library.report import refusal_of
from semiaudit.library.spec_argument import release_of
from semiaudit.model.audit import Audit, PublishedCounts, Release, publishing_only
from semiaudit.model.bound import joined
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import LEADING
from semiaudit.model.invariants import Invariant, known
from semiaudit.model.invariants.constraint import SameMargin, SameSums
from semiaudit.report import ANSWER_FIGURES
from semiaudit.spec.build import load_release
from semiaudit.spec.data.published_from_counts import names_of, size_is_fixed

if TYPE_CHECKING:
    from semiaudit.library.spec import Spec


@dataclass(frozen=True, slots=True)
class InvariantSelection:
    """A part of a release's list of invariants, by their indices; ``which`` is the relevant one."""

    kind: VariantKind
    which: int | None
    kept: tuple[int, ...]
    group: str = ""


Groups = Mapping[str, Sequence[int]]
"""The indices of some invariants by the name of their group."""


def parts_of(number: int, groups: Groups | None = None) -> Iterator[InvariantSelection]:
    """Yield the parts of ``number`` invariants: all, without groups, without each, each, none."""
    every = tuple(range(number))
    yield InvariantSelection("all", None, every)
    for name, places in (groups or {}).items():
        kept = tuple(place for place in every if place not in places)
        yield InvariantSelection("without_group", None, kept, name)
    for place in every:
        yield InvariantSelection("without", place, every[:place] + every[place + 1 :])
    for place in every:
        yield InvariantSelection("only", place, (place,))
    if every:
        yield InvariantSelection("none", None, ())


def groups_of(release: Release) -> dict[str, tuple[int, ...]]:
    """Return several invariants of one form over the same attributes, named by their indices."""
    groups: dict[tuple[object, ...], list[int]] = {}
    invariants = release.published_invariants
    for place, publication in enumerate(invariants):
        match constraint := publication.invariant.constraint:
            case SameSums(rows=(((_, where),),)):
                over = tuple(name for name, _ in where)
            case SameMargin():
                over = constraint.attributes
            case _:
                continue
        key = type(constraint), id(publication.other), *sorted(over)
        groups.setdefault(key, []).append(place)
    several = [tuple(places) for places in groups.values() if 1 < len(places) < len(invariants)]
    return {_range_text(places): places for places in several}


def _range_text(places: Sequence[int]) -> str:
    if places[-1] - places[0] == len(places) - 1:
        return f"{name_of(places[0])} to {name_of(places[-1])}"
    return ", ".join(map(name_of, places))


def check_groups(release: Release, groups: Groups) -> None:
    """Check the groups that a user names.

    Raises:
        RefusedError: a group is empty, or names an invariant that the release does not have.
    """
    number = len(release.published_invariants)
    for name, places in groups.items():
        if not places or not all(0 <= place < number for place in places):
            what = f"the group {name} is not a list of invariants of this spec"
            remedy = f"write such as {name}=I1,I2; the spec has {number} invariants"
            raise RefusedError(Refusal(what, remedy, "invariants"))


def publishing(release: Release, kept: Sequence[int]) -> Release:
    """Return the release if it published only the invariants at some indices.

    t consists of their values: values of the others are removed, and so is the number of records if
    no remaining invariant determines it. Budgets are removed; their deltas and type I errors stay.

    Args:
        release: if t is read from a file or an engine, it must be counted already.
        kept: indices in ``release.published_invariants``, ascending.

    Raises:
        RefusedError: the kind of an invariant is unknown.
    """
    known(release.invariants)
    restricted = publishing_only(release, kept)
    published = release.published
    if isinstance(published, PublishedCounts) and isinstance(release.dataspace, TableSpace):
        own = [place for place in kept if place < len(release.invariants)]
        published = _forgetful(release.dataspace, published, restricted.invariants, own)
    return replace(restricted, published=published, parts=(), budgets=())


def _forgetful(
    space: TableSpace,
    published: PublishedCounts,
    invariants: Sequence[Invariant],
    kept: Sequence[int],
) -> PublishedCounts | None:
    """Return the part of t that the kept invariants determine; None if there is none."""
    margins = {
        names_of(space, invariant)
        for invariant in invariants
        if isinstance(invariant.constraint, SameMargin)
    }
    places = {place: index for index, place in enumerate(kept)}
    remaining = replace(
        published,
        size=published.size if size_is_fixed(space, invariants) else None,
        margins=tuple((names, counts) for names, counts in published.margins if names in margins),
        others=tuple(
            (places[place], values) for place, values in published.others if place in places
        ),
    )
    return (
        remaining if remaining.size is not None or remaining.margins or remaining.others else None
    )


ENOUGH_MORE = 1.5
"""The remaining time, relative to the used time, from which a variant that was cut short is audited
again."""


def ablated(
    release: Release,
    time_limit: float = TIME_LIMIT,
    tolerance: float = TOLERANCE,
    access: Access = CONFINED,
    groups: Groups | None = None,
) -> Ablated:
    """Audit a release with all, without each, with each, and with none of its invariants.

    Data are counted once, and equal parts are audited once. The release itself comes first, and has
    half of the time; then the release without invariants, and without each group, with half of
    what is left. The others have equal shares; audits that were cut short get the time that others
    did not need.

    Args:
        time_limit: seconds for all audits together.
        tolerance: the relative bracket width of a composed loss.
        groups: invariants that are also left out together; None for those of one form over the
            same attributes.

    Raises:
        RefusedError: the complete release cannot be audited. A variant that cannot be audited has
            the reason.
        SpecError: data in a file or an engine cannot be read, or contradict the spec.
    """
    known(release.invariants)
    with deadline.running(time_limit) as running:
        if release.source is not None:
            progress.doing("counting the data")
            release = replace(counted(release, access), source=None)
        if groups is None:
            groups = groups_of(release)
        check_groups(release, groups)
        optioned = replace(release, options=options_of(release))
        variants = _variants(optioned, groups, tolerance, access)
    if running.was_reached:
        variants = tuple(
            replace(variant, incomplete_because=joined(["time"], variant.incomplete_because))
            for variant in variants
        )
    return Ablated(
        path=release.path,
        title=release.title,
        sha256=release.sha256,
        invariants=tuple(map(str, release.published_invariants)),
        variants=variants,
        changes=tuple(_changes(variants)),
        budgets=len(release.budgets),
        placeholder=release.placeholder_place,
    )


def _variants(
    release: Release, groups: Groups, tolerance: float, access: Access
) -> tuple[Variant, ...]:
    """Return every variant; those that were cut short are audited again while others leave time."""
    parts = list(parts_of(len(release.published_invariants), groups))
    distinct = {part.kept: part for part in reversed(parts)}
    audited: dict[tuple[int, ...], Variant] = {}
    shares: dict[tuple[int, ...], float] = {}
    kinds = ("all", "none", "without_group")
    first = [part.kept for kind in kinds for part in parts if part.kind == kind]
    waiting = list(dict.fromkeys((*first, *(part.kept for part in parts))))
    while waiting:
        cut = []
        for done, kept in enumerate(waiting):
            others = len(waiting) - done
            share = deadline.left() / (min(others, 2) if kept in first else others)
            if kept in shares and share <= ENOUGH_MORE * shares[kept]:
                continue
            shares[kept] = share
            progress.reached(len(distinct) - len(waiting) + done, len(distinct))
            audited[kept] = _variant(release, distinct[kept], share, tolerance, access)
            cut += [kept] if "time" in audited[kept].incomplete_because else []
        waiting = cut
    if audited[parts[0].kept].semi_adjacency is None:
        raise OutOfTimeError
    return tuple(
        replace(audited[part.kept], kind=part.kind, which=part.which, group=part.group)
        for part in parts
    )


def _variant(
    release: Release, part: InvariantSelection, seconds: float, tolerance: float, access: Access
) -> Variant:
    try:
        audit = audit_release(publishing(release, part.kept), seconds, tolerance, access)
    except RefusedError as error:
        late = isinstance(error, OutOfTimeError)
        if part.kind == "all" and not late:
            raise
        return Variant(
            part.kind,
            part.which,
            part.kept,
            None,
            None,
            None,
            str(error),
            ("time",) if late else (),
        )
    return _variant_of_audit(part, audit)


def _variant_of_audit(part: InvariantSelection, audit: Audit) -> Variant:
    return Variant(
        kind=part.kind,
        which=part.which,
        kept=part.kept,
        semi_adjacency=audit.universe.semi_adjacency.joint,
        disclosed=audit.universe.disclosed,
        row=next(row for row in audit.rows if row.guarantee.framework == LEADING),
        refused=refusal_of(audit),
        incomplete_because=audit.incomplete_because,
    )


def _changes(variants: tuple[Variant, ...]) -> Iterator[ParameterChange]:
    steps = [(variant, variants[0]) for variant in variants if variant.kind == "without"]
    if len(steps) > 1:
        steps += [(variants[-1], variant) for variant in variants if variant.kind == "only"]
    for fewer, more in steps:
        if fewer.semi_adjacency is None or more.semi_adjacency is None:
            continue
        before, after = fewer.semi_adjacency.chosen, more.semi_adjacency.chosen
        if before.upper is not None and after.lower > before.upper:
            yield ParameterChange(fewer, more, rises=True)
        elif after.upper is not None and after.upper < before.lower:
            yield ParameterChange(fewer, more, rises=False)


class Ablation(FiguredAnswer[Ablated]):
    """A release audited with all, without each, with each, and with none of its invariants."""

    __slots__ = ()

    figures = ANSWER_FIGURES
    _presentation = PRESENTATION
    _figures_of = staticmethod(figures_of)

    @property
    def invariants(self) -> tuple[str, ...]:
        """Return the invariants in words, in the order of the spec: I1, I2, ..."""
        return self._result.invariants

    @property
    def a_t(self) -> dict[str, int | None]:
        """Return a(t) of every variant: ``all``, ``all but I1``, ``I1 only``, ``none`` and so on.

        None if it is not established, or the variant cannot be audited.
        """
        return {
            variant.name: None if variant.semi_adjacency is None else variant.semi_adjacency.value
            for variant in self._result.variants
        }

    @property
    def refusals(self) -> tuple[str, ...]:
        """Return every variant without an audit or a semi_dp guarantee, with the reason."""
        return tuple(
            f"{variant.name}: {variant.refused}"
            for variant in self._result.variants
            if variant.refused
        )

    @property
    def exit_code(self) -> int:
        """Return 2 if a variant has no audit, or no semi_dp; else 0. Budgets are not checked."""
        return EXIT_NOT_AUDITED if self.refusals else EXIT_HOLDS

    @property
    def _remarks(self) -> tuple[str, ...]:
        reasons = by_reason((variant.name, variant.refused) for variant in self._result.variants)
        return tuple(f"{self._result.path}: {names}: {reason}" for names, reason in reasons)

    def __repr__(self) -> str:
        values = ", ".join(
            f"{name} {'unknown' if a is None else a}" for name, a in self.a_t.items()
        )
        return f"<Ablation {self._result.path}: a(t) {values}>"


def ablate(
    spec: str | os.PathLike[str] | Mapping[str, object] | Spec,
    *,
    groups: Mapping[str, Iterable[str]] | None = None,
    time_limit: float = TIME_LIMIT,
    tolerance: float = TOLERANCE,
    root: str | os.PathLike[str] = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
) -> Ablation:
    """Audit a spec with all, without each, with each, and with none of its invariants.

    Args:
        spec, tolerance, root, allow_engines, show_values: as for ``audit``.
        groups: by name, the invariants that are also left out together, such as
            ``{"counts": ["I2", "I3"]}``; by default, those of one form over the same attributes.
        time_limit: seconds, above 0, for all audits together, in equal shares of the remaining
            time.

    Raises:
        SpecError: the complete spec cannot be audited. A variant that cannot be audited has the
            reason.
    """
    access = Access(os.fspath(root), tuple(allow_engines), show_values)
    limit = Deadline(seconds(time_limit))
    release, allowed = release_of(spec, access)
    places = None if groups is None else {k: places_of(v) for k, v in groups.items()}
    return _ablation(release, limit, tolerance, allowed, places)


def places_of(names: Iterable[str]) -> tuple[int, ...]:
    """Return the indices of invariants by their names I1, I2, ...; -1 for another name."""
    digits = (name.strip().removeprefix("I") for name in names)
    return tuple(int(text) - 1 if text.isascii() and text.isdigit() else -1 for text in digits)


def ablate_path(
    path: str,
    time_limit: float,
    tolerance: float,
    access: Access,
    text: bytes | None = None,
    groups: Groups | None = None,
) -> Ablation:
    """Ablate a spec file.

    Args:
        groups: as for ``ablated``.
        text: the spec itself, if it is not a file.
    """
    limit = Deadline(time_limit)
    with problems_of(path, time_limit):
        progress.doing("reading the spec")
        release = load_release(path, access, text=text)
    return _ablation(release, limit, tolerance, access, groups)


def _ablation(
    release: Release, limit: Deadline, tolerance: float, access: Access, groups: Groups | None
) -> Ablation:
    with problems_of(release.path, limit.left):
        return Ablation(ablated(release, limit.left, tolerance, access, groups), limit.left)
