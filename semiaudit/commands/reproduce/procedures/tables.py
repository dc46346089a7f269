"""Tables with all one-way margins published: sensitivity spaces."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from semiaudit.commands.reproduce.model import Ours
from semiaudit.commands.reproduce.results import counted
from semiaudit.frozen import dataclass
from semiaudit.library.spec_argument import release_of
from semiaudit.model.bound import Bound, root_of
from semiaudit.model.data_source import Access
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.query import TableQuery
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    import numpy.typing as npt

    from semiaudit.model.query import Sensitivity

SPACES = "Cho and Awan, Definition 4"
SIZE = 500


@dataclass(frozen=True, slots=True)
class SpaceNumbers:
    """The numbers of one sensitivity space in an audit.

    Attributes:
        elements: the number of elements, including 0. rank: the dimension of its span. l1, l2,
            linf: the largest norms.
        mu: mu inside the space for Gaussian noise with mu 1 between neighbors in D.
    """

    elements: Ours
    rank: Ours
    l1: Bound
    l2: Bound
    linf: Bound
    mu: Bound


def sensitivity_space(
    distance: int, universe: UniverseName = "D_t", **attributes: int
) -> SpaceNumbers:
    """Return the sensitivity space of a table of counts.

    Args:
        universe: all datasets, or those with the same margins.
        attributes: the attributes with their numbers of levels.
    """
    spaces = spaces_of(attributes)
    space = {"D": spaces.everywhere, "D_t": spaces.within}[universe](TableQuery(), distance)
    # Noise that gives mu = 1 in all of D has sigma = sqrt(2).
    half = Bound(Fraction(space.l2_squared.value) / 2, "exact", space.method, SPACES)
    return SpaceNumbers(
        counted(space.elements, space.method, SPACES),
        counted(space.rank, space.method, SPACES),
        space.l1,
        root_of(space.l2_squared),
        space.linf,
        root_of(half),
    )


def spaces_of(attributes: dict[str, int]) -> SensitivitySpaces:
    """Return the sensitivity spaces of a table with all its one-way margins published."""
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "title": "A table with its one-way margins",
        "dataspace": {"size": SIZE, "attributes": attributes},
        "invariants": [{"margin": [name]} for name in attributes],
        "mechanism": {"pure_dp": {"epsilon": 1}},
    }
    release, _ = release_of(spec, Access())
    return SensitivitySpaces(release)


def table_space(rows: int, columns: int, distance: int) -> Sensitivity:
    """Return S_Semi of a two-way table, as in an audit."""
    return spaces_of({"row": rows, "column": columns}).within(TableQuery(), distance)


def table_changes(rows: int, columns: int, distance: int) -> tuple[tuple[int, ...], ...]:
    """Return the elements of S_Semi of a two-way table without 0, up to sign.

    Raises:
        ValueError: there are too many to list.
    """
    changes = spaces_of({"row": rows, "column": columns}).subspaces.changes(TableQuery(), distance)
    if changes is None or not changes.whole:
        raise ValueError("the elements are not listed")
    return changes.vectors


def moves_of(k: int, distance: int) -> npt.NDArray[np.int64]:
    """Return the corners of the hull of S_Semi of a k x k table, as listed: number x k^2."""
    listed = np.array(table_changes(k, k, distance), dtype=np.int64)
    return np.unique(np.concatenate([listed, -listed]), axis=0)


def block_of(moves: npt.NDArray[np.int64], k: int) -> npt.NDArray[np.int64]:
    """Return the lower right blocks of tables, which determine them: number x (k - 1)^2."""
    return moves.reshape(-1, k, k)[:, 1:, 1:].reshape(len(moves), -1)
