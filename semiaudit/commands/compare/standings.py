"""The order of releases by their guarantees (Definition 20), and of finite mechanisms (Blackwell).

Guarantees are ordered only for the same domain, unit, and metric, and for universes D_t that
contain each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Literal, assert_never

from semiaudit import deadline
from semiaudit.commands.compare.model import (
    ComparedRelease,
    ExperimentOrder,
    Experiments,
    Obstacle,
    Processing,
    Standing,
    Standings,
)
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import Mark, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.finite.finite_kind import seen_laws
from semiaudit.mechanisms.parts import flattened
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.audit import Audit, ExampleDataset, PublishedCounts, Release
from semiaudit.model.dataspace import Dataspace, ListedSpace, ProductSpace, TableSpace
from semiaudit.model.frameworks import ADVERTISED, FRAMEWORKS, FrameworkName
from semiaudit.model.guarantee import FrameworkGuarantee, GuaranteeRow, Numbers
from semiaudit.model.invariants import Invariant, is_kept_by_sizes
from semiaudit.model.invariants.constraint import SameMargin, SameSize, attributes_of
from semiaudit.model.invariants.records import OrderedRecords
from semiaudit.model.measure import GDP, ZCDP
from semiaudit.model.mechanism import (
    Declared,
    DiscreteLaplace,
    Finite,
    Gaussian,
    Laplace,
    Mechanism,
    Noise,
    OtherRecords,
    Part,
    parts_of,
)
from semiaudit.numeric.limits import Limits
from semiaudit.numeric.rationals import rational_text
from semiaudit.privacy.ordering.bundle_order import StatedOrder, is_exact, order_of_bundles
from semiaudit.privacy.ordering.garbling import MAX_ENTRIES, garbling_of
from semiaudit.privacy.ordering.implication import bundle_implies
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.system.invariant_normal_form import in_one_spelling

Law = tuple[Fraction, ...]
Universes = list[tuple[tuple[str, ...], list[Law]]]
"""For every universe, the names of its datasets, and the distribution of each."""

OTHER_DATASETS = "other datasets in their universes"
TOO_LARGE = "too many datasets or outcomes for the program that looks for a kernel"
LATE = "the time limit was reached before the comparison; raise --time-limit"


def is_finite(audit: Audit | None) -> bool:
    """Return whether the law of the whole mechanism is known for each of listed datasets."""
    if audit is None:
        return False
    parts = [part for part, _ in flattened(audit.release.mechanism)]
    return all(isinstance(part, Finite) and part.query is None for part in parts)


def experiments_of(names: tuple[str, str], first: Audit, second: Audit) -> Experiments:
    """Return which of two finite mechanisms is more informative inside the universes.

    Both have the same domain, unit, metric and universes. If t is not given, the invariants show
    the universe, and each universe has its own kernel.
    """
    blank = Experiments(*names, "undecided", TOO_LARGE, ())
    try:
        laws = _laws(first), _laws(second)
        if laws[0] is None or laws[1] is None:
            return blank
        if [datasets for datasets, _ in laws[0]] != [datasets for datasets, _ in laws[1]]:
            return Experiments(*names, "other_datasets", OTHER_DATASETS, ())
        there = _processings(names, laws[0], laws[1])
        back = _processings(names[::-1], laws[1], laws[0])
    except OutOfTimeError:
        return Experiments(*names, "undecided", LATE, ())
    except RefusedError as refused:
        return Experiments(*names, "undecided", str(refused), ())
    if there is None or back is None:
        return blank
    down, up = (all(one.kernel is not None for one in garblings) for garblings in (there, back))
    order: ExperimentOrder = "incomparable"
    if down or up:
        order = "equal" if down and up else "tells_more" if down else "tells_less"
    return Experiments(*names, order, _explanation(names, order), (*there, *back))


def _explanation(names: tuple[str, str], order: ExperimentOrder) -> str:
    first, second = names if order != "tells_less" else names[::-1]
    if order == "incomparable":
        return (
            f"neither is a garbling of the other: in some universe no kernel turns {first} into "
            f"{second}, and in some none turns {second} into {first}"
        )
    if order == "equal":
        return (
            f"kernels turn each of {first} and {second} into the other: they reveal the "
            "same about datasets that agree on the invariants"
        )
    return (
        f"{first} reveals more than {second}: in each universe, a kernel turns the "
        f"outcomes of {first} into those of {second}, but not back; {second} guarantees "
        f"everything that {first} guarantees for datasets that agree on the invariants"
    )


def _processings(
    names: tuple[str, str], source: Universes, target: Universes
) -> tuple[Processing, ...] | None:
    processings = []
    for number, ((datasets, laws), (_, others)) in enumerate(zip(source, target, strict=True)):
        deadline.check()
        garbling = garbling_of(laws, others)
        if garbling is None:
            return None
        processings.append(Processing(*names, number, datasets, garbling.kernel, garbling.reward))
    return tuple(processings)


def _laws(audit: Audit) -> Universes | None:
    spaces = SensitivitySpaces(audit.release, Limits(1.0))
    whole: list[Law] = []
    people = None
    for part, times in flattened(audit.release.mechanism):
        if not isinstance(part, Finite) or part.query is not None:
            return None
        law_of, people = seen_laws(part, "D_t", spaces)
        own = [law_of(seen) for seen in people.seen]
        for _ in range(times):
            if not whole:
                whole = own
                continue
            if len(whole[0]) * len(own[0]) > MAX_ENTRIES:
                return None
            pairs = zip(whole, own, strict=True)
            whole = [tuple(p * q for p, q in product(one, other)) for one, other in pairs]
    if people is None:
        return None
    numbers = dict.fromkeys(people.universe)
    places = [[at for at, n in enumerate(people.universe) if n == number] for number in numbers]
    return [(tuple(people.names[at] for at in own), [whole[at] for at in own]) for own in places]


Containment = Literal["same", "inside", "around", "other"]
"""The containment of the first universe in the second; ``other`` if neither is known to be a part
of the other."""


def same_domain(first: Release, second: Release) -> bool:
    """Return whether D is the same, for any names of the protected unit's records.

    Statements on one table of other records must be equal; a release without such a table leaves it
    open.
    """
    ours, theirs = _others_of(first), _others_of(second)
    same = all(ours[key].touched == theirs[key].touched for key in ours.keys() & theirs.keys())
    return same and _domain_of(first) == _domain_of(second)


def containment(first: Audit, second: Audit) -> Containment:
    """Return the containment of D_t of the first in that of the second, for equal domains.

    The release that publishes more, with the same values, has the smaller D_t. If no values are
    given, it is about pairs of datasets that agree on the invariants, for any t.
    """
    inside, around = _is_inside(first, second), _is_inside(second, first)
    if inside and around:
        return "same"
    if inside or around:
        return "inside" if inside else "around"
    return "other"


def restricted(inner: Audit, outer: Audit) -> bool:
    """Return whether the outer release's D certainly covers neighbors that the inner one lacks."""
    return outer.universe.whole and inner.universe.restricts


