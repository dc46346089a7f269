"""The numbers of every kind of secret of a hierarchical release, and of noise on queries.

For noise on queries, a kind of pair inside D_t is a pair of a smaller universe, so the same code
gives its loss. If a pair of tables differs in one record and agrees on the margin of all attributes
but one, the record changed in this attribute. If it differs in two, and also agrees on the margin
of this attribute, two records exchanged its levels: the multiset of the other levels, and that of
this attribute's, are kept. An attribute is exchanged with all that lie within it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from semiaudit import deadline, progress
from semiaudit.errors import NOWHERE
from semiaudit.frameworks.context import Context
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.kind import Measures, not_attained
from semiaudit.mechanisms.mechanism_loss import loss_at
from semiaudit.mechanisms.parts import flattened, query_of
from semiaudit.mechanisms.topdown.topdown_kind import semantics_of
from semiaudit.model.adjacency import per_record
from semiaudit.model.audit import ReportOptions
from semiaudit.model.bound import Bound, exact, upper
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.guarantee import ApproxPoint
from semiaudit.model.invariants import Invariant, margin_of
from semiaudit.model.measure import ZCDP
from semiaudit.model.mechanism import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    KNorm,
    Laplace,
    parts_of,
)
from semiaudit.model.query import TableQuery
from semiaudit.model.topdown import SecretPair, Semantic, TopDown
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.epsilons import rho_of
from semiaudit.privacy.evaluate import CertifiedRow
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.measures.zcdp import epsilon_bs16
from semiaudit.privacy.ordering.implication import is_perfect
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

HALF = Fraction(1, 2)

SHARE = 0.1
"""The part of the remaining time that the programs for one kind of pair can take."""

OF_GUESSES = 1e-4
"""The relative bracket width of a delta for the success probability of a guess."""

TAIL = "Bun and Steinke 2016, the proof of Proposition 1.3: the tail of the privacy loss"


def semantics_with_numbers(
    context: Context, options: ReportOptions, accuracy: Accuracy
) -> tuple[Semantic, ...]:
    """Return every secret with rho, and with epsilon at the deltas of the report.

    Raises:
        OutOfTimeError: the time limit was reached.
    """
    progress.doing("semantics")
    if not parts_of(context.made, TopDown):
        options = replace(options, priors=())
    semantics = [
        *semantics_of(context.made, context.spaces, steps=context.steps),
        *_of_queries(context),
    ]
    nominal = _rho(context.loss_at(1, "D").measures)
    return tuple(
        _numbered(secret, measures, nominal, options, accuracy) for secret, measures in semantics
    )


_INDEPENDENT = Gaussian, DiscreteGaussian, Laplace, DiscreteLaplace
"""Noise that is the same in every universe. A support, which depends on the universe, only
post-processes it inside D_t (``semiaudit.mechanisms.supports``)."""


def _of_queries(context: Context) -> Iterator[tuple[SecretPair, Measures]]:
    """Yield the kinds of pairs inside D_t of noise on queries, with their losses."""
    release, mechanism = context.spaces.stated, context.made
    space, metric = release.dataspace, release.adjacency.metric
    one, two = per_record(metric), 2 * per_record(metric)
    if not isinstance(space, TableSpace):
        return
    for part, _ in flattened(mechanism):
        # The scale of a K-norm is the change by one step. In a smaller universe, that is the same
        # if a step replaces a record.
        by_norm = isinstance(part, KNorm) and part.norm != "hull" and one == 1
        if not isinstance(part, _INDEPENDENT) and not by_norm:
            return
        if query_of(part) is None or kind_of(part).refusal(part, "semi_dp", context.spaces):
            return
    unit, names = space.unit, [attribute.name for attribute in space.attributes]

    def known(
        name: str, pair: str, distance: int, kept: Sequence[Invariant] = ()
    ) -> tuple[SecretPair, Measures]:
        deadline.check(deadline.GRACE)
        spaces = context.spaces
        if kept:
            # The values of the kept margins are unknown: the bound is over all of them.
            smaller = replace(release, invariants=(*release.invariants, *kept), published=None)
            spaces = SensitivitySpaces(smaller, spaces.limits.share(SHARE))
        loss = loss_at(mechanism, distance, "D_t", spaces, steps=context.steps, reached=False)
        measures = loss.measures
        if kept and release.published is not None:
            measures = not_attained(measures)
        still = is_perfect(measures) and not spaces.within(TableQuery(), distance).l1.value
        # By how much the queries move is not needed, only whether there is such a pair.
        some = () if still else ((),)
        secret = SecretPair(name, "D_t", pair, distance, "", some, attained=False)
        return secret, () if still else measures

    size = [margin_of((), NOWHERE)] if one > 1 else []
    if size:
        yield known("presence", f"one {unit} enters or leaves", 1)
    yield known("one_record", f"one {unit} changes", one, size)
    for name in names:
        changed = [n for n in names if name in space.determined_by([n])]
        others = margin_of([n for n in names if n not in changed], NOWHERE)
        if changed == [name]:  # else one of the attributes within it can be all that changes
            yield known(f"attribute:{name}", f"one {unit} changes in {name}", one, [others])
        own = margin_of(changed, NOWHERE)
        yield known(f"exchange:{name}", f"two exchange their {name}", two, [others, own])
    distance = max(two, context.distance or 0)
    yield known("unrelated_records", f"records change up to distance {distance}", distance)


def _numbered(
    secret: SecretPair,
    measures: Measures,
    nominal: Fraction | None,
    options: ReportOptions,
    accuracy: Accuracy,
) -> Semantic:
    rho = _rho(measures)
    row = CertifiedRow(measures, options.deltas, (), (), accuracy, attack=False)
    points = [_tightest(measures, row, delta, attained=secret.attained) for delta in options.deltas]
    return Semantic(
        name=secret.name,
        universe=secret.universe,
        pair=secret.pair,
        distance=secret.distance,
        where=secret.where,
        zcdp=rho_of(measures),
        approx_dp=tuple(point for point in points if point is not None),
        factor=rho / nominal if rho is not None and nominal else None,
        posterior_odds=_posterior_odds(measures, options),
        best_guess=tuple(
            (prior, best_guess(row, prior, accuracy)) for prior in options.priors if measures
        ),
        has_pair=bool(secret.moves),
    )


def _posterior_odds(
    measures: Measures, options: ReportOptions
) -> tuple[tuple[Fraction, Bound], ...]:
    """Bound by how much the log odds of the truth grow, except with probability delta, by rho.

    Source: Bun and Steinke 2016, the proof of Proposition 1.3 (the tail of the privacy loss, which
    is the growth of the log odds); Kifer et al. 2022 for the interpretation.
    """
    rho = _rho(measures)
    if rho is None:
        return ()
    odds = []
    for delta in options.deltas:
        bound = exact(0, "bs16", TAIL)
        if rho:
            bound = upper(epsilon_bs16(ZCDP(rho), delta), "bs16", TAIL)
        odds.append((delta, bound))
    return tuple(odds)


def best_guess(row: CertifiedRow, prior: Fraction, accuracy: Accuracy) -> Bound:
    """Bound the probability that the best guess between two values of a secret is right.

    With the prior p of the less likely value, the error p type_ii + (1 - p) type_i is at least p (1
    - delta(epsilon)) at e^epsilon = (1 - p) / p, so the success probability is at most 1 minus
    this.

    Args:
        row: of the pair of the two values. prior: p, above 0 and up to 1/2.

    Rounding: epsilon is rounded down, delta and the success up.
    Source: Dong, Roth and Su 2022, Proposition 2.12 (duality); Kifer et al. 2022; Swanberg et al.
    2025.
    """
    odds = Interval.of((1 - prior) / prior).ln().low if prior < HALF else 0
    coarser = Accuracy(max(accuracy.tolerance, OF_GUESSES), accuracy.time_limit)
    delta = row.delta_at(max(Fraction(odds), Fraction(0)), coarser)
    return upper(1 - prior * (1 - Fraction(delta.value)), delta.method, delta.source)


def _tightest(
    measures: Measures, row: CertifiedRow, delta: Fraction, *, attained: bool
) -> ApproxPoint | None:
    if _rho(measures) == 0:
        # Without a lower bound if it is unknown whether such a pair exists.
        nothing = exact(0, "pure", "equal distributions")
        return ApproxPoint(delta, nothing, "pure", nothing if attained else None)
    return row.epsilon_at(delta)


def _rho(measures: Measures) -> Fraction | None:
    return min((m.rho for m in measures if isinstance(m, ZCDP)), default=None)
