"""Blackwell's order of two finite mechanisms on the same datasets, universe by universe."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from semiaudit import deadline
from semiaudit.commands.compare.model import ExperimentOrder, Experiments, Processing
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.mechanisms.finite.finite_kind import seen_laws
from semiaudit.mechanisms.parts import flattened
from semiaudit.model.audit import Audit
from semiaudit.model.mechanism import Finite
from semiaudit.numeric.limits import Limits
from semiaudit.privacy.ordering.garbling import MAX_ENTRIES, garbling_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

Law = tuple[Fraction, ...]
Universes = list[tuple[tuple[str, ...], list[Law]]]
"""For every universe, the names of its datasets, and the distribution of each."""

OTHER_DATASETS = "other datasets in their universes"
TOO_LARGE = "too many datasets or outcomes for the program that looks for a kernel"
LATE = "the time limit was reached before the comparison; raise --time-limit"


def is_finite(audit: Audit | None) -> bool:
    """Return whether the law of the whole mechanism is known for each of listed datasets."""
    if audit is None:
        return False
    parts = [part for part, _ in flattened(audit.release.mechanism)]
    return all(isinstance(part, Finite) and part.query is None for part in parts)


def experiments_of(names: tuple[str, str], first: Audit, second: Audit) -> Experiments:
    """Return which of two finite mechanisms is more informative inside the universes.

    Both have the same domain, unit, metric and universes. If t is not given, the invariants show
    the universe, and each universe has its own kernel.
    """
    blank = Experiments(*names, "undecided", TOO_LARGE, ())
    try:
        laws = _laws(first), _laws(second)
        if laws[0] is None or laws[1] is None:
            return blank
        if [datasets for datasets, _ in laws[0]] != [datasets for datasets, _ in laws[1]]:
            return Experiments(*names, "other_datasets", OTHER_DATASETS, ())
        there = _processings(names, laws[0], laws[1])
        back = _processings(names[::-1], laws[1], laws[0])
    except OutOfTimeError:
        return Experiments(*names, "undecided", LATE, ())
    except RefusedError as refused:
        return Experiments(*names, "undecided", str(refused), ())
    if there is None or back is None:
        return blank
    down, up = (all(one.kernel is not None for one in garblings) for garblings in (there, back))
    order: ExperimentOrder = "incomparable"
    if down or up:
        order = "equal" if down and up else "tells_more" if down else "tells_less"
    return Experiments(*names, order, _explanation(names, order), (*there, *back))


def _explanation(names: tuple[str, str], order: ExperimentOrder) -> str:
    first, second = names if order != "tells_less" else names[::-1]
    if order == "incomparable":
        return (
            f"neither is a garbling of the other: in some universe no kernel turns {first} into "
            f"{second}, and in some none turns {second} into {first}"
        )
    if order == "equal":
        return (
            f"kernels turn each of {first} and {second} into the other: they reveal the "
            "same about datasets that agree on the invariants"
        )
    return (
        f"{first} reveals more than {second}: in each universe, a kernel turns the "
        f"outcomes of {first} into those of {second}, but not back; {second} guarantees "
        f"everything that {first} guarantees for datasets that agree on the invariants"
    )


def _processings(
    names: tuple[str, str], source: Universes, target: Universes
) -> tuple[Processing, ...] | None:
    processings = []
    for number, ((datasets, laws), (_, others)) in enumerate(zip(source, target, strict=True)):
        deadline.check()
        garbling = garbling_of(laws, others)
        if garbling is None:
            return None
        processings.append(Processing(*names, number, datasets, garbling.kernel, garbling.reward))
    return tuple(processings)


def _laws(audit: Audit) -> Universes | None:
    spaces = SensitivitySpaces(audit.release, Limits(1.0))
    whole: list[Law] = []
    people = None
    for part, times in flattened(audit.release.mechanism):
        if not isinstance(part, Finite) or part.query is not None:
            return None
        law_of, people = seen_laws(part, "D_t", spaces)
        own = [law_of(seen) for seen in people.seen]
        for _ in range(times):
            if not whole:
                whole = own
                continue
            if len(whole[0]) * len(own[0]) > MAX_ENTRIES:
                return None
            pairs = zip(whole, own, strict=True)
            whole = [tuple(p * q for p, q in product(one, other)) for one, other in pairs]
    if people is None:
        return None
    numbers = dict.fromkeys(people.universe)
    places = [[at for at, n in enumerate(people.universe) if n == number] for number in numbers]
    return [(tuple(people.names[at] for at in own), [whole[at] for at in own]) for own in places]