def _is_inside(inner: Audit, outer: Audit) -> bool:
    if outer.universe.whole:
        return True
    published = [publication.invariant for publication in outer.release.published_invariants]
    if inner.universe.whole or is_kept_by_sizes(published):
        return False  # strata given by their sizes do not show which counts are kept
    known_values, wanted = _values_of(inner.release), _values_of(outer.release)
    return all(
        invariant in known_values and value in (None, known_values[invariant])
        for invariant, value in wanted.items()
    )


def _values_of(release: Release) -> Mapping[Hashable, Hashable]:
    """Return every invariant of every kind of records, with its published value.

    The value is None if none is given, as for other records.
    """
    plain = in_one_spelling(release)
    values: dict[Hashable, Hashable] = {
        _without_marks(invariant): _value_of(plain, place, invariant)
        for place, invariant in enumerate(plain.invariants)
    }
    for key, other in _others_of(release).items():
        values |= {(key, _without_marks(invariant)): None for invariant in other.invariants}
    return values


def _others_of(release: Release) -> Mapping[Hashable, OtherRecords]:
    """Return the tables of other records, by their statements; equal ones are numbered."""
    other_records: dict[Hashable, OtherRecords] = {}
    equal: Counter[Hashable] = Counter()
    for other in parts_of(release.mechanism, OtherRecords):
        space = _without_marks(other.dataspace)
        other_records[space, equal[space]] = other
        equal[space] += 1
    return other_records


