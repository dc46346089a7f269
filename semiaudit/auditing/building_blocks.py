"""The five building blocks of a release, as text and as structure (Bailie, Gong and Meng)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import assert_never

from semiaudit import deadline
from semiaudit.auditing.listed_universes import MAX_UNIVERSES, ListedUniverses
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.parts import flattened
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.audit import (
    PublishedCounts,
    PublishedInvariant,
    Release,
    Statement,
)
from semiaudit.model.bound import Bound
from semiaudit.model.building_blocks import (
    BuildingBlocks,
    InvariantRole,
    Lipschitz,
    Multiverse,
    Theorem,
    Unit,
    UniverseSize,
    domain_of,
)
from semiaudit.model.dataspace import (
    Attribute,
    Dataspace,
    ListedSpace,
    ProductSpace,
    TableSpace,
    value_label,
)
from semiaudit.model.frameworks import ADVERTISED, LEADING
from semiaudit.model.guarantee import GuaranteeRow, Numbers
from semiaudit.model.invariants import Invariant, constraints_of, known
from semiaudit.model.invariants.constraint import SameMargin, SameSize
from semiaudit.model.labels import label
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    DeclaredOrder,
    DeclaredPair,
    DeclaredPairs,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.model.mechanism import (
    Declared,
    Finite,
    Mechanism,
    Noise,
    OtherRecords,
    RandomizedResponse,
    parts_of,
)
from semiaudit.model.number_text import bound_text
from semiaudit.model.semi_adjacency import Universe
from semiaudit.numeric.rationals import rational_text
from semiaudit.universe.explicit import universe_key
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.system.decomposable import SupersetIndex

SHOWN_DECLARATIONS = 5
"""The most declared numbers that the standard repeats."""


def statement_of(release: Release, universe: Universe, rows: Sequence[GuaranteeRow]) -> Statement:
    """Return domain, scope, unit, standard and intensity of the release."""
    return Statement(
        domain=_domain(release),
        scope=_scope(release, universe),
        unit=_unit(release, universe),
        standard=_standard(release.mechanism),
        intensity=_intensity(rows),
    )


def _domain(release: Release) -> str:
    others = parts_of(release.mechanism, OtherRecords)
    return "; ".join([_own_domain(release), *dict.fromkeys(map(_other_domain, others))])


def _other_domain(other: OtherRecords) -> str:
    most = other.touched.most
    touched = f"at most {most} of them change" if most else "none of them changes"
    records = f"{other.dataspace.unit} records{_over(other.dataspace)}"
    return f"in addition {records}: {touched} with one unit"


def _own_domain(release: Release) -> str:
    space = release.dataspace
    match space:
        case ProductSpace():
            values = ", ".join(str(value_label(value)) for value in space.values[:6])
            values += ", ..." if len(space.values) > 6 else ""
            return f"D: ordered datasets of {space.size:,} records with values in {{{values}}}"
        case ListedSpace():
            return f"D: {space.count:,} listed datasets of {space.size:,} records"
        case TableSpace():
            return _tables(release, space)
        case _:
            assert_never(space)


def _tables(release: Release, space: TableSpace) -> str:
    number = space.size
    if isinstance(release.published, PublishedCounts):
        number = release.published.size
    size = "datasets of one size" if number is None else f"datasets of {number:,} records"
    if compares_sizes(release.adjacency.metric) and space.size is None:
        size = "datasets of any size"
    return f"D: {size} ({space.unit}){_over(space)}"


def _over(space: Dataspace) -> str:
    if not isinstance(space, TableSpace) or not space.attributes:
        return ""
    attributes = ", ".join(f"{a.name} ({a.size:,}{_within(a)})" for a in space.attributes)
    zeros = "; some combinations are impossible" if space.impossible else ""
    return f" over {attributes}{zeros}"


def _within(attribute: Attribute) -> str:
    return f", within {attribute.within}" if attribute.within is not None else ""


def _scope(release: Release, universe: Universe) -> str:
    published = release.published_invariants
    if not published:
        return "all of D: nothing is published exactly"
    known([publication.invariant for publication in published])
    names = _names(release)
    values = "; worst case, as their values are not given" if release.published is None else ""
    if isinstance(release.published, PublishedCounts) and release.published.nesting:
        values = f"; counts nested as {' > '.join(release.published.nesting)}"
    if universe.whole:
        note = values if release.published is not None else ""
        return f"all of D: the invariants {names} are the same everywhere{note}"
    parts = universe.semi_adjacency.own
    note = f"{values}{_induced(release)}{'' if parts is None else f'; {parts.not_joint}'}"
    return f"Dₜ: datasets that agree on the invariants {names}{note}"


def _induced(release: Release) -> str:
    if not release.induced:
        return ""
    added = " and ".join(map(str, known(release.invariants)[-release.induced :]))
    several = release.induced > 1 or added.startswith("the counts")
    verb = "were" if several else "was"
    return f"; {added} {verb} added, because the output of the mechanism reveals as much"


def _names(release: Release) -> str:
    by_records: dict[str, dict[str, None]] = {}
    for publication in release.published_invariants:
        unit = (release if publication.other is None else publication.other).dataspace.unit
        by_records.setdefault(unit, {})[str(publication.invariant)] = None
    populations = [f"{unit} records ({', '.join(names)})" for unit, names in by_records.items()]
    if len(release.invariants) == len(release.published_invariants):
        return f"({', '.join(map(str, release.invariants))})"
    return f"of {', of '.join(populations)}"


def _unit(release: Release, universe: Universe) -> str:
    adjacency, semi = release.adjacency, universe.semi_adjacency
    if adjacency.distance is not None:
        distance = f"{adjacency.distance} (set by the spec)"
    elif semi.chosen.upper is None:
        distance = "unknown"
    elif semi.value is None:
        distance = f"a distance that is not established (a(t), {label(semi.reading)})"
    elif semi.own is not None:
        distance = (
            f"{semi.value} (a(t) of {semi.own.covered}, {label(semi.reading)}; "
            f"{semi.own.not_joint})"
        )
    else:
        distance = f"{semi.value} (a(t), {label(semi.reading)})"
    unit, metric = release.dataspace.unit, label(adjacency.metric)
    return f"one {unit}, {metric}; inside Dₜ up to distance {distance}"


def _standard(mechanism: Mechanism) -> str:
    parts = {part.kind: part for part, _ in flattened(mechanism)}
    kinds = list(parts)
    if len(kinds) == 1:
        standard = kind_of(parts[kinds[0]]).standard_of(parts[kinds[0]])
    else:
        meaning = "the privacy measures that all parts have, and their privacy losses composed"
        standard = f"a composition of {', '.join(kinds[:-1])} and {kinds[-1]} parts: {meaning}"
    return "; ".join([standard, *_declared_relations(mechanism)])


def _declared_relations(mechanism: Mechanism) -> list[str]:
    """Return what the spec declares for which neighboring datasets, and how often it runs."""
    declared: Counter[str] = Counter()
    for part, times in flattened(mechanism):
        if isinstance(part, Declared | Noise) and part.neighbors is not None:
            texts = filter(None, [label(part.neighbors), _declared_number(part)])
            declared[f"declared for {': '.join(texts)}"] += times
    shown = [*declared.items()][:SHOWN_DECLARATIONS]
    return [f"{text}, {times}×" if times > 1 else text for text, times in shown]


def _declared_number(part: Declared | Noise) -> str:
    if isinstance(part, Noise):
        return f"noise with shifts ({', '.join(map(str, part.shifts[:6]))})"
    match part.measure:
        case PureDP(epsilon):
            return f"ε = {rational_text(epsilon)}"
        case ApproxDP(epsilon, delta):
            return f"ε = {rational_text(epsilon)}, δ = {rational_text(delta)}"
        case ZCDP(rho):
            return f"ρ = {rational_text(rho)}"
        case GDP(mu_squared):
            return f"μ² = {rational_text(mu_squared)}"
        case PiecewiseLinear() | DeclaredPairs() | DeclaredOrder() | DeclaredPair():
            return ""
        case _:
            assert_never(part.measure)


def _intensity(rows: Sequence[GuaranteeRow]) -> str:
    by_name = {row.guarantee.framework: row for row in rows}
    nominal, semi = by_name[ADVERTISED], by_name[LEADING]
    advertised = f"{_leading(nominal)} at distance 1 in D"
    if nominal.guarantee.refused:
        advertised = f"none at distance 1 in D ({nominal.guarantee.refused})"
    if semi.guarantee.refused:
        return f"{advertised}; none inside Dₜ ({semi.guarantee.refused})"
    return f"{advertised}; {_leading(semi)} at distance {semi.guarantee.distance} inside Dₜ"


def _leading(row: GuaranteeRow) -> str:
    return leading_text(row.numbers)


def leading_text(numbers: Numbers) -> str:
    """Return the leading number of a guarantee: μ, ε, ρ, or ε at the first δ."""
    named: list[tuple[str, Bound | None]] = [
        ("μ", numbers.own_gdp),
        ("ε", numbers.pure_dp),
        ("ρ", numbers.zcdp),
    ]
    for name, bound in named:
        if bound is not None:
            return f"{name} = {bound_text(bound)}"
    if numbers.approx_dp:
        point = numbers.approx_dp[0]
        delta = bound_text(Bound(point.delta, "exact", "", ""))
        return f"ε = {bound_text(point.epsilon)} at δ = {delta}"
    return "no number"


MAX_NAMED = 64
"""The most datasets that are named, in all universes together."""


def building_blocks_of(
    release: Release, universe: Universe, spaces: SensitivitySpaces
) -> BuildingBlocks:
    """Return domain, multiverse, unit, standard and intensity of a release."""
    listed = ListedUniverses.of(release)
    constants = None
    try:
        constants = _constants(release, universe, spaces, listed)
    except (OutOfTimeError, RefusedError):
        deadline.cuts()
    return BuildingBlocks(
        domain=domain_of(release.dataspace),
        multiverse=_multiverse(release, universe, listed),
        unit=Unit(
            release.dataspace.unit,
            release.adjacency.metric,
            universe.metric_is_adjacency_metric,
            release.adjacency.distance or universe.semi_adjacency.joint.value,
        ),
        standard=tuple(dict.fromkeys(part.kind for part, _ in flattened(release.mechanism))),
        intensity=constants,
        theorems=_theorems(release, universe, constants),
    )


def _multiverse(release: Release, universe: Universe, listed: ListedUniverses | None) -> Multiverse:
    invariants = release.invariants
    if len(invariants) < len(release.published_invariants):
        return Multiverse(_roles_beyond(release, universe), None, None)
    if listed is None:
        return Multiverse(_roles_in_table(release, universe), None, None)
    from semiaudit.universe.population import spelled

    roles = tuple(_role(listed, invariants, place) for place in range(len(invariants)))
    named = len(listed.datasets) <= MAX_NAMED
    sizes = [
        UniverseSize(
            len(places),
            at == listed.selected,
            tuple(spelled(listed.datasets[place]) for place in places) if named else None,
        )
        for at, places in enumerate(listed.places)
    ]
    return Multiverse(roles, len(sizes), tuple(sizes) if len(sizes) <= MAX_UNIVERSES else None)


def _roles_beyond(release: Release, universe: Universe) -> tuple[InvariantRole, ...]:
    """Return the roles of invariants if other records have invariants that split the universes.

    An invariant that others of the same records imply is still redundant; nothing else is known.
    """
    own: tuple[InvariantRole, ...] = ()
    if isinstance(release.dataspace, TableSpace):
        own = _roles_in_table(release, universe)
    roles = []
    # Those of the protected unit's records are the first of all.
    for place, published in enumerate(release.published_invariants):
        redundant = (own[place].redundant or None) if place < len(own) else None
        roles.append(_role_of(published, redundant, False if redundant else None))
    return tuple(roles)


def _role_of(
    invariant: Invariant | PublishedInvariant, redundant: bool | None, needed: bool | None
) -> InvariantRole:
    return InvariantRole(invariant.key, str(invariant), redundant, needed)


def _role(listed: ListedUniverses, invariants: Sequence[Invariant], place: int) -> InvariantRole:
    others = [invariant for at, invariant in enumerate(invariants) if at != place]
    key_of = universe_key(others)
    coarser: dict[Hashable, Hashable | None] = {}
    always_equal = True
    for dataset, key in zip(listed.datasets, listed.keys, strict=True):
        always_equal = always_equal and coarser.setdefault(key_of(dataset), key) == key
    # Distances of listed datasets are finite, so distinguishable datasets are at a finite distance.
    return _role_of(invariants[place], always_equal, not always_equal)


def _roles_in_table(release: Release, universe: Universe) -> tuple[InvariantRole, ...]:
    """Return the roles of the invariants of a table. A margin follows from a margin that contains
    it, and the size follows from any margin.
    """
    constraints = constraints_of(release.invariants)
    margins = [frozenset(c.attributes) for c in constraints if isinstance(c, SameMargin)]
    number, larger = Counter(margins), SupersetIndex(dict.fromkeys(margins))
    others = sum(not isinstance(c, SameSize) for c in constraints)
    roles = []
    for invariant, only in zip(release.invariants, constraints, strict=True):
        redundant: bool | None = None
        if isinstance(only, SameMargin):
            own = frozenset(only.attributes)
            follows = number[own] > 1 or any(margin > own for margin in larger.containing(own))
            redundant = True if follows else None
        if isinstance(only, SameSize):
            redundant = True if margins or release.dataspace.size is not None else None
        needed = False if redundant else None
        only_sizes = others == (not isinstance(only, SameSize))
        trivial = only_sizes and release.dataspace.size is not None
        if redundant is None and (trivial or len(constraints) == 1) and universe.restricts:
            redundant, needed = False, True
        roles.append(_role_of(invariant, redundant, needed))
    return tuple(roles)


def _constants(
    release: Release, universe: Universe, spaces: SensitivitySpaces, listed: ListedUniverses | None
) -> tuple[Lipschitz, ...] | None:
    parts = flattened(release.mechanism)
    if len(parts) != 1 or parts[0][1] != 1 or universe.semi_adjacency.covering.upper is None:
        return None
    part = parts[0][0]
    if not isinstance(part, Finite | RandomizedResponse):
        return None
    # Other mechanisms have no law for each dataset.
    from semiaudit.auditing.finite_mechanisms import of_finite, of_responses

    if isinstance(part, Finite):
        return tuple(of_finite(release, part, spaces, listed))
    return None if listed is None else tuple(of_responses(part, listed))


def _theorems(
    release: Release, universe: Universe, constants: Sequence[Lipschitz] | None
) -> tuple[Theorem, ...]:
    inside = [c for c in constants or () if c.universe is not None and c.divergence == "mult"]
    varies = any(c.upper.value != 0 for c in inside) if inside else None
    restricts = universe.restricts or (False if universe.neighbors_agree else None)
    alone = "releasing the invariants alone has intensity 0 inside every universe"
    if varies is False:
        alone += (
            "; so does this mechanism, whose output distribution is the same within each universe"
        )
    positive = "the mechanism varies inside a universe, so its intensity there is above 0"
    return (
        Theorem("invariants_alone", None if varies is None else not varies, alone),
        Theorem("invariant_varies", restricts, _varying(restricts)),
        Theorem(
            "mechanism_varies",
            varies,
            positive
            if varies
            else "it is not known whether the mechanism varies inside a universe",
        ),
    )


def _varying(restricts: bool | None) -> str:
    if restricts is None:
        return "neighboring datasets in D are not known to agree on all invariants"
    if not restricts:
        return "neighboring datasets in D agree on all invariants"
    return (
        "over all of D, no finite privacy loss is possible: neighboring datasets can differ in an "
        "invariant, and invariants are published exactly"
    )
