"""The release that an audit reads, its budgets and waivers, and the result of the audit."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field, replace
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, assert_never, get_args

from semiaudit.errors import NOWHERE, Mark, Refusal
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Adjacency, compares_sizes
from semiaudit.model.bound import Bound, CanBeIncomplete, Causes
from semiaudit.model.building_blocks import BuildingBlocks
from semiaudit.model.data_source import DataSource
from semiaudit.model.dataspace import Dataset, Dataspace, TableSpace
from semiaudit.model.frameworks import ADVERTISED, LEADING, FrameworkName
from semiaudit.model.guarantee import GuaranteeCurve, GuaranteeRow, Order, WorstPairs
from semiaudit.model.invariants import Invariant, constraints_of
from semiaudit.model.invariants.constraint import SameMargin, is_margin
from semiaudit.model.mechanism import Composition, Mechanism, OtherRecords, parts_of
from semiaudit.model.query import Query, Sensitivity, Spread
from semiaudit.model.semi_adjacency import OwnInvariants, Universe
from semiaudit.model.topdown import Semantic
from semiaudit.numeric.rationals import rational_text

if TYPE_CHECKING:
    from semiaudit.model.frameworks import UniverseName


@dataclass(frozen=True, slots=True)
class PublishedInvariant:
    """An invariant, and the records that it is about; as text, both in words.

    Attributes:
        other: the part of the mechanism whose records it is about; None for those of the
            protected unit.
    """

    invariant: Invariant
    other: OtherRecords | None = None

    def __str__(self) -> str:
        if self.other is None:
            return str(self.invariant)
        return f"{self.invariant} of {self.other.dataspace.unit} records"

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        if self.other is None:
            return self.invariant.key
        return f"{self.invariant.key} of {self.other.dataspace.unit} records"

    @property
    def mark(self) -> Mark:
        """The place of the invariant in the spec."""
        return self.invariant.mark


def published_invariants(
    invariants: Sequence[Invariant], mechanism: Mechanism
) -> tuple[PublishedInvariant, ...]:
    """The whole list: those of the protected unit's records, then part by part all others."""
    others = parts_of(mechanism, OtherRecords)
    return (
        *map(PublishedInvariant, invariants),
        *(PublishedInvariant(invariant, part) for part in others for invariant in part.invariants),
    )


def publishing_only(release: Release, places: Collection[int]) -> Release:
    """The release with the invariants at some places of its list, and without the others.

    Its published values are left as they are.
    """
    indices = [index for index in range(len(release.invariants)) if index in places]
    invariants = tuple(release.invariants[index] for index in indices)
    mechanism, _ = _keeping(release.mechanism, places, len(release.invariants))
    return replace(release, invariants=invariants, mechanism=mechanism)


def _keeping(mechanism: Mechanism, places: Collection[int], at: int) -> tuple[Mechanism, int]:
    """A mechanism whose parts on other records publish only what is kept.

    Args:
        at: the place in the list of the first invariant that its parts publish.

    Returns:
        The mechanism, and the place behind its last invariant.
    """
    if isinstance(mechanism, OtherRecords):
        invariants = mechanism.invariants
        listed = tuple(i for place, i in enumerate(invariants, at) if place in places)
        return replace(mechanism, invariants=listed), at + len(invariants)
    if not isinstance(mechanism, Composition):
        return mechanism, at
    parts = []
    for part, repeat in mechanism.parts:
        reduced, at = _keeping(part, places, at)
        parts.append((reduced, repeat))
    return replace(mechanism, parts=tuple(parts)), at


def own_invariants(release: Release) -> OwnInvariants | None:
    """Return whose invariants a(t) covers, if only those of the protected unit's records.

    Every pair of tables, of the protected unit's records and of the others, is a dataset unless
    the spec says that a unit touches other records. A unit that touches none changes without them,
    and the invariants of the others stay what they are: a(t) is then that of all invariants at
    once. Else nothing says which of the other records change, and the a(t) of all invariants may
    be smaller or larger.

    Returns:
        None if a(t) is of everything that is published exactly.
    """
    others = dict.fromkeys(
        part.dataspace.unit
        for part in parts_of(release.mechanism, OtherRecords)
        if part.invariants and part.touched.most
    )
    return OwnInvariants(release.dataspace.unit, tuple(others)) if others else None


