"""The worst pairs of a finite mechanism behind the rows of a report, by error rate and delta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.finite.attained import pairs_of_laws
from semiaudit.model.audit import ReportOptions
from semiaudit.model.bound import exact, upper
from semiaudit.model.frameworks import FRAMEWORKS, FrameworkName
from semiaudit.model.guarantee import GuaranteeRow, WorstPair, WorstPairs
from semiaudit.model.mechanism import Finite, FiniteNoise
from semiaudit.numeric.intervals import Interval
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    from semiaudit.mechanisms.finite.attained import Attained, PairsOfLaws

DIRECT = frozenset(
    name
    for name, framework in FRAMEWORKS.items()
    if framework.of_the_output and not framework.per_distance
)
"""Definitions that compare the laws of pairs of datasets; the others divide by distances, or
project."""

METHOD, SOURCE = "enumeration", "the exact output distributions of the two datasets"


def worst_pairs_of(
    mechanism: Finite | FiniteNoise,
    rows: Sequence[GuaranteeRow],
    options: ReportOptions,
    spaces: SensitivitySpaces,
) -> tuple[WorstPairs, ...] | None:
    """Return, for every row that compares pairs directly, the pair that is easiest to distinguish.

    Returns:
        Nothing for a mechanism with too many pairs.
    """
    worst_pairs: list[WorstPairs] = []
    for row in rows:
        stated = row.guarantee
        if stated.framework not in DIRECT or not stated.measures or not stated.distance:
            continue
        try:
            pairs = pairs_of_laws(mechanism, stated.distance, stated.universe, spaces)
        except RefusedError:
            return None
        if pairs is None:
            return None
        worst_pairs.append(_of_row(stated.framework, pairs, options))
    return tuple(worst_pairs)


def _of_row(name: FrameworkName, pairs: PairsOfLaws, options: ReportOptions) -> WorstPairs:
    rates = tuple((rate, _pair(pairs.at_rate(rate), ratio=False)) for rate in options.type_i)
    deltas = tuple((d, _pair(pairs.at_delta(d), ratio=True)) for d in options.deltas)
    return WorstPairs(name, rates, deltas)


def _pair(attained: Attained | None, *, ratio: bool) -> WorstPair | None:
    if attained is None:
        return None
    if attained.value is None:
        number = upper(float("inf"), METHOD, SOURCE)
    elif ratio:
        number = upper(Interval.of(attained.value).ln().upper_rational, METHOD, SOURCE)
    else:
        number = exact(attained.value, METHOD, SOURCE)
    two = attained.two
    return WorstPair(two.first, two.second, two.distance, number)
