"""The list of the universes of an explicit dataspace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from semiaudit.model.audit import ExampleDataset, Release
from semiaudit.model.dataspace import Dataset, ListedSpace, ProductSpace
from semiaudit.universe.explicit import datasets_of, universe_key

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
        datasets, key_of = datasets_of(space), universe_key(release.invariants)
        return cls(release, datasets, [key_of(dataset) for dataset in datasets])
