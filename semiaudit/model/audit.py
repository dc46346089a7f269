"""A release to be audited, the budgets and waivers of it, and an audit that was made."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Literal, assert_never, get_args

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Adjacency
from semiaudit.model.bound import Bound, Causes
from semiaudit.model.building_blocks import BuildingBlocks
from semiaudit.model.data_source import DataSource
from semiaudit.model.dataspace import Dataspace
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.guarantee import GuaranteeCurve, GuaranteeRow, Order, WorstPairs
from semiaudit.model.invariants import Invariant
from semiaudit.model.mechanism import Mechanism
from semiaudit.model.published_invariants import Published, PublishedInvariant, published_invariants
from semiaudit.model.query import Query, Sensitivity, Spread
from semiaudit.model.semi_adjacency import Universe
from semiaudit.model.topdown import Semantic
from semiaudit.numeric.rationals import rational_text


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
        wanted = (self.framework, self.measure, self.at, self.distance, self.spec, self.sha256)
        return f"waiver {self.rule} {' '.join('*' if w in (None, '') else str(w) for w in wanted)}"

    def __str__(self) -> str:
        """Why it is accepted, by whom, until when, and up to which number."""
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

    @property
    def published_invariants(self) -> tuple[PublishedInvariant, ...]:
        """Everything that is published exactly, of whatever records."""
        return published_invariants(self.invariants, self.mechanism)

    @property
    def placeholder_place(self) -> str:
        """The path and the line at which the spec says so; empty if it has no placeholder."""
        return "" if self.placeholder is None else f"{self.path}:{self.placeholder.line}"

    @property
    def first_invariant(self) -> Mark:
        """Where the first of them is in the spec."""
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
class Audit:
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
        """The rows that have a curve, by the names of their privacy definitions."""
        return [(row.guarantee.framework, row) for row in self.rows]

    @property
    def complete(self) -> bool:
        """Whether every number is as narrow as was asked for."""
        return not self.incomplete_because