def _value_of(release: Release, place: int, invariant: Invariant) -> Hashable:
    published, space = release.published, release.dataspace
    match published:
        case None:
            return None
        case ExampleDataset():
            return "value", invariant.value(OrderedRecords(published.records))
        case PublishedCounts():
            constraint = invariant.constraint
            if isinstance(constraint, SameMargin) and isinstance(space, TableSpace):
                return "counts", dict(published.margins).get(attributes_of(constraint, space))
            if isinstance(constraint, SameSize):
                return "size", published.size
            return "others", dict(published.others).get(place)
        case _:
            assert_never(published)


def _domain_of(release: Release) -> Hashable:
    space: Dataspace = release.dataspace
    any_size = False
    match space:
        case TableSpace():
            any_size = compares_sizes(release.adjacency.metric) and space.size is None
            if space.size is None and isinstance(release.published, PublishedCounts):
                space = replace(space, size=release.published.size)
            if any_size:
                space = replace(space, size=None)
        case ProductSpace() | ListedSpace():
            pass  # their sizes are their own
        case _:
            assert_never(space)
    return any_size, _without_marks(replace(space, unit=""))


def _without_marks(value: object) -> Hashable:
    if isinstance(value, tuple):
        return tuple(map(_without_marks, value))
    if is_dataclass(value) and not isinstance(value, type):
        parts = (getattr(value, field.name) for field in fields(value))
        kept = (_without_marks(part) for part in parts if not isinstance(part, Mark))
        return type(value).__name__, *kept
    return value if isinstance(value, Hashable) else repr(value)


_SCALES: dict[type[Part], str] = {
    Gaussian: "sigma_squared",
    Laplace: "scale",
    DiscreteLaplace: "scale",
}
"""Noise that is, at a larger value, the same noise with independent noise added."""


def adds_noise(noisier: Mechanism, other: Mechanism) -> bool:
    """Return whether the output of one mechanism is that of the other one with more noise added.

    It then protects no less, whichever datasets are compared (post-processing). The parts are
    noise on the same queries, of the same kinds, with a value that is nowhere smaller. Gaussian
    noise of variance t is noise of variance s < t with noise of variance t - s added. The
    characteristic function of Laplace noise of scale b is that of scale a < b times
    a^2 / b^2 + (1 - a^2 / b^2) / (1 + b^2 u^2): with probability a^2 / b^2 no noise is added, else
    noise of scale b. For discrete Laplace noise, see ``ordering.matching``. Declared guarantees and
    other noise can only be ordered by their numbers.
    """
    pairs = list(zip(flattened(noisier), flattened(other), strict=False))
    if len(pairs) != len(flattened(noisier)) or len(pairs) != len(flattened(other)):
        return False
    for (more, times), (less, often) in pairs:
        key = _SCALES.get(type(more))
        if key is None or type(less) is not type(more) or times != often:
            return False
        if not isinstance(more, Noise) or more.query is None or more.support is not None:
            return False
        value = getattr(less, key)
        if getattr(more, key) < value:
            return False
        if _without_marks(replace(more, **{key: value})) != _without_marks(less):
            return False
    return True


NOT_KNOWN = "a report does not contain the values of the invariants, so that Dₜ can be different"
OTHER_UNIVERSE = "different universes: neither Dₜ is known to be a part of the other one"
OTHER_UNIVERSES = (
    "different universes: they do not publish the same invariants with the same values"
)
OTHER_OUTPUT = "different outputs: the invariants are not known to be the same"


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """One release of a comparison; the audit is None if only a report is known."""

    release: ComparedRelease
    audit: Audit | None


@dataclass(frozen=True, slots=True)
class _Comparability:
    """Whether two releases can be compared.

    Attributes:
        obstacles: the obstacles under every privacy definition; empty if there are none.
        difference: the obstacles in words.
        universes: the containment of the universes D_t; None if unknown.
        fewer: whether the smaller universe certainly lacks neighbors of the larger one.
    """

    obstacles: tuple[Obstacle, ...] = ()
    difference: str = ""
    universes: Containment | None = None
    fewer: bool = False