def only_margin(published: Sequence[PublishedInvariant]) -> tuple[str, ...]:
    """Return the attributes of the margin that is all that is published exactly; else nothing."""
    if len(published) != 1 or published[0].other is not None:
        return ()
    constraint = published[0].invariant.constraint
    return constraint.attributes if isinstance(constraint, SameMargin) else ()


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """t for count invariants of a table.

    Attributes:
        size: the number of records n, or None if t does not determine it.
        margins: for each tuple of attribute names (in the order of the spec) the counts of all
            combinations of levels, row-major; the last attribute varies fastest.
        others: for the place of every other invariant in the spec its value: the sums that it
            fixes, or, if it fixes only which cells occur, these row-major cells, ascending.
        nesting: the order of attributes in which nested counts were read, where the spec does not
            tell it and their shape fits another one too.
    """

    size: int | None
    margins: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]
    others: tuple[tuple[int, tuple[int, ...]], ...] = ()
    mark: Mark = NOWHERE
    nesting: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class ExampleDataset:
    """A dataset of an explicit dataspace; only its invariants are used, and they are t."""

    records: Dataset
    mark: Mark = NOWHERE


Published = PublishedCounts | ExampleDataset


def size_of(release: Release, space: TableSpace) -> tuple[int | None, bool]:
    """The number of records if it is known, and whether all of D_t has one size."""
    published = release.published if isinstance(release.published, PublishedCounts) else None
    fixed_by_margin = any(
        is_margin(constraint) for constraint in constraints_of(release.invariants)
    )
    size = space.size
    if size is None and published is not None:
        size = published.size
    fixed = space.size is not None or fixed_by_margin
    if not release.invariants and not compares_sizes(release.adjacency.metric):
        fixed = True
    return (size if fixed else None), fixed


def size_within(release: Release, space: TableSpace, universe: UniverseName) -> int | None:
    """The number of records that all datasets of a universe have; None if it is not one number.

    What is published says nothing of D under a metric that compares sizes: its datasets have every
    size, and a neighbor of a dataset with other invariants is one record larger or smaller.
    """
    if universe == "D" and compares_sizes(release.adjacency.metric):
        return space.size
    return size_of(release, space)[0]


def open_size(release: Release, space: TableSpace) -> Refusal:
    """Return why a metric that compares datasets of one size cannot be used here."""
    return Refusal(
        f"{release.adjacency.metric} compares datasets of equal size, but the spec does "
        "not fix the size",
        "add dataspace.size, or add total to the invariants",
        path="dataspace",
        line=space.mark.line,
        column=space.mark.column,
    )


