"""The loss of a whole mechanism between datasets at a distance."""

from __future__ import annotations

from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms import MECHANISMS
from semiaudit.model.guarantee import Alternative
from semiaudit.model.measure import Measure
from semiaudit.model.mechanism import Composition, Declared, Mechanism
from semiaudit.privacy.composition import compose
from semiaudit.privacy.group import group

Part = tuple[Declared, int]
Loss = tuple[tuple[Measure, ...], tuple[Alternative, ...]]


def loss_at(mechanism: Mechanism, distance: int) -> Loss:
    """What holds between datasets at ``distance``, and the other order of composition.

    Args:
        mechanism: one declared guarantee, or a composition within one family.
        distance: 1 or more, under an adjacency metric.

    Returns:
        The measures by Proposition 21's better order (each part taken to the distance, then
        composed), and for a composition the other order as an alternative.

    Raises:
        RefusedError: the parts are of different families.
    """
    parts = flattened(mechanism)
    at_one = [(MECHANISMS[part.kind](part.measure), repeat) for part, repeat in parts]
    best = compose([(group(measures, distance), repeat) for measures, repeat in at_one])
    if (len(parts) == 1 and parts[0][1] == 1) or distance == 1:
        return best, ()
    return best, (Alternative("composition_first", group(compose(at_one), distance)),)


def flattened(mechanism: Mechanism, repeat: int = 1) -> list[Part]:
    """The declared parts of a mechanism with how often each runs; equal parts are joined.

    Raises:
        RefusedError: a part is of another family than the first.
    """
    parts = _parts(mechanism, repeat)
    if not parts:
        return []
    first = parts[0][0]
    others = [part for part, _ in parts if part.kind != first.kind]
    if others:
        raise RefusedError(
            *(
                Refusal(
                    f"a {part.kind} part cannot be composed with a {first.kind} part yet",
                    "state all parts in one family",
                    "mechanism.compose",
                    part.mark.line,
                    part.mark.column,
                )
                for part in others
            )
        )
    joined: dict[Measure, Part] = {}
    for part, number in parts:
        known = joined.get(part.measure, (part, 0))
        joined[part.measure] = (known[0], known[1] + number)
    return list(joined.values())


def _parts(mechanism: Mechanism, repeat: int) -> list[Part]:
    if isinstance(mechanism, Declared):
        return [(mechanism, repeat)]
    assert isinstance(mechanism, Composition)
    return [part for inner, times in mechanism.parts for part in _parts(inner, times * repeat)]