def standings_of(first: ComparisonSide, second: ComparisonSide) -> Iterator[Standings]:
    """Yield the order of two releases for every privacy definition that both have."""
    place = _place(first, second)
    others = {row.guarantee.framework: row for row in second.release.rows}
    for row in first.release.rows:
        if row.guarantee.framework in others:
            yield _standings((first, second), place, row, others)


def order_of_experiments(first: ComparisonSide, second: ComparisonSide) -> Experiments | None:
    """Return Blackwell's order of two mechanisms; None if one is not finite, or only a report."""
    if first.audit is None or second.audit is None:
        return None
    if not is_finite(first.audit) or not is_finite(second.audit):
        return None
    names = first.release.name, second.release.name
    place = _place(first, second)
    if place.obstacles:
        return Experiments(*names, "other_datasets", place.difference, ())
    if place.universes != "same":
        return Experiments(*names, "other_datasets", OTHER_UNIVERSES, ())
    return experiments_of(names, first.audit, second.audit)


def _standings(
    sides: tuple[ComparisonSide, ComparisonSide],
    place: _Comparability,
    row: GuaranteeRow,
    others: dict[FrameworkName, GuaranteeRow],
) -> Standings:
    name = row.guarantee.framework
    first, second = (side.release for side in sides)
    blank = Standings(name, first.name, second.name, "none", "")
    other = others[name]
    missing = [s.name for s, r in ((first, row), (second, other)) if not r.guarantee.measures]
    if missing:
        reason = (
            f"{' and '.join(missing)} {'have' if len(missing) > 1 else 'has'} no such guarantee"
        )
        return replace(blank, explanation=reason, obstacles=("refused",))
    if place.obstacles:
        return replace(blank, explanation=place.difference, obstacles=place.obstacles)
    universes = _universes(name, place.universes)
    if universes is None or universes == "other":
        reason = NOT_KNOWN if universes is None else OTHER_UNIVERSE
        reason = reason if FRAMEWORKS[name].of_the_output else OTHER_OUTPUT
        return replace(blank, explanation=reason, obstacles=("universe",))
    fewer = place.fewer and FRAMEWORKS[name].universe == "D_t"
    try:
        deadline.check()
        found = _ordered(blank, universes, row, other, restricts=fewer)
        same = universes == "same" and row.guarantee.distance == other.guarantee.distance
        if same and (found.weaker_is_a_bound or "bounds" in found.obstacles):
            return _by_mechanisms(*sides, found) or _by_mechanisms(*sides[::-1], found) or found
        return found
    except OutOfTimeError:
        reason = "the time limit was reached before the comparison; raise --time-limit"
        return replace(blank, explanation=reason, obstacles=("time",))


def _by_mechanisms(
    strong: ComparisonSide, weak: ComparisonSide, found: Standings
) -> Standings | None:
    """Order releases for the same pairs whose numbers are bounds; None if the mechanisms do not.

    The output of the strong one has more noise; or everything that the weak one claims follows
    from what the strong one guarantees before invariants are taken into account, and so does all
    that follows from this claim. The weak one may guarantee more than follows from the claims of
    its parts together, because at a distance each part is extended on its own (Proposition 21):
    only for one part, or for zCDP and GDP, are both equal.
    """
    if strong.audit is None or weak.audit is None:
        return None
    mechanism, other = strong.audit.release.mechanism, weak.audit.release.mechanism
    names = strong.release.name, weak.release.name
    order: Standing = "stronger" if found.first == names[0] else "weaker"
    strict = found.strict if found.order == order else None
    known = Standings(found.framework, found.first, found.second, order, "", strict)
    if adds_noise(mechanism, other):
        explanation = f"{names[0]} is {names[1]} with independent noise added"
        return replace(known, explanation=explanation)
    claims = flattened(other)
    if not all(isinstance(part, Declared) for part, _ in claims):
        return None
    together = all(
        isinstance(part, Declared) and isinstance(part.measure, ZCDP | GDP) for part, _ in claims
    )
    if not together and (len(claims) > 1 or claims[0][1] > 1):
        return None
    nominal, claimed = (
        next((r.guarantee.measures for r in rows if r.guarantee.framework == ADVERTISED), ())
        for rows in (strong.release.rows, weak.release.rows)
    )
    if not bundle_implies(nominal, claimed):
        return None
    explanation = f"{names[1]} claims {'less' if strict else 'no more'} than {names[0]} guarantees"
    return replace(known, explanation=explanation)