@dataclass(frozen=True, slots=True)
class Waiver:
    """One accepted exception.

    Attributes:
        rule: the id of the rule that is waived.
        reason, approver: why, and who answers for it.
        expires: the last day on which it is valid.
        accepted: the largest number that is accepted; a value above it fails again. None only
            where the rule has no number.
        framework, measure, at, distance: of the waived budgets; None: any.
        spec: in a file of waivers, a glob over resolved paths, or over their ends.
        sha256: in a file of waivers, that of the waived spec.
        file: where it was written. inside: that file is the audited spec itself.
    """

    rule: str
    reason: str
    approver: str
    expires: date
    accepted: Fraction | None = None
    framework: FrameworkName | None = None
    measure: str | None = None
    at: Fraction | None = None
    distance: int | None = None
    spec: str = ""
    sha256: str = ""
    file: str = ""
    inside: bool = False
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the waiver in fingerprints, without its number, its day, and its words."""
        fields = (self.framework, self.measure, self.at, self.distance, self.spec, self.sha256)
        return f"waiver {self.rule} {' '.join('*' if w in (None, '') else str(w) for w in fields)}"

    def __str__(self) -> str:
        """Return why it is accepted, by whom, until when, and up to which number."""
        most = ""
        if self.accepted is not None:
            most = f", up to {rational_text(self.accepted, up=False)}"
        return f"{self.reason} (approved by {self.approver}, until {self.expires}{most})"


UNTITLED = "untitled"
"""The title of a spec that gives none."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The points of a report: deltas of epsilon, type I errors of the operating points, and prior
    probabilities, up to 1/2, of a guess at a secret of a hierarchical release.
    """

    deltas: tuple[Fraction, ...]
    type_i: tuple[Fraction, ...]
    priors: tuple[Fraction, ...] = ()


BudgetMeasure = Literal["epsilon", "rho", "mu", "advantage", "tpr", "a_t"]
BUDGET_MEASURES: tuple[BudgetMeasure, ...] = get_args(BudgetMeasure)


def no_protection_from(measure: BudgetMeasure) -> int | None:
    """The least number that is no limit; None for a(t), of which no bound may be known.

    From the limits of ε, μ and ρ on, an attack may have error rates below 1e-300: e^-700, Φ(-75/2)
    and, as ρ is that of Gaussian noise with μ = sqrt(2ρ), Φ(-sqrt(2 * 2800)/2).
    """
    match measure:
        case "advantage" | "tpr":
            return 1
        case "epsilon":
            return 700
        case "mu":
            return 75
        case "rho":
            return 2800
        case "a_t":
            return None
        case _:
            assert_never(measure)


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit on one number of one framework.

    Attributes:
        at: the delta of an epsilon (0 for pure DP) or the type I error of a tpr.
        distance: of a notion per unit of distance, that at which its loss is taken.
        policy: whether it is a policy's and not the spec's own; then it has no mark.
    """

    framework: FrameworkName
    measure: BudgetMeasure
    limit: Fraction
    at: Fraction | None = None
    distance: int | None = None
    mark: Mark = NOWHERE
    policy: bool = False

    @property
    def key(self) -> str:
        """The name of the budget in fingerprints: whose it is, and on which number."""
        owner = "policy budget" if self.policy else "budget"
        return f"{owner} {number_key(self.framework, self.measure, self.at, self.distance)}"


def number_key(
    framework: str, measure: str, at: Fraction | None, distance: int | None = None
) -> str:
    """The name in fingerprints of a framework's number, which stays when its words change."""
    point = "" if at is None else f" at {at}"
    return f"{framework} {measure}{point}" + ("" if distance is None else f" distance {distance}")


