"""The findings of an audit: facts that its numbers do not show. Rule ids are stable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import assert_never
from unicodedata import normalize

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import NOWHERE
from semiaudit.frameworks.context import Context
from semiaudit.mechanisms.kind import NO_PATHS
from semiaudit.mechanisms.parts import assumed_parts, flattened, for_neighbors
from semiaudit.mechanisms.randomizers import BATCHES, subsampled_gaussian
from semiaudit.model.adjacency import Neighbors, Reading, assumed_neighbors, has_places, per_record
from semiaudit.model.audit import LEVELS, Finding, Release
from semiaudit.model.bound import upper
from semiaudit.model.frameworks import ADVERTISED, LEADING
from semiaudit.model.guarantee import FrameworkGuarantee, GuaranteeRow
from semiaudit.model.invariants import known
from semiaudit.model.labels import NOT_APPLICABLE, label
from semiaudit.model.loss import PrivacyLoss, WorstLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.model.mechanism import Declared, Finite, FiniteNoise, SubsampledGaussian
from semiaudit.model.number_text import bound_text
from semiaudit.model.rules import (
    ATTRIBUTE_DISCLOSED,
    DATASET_DISCLOSED,
    DISTANCE_BELOW_A,
    GROUP_DISCLOSED,
    LEVELS_ALIKE,
    LINES_BETWEEN_POINTS,
    METRIC_WITHOUT_PLACES,
    NEIGHBORS_ASSUMED,
    NOT_CONNECTED,
    NOT_COVERED,
    NOT_POISSON,
    OPEN_INTERVAL,
    PLACEHOLDER,
    READING_AS_PRINTED,
    REFUSED,
    ROUNDED_PROBABILITIES,
    RULES,
    SEVERAL_RELEASES,
    TABLE_DISCLOSED,
    finding_of,
)
from semiaudit.model.semi_adjacency import OwnInvariants, Parameter, Universe
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.limits import can_certify
from semiaudit.numeric.rationals import rational_text
from semiaudit.privacy.epsilons import epsilons_at
from semiaudit.privacy.loss import Accuracy


def assumed_relation(context: Context) -> list[Finding]:
    """Return the finding that the spec does not name the neighboring datasets of its numbers.

    It compares the number of the assumed relation with that of the other one, for two datasets of
    one size that differ in one record.
    """
    parts = assumed_parts(context.made)
    if not parts:
        return []
    assumed = assumed_neighbors(context.adjacency.metric)
    other: Neighbors = "add_remove" if assumed == "replace_one" else "replace_one"
    kinds = " and ".join(dict.fromkeys(part.kind for part in parts))
    message = (
        f"the spec does not say for which neighboring datasets the numbers of {kinds} hold "
        f"(neighbors); {label(assumed)} is assumed: {_of_the_other(context, other)}"
    )
    return [finding_of(NEIGHBORS_ASSUMED, message, parts[0].mark, "neighbors")]


def _of_the_other(context: Context, other: Neighbors) -> str:
    distance = per_record(context.adjacency.metric)
    try:
        deadline.check(deadline.GRACE)
        changed = replace(context, mechanism=for_neighbors(context.mechanism, other))
        losses = [case.loss_at(distance, "D", "nominal_dp") for case in (changed, context)]
        why = losses[0].refused
        if why and why != NO_PATHS:
            return why
        then, now = (_leading(loss.measures) for loss in losses)
    except OutOfTimeError:
        now = then = None
    if now is None or then is None:
        return f"the numbers for {label(other)} differ"
    return f"if they hold for {label(other)}, {then} at distance {distance}, instead of {now}"


def _leading(measures: Sequence[Measure]) -> str | None:
    """Return the number of the first measure that has one; None if there is only a function."""
    for measure in measures:
        match measure:
            case GDP(mu_squared):
                return f"μ = {_text(Fraction(Interval.of(mu_squared).sqrt().high))}"
            case PureDP(epsilon):
                return f"ε = {_text(epsilon)}"
            case ZCDP(rho):
                return f"ρ = {_text(rho)}"
            case ApproxDP(epsilon, delta):
                return f"ε = {_text(epsilon)} at δ = {_text(delta)}"
            case ApproxZCDP() | PiecewiseLinear() | PrivacyLoss() | WorstLoss():
                continue
            case _:
                assert_never(measure)
    return None


_ROUGHLY = 1e-3
"""The relative width of a number that only another accountant reports."""


def other_sampling(context: Context, delta: Fraction, accuracy: Accuracy) -> list[Finding]:
    """Return that batches are not Poisson samples, with what accountants of these report at delta.

    Accountants of private gradient descent compare datasets by add/remove.
    """
    findings = []
    for part, _ in flattened(context.made):
        if not isinstance(part, SubsampledGaussian) or part.sampling == "poisson":
            continue
        poisson = replace(part, sampling="poisson", removals=1)
        then = _epsilon(poisson, delta, replace(accuracy, tolerance=_ROUGHLY))
        now = _epsilon(part, delta, accuracy)
        relation = label("replace_one" if part.removals == 2 else "zero_out")
        message = (
            f"{BATCHES[part.sampling]} are no Poisson samples, for which accountants report "
            f"{then} at δ = {rational_text(delta)} (add/remove): here it is {now} ({relation})"
        )
        findings.append(finding_of(NOT_POISSON, message, part.mark, "sampling"))
    return findings


def rounded_probabilities(context: Context) -> list[Finding]:
    """Return what the spec claims of probabilities that are not exact."""
    findings = []
    for part, _ in flattened(context.made):
        if not isinstance(part, Finite | FiniteNoise) or not part.rtol:
            continue
        laws = part.laws if isinstance(part, FiniteNoise) else part.probabilities
        zeros = sum(not share for law in laws for share in law)
        message = f"each probability is right up to a relative {float(part.rtol):g}, the spec says"
        if zeros:
            which = f"all {zeros} that are 0" if zeros > 1 else "the one that is 0"
            message += f"; {which} must be exactly 0"
        lacking = max(1 - sum(law, Fraction(0)) for law in laws)
        if lacking > part.rtol:
            message += f"; a sum lacks up to {_text(lacking)}, which is added to δ"
        findings.append(finding_of(ROUNDED_PROBABILITIES, message, part.mark))
    return findings


def _epsilon(part: SubsampledGaussian, delta: Fraction, accuracy: Accuracy) -> str:
    """Return ε of the part alone, or its bounds if they differ."""
    points, _ = epsilons_at(subsampled_gaussian(part, 1), delta, accuracy)
    known = [point.epsilon_lower for point in points if point.epsilon_lower is not None]
    if not points:
        return "no finite ε"
    above = bound_text(points[0].epsilon)
    below = bound_text(max(known, key=lambda bound: bound.sharpest)) if known else "0"
    return f"ε = {above}" if part.sampling == "poisson" else f"ε in [{below}, {above}]"


def _text(value: Fraction) -> str:
    return bound_text(upper(value, "", ""))


NOT_PROVEN = "no effective guarantee is proven"

SHOWN_GROUPS = 5
"""The most groups that one finding names; the JSON report lists them all."""


def findings_of(
    release: Release,
    universe: Universe,
    rows: Sequence[GuaranteeRow],
    connected: bool | None,
    others: Sequence[Finding],
) -> tuple[Finding, ...]:
    """Return every finding of an audit, errors first, then in the order of their rules.

    Args:
        connected: whether D_t is connected at the distance in use; None if unknown.
        others: findings that need the losses of the mechanism.

    Raises:
        RefusedError: the kind of an invariant is unknown.
    """
    known([publication.invariant for publication in release.published_invariants])
    findings = [
        *_placeholder(release),
        *_levels_alike(release),
        *_disclosure(release, universe),
        *_coverage(release, universe, rows),
        *_distance(release, universe),
        *_metric(release),
        *_releases(release, universe),
        *_refusals(release, universe, rows),
        *_lines_between_points(release),
        *others,
    ]
    if connected is False:
        message = (
            "Dₜ is not connected at the distance in force: no guarantee here protects what "
            "distinguishes its parts (erratum E9)"
        )
        findings.append(finding_of(NOT_CONNECTED, message, release.first_invariant))
    return tuple(sorted(findings, key=lambda finding: (LEVELS.index(finding.level), finding.rule)))


def _lines_between_points(release: Release) -> list[Finding]:
    message = (
        "the lines between the points of the tradeoff function are part of the claim; if the "
        "points belong to a curved function, declare its (ε, δ) pairs as a profile"
    )
    return [
        finding_of(LINES_BETWEEN_POINTS, message, part.mark)
        for part, _ in flattened(release.mechanism)
        if isinstance(part, Declared) and part.kind == "tradeoff"
    ]


def _placeholder(release: Release) -> list[Finding]:
    if release.placeholder is None:
        return []
    message = (
        "leaves_out says that the spec has a placeholder; replace the mechanism, and remove the "
        "entry"
    )
    return [finding_of(PLACEHOLDER, message, release.placeholder, "leaves_out")]


def _levels_alike(release: Release) -> Iterator[Finding]:
    for attribute in getattr(release.dataspace, "attributes", ()):
        levels = () if isinstance(attribute.levels, int) else attribute.levels
        forms: dict[str, str] = {}
        for level in (level for level in levels if isinstance(level, str)):
            other = forms.setdefault(normalize("NFC", level), level)
            if other != level:
                message = (
                    f"two levels of {attribute.name} differ only in their Unicode form: "
                    f"{other!a} and {level!a}; write them in one form"
                )
                key = f"attribute {attribute.name}"
                yield finding_of(LEVELS_ALIKE, message, attribute.mark, key)
                break


def _disclosure(release: Release, universe: Universe) -> list[Finding]:
    mark = release.first_invariant
    disclosed = universe.disclosed
    if universe.semi_adjacency.covering.upper == 0:
        message = "the invariants disclose the whole dataset: Dₜ has only one dataset"
        return [finding_of(DATASET_DISCLOSED, message, mark)]
    findings = []
    if disclosed.table_is_public:
        message = (
            "the invariants disclose the whole table; only which record belongs to whom stays "
            "hidden"
        )
        findings.append(finding_of(TABLE_DISCLOSED, message, mark))
    for name, level in disclosed.constant_attributes or ():
        message = f"the invariants show that everyone has {name} = {level}"
        findings.append(finding_of(ATTRIBUTE_DISCLOSED, message, mark, f"attribute {name}"))
    return [*findings, *_constant_groups(release, universe)]


def _constant_groups(release: Release, universe: Universe) -> list[Finding]:
    groups = universe.disclosed.constant_groups or ()
    if not groups:
        return []
    descriptions = [(f"{name} = {level}", ", ".join(map(str, who))) for who, name, level in groups]
    shown = [f"{level} where {who}" for level, who in descriptions[:SHOWN_GROUPS]]
    more = len(descriptions) - SHOWN_GROUPS
    if more > 0:
        shown.append(f"and {more} more groups")
    all_shown = "; ".join(shown)
    message = f"the invariants show an attribute of everyone in a group: {all_shown}"
    return [finding_of(GROUP_DISCLOSED, message, release.first_invariant)]


def _metric(release: Release) -> list[Finding]:
    metric = release.adjacency.metric
    if has_places(metric):
        return []
    message = (
        f"the {label(metric)} compares tables, so who has which record is not protected; it "
        f"differs from the {label('hamming')} (erratum E38)"
    )
    return [finding_of(METRIC_WITHOUT_PLACES, message, release.adjacency.mark)]


def _releases(release: Release, universe: Universe) -> list[Finding]:
    if len(release.parts) < 2:
        return []
    own = universe.semi_adjacency.own
    covered = "all their invariants" if own is None else own.covered
    number = len(release.parts)
    more = "" if own is None else f"; {own.not_joint}"
    message = (
        f"{number} releases are audited together: a(t) is that of {covered} together, and it can "
        f"be larger than the a(t) of each release alone (Remark 22){more}"
    )
    return [finding_of(SEVERAL_RELEASES, message, release.first_invariant)]


def _coverage(release: Release, universe: Universe, rows: Sequence[GuaranteeRow]) -> list[Finding]:
    if universe.neighbors_agree:
        return []
    verb = "does not" if universe.restricts else "is not known to"
    what = f"the advertised guarantee {verb} cover the invariants, which are published exactly"
    if any(row.guarantee.framework == ADVERTISED and row.guarantee.refused for row in rows):
        what = "no guarantee is advertised for datasets whose invariants differ"
    return [finding_of(NOT_COVERED, what, release.first_invariant)]


def _distance(release: Release, universe: Universe) -> list[Finding]:
    adjacency, semi = release.adjacency, universe.semi_adjacency.joint
    findings: list[Finding | None] = []
    as_printed = _as_printed(adjacency.reading)
    if as_printed:
        message = (
            "the guarantees use Definition 13: some dataset in Dₜ may have no counterpart at this "
            "distance (erratum E1)"
        )
        findings.append(finding_of(READING_AS_PRINTED, message, adjacency.mark))
    upper = semi.covering.upper
    distance = adjacency.distance
    if distance is not None and (upper is None or distance < upper):
        bounds = _bound_text(semi.covering)
        message = (
            f"adjacency.distance {distance} is below covering a(t) ({bounds}): some changes of a "
            "record are not covered"
        )
        if upper is None and distance >= semi.covering.lower:
            message = (
                f"adjacency.distance {distance} may be below covering a(t), which has no proven "
                "finite upper bound: some changes of a record may not be covered"
            )
        findings.append(finding_of(DISTANCE_BELOW_A, message, adjacency.mark))
    if semi.own is not None:
        return [*filter(None, findings), _not_joint(release, universe, semi.own)]
    findings += [_open(release, "covering", semi.covering)]
    if as_printed:
        findings += [_open(release, "definition_13", semi.definition_13)]
    return [finding for finding in findings if finding is not None]


def _not_joint(release: Release, universe: Universe, own: OwnInvariants) -> Finding:
    alone = universe.semi_adjacency.chosen
    value = "not established" if alone.value is None else str(alone.value)
    value = value if alone.value in (None, alone.lower) else f"at most {value}"
    message = f"a(t) of {own.covered} is {value}; {own.not_joint}, which may be larger or smaller"
    return finding_of(OPEN_INTERVAL, message, release.first_invariant, "a(t) joint")


def _as_printed(reading: Reading) -> bool:
    match reading:
        case "covering":
            return False
        case "definition_13":
            return True
        case _:
            assert_never(reading)


def _open(release: Release, reading: str, parameter: Parameter) -> Finding | None:
    if parameter.lower == parameter.upper:
        return None
    lower, upper, closing = parameter.lower, parameter.upper, _what_closes(release, parameter)
    name = f"a(t) ({label(reading)})"
    text = f"{name} is only known to be in [{lower}, {upper}]; the guarantees use {upper}"
    if not parameter.established:
        text = (
            f"{name} is not established: it is at least {lower}, and its only upper bound is "
            f"the size of the datasets ({upper})"
        )
    if upper is None:
        text = f"{name} has no proven finite upper bound: it is at least {lower}"
    return finding_of(OPEN_INTERVAL, f"{text}{closing}", release.first_invariant, f"a(t) {reading}")


def _bound_text(parameter: Parameter) -> str:
    if parameter.upper is None:
        return f"at least {parameter.lower}"
    if parameter.established:
        return str(parameter.upper)
    return "not established"


def _what_closes(release: Release, parameter: Parameter) -> str:
    """Describe what can establish a(t), or narrow its interval, after a semicolon; else empty."""
    if release.induced and not getattr(release.dataspace, "attributes", ()):
        return "; add dataspace.attributes and stratify_by, which show which counts swapping keeps"
    if release.published is None and parameter.method in ("supremum_over_t", "none"):
        return "; the published counts (add data) may narrow the interval"
    ways = _ways(parameter)
    if not ways:
        return ""
    ways_text = ", or ".join(ways)
    comma = "," if len(ways) > 1 else ""
    return f"; {ways_text}{comma} may narrow the interval"


def _ways(parameter: Parameter) -> list[str]:
    ways = []
    if parameter.method == "integer_program":
        ways.append("a longer --time-limit")
        if not can_certify():
            way = "the exact solver of pip install 'semiaudit[certify]'"
            ways.append(way)
    if not parameter.established:
        way = "coarser attributes, or a margin instead of several counts"
        ways.append(way)
    return ways


def _what_helps(release: Release, universe: Universe, guarantee: FrameworkGuarantee) -> str:
    chosen = universe.semi_adjacency.chosen
    if guarantee.distance is not None or chosen.established:
        return ""
    return _what_closes(release, chosen)


def _refusals(release: Release, universe: Universe, rows: Sequence[GuaranteeRow]) -> list[Finding]:
    if universe.semi_adjacency.covering.upper == 0:
        return []
    findings = []
    for row in rows:
        guarantee = row.guarantee
        if guarantee.refused:
            level = RULES[REFUSED].level if guarantee.framework == LEADING else "note"
            name, closing = guarantee.framework, _what_helps(release, universe, guarantee)
            what = f"{NOT_PROVEN}: " if name == LEADING else label(name) + NOT_APPLICABLE
            message = f"{what}{guarantee.refused}{closing}"
            mark = getattr(release.dataspace, "mark", NOWHERE)
            findings.append(Finding(REFUSED, level, message, mark, name))
    return findings