def _universes(name: FrameworkName, relation: Containment | None) -> Containment | None:
    """Return the containment of the datasets of a definition's pairs, first in second.

    A definition for another output than the release's own needs the same output in both, which
    holds if they publish the same invariants.
    """
    framework = FRAMEWORKS[name]
    if not framework.of_the_output:
        return relation if relation in (None, "same") else "other"
    return "same" if framework.universe == "D" else relation


def _place(first: ComparisonSide, second: ComparisonSide) -> _Comparability:
    one, other = first.release, second.release
    metrics = one.semi_adjacency.metric, other.semi_adjacency.metric
    if first.audit is not None and second.audit is not None:
        domains = same_domain(first.audit.release, second.audit.release)
    else:
        domains = one.statement.domain == other.statement.domain and _names_all_of_domain(
            one.statement.domain
        )
    differing: list[tuple[Obstacle, str]] = []
    if not domains:
        same = one.from_report or other.from_report
        same = same and one.statement.domain == other.statement.domain
        difference = "a report does not describe its whole domain" if same else "different domains"
        differing.append(("domain", difference))
    if one.unit != other.unit:
        differing.append(("unit", f"different units ({one.unit}; {other.unit})"))
    if metrics[0] != metrics[1]:
        difference = f"different metrics ({metrics[0]}; {metrics[1]}: erratum E38)"
        differing.append(("metric", difference))
    if differing:
        difference = ", ".join(text for _, text in differing)
        return _Comparability(tuple(name for name, _ in differing), difference)
    if first.audit is not None and second.audit is not None:
        relation = containment(first.audit, second.audit)
        pair = (first.audit, second.audit) if relation == "inside" else (second.audit, first.audit)
        return _Comparability(
            universes=relation, fewer=relation in ("inside", "around") and restricted(*pair)
        )
    whole = [not side.invariants for side in (one, other)]
    if all(whole):
        return _Comparability(universes="same")
    if any(whole):
        return _Comparability(universes="around" if whole[0] else "inside")
    return _Comparability()


def _names_all_of_domain(domain: str) -> bool:
    return not any(word in domain for word in ("impossible", "within", "listed", "..."))


def _ordered(
    blank: Standings,
    universes: Containment,
    row: GuaranteeRow,
    other: GuaranteeRow,
    *,
    restricts: bool,
) -> Standings:
    ours, theirs = row.guarantee, other.guarantee
    stated_order = order_of_bundles(ours.measures, theirs.measures)
    fewer = _fewer(universes, ours, theirs)
    if fewer is None:
        explanation = (
            "each covers pairs that the other one does not: one has the larger distance, the other "
            "one the larger universe"
        )
        return replace(blank, explanation=explanation, obstacles=("pairs",))
    if stated_order.order == "incomparable":
        return _crossing(blank, stated_order)
    if stated_order.order == "undecided":
        return _undecided(blank, row.numbers, other.numbers)
    if fewer == "same":
        return _standing(blank, stated_order.order, stated_order.strict, ours, theirs)
    weaker: Standing = "weaker" if fewer == "first" else "stronger"
    if stated_order.order in ("equal", weaker):
        strict = stated_order.strict or restricts or None
        return _standing(blank, weaker, strict, ours, theirs, fewer_pairs=True)
    names = (blank.first, blank.second) if fewer == "first" else (blank.second, blank.first)
    explanation = f"{names[0]} covers fewer pairs than {names[1]}, and guarantees more for them"
    if stated_order.strict is None:
        explanation = (
            f"{names[0]} covers fewer pairs than {names[1]}, and guarantees no less for them"
        )
    return replace(blank, explanation=explanation, obstacles=("pairs",))


