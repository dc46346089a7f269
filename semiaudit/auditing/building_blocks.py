"""The five building blocks of a release as structure, and the constants of a finite mechanism."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.mechanisms.parts import flattened
from semiaudit.model.audit import Release
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
from semiaudit.model.dataspace import Dataset, ListedSpace, ProductSpace, TableSpace
from semiaudit.model.invariants import Invariant, constraints_of
from semiaudit.model.invariants.constraint import SameMargin, SameSize
from semiaudit.model.mechanism import Finite, RandomizedResponse
from semiaudit.model.published_invariants import ExampleDataset, PublishedInvariant
from semiaudit.model.semi_adjacency import Universe
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

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
        roles = tuple(_role_in_table(release, universe, one) for one in invariants)
        return Multiverse(roles, None, None)
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
    tables = isinstance(release.dataspace, TableSpace)
    roles = []
    for published in release.published_invariants:
        redundancy = None
        if published.other is None and tables:
            redundancy = _role_in_table(release, universe, published.invariant).redundant
        redundant = redundancy or None
        roles.append(_role_of(published, redundant, False if redundant else None))
    return tuple(roles)


def _role_of(
    invariant: Invariant | PublishedInvariant, redundant: bool | None, needed: bool | None
) -> InvariantRole:
    return InvariantRole(invariant.key, str(invariant), redundant, needed)


def _role(listed: ListedUniverses, invariants: Sequence[Invariant], place: int) -> InvariantRole:
    from semiaudit.universe.explicit.datasets import universe_key

    others = [invariant for at, invariant in enumerate(invariants) if at != place]
    key_of = universe_key(others)
    coarser: dict[Hashable, Hashable | None] = {}
    same = True
    for dataset, key in zip(listed.datasets, listed.keys, strict=True):
        same = same and coarser.setdefault(key_of(dataset), key) == key
    # Distances of listed datasets are finite, so distinguishable datasets are at a finite distance.
    return _role_of(invariants[place], same, not same)


def _role_in_table(release: Release, universe: Universe, invariant: Invariant) -> InvariantRole:
    """Return the role of an invariant of a table. A margin follows from a margin that contains it,
    and the size follows from any margin.
    """
    others = constraints_of([o for o in release.invariants if o is not invariant])
    margins = [set(c.attributes) for c in others if isinstance(c, SameMargin)]
    (own,) = constraints_of([invariant])
    redundant: bool | None = None
    if isinstance(own, SameMargin):
        redundant = True if any(set(own.attributes) <= margin for margin in margins) else None
    if isinstance(own, SameSize):
        redundant = True if margins or release.dataspace.size is not None else None
    trivial = all(isinstance(c, SameSize) for c in others) and release.dataspace.size is not None
    needed = False if redundant else None
    if redundant is None and (trivial or not others) and universe.restricts:
        redundant, needed = False, True
    return _role_of(invariant, redundant, needed)


def _constants(
    release: Release, universe: Universe, spaces: SensitivitySpaces, listed: ListedUniverses | None
) -> tuple[Lipschitz, ...] | None:
    parts = flattened(release.mechanism)
    if len(parts) != 1 or parts[0][1] != 1 or universe.semi_adjacency.covering.upper is None:
        return None
    part = parts[0][0]
    if not isinstance(part, Finite | RandomizedResponse):
        return None
    from semiaudit.auditing import constants  # other mechanisms have no law for each dataset

    if isinstance(part, Finite):
        return tuple(constants.of_finite(release, part, spaces, listed))
    return None if listed is None else tuple(constants.of_responses(part, listed))


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


MAX_UNIVERSES = 100
"""The most universes that are listed one by one."""


class ListedUniverses:
    """The datasets of an explicit dataspace, grouped by universe.

    Attributes:
        datasets, keys: all of D, and for each dataset the value of all invariants; None if one
            rules it out.
        places: the dataset indices of every universe, in order of occurrence.
        selected: the index of the universe of t.
    """

    def __init__(
        self, release: Release, datasets: Sequence[Dataset], keys: Sequence[Hashable | None]
    ) -> None:
        self.datasets, self.keys = datasets, keys
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for place, key in enumerate(keys):
            if key is not None:
                groups[key].append(place)
        self.places = list(groups.values())
        self.selected: int | None = None
        if isinstance(release.published, ExampleDataset):
            records = release.published.records
            self.selected = next(
                at for at, group in enumerate(self.places)
                if records in [datasets[place] for place in group]
            )  # fmt: skip

    @classmethod
    def of(cls, release: Release) -> ListedUniverses | None:
        """List the universes of a release; None for a table."""
        space = release.dataspace
        if not isinstance(space, ProductSpace | ListedSpace):
            return None
        from semiaudit.universe.explicit.datasets import datasets_of, universe_key

        datasets, key_of = datasets_of(space), universe_key(release.invariants)
        return cls(release, datasets, [key_of(dataset) for dataset in datasets])
