"""The rules of findings: each is defined by one row here, and by the text of its page next to it.

A row has what the program decides by: the id, the level, and what may waive it. The file ID.md of
this folder has what a person reads: the meaning, the advice, and an example, which a test runs.
Everything else that shows a rule is made from the two: ``semiaudit rule``, the site, JSON Schemas,
SARIF, and HTML. The texts are read only where they are shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.audit import Finding, Level
from semiaudit.version import FILES

Family = Literal["audit", "gate", "registry"]
"""The finder: every audit, the gate (``check`` and ``batch``), or ``registry review``."""

WaivedBy = Literal[
    "nothing",
    "a file",
    "a file, up to a number",
    "a spec or a file",
    "a spec or a file, up to a number",
]
"""The waivers that can waive a finding: one inside the spec, or one in a file of waivers."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: stable, as reports, waivers, and fingerprints have it.
        name: the id in words joined by hyphens; stable too.
        level: the level of a finding, unless the place that finds it says otherwise.
        title: one sentence, as a list of rules shows it.
        varies: the other level that a finding can have, and when; empty if there is none.
    """

    id: str
    name: str
    level: Level
    title: str
    family: Family
    waived_by: WaivedBy = "nothing"
    varies: str = ""

    @property
    def page(self) -> str:
        """The address of the rule's text, as this version was released with it."""
        return f"{FILES}/semiaudit/model/rules/{self.id}.md"


def define(rules: dict[str, Rule], rule: Rule) -> str:
    """Add a rule to a table, and return the id by which findings name it.

    Raises:
        ValueError: the table has a rule of this id.
    """
    if rule.id in rules:
        raise ValueError(f"there are two rules {rule.id}")
    rules[rule.id] = rule
    return rule.id


RULES: dict[str, Rule] = {}
"""The rules of audits and of the gate, by their ids and in their order."""


def finding_of(rule: str, message: str, mark: Mark = NOWHERE, key: str = "") -> Finding:
    """A finding of an audit or of the gate at the level of its rule.

    Args:
        key: what it is about inside the spec, as of ``Finding``.

    Raises:
        KeyError: there is no such rule.
    """
    return Finding(rule, RULES[rule].level, message, mark, key)


def _audit(
    id_: str,
    name: str,
    level: Level,
    title: str,
    varies: str = "",
    waived_by: WaivedBy = "a file",
) -> str:
    return define(RULES, Rule(id_, name, level, title, "audit", waived_by, varies))


def _gate(
    id_: str,
    name: str,
    level: Level,
    title: str,
    waived_by: WaivedBy = "nothing",
    varies: str = "",
) -> str:
    return define(RULES, Rule(id_, name, level, title, "gate", waived_by, varies))


