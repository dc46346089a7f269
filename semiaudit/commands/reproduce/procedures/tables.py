"""Tables with all one-way margins published: sensitivity spaces, their hulls, and projections."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from semiaudit.commands.reproduce.model import Estimate, Ours
from semiaudit.commands.reproduce.ours import counted, floating, simulated
from semiaudit.frozen import dataclass
from semiaudit.library.null_space import NullSpace
from semiaudit.library.spec_argument import release_of
from semiaudit.mechanisms.sampling.hulls.hull_noise import Triangulated
from semiaudit.model.bound import Bound, exact, root_of
from semiaudit.model.data_source import Access
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.query import TableQuery
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    import numpy.typing as npt

    from semiaudit.model.query import Sensitivity

SPACES = "Cho and Awan, Definition 4"
SIZE = 500
DRAWS, SEED = 200_000, 2026


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
    match universe:
        case "D":
            space = spaces.everywhere(TableQuery(), distance)
        case "D_t":
            space = spaces.within(TableQuery(), distance)
        case _:
            assert_never(universe)
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


def is_figure_1_an_element() -> bool:
    """Return whether the element of Figure 1 is in the sensitivity space of a 7x6 table."""
    gained, lost = ((2, 2), (5, 5)), ((2, 5), (5, 2))
    cells = [(row, column) for row in range(1, 8) for column in range(1, 7)]
    drawn = tuple(int(cell in gained) - int(cell in lost) for cell in cells)
    negative = tuple(-value for value in drawn)
    return bool({drawn, negative} & {*table_changes(7, 6, 2)})


def moves_of(k: int, distance: int) -> npt.NDArray[np.int64]:
    """Return the corners of the hull of S_Semi of a k x k table, as listed: number x k^2."""
    listed = np.array(table_changes(k, k, distance), dtype=np.int64)
    return np.unique(np.concatenate([listed, -listed]), axis=0)


def block_of(moves: npt.NDArray[np.int64], k: int) -> npt.NDArray[np.int64]:
    """Return the lower right blocks of tables, which determine them: number x (k - 1)^2."""
    return moves.reshape(-1, k, k)[:, 1:, 1:].reshape(len(moves), -1)


@dataclass(frozen=True, slots=True)
class SampledHull:
    """The hull of a sensitivity space for Algorithm 3.

    Attributes:
        accepted: the share of a box that it fills.
    """

    facets: Ours
    accepted: Estimate


def hull(k: int, distance: int) -> SampledHull:
    """Return the hull of a k x k table's sensitivity space, exactly."""
    moves = moves_of(k, distance)
    triangulated = Triangulated(moves, block_of(moves, k), (k, k))
    share = triangulated.volume / 2 ** ((k - 1) ** 2)
    return SampledHull(
        counted(triangulated.facets, "facets", SPACES),
        floating(share, "the volume of the hull over a box's"),
    )


def projector(k: int) -> dict[str, Ours]:
    """Return corner, signs, and trace of the projector that keeps both margins of a k x k table."""
    rows = NullSpace(_margin_rows(k)).projector()
    trace = sum((rows[place][place] for place in range(k * k)), Fraction(0))
    return {
        "corner": exact(rows[0][0], "null_space", SPACES),
        "signs": ", ".join(str(4 * value) for value in rows[0]),
        "trace": exact(trace, "null_space", SPACES),
    }


def norms_that_grow() -> dict[str, Estimate]:
    """Return how often projection makes a norm of Laplace noise on a 3x3 table larger.

    See erratum E8.
    """
    rows = NullSpace(_margin_rows(3)).projector()
    matrix = np.array([[float(value) for value in row] for row in rows])
    before = np.random.default_rng(SEED).laplace(size=(DRAWS, 9))
    after = before @ matrix
    shares: dict[str, Estimate] = {}
    for name, order in (("l1", 1), ("l2", 2), ("linf", np.inf)):
        old, new = (np.linalg.norm(drawn, order, axis=1) for drawn in (before, after))
        share = float((new > old * (1 + 1e-12)).mean())
        shares[name] = simulated(share, f"of {DRAWS} samples of Laplace noise")
    return shares


def _margin_rows(k: int) -> list[list[int]]:
    cells = [(i, j) for i in range(k) for j in range(k)]
    of_rows = [[int(i == row) for i, _ in cells] for row in range(k)]
    return of_rows + [[int(j == column) for _, j in cells] for column in range(k)]
