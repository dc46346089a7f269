"""The privacy loss of a whole mechanism between datasets at a distance, in D or inside D_t.

There are two methods. By steps: the loss at distance 1 in D is extended to the distance by group
privacy (Propositions 11 and 15), which needs an adjacency metric. Directly: the loss of the noise
for the changes of its query between datasets at this distance (section 4), which needs a query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.kind import (
    COMPOSED,
    NEIGHBORS,
    NO_PATHS,
    STILL,
    Asked,
    DatasetPairs,
    KnownLoss,
    Measures,
    not_attained,
)
from semiaudit.mechanisms.parts import (
    Known,
    Repeated,
    best_of,
    composed,
    flattened,
    has_loss,
    have_common_pairs,
    queries_of,
    query_of,
    without_losses,
)
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.loss import PrivacyLoss, SubsampledGaussianLoss
from semiaudit.model.measure import PiecewiseLinear
from semiaudit.model.mechanism import Finite, FiniteNoise, Mechanism, Part
from semiaudit.privacy.group import group, tradeoff_of_loss
from semiaudit.privacy.ordering.implication import is_perfect, strongest

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

CHECKED = 50
"""The number of parts after which the deadline is checked: the row of a few parts is stated."""


def loss_at(
    mechanism: Mechanism,
    distance: int,
    universe: UniverseName,
    spaces: SensitivitySpaces,
    *,
    steps: bool,
    reached: bool = True,
    asked: tuple[Asked, ...] = (),
) -> KnownLoss:
    """Return the best known measures of each kind between datasets of a universe up to a distance.

    Inside D_t, the remark says that a part's query cannot change up to the distance (E15).

    Each part is extended to the distance before the parts are composed (Proposition 21).

    Args:
        mechanism: one part or a composition.
        distance: 1 or more.
        universe: whether the datasets are anywhere in D, or both in D_t.
        spaces: the sensitivity spaces of the queries; not used for parts without a query.
        steps: whether the metric is an adjacency metric on D (Definition 1).
        reached: whether two datasets of D are exactly at this distance; if not, no pair of datasets
            is known to attain the loss of this number of steps.
        asked: what the loss is for.

    Returns:
        The loss; refused if a part can have no number for what is asked, or needs steps that the
        metric lacks; without measures if a sensitivity has no finite bound.

    Raises:
        RefusedError: noise on the integers is added to an answer that need not be an integer.
    """
    change = DatasetPairs(universe, distance, "change", asked)
    (rest, known_parts), remark = _together(mechanism, change, spaces), ""
    for part, repeat in _in_time(rest):
        kind, stepwise = kind_of(part), Measures()
        if distance > 1 and not steps and _needs_steps(part):
            return KnownLoss(refused=NO_PATHS)
        direct = kind.known(part, change, spaces)
        if direct.refused:
            return direct
        remark = remark or direct.remark
        if steps or distance == 1:
            stepwise = kind.loss(part, DatasetPairs(universe, distance, "steps"), spaces).measures
        if universe == "D_t" or not reached:
            stepwise = not_attained(stepwise)
        # Both ways bound the loss of the part, so the better measure of each kind is valid. The
        # worst pair of the steps need not be a pair of D_t, nor one at a distance that no two
        # datasets have, so it is not called attained.
        known_parts.append((part, strongest(direct.measures, stepwise), repeat))
    by_steps = all(_needs_steps(part) for part, _, _ in known_parts)
    separate = _composed(known_parts, together=universe == "D" and by_steps)

    def further() -> Measures:
        grouped = group(_nominal(mechanism, spaces), distance)
        return not_attained(grouped) if steps else ()

    measures = _against_common_pairs(
        separate, known_parts, DatasetPairs(universe, distance), mechanism, spaces, further
    )
    if measures and universe == "D_t":
        changes = (spaces.within(query, distance) for query in queries_of(mechanism))
        remark = STILL if any(change.l1.value == 0 for change in changes) else remark
    return KnownLoss(measures, remark)


def loss_by_steps(
    mechanism: Mechanism,
    distance: int,
    spaces: SensitivitySpaces,
    asked: tuple[Asked, ...] = (),
) -> KnownLoss:
    """Return f composed with itself ``distance`` times, f the loss of one unit of distance.

    The result is valid in every D_t under an adjacency metric, and in D if no part shows the
    invariants. The remark says whether it is a supremum or a bound, if it is not that of one record
    in D.
    Source: Cho and Awan, Proposition 15; parts are extended to the distance first, then composed
    (Proposition 21).
    """
    rest, known_parts, remarks = list(flattened(mechanism)), list[Known](), list[str]()
    if distance == 1:
        anywhere = DatasetPairs("D", asked=("disagreeing", *asked))
        rest, known_parts = _together(mechanism, anywhere, spaces)
    units = DatasetPairs("D_t", distance, "steps", asked)
    for part, times in _in_time(rest):
        unit = kind_of(part).known(part, units, spaces)
        if unit.refused:
            return unit
        known_parts.append((part, unit.measures, times))
        remarks += [unit.remark] if unit.remark else []
    separate = _composed(known_parts)
    anywhere = DatasetPairs("D", distance)
    known = _against_common_pairs(separate, known_parts, anywhere, mechanism, spaces, listed=False)
    if not has_loss(separate):
        # No steps are known for a product.
        known = without_losses(known)
    remark = COMPOSED if remarks and len(flattened(mechanism)) > 1 else "".join(remarks)
    return KnownLoss(not_attained(known), remark)


def loss_by_published_bounds(
    mechanism: Mechanism, distance: int, spaces: SensitivitySpaces
) -> Measures:
    """Return ``loss_by_steps`` with published bounds for parts that have better ones of their own.

    Empty if no part has one.
    """
    bounds, units = (DatasetPairs("D_t", distance, way) for way in ("published", "steps"))
    parts = flattened(mechanism)
    published = {
        part: kind_of(part).loss(part, bounds, spaces).measures for part, _ in _in_time(parts)
    }
    if not any(published.values()):
        return ()
    known_parts = [
        (part, published[part] or kind_of(part).loss(part, units, spaces).measures, times)
        for part, times in _in_time(parts)
    ]
    return not_attained(_composed(known_parts))


def loss_composition_first(
    mechanism: Mechanism, distance: int, spaces: SensitivitySpaces
) -> Measures | None:
    """Return the other order of Proposition 21: compose the parts at distance 1, then extend.

    None if there is no other order: one part that runs once, or distance 1.
    """
    parts = flattened(mechanism)
    if distance == 1 or sum(times for _, times in parts) == 1:
        return None
    unit = _nominal(mechanism, spaces, polygon=True)
    return not_attained(group(_with_pairs(unit), distance))


def _with_pairs(unit: Measures) -> Measures:
    """Add the (epsilon, delta) pairs of sampled noise, whose loss has no known steps.

    They are much tighter than its mu, which is that of the noise without sampling.
    """
    if any(isinstance(measure, PiecewiseLinear) for measure in unit):
        return unit
    sampled = [
        measure
        for measure in unit
        if isinstance(measure, PrivacyLoss)
        and any(isinstance(pair, SubsampledGaussianLoss) for pair, _ in measure.parts)
    ]
    if not sampled:
        return unit

    return (*unit, *map(tradeoff_of_loss, sampled))


def loss_projected(
    mechanism: Mechanism, spaces: SensitivitySpaces, asked: tuple[Asked, ...] = ()
) -> KnownLoss:
    """Return the measures at distance 1 in D for outputs projected on null(C), where T = C phi.

    Gaussian noise uses the projected sensitivity; any other part keeps its nominal loss, because
    projecting is post-processing. Refused if T is not linear in a part's query.

    Source: Cho and Awan, Definition 10 (as meant: E21); Gao, Gong and Yu, Propositions 2.7, 2.9
    and Corollary 3.2.
    """
    known_parts: list[Known] = []
    for part, times in _in_time(flattened(mechanism)):
        known = kind_of(part).known(part, DatasetPairs(way="projected", asked=asked), spaces)
        if known.refused:
            return known
        known_parts.append((part, known.measures, times))
    nominal = _nominal(mechanism, spaces)
    return KnownLoss(not_attained(best_of(nominal, _composed(known_parts))))


def _needs_steps(part: Part) -> bool:
    return kind_of(part).has_steps and query_of(part) is None


def _in_time(parts: Iterable[Repeated]) -> Iterator[Repeated]:
    for place, part in enumerate(parts):
        if not place % CHECKED:
            deadline.check(deadline.GRACE)
        yield part


def _nominal(mechanism: Mechanism, spaces: SensitivitySpaces, *, polygon: bool = False) -> Measures:
    """Return the measures at distance 1 in D; for ``polygon`` see ``composition.compose``."""
    rest, known_parts = _together(mechanism, NEIGHBORS, spaces)
    if polygon and not any(
        isinstance(m, PiecewiseLinear) for _, known, _ in known_parts for m in known
    ):
        rest, known_parts = list(flattened(mechanism)), []
    known_parts += [
        (part, kind_of(part).loss(part, NEIGHBORS, spaces).measures, times)
        for part, times in _in_time(rest)
    ]
    separate = _composed(known_parts, polygon=polygon)
    return _against_common_pairs(separate, known_parts, NEIGHBORS, mechanism, spaces)


def _against_common_pairs(
    separate: Measures,
    parts: Sequence[Known],
    pairs: DatasetPairs,
    mechanism: Mechanism,
    spaces: SensitivitySpaces,
    otherwise: Callable[[], Measures] = tuple,
    *,
    listed: bool = True,
) -> Measures:
    """Return the joint measures; ``separate`` if the parts' own worst pairs are enough."""
    if not separate or not have_common_pairs(parts):
        return separate
    from semiaudit.mechanisms.joint import JointLoss  # parts without a query need no common pairs

    joint = JointLoss(tuple(parts), queries_of(mechanism), spaces)
    return joint.measures(separate, pairs.distance, pairs.universe, otherwise, listed=listed)


def _together(
    mechanism: Mechanism, pairs: DatasetPairs, spaces: SensitivitySpaces
) -> tuple[list[Repeated], list[Known]]:
    """Separate the parts with a law for each dataset (one joint part, run once) from the others.

    The joint part is returned with its measures; there is none if one of them is refused.
    """
    parts = list(flattened(mechanism))
    if sum(isinstance(part, Finite | FiniteNoise) for part, _ in parts) < 2:
        return parts, []
    from semiaudit.mechanisms.finite.together import together  # few specs have such parts

    lawful, measures = together(parts, pairs, spaces)
    if not lawful:
        return parts, []
    return [other for other in parts if other not in lawful], [(lawful[0][0], measures, 1)]


def _composed(parts: Sequence[Known], *, together: bool = False, polygon: bool = False) -> Measures:
    """Compose parts, each with its own worst pair of datasets.

    Args:
        together: whether the worst pairs of all parts are one pair of datasets.
        polygon: see ``composition.compose``.
    """
    total = composed(((measures, times) for _, measures, times in parts), polygon=polygon)
    losing = [measures for _, measures, _ in parts if not is_perfect(measures)]
    return total if together or len(losing) < 2 else not_attained(total)
