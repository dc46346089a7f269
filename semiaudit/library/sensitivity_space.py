"""Sensitivity spaces, and K-norm noise for them, as values."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, get_args

from semiaudit import deadline
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import problems_of
from semiaudit.deadline import Deadline
from semiaudit.errors import Refusal, RefusedError, SpecError
from semiaudit.frozen import cached_property
from semiaudit.library.arguments import Number, number, problems_of_arguments, seconds, whole
from semiaudit.library.curves import Enclosure, enclosure
from semiaudit.library.spec import Origin, Spec
from semiaudit.library.spec_argument import loaded_of
from semiaudit.library.value import Value
from semiaudit.mechanisms.k_norm_density import Hull, NormBall, density, normalizing_constant
from semiaudit.mechanisms.parts import queries_of
from semiaudit.model.bound import Bound, lower, root_of, upper
from semiaudit.model.data_source import Access
from semiaudit.model.query import width
from semiaudit.numeric.limits import Limits
from semiaudit.universe.semi_adjacency import parameter_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    from semiaudit.model.audit import Release
    from semiaudit.model.mechanism import Mechanism
    from semiaudit.model.query import Query

GAUGE = "linear_program", "Cho and Awan, Lemma 29"
K_NORM = "k_norm", "Cho and Awan, Proposition 7; docs/errata.md, E22"

TIME_LIMIT = 60.0
"""The default time limit for a(t) and for a sensitivity space, in seconds."""

Universe = Literal["D", "D_t"]
Norm = Literal["l1", "l2", "linf"]
Ball = Norm | Sequence[Sequence[int]]


class SensitivitySpace(Value):
    """The sensitivity space S of a query: its changes between datasets within a distance.

    Args:
        spec: as for ``audit``, for the dataspace, the invariants, and the data. Its mechanism is
            not used: plain values can omit it, and a ``design`` can replace it.
        query: ``table``, or ``{"margins": ...}`` or ``{"matrix": ...}`` as in a spec; None is the
            only query of the spec's mechanism.
        distance: 1 or more; None is a(t) in D_t, and 1 in D.
        universe: ``D_t``, the datasets that agree on the invariants, or ``D``, all of them.
        time_limit: seconds, above 0, for a(t) and for S; results that are cut short are looser, or
            are not listed.
        root, allow_engines, show_values: as for ``audit``.

    Raises:
        SpecError: the spec or the query cannot be read.
        RefusedError: a(t) is not established, or the dataspace has no table over attributes.

    Source:
        Cho and Awan, Definition 4 and section 4.1; Proposition 32 is corrected (docs/errata.md,
        E2).
    """

    __slots__ = ("__dict__", "_distance", "_found", "_inside", "_query", "_spaces")

    def __init__(
        self,
        spec: str | os.PathLike[str] | Mapping[str, object] | Spec,
        query: str | Mapping[str, object] | None = "table",
        *,
        distance: int | None = None,
        universe: Universe = "D_t",
        time_limit: float = TIME_LIMIT,
        root: str | os.PathLike[str] = "",
        allow_engines: Iterable[str] = (),
        show_values: bool = False,
    ) -> None:
        if universe not in get_args(Universe):
            raise ValueError(f"universe: there is no {universe}; known are D, D_t")
        limit = Deadline(seconds(time_limit))
        noise = {"gaussian": {"sigma": 1, "query": query}}
        if isinstance(spec, Mapping) and query is not None:
            others = {key: value for key, value in spec.items() if key != "design"}
            spec = {**others, "mechanism": noise}
        access = Access(os.fspath(root), tuple(allow_engines), show_values)
        try:
            read, allowed = loaded_of(spec, access, time_limit, designs=True)
            release = read.release
            if query is not None:
                origin = Origin(release.path, allowed)
                release = Spec(read, origin).with_(mechanism=noise, design=None)._release
        except SpecError as error:
            head = "mechanism.gaussian.query"
            raise SpecError(problems_of_arguments(error, head, "query")) from None
        with problems_of(release.path, time_limit):
            release = counted(release, allowed)
        self._query = _query_of(release.mechanism)
        self._inside = universe == "D_t"
        try:
            with deadline.running(limit.left):
                limits = Limits(limit.left)
                if distance is None:
                    distance = _a_t(release, limits) if self._inside else 1
                self._distance = whole(distance, "distance")
                self._spaces = SensitivitySpaces(release, limits)
                search = self._spaces.within if self._inside else self._spaces.everywhere
                self._found = search(self._query, self._distance)
        except deadline.OutOfTimeError:
            late = Refusal("the time limit was reached before S was known", "give more time")
            raise RefusedError(late) from None

    def _parts_of_value(self) -> tuple[object, ...]:
        release = self._spaces.stated
        datasets = release.dataspace, release.invariants, release.published, release.adjacency
        return *datasets, self._query, self._distance, self._inside, self._found

    @property
    def distance(self) -> int:
        """Return the largest distance between datasets."""
        return self._distance

    @property
    def l1(self) -> Bound:
        """Return the largest l1 norm of an element."""
        return self._found.l1

    @property
    def l2(self) -> Bound:
        """Return the largest Euclidean norm of an element."""
        return root_of(self._found.l2_squared)

    @property
    def linf(self) -> Bound:
        """Return the largest absolute value in an element."""
        return self._found.linf

    @property
    def rank(self) -> int | None:
        """Return the dimension of the span of S; None if unknown."""
        return self._found.rank

    @property
    def elements(self) -> int | None:
        """Return the number of elements of S, including 0; None if they are not counted."""
        return self._found.elements

    @property
    def vectors(self) -> tuple[tuple[int, ...], ...] | None:
        """Return the elements of S in lexicographic order, over the answers of the query.

        None if there are too many.

        A table has its cells in row-major order. In D, only S at distance 1 is listed.
        """
        return self._vectors

    @cached_property
    def _vectors(self) -> tuple[tuple[int, ...], ...] | None:
        subspaces, one_sign = self._spaces.subspaces, None
        if self._inside:
            changes = subspaces.changes(self._query, self._distance)
            one_sign = changes.vectors if changes is not None and changes.whole else None
        elif self._distance == 1:
            one_sign = subspaces.steps(self._query)
        if one_sign is None:
            return None
        signed = {v for w in one_sign for v in (w, tuple(-k for k in w))}
        return tuple(sorted({(0,) * width(self._query, self._spaces.table), *signed}))

    def __repr__(self) -> str:
        norms = f"l1 {self.l1!r}, l2 {self.l2!r}, linf {self.linf!r}"
        return f"<sensitivity space at distance {self.distance}: {norms}>"


class KNorm(Value):
    """K-norm noise: a density that decreases with a norm, exp(-||v|| / scale) up to a constant.

    Args:
        ball: the unit ball K of the norm: ``l1``, ``l2``, ``linf``, or integer vectors whose hull,
            with their opposites, is K, such as ``SensitivitySpace.vectors``.
        scale: Delta / epsilon, above 0: the largest norm in S over the privacy parameter.
        dimension: of an l_p ball, 1 or more; None for a hull, whose dimension is that of its span.

    Raises:
        ValueError: an argument is out of range, or the vectors are all 0.
        TypeError: the ball is not a name or vectors, as ``SensitivitySpace.vectors`` is None if
            there are too many.

    Source:
        Cho and Awan, Proposition 7 and Lemma 29; docs/errata.md, E22, for the constant.
    """

    __slots__ = ("_ball", "_scale", "_width")

    def __init__(self, ball: Ball, scale: Number, *, dimension: int | None = None) -> None:
        self._scale = number(scale, "scale")
        if self._scale <= 0:
            raise ValueError(f"scale: {scale} is out of range; give a number above 0")
        self._ball, self._width = _ball(ball, dimension)

    @property
    def dimension(self) -> int:
        """Return the dimension of the span of K, on which the noise has its density."""
        return self._ball.dimension

    def gauge(self, vector: Sequence[Number]) -> Enclosure:
        """Return the norm of a vector, the least c with the vector in c K.

        Infinite outside of the span.

        Raises:
            ValueError: the vector has another length.
            RefusedError: the linear program did not find the vector exactly.
        """
        norm = self._ball.gauge(self._vector(vector))
        if norm is None:
            return Enclosure(lower(math.inf, *GAUGE), upper(math.inf, *GAUGE))
        return enclosure(norm, *GAUGE)

    @property
    def normalizing_constant(self) -> Enclosure:
        """Return Gamma(d + 1) times the volume of scale K, in the volume of its span.

        Raises:
            RefusedError: K is a hull that is too large to be triangulated.
        """
        return enclosure(normalizing_constant(self._ball, self._scale), *K_NORM)

    def density(self, vector: Sequence[Number]) -> Enclosure:
        """Return the density at a vector, in the volume of the span of K; 0 outside of it.

        Raises:
            ValueError: the vector has another length.
            RefusedError: as for ``gauge`` and ``normalizing_constant``.
        """
        return enclosure(density(self._ball, self._scale, self._vector(vector)), *K_NORM)

    def _vector(self, vector: Sequence[Number]) -> tuple[Fraction, ...]:
        entries = tuple(number(value, "vector") for value in vector)
        if len(entries) != self._width:
            raise ValueError(f"vector: has {len(entries)} entries; give {self._width}")
        return entries

    def __repr__(self) -> str:
        if isinstance(self._ball, Hull):
            return f"KNorm({[list(v) for v in self._ball.vectors]!r}, {str(self._scale)!r})"
        ball = self._ball
        return f"KNorm({ball.norm!r}, {str(self._scale)!r}, dimension={ball.dimension})"


def sensitivity(
    spec: str | os.PathLike[str] | Mapping[str, object] | Spec,
    *,
    distance: int | None = None,
    universe: Universe = "D_t",
    time_limit: float = TIME_LIMIT,
    root: str | os.PathLike[str] = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
) -> SensitivitySpace:
    """Return the sensitivity space of the query of a spec's mechanism, and compute nothing else.

    Its arguments and errors are those of ``SensitivitySpace``.

    Raises:
        ValueError: the mechanism has no query, or several of them.
    """
    return SensitivitySpace(
        spec,
        None,
        distance=distance,
        universe=universe,
        time_limit=time_limit,
        root=root,
        allow_engines=allow_engines,
        show_values=show_values,
    )


def _query_of(mechanism: Mechanism) -> Query:
    queries = queries_of(mechanism)
    if len(queries) != 1:
        what = f"query: the mechanism has {len(queries) or 'none'}"
        raise ValueError(f"{what}; give `table`, margins, or a matrix to SensitivitySpace")
    return queries[0]


def _a_t(release: Release, limits: Limits) -> int:
    distance = parameter_of(release, limits).joint.value
    if not distance:
        what = (
            "a(t) is not established" if distance is None else "the invariants reveal the dataset"
        )
        raise RefusedError(Refusal(what, "give a distance"))
    return distance


def _ball(ball: Ball, dimension: int | None) -> tuple[NormBall | Hull, int]:
    if isinstance(ball, str):
        if ball not in get_args(Norm):
            raise ValueError(f"ball: there is no {ball}; known are {', '.join(get_args(Norm))}")
        if dimension is None:
            raise ValueError("dimension: give that of the l_p ball")
        whole_number = whole(dimension, "dimension")
        return NormBall(ball, whole_number), whole_number
    if not isinstance(ball, Iterable):
        remedy = "give l1, l2, linf, or whole vectors; a large SensitivitySpace lists none"
        raise TypeError(f"ball: {ball} is not a unit ball; {remedy}")
    if dimension is not None:
        raise ValueError("dimension: that of a hull follows from its vectors; leave it out")
    vectors = tuple(tuple(_whole_entry(k) for k in vector) for vector in ball)
    if len({len(vector) for vector in vectors}) != 1 or not any(map(any, vectors)):
        raise ValueError("ball: give vectors of one length that are not all 0")
    return Hull(tuple(v for v in vectors if any(v))), len(vectors[0])


def _whole_entry(value: int) -> int:
    entry = number(value, "ball")
    if entry.denominator != 1:
        raise ValueError(f"ball: {value} is not a whole number; give whole vectors")
    return entry.numerator
