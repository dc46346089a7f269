"""How the guarantees of two releases stand to each other, or why they do not (Definition 20)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from semiaudit import deadline
from semiaudit.commands.compare.experiments import experiments_of, is_finite
from semiaudit.commands.compare.model import Compared, Experiments, Obstacle, Standing, Standings
from semiaudit.commands.compare.universes import (
    Containment,
    containment,
    restricted,
    same_domain,
)
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.audit import Audit
from semiaudit.model.frameworks import FRAMEWORKS, FrameworkName
from semiaudit.model.guarantee import Guarantee, Numbers, Row
from semiaudit.numeric.rationals import rational_text
from semiaudit.privacy.ordering.bundles import StatedOrder, is_exact, order_of_bundles

NOT_KNOWN = "a report does not contain the values of the invariants, so that Dₜ can be different"
OTHER_UNIVERSE = "different universes: neither Dₜ is known to be a part of the other one"
OTHER_UNIVERSES = (
    "different universes: they do not publish the same invariants with the same values"
)
OTHER_OUTPUT = "different outputs: the invariants are not known to be the same"


@dataclass(frozen=True, slots=True)
class Side:
    """One release of a comparison; the audit is None where all that is known is a report."""

    release: Compared
    audit: Audit | None


@dataclass(frozen=True, slots=True)
class _Place:
    """Whether two releases speak of the same things.

    Attributes:
        obstacles, told: what keeps them from being compared in any notion; empty where nothing is.
        universes: how the universes D_t stand; None where it is not known.
        fewer: the smaller universe lacks neighbours of the larger one for sure.
    """

    obstacles: tuple[Obstacle, ...] = ()
    told: str = ""
    universes: Containment | None = None
    fewer: bool = False


def standings_of(first: Side, second: Side) -> Iterator[Standings]:
    """The standings of two releases in every notion that both have."""
    place = _place(first, second)
    others = {row.guarantee.framework: row for row in second.release.rows}
    for row in first.release.rows:
        if row.guarantee.framework in others:
            yield _standings(first.release, second.release, place, row, others)


def order_of_experiments(first: Side, second: Side) -> Experiments | None:
    """Blackwell's order of two mechanisms; None where one is not finite, or only a report."""
    if first.audit is None or second.audit is None:
        return None
    if not is_finite(first.audit) or not is_finite(second.audit):
        return None
    names = first.release.name, second.release.name
    place = _place(first, second)
    if place.obstacles:
        return Experiments(*names, "other_datasets", place.told, ())
    if place.universes != "same":
        return Experiments(*names, "other_datasets", OTHER_UNIVERSES, ())
    return experiments_of(names, first.audit, second.audit)


def _standings(
    first: Compared,
    second: Compared,
    place: _Place,
    row: Row,
    others: dict[FrameworkName, Row],
) -> Standings:
    name = row.guarantee.framework
    blank = Standings(name, first.name, second.name, "none", "")
    other = others[name]
    missing = [s.name for s, r in ((first, row), (second, other)) if not r.guarantee.measures]
    if missing:
        told = f"{' and '.join(missing)} {'have' if len(missing) > 1 else 'has'} no such guarantee"
        return replace(blank, explanation=told, obstacles=("refused",))
    if place.obstacles:
        return replace(blank, explanation=place.told, obstacles=place.obstacles)
    universes = _universes(name, place.universes)
    if universes is None or universes == "other":
        told = NOT_KNOWN if universes is None else OTHER_UNIVERSE
        told = told if FRAMEWORKS[name].of_the_output else OTHER_OUTPUT
        return replace(blank, explanation=told, obstacles=("universe",))
    fewer = place.fewer and FRAMEWORKS[name].universe == "D_t"
    try:
        deadline.check()
        return _ordered(blank, universes, row, other, restricts=fewer)
    except OutOfTimeError:
        told = "the time limit was reached before they were compared; raise --time-limit"
        return replace(blank, explanation=told, obstacles=("time",))


def _universes(name: FrameworkName, found: Containment | None) -> Containment | None:
    """Where the datasets of a notion's pairs lie, in the first against the second.

    A notion of another output than the release's own has to have the same output in both, which
    it has where they publish the same invariants.
    """
    framework = FRAMEWORKS[name]
    if not framework.of_the_output:
        return found if found in (None, "same") else "other"
    return "same" if framework.universe == "D" else found


def _place(first: Side, second: Side) -> _Place:
    """What is the same in both: domain, unit, metric; and how the universes stand."""
    one, other = first.release, second.release
    metrics = one.semi_adjacency.metric, other.semi_adjacency.metric
    if first.audit is not None and second.audit is not None:
        domains = same_domain(first.audit.release, second.audit.release)
    else:
        domains = one.statement.domain == other.statement.domain and _tells(one.statement.domain)
    differing: list[tuple[Obstacle, str]] = []
    if not domains:
        alike = one.from_report or other.from_report
        alike = alike and one.statement.domain == other.statement.domain
        told = "a report does not describe its whole domain" if alike else "different domains"
        differing.append(("domain", told))
    if one.unit != other.unit:
        differing.append(("unit", f"different units ({one.unit}; {other.unit})"))
    if metrics[0] != metrics[1]:
        told = f"different metrics ({metrics[0]}; {metrics[1]}: erratum E38)"
        differing.append(("metric", told))
    if differing:
        told = ", ".join(text for _, text in differing)
        return _Place(tuple(name for name, _ in differing), told)
    if first.audit is not None and second.audit is not None:
        found = containment(first.audit, second.audit)
        pair = (first.audit, second.audit) if found == "inside" else (second.audit, first.audit)
        return _Place(universes=found, fewer=found in ("inside", "around") and restricted(*pair))
    whole = [not side.invariants for side in (one, other)]
    if all(whole):
        return _Place(universes="same")
    if any(whole):
        return _Place(universes="around" if whole[0] else "inside")
    return _Place()