@dataclass(frozen=True, slots=True)
class RequiredVerification:
    """A verification of code that a spec or a policy requires.

    Attributes:
        confidence: the least of its tests together.
        record: the JSON report, in the folder of the spec; empty for its default name.
    """

    confidence: Fraction
    record: str = ""
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class Release:
    """A spec that was read and found whole: everything an audit needs, and nothing else.

    Attributes:
        invariants: of the protected unit's records, of all releases together; only their joint
            value counts (Remark 22). Those of other records are in ``published_invariants`` too.
        source: files or an engine from which t is still to be counted, if any.
        parts: how many of the invariants each release has; one entry if there is one release.
        waivers: the spec's own.
        sha256: as reports print it: of what the file makes public.
        file_sha256: of all its bytes, to be compared and never to be printed.
        lines: of the file, as a page may print them; none if the page must not have them.
        design: what noise is to be designed for, where no mechanism is stated yet.
        placeholder: where the spec says that it has a placeholder; None if it does not.
        induced: how many of the invariants, the last ones, the spec does not state: the mechanism
            publishes them with its output.
    """

    path: str
    sha256: str
    title: str
    references: tuple[str, ...]
    leaves_out: tuple[str, ...]
    dataspace: Dataspace
    invariants: tuple[Invariant, ...]
    published: Published | None
    adjacency: Adjacency
    mechanism: Mechanism
    options: ReportOptions
    budgets: tuple[Budget, ...]
    source: DataSource | None = None
    parts: tuple[int, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    file_sha256: str = ""
    lines: tuple[str, ...] = ()
    design: Query | None = None
    induced: int = 0
    placeholder: Mark | None = None
    verifications: tuple[RequiredVerification, ...] = ()

    @property
    def published_invariants(self) -> tuple[PublishedInvariant, ...]:
        """Everything that is published exactly, about records of any kind."""
        return published_invariants(self.invariants, self.mechanism)

    @property
    def placeholder_place(self) -> str:
        """The path and the line at which the spec says so; empty if it has no placeholder."""
        return "" if self.placeholder is None else f"{self.path}:{self.placeholder.line}"

    @property
    def first_invariant(self) -> Mark:
        """The place of the first published invariant in the spec."""
        return next((publication.mark for publication in self.published_invariants), NOWHERE)


@dataclass(frozen=True, slots=True)
class Statement:
    """The five building blocks of a differential-privacy specification (Bailie et al.)."""

    domain: str
    scope: str
    unit: str
    standard: str
    intensity: str


NO_STATEMENT = Statement("", "", "", "", "")
"""The statement of an audit that no report is made of."""


@dataclass(frozen=True, slots=True)
class BudgetResult:
    """A budget and the certified number; ``actual`` is None if there is no such number.

    Attributes:
        rule: the rule by which it failed; empty if it passed.
        waived: the valid waiver by which it counts as holding for a gate, though it does not.
    """

    budget: Budget
    actual: Bound | None
    holds: bool
    reason: str = ""
    rule: str = ""
    waived: Waiver | None = None


Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""Every level, the most severe first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a reader of the report must know, with a stable rule id.

    Attributes:
        key: what it is about inside the spec, such as a budget, an invariant, or an attribute:
            the same in every version, and neither words nor a line. Empty for the spec as a whole.
        brief: what stands for the message where findings of the rule are listed together; empty for
            a finding that is listed by itself.
    """

    rule: str
    level: Level
    message: str
    mark: Mark = NOWHERE
    key: str = ""
    waived: Waiver | None = None
    brief: str = ""


@dataclass(frozen=True, slots=True)
class Audit(CanBeIncomplete):
    """The whole result; renderers read nothing else.

    Attributes:
        incomplete_because: why some numbers are less narrow than was asked for; empty if
            none is.
        sensitivities: of every query of the mechanism, its sensitivity space on (D_t, A_a).
        joint_sensitivity: that of the stacked answers of all queries; None without queries.
        building_blocks: the statement as structure; None if the time limit came first.
        spreads: the variances of noise that keeps the invariants, where they are known.
        semantics: of a hierarchical release, what each kind of secret costs.
        worst_pairs: of a finite mechanism, the pairs that are easiest to distinguish; None for
            others, and if there are too many pairs or the time limit came first.
        curves: one a notion that states something; empty unless a format that draws was asked for.
    """

    release: Release
    statement: Statement
    universe: Universe
    rows: tuple[GuaranteeRow, ...]
    ordering: tuple[Order, ...]
    budgets: tuple[BudgetResult, ...]
    findings: tuple[Finding, ...]
    incomplete_because: Causes = ()
    sensitivities: tuple[tuple[Query, Sensitivity], ...] = ()
    joint_sensitivity: Sensitivity | None = None
    building_blocks: BuildingBlocks | None = None
    spreads: tuple[Spread, ...] = ()
    semantics: tuple[Semantic, ...] = ()
    worst_pairs: tuple[WorstPairs, ...] | None = None
    curves: tuple[GuaranteeCurve, ...] = ()

    @property
    def drawn_rows(self) -> list[tuple[str, GuaranteeRow]]:
        """The advertised and the effective guarantee, by their names: others are not comparable."""
        shown = (ADVERTISED, LEADING)
        return [(g.framework, row) for row in self.rows if (g := row.guarantee).framework in shown]