NOT_COVERED = _audit(
    "SA001",
    "invariants-not-covered",
    "warning",
    "The advertised guarantee does not cover the invariants.",
)
TABLE_DISCLOSED = _audit(
    "SA002", "table-disclosed", "error", "The invariants disclose the whole table."
)
DATASET_DISCLOSED = _audit(
    "SA003", "dataset-disclosed", "error", "The invariants leave only one possible dataset."
)
ATTRIBUTE_DISCLOSED = _audit(
    "SA004",
    "attribute-disclosed",
    "warning",
    "The invariants show one level of an attribute for everyone.",
)
READING_AS_PRINTED = _audit(
    "SA005",
    "reading-definition-13",
    "warning",
    "a(t) follows Definition 13, which leaves some changes out.",
)
DISTANCE_BELOW_A = _audit(
    "SA006", "distance-below-a", "error", "adjacency.distance is smaller than a(t)."
)
OPEN_INTERVAL = _audit(
    "SA007",
    "open-interval",
    "warning",
    "a(t) is only known as an interval, or not for all invariants.",
)
REFUSED = _audit(
    "SA008",
    "guarantee-refused",
    "error",
    "The guarantee of a privacy definition is refused.",
    varies="note for a definition other than `semi_dp`",
)
METRIC_WITHOUT_PLACES = _audit(
    "SA009",
    "metric-without-places",
    "warning",
    "The metric does not protect which record belongs to whom.",
)
GROUP_DISCLOSED = _audit(
    "SA010",
    "group-disclosed",
    "warning",
    "The invariants show an attribute of everyone in a group.",
)
NOT_CONNECTED = _audit(
    "SA011", "not-connected", "warning", "Dₜ is not connected at the distance that is used."
)
SEVERAL_RELEASES = _audit(
    "SA012", "several-releases", "note", "Several releases are audited together."
)
EXCEEDED = _gate(
    "SA013",
    "budget-exceeded",
    "error",
    "A certified upper bound is above its budget.",
    "a spec or a file, up to a number",
)
UNDECIDED = _gate(
    "SA014",
    "bound-not-tight-enough",
    "error",
    "The bound is too loose to decide a budget, so the budget fails.",
    "a spec or a file, up to a number",
)
NEAR_LIMIT = _gate(
    "SA015", "budget-near-limit", "note", "A budget passes, but is close to its limit."
)
BUDGETS_MISS_INVARIANTS = _gate(
    "SA016",
    "budgets-miss-invariants",
    "warning",
    "No budget is on a guarantee that covers the invariants.",
    "a file",
)
NOTHING_PROTECTED = _gate(
    "SA017",
    "budget-on-nothing",
    "error",
    "A budget is on a guarantee that protects nothing: a(t) is 0.",
)
NO_OTHER_TABLE = _gate(
    "SA018",
    "budget-without-other-table",
    "error",
    "Within the distance of a budget, there is no different table.",
)
BUDGET_BELOW_A = _gate(
    "SA019", "budget-below-a", "error", "A budget is at a distance smaller than a(t)."
)
NO_SUCH_NUMBER = _gate(
    "SA020",
    "no-such-number",
    "error",
    "A budget is on a number that this mechanism does not have.",
)
NOT_STATED = _gate(
    "SA021",
    "budget-on-refused-guarantee",
    "error",
    "A budget is on a guarantee that is refused.",
)
NOT_AUDITED = _gate("SA022", "not-audited", "error", "The spec could not be audited.")
INCOMPLETE = _gate(
    "SA023",
    "audit-incomplete",
    "warning",
    "Some bounds are looser than you asked for.",
    "a file",
)
WAIVER_EXPIRED = _gate("SA024", "waiver-expired", "error", "A waiver has expired.")
WAIVER_UNUSED = _gate("SA025", "waiver-unused", "warning", "A waiver matches nothing.")
WAIVER_EXCEEDED = _gate(
    "SA026", "waiver-exceeded", "error", "A number is above what its waiver accepts."
)
WEAKER = _gate(
    "SA027",
    "weaker-than-baseline",
    "error",
    "A guarantee is weaker than in the earlier report.",
    "a file, up to a number",
)
NOT_IN_BASELINE = _gate(
    "SA028",
    "not-in-baseline",
    "warning",
    "The earlier report does not cover this spec.",
    "a file",
)
LOOSENED = _gate(
    "SA029",
    "policy-loosened",
    "error",
    "The spec is looser than the policy or the default allows.",
    "a file",
)
NO_BUDGET = _gate("SA030", "no-budget", "warning", "There is no budget.")
GONE = _gate("SA031", "spec-gone", "error", "A spec of the earlier report is gone.")
PLACEHOLDER = _gate("SA032", "placeholder", "error", "A placeholder of the spec is not filled in.")
LIMITS_NOTHING = _gate("SA033", "budget-limits-nothing", "error", "A budget allows anything.")
LARGE_DELTA = _gate(
    "SA034",
    "large-delta",
    "warning",
    "The δ of a budget allows the release of a whole record.",
    "a file",
    "error if δ is 1/2 or more",
)
WAIVED_BY_ITSELF = _gate(
    "SA035",
    "waived-by-itself",
    "warning",
    "A waiver in the spec covers its failed budget.",
)
LINES_BETWEEN_POINTS = _audit(
    "SA036",
    "lines-between-points",
    "note",
    "Lines between the points of a tradeoff function are claimed.",
)
NEIGHBORS_ASSUMED = _audit(
    "SA037",
    "neighbors-assumed",
    "warning",
    "A declared number does not name its neighboring datasets.",
)
CANNOT_CHANGE = _audit(
    "SA038",
    "cannot-change",
    "error",
    "What a mechanism publishes cannot change, so its loss is 0.",
    waived_by="a spec or a file",
)
LEVELS_ALIKE = _audit(
    "SA039", "levels-alike", "error", "Two levels look the same, and differ in their Unicode form."
)
NOT_POISSON = _audit(
    "SA040", "not-poisson", "warning", "Batches are not sampled as accountants assume."
)
ROUNDED_PROBABILITIES = _audit(
    "SA041", "rounded-probabilities", "note", "The probabilities are rounded."
)
UNVERIFIED = _gate(
    "SA042", "code-not-verified", "error", "No verification covers this spec and its code."
)


def rule_like(word: str, rules: Iterable[Rule] = RULES.values()) -> str:
    """The id of the rule that a word may mean: its name, or its id with too few zeros; or empty."""
    name = word.strip().lower()
    for rule in rules:
        letters, number = rule.id[:2].lower(), rule.id[2:]
        if name == rule.name or name.replace(letters, "", 1).lstrip("0") == number.lstrip("0"):
            return rule.id
    return ""


def no_rule(word: str, otherwise: str, rules: Iterable[Rule] = RULES.values()) -> str:
    """Say that a word is not a rule, and which may be meant; or else what to do."""
    like = rule_like(word, rules)
    return f"{word} is not a rule; " + (f"did you mean {like}?" if like else otherwise)


OF_THE_AUDIT = frozenset(rule.id for rule in RULES.values() if rule.family == "audit")
"""Rules of what the audit itself finds; ``check --fail-on`` says which of them fail."""

WAIVABLE = tuple(rule.id for rule in RULES.values() if rule.waived_by != "nothing")
"""The rules that a waiver may name. An empty statement can never be waived."""

NUMBERED = frozenset(rule for rule in WAIVABLE if RULES[rule].waived_by.endswith("a number"))
"""Rules of findings about a number, which a waiver must accept."""

IN_SPECS = frozenset(rule for rule in WAIVABLE if RULES[rule].waived_by.startswith("a spec"))
"""Rules that a waiver inside a spec can waive: its own budgets, and numbers that are 0."""

CAN_BE_ERRORS = tuple(
    rule.id
    for rule in RULES.values()
    if rule.id != NO_BUDGET and (rule.id in OF_THE_AUDIT or rule.level != "error")
)
"""Rules whose findings a policy may turn into errors; the others are errors that always fail. That
there is no budget has an exit code and a key of a policy of its own."""

FOUND = tuple(
    rule
    for rule in WAIVABLE
    if rule not in NUMBERED and (rule in OF_THE_AUDIT or RULES[rule].level != "error")
)
"""Rules of findings that have no number, and that ``check --fail-on`` may let fail."""
