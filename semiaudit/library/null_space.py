"""The null space of linear invariants: the projection and extension frameworks.

Source: Gao, Gong and Yu, sections 2 to 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.library.arguments import Number, items_of, number, rows_of, whole
from semiaudit.library.value import Value
from semiaudit.mechanisms.sampling.lattice import null_lattice
from semiaudit.mechanisms.sampling.linear_noise import SphericalGaussian
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import OnGrid
from semiaudit.model.bound import exact, upper_root
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.matrices import solve
from semiaudit.numeric.rationals import exact_sqrt
from semiaudit.numeric.row_space import RowSpace, TooLongError
from semiaudit.numeric.semidefinite import Semidefinite, eliminated
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace

if TYPE_CHECKING:
    from semiaudit.model.bound import Bound

METHOD = "covariance", "Gao, Gong and Yu, Definition 2.5"

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]


class NullSpace(Value):
    """The vectors on which some linear invariants are 0: noise in it changes no invariant.

    Everything is exact. Numbers are read as in a spec.
    """

    __slots__ = ("_rows", "_solved")

    def __init__(self, rows: Sequence[Sequence[Number]]) -> None:
        """Store the rows of C, for published values C x = t; dependent rows add nothing.

        Raises:
            TypeError: it is no list of rows.
            ValueError: there is no row, or the rows have different lengths.
        """
        self._rows = _matrix(rows, "rows")
        if not self._rows or not self._rows[0]:
            raise ValueError("rows: there is none; give the rows of C")
        self._solved = _solved(self._rows)

    @property
    def dimension(self) -> int:
        """Return the length of the vectors minus the rank of C."""
        return self._solved.dimension

    def project(self, vector: Sequence[Number]) -> Vector:
        """Project a vector orthogonally: x - C'(CC')^-1 C x."""
        return self._solved.project(_sized(_vector(vector, "vector"), self._width, "vector"))

    def projector(self) -> Matrix:
        """Return the matrix of ``project``, which is the covariance of projected standard noise."""
        return self._solved.units

    def keep(self, answer: Sequence[Number], noisy: Sequence[Number]) -> Vector:
        """Apply the projection framework (Theorem 3.1): A + P (M - A), with the invariants of A."""
        true = _sized(_vector(answer, "answer"), self._width, "answer")
        vector = _sized(_vector(noisy, "noisy"), self._width, "noisy")
        projected = self._solved.project([b - a for a, b in zip(true, vector, strict=True)])
        return tuple(a + b for a, b in zip(true, projected, strict=True))

    def extend(self, answer: Sequence[Number], inside: Sequence[Number]) -> Vector:
        """The extension framework (Theorem 3.3): what a mechanism says inside the null space, with
        the rest of the answer as it is.

        Raises:
            ValueError: what it says is not inside.
        """
        true = _sized(_vector(answer, "answer"), self._width, "answer")
        answer_inside = _sized(_vector(inside, "inside"), self._width, "inside")
        if not self._solved.holds(answer_inside):
            raise ValueError("inside: is not in the null space; project it")
        projection = self._solved.project(true)
        return tuple(a - b + c for a, b, c in zip(true, projection, answer_inside, strict=True))

    def projected(self, covariance: Sequence[Sequence[Number]]) -> Matrix:
        """Return the covariance of projected noise: P Sigma P."""
        exact_covariance = self._covariance(covariance)
        half = [self._solved.project(row) for row in exact_covariance]
        return tuple(self._solved.project([row[at] for row in half]) for at in range(self._width))

    def conditional(self, covariance: Sequence[Sequence[Number]]) -> Matrix:
        """Return the covariance of Gaussian noise, conditional on changing no invariant.

        For spherical noise, it is ``projected`` (Theorem 4.2); for other noise, generally not.

        Raises:
            ValueError: the noise has no variance in some direction of C.
        """
        exact_covariance = self._covariance(covariance)
        width = range(self._width)
        dense = [[row.get(at, Fraction(0)) for at in width] for row in self._solved.rows]
        moves = [[_times(row, line) for line in exact_covariance] for row in dense]
        spread = [[_times(row, other) for other in dense] for row in moves]
        solved = solve(spread, moves) if spread else []
        if solved is None:
            raise ValueError("covariance: the noise has no spread in some direction of C")
        return tuple(
            tuple(
                exact_covariance[at][other]
                - sum((m[at] * s[other] for m, s in zip(moves, solved, strict=True)), Fraction(0))
                for other in width
            )
            for at in width
        )

    def sample(self, sigma: Number, size: int = 1, *, seed: int | None = None) -> list[list[float]]:
        """Sample N(0, sigma^2 P) independently, on a grid on which the invariants stay exact.

        Agents who share a seed sample the same noise, and each adds its own coordinate: together
        they publish what one curator would (section 4). The seed is a secret of the agents.

        Args:
            sigma: the standard deviation before the noise is projected, above 0.
            size: the number of samples, 0 or more.
            seed: whole and 0 or more; None takes the randomness of the operating system.

        Returns:
            A list for each sample, with a number for each coordinate. Its product with the rows of
            C is 0 without any rounding.
        """
        scale = float(number(sigma, "sigma"))
        if scale <= 0:
            raise ValueError(f"sigma: {sigma} is out of range; give a number above 0")
        lattice = null_lattice(self._solved.rows, self._width)
        noise = OnGrid(lattice, SphericalGaussian(lattice, scale), scale, "projected Gaussian")
        answers: list[list[float]] = noise.draw(whole(size, "size", 0), Randomness(seed)).tolist()
        return answers

    def keeps(self, covariance: Sequence[Sequence[Number]]) -> bool:
        """Return whether noise with a covariance changes no invariant.

        Source: Definition 2.6, second half.
        """
        return all(map(self._solved.holds, self._covariance(covariance)))

    def mu(
        self, steps: Sequence[Sequence[Number]], covariance: Sequence[Sequence[Number]]
    ) -> Bound | None:
        """Return mu of subspace differential privacy of Gaussian noise (Definition 2.5).

        Args:
            steps: the changes of the answer by one record.
            covariance: of the noise before it is projected.

        Returns:
            The largest length of a projected step, by the inverse of the projected covariance:
            exact if it is rational, else rounded up, with its exact square in ``squared``. None if
            some step is outside of the range of the noise, so that no number is finite.
        """
        noise = Semidefinite(self.projected(covariance))
        moves = _matrix(steps, "steps")
        moved = [self._solved.project(_sized(move, self._width, "steps")) for move in moves]
        if noise.outside(moved) is not None:
            return None
        square = noise.largest(moved)
        root = exact_sqrt(square)
        if root is not None:
            return exact(root, *METHOD)
        return upper_root(square, Interval.of(square).sqrt(), *METHOD)

    @property
    def _width(self) -> int:
        return len(self._rows[0])

    def _covariance(self, covariance: Sequence[Sequence[Number]]) -> Matrix:
        matrix = _matrix(covariance, "covariance")
        square = len(matrix) == self._width and all(len(row) == self._width for row in matrix)
        if not square or any(
            row[at] != matrix[at][place] for place, row in enumerate(matrix) for at in range(place)
        ):
            raise ValueError(f"covariance: is not a symmetric matrix of {self._width} rows")
        if eliminated(matrix).bad is not None:
            raise ValueError("covariance: is not positive semidefinite")
        return matrix

    def __repr__(self) -> str:
        rows = [[str(value) for value in row] for row in self._rows]
        return f"NullSpace({rows!r})"


def _solved(rows: Matrix) -> AnswerNullSpace:
    space = RowSpace()
    sparse = [{at: value for at, value in enumerate(row) if value} for row in rows]
    try:
        independent = [row for row in sparse if space.add(row)]
    except TooLongError:
        raise ValueError("rows: are too many to be solved exactly") from None
    width = len(rows[0])
    return AnswerNullSpace(width, tuple(range(width)), tuple(independent))


def _matrix(rows: Sequence[Sequence[Number]], name: str) -> Matrix:
    matrix = tuple(_vector(row, name) for row in rows_of(rows, name, "[[1, 1, 0], [0, 1, 1]]"))
    if len({len(row) for row in matrix}) > 1:
        raise ValueError(f"{name}: has rows of different lengths")
    return matrix


def _vector(values: Sequence[Number], name: str) -> Vector:
    return tuple(number(value, name) for value in items_of(values, name, "[1, -1, 0]"))


def _sized(vector: Vector, width: int, name: str) -> Vector:
    if len(vector) != width:
        raise ValueError(f"{name}: has {len(vector)} entries; give {width}")
    return vector


def _times(left: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, other, strict=True)), Fraction(0))
