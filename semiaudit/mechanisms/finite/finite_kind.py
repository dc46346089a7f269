"""A finite mechanism, given by its probabilities, for every pair of datasets within a distance.

All pairs are enumerated, in D and inside D_t, so group privacy by steps and an adjacency metric are
not needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import ClassVar, assert_never

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms import declared, supports
from semiaudit.mechanisms.finite.lipschitz import DatasetSample, Law, lipschitz_constant
from semiaudit.mechanisms.kind import (
    NO_SUBSPACE,
    Asked,
    DatasetPairs,
    Deferred,
    KnownLoss,
    Measures,
    MechanismKind,
    Sampler,
)
from semiaudit.model.building_blocks import Divergence
from semiaudit.model.dataspace import ListedSpace, ProductSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.measure import ZCDP, Measure, PureDP
from semiaudit.model.mechanism import Finite
from semiaudit.privacy.finite_products import FiniteProduct
from semiaudit.privacy.group import group
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.privacy.rounded_laws import pair_of_laws
from semiaudit.privacy.worst_pairs import measures_of_products
from semiaudit.universe.explicit import datasets_of
from semiaudit.universe.population import Population, Seen, population
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

DIVERGENCES: tuple[Divergence, ...] = ("mult", "d_nor")

SHOWN = (
    "every output is possible in one universe only: it reveals the invariants, so an attacker can "
    "always distinguish datasets whose invariants differ"
)


@dataclass(frozen=True, slots=True)
class FiniteKind(MechanismKind[Finite]):
    """A finite mechanism: pairs of rows for neighboring datasets."""

    standard: str
    has_steps: ClassVar[bool] = False

    def loss(self, part: Finite, pairs: DatasetPairs, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss over all pairs of the universe within the distance.

        By steps, group privacy. Outcomes have no coordinates to project, if there are invariants.
        """
        match pairs.way:
            case "change":
                return KnownLoss(_of_pairs(part, pairs.distance, pairs.universe, spaces))
            case "projected" if spaces.release.invariants:
                return KnownLoss(refused=NO_SUBSPACE)
            case "steps" if pairs.universe == "D_t":
                return self._by_units(part, pairs.distance, spaces)
            case "steps" | "projected":
                return KnownLoss(group(_of_pairs(part, 1, "D", spaces), pairs.distance))
            case "published":
                return KnownLoss()
            case _:
                assert_never(pairs.way)

    def refusal(self, part: Finite, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Refuse datasets that disagree if every output can occur in one universe only, and there
        are several. No privacy definition is refused.
        """
        if asked != "disagreeing" or not spaces.release.invariants or part.query is not None:
            return ""
        unpublished = replace(spaces.release, published=None)
        everyone = population(unpublished, "D_t")
        if everyone is None or len(set(everyone.universe)) < 2:
            return ""
        laws = laws_by_seen(part, spaces)
        owners: dict[int, set[int]] = {}
        for seen, universe in zip(everyone.seen, everyone.universe, strict=True):
            for outcome, share in enumerate(laws[seen]):
                if share:
                    owners.setdefault(outcome, set()).add(universe)
        return SHOWN if all(len(datasets) == 1 for datasets in owners.values()) else ""

    def _by_units(self, part: Finite, distance: int, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss by steps: group privacy.

        If the output shows the invariants, so that nothing holds in D, the Lipschitz constants
        inside D_t are used, which are suprema: distance k loses at most k times as much.
        """
        if not self.refusal(part, "disagreeing", spaces):
            return KnownLoss(group(_of_pairs(part, 1, "D", spaces), distance))
        if part.rtol:
            return KnownLoss()
        law_of, people = seen_laws(part, "D_t", spaces)
        sample = DatasetSample(
            [law_of(seen) for seen in people.seen], people.names, people.distances
        )
        groups: dict[int, list[int]] = {}
        for place, universe in enumerate(people.universe):
            groups.setdefault(universe, []).append(place)
        constants = {
            divergence: [lipschitz_constant(sample.part(at), divergence) for at in groups.values()]
            for divergence in DIVERGENCES
        }
        ends = {
            divergence: [c.upper.sharpest for c in values if c is not None]
            for divergence, values in constants.items()
            if None not in values
        }
        measures: list[Measure] = []
        worst = max(ends.get("mult", [inf]))
        if not isinstance(worst, float):
            measures += declared.pure_dp(PureDP(distance * worst, exact=False))
        root = max(ends.get("d_nor", [inf]))
        if not isinstance(root, float):
            measures.append(ZCDP((distance * root) ** 2, exact=False))
        known = strongest(tuple(measures))
        return KnownLoss(known, supports.supremum(known, attained=True))

    def sampler(self, part: Finite) -> Sampler:
        """Sample outcomes from the distribution of the dataset."""
        return lambda spaces, seen: _OUTCOMES(part, seen, spaces)


_OUTCOMES = Deferred("semiaudit.mechanisms.finite.finite_draws", "outcome_of")


@deadline.cached(64)
def _of_pairs(
    part: Finite, distance: int, universe: UniverseName, spaces: SensitivitySpaces
) -> Measures:
    law_of, people = seen_laws(part, universe, spaces)
    laws = {(law_of(first), law_of(other)) for first, other in people.neighbours(distance)}
    rtol = part.rtol
    pairs = (pair_of_laws((p, q), rtol) for p, q in laws if p != q or rtol)
    return measures_of_products((FiniteProduct.of([pair]) for pair in pairs), attained=not rtol)


def seen_laws(
    part: Finite, universe: UniverseName, spaces: SensitivitySpaces
) -> tuple[Callable[[Seen], Law], Population]:
    """Return the law of what is seen of a dataset, and the datasets of a universe.

    Raises:
        RefusedError: there are too many datasets to enumerate, there is no table or list of them,
            or a dataset has no row.
    """
    queries = () if part.query is None else (part.query,)
    people = population(spaces.release, universe, *queries)
    if people is None:
        raise _refused(
            part,
            "has a row for each answer, but there are too many datasets to enumerate",
            "add dataspace.size, or use fewer records or cells",
        )
    laws = laws_by_seen(part, spaces)
    missing = next((at for at, seen in enumerate(people.seen) if seen not in laws), None)
    if missing is not None:
        what = f"has no row for the {people.names[missing]}, which can occur"
        raise _refused(part, what, "add a row for each one that can occur")
    return laws.__getitem__, people


def laws_by_seen(part: Finite, spaces: SensitivitySpaces) -> dict[Seen, Law]:
    """Return the row for every dataset's index in D, or for every answer."""
    if part.query is not None:
        rows = [tuple(int(k) for k in row) for row in part.rows]
        return dict(zip(rows, part.probabilities, strict=True))
    if not part.rows:
        return {(place,): law for place, law in enumerate(part.probabilities)}
    space = spaces.release.dataspace
    if not isinstance(space, ProductSpace | ListedSpace):
        raise _refused(
            part, "has rows for datasets, but the dataspace does not list its datasets", "list them"
        )
    of_dataset = dict(zip(part.rows, part.probabilities, strict=True))
    laws: dict[Seen, Law] = {}
    for place, dataset in enumerate(datasets_of(space)):
        if dataset in of_dataset:
            laws[place,] = of_dataset[dataset]
    return laws


def _refused(part: Finite, what: str, remedy: str) -> RefusedError:
    mark = part.mark
    return RefusedError(Refusal(f"finite {what}", remedy, "mechanism", mark.line, mark.column))


FINITE = FiniteKind(
    "differential privacy of a finite mechanism (tradeoff functions): the worst pair of datasets "
    "at each error rate, from its exact probabilities"
)
KINDS = {Finite: FINITE}
