"""Designs for one query and one target, each audited like a spec with that design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from semiaudit import deadline, progress
from semiaudit.auditing.counting import counted
from semiaudit.auditing.run import problems_of
from semiaudit.commands.calibrate.auditor import Auditor, CalibrationQuestion
from semiaudit.commands.calibrate.swap_rates import (
    RateAuditor,
    asked_of,
    swapping_of,
    swapping_text,
)
from semiaudit.commands.calibrate.written import CalibratedSpec
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frameworks.context import ONE_DATASET, Context
from semiaudit.library.spec import Origin, Spec
from semiaudit.mechanisms.designs import DESIGNS, NAIVE
from semiaudit.mechanisms.designs.design_inputs import facts_of
from semiaudit.mechanisms.parts import queries_of
from semiaudit.model.audit import Release
from semiaudit.model.bound import Causes, joined
from semiaudit.model.data_source import Access
from semiaudit.model.frameworks import FRAMEWORKS as NAMED
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.mechanism import Noise, Swapping, parts_of
from semiaudit.model.query import Query
from semiaudit.model.results.design import DESIGN_NAMES, SWAP_RATES, AnyDesign, Calibration, Design
from semiaudit.numeric.limits import Limits
from semiaudit.privacy.loss import TIME_LIMIT, Accuracy
from semiaudit.spec.build import Loaded, loaded
from semiaudit.universe.semi_adjacency import universe_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

NOT_AUDITED = (
    "Every number is that of an audit of the design, as by `semiaudit analyze`. A design "
    "that cannot be audited does not count as meeting the target."
)


def calibrate(
    question: CalibrationQuestion,
    time_limit: float,
    tolerance: float,
    access: Access,
    text: bytes | None = None,
) -> CalibratedSpec:
    """Design noise for the query of a spec.

    Args:
        time_limit: seconds for all computations together.
        tolerance: the relative bracket width of a composed loss.
        access: the caller's permissions for data access and for quotes in messages.
        text: the spec itself, if the path is only a name.

    Raises:
        SpecError: the spec or its data are not valid, or the question has no answer, for example if
            the spec names no query.
    """
    with problems_of(question.path):
        progress.doing("reading the spec")
        read = loaded(question.path, access, designs=True, text=text)
    return calibrated(question, read, time_limit, tolerance, access)


def calibrated(
    question: CalibrationQuestion,
    read: Loaded,
    time_limit: float,
    tolerance: float,
    access: Access,
) -> CalibratedSpec:
    """Design noise for the query of a spec that was read; otherwise like ``calibrate``."""
    with problems_of(question.path):
        _one_mechanism(read)
        spec = Spec(read, Origin(read.release.path, access))
        try:
            with deadline.running(time_limit) as running:
                calibration = _calibrated(
                    question, read.release, spec, time_limit, tolerance, access
                )
        except OutOfTimeError:
            what = "the time limit was reached before the changes of the query were known"
            raise RefusedError(Refusal(what, "raise --time-limit")) from None
    late: Causes = ("time",) if running.was_reached else ()
    causes = joined(late, calibration.incomplete_because)
    return CalibratedSpec(replace(calibration, incomplete_because=causes))


def _calibrated(
    question: CalibrationQuestion,
    release: Release,
    spec: Spec,
    time_limit: float,
    tolerance: float,
    access: Access,
) -> Calibration:
    # a(t) and what the query can change inside D_t depend on t, so the data are counted first.
    if release.source is not None:
        progress.doing("counting the data")
        release = counted(release, access)
    swapped = release.design is None and bool(parts_of(release.mechanism, Swapping))
    query = None if swapped else _query_of(release)
    _check_names(question, release, SWAP_RATES if query is None else DESIGN_NAMES)
    progress.doing("a(t)")
    limits = Limits(time_limit)
    context = Context(
        universe_of(release, limits),
        release.adjacency,
        release.mechanism,
        SensitivitySpaces(release, limits),
    )
    distance = _distance(context, question.framework)
    accuracy = Accuracy(tolerance, TIME_LIMIT)
    blank = Calibration(
        path=release.path,
        title=release.title,
        query="",
        framework=question.framework,
        distance=distance if NAMED[question.framework].up_to_a_t else 1,
        target=question.target,
        designs=(),
        notes=(NOT_AUDITED,),
    )
    if query is None:
        part = swapping_of(release)
        by_rate = RateAuditor(question, context, spec, part, accuracy).designs()
        return replace(blank, query=swapping_text(part), designs=asked_of(by_rate, question.names))
    progress.doing("the changes of the query")
    facts = facts_of(context.spaces, query, question.framework, distance)
    auditor = Auditor(question, context, spec, query, facts, accuracy)
    # A recipe only proposes noise: each number is that of an audit of this noise. The plain designs
    # are always made, because errors are compared with theirs.
    wanted = {*question.names, *(NAIVE if question.names else ())} or {*DESIGNS}
    recipes = [(name, recipe) for name, recipe in DESIGNS.items() if name in wanted]
    designs = []
    for place, (name, recipe) in enumerate(recipes):
        progress.reached(place, len(recipes))
        designs.append(auditor.design(name, recipe))
    naive = next((d for n in NAIVE for d in designs if d.name == n and d.meets), None)
    asked = [d for d in designs if not question.names or d.name in question.names]
    shown = tuple(_relative_to_naive(design, naive) for design in auditor.preferred(asked))
    return replace(
        blank,
        query=str(query),
        designs=shown,
        naive=naive.name if naive else "",
        own=next((design.name for design in shown if _is_own(design, release)), None),
        incomplete_because=("time",) if auditor.late else (),
    )


def _check_names(
    question: CalibrationQuestion, release: Release, known: Sequence[AnyDesign]
) -> None:
    strange = [name for name in question.names if name not in known]
    if strange:
        mark = release.mechanism.mark
        what = f"{strange[0]} is not a design for the mechanism of this spec"
        remedy = f"choose one of {', '.join(known)}"
        raise RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))


def _one_mechanism(read: Loaded) -> None:
    """Refuse several releases: a design must be one release."""
    if not isinstance(read.root, dict) or "releases" not in read.root:
        return
    what = "have several mechanisms, but a design is noise for one query of one mechanism"
    remedy = (
        "write a separate spec with the invariants of all releases and design: {query: ...}; then "
        "run `semiaudit analyze` with the design as one of the releases"
    )
    mark = read.document.mark(("releases",))
    raise RefusedError(Refusal(what, remedy, "releases", mark.line, mark.column))


def _query_of(release: Release) -> Query:
    queries = (release.design,) if release.design is not None else queries_of(release.mechanism)
    if len(queries) == 1 and queries[0] is not None:
        return queries[0]
    what = f"names {len(queries)} queries" if queries else "names no query to add noise to"
    remedy = "add one, such as design: {query: table}, instead of the mechanism"
    mark = release.mechanism.mark
    raise RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))


def _distance(context: Context, framework: FrameworkName) -> int:
    """Return the distance of semi-adjacency; 1 if it is not established and not needed."""
    distance = context.distance
    if context.universe.semi_adjacency.covering.upper == 0:
        raise RefusedError(Refusal(ONE_DATASET, "publish less exactly", "invariants"))
    if distance is None and NAMED[framework].up_to_a_t:
        what = context.no_distance
        raise RefusedError(Refusal(what, "add adjacency.distance", "adjacency"))
    return distance or 1


def _is_own(design: Design, release: Release) -> bool:
    parts = parts_of(release.mechanism, Noise)
    if len(parts) != 1 or not design.tight or design.mechanism is None or design.matrix:
        return False
    section = design.mechanism.get(parts[0].kind)
    return section is not None and ("support" in section) == (parts[0].support is not None)


def _relative_to_naive(design: Design, naive: Design | None) -> Design:
    if design.expected_l2 is None or naive is None or naive.expected_l2 is None:
        return design
    return replace(design, ratio=design.expected_l2.value / naive.expected_l2.value)