def _fewer(
    universes: Containment, ours: FrameworkGuarantee, theirs: FrameworkGuarantee
) -> str | None:
    """Return which covers fewer pairs: ``first``, ``second``, ``same``; None if each lacks some."""
    if ours.distance is None or theirs.distance is None:
        return None
    inside = universes in ("same", "inside") and ours.distance <= theirs.distance
    around = universes in ("same", "around") and ours.distance >= theirs.distance
    if inside and around:
        return "same"
    if inside or around:
        return "first" if inside else "second"
    return None


def _standing(
    blank: Standings,
    order: Standing,
    strict: bool | None,
    ours: FrameworkGuarantee,
    theirs: FrameworkGuarantee,
    *,
    fewer_pairs: bool = False,
) -> Standings:
    """Describe an order of guarantees, whose bounds can be loose.

    Args:
        fewer_pairs: whether the weaker guarantee covers fewer pairs than the other one.
    """
    if order == "equal":
        return replace(blank, order=order, explanation="the guarantees are equal")
    weak = ours if order == "weaker" else theirs
    bound = not is_exact(weak.measures)
    names = (blank.first, blank.second) if order == "weaker" else (blank.second, blank.first)
    explanation = f"{names[0]} is {'weaker' if strict else 'no stronger'} than {names[1]}"
    if bound:
        how = "better than" if strict else "at least as good as"
        explanation = f"{names[1]}'s bounds are {how} {names[0]}'s"
        if fewer_pairs:
            explanation = f"{names[0]} covers fewer pairs than {names[1]}, with no better bounds"
        explanation += (
            f"; {names[0]}'s are upper bounds, so {names[0]}'s true protection may still be better"
        )
    return replace(
        blank, order=order, strict=strict, explanation=explanation, weaker_is_a_bound=bound
    )


def _crossing(blank: Standings, stated_order: StatedOrder) -> Standings:
    at = [stated_order.first_lower_at, stated_order.second_lower_at]
    explanation = "their tradeoff functions cross: " + ", and ".join(
        f"{name} is weaker at type I error {_rate(rate)}"
        for name, rate in zip((blank.first, blank.second), at, strict=True)
        if rate is not None
    )
    return replace(
        blank,
        explanation=explanation,
        obstacles=("crossing",),
        first_lower_at=at[0],
        second_lower_at=at[1],
    )


def _undecided(blank: Standings, ours: Numbers, theirs: Numbers) -> Standings:
    """Describe an undecided order: the smaller upper bounds, which prove nothing."""
    explanation, least = "neither is proven to imply the other one", ""
    first, second = _smaller(ours, theirs), _smaller(theirs, ours)
    if first and second:
        explanation += f"; the upper bound on {first[0]} is smaller for {blank.first}"
        explanation += f", and that on {second[0]} for {blank.second}"
    elif first or second:
        least = blank.first if first else blank.second
        explanation += f"; the upper bounds of {least} are smaller or equal, which proves no order"
    else:
        explanation += "; all upper bounds that both have are equal"
    return replace(blank, explanation=explanation, obstacles=("bounds",), smaller_bounds=least)


def _smaller(ours: Numbers, theirs: Numbers) -> list[str]:
    """Return the upper bounds that are smaller in the first as printed, of those that both have."""
    pairs = [
        ("ε at δ = 0", ours.pure_dp, theirs.pure_dp),
        ("ρ", ours.zcdp, theirs.zcdp),
        ("μ", ours.gdp, theirs.gdp),
        *(
            (f"ε at δ = {rational_text(a.delta)}", a.epsilon, b.epsilon)
            for a in ours.tightest
            for b in theirs.tightest
            if a.delta == b.delta
        ),
        *(
            (f"TPR at FPR {_rate(a)}", power, other)
            for a, power in ours.tpr_at_fpr
            for b, other in theirs.tpr_at_fpr
            if a == b
        ),
        ("advantage", ours.advantage, theirs.advantage),
    ]
    return [
        name
        for name, one, other in pairs
        if one is not None and other is not None and float(one) < float(other)
    ]


def _rate(value: Fraction) -> str:
    return rational_text(value, up=False)