def _tells(domain: str) -> bool:
    """Whether a sentence on the domain says all there is of it but the names of levels."""
    return not any(word in domain for word in ("impossible", "within", "listed", "..."))


def _ordered(
    blank: Standings, universes: Containment, row: Row, other: Row, *, restricts: bool
) -> Standings:
    """The order of two stated guarantees whose domain, unit and metric are the same."""
    ours, theirs = row.guarantee, other.guarantee
    found = order_of_bundles(ours.measures, theirs.measures)
    fewer = _fewer(universes, ours, theirs)
    if fewer is None:
        told = (
            "each covers pairs that the other one does not: one has the larger distance, the other "
            "one the larger universe"
        )
        return replace(blank, explanation=told, obstacles=("pairs",))
    if found.order == "incomparable":
        return _crossing(blank, found)
    if found.order == "undecided":
        return _undecided(blank, row.numbers, other.numbers)
    if fewer == "same":
        return _standing(blank, found.order, found.strict, ours, theirs)
    weaker: Standing = "weaker" if fewer == "first" else "stronger"
    if found.order in ("equal", weaker):
        return _standing(blank, weaker, found.strict or restricts or None, ours, theirs)
    names = (blank.first, blank.second) if fewer == "first" else (blank.second, blank.first)
    told = f"{names[0]} covers fewer pairs than {names[1]}, and guarantees more for them"
    if found.strict is None:
        told = f"{names[0]} covers fewer pairs than {names[1]}, and guarantees no less for them"
    return replace(blank, explanation=told, obstacles=("pairs",))


def _fewer(universes: Containment, ours: Guarantee, theirs: Guarantee) -> str | None:
    """Which covers fewer pairs: ``first``, ``second`` or ``same``; None where each lacks some."""
    if ours.distance is None or theirs.distance is None:
        return None
    inside = universes in ("same", "inside") and ours.distance <= theirs.distance
    around = universes in ("same", "around") and ours.distance >= theirs.distance
    if inside and around:
        return "same"
    if inside or around:
        return "first" if inside else "second"
    return None


def _standing(
    blank: Standings, order: Standing, strict: bool | None, ours: Guarantee, theirs: Guarantee
) -> Standings:
    """An order, in words: of what is stated, since bounds may be loose."""
    if order == "equal":
        return replace(blank, order=order, explanation="the guarantees are equal")
    weak = ours if order == "weaker" else theirs
    bound = not is_exact(weak.measures)
    names = (blank.first, blank.second) if order == "weaker" else (blank.second, blank.first)
    told = f"{names[0]} is {'weaker' if strict else 'no stronger'} than {names[1]}"
    if bound:
        told += f" by its upper bounds; {names[0]} can protect more"
    return replace(blank, order=order, strict=strict, explanation=told, weaker_is_a_bound=bound)


def _crossing(blank: Standings, found: StatedOrder) -> Standings:
    at = [found.first_lower_at, found.second_lower_at]
    told = "their tradeoff functions cross: " + ", and ".join(
        f"{name} is weaker at type I error {_rate(rate)}"
        for name, rate in zip((blank.first, blank.second), at, strict=True)
        if rate is not None
    )
    return replace(
        blank,
        explanation=told,
        obstacles=("crossing",),
        first_lower_at=at[0],
        second_lower_at=at[1],
    )


def _undecided(blank: Standings, ours: Numbers, theirs: Numbers) -> Standings:
    """Neither proof nor witness: what the numbers at hand say, which prove nothing."""
    told = "neither is proven to imply the other one"
    first, second = _smaller(ours, theirs), _smaller(theirs, ours)
    if first and second:
        told += (
            f"; {blank.first} has the smaller {first[0]}, {blank.second} the smaller {second[0]}"
        )
    elif first or second:
        least = blank.first if first else blank.second
        told += f"; each number that both have is smaller for {least}, or equal"
    else:
        told += "; all numbers that both have are equal"
    return replace(blank, explanation=told, obstacles=("bounds",))


def _smaller(ours: Numbers, theirs: Numbers) -> list[str]:
    """The numbers that are smaller on our side as they are printed, of those that both have."""
    pairs = [
        ("ε at δ = 0", ours.pure_dp, theirs.pure_dp),
        ("ρ", ours.zcdp, theirs.zcdp),
        ("μ", ours.gdp, theirs.gdp),
        *(
            (f"ε at δ = {rational_text(a.delta)}", a.epsilon, b.epsilon)
            for a in ours.tightest
            for b in theirs.tightest
            if a.delta == b.delta
        ),
        *(
            (f"TPR at FPR {_rate(a)}", power, other)
            for a, power in ours.tpr_at_fpr
            for b, other in theirs.tpr_at_fpr
            if a == b
        ),
        ("advantage", ours.advantage, theirs.advantage),
    ]
    return [
        name
        for name, one, other in pairs
        if one is not None and other is not None and float(one) < float(other)
    ]


def _rate(value: Fraction) -> str:
    return rational_text(value, up=False)
